package fixes

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
)

// TestStyle applies every edit to a file in every style, and wants all other bytes to stay.
func TestStyle(t *testing.T) {
	const source = "package p\n\nimport \"time\"\n\nvar a time.Duration\n\n// +marker=1\ntype T struct {\n\tA int\n}\n"
	edits := map[string]struct {
		edit diag.Edit
		// replaced are pairs of texts in source and the result; where the file is formatted, also
		// those of formatted.
		replaced, formatted []string
	}{
		"a word of a marker":  {edit: edit("a.go", 7, 5, "marker", "name"), replaced: []string{"+marker", "+name"}},
		"a new line":          {edit: edit("a.go", 8, 1, "", "// +second\n"), replaced: []string{"type T", "// +second\ntype T"}},
		"a line that is gone": {edit: diag.Edit{Pos: diag.Position{File: "a.go", Line: 7, Column: 1}, End: diag.Position{File: "a.go", Line: 8, Column: 1}}, replaced: []string{"// +marker=1\n", ""}},
		"a type with blanks":  {edit: edit("a.go", 9, 4, "int", "  bool"), replaced: []string{"A int", "A   bool"}, formatted: []string{"A   bool", "A bool"}},
		"an import that idles": {
			edit:     edit("a.go", 5, 7, "time.Duration", "int"),
			replaced: []string{"time.Duration", "int", "import \"time\"\n", ""}, formatted: []string{"\n\n\n", "\n\n"},
		},
	}
	additions := map[string]string{"nothing": "", "an unformatted line": "type  U   int\n", "a return in a string": "\nconst S = `a\r\nb`\n", "an unformatted end": "var b int"}
	cells := 0
	for what, e := range edits {
		for added, addition := range additions {
			for _, ends := range []string{"\n", "\r\n", "mixed"} {
				for _, mark := range []string{"", "\ufeff"} {
					cells++
					name := fmt.Sprintf("%s, %s, %q, mark %q", what, added, ends, mark)
					styled := func(text string) string {
						if ends == "mixed" {
							before, after, _ := strings.Cut(text, "var a")
							return mark + before + "var a" + strings.ReplaceAll(after, "\n", "\r\n")
						}
						return mark + strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", ends)
					}
					if ends == "\n" && strings.Contains(addition, "\r") {
						styled = func(text string) string { return mark + text }
					}
					before := styled(source + addition)
					want := strings.NewReplacer(e.replaced...).Replace(source)
					// A file is formatted if all of it was.
					if addition == "" && ends != "mixed" || ends == "\r\n" && strings.Contains(addition, "\r") {
						want = strings.NewReplacer(e.formatted...).Replace(want)
					}
					s := session(t, map[string]string{"a.go": before})
					s.Apply(diag.List{found(e.edit)})
					got := s.Outputs()
					if len(got) != 1 || string(got[0].Data) != styled(want+addition) {
						t.Errorf("%s: got %q, want %q", name, got, styled(want+addition))
					}
					if disk, err := s.disk(filepath.Join(s.dir, "a.go")); err != nil || string(disk) != before {
						t.Errorf("%s: on disk is %q, %v", name, disk, err)
					}
				}
			}
		}
	}
	if want := len(edits) * len(additions) * 3 * 2; cells != want {
		t.Errorf("%d cells, want %d", cells, want)
	}
}
