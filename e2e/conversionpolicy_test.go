package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/conversions/policy"
)

// conversionRow is a request of a version that is not stored, for an object whose annotation
// is before; none if it is empty.
type conversionRow struct {
	name string
	// created is set for a request that creates the object.
	created bool
	before  string
	// method and contentType are those of the request; body is its object or patch, in which
	// NAME and VERSION stand for those of the object.
	method, contentType, body string
	version                   string
	// want is the annotation afterwards, and wantKept if policies leave creation alone.
	want, wantKept string
}

const (
	keptAnnotation = "policy.conversions.example.com/conversion"
	// values of the annotation
	genuine, forged = `{"v1":{"spec":{"size":1}}}`, `{"v1":{"spec":{"size":2}}}`
)

// conversionRows are requests whose annotation the policy has to replace, or leave.
func conversionRows() []conversionRow {
	with := func(annotations string) string {
		return `{"apiVersion": "policy.conversions.example.com/VERSION", "kind": "Widget", "metadata": {"name": "NAME"` + annotations + `}, "spec": {"text": "new"}}`
	}
	annotated := func(value string) string {
		return fmt.Sprintf(`, "annotations": {"other": "x", %q: %q}`, keptAnnotation, value)
	}
	other := `, "annotations": {"other": "x"}`
	merge := func(metadata string) string { return `{"metadata": {` + metadata + `}}` }
	rows := []conversionRow{
		{name: "create", created: true, body: with("")},
		{name: "create, other annotations", created: true, body: with(other)},
		{name: "create, forged", created: true, body: with(annotated(forged)), wantKept: forged},
		{name: "create of the hub", created: true, version: "v1", body: with(annotated(forged)), want: forged, wantKept: forged},
		{name: "apply, created", created: true, method: http.MethodPatch, contentType: Apply, body: with(annotated(forged)), wantKept: forged},
	}
	for _, row := range []conversionRow{
		{name: "replace, unchanged", method: http.MethodPut, body: with(annotated(genuine))},
		{name: "replace, without annotations", method: http.MethodPut, body: with("")},
		{name: "replace, with others", method: http.MethodPut, body: with(other)},
		{name: "replace, forged", method: http.MethodPut, body: with(annotated(forged))},
		{name: "merge patch of a label", method: http.MethodPatch, contentType: MergePatch, body: merge(`"labels": {"a": "b"}`)},
		{name: "merge patch, forged", method: http.MethodPatch, contentType: MergePatch, body: merge(fmt.Sprintf(`"annotations": {%q: %q}`, keptAnnotation, forged))},
		{name: "merge patch, removed", method: http.MethodPatch, contentType: MergePatch, body: merge(fmt.Sprintf(`"annotations": {%q: null}`, keptAnnotation))},
		{name: "merge patch, all removed", method: http.MethodPatch, contentType: MergePatch, body: merge(`"annotations": null`)},
		{name: "apply", method: http.MethodPatch, contentType: Apply, body: with(other)},
		{name: "apply, forged", method: http.MethodPatch, contentType: Apply, body: with(annotated(forged))},
	} {
		row.before, row.want, row.wantKept = genuine, genuine, genuine
		rows = append(rows, row)
		row.name += ", nothing kept before"
		row.before, row.want, row.wantKept = "", "", ""
		rows = append(rows, row)
	}
	return append(rows,
		conversionRow{name: "replace of the hub", version: "v1", before: genuine, method: http.MethodPut, body: with(annotated(forged)), want: forged, wantKept: forged},
		conversionRow{name: "replace of the hub, without", version: "v1", before: genuine, method: http.MethodPut, body: with("")})
}

