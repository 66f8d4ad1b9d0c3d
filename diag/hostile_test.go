package diag

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

// hostile returns texts that must not reach a terminal, a log or a page unescaped.
func hostile() []string {
	return []string{
		"\x1b[2J\x1b]0;title\x07", "a\u009b2Jb", "\x9b2J", "new\nFORGED: line", "new\r\nFORGED", "over\rwritten", "\u202eevil\u2066", "\u2028FORGED\u2029",
		"::error::FORGED", "\n::error::FORGED", "\n  ::stop-commands::x", "##[error]FORGED", "x ##vso[task.x]", "100%0A::error::FORGED", "\x00\x7f\x85", "a,b:c%", "\xff\xfe", "tab\tand\vand\f",
	}
}

// command matches a line that a workflow would execute.
var command = regexp.MustCompile(`^\s*::|##[a-zA-Z]*\[`)

// checkText checks that a text has no character that a terminal interprets, and no injected
// line.
func checkText(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, "FORGED") {
			t.Errorf("%s: got injected line %q", what, line)
		}
		if !utf8.ValidString(line) || screen.Line(strings.TrimLeft(line, "\t")) != strings.TrimLeft(line, "\t") {
			t.Errorf("%s: got a control character: %q", what, line)
		}
	}
}

// TestHostileDiagnostics puts hostile texts into every string of a diagnostic, and writes it
// in every format.
func TestHostileDiagnostics(t *testing.T) {
	annotation := regexp.MustCompile(`^::(error|warning|notice) (file=[^,:]*,)?(line=\d+,)?(col=\d+,)?title=[^,:]*::`)
	for _, text := range hostile() {
		var d Diagnostic
		plant := func(v reflect.Value) {}
		plant = func(v reflect.Value) {
			switch v.Kind() {
			case reflect.String:
				v.SetString(text)
			case reflect.Struct:
				for i := range v.NumField() {
					plant(v.Field(i))
				}
			case reflect.Slice:
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
				plant(v.Index(0))
			case reflect.Int:
				v.SetInt(1)
			}
		}
		plant(reflect.ValueOf(&d).Elem())
		d.Code = "SG1" // codes never come from outside
		for _, format := range Formats() {
			var b, shown bytes.Buffer
			codes := []*Kind{{Code: "SG1", Title: "t", Explanation: "e"}}
			if err := (List{d, d}).Write(&b, format, codes); err != nil {
				t.Fatal(err)
			}
			what := format + " of " + strings.ToValidUTF8(text, "?")
			checkText(t, what, b.String())
			switch format {
			case "github":
				for line := range strings.Lines(b.String()) {
					if !annotation.MatchString(line) {
						t.Errorf("%s: got %q, want an annotation", what, line)
					}
				}
				if strings.Count(b.String(), "\n") != 2 {
					t.Errorf("%s : got other than two lines:\n%s", what, &b)
				}
			case "text":
				// Only a hint may have more lines, and they cannot be taken for a diagnostic.
				if want := 2 * (2 + len(lines(text))); strings.Count(b.String(), "\n") != want {
					t.Errorf("%s : got other than %d lines:\n%s", what, want, &b)
				}
				heads := 0
				for line := range strings.Lines(b.String()) {
					if !strings.HasPrefix(line, "\t") {
						heads++
					}
				}
				if heads != 2 {
					t.Errorf("%s : got %d lines that are not indented, want one for each of two diagnostics:\n%s", what, heads, &b)
				}
				if _, err := screen.NewTerminal(&shown).Write(b.Bytes()); err != nil || command.MatchString(shown.String()) {
					t.Errorf("%s: got %q on a terminal, error %v", what, &shown, err)
				}
			case "json":
				var read struct {
					Diagnostics []struct{ Message, File string }
				}
				if err := json.Unmarshal(b.Bytes(), &read); err != nil || read.Diagnostics[0].Message != strings.ToValidUTF8(text, "\ufffd") && utf8.ValidString(text) {
					t.Errorf("%s: got %+v, error %v", what, read, err)
				}
			case "junit":
				if err := xml.Unmarshal(b.Bytes(), new(struct{ XMLName xml.Name })); err != nil {
					t.Errorf("%s: error %v:\n%s", what, err, &b)
				}
			case "sarif":
				if uri := regexp.MustCompile(`"uri": "([^"]*)"`).FindStringSubmatch(b.String()); uri == nil || !regexp.MustCompile(`^[-A-Za-z0-9._~!$&'()*+,;=@%/]*$`).MatchString(uri[1]) {
					t.Errorf("%s: got uri %q", what, uri)
				}
			}
		}
	}
}
