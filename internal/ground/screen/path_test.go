package screen

import "testing"

func TestRelative(t *testing.T) {
	for _, c := range []struct {
		dir, file string
		up        int
		want      string
	}{
		{"/p/q", "/p/q/r/s.go", 0, "r/s.go"},
		{"/p/q", "/p/q", 0, "."},
		{"/p/q", "/p/s.go", 0, "/p/s.go"},
		{"/p/q", "/p/s.go", 1, "../s.go"},
		{"/p/q", "/p/q/..s.go", 0, "..s.go"},
		{"/p/q/r/t", "/p/q/..s/t.go", Nearby, "../../..s/t.go"},
		{"/p/q/r/t", "/p/t.go", Nearby, "/p/t.go"},
		{"/", "/p", 0, "p"},
		{"/p", "q", 0, "q"},
		{"p", "/p/q", Nearby, "/p/q"},
		{"/p", "", Nearby, ""},
	} {
		if got := Relative(c.dir, c.file, c.up); got != c.want {
			t.Errorf("%s from %s, %d up: %s, want %s", c.file, c.dir, c.up, got, c.want)
		}
	}
}