// TestConversionPolicy makes requests of a spoke under the policies of schemagen conversions.
// The versions are equal, so that the server's own conversion does, and only the policies
// change the annotation.
func TestConversionPolicy(t *testing.T) {
	part(t, "policies of conversions")
	s, ctx := cluster(t), within(t)
	a, err := s.Do(ctx, http.MethodGet, policies+"mutatingadmissionpolicies", "", nil)
	if err != nil || !a.OK() {
		if os.Getenv(versionVariable) == "" {
			t.Fatal(err, a)
		}
		t.Skip("the server has no mutating admission policies")
	}
	version := func(name string, storage bool) string {
		return fmt.Sprintf(`{name: %s, served: true, storage: %t, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {text: {type: string}}}}}}}`, name, storage)
	}
	crd, err := NewCRD("two versions", fmt.Appendf(nil, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.policy.conversions.example.com}
spec:
  group: policy.conversions.example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Cluster
  versions: [%s, %s]
`, version("v1", true), version("v1beta1", false)))
	if err != nil {
		t.Fatal(err)
	}
	installed(t, s, crd)
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprintf("keep=%t", keep), func(t *testing.T) {
			rows := conversionRows()
			for i, row := range rows {
				if !row.created {
					row.store(t, s, fmt.Sprintf("row-%t-%d", keep, i))
				}
			}
			installPolicy(t, s, string(policy.Policy{Group: crd.Group, Version: "v1beta1", Plural: "widgets", KeepOnCreate: keep}.YAML()))
			probe := fmt.Sprintf("probe-%t", keep)
			conversionRow{before: genuine}.store(t, s, probe)
			// The policy of the first round may be evaluated for a while after it was deleted.
			created := rows[2] // forged
			for poll := (poller{}); ; {
				patched, err := s.Do(ctx, http.MethodPatch, widgetsOf("v1beta1", probe)+"?dryRun=All", MergePatch, []byte(`{"metadata": {"annotations": null}}`))
				if err == nil && patched.OK() && keptOf(t, patched) == genuine && created.got(t, s, "new-"+probe, "?dryRun=All") == created.wanted(keep) {
					break
				}
				if late := poll.next(ctx); late != nil {
					t.Fatalf("the policy was not evaluated: %v %s", err, patched)
				}
			}
			for i, row := range rows {
				t.Run(row.name, func(t *testing.T) { row.check(t, s, fmt.Sprintf("row-%t-%d", keep, i), keep) })
			}
			suite.report.Count("requests of a spoke under the policy that protects what conversions keep", len(rows))
		})
	}
}

// widgetsOf returns the path of an object, or of all if the name is empty.
func widgetsOf(version, name string) string {
	path := "/apis/policy.conversions.example.com/" + version + "/widgets"
	if name != "" {
		path += "/" + name
	}
	return path
}

// keptOf returns the annotation of an object.
func keptOf(t *testing.T, a Answer) string {
	t.Helper()
	var object struct {
		Metadata struct{ Annotations map[string]string }
	}
	if err := json.Unmarshal(a.Body, &object); err != nil {
		t.Fatal(err)
	}
	return object.Metadata.Annotations[keptAnnotation]
}

// store creates an object with the annotation, in the stored version.
func (r conversionRow) store(t *testing.T, s *Server, name string) {
	t.Helper()
	annotations := ""
	if r.before != "" {
		annotations = fmt.Sprintf(`, "annotations": {%q: %q}`, keptAnnotation, r.before)
	}
	body := fmt.Sprintf(`{"apiVersion": "policy.conversions.example.com/v1", "kind": "Widget", "metadata": {"name": %q%s}, "spec": {"text": "old"}}`, name, annotations)
	if a, err := s.Do(t.Context(), http.MethodPost, widgetsOf("v1", ""), JSON, []byte(body)); err != nil || !a.OK() {
		t.Fatalf("%v %s", err, a)
	}
}

// wanted returns the annotation that the object has to have.
func (r conversionRow) wanted(keep bool) string {
	if keep {
		return r.wantKept
	}
	return r.want
}

// got makes the request, and returns the annotation in the answer.
func (r conversionRow) got(t *testing.T, s *Server, name, query string) string {
	t.Helper()
	version := cmp.Or(r.version, "v1beta1")
	method, contentType, path := cmp.Or(r.method, http.MethodPost), cmp.Or(r.contentType, JSON), widgetsOf(version, "")
	if method != http.MethodPost {
		path = widgetsOf(version, name)
	}
	body := strings.NewReplacer("VERSION", version, "NAME", name).Replace(r.body)
	switch {
	case method == http.MethodPut:
		a, err := s.Do(t.Context(), http.MethodGet, path, "", nil)
		var stored struct {
			Metadata struct{ ResourceVersion string }
		}
		if err != nil || !a.OK() || json.Unmarshal(a.Body, &stored) != nil {
			t.Fatalf("%v %s", err, a)
		}
		body = strings.Replace(body, `"metadata": {`, fmt.Sprintf(`"metadata": {"resourceVersion": %q, `, stored.Metadata.ResourceVersion), 1)
	case contentType == Apply:
		path += "?fieldManager=applier&force=true"
	}
	a, err := s.Do(t.Context(), method, path+query, contentType, []byte(body))
	if err != nil || !a.OK() {
		t.Fatalf("%v %s", err, a)
	}
	return keptOf(t, a)
}

// check makes the request, and looks at the object in both versions.
func (r conversionRow) check(t *testing.T, s *Server, name string, keep bool) {
	t.Helper()
	if got := r.got(t, s, name, ""); got != r.wanted(keep) {
		t.Errorf("the answer has the annotation %q, want %q", got, r.wanted(keep))
	}
	for _, version := range []string{"v1", "v1beta1"} {
		stored, err := s.Do(t.Context(), http.MethodGet, widgetsOf(version, name), "", nil)
		if err != nil || !stored.OK() {
			t.Fatalf("%v %s", err, stored)
		}
		if got := keptOf(t, stored); got != r.wanted(keep) {
			t.Errorf("%s has the annotation %q, want %q", version, got, r.wanted(keep))
		}
	}
}
