package diag

import "testing"

func TestURI(t *testing.T) {
	for _, c := range []struct{ volume, path, want string }{
		{"", "api/v1/types.go", "api/v1/types.go"},
		{"", "a:b/c d.go", "a%3Ab/c%20d.go"},
		{"", "/home/a/x.go", "/home/a/x.go"},
		{"C:", "C:/work/a b.go", "file:///C:/work/a%20b.go"},
		{"//server/share", "//server/share/x.go", "file://server/share/x.go"},
	} {
		if got := uriOf(c.volume, c.path); got != c.want {
			t.Errorf("%s: got %s, want %s", c.path, got, c.want)
		}
	}
}
