package diag

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"
)

// TestWriter checks that writing incrementally produces the same output as writing at once,
// and that the JSON has the layout of encoding/json.
func TestWriter(t *testing.T) {
	codes := []*Kind{{Code: "A", Title: "a <b>", Explanation: "why"}, {Code: "B", Title: "b"}, {Code: "C", Title: "c"}}
	all := List{
		{Code: "B", Pos: at("b.go", 1, 2), Message: "x & y\nz", Hint: "do", Related: []Related{{Pos: at("c.go", 3, 0), Message: "here"}, {Message: "nowhere"}}},
		{Code: "A", Severity: Warning, Message: "no position"},
		{Code: "A", Severity: Note, Pos: at("a,b.go", 9, 2), Message: "100%"},
	}
	for _, format := range Formats() {
		for n := range len(all) + 1 {
			var full, parts bytes.Buffer
			if err := all[:n].Write(&full, format, codes); err != nil {
				t.Fatal(err)
			}
			w, err := NewWriter(&parts, format, codes)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if err := w.Write(all[i : i+1]); err != nil {
					t.Fatal(err)
				}
				if err := w.Write(nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if full.String() != parts.String() {
				t.Errorf("%s of %d: got\n%s\nincrementally, want\n%s", format, n, &parts, &full)
			}
			if format == "junit" {
				var report struct {
					Suites []struct {
						Tests    int `xml:"tests,attr"`
						Failures int `xml:"failures,attr"`
						Cases    []struct {
							Failure *string `xml:"failure"`
						} `xml:"testcase"`
					} `xml:"testsuite"`
				}
				err := xml.Unmarshal(parts.Bytes(), &report)
				failures := 0
				for _, suite := range report.Suites {
					if failures += suite.Failures; len(suite.Cases) != suite.Tests || (suite.Cases[0].Failure == nil) != (suite.Failures == 0) {
						t.Errorf("junit of %d: the counts of a suite are wrong:\n%s", n, &parts)
					}
				}
				errorsOf := len(slices.DeleteFunc(slices.Clone(all[:n]), func(d Diagnostic) bool { return d.Severity != Error }))
				if err != nil || len(report.Suites) != max(n, 1) || failures != errorsOf {
					t.Errorf("junit of %d: error %v, %d failures, want %d:\n%s", n, err, failures, errorsOf, &parts)
				}
			}
			if format != "json" && format != "sarif" {
				continue
			}
			var indented bytes.Buffer
			if err := json.Indent(&indented, parts.Bytes(), "", "  "); err != nil || indented.String() != parts.String() {
				t.Errorf("%s of %d: error %v, got\n%s\nwant\n%s", format, n, err, &parts, &indented)
			}
			if got := strings.Count(parts.String(), `"message": "`) + strings.Count(parts.String(), `"ruleId"`); got < n {
				t.Errorf("%s of %d: got %d findings", format, n, got)
			}
			if format == "sarif" && (strings.Contains(parts.String(), `"id": "A"`) != (n > 1) || strings.Contains(parts.String(), `"id": "C"`)) {
				t.Errorf("the rules of %d are not those of the findings:\n%s", n, &parts)
			}
		}
	}
	if _, err := NewWriter(nil, "yaml", nil); err == nil {
		t.Error("got no error for an unknown format")
	}
}
