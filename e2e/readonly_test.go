package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"
)

// A readOnlyRow is an update in testdata/script/readonly.txtar, a suite that the command test
// runs there.
type readOnlyRow struct {
	Name, Initial, Updated             string
	ExpectedError, ExpectedStatusError string
}

// readOnlyRows returns the updates, after comparing the types that they are for with those of
// the case own-read-only, whose definition is installed.
func readOnlyRows(t *testing.T) []readOnlyRow {
	t.Helper()
	script, err := txtar.ParseFile(filepath.Join(root, "testdata", "script", "readonly.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(filepath.Join(root, "testdata", "crd", "own-read-only.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	file := func(a *txtar.Archive, name string) []byte {
		for _, f := range a.Files {
			if f.Name == name {
				return f.Data
			}
		}
		t.Fatalf("no file %s", name)
		return nil
	}
	if string(file(script, "v1/types.go")) != string(file(archive, "v1/types.go")) {
		t.Error("the script and the case have different types")
	}
	var suite struct {
		Tests struct{ OnUpdate []readOnlyRow }
	}
	if err := yaml.Unmarshal(file(script, "readonly.testsuite.yaml"), &suite); err != nil || len(suite.Tests.OnUpdate) < 30 {
		t.Fatalf("%d rows: %v", len(suite.Tests.OnUpdate), err)
	}
	return suite.Tests.OnUpdate
}

// TestReadOnly makes updates of read-only fields, first of the object and then of its status,
// and expects the responses that the command test does.
func TestReadOnly(t *testing.T) {
	part(t, "read-only fields")
	s := cluster(t)
	ctx := within(t)
	installed(t, s, caseCRD(t, "own-read-only"))
	const path = "/apis/example.com/v1/namespaces/default/widgets"
	send := func(t *testing.T, method, path string, object map[string]any) Answer {
		t.Helper()
		body, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Do(ctx, method, path+"?"+Strict, JSON, body)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	parse := func(t *testing.T, text string) map[string]any {
		t.Helper()
		body, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return objectOf(t, body)
	}
	with := func(object, stored map[string]any, keys ...string) map[string]any {
		out := maps.Clone(object)
		for _, key := range keys {
			out[key] = stored[key]
		}
		return out
	}
	rejected := 0
	for _, row := range readOnlyRows(t) {
		t.Run(row.Name, func(t *testing.T) {
			initial, updated := parse(t, row.Initial), parse(t, row.Updated)
			initial["metadata"] = map[string]any{"generateName": "row-"}
			a := send(t, http.MethodPost, path, initial)
			if !a.OK() {
				t.Fatal(a)
			}
			stored := objectOf(t, a.Body)
			name := path + "/" + stored["metadata"].(map[string]any)["name"].(string)
			if initial["status"] != nil {
				if a = send(t, http.MethodPut, name+"/status", with(initial, stored, "metadata")); !a.OK() {
					t.Fatal(a)
				}
				stored = objectOf(t, a.Body)
			}
			a = send(t, http.MethodPut, name, with(updated, stored, "metadata"))
			checkReadOnly(t, a, row.ExpectedError)
			if a.OK() {
				after := objectOf(t, a.Body)
				if !reflect.DeepEqual(after["status"], stored["status"]) {
					t.Errorf("an update without the subresource changed the status to %v", after["status"])
				}
				stored = after
			}
			if updated["status"] != nil {
				checkReadOnly(t, send(t, http.MethodPut, name+"/status", with(updated, stored, "metadata", "spec")), row.ExpectedStatusError)
			}
		})
		if row.ExpectedError != "" || row.ExpectedStatusError != "" {
			rejected++
		}
	}
	suite.report.Count("updates of read-only fields, as the command test says", len(readOnlyRows(t)))
	suite.report.Count("of those, rejected", rejected)
}

// checkReadOnly compares a response with the cause of the expected rejection, or success if
// there is none.
func checkReadOnly(t *testing.T, a Answer, want string) {
	t.Helper()
	got := strings.Join(tidied(a.Causes()), "\n")
	if a.OK() != (want == "") || !strings.Contains(got, want) {
		t.Errorf("%s: got causes %q, want %q", a, got, want)
	}
}
