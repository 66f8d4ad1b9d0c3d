package keywords

import (
	"iter"
	"reflect"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/structural"
)

// Keyword is one keyword of JSONSchemaProps of apiextensions.k8s.io/v1.
type Keyword struct {
	// Name is the keyword's JSON name.
	Name string
	// Field is the name of the Go field in JSONSchemaProps and of the
	// corresponding field in the model.
	Field string
	// Class is the keyword's class in the KEP.
	Class Class
	// Restricts is the type of values that a value validation applies to: number,
	// string, array or object. It is empty if the type does not follow from the
	// keyword alone; exclusive bounds have no effect by themselves.
	Restricts string
	// Example is a JSON value of the keyword.
	Example string

	// value returns a pointer to the field in the model; it is nil for children
	// and for keywords that the model does not have.
	value func(Parts) any
}

// Rules is the name of the keyword of CEL rules.
const Rules = "x-kubernetes-validations"

// Class is the class of a keyword in the KEP "Structural Schemas".
type Class int

// Keyword classes.
const (
	// ClassUnsupported keywords cannot occur in a structural schema.
	ClassUnsupported Class = iota
	// ClassGeneric is the type and its documentation ([Generic]).
	ClassGeneric
	// ClassStructure keywords contain the schemas of fields, elements or map values.
	ClassStructure
	// ClassValue keywords restrict values ([ValueValidation]).
	ClassValue
	// ClassJunctor keywords combine value validations.
	ClassJunctor
	// ClassExtension keywords are vendor extensions ([Extensions]).
	ClassExtension
)

// Parts are the parts of a node that hold its keywords, without its children.
type Parts struct {
	*structural.Generic
	*structural.Extensions
	// ValueValidation may be nil.
	*structural.ValueValidation
}

// PartsOf returns the parts of a node.
func PartsOf(s *structural.Schema) Parts { return Parts{&s.Generic, &s.Extensions, s.ValueValidation} }

// PartsOfNested returns the parts of a node in a junctor.
func PartsOfNested(n *structural.NestedValueValidation) Parts {
	return Parts{&n.ForbiddenGenerics, &n.ForbiddenExtensions, &n.ValueValidation}
}

// Value returns a pointer to the keyword's field in the model, for example a
// **int64. It returns nil if the node has no such field: for children, for
// unsupported keywords, and for a node without value validations.
func (k *Keyword) Value(p Parts) any {
	if k.value == nil || p.ValueValidation == nil && (k.Class == ClassValue || k.Class == ClassJunctor) {
		return nil
	}
	return k.value(p)
}

// IsSet reports whether the keyword is set in a node. It is false for children
// and for unsupported keywords.
func (k *Keyword) IsSet(p Parts) bool {
	switch value := k.Value(p).(type) {
	case nil:
		return false
	case **int64:
		return *value != nil
	case **float64:
		return *value != nil
	case *string:
		return *value != ""
	case *bool:
		return *value
	default:
		field := reflect.ValueOf(value).Elem()
		return !field.IsZero() && (field.Kind() != reflect.Slice || field.Len() > 0)
	}
}

// Overwrite copies every keyword that is set in src. It needs a value validation if src has one.
func (p Parts) Overwrite(src Parts) {
	for k := range Table() {
		if k.IsSet(src) {
			reflect.ValueOf(k.Value(p)).Elem().Set(reflect.ValueOf(k.Value(src)).Elem())
		}
	}
}

// Table returns all keywords, in the order of JSONSchemaProps. They must not be
// modified. It is meant for code that is not performance-critical: code that
// reads, writes or merges thousands of schemas names each field, and tests
// compare it with the table.
func Table() iter.Seq[*Keyword] {
	return func(yield func(*Keyword) bool) {
		for i := range table {
			if !yield(&table[i]) {
				return
			}
		}
	}
}

// Names returns the names of all keywords, in the order of JSONSchemaProps.
func Names() []string {
	var out []string
	for k := range Table() {
		out = append(out, k.Name)
	}
	return out
}

