package structural

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// Skeleton is the skeleton schema of a schema (KEP "Pruning for Custom Resources",
// Definition: skeleton schema): its fields and types, with logical junctors merged
// into the nodes that contain them. The schema need not be structural.
type Skeleton struct {
	// Type is empty unless all merged schemas have the same type.
	Type string
	// Sources are the schemas that were merged, outermost first.
	Sources []SkeletonSource
	// Nullable and PreservesUnknownFields are set if any merged schema sets
	// them. The KEP calls the second one x-kubernetes-no-prune and does not
	// mention the first one, which widens the type.
	Nullable               bool
	PreservesUnknownFields bool
	// Properties are sorted by name, PatternProperties by pattern.
	Properties        []SkeletonProperty
	PatternProperties []SkeletonPattern
	// AdditionalProperties is an empty skeleton if anything is allowed, and nil
	// if nothing is: forbidden properties are not specified.
	AdditionalProperties *Skeleton
	// Items are the skeletons of the elements of a list by index.
	Items []*Skeleton
	// AdditionalItems is the skeleton of the elements beyond Items, or of all
	// elements if items is a single schema.
	AdditionalItems *Skeleton
}

// SkeletonSource is a schema that was merged into a node of a [Skeleton].
type SkeletonSource struct {
	// Path is its path below the schema of which it is the skeleton.
	Path *Path
	// Type is the type that it has there, which the node has only if all sources agree.
	Type string
}

// SkeletonProperty is one named field of a [Skeleton].
type SkeletonProperty struct {
	Name     string
	Skeleton *Skeleton
}

// SkeletonPattern is the skeleton of all fields whose names match a pattern.
type SkeletonPattern struct {
	Pattern  *regexp.Regexp
	Skeleton *Skeleton
}

// At returns the schemas that specify the value at a path of an object, outermost first.
func (s *Skeleton) At(path *ObjectPath) []SkeletonSource {
	skeletons := []*Skeleton{s}
	for _, step := range path.Steps() {
		if step.Index >= 0 {
			skeletons = ofElement(skeletons, step.Index, false)
		} else {
			skeletons = ofField(skeletons, step.Field, false)
		}
	}
	var out []SkeletonSource
	for _, b := range skeletons {
		out = append(out, b.Sources...)
	}
	return out
}

// Skel returns the skeleton of a schema: skel and merge of the KEP in one pass that
// visits each node once. It returns an error if a pattern of patternProperties is
// not a valid Go regular expression. nil has an empty skeleton, which specifies
// nothing.
//
// By the KEP, a type is kept if all merged schemas agree on it: a schema without a
// type does not agree.
func Skel(p *apiextensionsv1.JSONSchemaProps) (*Skeleton, error) {
	if p == nil {
		return &Skeleton{}, nil
	}
	return mergeSkeleton([]placedProps{{p, nil}})
}

// placedProps is a schema with its path.
type placedProps struct {
	*apiextensionsv1.JSONSchemaProps
	path *Path
}

// namedProps is a schema with the name or the pattern of its field.
type namedProps struct {
	name  string
	props placedProps
}

