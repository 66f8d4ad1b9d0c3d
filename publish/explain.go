package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Field is what there is to say about a field of a custom resource.
type Field struct {
	// Name is the JSON name, for the whole object its kind.
	Name string `json:"name"`
	// Path leads to the field that was asked for, without brackets; it is empty for
	// the whole object and for the fields below.
	Path string `json:"path,omitempty"`
	// Type is what kubectl explain calls it, for example "[]Object".
	Type     string `json:"type"`
	Required bool   `json:"required,omitempty"`
	// Place is where the definition has the schema of the field, empty for the
	// metadata that all objects have. Position is that of Place as a reader knows
	// it; who reads definitions fills it in.
	Place       string `json:"place,omitempty"`
	Position    string `json:"position,omitempty"`
	Description string `json:"description,omitempty"`
	// Default and Enum are JSON texts.
	Default string   `json:"default,omitempty"`
	Enum    []string `json:"enum,omitempty"`
	// Limits are the other restrictions of the value, in words.
	Limits []string  `json:"limits,omitempty"`
	Unions []OfUnion `json:"unions,omitempty"`
	Rules  []OfRule  `json:"rules,omitempty"`
	// Fields are those of the object, or of the objects in a list or map.
	Fields []*Field `json:"fields,omitempty"`
}

// OfUnion is a union of the fields of an object.
type OfUnion struct {
	// Discriminator is empty where members are counted.
	Discriminator string `json:"discriminator,omitempty"`
	// Says is the rule in one sentence.
	Says string `json:"says"`
	// Values are those of the discriminator; without one, members without values.
	Values []OfValue `json:"values"`
}

// OfValue is a value of a discriminator with the member that it selects.
type OfValue struct {
	Value    string `json:"value"`
	Member   string `json:"member,omitempty"`
	Optional bool   `json:"optional,omitempty"`
}

// OfRule is a CEL rule.
type OfRule struct {
	// Says is the message, or the rule itself in a sentence.
	Says string `json:"says"`
	Rule string `json:"rule"`
}

// Find returns the resource that a name means: its kind, plural, singular or one
// of its short names, whatever its case. apiVersion is a version, a group with a
// version, or empty for the version that kubectl prefers.
func Find(resources []*Resource, name, apiVersion string) (*Resource, error) {
	var named, found []*Resource
	var names []string
	for _, r := range resources {
		own := append([]string{r.Kind, r.Singular, r.Plural}, r.ShortNames...)
		names = append(names, own...)
		if !slices.ContainsFunc(own, func(n string) bool { return strings.EqualFold(n, name) }) {
			continue
		}
		named = append(named, r)
		if apiVersion == "" || apiVersion == r.Version || apiVersion == r.GroupVersion() {
			found = append(found, r)
		}
	}
	switch {
	case len(named) == 0:
		return nil, fmt.Errorf("there is no kind or resource %s%s", name, hint(name, names))
	case len(found) == 0:
		return nil, fmt.Errorf("%s is not served in %s: there is %s", name, apiVersion, groupVersionsOf(named))
	}
	first := found[0]
	for _, r := range found[1:] {
		if r.Group != first.Group || r.Kind != first.Kind {
			return nil, fmt.Errorf("%s is in more than one group: say --api-version %s", name, groupVersionsOf(found))
		}
	}
	slices.SortStableFunc(found, func(a, b *Resource) int { return version.CompareKubeAwareVersionStrings(b.Version, a.Version) })
	return found[0], nil
}

func groupVersionsOf(resources []*Resource) string {
	var out []string
	for _, r := range resources {
		out = append(out, r.GroupVersion())
	}
	return strings.Join(out, " or ")
}

