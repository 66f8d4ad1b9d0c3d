package fields

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Field is the explanation of a field of a custom resource.
type Field struct {
	// Name is the JSON name, or the kind for the whole object.
	Name string `json:"name"`
	// Path is the path of the requested field, without brackets. It is empty for the whole
	// object and for fields below the requested one.
	Path string `json:"path,omitempty"`
	// Type is the type as kubectl explain prints it, for example "[]Object".
	Type     string `json:"type"`
	Required bool   `json:"required,omitempty"`
	// SchemaPath is the path of the field's schema in the definition, or empty for the
	// standard metadata. Position is the source position of SchemaPath; it is set by
	// whoever reads definitions.
	SchemaPath  string `json:"place,omitempty"`
	Position    string `json:"position,omitempty"`
	Description string `json:"description,omitempty"`
	// Default and Example are JSON.
	Default string `json:"default,omitempty"`
	Example string `json:"example,omitempty"`
	// Enum lists the possible values. A list or map without an enum has the values of its elements.
	Enum []EnumValue `json:"enum,omitempty"`
	// Limits are the other restrictions of the value as text.
	Limits []string `json:"limits,omitempty"`
	// Member is when the field may be set by the unions and modes of the object around it, and what
	// its values decide if it is the discriminator of modes.
	Member string  `json:"member,omitempty"`
	Unions []Union `json:"unions,omitempty"`
	Rules  []Rule  `json:"rules,omitempty"`
	// Fields are the fields of the object, or of the objects in a list or map.
	Fields []*Field `json:"fields,omitempty"`
}

// EnumValue is a possible value of a field.
type EnumValue struct {
	// Value is JSON.
	Value string `json:"value"`
	// Description is the comment of the Go constant with this value. It is empty for definitions
	// that are read from files.
	Description string `json:"description,omitempty"`
}

// String returns the value.
func (v EnumValue) String() string { return v.Value }

// Union is a union of the fields of an object.
type Union struct {
	// Discriminator is empty for a union without one.
	Discriminator string `json:"discriminator,omitempty"`
	// Text describes the union in one sentence.
	Text string `json:"says"`
	// Values are the values of the discriminator, or the members of a union without one.
	Values []UnionValue `json:"values"`
}

// UnionValue is a value of a discriminator with the member that it selects.
type UnionValue struct {
	Value    string `json:"value"`
	Member   string `json:"member,omitempty"`
	Optional bool   `json:"optional,omitempty"`
}

// Rule is a CEL rule.
type Rule struct {
	// Text is the message, or a sentence about the rule.
	Text string `json:"says"`
	Rule string `json:"rule"`
}

// Object is the schema of a custom resource.
type Object struct {
	Kind   string
	Schema *structural.Schema
	// Path is the path of the schema in the definition.
	Path string
}

// OneLevel and AllLevels are numbers of levels for [Object.Explain].
const (
	OneLevel  = 1
	AllLevels = math.MaxInt
)

// Explain explains a field and a number of levels of fields below it. The path is like that of kubectl explain, "spec.layers.fill"; anything in
// brackets is ignored, and the empty path is the whole object. It returns an error that
// names the nearest field if the field does not exist.
func (o Object) Explain(path string, levels int) (*Field, error) {
	place := node{schema: WithMeta(o.Schema), path: o.Path, name: o.Kind, meta: true}
	walked := o.Kind // for messages
	for rest := withoutBrackets(path); rest != ""; {
		next, tail, err := place.step(rest, walked)
		if err != nil {
			return nil, err
		}
		walked += "." + next.name
		place = next
		rest = tail
	}
	out := place.field(levels)
	out.Path = strings.TrimPrefix(strings.TrimPrefix(walked, o.Kind), ".")
	return out, nil
}

