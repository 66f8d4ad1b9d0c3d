package structural

import "testing"

// TestPathAllocations renders deep paths, which reports have for each change: nothing is allocated for a step.
func TestPathAllocations(t *testing.T) {
	var p *Path
	if got := p.String(); got != "" {
		t.Errorf("the root is %q", got)
	}
	want := ""
	for range 100 {
		p = p.Property("a").Child("items").Index("allOf", 12)
		want += ".properties[a].items.allOf[12]"
	}
	if got := p.String(); got != want {
		t.Errorf("got %s", got)
	}
	if n := testing.AllocsPerRun(100, func() { _ = p.String() }); n > 2 {
		t.Errorf("%v allocations for a path of 300 steps", n)
	}
}
