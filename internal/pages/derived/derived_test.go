package derived

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/structural"
)

// definitionsOf returns the definitions in the testdata of the module.
func definitionsOf(t *testing.T) (out []*crd.Definition) {
	t.Helper()
	err := filepath.WalkDir("../../../testdata", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files := []txtar.File{{Name: name, Data: data}}
		if filepath.Ext(name) == ".txtar" {
			files = txtar.Parse(data).Files
		}
		for _, file := range files {
			if !strings.HasSuffix(file.Name, "yaml") {
				continue
			}
			manifests, _, position := crd.File{Name: file.Name, Data: file.Data, Mixed: true}.Read()
			for _, m := range manifests {
				if d := crd.FromManifest(m, position); d != nil && len(d.CRD.Spec.Versions) > 0 {
					out = append(out, d)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestComments checks that comments change nothing: what is written for each definition of
// testdata decodes to what the packages derive, and a published definition to the one in the
// document that schemagen openapi writes.
func TestComments(t *testing.T) {
	compared := map[string]int{}
	for _, d := range definitionsOf(t) {
		for i, version := range d.CRD.Spec.Versions {
			if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
				continue
			}
			same := func(name string, o Options, want any) {
				o.Version = version.Name
				text, err := YAML(d, o)
				if err != nil {
					t.Errorf("%s %s: %v", d.CRD.Name, name, err)
					return
				}
				var got any
				if err := yaml.Unmarshal(text, &got); err != nil {
					t.Errorf("%s %s: %v in\n%s", d.CRD.Name, name, err, text)
					return
				}
				if !reflect.DeepEqual(got, plainJSON(t, want)) {
					t.Errorf("%s %s: other values in\n%s", d.CRD.Name, name, text)
				}
				compared[name]++
			}
			s := d.Schemas[i]
			withUnions := func(s *structural.Schema) any {
				out, err := rendered(s.Props(), s)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			same("unfold", Options{Unfold: true}, withUnions(structural.Unfold(s)))
			same("drop", Options{DropValidations: true}, withUnions(structural.DropValueValidations(s)))
			if skeleton, err := structural.Skel(version.Schema.OpenAPIV3Schema); err == nil {
				same("skeleton", Options{Skeleton: true}, json.RawMessage(skeleton.String()))
			}
			for _, r := range publish.Resources(d.CRD, d.Schemas, d.Unsupported) {
				if r.Version != version.Name || len(publish.BadNames(r)) > 0 {
					continue
				}
				documents, err := publish.Documents([]*publish.Resource{r}, publish.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, document := range documents {
					var content struct {
						Definitions map[string]any                   `json:"definitions"`
						Components  struct{ Schemas map[string]any } `json:"components"`
					}
					if json.Unmarshal(document.Data, &content) != nil {
						continue // protobuf
					}
					for name, published := range map[string]map[string]any{"v2": content.Definitions, "v3": content.Components.Schemas} {
						for _, definition := range published {
							kinds, _ := definition.(object)["x-kubernetes-group-version-kind"].([]any)
							if len(kinds) == 1 && kinds[0].(object)["kind"] == r.Kind && kinds[0].(object)["group"] == r.Group {
								same(name, Options{Published: name}, definition)
							}
						}
					}
				}
			}
		}
	}
	t.Log(compared)
	for _, name := range []string{"unfold", "drop", "skeleton", "v2", "v3"} {
		if compared[name] < 50 {
			t.Errorf("%s: only %d definitions were compared", name, compared[name])
		}
	}
}

// plainJSON returns a value as it is decoded without knowledge of types.
func plainJSON(t *testing.T, v any) (out any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
