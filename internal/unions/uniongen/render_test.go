package uniongen

import (
	"strings"
	"testing"
)

// TestRenderedIsGo checks that valid Go is rendered without unused imports, and that strings
// that are not Go result in an error.
func TestRenderedIsGo(t *testing.T) {
	file := func(typ string) *goFile {
		return &goFile{
			Package: "p", Header: "// A header.", Taken: []string{"old", "errs", "oldValue"},
			Imports: []goImport{{Path: "example.com/unused"}, {Name: "used", Path: "example.com/u"}},
			Structs: []*goStruct{{
				goFunctions: goFunctions{Normalize: "NormalizeTUnions", Validate: "ValidateTUnions", Clears: true}, Type: typ,
				Unions: []goUnion{{
					Discriminator: &goDiscriminator{Go: "D", JSON: "d", Type: "string", Required: true, Values: []string{`"A"`, "used.B"}},
					Members:       []goMember{{Go: "A", JSON: "a", Zero: "nil", Value: `"A"`}},
				}},
			}},
		}
	}
	data, err := render(file("T"), "must be changed")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{
		"// A header.\n\n" + generatedBy + "\n\npackage p\n",
		"\tused \"example.com/u\"\n",
		"func NormalizeTUnions(oldValue2, new *T) bool {",
		"case \"A\", used.B:",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the file does not contain %q", want)
		}
	}
	if strings.Contains(text, "unused") || strings.Contains(text, "go:build") {
		t.Errorf("the file contains unexpected text:\n%s", text)
	}
	if _, err := render(file("T T"), ""); err == nil || !strings.Contains(err.Error(), "T T") {
		t.Errorf("got error %v, want one that shows the text", err)
	}
}

func TestWrapComments(t *testing.T) {
	long := "// " + strings.Repeat("word ", 40)
	for line := range strings.Lines(wrapComments(long + "\nfunc f() {\n\t" + long + "\n}\n")) {
		if !strings.HasPrefix(line, "\t") && len(line) > commentWidth+1 {
			t.Errorf("long line: %q", line)
		}
	}
}
