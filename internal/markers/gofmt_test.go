package markers

import (
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestReformatted fixes what gofmt would change, and formats the result: the markers are the
// same as before, in the same order.
func TestReformatted(t *testing.T) {
	for name, text := range map[string]string{
		"two":      "// T is.\n//\n// +kubebuilder:validation:XValidation:rule=\"self != ''\"\n// +kubebuilder:validation:MaxLength=3\ntype T string\n",
		"between":  "// T is\n// +kubebuilder:validation:XValidation:rule=\"self != ''\"\n// a name.\ntype T string\n",
		"only":     "// +kubebuilder:validation:XValidation:rule=\"self != '``'\"\ntype T string\n",
		"above":    "// +kubebuilder:validation:MaxLength=3\n\n// T is.\n// +kubebuilder:validation:XValidation:rule=\"self != ''\"\ntype T string\n",
		"prose":    "// A section.\n\n// T is.\n// +kubebuilder:validation:XValidation:rule=\"self != ''\"\ntype T string\n",
		"previous": "type S int\n\n// T is.\n// +kubebuilder:validation:XValidation:rule=\"self != ''\"\ntype T string\n",
	} {
		t.Run(name, func(t *testing.T) {
			text := "package p\n\n" + text
			before, edit := lintText(t, text)
			if edit == nil {
				t.Fatal("nothing was found")
			}
			fixed := text[:edit.Pos-1] + edit.New + text[edit.End-1:]
			data, err := format.Source([]byte(fixed))
			if err != nil {
				t.Fatalf("%v\n%s", err, fixed)
			}
			after, more := lintText(t, string(data))
			if before != after || more != nil {
				t.Errorf("got %s\nwant %s\nfrom\n%s", after, before, data)
			}
		})
	}
}

// lintText returns the markers of the type T in a file, and the edit of the finding.
func lintText(t *testing.T, text string) (string, *Edit) {
	t.Helper()
	table, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	collected := table.Collect(file)
	var all []string
	for _, comments := range collected.types {
		for _, c := range comments {
			all = append(all, c.Text)
		}
	}
	for _, f := range table.Lint(file, collected, LintOptions{}) {
		if f.Kind == Reformatted {
			return strings.Join(all, "\n"), f.Edit
		}
	}
	return strings.Join(all, "\n"), nil
}
