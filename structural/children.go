package structural

import "iter"

// Edge leads from a schema to one directly below it.
type Edge struct {
	// Keyword is "properties", "items" or "additionalProperties".
	Keyword string
	// Property is the name of the property. It is empty for the other keywords.
	Property string
}

// Edge returns the path of the schema to which an edge leads from the node at p.
func (p *Path) Edge(e Edge) *Path {
	if e.Keyword == "properties" {
		return p.Property(e.Property)
	}
	return p.Child(e.Keyword)
}

// Children iterates over the schemas directly below a schema, outside of junctors: the properties
// in their order, the items, the additionalProperties. A nil schema has none.
func (s *Schema) Children() iter.Seq2[Edge, *Schema] {
	return func(yield func(Edge, *Schema) bool) {
		if s == nil {
			return
		}
		for _, p := range s.Properties {
			if p.Schema != nil && !yield(Edge{Keyword: "properties", Property: p.Name}, p.Schema) {
				return
			}
		}
		if s.Items != nil && !yield(Edge{Keyword: "items"}, s.Items) {
			return
		}
		if a := s.AdditionalProperties; a != nil && a.Schema != nil {
			yield(Edge{Keyword: "additionalProperties"}, a.Schema)
		}
	}
}

// All iterates over a schema and all schemas below it, outside of junctors, each after the one that
// contains it, with its path. A nil schema has none.
func (s *Schema) All() iter.Seq2[*Path, *Schema] {
	return func(yield func(*Path, *Schema) bool) { s.all(nil, yield) }
}

func (s *Schema) all(path *Path, yield func(*Path, *Schema) bool) bool {
	if s == nil {
		return true
	}
	if !yield(path, s) {
		return false
	}
	for edge, child := range s.Children() {
		if !child.all(path.Edge(edge), yield) {
			return false
		}
	}
	return true
}

// Contains reports whether the predicate holds for a schema or one below it, outside of junctors.
// It is false for a nil schema.
func (s *Schema) Contains(holds func(*Schema) bool) bool {
	if s == nil {
		return false
	}
	if holds(s) {
		return true
	}
	for _, child := range s.Children() {
		if child.Contains(holds) {
			return true
		}
	}
	return false
}
