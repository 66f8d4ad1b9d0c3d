package web

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/publish"
)

// modelines writes the schemas of definitions, and returns the modelines that schemagen
// prints for them, by kind and version.
func modelines(t *testing.T, draft, from string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	printed, err := command(".", suite.schemagen, "jsonschema", from, "-o", dir, "--draft", draft, "--modeline")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(printed) {
		name := strings.TrimSuffix(filepath.Base(strings.TrimSpace(line)), ".json")
		out[name] = line
	}
	return out
}

// canvasHead is the beginning of an object, up to the fill of its first layer.
const canvasHead = `apiVersion: shapes.example.com/v1
kind: Canvas
metadata:
  name: a
spec:
  layers:
  - name: sky
    fill:
`

func TestEditorCompletesTheSelectedMember(t *testing.T) {
	e := startEditor(t)
	for _, draft := range publish.Drafts() {
		head := modelines(t, draft, suite.canvas)["canvas_v1"] + canvasHead
		for _, c := range []struct {
			name, text string
			want, not  []string
		}{
			{"nothing is selected", "      |", []string{"type"}, []string{"solid", "image", "gradient"}},
			{"solid", "      type: Solid\n      |", []string{"solid"}, []string{"image", "gradient"}},
			{"image", "      type: Image\n      |", []string{"image"}, []string{"solid", "gradient"}},
			{"no member", "      type: None\n      |", nil, []string{"solid", "image", "gradient"}},
			{"values", "      type: |", []string{"Solid", "Image", "Gradient", "None"}, nil},
			{"fields of the member", "      type: Solid\n      solid:\n        |", []string{"color"}, []string{"url"}},
			{"nested, by default", "      type: Gradient\n      gradient:\n        |", []string{"shape", "linear"}, []string{"radial"}},
			{"nested, explicit", "      type: Gradient\n      gradient:\n        shape: Radial\n        |", []string{"radial"}, []string{"linear"}},
			{"counted, none yet", "      type: None\n  source:\n    |", []string{"git", "archive"}, nil},
			{"counted, one", "      type: None\n  source:\n    git:\n      url: x\n    |", nil, []string{"archive"}},
		} {
			got := e.proposals(head + c.text)
			for _, name := range c.want {
				if !slices.Contains(got, name) {
					t.Errorf("%s, %s: want %s among the completions %q", draft, c.name, name, got)
				}
			}
			for _, name := range c.not {
				if slices.Contains(got, name) {
					t.Errorf("%s, %s: unexpected %s among the completions %q", draft, c.name, name, got)
				}
			}
		}
	}
}

func TestEditorMarksErrors(t *testing.T) {
	e := startEditor(t)
	for _, draft := range publish.Drafts() {
		head := modelines(t, draft, suite.canvas)["canvas_v1"] + canvasHead
		line := strings.Count(head, "\n")
		for _, c := range []struct {
			name, text string
			// line is relative to the fill; says is a part of the message.
			line, character int
			message         string
		}{
			{"right", "      type: Solid\n      solid:\n        color: red\n", 0, 0, ""},
			{"right, nested", "      type: Gradient\n      gradient:\n        linear:\n          angle: 3\n", 0, 0, ""},
			{"other member", "      type: None\n      image:\n        url: x\n", 1, 6, "image"},
			{"missing member", "      type: Solid\n", -1, 4, "solid"},
			{"unknown value", "      type: Fancy\n", 0, 12, "not accepted"},
			{"unknown field", "      type: Solid\n      solid:\n        color: red\n        colour: red\n", 3, 8, "colour"},
			{"wrong type", "      type: Gradient\n      gradient:\n        linear:\n          angle: \"3\"\n", 3, 17, "Incorrect type"},
			{"other nested member", "      type: Gradient\n      gradient:\n        shape: Radial\n        radial:\n          radius: 3\n        linear:\n          angle: 3\n", 5, 8, "linear"},
		} {
			_, found := e.open(head + c.text)
			if c.message == "" {
				if len(found) > 0 {
					t.Errorf("%s, %s: %v", draft, c.name, found)
				}
				continue
			}
			at := position{line + c.line, c.character}
			if len(found) != 1 || found[0].Range.Start != at || !strings.Contains(found[0].Message, c.message) {
				t.Errorf("%s, %s: want one diagnostic at %v with %q, got %v", draft, c.name, at, c.message, found)
			}
		}
		if got := e.hover(strings.Replace(head, "layers:", "lay|ers:", 1) + "      type: None\n"); !strings.Contains(got, "from the back to the front") {
			t.Errorf("got hover text %s", got)
		}
	}
}

