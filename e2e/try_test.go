package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/apiserver"
)

// A tryKind is a definition with objects for it.
type tryKind struct {
	crd, loose CRD
	object     *apiextensionsv1.CustomResourceDefinition
	version    string
	// kind is prepared from the definition with its rules, free without them.
	kind, free *apiserver.Kind
	objects    []map[string]any
	// old are objects to store, some of which violate the rules.
	old []map[string]any
}

// TestTryPredicts compares apiserver.Kind, which the command try uses, with the server: the
// stored object, or the errors with their paths and messages, must be the same.
func TestTryPredicts(t *testing.T) {
	part(t, "predictions of try")
	s := cluster(t)
	kinds := tryKinds(t, s)
	storeTried(t, s, kinds)
	counts := map[string]int{}
	for _, k := range kinds {
		t.Run(k.crd.From, func(t *testing.T) {
			for _, object := range k.objects {
				k.compare(t, s, object, nil, counts)
			}
			c := chance{rand.New(rand.NewPCG(2, uint64(len(k.crd.Data)))), 12}
			for _, old := range k.old {
				for range 5 {
					k.compare(t, s, k.changed(t, c, old), old, counts)
				}
			}
		})
	}
	t.Logf("%d kinds, %v", len(kinds), counts)
	for what, least := range map[string]int{
		"objects": 700, "accepted": 250, "rejected": 300, "updates": 200, "pruned": 50, "defaulted": 30, "nulls": 10,
		"by rules": 20, "warned": 5, "undecodable or another object": 1,
	} {
		if counts[what] < least {
			t.Errorf("got only %d %s", counts[what], what)
		}
	}
	suite.report.Count("kinds with random objects", len(kinds))
	suite.report.Count("their random objects, created or updated as try predicts", counts["objects"])
	suite.report.Count("of those, updates of stored objects", counts["updates"])
	suite.report.Count("of those, rejected with the same messages and field paths", counts["rejected"])
	suite.report.Count("of those, rejected by CEL rules alone", counts["by rules"])
	suite.report.Count("of those, stored with the same content", counts["accepted"])
}

// tryKinds returns the definitions in testdata/crd and the examples that have defaults,
// unknown fields to prune or validations, each with random objects.
func tryKinds(t *testing.T, s *Server) []*tryKind {
	t.Helper()
	wanted, _, err := CaseCRDs(root)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := s.BuiltInGroups(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []*tryKind
	for i, crd := range append(exampleCRDs(t), wanted...) {
		words := 0
		for _, word := range []string{"x-kubernetes-", "default:", "enum:", "pattern:", "minimum:", "maximum:", "minLength:", "maxLength:", "required:", "format:", "nullable:", "Items:"} {
			words += strings.Count(string(crd.Data), word)
		}
		if words < 8 || slices.Contains(groups, crd.Group) {
			continue
		}
		k := newTryKind(t, inGroup(t, crd, fmt.Sprintf("try%d.test", i)))
		if k == nil {
			continue
		}
		k.generate(t, uint64(i))
		out = append(out, k)
	}
	return out
}

// exampleCRDs returns the definitions of the examples.
func exampleCRDs(t *testing.T) []CRD {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), schemagen(t), "crd", "./quickstart/api/...", "-o", filepath.Join(dir, "crds"))
	cmd.Dir = filepath.Join(root, "examples")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return append(readCRDs(t, filepath.Join(dir, "crds"), "quickstart"), readCRDs(t, filepath.Join(root, "examples", "webhook", "config", "crd"), "webhook")...)
}

// inGroup returns a definition moved to another group, because the cases reuse names.
func inGroup(t *testing.T, crd CRD, group string) CRD {
	t.Helper()
	var object apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(crd.Data, &object); err != nil {
		t.Fatalf("%s: %v", crd.From, err)
	}
	object.Spec.Group, object.Name = group, object.Spec.Names.Plural+"."+group
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return CRD{From: crd.From, Name: object.Name, Group: group, Data: data}
}

// newTryKind prepares the storage version. It returns nil if that version is not served.
func newTryKind(t *testing.T, crd CRD) *tryKind {
	t.Helper()
	k := &tryKind{crd: crd, loose: withoutRules(t, crd)}
	kindOf := func(data []byte) *apiserver.Kind {
		k.object = &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(data, k.object); err != nil {
			t.Fatalf("%s: %v", crd.From, err)
		}
		at := slices.IndexFunc(k.object.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
			return v.Storage && v.Served && !v.Deprecated && v.Schema != nil
		})
		if at < 0 {
			return nil
		}
		k.version = k.object.Spec.Versions[at].Name
		kind, err := apiserver.NewKind(k.object, k.version)
		if err != nil {
			t.Fatalf("%s: %v", crd.From, err)
		}
		return kind
	}
	if k.free = kindOf(k.loose.Data); k.free == nil {
		return nil
	}
	k.kind = kindOf(crd.Data)
	return k
}

