package generator

import (
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

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
func (b *builder) applyMarkers(d *draft, set markerSet, owner *typeDecl) {
	var own, items markerSet
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
	b.applyAll(d, own, owner)
	if len(items) == 0 {
		return
	}
	if d.Type != "array" || d.items == nil {
		hint := "markers of items belong on a slice"
		if d.Type == "array" && d.ref != nil {
			hint = fmt.Sprintf("the elements are declared at %s: put the marker there", d.ref)
		}
		for _, m := range items {
			b.reporter.errorf(codeApply, d.pkg, m.Pos, hint,
				"+%s: must apply to an array value, found %s", m.Name, typeOrNone(d.Type))
		}
		return
	}
	// The node of the elements belongs to this declaration alone.
	b.applyAll(d.items, items, owner)
}

func (b *builder) applyAll(d *draft, set markerSet, owner *typeDecl) {
	if len(set) == 0 {
		return
	}
	slices.SortStableFunc(set, func(x, y *markers.Marker) int { return priority(x.Value) - priority(y.Value) })
	var props apiextensionsv1.JSONSchemaProps
	d.toProps(&props)
	for _, m := range set {
		before := props
		var err error
		if _, isEnum := m.Value.(crdmarkers.K8sEnum); isEnum {
			err = b.applyK8sEnum(&props, owner)
		} else {
			err = m.Value.(schemaMarker).ApplyToSchema(nil, &props)
		}
		if err != nil {
			b.reporter.errorf(codeApply, d.pkg, m.Pos, "", "+%s: %v", m.Name, err)
			continue
		}
		d.origin.Keywords = appendChanged(d.origin.Keywords, &before, &props, m.Pos)
	}
	d.fromProps(&props)
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

// toProps copies the node's own keywords. A reference is shown as one, because
// K8sRequired asks for it.
func (d *draft) toProps(p *apiextensionsv1.JSONSchemaProps) {
	s := structural.Schema{Generic: d.Generic, Extensions: d.Extensions, ValueValidation: d.values}
	*p = *s.Props()
	if d.ref != nil {
		p.Ref = new("")
	}
}

// fromProps takes the keywords back.
func (d *draft) fromProps(p *apiextensionsv1.JSONSchemaProps) {
	d.Type, d.Description, d.Title, d.Nullable = p.Type, p.Description, p.Title, p.Nullable
	d.Default = takeJSON(d.Default, p.Default)
	d.Example = takeJSON(d.Example, p.Example)
	if p.ExternalDocs != nil {
		d.ExternalDocs = &structural.ExternalDocs{Description: p.ExternalDocs.Description, URL: p.ExternalDocs.URL}
	}
	d.Extensions = structural.Extensions{
		XPreserveUnknownFields: p.XPreserveUnknownFields,
		XEmbeddedResource:      p.XEmbeddedResource,
		XIntOrString:           p.XIntOrString,
		XListMapKeys:           p.XListMapKeys,
		XListType:              deref(p.XListType),
		XMapType:               deref(p.XMapType),
		XValidations:           p.XValidations,
	}
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
	if d.values != nil {
		// No marker changes junctors.
		values.AnyOf, values.OneOf, values.Not = d.values.AnyOf, d.values.OneOf, d.values.Not
	}
	if d.values != nil || !reflect.ValueOf(values).IsZero() {
		d.values = &values
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