func hint(word string, candidates []string) string {
	if near, ok := diag.Nearest(word, candidates); ok {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Explain says what there is to say about a field and those below it: one level,
// or all of them. The path is like kubectl explain's, "spec.layers.fill"; what
// stands in brackets is not looked at, and the empty path is the whole object. A
// field that there is not is an error, which names the nearest one.
func Explain(r *Resource, path string, recursive bool) (*Field, error) {
	if r.Schema == nil {
		because := "its definition has none"
		if r.Refused != nil {
			because = r.Refused.Reason
		}
		return nil, fmt.Errorf("%s %s has no schema that could be explained: %s", r.Kind, r.GroupVersion(), because)
	}
	at := node{schema: withMeta(r.Schema), place: r.Path, name: r.Kind, meta: true}
	walked := r.Kind // for messages
	for rest := withoutBrackets(path); rest != ""; {
		next, after, err := at.step(rest, walked)
		if err != nil {
			return nil, err
		}
		walked += "." + next.name
		at, rest = next, after
	}
	out := at.field(1, recursive)
	out.Path = strings.TrimPrefix(strings.TrimPrefix(walked, r.Kind), ".")
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

// node is a schema on the way.
type node struct {
	name     string
	schema   *structural.Schema
	place    string
	required bool
	// meta: the schema has been given the fields that every object has.
	meta bool
	// everywhere: the schema is that of all objects, which no definition has.
	everywhere bool
}

// object is the node that has the fields: that of the elements of a list or map.
func (n node) object() node {
	for {
		switch a := n.schema.AdditionalProperties; {
		case n.schema.Items != nil:
			n.schema, n.place = n.schema.Items, n.place+".items"
		case a != nil && a.Schema != nil:
			n.schema, n.place = a.Schema, n.place+".additionalProperties"
		default:
			if n.schema.XEmbeddedResource {
				n.schema, n.meta = withMeta(n.schema), true
			}
			return n
		}
	}
}

// children are the fields, in the order of the schema.
func (n node) children() []node {
	of := n.object()
	var out []node
	for _, p := range of.schema.Properties {
		child := node{name: p.Name, schema: p.Schema, place: of.place + ".properties[" + p.Name + "]", everywhere: of.everywhere}
		child.required = of.schema.ValueValidation != nil && slices.Contains(of.schema.Required, p.Name)
		if of.meta && slices.Contains(metaFields[:], p.Name) {
			child.everywhere = true
		}
		out = append(out, child)
	}
	return out
}

// step takes the first name of a path; of several that fit, the longest.
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
			return node{}, "", fmt.Errorf("%s has no field %s: it is %s and has no fields", walked, name, typeOf(n.schema))
		}
		return node{}, "", fmt.Errorf("%s has no field %s%s", walked, name, hint(name, names))
	}
	return best, strings.TrimPrefix(path[len(best.name):], "."), nil
}

// field says what there is to say. levels is how many levels of fields follow.
func (n node) field(levels int, recursive bool) *Field {
	s := n.schema
	out := &Field{Name: n.name, Type: typeOf(s), Required: n.required, Description: s.Description, Limits: limits(s)}
	if !n.everywhere {
		out.Place = n.place
	}
	if s.Default != nil {
		out.Default = string(s.Default.Raw)
	}
	if s.ValueValidation != nil {
		for _, value := range s.Enum {
			out.Enum = append(out.Enum, string(value.Raw))
		}
	}
	of := n.object()
	found := unions.Of(of.schema)
	for _, u := range found {
		out.Unions = append(out.Unions, sayUnion(u))
	}
	for level := s; ; {
		for _, rule := range level.XValidations {
			if !saidByUnion(found, rule) {
				out.Rules = append(out.Rules, sayRule(rule))
			}
		}
		if level = elementOf(level); level == nil {
			break
		}
	}
	if levels > 0 || recursive {
		for _, child := range n.children() {
			out.Fields = append(out.Fields, child.field(levels-1, recursive))
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

// Each calls do for the field and all below it.
func (f *Field) Each(do func(*Field)) {
	do(f)
	for _, child := range f.Fields {
		child.Each(do)
	}
}

// metaFields are the fields that every object has.
var metaFields = [...]string{"apiVersion", "kind", "metadata"}

// withMeta specifies what the server does for every object, in front of the other
// fields.
func withMeta(s *structural.Schema) *structural.Schema {
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
		if !slices.Contains(metaFields[:], p.Name) {
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
