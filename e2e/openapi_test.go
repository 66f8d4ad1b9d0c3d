package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// TestOpenAPICases checks that the documents generated for the expected definitions in
// testdata/crd equal those that a server publishes.
func TestOpenAPICases(t *testing.T) {
	ofThisVersion(t)
	part(t, "published documents of testdata/crd")
	s := cluster(t)
	wanted, _, err := CaseCRDs(root)
	if err != nil {
		t.Fatal(err)
	}
	wanted = sampled(wanted)
	ctx := within(t)
	groups, err := s.BuiltInGroups(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// All of them at once. Many cases use the same names, or built-in groups.
	names := map[string]bool{}
	for i, c := range wanted {
		if names[c.Name] || slices.Contains(groups, c.Group) {
			wanted[i] = inGroup(t, c, fmt.Sprintf("openapi%d.test", i))
		}
		names[c.Name] = true
	}
	wanted = each(t, wanted, func(c CRD) error { _, err := s.CreateCRD(ctx, c); return err })
	compared := comparePublished(ctx, t, s, wanted)
	shown := compareShown(ctx, t, s, wanted)
	dir := writeCRDs(t, wanted)
	lists := compareDiscovery(ctx, t, s, dir, groupVersionsOf(writtenDocuments(t, dir)))
	each(t, wanted, func(c CRD) error { return s.DeleteCRD(ctx, c.Name) })
	each(t, wanted, func(c CRD) error { return s.WaitGone(ctx, c.Name) })
	t.Logf("%d documents of %d definitions compared, and %d parts of them", compared, len(wanted), shown)
	if compared < least(100) || shown < least(300) {
		t.Errorf("got only %d documents and %d parts", compared, shown)
	}
	suite.report.Count("documents of OpenAPI v2 and v3 of the definitions of testdata/crd, equal to the server's", compared)
	suite.report.Count("definitions that schemagen schema --published prints of them, equal to the server's", shown)
	suite.report.Count("discovery responses for them, equal to the server's", lists)
}

// TestOpenAPIBench does the same for the definitions of the API modules in bench/, all on one
// server.
func TestOpenAPIBench(t *testing.T) {
	ofThisVersion(t)
	if testing.Short() {
		t.Skip("the modules of bench/ take several GB")
	}
	part(t, "published documents of the modules in bench/")
	crds, _ := benchCRDs(t)
	s, _, err := ownServer(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	ctx := within(t)
	compared := 0
	var now []CRD
	for i, batch := range batches(crds) {
		if i == 0 {
			now = each(t, batch, func(c CRD) error { _, err := s.CreateCRD(ctx, c); return err })
		} else {
			for _, c := range each(t, batch, func(c CRD) error { return s.ReplaceCRD(ctx, c) }) {
				at := slices.IndexFunc(now, func(old CRD) bool { return old.Name == c.Name })
				now[at] = c
			}
		}
		compared += comparePublished(ctx, t, s, now)
	}
	t.Logf("%d documents of %d definitions compared", compared, len(now))
	if len(now) < 180 || compared < 50 {
		t.Errorf("got only %d documents of %d definitions", compared, len(now))
	}
	suite.report.Count("documents of OpenAPI v2 and v3 of the definitions of bench/, equal to the server's", compared)
}

// ofThisVersion skips a test if the server has another version than the one whose documents
// schemagen generates.
func ofThisVersion(t *testing.T) {
	t.Helper()
	if version := os.Getenv(versionVariable); version != "" {
		t.Skipf("documents are generated for the module's version, not for %s", version)
	}
}

// batches groups definitions that can be on a server at the same time: definitions of the
// same name are in different batches. Duplicates are left out.
func batches(crds []CRD) [][]CRD {
	var out [][]CRD
	seen, times := map[string]bool{}, map[string]int{}
	for _, c := range crds {
		if seen[string(c.Data)] {
			continue
		}
		at := times[c.Name]
		seen[string(c.Data)], times[c.Name] = true, at+1
		if at == len(out) {
			out = append(out, nil)
		}
		out[at] = append(out[at], c)
	}
	return out
}

// comparePublished compares the documents that the server publishes for definitions with
// those that the command writes, and returns the number of equal documents. The server
// updates its documents after a second or more, so it is polled while there is a difference.
func comparePublished(ctx context.Context, t *testing.T, s *Server, crds []CRD) int {
	t.Helper()
	dir := writeCRDs(t, crds)
	documents := writtenDocuments(t, dir)
	groupVersions := groupVersionsOf(documents)
	equal := 0
	for _, path := range slices.Sorted(maps.Keys(documents)) {
		var poll poller
		for {
			found := documentDifferences(ctx, t, s, path, documents[path], groupVersions)
			if len(found) == 0 {
				equal++
				break
			}
			var late error
			if late = poll.next(ctx); late != nil {
				for _, difference := range found[:min(len(found), 40)] {
					t.Errorf("%s: %s", path, difference)
				}
				return equal
			}
		}
	}
	return equal
}

// compareShown compares what the command schema --published prints about each version that is
// served with the definition in the server's documents, and returns the number of equal ones.
// The server has published them: comparePublished has waited for it.
func compareShown(ctx context.Context, t *testing.T, s *Server, crds []CRD) int {
	t.Helper()
	served := map[string][]CRD{}
	for _, c := range crds {
		var object apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(c.Data, &object); err != nil {
			t.Fatal(err)
		}
		for _, v := range object.Spec.Versions {
			if v.Served {
				served[v.Name] = append(served[v.Name], c)
			}
		}
	}
	equal := 0
	for _, document := range []string{"v2", "v3"} {
		t.Run("schema --published "+document, func(t *testing.T) {
			theirs := map[string]map[string]any{} // by address
			for _, version := range slices.Sorted(maps.Keys(served)) {
				cmd := exec.CommandContext(ctx, schemagen(t), "schema", writeCRDs(t, served[version]), "--version", version, "--published", document)
				text, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				shown := strings.Split(string(text), "---\n")[1:]
				if len(shown) != len(served[version]) {
					t.Errorf("version %s: %d definitions of %d", version, len(shown), len(served[version]))
				}
				for _, one := range shown {
					var ours map[string]any
					if err := yaml.Unmarshal([]byte(one), &ours); err != nil {
						t.Fatal(err)
					}
					name, address := publishedAs(ours, document)
					if theirs[address] == nil {
						theirs[address] = publishedDefinitions(ctx, t, s, address)
					}
					title, _, _ := strings.Cut(one, "\n")
					found := jsonDifferences("", withoutUnions(ours), theirs[address][name])
					for _, difference := range found {
						t.Errorf("%s: %s", title, difference)
					}
					if len(found) == 0 {
						equal++
					}
				}
			}
		})
	}
	return equal
}

// publishedAs returns the name of a definition, and the address of the document that has it.
func publishedAs(definition map[string]any, document string) (name, address string) {
	list, _ := definition["x-kubernetes-group-version-kind"].([]any)
	if len(list) != 1 {
		return "", ""
	}
	gvk, _ := list[0].(map[string]any)
	parts := strings.Split(fmt.Sprint(gvk["group"]), ".")
	slices.Reverse(parts)
	name = fmt.Sprintf("%s.%s.%s", strings.Join(parts, "."), gvk["version"], gvk["kind"])
	if document == "v2" {
		return name, "/openapi/v2"
	}
	return name, fmt.Sprintf("/openapi/v3/apis/%s/%s", gvk["group"], gvk["version"])
}

// publishedDefinitions returns the definitions in a document of the server.
func publishedDefinitions(ctx context.Context, t *testing.T, s *Server, address string) map[string]any {
	t.Helper()
	a, err := s.Do(ctx, http.MethodGet, address, "", nil)
	if err != nil || !a.OK() {
		t.Fatal(address, err, a)
	}
	document, _ := decoded(a.Body).(map[string]any)
	definitions, is := document["definitions"].(map[string]any)
	if components, isV3 := document["components"].(map[string]any); isV3 {
		definitions, is = components["schemas"].(map[string]any)
	}
	if !is {
		t.Fatalf("%s has no definitions", address)
	}
	return definitions
}

// writtenDocuments returns the documents that the command openapi writes, by path below
// /openapi.
func writtenDocuments(t *testing.T, crds string) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), schemagen(t), "openapi", crds, "-o", dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := map[string][]byte{}
	err := filepath.WalkDir(filepath.Join(dir, "openapi"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path, err := filepath.Rel(filepath.Join(dir, "openapi"), name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		out[strings.TrimSuffix(filepath.ToSlash(path), "/index.json")] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// groupVersionsOf returns the group versions that have an OpenAPI v3 document.
func groupVersionsOf(documents map[string][]byte) []string {
	var out []string
	for path := range documents {
		if gv, is := strings.CutPrefix(path, "v3/apis/"); is {
			out = append(out, gv)
		}
	}
	return out
}

// writeCRDs writes definitions to a directory.
func writeCRDs(t *testing.T, crds []CRD) string {
	t.Helper()
	dir := t.TempDir()
	for i, c := range crds {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), c.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// documentDifferences compares a document with the server's.
func documentDifferences(ctx context.Context, t *testing.T, s *Server, path string, data []byte, groupVersions []string) []string {
	t.Helper()
	a, err := s.Do(ctx, http.MethodGet, "/openapi/"+path, "", nil)
	if err != nil {
		return []string{err.Error()}
	}
	if !a.OK() {
		return []string{a.String()}
	}
	ours, theirs := withoutUnions(decoded(data)), decoded(a.Body)
	for _, document := range []any{ours, theirs} {
		forgetGroups(document)
	}
	switch path {
	case "v2":
		keepShared(ours, theirs, groupVersions)
	case "v3":
		ours, theirs = addressesOf(ours, groupVersions), addressesOf(theirs, groupVersions)
	}
	return jsonDifferences("", ours, theirs)
}

// keepShared reduces OpenAPI v2 documents to the part that both must have: the server has a
// single document for all of its APIs, with its own title, version and security. Definitions
// and parameters that custom resources do not refer to are removed.
func keepShared(ours, theirs any, groupVersions []string) {
	x, y := ours.(map[string]any), theirs.(map[string]any)
	for _, document := range []map[string]any{x, y} {
		maps.DeleteFunc(document, func(key string, _ any) bool { return key == "info" || strings.HasPrefix(key, "security") })
	}
	keep := func(kind string, isOurs func(name, gv string) bool) {
		mine, _ := x[kind].(map[string]any)
		all, _ := y[kind].(map[string]any)
		maps.DeleteFunc(all, func(name string, _ any) bool {
			_, both := mine[name]
			return !both && !slices.ContainsFunc(groupVersions, func(gv string) bool { return isOurs(name, gv) })
		})
	}
	keep("parameters", func(string, string) bool { return false })
	keep("paths", func(path, gv string) bool { return strings.HasPrefix(path, "/apis/"+gv+"/") })
	keep("definitions", func(name, gv string) bool {
		group, version, _ := strings.Cut(gv, "/")
		parts := strings.Split(group, ".")
		slices.Reverse(parts)
		kind, in := strings.CutPrefix(name, strings.Join(parts, ".")+"."+version+".")
		return in && !strings.Contains(kind, ".")
	})
}

// forgetGroups removes the group versions of DeleteOptions and WatchEvent: each server lists
// those that are compiled into it.
func forgetGroups(document any) {
	whole, _ := document.(map[string]any)
	definitions, _ := whole["definitions"].(map[string]any)
	if components, is := whole["components"].(map[string]any); is {
		definitions, _ = components["schemas"].(map[string]any)
	}
	for _, name := range []string{"DeleteOptions", "WatchEvent"} {
		if definition, is := definitions["io.k8s.apimachinery.pkg.apis.meta.v1."+name].(map[string]any); is {
			delete(definition, "x-kubernetes-group-version-kind")
		}
	}
}

// addressesOf returns the addresses in an index of OpenAPI v3, without hashes. Hashes are of
// bytes, and schemagen's documents are indented.
func addressesOf(index any, groupVersions []string) any {
	paths, _ := index.(map[string]any)["paths"].(map[string]any)
	out := map[string]any{}
	for _, gv := range groupVersions {
		entry, _ := paths["apis/"+gv].(map[string]any)
		url, _ := entry["serverRelativeURL"].(string)
		out[gv], _, _ = strings.Cut(url, "?hash=")
	}
	return out
}

// withoutUnions removes x-kubernetes-unions, which no server supports.
func withoutUnions(value any) any {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "x-kubernetes-unions")
		for _, child := range value {
			withoutUnions(child)
		}
	case []any:
		for _, child := range value {
			withoutUnions(child)
		}
	}
	return value
}

// jsonDifferences returns the paths at which two values differ.
func jsonDifferences(path string, a, b any) []string {
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if !isX || !isY {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{fmt.Sprintf("%s: ours %s, the server's %s", path, brief(a), brief(b))}
	}
	var out []string
	keys := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		mine, inX := x[key]
		theirs, inY := y[key]
		switch at := path + "/" + key; {
		case !inY:
			out = append(out, fmt.Sprintf("%s: only ours: %s", at, brief(mine)))
		case !inX:
			out = append(out, fmt.Sprintf("%s: only the server's: %s", at, brief(theirs)))
		default:
			out = append(out, jsonDifferences(at, mine, theirs)...)
		}
	}
	return out
}

func brief(value any) string {
	raw, _ := json.Marshal(value)
	return string(raw[:min(len(raw), 300)])
}
