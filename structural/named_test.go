package structural

import (
	"fmt"
	"testing"
)

// TestNamed compares what is found in schemas of all sizes with the result of a scan.
func TestNamed(t *testing.T) {
	for _, rest := range []*SchemaOrBool{nil, {Bool: true}, {Schema: &Schema{}}} {
		for size := range 2 * manyNames {
			s := &Schema{AdditionalProperties: rest}
			for i := range size {
				s.Properties = append(s.Properties, Property{Name: fmt.Sprint(i), Schema: &Schema{}})
			}
			for _, names := range []int{0, manyNames - 1, manyNames, 100} {
				n := s.named(names)
				if indexed := n.byName != nil; indexed != (names >= manyNames && size >= manyNames) {
					t.Errorf("%d names of %d properties: indexed is %t", names, size, indexed)
				}
				for i := -1; i <= size; i++ {
					name := fmt.Sprint(i)
					child, specified := n.field(name)
					wantChild, wantSpecified := s.field(name)
					if child != wantChild || specified != wantSpecified || n.property(name) != s.Property(name) {
						t.Errorf("%d names of %d properties: %s differs from a scan", names, size, name)
					}
				}
			}
		}
	}
	var none *Schema
	if child, specified := none.named(100).field("a"); child != nil || specified {
		t.Error("no schema has a field")
	}
}
