package conversions

import (
	"slices"

	"github.com/schemagen/schemagen/structural"
)

// uncheckedKeywords returns the keywords of a schema, which may be nil, that kept values are not checked against.
func uncheckedKeywords(s *structural.Schema) (found []string) {
	collectUnchecked(s, &found, 0)
	return found
}

// collectUnchecked adds the keywords of a schema that kept values are not checked against.
func collectUnchecked(s *structural.Schema, target *[]string, depth int) {
	if s == nil || depth > 20 {
		return
	}
	add := func(name string, has bool) {
		if has && !slices.Contains(*target, name) {
			*target = append(*target, name)
		}
	}
	add("CEL rules", len(s.XValidations) > 0)
	if v := s.ValueValidation; v != nil {
		add("format", v.Format != "" && v.Format != "date-time" && s.Type == "string")
		add("multipleOf", v.MultipleOf != nil)
		add("uniqueItems", v.UniqueItems)
		add("allOf", len(v.AllOf) > 0)
		add("anyOf", len(v.AnyOf) > 0 && !s.XIntOrString)
		add("oneOf", len(v.OneOf) > 0)
		add("not", v.Not != nil)
	}
	for _, child := range s.Children() {
		collectUnchecked(child, target, depth+1)
	}
}
