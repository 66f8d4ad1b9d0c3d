package structural

import (
	"slices"
	"testing"
)

func TestChildren(t *testing.T) {
	leaf := func(title string) *Schema { return &Schema{Generic: Generic{Title: title}} }
	all := &Schema{
		Properties:           []Property{{"b", leaf("b")}, {"a", leaf("a")}},
		Items:                leaf("items"),
		AdditionalProperties: &SchemaOrBool{Schema: leaf("values")},
	}
	for name, c := range map[string]struct {
		schema *Schema
		want   []string
	}{
		"nil":     {nil, nil},
		"none":    {&Schema{AdditionalProperties: &SchemaOrBool{Bool: true}}, nil},
		"missing": {&Schema{Properties: []Property{{Name: "a"}}}, nil},
		"all":     {all, []string{".properties[b] b", ".properties[a] a", ".items items", ".additionalProperties values"}},
	} {
		var got []string
		for edge, child := range c.schema.Children() {
			got = append(got, (*Path)(nil).Edge(edge).String()+" "+child.Title)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q", name, got)
		}
		for stop := range c.want {
			n := 0
			for range c.schema.Children() {
				if n++; n > stop {
					break
				}
			}
			if n != stop+1 {
				t.Errorf("%s: %d children after a break at %d", name, n, stop+1)
			}
		}
	}
	root := &Schema{Generic: Generic{Title: "root"}, Items: all}
	for _, title := range []string{"root", "a", "b", "items", "values"} {
		if !root.Contains(func(s *Schema) bool { return s.Title == title }) {
			t.Errorf("%s is not found", title)
		}
	}
	if root.Contains(func(s *Schema) bool { return s.Title == "none" }) || (*Schema)(nil).Contains(func(*Schema) bool { return true }) {
		t.Error("a schema that does not exist is found")
	}
	if n := testing.AllocsPerRun(100, func() {
		for range all.Children() {
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
