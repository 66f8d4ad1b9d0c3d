package apidocs

import (
	"errors"
	"html"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/ground/markdown"
	"github.com/schemagen/schemagen/internal/pages/explain"
	"github.com/schemagen/schemagen/publish"
)

// hostile returns texts that AsciiDoc would interpret.
func hostile() []string {
	return []string{
		"*bold* _italic_ `code` #mark# ^a^ ~b~", "image::http://x.io/a.png[]", "include::/etc/passwd[]", "link:javascript:alert(1)[x]", "+++<script>alert(1)</script>+++",
		"pass:[<script>]", "{attribute}", "<<anchor>>", "[[id]]", "= Title", "== Title", ".title", "----", "|===", "| cell", "* item", "- item", "1. item", "A. item", "a:: b", "NOTE: x", "// comment",
		"+", "a +", "ifdef::x[]", "<1>", "stem:[x]", "footnote:[x]", "(C) -- ... ->", "http://x.io", "''' ---", "\\*a*", "&amp; &#42;", "``x``", "a||b", "endif::[]", "2+| x", "`\"x\"`",
	}
}

func hostileKinds() []*explain.Documented {
	var out []*explain.Documented
	for _, text := range hostile() {
		text := "MARK " + text
		for _, shown := range []string{text, strings.TrimPrefix(text, "MARK "), text + "\n\n" + text} {
			out = append(out, &explain.Documented{
				Resource: &publish.Resource{Group: "ex.io", Version: "v1", Kind: shown, Plural: shown, ShortNames: []string{shown}},
				Versions: []explain.Version{{Name: "v1", Served: true, Warning: shown}, {Name: shown}},
				Field: &fields.Field{Description: shown, Fields: []*fields.Field{{Name: shown, Type: shown, Description: shown, Default: shown, Example: shown, Member: shown, Enum: []fields.EnumValue{{Value: shown, Description: shown}, {Value: shown}}, Limits: []string{shown},
					Rules: []fields.Rule{{Text: shown, Rule: shown}}, Unions: []fields.Union{{Text: shown, Values: []fields.UnionValue{{Value: shown, Member: shown}}}}}}},
				Examples: []explain.Example{{Title: shown, YAML: shown + "\n"}},
			})
		}
	}
	return out
}

// TestAsciiDocIsText checks that a text in AsciiDoc has only characters without a meaning.
func TestAsciiDocIsText(t *testing.T) {
	reference := regexp.MustCompile(`&#[0-9]+;`)
	for _, text := range hostile() {
		plain := reference.ReplaceAllString(asciidoc(text), "")
		if strings.ContainsAny(plain, "*_`#^~+[]{}<>|\\&\"'():;=") || strings.Contains(plain, "--") || strings.Contains(plain, "..") || regexp.MustCompile(`^[^A-Za-z]|^.\.`).MatchString(asciidoc(text)[:1]) && !strings.HasPrefix(asciidoc(text), "&#") {
			t.Errorf("%q becomes %s", text, asciidoc(text))
		}
	}
}

// TestAsciidoctor compares the text of the rendered page with the definitions. It runs
// where Asciidoctor is installed.
func TestAsciidoctor(t *testing.T) {
	program, err := exec.LookPath("asciidoctor")
	if err != nil {
		t.Skip("asciidoctor is not installed")
	}
	files, err := AsciiDoc("Title", hostileKinds())
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/" + files[0].Path
	if err := os.WriteFile(file, files[0].Data, 0o644); err != nil {
		t.Fatal(err)
	}
	out := file + ".html" // the program of npm drops the rest of a long page that it writes to a pipe
	if messages, err := exec.Command(program, "-S", "unsafe", "-o", out, "-s", file).CombinedOutput(); err != nil || len(messages) > 0 {
		t.Fatalf("%v: %s", err, messages)
	}
	page, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if odd := regexp.MustCompile(`<(script|img|em|strong|mark|sup|sub|a href="[^#h]|b class|iframe)[^>]*>`).FindAllString(string(page), 5); odd != nil {
		t.Errorf("got %v", odd)
	}
	for _, kind := range hostileKinds() {
		want := strings.Join(strings.Fields(kind.Kind), " ")
		if got := strings.Count(decoded(string(page)), want); got < 8 {
			t.Errorf("%q is shown %d times", want, got)
		}
	}
}

