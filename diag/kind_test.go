package diag

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

// TestKind checks that a diagnostic has the properties of its kind, and that changing the
// severity or the related positions of another one does not affect it.
func TestKind(t *testing.T) {
	kind := &Kind{Code: "SG1", Severity: Warning, Title: "t", Explanation: "e"}
	d := kind.At(at("a.go", 1, 2), "hint", "%d of %s", 3, "four")
	want := Diagnostic{Code: "SG1", Severity: Warning, Pos: at("a.go", 1, 2), Message: "3 of four", Hint: "hint"}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("got %+v, want %+v", d, want)
	}
	other := d.As(Error).With(Related{Message: "first"})
	further := other.With(Related{Message: "second"})
	_ = other.With(Related{Message: "third"})
	if !reflect.DeepEqual(d, want) || other.Severity != Error || len(other.Related) != 1 || further.Related[1].Message != "second" {
		t.Errorf("got %+v, %+v and %+v", d, other, further)
	}
}

// TestExample checks that an example loses only the line break after its opening quote, and that the
// stand-in becomes a backquote.
func TestExample(t *testing.T) {
	for _, c := range []struct {
		name    string
		example Example
		want    string
	}{
		{"none", "", ""},
		{"one line", `Name string ´json:"name"´`, "Name string `json:\"name\"`"},
		{"lines", `
type Spec struct {
	Name string ´json:"name"´
}`, "type Spec struct {\n\tName string `json:\"name\"`\n}"},
		{"empty first line", `

package v1
`, "\npackage v1\n"},
	} {
		if got := c.example.String(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOff(t *testing.T) {
	on, off := &Kind{Code: "SG1", Severity: Warning}, &Kind{Code: "SG2", Off: true}
	list := List{off.At(Position{}, "", "m"), on.At(Position{}, "", "m")}
	if list.HasErrors() {
		t.Error("a diagnostic that is off by default fails a run")
	}
	if got := list.On(); len(got) != 1 || got[0].Code != "SG1" || len(list) != 2 {
		t.Errorf("on are %v", got)
	}
	for _, format := range Formats() {
		var all, on strings.Builder
		if err := cmp.Or(list.Write(&all, format, nil), list.On().Write(&on, format, nil)); err != nil || all.String() != on.String() {
			t.Errorf("%s: %v: a diagnostic that is off is printed:\n%s", format, err, &all)
		}
	}
}

// TestEmptyFieldsPrintNothing checks that a diagnostic without an end and without fixes
// prints as if the fields did not exist, and survives a JSON round trip.
func TestEmptyFieldsPrintNothing(t *testing.T) {
	d := (&Kind{Code: "SG1"}).At(at("a.go", 1, 2), "hint", "m").With(Related{Pos: at("b.go", 3, 0), Message: "here"})
	want := map[string]string{
		"text":   "a.go:1:2: error[SG1]: m\n\thint: hint\n\tb.go:3: here\n",
		"github": "::error file=a.go,line=1,col=2,title=SG1::m%0Ahint\n",
		"junit": junitHead + "  <testsuite name=\"a.go\" tests=\"1\" failures=\"1\">\n    <testcase name=\"SG1 a.go:1:2\" classname=\"a.go\">\n" +
			"      <failure type=\"SG1\" message=\"m\">a.go:1:2: error[SG1]: m\n\thint: hint\n\tb.go:3: here</failure>\n    </testcase>\n  </testsuite>\n</testsuites>\n",
		"json": `{"diagnostics":[{"code":"SG1","severity":"error","file":"a.go","line":1,"column":2,"message":"m","hint":"hint",` +
			`"related":[{"file":"b.go","line":3,"message":"here"}]}]}`,
		"sarif": `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","runs":[{"results":[{"ruleId":"SG1","level":"error","message":{"text":"m\nhint"},` +
			`"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":1,"startColumn":2}}}],` +
			`"relatedLocations":[{"physicalLocation":{"artifactLocation":{"uri":"b.go"},"region":{"startLine":3}},"message":{"text":"here"}}]}],` +
			`"tool":{"driver":{"informationUri":"https://github.com/schemagen/schemagen","name":"schemagen","rules":[]}}}],"version":"2.1.0"}`,
	}
	for _, format := range Formats() {
		var out, compact bytes.Buffer
		if err := (List{d}).Write(&out, format, nil); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if json.Compact(&compact, out.Bytes()) == nil {
			got = compact.String()
		}
		if got != want[format] {
			t.Errorf("%s: got\n%s\nwant\n%s", format, got, want[format])
		}
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var again Diagnostic
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(d, again) {
		t.Errorf("%v: got %+v, want %+v", err, again, d)
	}
}

// TestEndsAndFixes checks that the formats for programs have the end and the fixes of a
// diagnostic, and that the text format does not.
func TestEndsAndFixes(t *testing.T) {
	plain := (&Kind{Code: "SG1"}).At(at("a.go", 1, 2), "", "m")
	d := plain.Replacing("old", "new")
	d.Fixes = append(d.Fixes, Fix{Message: "remove both", Edits: []Edit{
		{Pos: at("a.go", 1, 2), End: at("a.go", 2, 1)}, {Pos: at("b.go", 3, 1), End: at("b.go", 4, 1)}, {Pos: at("a.go", 5, 6), End: at("a.go", 5, 6), New: "x"},
	}})
	want := map[string]string{
		"json": `{"diagnostics":[{"code":"SG1","severity":"error","file":"a.go","line":1,"column":2,"endLine":1,"endColumn":5,"message":"m","fixes":[` +
			`{"message":"write new","edits":[{"file":"a.go","line":1,"column":2,"endLine":1,"endColumn":5,"new":"new"}]},` +
			`{"message":"remove both","edits":[{"file":"a.go","line":1,"column":2,"endLine":2,"endColumn":1,"new":""},` +
			`{"file":"b.go","line":3,"column":1,"endLine":4,"endColumn":1,"new":""},{"file":"a.go","line":5,"column":6,"endLine":5,"endColumn":6,"new":"x"}]}]}]}`,
		"sarif": `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","runs":[{"results":[{"ruleId":"SG1","level":"error","message":{"text":"m"},` +
			`"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":1,"startColumn":2,"endLine":1,"endColumn":5}}}],` +
			`"fixes":[{"description":{"text":"write new"},"artifactChanges":[{"artifactLocation":{"uri":"a.go"},"replacements":[` +
			`{"deletedRegion":{"startLine":1,"startColumn":2,"endLine":1,"endColumn":5},"insertedContent":{"text":"new"}}]}]},` +
			`{"description":{"text":"remove both"},"artifactChanges":[{"artifactLocation":{"uri":"a.go"},"replacements":[` +
			`{"deletedRegion":{"startLine":1,"startColumn":2,"endLine":2,"endColumn":1}},` +
			`{"deletedRegion":{"startLine":5,"startColumn":6,"endLine":5,"endColumn":6},"insertedContent":{"text":"x"}}]},` +
			`{"artifactLocation":{"uri":"b.go"},"replacements":[{"deletedRegion":{"startLine":3,"startColumn":1,"endLine":4,"endColumn":1}}]}]}]}],` +
			`"tool":{"driver":{"informationUri":"https://github.com/schemagen/schemagen","name":"schemagen","rules":[]}}}],"version":"2.1.0"}`,
	}
	for _, format := range Formats() {
		var with, without, compact bytes.Buffer
		if err := cmp.Or((List{d}).Write(&with, format, nil), (List{plain}).Write(&without, format, nil)); err != nil {
			t.Fatal(err)
		}
		got, expected := with.String(), without.String()
		if want[format] != "" {
			if err := json.Compact(&compact, with.Bytes()); err != nil {
				t.Fatal(err)
			}
			got, expected = compact.String(), want[format]
		}
		if got != expected {
			t.Errorf("%s: got\n%s\nwant\n%s", format, got, expected)
		}
	}
}

func TestRelativeToReachesEndsAndFixes(t *testing.T) {
	d := Diagnostic{End: at("/p/a.go", 1, 9), Fixes: []Fix{{Message: "m", Edits: []Edit{{Pos: at("/p/a.go", 1, 2), End: at("/p/a.go", 1, 9), New: "x"}}}}}
	got := (List{d}).RelativeTo("/p")[0]
	want := Diagnostic{End: at("a.go", 1, 9), Fixes: []Fix{{Message: "m", Edits: []Edit{{Pos: at("a.go", 1, 2), End: at("a.go", 1, 9), New: "x"}}}}}
	if !reflect.DeepEqual(got, want) || d.Fixes[0].Edits[0].Pos.File != "/p/a.go" {
		t.Errorf("got %+v, want %+v; it was %+v", got, want, d)
	}
}

// TestHintOfSeveralLines checks that the lines of a hint are lines in text, and cannot be taken for a
// diagnostic.
func TestHintOfSeveralLines(t *testing.T) {
	d := (&Kind{Code: "SG1"}).At(at("a.go", 1, 2), "largest:\n\tb 2\na.go:1:1: error\x1b[0m", "m")
	for format, want := range map[string]string{
		"text":   "a.go:1:2: error[SG1]: m\n\thint: largest:\n\t\t\tb 2\n\t\ta.go:1:1: error" + screen.Line("\x1b") + "[0m\n",
		"github": "::error file=a.go,line=1,col=2,title=SG1::m%0Alargest:%0A\tb 2%0Aa.go:1:1: error" + screen.Line("\x1b") + "[0m\n",
	} {
		var out bytes.Buffer
		if err := (List{d}).Write(&out, format, nil); err != nil || out.String() != want {
			t.Errorf("%s: %v, got\n%q\nwant\n%q", format, err, &out, want)
		}
	}
}