func (k *tryKind) schema() *apiextensionsv1.JSONSchemaProps {
	for _, v := range k.object.Spec.Versions {
		if v.Name == k.version {
			return v.Schema.OpenAPIV3Schema
		}
	}
	return nil
}

// random returns a random object. Its metadata is valid except for an unknown field.
func (k *tryKind) random(t *testing.T, c chance, name string) map[string]any {
	t.Helper()
	out := c.object(k.schema(), 0)
	meta := map[string]any{"name": name}
	if k.object.Spec.Scope == apiextensionsv1.NamespaceScoped {
		meta["namespace"] = "default"
	}
	if c.one(4) {
		meta["labels"] = map[string]any{"a": "b"}
	}
	if c.wrong > 0 && c.one(5) {
		meta["unknown"] = "a"
	}
	if c.wrong > 0 && c.one(10) {
		meta["labels"] = map[string]any{"a": int64(1)}
	}
	out["apiVersion"], out["kind"], out["metadata"] = k.object.Spec.Group+"/"+k.version, k.object.Spec.Names.Kind, meta
	// As read from a file: whole numbers become integers.
	body, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return objectOf(t, body)
}

// generate creates random objects. From those that can be stored without rules, it picks one
// that satisfies the rules and one that violates them as old objects.
func (k *tryKind) generate(t *testing.T, seed uint64) {
	t.Helper()
	for i := range 10 {
		c := chance{rand.New(rand.NewPCG(seed, uint64(i))), []int{0, 0, 40, 12}[i%4]}
		k.objects = append(k.objects, k.random(t, c, fmt.Sprintf("new-%d", i)))
	}
	found := map[bool]bool{}
	c := chance{rand.New(rand.NewPCG(seed, 1000)), 0}
	for i := range 20 {
		object := k.random(t, c, fmt.Sprintf("old-%d", i))
		before, after := k.created(t, k.free, object), k.created(t, k.kind, object)
		if good := len(after.Errors) == 0; len(before.Errors) == 0 && !found[good] {
			found[good] = true
			k.old = append(k.old, object)
		}
	}
}

func (k *tryKind) created(t *testing.T, kind *apiserver.Kind, object map[string]any) apiserver.Answer {
	t.Helper()
	a, err := kind.Create(t.Context(), object)
	if err != nil {
		t.Fatalf("%s: %v", k.crd.From, err)
	}
	return a
}

// changed returns the stored object with some fields of a random one.
func (k *tryKind) changed(t *testing.T, c chance, old map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(old)
	mix(c, out, k.random(t, c, ""))
	out["metadata"] = runtime.DeepCopyJSONValue(old["metadata"])
	delete(out["metadata"].(map[string]any), "managedFields")
	return out
}

