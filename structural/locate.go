package structural

import (
	"go/token"
	"strconv"
	"strings"
)

// Locate follows a path below a schema as the API server prints it, for example
// ".properties[spec].items.x-kubernetes-validations[0].rule", and returns the
// places on its way, outermost first: those of the nodes, and at last that of the
// keyword. It stops where the schema does.
func (s *Schema) Locate(path string) []token.Pos {
	places := []token.Pos{s.Origin.Pos}
	var parent *Schema
	for {
		child, rest := s.step(path)
		if child == nil {
			break
		}
		parent, s, path = s, child, rest
		places = append(places, s.Origin.Pos)
	}
	if keyword := firstStep(path); keyword != "" {
		index := 0
		if rest, ok := strings.CutPrefix(path, ".x-kubernetes-validations["); ok {
			number, _, _ := strings.Cut(rest, "]")
			index, _ = strconv.Atoi(number) // the server writes numbers
		}
		if keyword == "x-kubernetes-map-type" && parent != nil && s == parent.Items && parent.XListType != "" {
			// It is wanted because of what the list is.
			return append(places, parent.Origin.Of("x-kubernetes-list-type"))
		}
		places = append(places, s.Origin.nth(keyword, index))
	}
	return places
}

// step takes the first step of a path to a child, nil if it is none. Names of
// properties may have brackets and dots.
func (s *Schema) step(path string) (child *Schema, rest string) {
	if rest, ok := strings.CutPrefix(path, ".properties["); ok {
		for _, p := range s.Properties {
			if after, ok := strings.CutPrefix(rest, p.Name+"]"); ok && isStepEnd(after) {
				return p.Schema, after
			}
		}
		return nil, path
	}
	if rest, ok := strings.CutPrefix(path, ".items"); ok && isStepEnd(rest) {
		return s.Items, rest
	}
	if rest, ok := strings.CutPrefix(path, ".additionalProperties"); ok && isStepEnd(rest) && s.AdditionalProperties != nil {
		return s.AdditionalProperties.Schema, rest
	}
	return nil, path
}

// firstStep returns the keyword that a path begins with.
func firstStep(path string) string {
	path = strings.TrimPrefix(path, ".")
	if i := strings.IndexAny(path, ".["); i >= 0 {
		path = path[:i]
	}
	return path
}

// nth returns the place of the n-th value of a keyword that has several, each
// with a place of its own, or else of the keyword.
func (o Origin) nth(keyword string, n int) token.Pos {
	for _, k := range o.Keywords {
		if k.Keyword != keyword {
			continue
		}
		if n == 0 {
			return k.Pos
		}
		n--
	}
	return o.Of(keyword)
}
