package locate

import (
	"fmt"
	"go/token"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// TestLocator finds properties of which names contain brackets and dots, in objects with few and with many.
func TestLocator(t *testing.T) {
	leaf := func(pos token.Pos) *structural.Schema { return &structural.Schema{Origin: structural.Origin{Pos: pos}} }
	for _, n := range []int{0, 3, 100} {
		s := leaf(1)
		for i := range n {
			s.Properties = append(s.Properties, structural.Property{Name: fmt.Sprintf("field%d", i), Schema: leaf(token.Pos(100 + i))})
		}
		inner := leaf(2)
		inner.Properties = []structural.Property{{Name: "b", Schema: leaf(3)}}
		s.Properties = append(s.Properties, []structural.Property{
			{Name: "a", Schema: inner}, {Name: "c]d", Schema: leaf(4)}, {Name: "e.f", Schema: leaf(5)}, {Name: "g].h", Schema: leaf(6)},
		}...)
		var l Locator
		for path, want := range map[string][]token.Pos{
			".properties[a]":               {1, 2},
			".properties[a].properties[b]": {1, 2, 3},
			".properties[a].properties[c]": {1, 2, 2}, // it stops at the object
			".properties[c]d]":             {1, 4},
			".properties[e.f]":             {1, 5},
			".properties[g].h]":            {1, 6},
			".properties[a":                {1, 1},
		} {
			for range 2 {
				if got := l.Locate(s, path); !slices.Equal(got, want) || !slices.Equal(Positions(s, path), want) {
					t.Errorf("%d properties: %s is at %v, without a Locator at %v, want %v", n, path, got, Positions(s, path), want)
				}
			}
		}
		if n > 0 && !slices.Equal(l.Locate(s, fmt.Sprintf(".properties[field%d]", n-1)), []token.Pos{1, token.Pos(99 + n)}) {
			t.Errorf("%d properties: the last one is not found", n)
		}
	}
}