func withoutBrackets(path string) string {
	var b strings.Builder
	depth := 0
	for _, c := range path {
		switch {
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	return strings.Trim(b.String(), ".")
}

// node is a schema on a path.
type node struct {
	name     string
	schema   *structural.Schema
	path     string
	required bool
	// meta is set if the fields that every object has were added to the schema.
	meta bool
	// standard is set for the schema of the standard metadata, which is not in the definition.
	standard bool
}

// object returns the node with the fields: that of the elements of a list or map.
func (n node) object() node {
	for {
		switch a := n.schema.AdditionalProperties; {
		case n.schema.Items != nil:
			n.schema = n.schema.Items
			n.path = n.path + ".items"
		case a != nil && a.Schema != nil:
			n.schema = a.Schema
			n.path = n.path + ".additionalProperties"
		default:
			if n.schema.XEmbeddedResource {
				n.schema = WithMeta(n.schema)
				n.meta = true
			}
			return n
		}
	}
}

// children returns the fields, in the order of the schema.
func (n node) children() []node {
	object := n.object()
	var out []node
	for _, p := range object.schema.Properties {
		child := node{name: p.Name, schema: p.Schema, path: object.path + ".properties[" + p.Name + "]", standard: object.standard}
		child.required = object.schema.Requires(p.Name)
		if object.meta && slices.Contains(MetaFields(), p.Name) {
			child.standard = true
		}
		out = append(out, child)
	}
	return out
}

// step takes the first name of a path; if several names fit, the longest.
func (n node) step(path, walked string) (node, string, error) {
	children := n.children()
	var best node
	var names []string
	for _, c := range children {
		names = append(names, c.name)
		rest, fits := strings.CutPrefix(path, c.name)
		if fits && (rest == "" || rest[0] == '.') && (best.schema == nil || len(c.name) > len(best.name)) {
			best = c
		}
	}
	if best.schema == nil {
		name, _, _ := strings.Cut(path, ".")
		if len(children) == 0 {
			return node{}, "", fmt.Errorf("%s has no field %s: its type %s has no fields", walked, name, typeOf(n.schema))
		}
		return node{}, "", fmt.Errorf("%s has no field %s%s", walked, name, words.Suggestion(name, names))
	}
	return best, strings.TrimPrefix(path[len(best.name):], "."), nil
}

// field explains the node. levels is the number of levels of fields to include.
func (n node) field(levels int) *Field {
	s := n.schema
	out := &Field{Name: n.name, Type: typeOf(s), Required: n.required, Description: s.Description, Limits: limits(s)}
	if !n.standard {
		out.SchemaPath = n.path
	}
	if s.Default != nil {
		out.Default = string(s.Default.Raw)
	}
	if s.Example != nil {
		out.Example = string(s.Example.Raw)
	}
	for level := s; level != nil && out.Enum == nil; level = elementOf(level) {
		out.Enum = enumOf(level)
	}
	object := n.object()
	found := unions.Of(object.schema)
	for _, u := range found {
		out.Unions = append(out.Unions, DescribeUnion(u))
	}
	for level := s; ; {
		for _, rule := range level.XValidations {
			if !IsUnionRule(found, rule) {
				out.Rules = append(out.Rules, DescribeRule(rule))
			}
		}
		level = elementOf(level)
		if level == nil {
			break
		}
	}
	if levels > 0 {
		for _, child := range n.children() {
			field := child.field(levels - 1)
			field.Member = Presence(object.schema, child.name)
			out.Fields = append(out.Fields, field)
		}
	}
	return out
}

func elementOf(s *structural.Schema) *structural.Schema {
	switch a := s.AdditionalProperties; {
	case s.Items != nil:
		return s.Items
	case a != nil && a.Schema != nil:
		return a.Schema
	}
	return nil
}

// Each calls do for the field and all fields below it.
func (f *Field) Each(do func(*Field)) {
	do(f)
	for _, child := range f.Fields {
		child.Each(do)
	}
}

// Row is a field in a flat list of fields.
type Row struct {
	*Field
	// Path is the path of the field below that of the list, such as spec.replicas.
	Path string
	// Depth is the number of fields around this one.
	Depth int
}

// Rows returns all fields below the field, each before the fields in it. There are none below nil.
func (f *Field) Rows() []Row {
	var out []Row
	var add func(f *Field, prefix string, depth int)
	add = func(f *Field, prefix string, depth int) {
		for _, child := range f.Fields {
			out = append(out, Row{Field: child, Path: prefix + child.Name, Depth: depth})
			add(child, prefix+child.Name+".", depth+1)
		}
	}
	if f != nil {
		add(f, "", 0)
	}
	return out
}

// MetaFields returns the names of the fields that every object has.
func MetaFields() []string { return []string{"apiVersion", "kind", "metadata"} }

// WithMeta returns a schema with the standard fields, in the order of [MetaFields], before the other fields.
func WithMeta(s *structural.Schema) *structural.Schema {
	out := *s
	docs := metav1.TypeMeta{}.SwaggerDoc()
	metadata := structural.ObjectMeta()
	describe(metadata, metav1.ObjectMeta{}.SwaggerDoc())
	for _, p := range metadata.Properties {
		switch p.Name {
		case "ownerReferences":
			describe(p.Schema.Items, metav1.OwnerReference{}.SwaggerDoc())
		case "managedFields":
			describe(p.Schema.Items, metav1.ManagedFieldsEntry{}.SwaggerDoc())
		}
	}
	metadata.Description = metav1.PartialObjectMetadata{}.SwaggerDoc()["metadata"]
	out.Properties = []structural.Property{
		{Name: "apiVersion", Schema: text(docs["apiVersion"])},
		{Name: "kind", Schema: text(docs["kind"])},
		{Name: "metadata", Schema: metadata},
	}
	for _, p := range s.Properties {
		if !slices.Contains(MetaFields(), p.Name) {
			out.Properties = append(out.Properties, p)
		}
	}
	return &out
}

func text(description string) *structural.Schema {
	return &structural.Schema{Generic: structural.Generic{Type: "string", Description: description}}
}

func describe(s *structural.Schema, docs map[string]string) {
	for _, p := range s.Properties {
		p.Schema.Description = cmp.Or(p.Schema.Description, docs[p.Name])
	}
}
