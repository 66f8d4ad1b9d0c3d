package build

import (
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// This file is where markers meet schemas: controller-tools' markers change
// JSONSchemaProps, so a node's own keywords are copied into one, all of its
// markers are applied, and the keywords are read back. No marker looks at
// properties, at allOf, or into items, so those are not copied.

// schemaMarker is a marker that changes the schema of its type or field.
type schemaMarker interface {
	ApplyToSchema(*crdmarkers.SchemaContext, *apiextensionsv1.JSONSchemaProps) error
}

// applyMarkers applies the markers of a declaration to its node, in the order
// of their priority, then of the source. owner is the type whose declaration
// carries them, nil for a field.
func (b *Builder) applyMarkers(d *draft, set source.Markers, owner *source.Type) {
	if d.failed {
		return
	}
	before := len(b.Reporter.List)
	defer func() { d.origin.Mistake = max(d.origin.Mistake, b.Reporter.mistakeSince(before)) }()
	var own, items source.Markers
	for _, m := range set {
		if _, ok := m.Value.(schemaMarker); !ok {
			continue
		}
		if strings.HasPrefix(m.Name, crdmarkers.ValidationItemsPrefix) {
			items = append(items, m)
		} else {
			own = append(own, m)
		}
	}
	if own = b.takeKeys(d, own, set); len(own) > 0 {
		b.applyAll(d, own, owner)
	}
	d.edits = append(d.edits, b.ownEdits(d.pkg, set)...)
	if owner != nil {
		if owner.Pkg.Local() {
			b.checkRange(owner.File, owner.Spec.Type, set)
		}
		b.applyEnum(d, owner)
		if b.Run.enabled(owner.Pkg, markers.FeatureEnum) && (set.Get("enum") != nil || set.Get("k8s:enum") != nil) && owner.IsString() {
			d.constants = b.constantsOf(owner)
		}
		own, _ := b.declarativeEdits(d.pkg, set, "")
		d.edits = append(d.edits, own...)
	}
	if len(items) == 0 {
		return
	}
	if d.Type != "array" || d.items == nil {
		hint := "markers of items belong on a slice"
		if d.Type == "array" && d.ref != nil {
			hint = fmt.Sprintf("the elements are declared at %s: put the marker there", d.ref)
		}
		for _, m := range items {
			b.Reporter.Report(markerDoesNotFit, d.pkg.At(m.Pos), hint,
				"+%s: must apply to an array value, found %s", m.Name, typeOrNone(d.Type))
		}
		return
	}
	// The node of the elements belongs to this declaration alone.
	b.applyAll(d.items, items, owner)
}

// takeKeys takes the keys of a list that is unique as a map and no map
// otherwise: controller-tools refuses keys of such a list. It returns the
// markers that are left.
func (b *Builder) takeKeys(d *draft, own, set source.Markers) source.Markers {
	if !slices.ContainsFunc(set, func(m *markers.Marker) bool {
		tag, ok := m.Value.(markers.Declarative)
		return ok && tag.Name == "k8s:unique" && tag.Value == "map"
	}) || slices.ContainsFunc(own, func(m *markers.Marker) bool { return m.Value == crdmarkers.ListType("map") }) {
		return own
	}
	return slices.DeleteFunc(own, func(m *markers.Marker) bool {
		key, ok := m.Value.(crdmarkers.ListMapKey)
		if ok {
			d.XListMapKeys = append(slices.Clip(d.XListMapKeys), string(key))
		}
		return ok
	})
}

func (b *Builder) applyAll(d *draft, set source.Markers, owner *source.Type) {
	if len(set) > 0 {
		b.applyTo(d.keywords(), d.pkg, set, owner)
	}
}

// applyTo applies markers, in the order of their priority, to the keywords of a node.
func (b *Builder) applyTo(k keywords, p *source.Package, set source.Markers, owner *source.Type) {
	slices.SortStableFunc(set, func(x, y *markers.Marker) int { return priority(x.Value) - priority(y.Value) })
	props := k.props()
	shown, badList := props.Type, false
	for _, m := range set {
		before := *props
		var err error
		if _, isEnum := m.Value.(crdmarkers.K8sEnum); isEnum {
			err = b.applyK8sEnum(props, owner)
		} else {
			err = m.Value.(schemaMarker).ApplyToSchema(nil, props)
		}
		if err != nil {
			_, isKey := m.Value.(crdmarkers.ListMapKey)
			if isKey && badList {
				continue // it needs the type that is malformed
			}
			if k.reference && shown != "" && props.Type != shown {
				continue // a marker gives the reference another type, which is a conflict
			}
			_, isList := m.Value.(crdmarkers.ListType)
			badList = badList || isList
			b.Reporter.Report(markerDoesNotFit, p.At(m.Pos), "", "+%s: %v", m.Name, err)
			continue
		}
		k.origin.Keywords = appendChanged(k.origin.Keywords, &before, props, m.Pos)
	}
	k.take(props)
}

// typeOrNone names a type for messages. Markers see no type where a field is of
// a struct, or of another package's basic type.
func typeOrNone(typ string) string {
	if typ == "" {
		return "none"
	}
	return typ
}

// priority is the place of a marker in the order of application; equal ones
// keep the order of the source.
func priority(value any) int {
	switch value := value.(type) {
	case crdmarkers.ApplyPriorityMarker:
		return int(value.ApplyPriority())
	case interface{ ApplyFirst() }:
		return int(crdmarkers.ApplyPriorityFirst)
	}
	return int(crdmarkers.ApplyPriorityDefault)
}

// keywords are a node's own keywords: of a draft, or of a finished schema.
type keywords struct {
	generic    *structural.Generic
	extensions *structural.Extensions
	values     **structural.ValueValidation
	origin     *structural.Origin
	reference  bool
}

func (d *draft) keywords() keywords {
	return keywords{&d.Generic, &d.Extensions, &d.values, &d.origin, d.ref != nil}
}

func schemaKeywords(s *structural.Schema) keywords {
	return keywords{&s.Generic, &s.Extensions, &s.ValueValidation, &s.Origin, false}
}

// props copies the keywords. A reference is shown as one, because K8sRequired
// asks for it.
func (k keywords) props() *apiextensionsv1.JSONSchemaProps {
	s := structural.Schema{Generic: *k.generic, Extensions: *k.extensions, ValueValidation: *k.values}
	p := s.Props()
	if k.reference {
		p.Ref = new("")
	}
	return p
}

// take takes the keywords back.
func (k keywords) take(p *apiextensionsv1.JSONSchemaProps) {
	g := k.generic
	g.Type, g.Description, g.Title, g.Nullable = p.Type, p.Description, p.Title, p.Nullable
	g.Default = takeJSON(g.Default, p.Default)
	g.Example = takeJSON(g.Example, p.Example)
	g.ExternalDocs = nil
	if p.ExternalDocs != nil {
		g.ExternalDocs = &structural.ExternalDocs{Description: p.ExternalDocs.Description, URL: p.ExternalDocs.URL}
	}
	k.extensions.XPreserveUnknownFields = p.XPreserveUnknownFields
	k.extensions.XEmbeddedResource = p.XEmbeddedResource
	k.extensions.XIntOrString = p.XIntOrString
	k.extensions.XListMapKeys = p.XListMapKeys
	k.extensions.XListType = deref(p.XListType)
	k.extensions.XMapType = deref(p.XMapType)
	k.extensions.XValidations = p.XValidations
	values := structural.ValueValidation{
		Format: p.Format, Maximum: p.Maximum, ExclusiveMaximum: p.ExclusiveMaximum,
		Minimum: p.Minimum, ExclusiveMinimum: p.ExclusiveMinimum,
		MaxLength: p.MaxLength, MinLength: p.MinLength, Pattern: p.Pattern,
		MaxItems: p.MaxItems, MinItems: p.MinItems, UniqueItems: p.UniqueItems, MultipleOf: p.MultipleOf,
		MaxProperties: p.MaxProperties, MinProperties: p.MinProperties, Required: p.Required,
	}
	for _, e := range p.Enum {
		values.Enum = append(values.Enum, structural.JSON{Raw: e.Raw})
	}
	if old := *k.values; old != nil {
		// Junctors are at most removed.
		if p.AllOf != nil {
			values.AllOf = old.AllOf
		}
		if p.AnyOf != nil {
			values.AnyOf = old.AnyOf
		}
		if p.OneOf != nil {
			values.OneOf = old.OneOf
		}
		if p.Not != nil {
			values.Not = old.Not
		}
	}
	if *k.values != nil || !reflect.ValueOf(values).IsZero() {
		*k.values = &values
	}
}

// takeJSON keeps the old value if the marker left it alone, so that its
// identity stays.
func takeJSON(old *structural.JSON, set *apiextensionsv1.JSON) *structural.JSON {
	if set == nil {
		return nil
	}
	if old != nil && len(old.Raw) > 0 && &old.Raw[0] == &set.Raw[0] {
		return old
	}
	return &structural.JSON{Raw: set.Raw}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// appendChanged records the keywords that differ between two states of a node.
// What markers set has a new address, so that pointers tell.
func appendChanged(list []structural.KeywordOrigin, a, b *apiextensionsv1.JSONSchemaProps, pos token.Pos) []structural.KeywordOrigin {
	note := func(keyword string, changed bool) {
		if changed {
			list = append(list, structural.KeywordOrigin{Keyword: keyword, Pos: pos})
		}
	}
	note("type", a.Type != b.Type)
	note("format", a.Format != b.Format)
	note("title", a.Title != b.Title)
	note("description", a.Description != b.Description)
	note("default", a.Default != b.Default)
	note("example", a.Example != b.Example)
	note("externalDocs", a.ExternalDocs != b.ExternalDocs)
	note("nullable", a.Nullable != b.Nullable)
	note("maximum", a.Maximum != b.Maximum)
	note("exclusiveMaximum", a.ExclusiveMaximum != b.ExclusiveMaximum)
	note("minimum", a.Minimum != b.Minimum)
	note("exclusiveMinimum", a.ExclusiveMinimum != b.ExclusiveMinimum)
	note("maxLength", a.MaxLength != b.MaxLength)
	note("minLength", a.MinLength != b.MinLength)
	note("pattern", a.Pattern != b.Pattern)
	note("maxItems", a.MaxItems != b.MaxItems)
	note("minItems", a.MinItems != b.MinItems)
	note("uniqueItems", a.UniqueItems != b.UniqueItems)
	note("multipleOf", a.MultipleOf != b.MultipleOf)
	note("enum", len(a.Enum) != len(b.Enum) || len(a.Enum) > 0 && &a.Enum[0] != &b.Enum[0])
	note("maxProperties", a.MaxProperties != b.MaxProperties)
	note("minProperties", a.MinProperties != b.MinProperties)
	note("required", len(a.Required) != len(b.Required))
	note("x-kubernetes-preserve-unknown-fields", a.XPreserveUnknownFields != b.XPreserveUnknownFields)
	note("x-kubernetes-embedded-resource", a.XEmbeddedResource != b.XEmbeddedResource)
	note("x-kubernetes-int-or-string", a.XIntOrString != b.XIntOrString)
	note("x-kubernetes-list-map-keys", len(a.XListMapKeys) != len(b.XListMapKeys))
	note("x-kubernetes-list-type", a.XListType != b.XListType)
	note("x-kubernetes-map-type", a.XMapType != b.XMapType)
	for i := len(a.XValidations); i < len(b.XValidations); i++ {
		note("x-kubernetes-validations", true)
	}
	return list
}