// mix copies some fields of from, at any depth.
func mix(c chance, into, from map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(from)) {
		value := from[name]
		inner, ok := value.(map[string]any)
		existing, both := into[name].(map[string]any)
		switch {
		case ok && both && !c.one(6):
			mix(c, existing, inner)
		case c.one(4):
			into[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(into)) {
		if c.one(12) && name != "apiVersion" && name != "kind" && name != "metadata" {
			delete(into, name)
		}
	}
}

// path returns the path of the collection, or of one object.
func (k *tryKind) path(object map[string]any) string {
	out := "/apis/" + k.object.Spec.Group + "/" + k.version
	if k.object.Spec.Scope == apiextensionsv1.NamespaceScoped {
		out += "/namespaces/default"
	}
	out += "/" + k.object.Spec.Names.Plural
	if object != nil {
		out += "/" + object["metadata"].(map[string]any)["name"].(string)
	}
	return out
}

// storeTried creates the definitions without rules, stores the old objects, and adds the
// rules to the definitions.
func storeTried(t *testing.T, s *Server, kinds []*tryKind) {
	t.Helper()
	ctx := within(t)
	var loose, whole []CRD
	for _, k := range kinds {
		loose, whole = append(loose, k.loose), append(whole, k.crd)
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
		for _, object := range k.old {
			if a := k.ask(t, s, http.MethodPost, k.path(nil), object, ""); !a.OK() {
				t.Fatalf("%s: %s", k.crd.From, a)
			}
		}
	}
	each(t, whole, func(c CRD) error { return s.ReplaceCRD(ctx, c) })
	for _, k := range kinds {
		k.waitForRules(t, s)
		for i, object := range k.old {
			a, err := s.Do(ctx, http.MethodGet, k.path(object), "", nil)
			if err != nil || !a.OK() {
				t.Fatalf("%s: %v %s", k.crd.From, err, a)
			}
			k.old[i] = objectOf(t, a.Body)
		}
	}
}

// waitForRules waits until the server applies the rules, if there is an object that shows it.
func (k *tryKind) waitForRules(t *testing.T, s *Server) {
	t.Helper()
	ctx := within(t)
	for _, object := range k.objects {
		if len(k.created(t, k.free, object).Errors) > 0 || len(k.created(t, k.kind, object).Errors) == 0 {
			continue
		}
		for poll := (poller{}); k.ask(t, s, http.MethodPost, k.path(nil), object, "&dryRun=All").OK(); {
			if err := poll.next(ctx); err != nil {
				t.Errorf("%s: rules that try evaluates do not reject %v", k.crd.From, object)
				return
			}
		}
		return
	}
}

func (k *tryKind) ask(t *testing.T, s *Server, method, path string, object map[string]any, query string) Answer {
	t.Helper()
	body, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Do(t.Context(), method, path+"?fieldValidation=Ignore"+query, JSON, body)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// compare compares the prediction for an object with the server's response.
func (k *tryKind) compare(t *testing.T, s *Server, object, old map[string]any, counts map[string]int) {
	t.Helper()
	var predicted apiserver.Answer
	var err error
	var got Answer
	if old == nil {
		predicted, err = k.kind.Create(t.Context(), object)
		got = k.ask(t, s, http.MethodPost, k.path(nil), object, "&dryRun=All")
	} else {
		predicted, err = k.kind.Update(t.Context(), object, old)
		got = k.ask(t, s, http.MethodPut, k.path(object), object, "&dryRun=All")
	}
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(object)
	var errs []string
	for _, e := range predicted.Errors {
		errs = append(errs, e.Field+": "+e.ErrorBody())
	}
	causes := got.Causes()
	errs, causes = tidied(withoutSuffix(errs, object)), tidied(withoutSuffix(causes, object))
	if !exactWords(s) {
		// Errors without a path differ between versions: for a number that is not an integer,
		// servers from 1.36 on also report an error for the whole object.
		pathless := func(field string) bool { return field == "<nil>" }
		errs, causes = slices.DeleteFunc(fields(errs), pathless), slices.DeleteFunc(fields(causes), pathless)
	}
	switch {
	case got.Code == http.StatusBadRequest || got.Code == http.StatusConflict:
		counts["undecodable or another object"]++
		if len(predicted.Errors) != 1 || !saysDetail(got.Status().Message, predicted.Errors[0].Detail) {
			t.Errorf("%s: predicted %v, got %s", text, predicted.Errors, got)
		}
	case !slices.Equal(errs, causes) || got.OK() != (len(predicted.Errors) == 0):
		t.Errorf("%s: predicted\n\t%s\ngot %d\n\t%s", text, strings.Join(errs, "\n\t"), got.Code, strings.Join(causes, "\n\t"))
	case got.OK():
		counts["accepted"]++
		if want, have := content(predicted.Object), content(objectOf(t, got.Body)); !reflect.DeepEqual(want, have) {
			t.Errorf("%s: predicted\n\t%v\nstored\n\t%v", text, want, have)
		}
		if !slices.Equal(tidied(predicted.Warnings), tidied(got.Warnings)) {
			t.Errorf("%s: predicted the warnings %q, got %q", text, predicted.Warnings, got.Warnings)
		}
	default:
		counts["rejected"]++
	}
	note := func(what string, is bool) {
		if is {
			counts[what]++
		}
	}
	note("objects", true)
	note("updates", old != nil)
	note("pruned", len(predicted.Pruned) > 0)
	note("defaulted", len(predicted.Defaulted) > 0)
	note("nulls", len(predicted.Nulls) > 0)
	note("warned", len(predicted.Warnings) > 0)
	note("by rules", len(predicted.Errors) > 0 && len(k.created(t, k.free, object).Errors) == 0)
}

// withoutSuffix replaces the random suffix of a generated name in messages.
func withoutSuffix(messages []string, object map[string]any) []string {
	meta, _ := object["metadata"].(map[string]any)
	prefix, _ := meta["generateName"].(string)
	if name, _ := meta["name"].(string); prefix == "" || name != "" {
		return messages
	}
	suffix := regexp.MustCompile(regexp.QuoteMeta(prefix) + `[a-z0-9]{5}\b`)
	out := make([]string, len(messages))
	for i, m := range messages {
		out[i] = suffix.ReplaceAllString(m, prefix+"xxxxx")
	}
	return out
}

// objectOf decodes an object like the server.
func objectOf(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := utiljson.Unmarshal(body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// content returns an object without the metadata that only the server writes.
func content(object map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(object)
	if meta, ok := out["metadata"].(map[string]any); ok {
		for _, name := range []string{"uid", "creationTimestamp", "generation", "managedFields", "resourceVersion"} {
			delete(meta, name)
		}
	}
	return out
}
