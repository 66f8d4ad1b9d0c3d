package explain

import (
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/fields"
)

func documented(t *testing.T, text string) []*Documented {
	t.Helper()
	var out []*Documented
	for _, r := range read(t, text) {
		out = append(out, &Documented{Resource: r, Field: DocumentedField(r), Examples: []Example{{Title: "Example", YAML: "a: ```\n"}}})
	}
	return out
}

func TestDocumentedField(t *testing.T) {
	f := DocumentedField(read(t, definition("ex.io", "Shape", "v1", "type: object\nx-kubernetes-embedded-resource: true\nproperties: {a: {type: object, properties: {b: {type: string}}}}"))[0])
	counts := map[string]int{}
	f.Each(func(f *fields.Field) { counts[f.Name] += len(f.Fields) })
	if counts["metadata"] != 0 || counts["a"] != 1 || counts["spec"] != 4 {
		t.Errorf("fields below: %v", counts)
	}
}

func TestMarkdownDocs(t *testing.T) {
	kinds := documented(t, definition("b.io", "Zebra", "v1", shapeSpec)+definition("a.io", "Ape", "v1", "type: object\ndescription: <b>*x*")+definition("b.io", "Bee", "v1", "minimum: 3"))
	kinds[1].Field.Description = "An <i>ape</i>."
	files := MarkdownDocs(kinds)
	if len(files) != 2 || files[0].Path != "a.io.md" || files[1].Path != "b.io.md" {
		t.Fatalf("files are %v", files)
	}
	ape, b := string(files[0].Data), string(files[1].Data)
	for _, want := range []string{"# a.io\n", "## Ape v1\n\n`a.io/v1`, plural `apes`, namespaced\n", "&lt;b&gt;\\*x\\*", "\n\nAn &lt;i&gt;ape&lt;/i&gt;.\n", "\nExample:\n\n````yaml\na: ```\n````\n"} {
		if !strings.Contains(ape, want) {
			t.Errorf("no %q in\n%s", want, ape)
		}
	}
	if bee, zebra := strings.Index(b, "## Bee v1"), strings.Index(b, "## Zebra v1"); bee < 0 || zebra < bee {
		t.Errorf("kinds are not in order:\n%s", b)
	}
	for _, want := range []string{"Its fields are not documented:", "type selects the member that is set"} {
		if !strings.Contains(b, want) {
			t.Errorf("no %q in\n%s", want, b)
		}
	}
}
