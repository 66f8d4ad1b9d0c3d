package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/yaml"
)

// A unionShape is a kind with the requests to make for it, as written by TestWriteClusterRows
// of package unions; the fields are documented there.
type unionShape struct {
	Name, Plural, Kind  string
	CRD, Loose          string
	Policy, PolicyError string
	Poor                bool
	Rows                []unionRow
}

type unionRow struct {
	Name, About, Operation  string
	Old, New, Typed, Object json.RawMessage
	Errors                  []string
	Cleared, Unknown        bool
	// object is the name of the stored object.
	object string
}

// A unionDifference is a response of a server that differs from the table.
type unionDifference struct {
	reason string
	code   int
	errors []string
}

// unionDifferences returns the known differences, by name of the row.
func unionDifferences() map[string]unionDifference {
	out := map[string]unionDifference{}
	for _, name := range []string{"stored unknown value, oneOf", "stored unknown value, member removed, oneOf"} {
		out[name] = unionDifference{"an unchanged value is not validated, but a oneOf validates the entire object, which has changed", http.StatusUnprocessableEntity, nil}
	}
	for column := range 5 {
		out[fmt.Sprintf("R23, column %d", column)] = unionDifference{"server-side apply takes no field that the schema does not have",
			http.StatusInternalServerError, []string{}}
	}
	return out
}

// TestUnions makes the requests of every row in the table of cases and in the version-skew
// matrix, with the rules in the definition and the policy installed.
func TestUnions(t *testing.T) {
	part(t, "unions")
	s := cluster(t)
	ctx := within(t)
	a, err := s.Do(ctx, http.MethodGet, policies+"mutatingadmissionpolicies", "", nil)
	switch {
	case err == nil && a.Code == http.StatusNotFound && os.Getenv(versionVariable) != "":
		t.Skipf("Kubernetes %s has no MutatingAdmissionPolicy", s.Version)
	case err != nil || !a.OK():
		t.Fatal(err, a)
	}
	shapes := unionShapes(t)
	installShapes(t, s, shapes)
	storeOld(t, s, shapes)
	var tightened []CRD
	for _, shape := range shapes {
		if shape.Loose != "" {
			tightened = append(tightened, shape.crd(t, shape.CRD))
		}
	}
	each(t, tightened, func(c CRD) error { return s.ReplaceCRD(ctx, c) })
	patience := poller{}
	if os.Getenv(breakVariable) == brokenCopy {
		patience.maxPolls = 40 // for most breakages the wait is in vain
	}
	for _, shape := range shapes {
		shape.waitActive(ctx, t, s, &patience)
	}

	rows, poor, cells, cleared := 0, 0, 0, 0
	ways, matrixWays := map[string]int{}, map[string]int{}
	differences := unionDifferences()
	for _, shape := range shapes {
		for _, row := range shape.Rows {
			t.Run(shape.Name+"/"+row.Name, func(t *testing.T) {
				difference, differs := differences[row.Name]
				delete(differences, row.Name)
				if shape.Loose != "" {
					row.checkAlternatives(t, s, shape, difference, ways)
				} else {
					matrixWays[row.matrixWay()]++
				}
				row.check(t, s, shape, difference, differs)
			})
			switch {
			case shape.Loose == "":
				cells++
			case shape.Poor:
				poor++
			default:
				rows++
			}
			if row.Cleared {
				cleared++
			}
		}
	}
	for name := range differences {
		t.Errorf("no row %q", name)
	}
	t.Logf("%d rows of the table, %d as oneOf, %d cells of the matrix, %d clear a member", rows, poor, cells, cleared)
	if rows < 60 || poor < 35 || cells < 220 || cleared < 40 || len(ways) != 7 || len(matrixWays) != 8 {
		t.Errorf("got too few: %v and %v", ways, matrixWays)
	}
	suite.report.Count("rows of the table of cases of unions, in the cel form", rows)
	suite.report.Count("those that have it, in the oneOf form", poor)
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		suite.report.Count("of both, by "+way, ways[way])
	}
	suite.report.Count("cells of the version-skew matrix", cells)
	for _, way := range slices.Sorted(maps.Keys(matrixWays)) {
		suite.report.Count("of these, by "+way, matrixWays[way])
	}
	suite.report.Count("requests of the table and the matrix in which the policy clears a member", cleared)
	suite.report.Count("of the table and the matrix, responses that differ for a stated reason", len(unionDifferences()))
}

