package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/test/uniontable"
	"github.com/schemagen/schemagen/unions"
)

// writesFile has the answers to the writes of package uniontable.
const writesFile = root + "/testdata/unions/writes.txt"

// A writtenKind is a kind of package uniontable on a server.
type writtenKind struct {
	*uniontable.Kind
	server *Server
	// stored are the names of the stored objects, by their spec.
	stored map[string]string
}

// A writeAnswer is the answer to a write.
type writeAnswer struct {
	spec             map[string]any
	errors, warnings []string
}

// TestUnionWrites makes the writes of package uniontable by POST, PUT and merge patch, and compares
// the answers with testdata/unions/writes.txt, with which a test of package dryrun compares the
// predictions.
func TestUnionWrites(t *testing.T) {
	part(t, "writes of unions")
	s := cluster(t)
	table, err := uniontable.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	kinds := installWritten(t, s, table)
	record := &uniontable.Record{}
	writes := 0
	patches := 0
	for _, k := range kinds {
		record.Kind(k.Kind)
		for _, w := range k.Writes() {
			answer := k.write(t, w)
			record.Add(w, answer.spec, answer.errors, answer.warnings)
			writes++
			if w.Old == nil {
				continue
			}
			patches++
			if patched := k.patch(t, w); !reflect.DeepEqual(patched, answer) {
				t.Errorf("%s: %s: PUT: %v, merge patch: %v", k.Name, w.Text(), answer, patched)
			}
		}
	}
	if *updateFacts && os.Getenv(versionVariable) == "" {
		if err := os.WriteFile(writesFile, []byte(record.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(writesFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := record.String(); exactWords(s) && got != string(want) {
		t.Errorf("got\n%s", got)
	}
	suite.report.Count("writes of objects with a union, by POST and PUT, as try predicts", writes)
	suite.report.Count("of those, by merge patch, too", patches)
}

// installWritten stores the old objects of each kind before the union is described, and waits
// until the rules and policies are in effect.
func installWritten(t *testing.T, s *Server, table []uniontable.Kind) []writtenKind {
	t.Helper()
	ctx := within(t)
	var kinds []writtenKind
	var loose, described []CRD
	for i := range table {
		kinds = append(kinds, writtenKind{Kind: &table[i], server: s, stored: map[string]string{}})
		loose = append(loose, crdOf(t, table[i].Loose))
		described = append(described, crdOf(t, table[i].CRD))
	}
	t.Cleanup(func() {
		ctx, cancel := afterwards()
		defer cancel()
		each(t, loose, func(c CRD) error { return s.DeleteCRD(ctx, c.Name) })
		each(t, loose, func(c CRD) error { return s.WaitGone(ctx, c.Name) })
	})
	if len(each(t, loose, func(c CRD) error { _, err := s.CreateCRD(ctx, c); return err })) < len(loose) {
		t.FailNow()
	}
	for _, k := range kinds {
		for i, spec := range k.Olds() {
			name := fmt.Sprintf("stored-%d", i)
			k.stored[uniontable.Text(spec)] = name
			if a := k.ask(t, http.MethodPost, "", JSON, k.Object(name, spec), ""); !a.OK() {
				t.Fatalf("%s: %s", k.Name, a)
			}
		}
		if k.Policy != nil {
			stream, err := unions.PolicyYAML(k.Policy, k.Binding)
			if err != nil {
				t.Fatal(err)
			}
			installPolicy(t, s, string(stream))
		}
	}
	each(t, described, func(c CRD) error { return s.ReplaceCRD(ctx, c) })
	patience := poller{}
	for _, k := range kinds {
		a := map[string]any{}
		k.wait(t, "rules", &patience, uniontable.Write{New: map[string]any{"type": "A", "a": a, "b": a}},
			func(a Answer) bool { return a.Code == http.StatusUnprocessableEntity })
		if k.Policy != nil {
			k.wait(t, "policy", &patience, uniontable.Write{
				Old: map[string]any{"type": "A", "a": a}, New: map[string]any{"type": "B", "a": a, "b": a},
			}, Answer.OK)
		}
	}
	return kinds
}

// wait repeats a write until the answer is the expected one.
func (k writtenKind) wait(t *testing.T, what string, poll *poller, w uniontable.Write, expected func(Answer) bool) {
	t.Helper()
	ctx := within(t)
	for poll.wait = 0; ; {
		a := k.send(t, w)
		if expected(a) {
			return
		}
		if late := poll.next(ctx); late != nil {
			t.Fatalf("%s: the %s have no effect: %s", k.Name, what, a)
		}
	}
}

func crdOf(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) CRD {
	t.Helper()
	data, err := json.Marshal(crd)
	if err != nil {
		t.Fatal(err)
	}
	return CRD{From: crd.Name, Name: crd.Name, Group: crd.Spec.Group, Data: data}
}

// ask sends an object or a patch to the collection or, with a name, to one object.
func (k writtenKind) ask(t *testing.T, method, name, contentType string, body any, query string) Answer {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	path := "/apis/" + uniontable.Group + "/v1/namespaces/default/" + k.Plural
	if name != "" {
		path += "/" + name
	}
	a, err := k.server.Do(t.Context(), method, path+query, contentType, text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// send makes a write by POST or PUT, without storing anything.
func (k writtenKind) send(t *testing.T, w uniontable.Write) Answer {
	t.Helper()
	if w.Old == nil {
		return k.ask(t, http.MethodPost, "", JSON, k.Object("new", w.New), "?dryRun=All")
	}
	name := k.stored[uniontable.Text(w.Old)]
	stored := k.ask(t, http.MethodGet, name, "", nil, "")
	if !stored.OK() {
		t.Fatal(stored)
	}
	object := objectOf(t, stored.Body)
	object["spec"] = w.New
	return k.ask(t, http.MethodPut, name, JSON, object, "?dryRun=All")
}

func (k writtenKind) write(t *testing.T, w uniontable.Write) writeAnswer {
	t.Helper()
	return k.answer(t, w, k.send(t, w))
}

// patch makes a write by a merge patch.
func (k writtenKind) patch(t *testing.T, w uniontable.Write) writeAnswer {
	t.Helper()
	var texts [2][]byte
	for i, spec := range []map[string]any{w.Old, w.New} {
		text, err := json.Marshal(map[string]any{"spec": spec})
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = text
	}
	patch, err := jsonpatch.CreateMergePatch(texts[0], texts[1])
	if err != nil {
		t.Fatal(err)
	}
	a := k.ask(t, http.MethodPatch, k.stored[uniontable.Text(w.Old)], MergePatch, json.RawMessage(patch), "?dryRun=All")
	return k.answer(t, w, a)
}

func (k writtenKind) answer(t *testing.T, w uniontable.Write, a Answer) writeAnswer {
	t.Helper()
	out := writeAnswer{warnings: a.Warnings}
	switch {
	case a.OK():
		out.spec, _ = objectOf(t, a.Body)["spec"].(map[string]any)
	case a.Code == http.StatusUnprocessableEntity:
		out.errors = a.Causes()
		slices.Sort(out.errors)
	default:
		t.Fatalf("%s: %s: %s", k.Name, w.Text(), a)
	}
	slices.Sort(out.warnings)
	return out
}
