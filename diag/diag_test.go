package diag

import (
	"strings"
	"testing"
)

func at(file string, line, column int) Position {
	return Position{File: file, Line: line, Column: column}
}

func TestNormalizeSortsAndRemovesDuplicates(t *testing.T) {
	list := List{
		{Code: "B", Pos: at("b.go", 1, 1), Message: "x"},
		{Code: "A", Pos: at("a.go", 10, 1), Message: "x"},
		{Code: "A", Pos: at("a.go", 9, 2), Message: "x", Hint: "the first hint stays"},
		{Code: "A", Severity: Warning, Pos: at("a.go", 9, 2), Message: "x"},
		{Code: "A", Pos: at("a.go", 9, 2), Message: "x", Hint: "another hint"},
		{Code: "Z", Message: "no place"},
	}
	var out strings.Builder
	if err := list.Normalize().WriteText(&out); err != nil {
		t.Fatal(err)
	}
	want := `error[Z]: no place
a.go:9:2: error[A]: x
	hint: the first hint stays
a.go:9:2: warning[A]: x
a.go:10:1: error[A]: x
b.go:1:1: error[B]: x
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	if list[0].Code != "B" {
		t.Error("the list itself was changed")
	}
}

func TestRelativeTo(t *testing.T) {
	list := List{
		{Pos: at("/home/me/project/api/v1/types.go", 3, 4), Related: []Related{{Pos: at("/home/me/other/x.go", 1, 1), Message: "m"}}},
		{Pos: at("/usr/lib/x.go", 1, 0)},
		{Pos: at("already/relative.go", 0, 0)},
	}
	var got []string
	for _, d := range list.RelativeTo("/home/me/project") {
		got = append(got, d.Pos.String())
		for _, r := range d.Related {
			got = append(got, r.Pos.String())
		}
	}
	want := "api/v1/types.go:3:4 ../other/x.go:1:1 /usr/lib/x.go:1 already/relative.go"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if list[0].Related[0].Pos.File != "/home/me/other/x.go" {
		t.Error("the list itself was changed")
	}
}

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

func TestHasErrors(t *testing.T) {
	if (List{{Severity: Warning}}).HasErrors() || !(List{{Severity: Warning}, {}}).HasErrors() {
		t.Error("only a diagnostic of severity Error is an error")
	}
}
