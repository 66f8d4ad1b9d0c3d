package e2e

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestInvented compares verify and try with the server for definitions and objects written by
// people who have read only the documentation. A file in testdata/invented or
// testdata/invented2 has a definition and objects for it. An object with the name of an
// earlier one is an update of it. One of a version that is not the storage version is only
// written, so that what a schema does not allow can be stored.
func TestInvented(t *testing.T) {
	part(t, "invented definitions and objects")
	s := cluster(t)
	var files []string
	for _, directory := range []string{"invented", "invented2"} {
		found, err := filepath.Glob(filepath.Join("testdata", directory, "*.yaml"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no files in %s: %v", directory, err)
		}
		files = append(files, found...)
	}
	var crds []CRD
	objects := map[string][]map[string]any{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		documents := bytes.Split(text, []byte("\n---\n"))
		crd, err := NewCRD(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), documents[0])
		if err != nil {
			t.Fatal(err)
		}
		crds = append(crds, crd)
		for _, document := range documents[1:] {
			body, err := yaml.YAMLToJSON(document)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			objects[crd.From] = append(objects[crd.From], objectOf(t, body))
		}
	}
	crds = sampled(crds)
	rejected, taken := compareAll(t, s, crds)
	counts := map[string]int{}
	for _, crd := range crds {
		if a, err := s.Do(within(t), http.MethodPost, crdsPath+"?dryRun=All&"+Strict, YAML, crd.Data); err != nil || !a.OK() {
			continue // compared above
		}
		t.Run(crd.From+" objects", func(t *testing.T) {
			k := newTryKind(t, crd)
			if k == nil {
				t.Fatal("the storage version is not served")
			}
			installed(t, s, crd)
			stored := map[string]map[string]any{}
			t.Cleanup(func() { // a finalizer would keep an object, and with it the definition
				for _, object := range stored {
					path := k.path(object)
					ctx, cancel := afterwards()
					a, err := s.Do(ctx, http.MethodPatch, path, MergePatch, []byte(`{"metadata": {"finalizers": null}}`))
					cancel()
					if err != nil || !a.OK() {
						t.Logf("%s: %v %s", path, err, a)
					}
				}
			})
			for _, object := range objects[crd.From] {
				meta, _ := object["metadata"].(map[string]any)
				name, _ := meta["name"].(string)
				old := stored[name]
				if _, has := meta["resourceVersion"]; old != nil && !has { // as in kubectl replace
					meta["resourceVersion"] = old["metadata"].(map[string]any)["resourceVersion"]
				}
				if crd.From == "invented/13-named.yaml" && name == "" {
					continue // metadata.name has a pattern, and the end of a generated name is random
				}
				to := strings.SplitN(k.path(nil), "/", 5) // "", apis, group, version, …
				if version, _ := object["apiVersion"].(string); name != "" && version != to[2]+"/"+to[3] {
					// Written through another version, to be updated in the storage version.
					method, path := http.MethodPost, "/apis/"+version+"/"+to[4]
					if old != nil {
						method, path = http.MethodPut, path+"/"+name
					}
					k.ask(t, s, method, path, object, "")
					if a, err := s.Do(within(t), http.MethodGet, k.path(object), "", nil); err == nil && a.OK() {
						stored[name] = objectOf(t, a.Body)
					}
					continue
				}
				k.compare(t, s, object, old, counts)
				if old != nil || name == "" {
					continue
				}
				if a := k.ask(t, s, http.MethodPost, k.path(nil), object, ""); a.OK() {
					stored[name] = objectOf(t, a.Body)
				}
			}
		})
	}
	t.Logf("%d definitions rejected, %d accepted, objects %v", rejected, taken, counts)
	if len(crds) < least(60) || rejected < least(15) || counts["objects"] < least(200) || counts["rejected"] < least(50) || counts["updates"] < least(20) {
		t.Error("too few definitions or objects")
	}
	suite.report.Count("definitions invented from the documentation, with the response that verify predicts", len(crds))
	suite.report.Count("objects invented for them, with the response that try predicts", counts["objects"])
}
