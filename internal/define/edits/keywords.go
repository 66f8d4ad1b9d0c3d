package edits

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file applies markers to schemas. controller-tools' markers modify JSONSchemaProps, so
// the keywords of a node are copied to one, all markers are applied, and the keywords are
// copied back. No marker reads properties, allOf or the contents of items, so these are not
// copied.

// ApplyMarkers applies markers of a package, in order of priority, to the keywords of a node,
// which may refer to a type. enum adds the constants of the type that the markers describe.
func ApplyMarkers(r Reporter, k keywords.Node, reference bool, pkg *source.Package, set source.Markers,
	enum func(*apiextensionsv1.JSONSchemaProps) error) {
	slices.SortStableFunc(set, func(x, y *markers.Marker) int { return priority(x.Value) - priority(y.Value) })
	props := k.Props()
	if reference {
		props.Ref = new("") // K8sRequired requires it
	}
	initialType := props.Type
	invalidListType := false
	for _, marker := range set {
		if _, ok := marker.Value.(markers.SchemaMarker); !ok {
			k.Take(props)
			marker.Apply(k, misfits(r, pkg, marker))
			props = k.Props()
			continue
		}
		oldJSONSchemaProps := *props
		var err error
		if _, isEnum := marker.Value.(crdmarkers.K8sEnum); isEnum {
			err = enum(props)
		} else {
			err = marker.Value.(markers.SchemaMarker).ApplyToSchema(nil, props)
		}
		if err != nil {
			_, isKey := marker.Value.(crdmarkers.ListMapKey)
			if isKey && invalidListType {
				continue // it depends on the malformed type
			}
			if reference && initialType != "" && props.Type != initialType {
				continue // a marker sets the type of the reference, which is a conflict
			}
			_, isList := marker.Value.(crdmarkers.ListType)
			invalidListType = invalidListType || isList
			r.DoesNotFit(pkg.At(marker.Pos), misfitHint(marker, props), "+%s: %v", marker.Name, err)
			continue
		}
		k.Origin.Keywords = appendChanged(k.Origin.Keywords, &oldJSONSchemaProps, props, marker.Pos)
	}
	k.Take(props)
}

// misfitHint returns what to write in place of, or beside, a marker of controller-gen that does not apply to a schema;
// empty if there is no such marker.
func misfitHint(marker *markers.Marker, props *apiextensionsv1.JSONSchemaProps) string {
	_, isKey := marker.Value.(crdmarkers.ListMapKey)
	switch {
	case isKey && props.Type == "array" && props.XListType == nil:
		return "add +listType=map"
	case isKey && props.Type == "array":
		return "only lists of +listType=map have keys"
	case !strings.HasPrefix(marker.Name, "kubebuilder:validation:"):
		return ""
	}
	other := boundOf(props.Type)
	for _, bound := range []string{"Max", "Min"} {
		name, ok := strings.CutPrefix(marker.Name[strings.LastIndexByte(marker.Name, ':')+1:], bound)
		if ok && other != "" && name != other && slices.Contains([]string{"imum", "Items", "Length", "Properties"}, name) {
			return fmt.Sprintf("for type %s, write +%s%s", props.Type, strings.TrimSuffix(marker.Name, name), other)
		}
	}
	return ""
}

// boundOf returns how the names of controller-gen's bounds for a type end, after Max or Min; empty if there are none.
func boundOf(schemaType string) string {
	switch schemaType {
	case "string":
		return "Length"
	case "array":
		return "Items"
	case "object":
		return "Properties"
	case "integer", "number":
		return "imum"
	}
	return ""
}

// misfits returns a function that reports that a marker of a package does not apply to its
// node.
func misfits(r Reporter, p *source.Package, m *markers.Marker) markers.Misfit {
	return func(hint, format string, args ...any) {
		r.DoesNotFit(p.At(m.Pos), hint, "+%s: %s", m.Name, fmt.Sprintf(format, args...))
	}
}

// TypeOrNone returns the name of a type for messages. Markers do not see a type if a field's
// type is a struct, or a basic type of another package.
func TypeOrNone(typ string) string {
	if typ == "" {
		return "none"
	}
	return typ
}

// priority returns the position of a marker in the order of application. Markers of equal
// priority are applied in source order.
func priority(value any) int {
	switch value := value.(type) {
	case crdmarkers.ApplyPriorityMarker:
		return int(value.ApplyPriority())
	case interface{ ApplyFirst() }:
		return int(crdmarkers.ApplyPriorityFirst)
	}
	return int(crdmarkers.ApplyPriorityDefault)
}

// appendChanged records the keywords that differ between two states of a node. Markers
// allocate new values, so comparing pointers is sufficient.
func appendChanged(list []structural.KeywordOrigin, a, b *apiextensionsv1.JSONSchemaProps,
	pos token.Pos) []structural.KeywordOrigin {
	add := func(keyword string, changed bool) {
		if changed {
			list = append(list, structural.KeywordOrigin{Keyword: keyword, Pos: pos})
		}
	}
	add("type", a.Type != b.Type)
	add("format", a.Format != b.Format)
	add("title", a.Title != b.Title)
	add("description", a.Description != b.Description)
	add("default", a.Default != b.Default)
	add("example", a.Example != b.Example)
	add("externalDocs", a.ExternalDocs != b.ExternalDocs)
	add("nullable", a.Nullable != b.Nullable)
	add("maximum", a.Maximum != b.Maximum)
	add("exclusiveMaximum", a.ExclusiveMaximum != b.ExclusiveMaximum)
	add("minimum", a.Minimum != b.Minimum)
	add("exclusiveMinimum", a.ExclusiveMinimum != b.ExclusiveMinimum)
	add("maxLength", a.MaxLength != b.MaxLength)
	add("minLength", a.MinLength != b.MinLength)
	add("pattern", a.Pattern != b.Pattern)
	add("maxItems", a.MaxItems != b.MaxItems)
	add("minItems", a.MinItems != b.MinItems)
	add("uniqueItems", a.UniqueItems != b.UniqueItems)
	add("multipleOf", a.MultipleOf != b.MultipleOf)
	add("enum", len(a.Enum) != len(b.Enum) || len(a.Enum) > 0 && &a.Enum[0] != &b.Enum[0])
	add("maxProperties", a.MaxProperties != b.MaxProperties)
	add("minProperties", a.MinProperties != b.MinProperties)
	add("required", len(a.Required) != len(b.Required))
	add("x-kubernetes-preserve-unknown-fields", a.XPreserveUnknownFields != b.XPreserveUnknownFields)
	add("x-kubernetes-embedded-resource", a.XEmbeddedResource != b.XEmbeddedResource)
	add("x-kubernetes-int-or-string", a.XIntOrString != b.XIntOrString)
	add("x-kubernetes-list-map-keys", len(a.XListMapKeys) != len(b.XListMapKeys))
	add("x-kubernetes-list-type", a.XListType != b.XListType)
	add("x-kubernetes-map-type", a.XMapType != b.XMapType)
	for i := len(a.XValidations); i < len(b.XValidations); i++ {
		add("x-kubernetes-validations", true)
	}
	return list
}