// mergeSkeleton returns the skeleton of schemas of the same value. merge is
// associative, so junctors can be flattened beforehand.
func mergeSkeleton(nodes []placedProps) (*Skeleton, error) {
	for i := 0; i < len(nodes); i++ { // the loop appends junctors
		nodes = appendJunctors(nodes, nodes[i])
	}
	out := &Skeleton{Type: nodes[0].Type}
	var properties, patterns []namedProps
	var byIndex [][]placedProps
	var values, elements []placedProps
	for _, n := range nodes {
		if n.Type != nodes[0].Type {
			out.Type = ""
		}
		out.Sources = append(out.Sources, SkeletonSource{n.path, n.Type})
		out.Nullable = out.Nullable || n.Nullable
		out.PreservesUnknownFields = out.PreservesUnknownFields || n.XPreserveUnknownFields != nil && *n.XPreserveUnknownFields
		properties = appendNamed(properties, n.Properties, n.path, "properties")
		patterns = appendNamed(patterns, n.PatternProperties, n.path, "patternProperties")
		if a := n.AdditionalProperties; a != nil && (a.Schema != nil || a.Allows) {
			values = append(values, placedProps{orEmpty(a.Schema), n.path.Child("additionalProperties")})
		}
		if n.Items != nil {
			for i := range n.Items.JSONSchemas {
				if i == len(byIndex) {
					byIndex = append(byIndex, nil)
				}
				byIndex[i] = append(byIndex[i], placedProps{&n.Items.JSONSchemas[i], n.path.Index("items", i)})
			}
			if n.Items.Schema != nil {
				elements = append(elements, placedProps{n.Items.Schema, n.path.Child("items")})
			}
		}
		if a := n.AdditionalItems; a != nil && a.Schema != nil {
			elements = append(elements, placedProps{a.Schema, n.path.Child("additionalItems")})
		}
	}
	err := eachGroup(properties, func(name string, group []placedProps) error {
		child, err := mergeSkeleton(group)
		out.Properties = append(out.Properties, SkeletonProperty{name, child})
		return err
	})
	if err != nil {
		return nil, err
	}
	err = eachGroup(patterns, func(pattern string, group []placedProps) error {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return fmt.Errorf("patternProperties: %w", err)
		}
		child, err := mergeSkeleton(group)
		out.PatternProperties = append(out.PatternProperties, SkeletonPattern{compiled, child})
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, group := range byIndex {
		child, err := mergeSkeleton(group)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, child)
	}
	if values != nil {
		out.AdditionalProperties, err = mergeSkeleton(values)
		if err != nil {
			return nil, err
		}
	}
	if elements != nil {
		out.AdditionalItems, err = mergeSkeleton(elements)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// appendJunctors appends the schemas directly below the junctors of p.
func appendJunctors(list []placedProps, p placedProps) []placedProps {
	for _, junctor := range []struct {
		keyword string
		schemas []apiextensionsv1.JSONSchemaProps
	}{{"allOf", p.AllOf}, {"anyOf", p.AnyOf}, {"oneOf", p.OneOf}} {
		for i := range junctor.schemas {
			list = append(list, placedProps{&junctor.schemas[i], p.path.Index(junctor.keyword, i)})
		}
	}
	if p.Not != nil {
		list = append(list, placedProps{p.Not, p.path.Child("not")})
	}
	return list
}

func appendNamed(list []namedProps, schemas map[string]apiextensionsv1.JSONSchemaProps, path *Path,
	keyword string) []namedProps {
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		child := schemas[name]
		location := path.Property(name)
		location.keyword = keyword
		list = append(list, namedProps{name, placedProps{&child, location}})
	}
	return list
}

func orEmpty(p *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if p == nil {
		return &apiextensionsv1.JSONSchemaProps{}
	}
	return p
}

// eachGroup calls f for the schemas of each name, in the order of the names.
func eachGroup(list []namedProps, f func(name string, group []placedProps) error) error {
	slices.SortStableFunc(list, func(a, b namedProps) int { return cmp.Compare(a.name, b.name) })
	for len(list) > 0 {
		var group []placedProps
		for _, n := range list {
			if n.name != list[0].name {
				break
			}
			group = append(group, n.props)
		}
		if err := f(list[0].name, group); err != nil {
			return err
		}
		list = list[len(group):]
	}
	return nil
}

// PruneSkeleton removes the fields of an object that a skeleton does not specify,
// in place, and returns the paths of the removed fields, sorted by their text (KEP
// "Pruning for Custom Resources", pruning option 1). The API server's [Prune]
// evolved from it and requires structural schemas; PruneSkeleton handles all
// schemas. It does not treat metadata specially: apiVersion, kind and metadata are
// ordinary fields. nil specifies nothing.
//
// merge loses the information to which properties additionalProperties and
// patternProperties belonged, and which items were single schemas. To keep every
// field that the schema specifies, additionalProperties also specify what is below
// named fields, and additionalItems what is below elements with their own items;
// but a field that only they would specify is kept if unknown fields are preserved.
// That matters only if the KEP's Restriction 1 is violated or if items are lists.
func PruneSkeleton(s *Skeleton, object map[string]any) []*ObjectPath {
	p := skeletonPruner{}
	var skeletons []*Skeleton
	if s != nil {
		skeletons = append(skeletons, s)
	}
	p.value(object, skeletons, skeletons, false)
	return sortPaths(p.removed)
}

type skeletonPruner struct {
	trail
	removed []*ObjectPath
}

// value prunes a value by all skeletons that may specify it, of which certain
// definitely do. preserves reports whether an enclosing list preserves unknown fields.
func (p *skeletonPruner) value(value any, certain, all []*Skeleton, preserves bool) {
	for _, s := range all {
		preserves = preserves || s.PreservesUnknownFields
	}
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			surely := ofField(certain, name, true)
			perhaps := ofField(all, name, false)
			switch {
			case len(surely) > 0, len(perhaps) > 0 && !preserves:
				mark := len(p.open)
				p.value(field, surely, perhaps, false)
				p.back(mark, fieldStep(name))
			case !preserves:
				p.removed = append(p.removed, p.note(fieldStep(name)))
				delete(value, name)
			}
		}
	case []any:
		for i, element := range value {
			mark := len(p.open)
			p.value(element, ofElement(certain, i, true), ofElement(all, i, false), preserves)
			p.back(mark, elementStep(i))
		}
	}
}