// TestEditorOnTheLargestDefinition checks that there are completions and hovers for deeply
// nested fields of the largest definition in bench/, and no diagnostics for a sample that a
// server accepts.
func TestEditorOnTheLargestDefinition(t *testing.T) {
	e := startEditor(t)
	d := largest(t)
	for name, line := range modelines(t, publish.Drafts()[0], d.file) {
		kind := d.crd.Spec.Names.Kind
		version := strings.TrimPrefix(name, strings.ToLower(kind)+"_")
		head := line + "apiVersion: " + d.crd.Spec.Group + "/" + version + "\nkind: " + kind + "\n"
		if got := e.proposals(head + "metadata:\n  name: a\nspec:\n  receivers:\n  - name: a\n    |"); !slices.Contains(got, "slackConfigs") || !slices.Contains(got, "emailConfigs") {
			t.Errorf("%s: got completions %q", name, got)
		}
		if _, found := e.open(head + "metadata:\n  name: a\nspec:\n  receivers:\n  - name: a\n    slackConfigs:\n    - chanel: x\n"); len(found) != 1 || !strings.Contains(found[0].Message, "chanel") || found[0].Range.Start.Line != 9 {
			t.Errorf("%s: got diagnostics %v", name, found)
		}
		for _, full := range []bool{false, true} {
			data, err := json.Marshal(sampleOf(t, d, version, full))
			if err != nil {
				t.Fatal(err)
			}
			if _, found := e.open(line + string(data)); len(found) > 0 {
				t.Errorf("%s: got diagnostics %v for the sample", name, found[:min(3, len(found))])
			}
		}
	}
}

// TestEditorWithAllKinds configures the schema of all kinds in the editor.
func TestEditorWithAllKinds(t *testing.T) {
	dir := t.TempDir()
	if _, err := command(".", suite.schemagen, "jsonschema", suite.canvas, suite.bench["cert-manager"], "-o", dir); err != nil {
		t.Fatal(err)
	}
	e := startEditor(t)
	head := "# yaml-language-server: $schema=" + filepath.Join(dir, "all.json") + "\n"
	if got := e.proposals(head + canvasHead + "      type: Image\n      |"); !slices.Contains(got, "image") || slices.Contains(got, "solid") {
		t.Errorf("got completions %q", got)
	}
	if _, found := e.open(head + "apiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata:\n  name: a\nspec:\n  selfSigne: {}\n"); len(found) != 1 || !strings.Contains(found[0].Message, "selfSigne") {
		t.Errorf("got diagnostics %v", found)
	}
	if _, found := e.open(head + "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"); len(found) > 0 {
		t.Errorf("got diagnostics %v for another kind", found)
	}
}

// TestSchemaCatalog checks that the catalog refers to the schema.
func TestSchemaCatalog(t *testing.T) {
	dir := t.TempDir()
	if _, err := command(".", suite.schemagen, "jsonschema", suite.canvas, "-o", dir, "--base-url", "file://"+dir+"/"); err != nil {
		t.Fatal(err)
	}
	var catalog struct {
		Schemas []struct {
			Name, URL string
			FileMatch []string
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &catalog); err != nil {
		t.Fatal(err)
	}
	if len(catalog.Schemas) != 1 || !slices.Contains(catalog.Schemas[0].FileMatch, "*.canvas.yaml") {
		t.Fatalf("got catalog %s", data)
	}
	if _, err := os.Stat(strings.TrimPrefix(catalog.Schemas[0].URL, "file://")); err != nil {
		t.Error(err)
	}
}
