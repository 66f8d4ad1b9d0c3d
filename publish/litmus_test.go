package publish

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"
)

// TestLitmus publishes the litmus tests of the structural-schema KEP that the server
// accepts, and compares with testdata/litmus.txtar: the properties in OpenAPI v2, in v3
// with unions in both forms and expanded, and what is missing in v2. Differences from the
// KEP are differences of the server: docs/dev/seed-errata.md.
//
// Left out of make generate: go generate runs it.
func TestLitmus(t *testing.T) {
	files, err := filepath.Glob("../structural/testdata/litmus-*.txtar")
	if err != nil || len(files) != 6 {
		t.Fatalf("%d litmus tests, %v", len(files), err)
	}
	got := &txtar.Archive{Comment: []byte("The litmus tests of the structural-schema KEP, as they are published. Rewritten by go test -update.\n\n")}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, schema := range archive.Files {
			variant, is := strings.CutSuffix(schema.Name, ".yaml")
			if !is || !strings.HasPrefix(variant, "accepted") {
				continue
			}
			name := strings.TrimSuffix(filepath.Base(file), ".txtar") + " " + variant
			r := read(t, definition("ex.io", "Shape", "v1", string(schema.Data)))[0]
			if r.Rejected != nil {
				t.Errorf("%s is not published: %s", name, r.Rejected.Reason)
				continue
			}
			for _, form := range []struct {
				name string
				dialect
			}{{"v2", dialect{v2: true}}, {"v3", dialect{}}, {"v3 unfolded", dialect{Options: Options{Unfold: true, ObjectUnions: true}}}} {
				got.Files = append(got.Files, txtar.File{Name: name + " " + form.name, Data: specOf(t, form.kindSchema(r))})
			}
			var lost strings.Builder
			for _, l := range LostInV2(r) {
				lost.WriteString(strings.TrimPrefix(l.Path, ".properties[spec]") + ": " + l.Reason + "\n")
			}
			got.Files = append(got.Files, txtar.File{Name: name + " lost", Data: []byte(lost.String())})
		}
	}
	text := txtar.Format(got)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("testdata/litmus.txtar", text, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("testdata/litmus.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("testdata/litmus.txtar is out of date; got\n%s", text)
	}
}

// specOf returns the property spec of a definition as YAML.
func specOf(t *testing.T, definition object) []byte {
	t.Helper()
	raw, err := json.Marshal(definition["properties"].(object)["spec"])
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.JSONToYAML(raw)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