func unionShapes(t *testing.T) []*unionShape {
	t.Helper()
	dir := t.TempDir()
	if _, err := goCommand(t.Context(), root, []string{"SCHEMAGEN_UNION_ROWS=" + dir}, "test", "-vet=off", "./unions", "-run", "^TestWriteClusterRows$", "-count=1"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) < 12 {
		t.Fatalf("%d shapes: %v", len(files), err)
	}
	var out []*unionShape
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		shape := &unionShape{}
		if err := json.Unmarshal(data, shape); err != nil {
			t.Fatal(err)
		}
		for i := range shape.Rows {
			shape.Rows[i].object = fmt.Sprintf("row-%d", i)
		}
		out = append(out, shape)
	}
	return out
}

func (u *unionShape) crd(t *testing.T, text string) CRD {
	t.Helper()
	crd, err := NewCRD(u.Name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// installShapes creates all definitions before any object, because the first object of a new
// definition has to wait. Then it creates the policies.
func installShapes(t *testing.T, s *Server, shapes []*unionShape) {
	t.Helper()
	ctx := within(t)
	var crds []CRD
	for _, shape := range shapes {
		text := shape.CRD
		if shape.Loose != "" {
			text = shape.Loose
		}
		crds = append(crds, shape.crd(t, text))
	}
	t.Cleanup(func() {
		ctx, cancel := afterwards()
		defer cancel()
		each(t, crds, func(c CRD) error { return s.DeleteCRD(ctx, c.Name) })
		each(t, crds, func(c CRD) error { return s.WaitGone(ctx, c.Name) })
	})
	if len(each(t, crds, func(c CRD) error { _, err := s.CreateCRD(ctx, c); return err })) < len(crds) {
		t.FailNow()
	}
	for _, shape := range shapes {
		if shape.PolicyError != "" {
			t.Errorf("%s: no policy: %s", shape.Name, shape.PolicyError)
		}
		installPolicy(t, s, shape.Policy)
	}
}

const policies = "/apis/admissionregistration.k8s.io/v1/"

// installPolicy creates the objects of a YAML stream for the duration of a test.
func installPolicy(t *testing.T, s *Server, stream string) {
	t.Helper()
	for document := range strings.SplitSeq(stream, "---\n") {
		var head struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(document), &head); err != nil {
			t.Fatal(err)
		}
		if head.Kind == "" {
			continue // empty, or only a comment
		}
		path := policies + map[string]string{
			"MutatingAdmissionPolicy":        "mutatingadmissionpolicies",
			"MutatingAdmissionPolicyBinding": "mutatingadmissionpolicybindings",
		}[head.Kind]
		if a, err := s.Do(t.Context(), http.MethodPost, path+"?"+Strict, YAML, []byte(document)); err != nil || !a.OK() {
			t.Fatalf("%s %s: %v %s", head.Kind, head.Metadata.Name, err, a)
		}
		t.Cleanup(func() {
			if a, err := s.Do(context.Background(), http.MethodDelete, path+"/"+head.Metadata.Name, "", nil); err != nil || !a.OK() {
				t.Errorf("%s %s: %v %s", head.Kind, head.Metadata.Name, err, a)
			}
		})
	}
}

// owner is the field manager of the objects that are stored first. Requests use another
// manager, except for ownersApply, an operation of rows.
const (
	owner       = "owner"
	ownersApply = "owner's APPLY"
)

// storeOld stores the old objects.
func storeOld(t *testing.T, s *Server, shapes []*unionShape) {
	t.Helper()
	for _, shape := range shapes {
		for _, row := range shape.Rows {
			if row.Operation == http.MethodPost {
				continue
			}
			a, err := s.Do(t.Context(), http.MethodPatch, shape.path(row.object)+"?fieldManager="+owner, Apply, shape.body(row.object, "", row.Old))
			if err != nil || !a.OK() {
				t.Errorf("%s, %s: %v %s", shape.Name, row.Name, err, a)
			}
		}
	}
}

func (u *unionShape) path(name string) string {
	path := "/apis/cases.test/v1/namespaces/default/" + u.Plural
	if name != "" {
		path += "/" + name
	}
	return path
}

func (u *unionShape) body(name, resourceVersion string, spec json.RawMessage) []byte {
	version := ""
	if resourceVersion != "" {
		version = fmt.Sprintf(`, "resourceVersion": %q`, resourceVersion)
	}
	return fmt.Appendf(nil, `{"apiVersion": "cases.test/v1", "kind": %q, "metadata": {"name": %q, "namespace": "default"%s}, "spec": %s}`, u.Kind, name, version, spec)
}

// ask makes the request of a row. query is appended to the URL, for example "&dryRun=All".
func (u *unionShape) ask(ctx context.Context, s *Server, row unionRow, query string) (Answer, error) {
	more := query
	query = "?fieldManager=client" + more
	switch row.Operation {
	case http.MethodPost:
		return s.Do(ctx, row.Operation, u.path("")+query, JSON, u.body(row.object, "", row.New))
	case http.MethodPatch:
		return s.Do(ctx, http.MethodPatch, u.path(row.object)+query, MergePatch, fmt.Appendf(nil, `{"spec": %s}`, row.New))
	case ownersApply:
		return s.Do(ctx, http.MethodPatch, u.path(row.object)+"?fieldManager="+owner+more, Apply, u.body(row.object, "", row.New))
	case "APPLY":
		return s.Do(ctx, http.MethodPatch, u.path(row.object)+query+"&force=true", Apply, u.body(row.object, "", row.New))
	}
	a, err := s.Do(ctx, http.MethodGet, u.path(row.object), "", nil)
	if err != nil || !a.OK() {
		return a, err
	}
	var stored struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(a.Body, &stored); err != nil {
		return a, err
	}
	return s.Do(ctx, row.Operation, u.path(row.object)+query, JSON, u.body(row.object, stored.Metadata.ResourceVersion, row.New))
}

// waitActive waits until the rules reject requests and the policy clears members. Policies
// are compiled some time after their creation, and read the types of new kinds from the
// OpenAPI document every five seconds. The number of polls is shared by all shapes.
func (u *unionShape) waitActive(ctx context.Context, t *testing.T, s *Server, poll *poller) {
	t.Helper()
	probe := func(what string, is func(unionRow) bool, done func(unionRow, Answer) bool) {
		at := slices.IndexFunc(u.Rows, is)
		if at < 0 {
			return
		}
		row := u.Rows[at]
		for poll.wait = 0; ; {
			a, err := u.ask(ctx, s, row, "&dryRun=All")
			if err == nil && done(row, a) {
				return
			}
			if late := poll.next(ctx); late != nil {
				t.Errorf("%s: no %s observed: %s results in %v %s %s", u.Name, what, row.Name, err, a, a.Body)
				return
			}
		}
	}
	probe("rules", func(r unionRow) bool { return len(r.Errors) > 0 && r.Operation != "APPLY" },
		func(_ unionRow, a Answer) bool { return a.Code == http.StatusUnprocessableEntity })
	if u.Policy != "" {
		probe("policy", func(r unionRow) bool { return r.Cleared },
			func(r unionRow, a Answer) bool { return a.OK() && reflect.DeepEqual(specOf(a.Body), decoded(r.Object)) })
	}
}

// specOf returns the spec of an object, or nil.
func specOf(body []byte) any {
	var object struct{ Spec any }
	if json.Unmarshal(body, &object) != nil {
		return nil
	}
	return object.Spec
}

// decoded returns the decoded JSON, or nil.
func decoded(text json.RawMessage) any {
	var out any
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}

// check makes the request of a row.
func (r unionRow) check(t *testing.T, s *Server, shape *unionShape, difference unionDifference, differs bool) {
	t.Helper()
	ctx := t.Context()
	var before any
	if r.Operation != http.MethodPost {
		before = r.stored(t, s, shape)
	}
	if r.Unknown && r.Operation != "APPLY" {
		a, err := shape.ask(ctx, s, r, "&dryRun=All&"+Strict)
		if err != nil || a.OK() || !strings.Contains(a.Status().Message, `unknown field "spec.n"`) {
			t.Errorf("strictly: %v %s", err, a)
		}
	}
	a, err := shape.ask(ctx, s, r, "")
	if err != nil {
		t.Fatal(err)
	}
	want, code := r.Errors, http.StatusUnprocessableEntity
	switch {
	case differs:
		t.Log(difference.reason)
		want, code = difference.errors, difference.code
	case len(want) > 0:
	case r.Operation == http.MethodPost:
		code = http.StatusCreated
	default:
		code = http.StatusOK
	}
	if differs && a.Code == http.StatusInternalServerError && !strings.Contains(a.Status().Message, ".spec.n: field not declared in schema") {
		t.Errorf("unexpected error: %s", a)
	}
	if got := memberErrors(a); !shape.Poor && !slices.Equal(got, want) || a.Code != code {
		t.Errorf("%s: %s %s to %s: %s with %q, want %d with %q", r.About, r.Operation, r.Old, r.New, a, got, code, want)
	}
	switch {
	case a.OK() && !differs:
		if got := r.stored(t, s, shape); !reflect.DeepEqual(got, decoded(r.Object)) {
			t.Errorf("%s %s to %s: got stored object %v, want %s", r.Operation, r.Old, r.New, got, r.Object)
		}
	case !a.OK() && r.Operation != http.MethodPost:
		if got := r.stored(t, s, shape); !reflect.DeepEqual(got, before) {
			t.Errorf("rejected, but got stored object %v", got)
		}
	}
}

// applyRejects returns the rows of the table that server-side apply rejects, with the
// messages: it first reads both objects with the schema, so it accepts no unknown fields,
// wrong types or duplicate keys, and keeps null.
func applyRejects() map[string]string {
	return map[string]string{
		"unknown fields":                  "field not declared in schema",
		"D is a number":                   "expected string",
		"old D is a number":               "expected string",
		"key is an object":                "expected string",
		"member is a list":                "expected map",
		"parent of the wrong type":        "expected map",
		"old parent of the wrong type":    "expected map",
		"list of the wrong type":          "expected list",
		"keyed, duplicate in new":         "duplicate entries for key",
		"keyed, another duplicate in old": "duplicate entries for key",
		"D null":                          `must be of type string: "null"`,
		"parent removed":                  `must be of type object: "null"`,
	}
}

// checkAlternatives makes the request of a row in all other ways that apply to it, and counts the
// ways. Nothing is stored.
func (r unionRow) checkAlternatives(t *testing.T, s *Server, shape *unionShape, difference unionDifference, ways map[string]int) {
	t.Helper()
	ways["an untyped client's "+r.Operation]++
	alternatives := []unionRow{{About: "server-side apply", Operation: ownersApply, New: r.New}}
	if r.Typed != nil {
		alternatives = append(alternatives, unionRow{About: "a typed client's " + r.Operation, Operation: r.Operation, New: r.Typed})
	}
	if r.Operation == http.MethodPut {
		patch, err := jsonpatch.CreateMergePatch(r.Old, r.New)
		if err != nil {
			t.Fatal(err)
		}
		alternatives = append(alternatives, unionRow{About: "merge patch", Operation: http.MethodPatch, New: patch})
	}
	for _, way := range alternatives {
		other := r
		other.Operation, other.New = way.Operation, way.New
		if r.Operation == http.MethodPost && way.Operation == ownersApply {
			other.object = "applied"
		}
		a, err := shape.ask(t.Context(), s, other, "&dryRun=All")
		if err != nil {
			t.Fatal(err)
		}
		text, rejects := applyRejects()[strings.TrimSuffix(r.Name, ", oneOf")]
		if rejects && way.Operation == ownersApply {
			ways["server-side apply, rejected because the schema does not fit"]++
			if a.OK() || !strings.Contains(a.Status().Message, text) {
				t.Errorf("%s: %s: %s, want %q", way.About, other.New, a, text)
			}
			continue
		}
		ways[way.About]++
		rejected := len(r.Errors) > 0 || difference.code != 0
		if got := memberErrors(a); !shape.Poor && !slices.Equal(got, r.Errors) || a.OK() == rejected {
			t.Errorf("%s: %s: %s with %q, want %q", way.About, other.New, a, got, r.Errors)
		}
		if a.OK() && !reflect.DeepEqual(specOf(a.Body), decoded(r.Object)) {
			t.Errorf("%s: %s: got %v, want %s", way.About, other.New, specOf(a.Body), r.Object)
		}
	}
}

// matrixWay returns the client of a cell of the matrix, whose description is "skew, client,
// intent".
func (r unionRow) matrixWay() string {
	about := strings.Split(r.About, ", ")
	way := map[string]string{http.MethodPatch: "merge patch", "APPLY": "server-side apply"}[r.Operation]
	if r.Operation == http.MethodPut {
		way = map[string]string{"structured": "a typed client's PUT", "unstructured": "an untyped client's PUT"}[about[1]]
	}
	if about[0] == "client old" || about[0] == "both old" {
		way += " (the client knows only the old version)"
	}
	return way
}

func (r unionRow) stored(t *testing.T, s *Server, shape *unionShape) any {
	t.Helper()
	a, err := s.Do(t.Context(), http.MethodGet, shape.path(r.object), "", nil)
	if err != nil || !a.OK() {
		t.Fatalf("%v %s", err, a)
	}
	return specOf(a.Body)
}

// memberErrors formats the causes of a rejection as "Type path", sorted, without the note
// that no rules were evaluated.
func memberErrors(a Answer) []string {
	out := []string{}
	if details := a.Status().Details; details != nil && !a.OK() {
		for _, c := range details.Causes {
			if !strings.Contains(c.Message, "some validation rules were not checked") {
				out = append(out, strings.TrimPrefix(string(c.Type), "FieldValue")+" "+c.Field)
			}
		}
	}
	slices.Sort(out)
	return out
}
