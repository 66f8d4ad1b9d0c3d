package passes_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// commentPlaces are declarations of type CN, which has a field, with a COMMENT before the type or the field.
var commentPlaces = []struct {
	name, text, goName, jsonName string
}{
	{"type", "COMMENT\ntype CN struct {\n\t// field is documented.\n\tF string `json:\"field\"`\n}\n", "CN", ""},
	{"type in a group", "type (\n\t// Other is documented.\n\tOtherCN string\n\nCOMMENT\n\tCN struct {\n\t\t// field is documented.\n\t\tF string `json:\"field\"`\n\t}\n)\n", "CN", ""},
	{"first field", "// CN is documented.\ntype CN struct {\nCOMMENT\n\tField string `json:\"name\"`\n}\n", "Field", "name"},
	{"second field", "// CN is documented.\ntype CN struct {\n\t// a is documented.\n\tA string `json:\"a\"`\nCOMMENT\n\tField string `json:\"name\"`\n}\n", "Field", "name"},
	{"field of a struct in a field", "// CN is documented.\ntype CN struct {\n\t// a is documented.\n\tA struct {\nCOMMENT\n\t\tField string `json:\"name\"`\n\t} `json:\"a\"`\n}\n", "Field", "name"},
}

// commentForms are comments before a declaration. NAME is the word that they begin with.
var commentForms = []struct {
	name, text string
	lost       bool
}{
	{name: "directly above", text: "// NAME is what users set."},
	{name: "above an empty line", text: "// NAME is what users set.\n", lost: true},
	{name: "of several lines above an empty line", text: "// NAME is what users set,\n// and more.\n", lost: true},
	{name: "a block above an empty line", text: "/* NAME is what users set. */\n", lost: true},
	{name: "above an empty line and markers", text: "// NAME is what users set.\n\n// +kubebuilder:validation:Optional\n// +optional", lost: true},
	{name: "with a marker above an empty line", text: "// NAME is what users set.\n// +optional\n", lost: true},
	{name: "above two empty lines", text: "// NAME is what users set.\n\n"},
	{name: "above another comment", text: "// NAME is what users set.\n\n// It is documented."},
	{name: "a heading", text: "// NAME types\n"},
	{name: "code", text: "// NAME string `json:\"name\"`\n"},
	{name: "only markers", text: "// +optional\n"},
	{name: "nothing", text: ""},
}

// TestLostComments writes comments before types and fields in all forms, and expects SG280 where one that begins with
// the name is not the description.
func TestLostComments(t *testing.T) {
	var source, fields strings.Builder
	type cell struct {
		name, subject string
		lost          bool
	}
	var cells []cell
	source.WriteString("// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n")
	for _, place := range commentPlaces {
		for _, form := range commentForms {
			for _, word := range []string{place.goName, place.jsonName, "It", "Fields"} {
				if word == "" {
					continue
				}
				name := fmt.Sprintf("C%dX", len(cells))
				kind := "type "
				if place.jsonName != "" {
					kind = "field "
				}
				rename := strings.NewReplacer("CN", name)
				isName := word == place.goName || word == place.jsonName
				cells = append(cells, cell{fmt.Sprintf("%s, comment %s, %s", place.name, form.name, word), kind + rename.Replace(place.goName), form.lost && isName})
				comment := strings.ReplaceAll(form.text, "NAME", word)
				source.WriteString(rename.Replace(strings.Replace(place.text, "COMMENT", comment, 1)) + "\n")
				fmt.Fprintf(&fields, "\tF%[1]s %[1]s `json:\"f%[1]s\"`\n", name)
			}
		}
	}
	source.WriteString("type Thing struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n" + fields.String() + "}\n")
	dir, listed := gentest.List(t, []*gentest.Case{{Name: "lostcomments", Archive: &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte(source.String())}}}}})
	options, _ := parseOptions(t, "")
	options.SkipVerify = true
	options.Dir = filepath.Join(dir, "lostcomments")
	options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/lostcomments"}
	files, findings, err := generateFiles(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(files[0].Data, []byte("description:")); n < len(cells) {
		t.Errorf("only %d descriptions", n)
	}
	found := map[string]diag.List{}
	lines := strings.Split(source.String(), "\n")
	for _, d := range findings {
		if strings.HasPrefix(string(d.Code), "SG3") {
			continue // markers that the form leaves without effect
		}
		end := d.Pos.Line // of the declaration that the comment is in or above
		for lines[end] != "}" && lines[end] != ")" {
			end++
		}
		begin := end
		for !strings.Contains(lines[begin], "X struct {") {
			begin--
		}
		name := strings.Fields(strings.TrimPrefix(strings.TrimSpace(lines[begin]), "type "))[0]
		found[name] = append(found[name], d)
	}
	lost := 0
	for i, c := range cells {
		got := found[fmt.Sprintf("C%dX", i)]
		if !c.lost {
			if len(got) > 0 {
				t.Errorf("%s: unexpected %v", c.name, got)
			}
			continue
		}
		lost++
		want := "this comment is not the description of " + c.subject + ": an empty line separates them"
		if len(got) != 1 || got[0].Code != "SG280" || got[0].Message != want || !strings.Contains(lines[got[0].Pos.Line-1], " is what users set") {
			t.Errorf("%s: got %v, want %q", c.name, got, want)
		}
	}
	t.Logf("%d comments, %d lost", len(cells), lost)
}
