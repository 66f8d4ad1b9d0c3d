package apiserver

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// candidate is a list, a map or a string whose size limit may affect the cost of a rule.
type candidate struct {
	// path is relative to the root of the schema.
	path, keyword string
	limit, nested *int64
	// trail leads from the type of the rule's node to the type of this node: names of
	// fields, and "" for elements.
	trail []string
	// factor is the size of one element: CEL counts a character as four bytes.
	factor int64
}

// maxLimit returns the largest limit worth trying.
func (c candidate) maxLimit() int64 {
	if c.limit != nil {
		return *c.limit
	}
	return maxBound
}

// limitOf returns the keyword that limits values of a schema, and its value. ok is false if
// CEL needs no limit for such values, or if the target derives no size from it.
func (t *Target) limitOf(s *apiextensions.JSONSchemaProps) (keyword string, limit *int64, factor int64, ok bool) {
	switch {
	case s.XIntOrString:
		return "maxLength", s.MaxLength, 4, !t.Before(intOrStringSizeMinor)
	case s.Type == "array":
		return "maxItems", s.MaxItems, 1, true
	case s.Type == "object" && s.AdditionalProperties != nil:
		return "maxProperties", s.MaxProperties, 1, true
	case s.Type != "string", s.MaxLength == nil && len(s.Enum) > 0 && !t.Before(enumSizeMinor):
		return "", nil, 0, false
	}
	switch s.Format {
	case "duration", "date", "date-time":
		return "", nil, 0, false
	case "byte":
		return "maxLength", s.MaxLength, 1, true
	}
	return "maxLength", s.MaxLength, 4, true
}

// nestedLimit returns the smallest value of a keyword in the allOf of a schema, or nil.
func nestedLimit(s *apiextensions.JSONSchemaProps, keyword string) *int64 {
	var least *int64
	for i := range s.AllOf {
		branch := &s.AllOf[i]
		limits := []*int64{nestedLimit(branch, keyword)}
		switch keyword {
		case "maxItems":
			limits = append(limits, branch.MaxItems)
		case "maxProperties":
			limits = append(limits, branch.MaxProperties)
		case "maxLength":
			limits = append(limits, branch.MaxLength)
		}
		for _, limit := range limits {
			if limit != nil && (least == nil || *limit < *least) {
				least = limit
			}
		}
	}
	return least
}

// candidatesAround returns the lists and maps that contain a node, the nearest first.
func (t *Target) candidatesAround(n *node, root string) []candidate {
	var out []candidate
	for a := n.parent; a != nil; a = a.parent {
		if a.schema.Type != "array" && a.schema.Type != "object" {
			continue
		}
		if keyword, limit, _, ok := t.limitOf(a.schema); ok {
			out = append(out, candidate{path: strings.TrimPrefix(a.path.String(), root), keyword: keyword,
				limit: limit, nested: nestedLimit(a.schema, keyword)})
		}
	}
	return out
}

// candidatesInside returns the candidates at and below the node that are reached through
// properties named in words.
func (t *Target) candidatesInside(kind *apiservercel.DeclType, n *node, root string, words words) []candidate {
	w := candidateWalk{target: t, words: words}
	w.visit(kind, n.schema, strings.TrimPrefix(n.path.String(), root), nil)
	return w.found
}

type candidateWalk struct {
	target *Target
	words  words
	found  []candidate
}

func (w *candidateWalk) visit(kind *apiservercel.DeclType, s *apiextensions.JSONSchemaProps, path string, trail []string) {
	if kind == nil || s == nil || len(w.found) >= maxCandidates {
		return
	}
	if keyword, limit, factor, ok := w.target.limitOf(s); ok && fits(keyword, kind) {
		w.found = append(w.found, candidate{
			path: path, keyword: keyword, limit: limit, nested: nestedLimit(s,
				keyword), trail: slices.Clone(trail), factor: factor,
		})
	}
	switch {
	case s.XIntOrString:
	case kind.IsList() && s.Items != nil:
		w.visit(kind.ElemType, s.Items.Schema, path+".items", append(trail, ""))
	case kind.IsMap() && s.AdditionalProperties != nil:
		w.visit(kind.ElemType, s.AdditionalProperties.Schema, path+".additionalProperties", append(trail, ""))
	case kind.IsObject():
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			escaped, ok := apiservercel.Escape(name)
			field := kind.Fields[escaped]
			if !ok || field == nil || !w.words.hasField(escaped) {
				continue
			}
			child := s.Properties[name]
			w.visit(field.Type, &child, path+".properties["+name+"]", append(trail, escaped))
		}
	}
}

// fits reports whether the keyword limits values of a type.
func fits(keyword string, kind *apiservercel.DeclType) bool {
	switch keyword {
	case "maxItems":
		return kind.IsList()
	case "maxProperties":
		return kind.IsMap()
	}
	return !kind.IsList() && !kind.IsMap() && !kind.IsObject()
}

func objectType(like *apiservercel.DeclType, fields map[string]*apiservercel.DeclField) *apiservercel.DeclType {
	out := apiservercel.NewObjectType(like.TypeName(), fields)
	out.MinSerializedSize = like.MinSerializedSize
	return out
}

// withLimit returns the type with another limit at the end of the trail.
func withLimit(kind *apiservercel.DeclType, trail []string, limit int64) *apiservercel.DeclType {
	if len(trail) > 0 && kind.IsObject() {
		fields := maps.Clone(kind.Fields)
		field := fields[trail[0]]
		if field == nil {
			return kind
		}
		fields[trail[0]] = apiservercel.NewDeclField(trail[0], withLimit(field.Type, trail[1:], limit), field.Required, nil, nil)
		return objectType(kind, fields)
	}
	elem := kind.ElemType
	elements := kind.MaxElements
	if len(trail) > 0 && elem != nil {
		elem = withLimit(elem, trail[1:], limit)
	} else {
		elements = limit
	}
	switch {
	case kind.IsList():
		return apiservercel.NewListType(elem, elements)
	case kind.IsMap():
		return apiservercel.NewMapType(kind.KeyType, elem, elements)
	}
	out := apiservercel.NewSimpleTypeWithMinSize(kind.TypeName(), kind.CelType(), kind.DefaultValue(), kind.MinSerializedSize)
	out.MaxElements = elements
	return out
}
