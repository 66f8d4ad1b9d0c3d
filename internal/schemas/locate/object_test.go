package locate

import (
	"fmt"
	"testing"
)

// TestSteps follows paths as the API server prints them, to values that an object has and to others.
func TestSteps(t *testing.T) {
	object := map[string]any{
		"a":   "text",
		"b.c": []any{"x", map[string]any{"d": 1}},
		"m":   map[string]any{"k": 1, "k.l": 2, "k.l/m": 3, "x]y": 4, "": 5, "[z": 6},
	}
	for _, test := range []struct {
		path  string
		steps string
		found int
		value any
	}{
		{"", "[]", 0, object},
		{"a", "[{a -1}]", 1, "text"},
		{"a.b", "[{a -1} {b -1}]", 1, nil},
		{"b.c[1].d", "[{b.c -1} { 1} {d -1}]", 3, 1},
		{"b.c.1.d", "[{b.c -1} { 1} {d -1}]", 3, 1},
		{"b.c[2].d", "[{b.c -1} { 2} {d -1}]", 1, nil},
		{"b.c[-1]", "[{b.c -1} {-1 -1}]", 1, nil},
		{"b.x[1]", "[{b -1} {x -1} {1 -1}]", 0, nil},
		{"m.k", "[{m -1} {k -1}]", 2, 1},
		{"m.k.l", "[{m -1} {k.l -1}]", 2, 2},
		{"m[k.l/m]", "[{m -1} {k.l/m -1}]", 2, 3},
		{"m[x]y]", "[{m -1} {x]y -1}]", 2, 4},
		{"m[]", "[{m -1} { -1}]", 2, 5},
		{"m.[z", "[{m -1} {[z -1}]", 2, 6},
		{"m[gone].k", "[{m -1} {gone -1} {k -1}]", 1, nil},
		{"m[open", "[{m -1} {open -1}]", 1, nil},
		{"..", "[{ -1} { -1}]", 0, nil},
		{"..a", "[{ -1} {a -1}]", 0, nil},
	} {
		steps, found := Steps(object, test.path)
		value, ok := ValueAt(object, steps)
		if got := fmt.Sprint(steps); got != test.steps || found != test.found || ok != (found == len(steps)) || fmt.Sprint(value) != fmt.Sprint(test.value) {
			t.Errorf("%s: got %s, %d found, %v, want %s, %d found, %v", test.path, got, found, value, test.steps, test.found, test.value)
		}
	}
}
