package diag

import (
	"errors"
	"reflect"
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
		{Code: "Z", Message: "no position"},
	}
	var out strings.Builder
	if err := list.Normalize().WriteText(&out); err != nil {
		t.Fatal(err)
	}
	want := `error[Z]: no position
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
		t.Error("the original list was modified")
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
		t.Error("the original list was modified")
	}
}

// TestUTF16 converts the column of every position of a diagnostic.
func TestUTF16(t *testing.T) {
	read := func(name string) ([]byte, error) {
		if name != "a.go" {
			return nil, errors.New("no such file")
		}
		return []byte("x\nö𝄞x\n\xffx\nab"), nil
	}
	for _, test := range []struct{ pos, want Position }{
		{at("a.go", 1, 2), at("a.go", 1, 2)},
		{at("a.go", 2, 1), at("a.go", 2, 1)},
		{at("a.go", 2, 3), at("a.go", 2, 2)},
		{at("a.go", 2, 7), at("a.go", 2, 4)},
		{at("a.go", 2, 99), at("a.go", 2, 96)}, // after the end of the line
		{at("a.go", 3, 2), at("a.go", 3, 2)},
		{at("a.go", 9, 7), at("a.go", 9, 7)},
		{at("a.go", 0, 0), at("a.go", 0, 0)},
		{at("missing.go", 2, 7), at("missing.go", 2, 7)},
	} {
		list := List{{Pos: test.pos, End: test.pos, Related: []Related{{Pos: test.pos}}, Fixes: []Fix{{Edits: []Edit{{Pos: test.pos, End: test.pos}}}}}}
		want := List{{Pos: test.want, End: test.want, Related: []Related{{Pos: test.want}}, Fixes: []Fix{{Edits: []Edit{{Pos: test.want, End: test.want}}}}}}
		if got := list.UTF16(read); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if list[0].Fixes[0].Edits[0].Pos != test.pos {
			t.Error("the original list was modified")
		}
	}
}

func TestHasErrors(t *testing.T) {
	if (List{{Severity: Warning}}).HasErrors() || !(List{{Severity: Warning}, {}}).HasErrors() {
		t.Error("only a diagnostic of severity Error is an error")
	}
}
