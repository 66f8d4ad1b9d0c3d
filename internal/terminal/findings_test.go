package terminal

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// goSource has tabs, wide and combined characters, and lines of any length.
const goSource = "package v1\n" +
	"\n" +
	"// Spec is 日本語のテスト of cafe\u0301s and 👩‍👩‍👧.\n" +
	"type Spec struct {\n" +
	"\t// +kubebuilder:validation:XValidation:rule=\"self == 3\",message=\"日本語\"\n" +
	"\tRatio\tfloat64 `json:\"ratio\"` // 日本語: cafe\u0301\n" +
	"\tHidden string `json:\"a\x1b[2Jb\u202ec\u200bd\"`\n" +
	"\tCRLF *[]map[string]Kind[int] `json:\"crlf\"`\r\n" +
	"\tRed string // \x1b[31mred\x1b[0m ::error::x\n" +
	"}\n"

const yamlSource = "spec:\n  names: {kind: Widget, plural: widgets}\n  \"quoted key\": plain value with words # comment\n  pattern: '^it''s$'\n"

func testSources() *Sources {
	s := &Sources{Dir: "/work"}
	s.Keep("api/types.go", 0, []byte(goSource))
	s.Keep("crd.yaml", 0, []byte(yamlSource))
	s.Keep("long.json", 0, []byte("{\n\""+strings.Repeat("日本x", 20_000)+"\": \"wrong\", \"next\": \""+strings.Repeat("y", 40_000)+"\"}\n"))
	return s
}

func at(file string, line, column int) diag.Position {
	return diag.Position{File: file, Line: line, Column: column}
}

// cases are the findings of the golden files.
func cases() diag.List {
	const types, crd = "api/types.go", "crd.yaml"
	return diag.List{
		{Code: "SG203", Message: "field Spec.Ratio: found float64, whose precision varies across languages and across the versions of libraries", Pos: at(types, 6, 8), Hint: "use resource.Quantity or a string, or allow floats with crd.allowDangerousTypes: true in schemagen.yaml (crd:allowDangerousTypes=true)"},
		{Code: "SG203", Severity: diag.Warning, Message: "a known range, after wide characters", Pos: at(types, 3, 12), End: at(types, 3, 33)},
		{Code: "SG301", Severity: diag.Note, Message: "a combined character", Pos: at(types, 6, 48), Hint: "several lines:\n\tfirst\n\t\tsecond " + strings.Repeat("word ", 30)},
		{Code: "SG302", Message: "hidden characters \x1b[31m\u202e", Pos: at(types, 7, 2), End: at(types, 7, 40)},
		{Code: "SG303", Message: "a line with CRLF", Pos: at(types, 8, 7), Related: []diag.Related{{Pos: at(types, 4, 6), Message: "the type"}, {Pos: at("gone.go", 1, 1), Message: "a file that was not read"}}},
		{Code: "SG304", Message: "a range of lines", Pos: at(types, 4, 11), End: at(types, 6, 7)},
		{Code: "SG304", Message: "a range of many lines", Pos: at(types, 1, 1), End: at(types, 10, 2)},
		{Code: "SG305", Message: "a line without a column", Pos: at(types, 5, 0)},
		{Code: "SG305", Message: "a position after the end of the line", Pos: at(types, 1, 11)},
		{Code: "SG305", Message: "a position outside of the file", Pos: at(types, 99, 3)},
		{Code: "SG305", Message: "a file without a line", Pos: at(types, 0, 0)},
		{Code: "SG305", Message: "no position", Related: []diag.Related{{Message: "nor here"}}},
		{
			Code: "SG601", Message: "spec.versions[0]…rule: Invalid value: {}: compilation failed", Pos: at(types, 5, 52), QuotesAtPos: true,
			Cause: "compilation failed: found no matching overload for '_==_' applied to '(string, int)'", Quotes: []diag.Quote{{Text: "self == 3", Column: 6}},
			Path: "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[items].items.properties[name].x-kubernetes-validations[0].rule",
		},
		{
			Code: "SG601", Message: "m", Pos: at("missing.yaml", 5, 53), QuotesAtPos: true, Cause: "compilation failed: undeclared reference to 'x'",
			Quotes: []diag.Quote{{Text: "'日本語' == x && " + strings.Repeat("self.name == 'a' && ", 10) + "y", Column: 10}, {Message: "undeclared reference to 'y'", Text: "'日本語' == x && " + strings.Repeat("self.name == 'a' && ", 10) + "y", Column: 215}},
		},
		{Code: "SG605", Message: "a key of YAML", Pos: at(crd, 2, 11)},
		{Code: "SG605", Message: "a value of YAML", Pos: at(crd, 2, 17)},
		{Code: "SG605", Message: "a quoted key of YAML", Pos: at(crd, 3, 3)},
		{Code: "SG605", Message: "a value with spaces", Pos: at(crd, 3, 17)},
		{Code: "SG605", Message: "a quoted value", Pos: at(crd, 4, 12)},
		{Code: "SG605", Message: "a line of 200 kB", Pos: at("long.json", 2, 1+2+20_000*7+2)},
		{Code: "SG605", Message: "its beginning", Pos: at("long.json", 2, 1)},
		{Code: "SG606", Message: "an injected line", Pos: at(types, 9, 2), Hint: "\n::error::FORGED"},
		{Code: "SG606", Message: "off", Off: true, Pos: at(types, 9, 2)},
	}
}

// TestFindings compares the findings as printed in two widths, with and without styles.
func TestFindings(t *testing.T) {
	for _, width := range []int{80, 120} {
		for _, styled := range []bool{false, true} {
			name := fmt.Sprintf("%d", width)
			var out bytes.Buffer
			w := screen.NewTerminal(&out)
			if styled {
				w.EnableStyles()
				name += "-styled"
			}
			t.Run(name, func(t *testing.T) {
				f := NewFindings(w, screen.PaintOf(w), width, testSources())
				if err := f.Write(cases()); err != nil {
					t.Fatal(err)
				}
				text := strings.ReplaceAll(out.String(), "\x1b", "␛") // legible in a diff
				golden(t, filepath.Join("testdata", name+".txt"), text)
			})
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	want, err := os.ReadFile(name)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	if !*update {
		t.Fatalf("%s differs; run with -update\ngot:\n%s", name, got)
	}
	if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestFindingsFit checks that no line is wider than the screen, except for words that are,
// and that styles change nothing else.
func TestFindingsFit(t *testing.T) {
	for width := minWidth; width < 200; width += 7 {
		var plain, styled bytes.Buffer
		if err := NewFindings(screen.NewTerminal(&plain), screen.Paint{}, width, testSources()).Write(cases()); err != nil {
			t.Fatal(err)
		}
		w := screen.NewTerminal(&styled)
		w.EnableStyles()
		if err := NewFindings(w, screen.PaintOf(w), width, testSources()).Write(cases()); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(plain.String()) {
			line = strings.TrimSuffix(line, "\n")
			if longest := strings.Fields(line + " x"); widthOf(line) > width && len(longest) > 3 {
				t.Errorf("width %d: %d columns: %s", width, widthOf(line), line)
			}
			if screen.Line(line) != line || strings.HasPrefix(strings.TrimSpace(line), "FORGED") {
				t.Errorf("width %d: got %q", width, line)
			}
		}
		if got := withoutStyles(styled.String()); got != plain.String() {
			t.Errorf("width %d: got\n%s\nwant\n%s", width, got, plain.String())
		}
	}
}
