package review

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/verify"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// reviewOf returns the review of a change from one text with definitions to another.
func reviewOf(t *testing.T, old, new []byte, findings diag.List, kinds []*diag.Kind) *Review {
	t.Helper()
	target, err := apiserver.NewTarget("1.34")
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Old: "git:main", New: "new.yaml", Report: &Report{}, Findings: findings, Kinds: kinds, Server: verify.New(target, verify.Options{})}
	read := func(name string, data []byte) []*crd.Definition {
		all, found := verify.Read(crd.File{Name: name, Data: data})
		if found.HasErrors() {
			t.Fatal(found)
		}
		return all
	}
	in.Olds, in.News = read("main:new.yaml", old), read("new.yaml", new)
	changes, err := compare.Definitions(t.Context(), target, in.Olds, in.News)
	if err != nil {
		t.Fatal(err)
	}
	in.Report.Changes = compare.Folded(changes)
	r, err := New(t.Context(), &in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written(t *testing.T, r *Review, format string) []byte {
	t.Helper()
	data, err := r.Write(format)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFormats compares a review in each format with testdata.
func TestFormats(t *testing.T) {
	old, err := os.ReadFile("testdata/old.yaml")
	if err != nil {
		t.Fatal(err)
	}
	new, err := os.ReadFile("testdata/new.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kind := &diag.Kind{Code: "SG245", Title: "a boolean", Explanation: "A boolean has two values for ever."}
	r := reviewOf(t, old, new, diag.List{{Code: "SG245", Pos: diag.Position{File: "types.go", Line: 3, Column: 2}, Message: "field on is a boolean", Hint: "use a string with an enum"}}, []*diag.Kind{kind})
	for format, name := range map[string]string{"html": "review.html", "markdown": "review.md"} {
		got, name := written(t, r, format), filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs: run the test with -update, and look at the difference", name)
		}
	}
}

// TestNothing writes a review of a change without effect.
func TestNothing(t *testing.T) {
	text, err := os.ReadFile("testdata/old.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r := reviewOf(t, text, text, nil, nil)
	if page := written(t, r, "html"); !strings.Contains(string(page), "The change has no effect on the API.") {
		t.Errorf("no word about that in %s", page)
	}
	if r.Unchanged != 3 || len(r.Definitions) != 0 {
		t.Errorf("got %d definitions, %d unchanged", len(r.Definitions), r.Unchanged)
	}
}

const hostile = "</span></style><script>alert(1)</script><img src=x onerror=alert(2)>`|*_[x](javascript:alert(3))\u202e\x1b[2J {{.}}"

// TestHostile has texts in all places where a definition or a finding may have them.
func TestHostile(t *testing.T) {
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	definition := func(properties string) []byte {
		return fmt.Appendf(nil, `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"}, "spec": {
			"group": "example.com", "names": {"kind": "Widget", "plural": "widgets", "listKind": "WidgetList", "singular": "widget"}, "scope": "Namespaced",
			"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {%s}}}}}}]}}`, properties)
	}
	field := fmt.Sprintf(`"a": {"type": "string", "description": %[1]s, "enum": [%[1]s], "default": %[1]s, "pattern": %[1]s, "x-kubernetes-validations": [{"rule": "self != 'x'", "message": %[1]s}]}`, quoted)
	named := fmt.Sprintf(`%s: {"type": "array", "items": {"type": "string", "enum": [%s]}}`, quoted, quoted)
	for _, sides := range [][2][]byte{{definition(""), definition(field + ", " + named)}, {definition(field), definition("")}, {nil, definition(field + ", " + named)}} {
		kind := &diag.Kind{Code: "SG245", Title: "a boolean"}
		r := reviewOf(t, sides[0], sides[1], diag.List{{Code: "SG245", Pos: diag.Position{File: hostile, Line: 3}, Message: hostile, Hint: hostile}}, []*diag.Kind{kind})
		r.Old, r.New = hostile, hostile
		r.Definitions[0].Name, r.Definitions[0].Kind, r.Definitions[0].Group = hostile, hostile, hostile
		for i := range r.Definitions[0].Changes {
			c := &r.Definitions[0].Changes[i]
			for _, text := range []*string{&c.Version, &c.Waived, &c.NewPos.File, &c.Old, &c.New, &c.Reason, &c.Field, &c.Dependency} {
				*text = hostile
			}
		}
		r.Definitions[0].Unions = []Union{{hostile, hostile, hostile, []string{hostile}, []string{hostile}}}
		share := 0.5
		r.Definitions[0].Costs = []Cost{{hostile, 1, 2, []RuleCost{{hostile, hostile, nil, &share}}}}
		r.Definitions[0].Samples = append(r.Definitions[0].Samples, Sample{hostile, "```\n" + hostile, hostile})

		page := string(written(t, r, "html"))
		_, body, _ := strings.Cut(page, "</style>")
		ours := strings.Fields("a head body header main nav section h1 h2 h3 p ul li b strong code span div del ins label input details summary pre meter html")
		for _, tag := range regexp.MustCompile(`<[!/]?([a-zA-Z0-9-]*)([^>]*)>`).FindAllStringSubmatch(body, -1) {
			if !slices.Contains(ours, tag[1]) || regexp.MustCompile(`\son[a-z]+=|javascript:`).MatchString(tag[2]) && !strings.Contains(tag[2], "&lt;img") {
				t.Errorf("the page has %s", tag[0])
			}
		}
		if strings.Count(page, "<style") != 1 || strings.Contains(page, "<script") || strings.ContainsAny(page, "\x1b\u202e") {
			t.Error("the page has markup or control characters of a definition")
		}

		text := string(written(t, r, "markdown"))
		for _, bad := range []string{"<script", "<img", "</span", "\x1b", "\u202e", "[x]("} {
			if strings.Contains(outsideCode(text), bad) {
				t.Errorf("the text has %q outside of code:\n%s", bad, outsideCode(text))
			}
		}
		var data bytes.Buffer
		report := Report{Changes: r.Definitions[0].Changes}
		if err := report.Write(&data, "json", nil); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(data.Bytes()) || bytes.ContainsAny(data.Bytes(), "\x1b\u202e") {
			t.Error("the JSON has control characters, or is not valid")
		}
	}
}

// outsideCode returns Markdown without its fences and code spans.
func outsideCode(text string) string {
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		if ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]; fence == "" && len(ticks) >= 3 {
			fence = ticks
			continue
		}
		if fence != "" {
			if strings.TrimRight(line, "\n") == fence {
				fence = ""
			}
			continue
		}
		for line != "" {
			ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
			switch span := regexp.MustCompile("^`*[^`](?:.*?[^`])?" + ticks + "(?:[^`]|$)").FindString(line); {
			case line[0] == '\\' && len(line) > 1:
				out.WriteString(line[:2])
				line = line[2:]
			case ticks != "" && span != "":
				line = line[len(ticks):]
				line = line[regexp.MustCompile("(?:^|[^`])" + ticks + "(?:[^`]|$)").FindStringIndex(line)[1]-1:]
			default:
				out.WriteString(line[:1])
				line = line[1:]
			}
		}
	}
	return out.String()
}

// TestLongMarkdown leaves samples out of a text that is too long for a comment.
func TestLongMarkdown(t *testing.T) {
	r := &Review{Report: &Report{}, Definitions: []Definition{{Samples: []Sample{{Version: "v1", After: strings.Repeat("a: b\n", 20000)}}}}}
	if n := len(written(t, r, "markdown")); n > maxMarkdown {
		t.Errorf("it has %d bytes", n)
	}
}