// decoded returns the text of HTML.
func decoded(page string) string {
	return html.UnescapeString(regexp.MustCompile(`</?[a-z][^>]*>`).ReplaceAllString(page, ""))
}

// TestTemplateErrors checks the positions of mistakes in templates.
func TestTemplateErrors(t *testing.T) {
	document := NewDocument("Title", hostileKinds())
	for _, test := range []struct{ text, want string }{
		{"\n{{", `^dir/a\.txt\.tmpl:2: error\[SG513\]: unclosed action`},
		{"\n{{.Nothing}}", `^dir/a\.txt\.tmpl:2:3: error\[SG513\]: executing "dir/a\.txt\.tmpl" at <\.Nothing>`},
		{"{{range .Groups}}\n\n{{index .Kinds 1000}}{{end}}", `^dir/a\.txt\.tmpl:3:3: error\[SG513\]: .*out of range`},
		{"{{join .Title .Title}}", `^dir/a\.txt\.tmpl:1:8: error`},
	} {
		_, findings, err := Execute([]Template{{"dir/a.txt.tmpl", test.text}}, document)
		var got strings.Builder
		if err := errors.Join(err, findings.WriteText(&got)); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(test.want).MatchString(got.String()) {
			t.Errorf("%q: got %s, want %s", test.text, got.String(), test.want)
		}
	}
	for _, name := range []string{"a.txt", ".tmpl", "dir/.tmpl"} {
		if _, _, err := Execute([]Template{{name, ""}}, document); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestMarkdownTemplate executes the template for Markdown that users may start from. It has
// every text, none of them as HTML.
func TestMarkdownTemplate(t *testing.T) {
	const name = "../../../examples/templates/api.md.tmpl"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	kinds := hostileKinds()
	files, findings, err := Execute([]Template{{name, string(text)}}, NewDocument("Title", kinds))
	if err != nil || len(findings) > 0 {
		t.Fatal(err, findings)
	}
	file := files[0]
	if file.Path != "api.md" {
		t.Errorf("it writes %s", file.Path)
	}
	page := string(file.Data)
	inExample := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "````") {
			inExample = !inExample
		}
		if !inExample && strings.HasPrefix(line, "<") {
			t.Errorf("a line of HTML: %s", line)
		}
	}
	for _, kind := range kinds {
		for _, want := range []string{"### " + markdown.Text(kind.Kind) + " v1\n", "\n- " + markdown.Code(kind.Field.Fields[0].Name) + " (", "\n  - " + markdown.Text(kind.Field.Fields[0].Limits[0]) + "\n"} {
			if !strings.Contains(page, want) {
				t.Errorf("no %q", want)
			}
		}
	}
}

// TestPageDescribesTemplates checks that docs/editor.md has every field and function.
func TestPageDescribesTemplates(t *testing.T) {
	page, err := os.ReadFile("../../../docs/editor.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(page), "### Templates")
	for _, value := range []any{Document{}, Group{}, Kind{}, fields.Row{}, fields.Field{}, fields.Union{}, fields.UnionValue{}, fields.Rule{}, fields.EnumValue{}, fields.Fact{}, explain.Version{}, explain.Documented{}, explain.Example{}} {
		for field := range reflect.TypeOf(value).Fields() {
			if !field.Anonymous && field.Name != "SchemaPath" && !strings.Contains(chapter, "`"+field.Name+"`") {
				t.Errorf("docs/editor.md does not describe %s of %T", field.Name, value)
			}
		}
	}
	for name := range Functions() {
		if !strings.Contains(chapter, "`"+name) {
			t.Errorf("docs/editor.md does not describe the function %s", name)
		}
	}
}