// Named returns the keyword with the given name, or nil.
func Named(name string) *Keyword {
	for k := range Table() {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Set returns the names of the keywords that are set in p.
func Set(p *apiextensionsv1.JSONSchemaProps) []string {
	var out []string
	for k := range Table() {
		if !k.in(p).IsZero() {
			out = append(out, k.Name)
		}
	}
	return out
}

// Clear removes a keyword and reports whether it was set.
func Clear(p *apiextensionsv1.JSONSchemaProps, keyword string) bool {
	k := Named(keyword)
	if k == nil || k.in(p).IsZero() {
		return false
	}
	k.in(p).SetZero()
	return true
}

// Copy copies every keyword that is set in src to dst.
func Copy(dst, src *apiextensionsv1.JSONSchemaProps) {
	for k := range Table() {
		if value := k.in(src); !value.IsZero() {
			k.in(dst).Set(value)
		}
	}
}

// Changed returns the names of the keywords that are set in b and are not the
// same in a. The keyword of rules is named once for each rule that b has more than a.
func Changed(a, b *apiextensionsv1.JSONSchemaProps) []string {
	var out []string
	for k := range Table() {
		if oldValue, newValue := k.in(a), k.in(b); k.Name == Rules {
			out = append(out, slices.Repeat([]string{k.Name}, max(0, newValue.Len()-oldValue.Len()))...)
		} else if !newValue.IsZero() && !reflect.DeepEqual(oldValue.Interface(), newValue.Interface()) {
			out = append(out, k.Name)
		}
	}
	return out
}

// in returns the keyword's field of p.
func (k *Keyword) in(p *apiextensionsv1.JSONSchemaProps) reflect.Value {
	return reflect.ValueOf(p).Elem().FieldByName(k.Field)
}

// table is the table. A new field of JSONSchemaProps needs a row here; tests
// then fail for each reader and writer that does not handle it.
var table = [...]Keyword{
	{"id", "ID", ClassUnsupported, "", `"a"`, nil},
	{"$schema", "Schema", ClassUnsupported, "", `"a"`, nil},
	{"$ref", "Ref", ClassUnsupported, "", `"#/definitions/a"`, nil},
	{"description", "Description", ClassGeneric, "", `"text"`, func(p Parts) any { return &p.Description }},
	{"type", "Type", ClassGeneric, "", `"string"`, func(p Parts) any { return &p.Type }},
	{"format", "Format", ClassValue, "", `"date"`, func(p Parts) any { return &p.Format }},
	{"title", "Title", ClassGeneric, "", `"text"`, func(p Parts) any { return &p.Title }},
	{"default", "Default", ClassGeneric, "", `{"a": 1}`, func(p Parts) any { return &p.Default }},
	{"maximum", "Maximum", ClassValue, "number", `5`, func(p Parts) any { return &p.Maximum }},
	{"exclusiveMaximum", "ExclusiveMaximum", ClassValue, "", `true`, func(p Parts) any { return &p.ExclusiveMaximum }},
	{"minimum", "Minimum", ClassValue, "number", `5`, func(p Parts) any { return &p.Minimum }},
	{"exclusiveMinimum", "ExclusiveMinimum", ClassValue, "", `true`, func(p Parts) any { return &p.ExclusiveMinimum }},
	{"maxLength", "MaxLength", ClassValue, "string", `5`, func(p Parts) any { return &p.MaxLength }},
	{"minLength", "MinLength", ClassValue, "string", `5`, func(p Parts) any { return &p.MinLength }},
	{"pattern", "Pattern", ClassValue, "string", `"^a"`, func(p Parts) any { return &p.Pattern }},
	{"maxItems", "MaxItems", ClassValue, "array", `5`, func(p Parts) any { return &p.MaxItems }},
	{"minItems", "MinItems", ClassValue, "array", `5`, func(p Parts) any { return &p.MinItems }},
	{"uniqueItems", "UniqueItems", ClassValue, "array", `true`, func(p Parts) any { return &p.UniqueItems }},
	{"multipleOf", "MultipleOf", ClassValue, "number", `5`, func(p Parts) any { return &p.MultipleOf }},
	{"enum", "Enum", ClassValue, "", `["a", 1]`, func(p Parts) any { return &p.Enum }},
	{"maxProperties", "MaxProperties", ClassValue, "object", `5`, func(p Parts) any { return &p.MaxProperties }},
	{"minProperties", "MinProperties", ClassValue, "object", `5`, func(p Parts) any { return &p.MinProperties }},
	{"required", "Required", ClassValue, "object", `["a"]`, func(p Parts) any { return &p.Required }},
	{"items", "Items", ClassStructure, "", `{"type": "string"}`, nil},
	{"allOf", "AllOf", ClassJunctor, "", `[{"minLength": 1}]`, func(p Parts) any { return &p.AllOf }},
	{"oneOf", "OneOf", ClassJunctor, "", `[{"minLength": 1}]`, func(p Parts) any { return &p.OneOf }},
	{"anyOf", "AnyOf", ClassJunctor, "", `[{"minLength": 1}]`, func(p Parts) any { return &p.AnyOf }},
	{"not", "Not", ClassJunctor, "", `{"minLength": 1}`, func(p Parts) any { return &p.Not }},
	{"properties", "Properties", ClassStructure, "", `{"a": {"type": "string"}}`, nil},
	{"additionalProperties", "AdditionalProperties", ClassStructure, "", `{"type": "string"}`, nil},
	{"patternProperties", "PatternProperties", ClassUnsupported, "", `{"^a": {"type": "string"}}`, nil},
	{"dependencies", "Dependencies", ClassUnsupported, "", `{"a": ["b"]}`, nil},
	{"additionalItems", "AdditionalItems", ClassUnsupported, "", `true`, nil},
	{"definitions", "Definitions", ClassUnsupported, "", `{"a": {"type": "string"}}`, nil},
	{"externalDocs", "ExternalDocs", ClassGeneric, "", `{"url": "https://example.com"}`, func(p Parts) any { return &p.ExternalDocs }},
	{"example", "Example", ClassGeneric, "", `{"a": 1}`, func(p Parts) any { return &p.Example }},
	{"nullable", "Nullable", ClassGeneric, "", `true`, func(p Parts) any { return &p.Nullable }},
	{"x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields", ClassExtension, "", `true`, func(p Parts) any { return &p.XPreserveUnknownFields }},
	{"x-kubernetes-embedded-resource", "XEmbeddedResource", ClassExtension, "", `true`, func(p Parts) any { return &p.XEmbeddedResource }},
	{"x-kubernetes-int-or-string", "XIntOrString", ClassExtension, "", `true`, func(p Parts) any { return &p.XIntOrString }},
	{"x-kubernetes-list-map-keys", "XListMapKeys", ClassExtension, "", `["a"]`, func(p Parts) any { return &p.XListMapKeys }},
	{"x-kubernetes-list-type", "XListType", ClassExtension, "", `"atomic"`, func(p Parts) any { return &p.XListType }},
	{"x-kubernetes-map-type", "XMapType", ClassExtension, "", `"atomic"`, func(p Parts) any { return &p.XMapType }},
	{Rules, "XValidations", ClassExtension, "", `[{"rule": "true"}]`, func(p Parts) any { return &p.XValidations }},
}
