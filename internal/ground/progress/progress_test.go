package progress

import "testing"

func TestMeter(t *testing.T) {
	var m Meter
	ctx := With(t.Context(), &m)
	expect := func(want string) {
		t.Helper()
		if got := m.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	expect("")
	s := Start(ctx, "checking", "definitions", 3)
	expect("checking definitions: 0 of 3")
	s.Add(2)
	expect("checking definitions: 2 of 3")
	s.Add(2)
	expect("checking definitions: 3 of 3")
	s = Start(ctx, "trying", "objects", 0)
	expect("trying objects")
	s.Add(7)
	expect("trying objects: 7")
}

// TestNoMeter counts nothing.
func TestNoMeter(t *testing.T) {
	s := Start(t.Context(), "checking", "definitions", 3)
	if s.Add(1); s != nil {
		t.Errorf("got %v", s)
	}
}