// ofField returns the skeletons that specify a field. If strictly is true,
// additionalProperties count only if nothing else specifies it.
func ofField(skeletons []*Skeleton, name string, strictly bool) []*Skeleton {
	var out []*Skeleton
	for _, s := range skeletons {
		start := len(out)
		if i, found := slices.BinarySearchFunc(s.Properties, name,
			func(p SkeletonProperty, name string) int { return cmp.Compare(p.Name, name) }); found {
			out = append(out, s.Properties[i].Skeleton)
		}
		for _, p := range s.PatternProperties {
			if p.Pattern.MatchString(name) {
				out = append(out, p.Skeleton)
			}
		}
		if s.AdditionalProperties != nil && !(strictly && len(out) > start) {
			out = append(out, s.AdditionalProperties)
		}
	}
	return out
}

// ofElement returns the skeletons that specify an element. If strictly is true,
// additionalItems count only beyond items.
func ofElement(skeletons []*Skeleton, i int, strictly bool) []*Skeleton {
	var out []*Skeleton
	for _, s := range skeletons {
		if i < len(s.Items) {
			out = append(out, s.Items[i])
		}
		if s.AdditionalItems != nil && !(strictly && i < len(s.Items)) {
			out = append(out, s.AdditionalItems)
		}
	}
	return out
}

// String renders the skeleton like the KEP, as indented JSON: a schema that has the
// same skeleton.
func (s *Skeleton) String() string {
	var b strings.Builder
	s.write(&b, "")
	return b.String()
}

func (s *Skeleton) write(b *strings.Builder, indent string) {
	separator := "{"
	key := func(name string) {
		b.WriteString(separator + plainjson.Text(name) + ": ")
		separator = ", "
	}
	if s.Type != "" {
		key("type")
		b.WriteString(plainjson.Text(s.Type))
	}
	if s.Nullable {
		key("nullable")
		b.WriteString("true")
	}
	if s.PreservesUnknownFields {
		key("x-kubernetes-preserve-unknown-fields")
		b.WriteString("true")
	}
	childPath := indent + "  "
	fields := func(keyword string, n int, location func(i int) (string, *Skeleton)) {
		if n == 0 {
			return
		}
		key(keyword)
		for i := range n {
			name, child := location(i)
			b.WriteString([]string{"{\n", ",\n"}[min(i, 1)] + childPath + plainjson.Text(name) + ": ")
			child.write(b, childPath)
		}
		b.WriteString("\n" + indent + "}")
	}
	fields("properties", len(s.Properties), func(i int) (string, *Skeleton) { return s.Properties[i].Name, s.Properties[i].Skeleton })
	fields("patternProperties", len(s.PatternProperties), func(i int) (string, *Skeleton) {
		return s.PatternProperties[i].Pattern.String(), s.PatternProperties[i].Skeleton
	})
	if s.AdditionalProperties != nil {
		key("additionalProperties")
		s.AdditionalProperties.write(b, indent)
	}
	rest := "items"
	if len(s.Items) > 0 {
		rest = "additionalItems"
		key("items")
		for i, child := range s.Items {
			b.WriteString([]string{"[\n", ",\n"}[min(i, 1)] + childPath)
			child.write(b, childPath)
		}
		b.WriteString("\n" + indent + "]")
	}
	if s.AdditionalItems != nil {
		key(rest)
		s.AdditionalItems.write(b, indent)
	}
	if separator == "{" {
		b.WriteString("{")
	}
	b.WriteString("}")
}
