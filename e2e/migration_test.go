package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/apiserver"
)

// A migrationRow is an update of an object that was stored before its type had union markers.
type migrationRow struct {
	name, plural string
	// stored is the object without type and metadata: `"spec": {…}`.
	stored string
	// patch is a merge patch, for the status subresource if status is set.
	patch  string
	status bool
	// rejected are the causes of the expected rejection; if empty, the update is accepted.
	rejected []string
	// warned is set if the update is accepted with the violated rules as warnings.
	warned bool
	// left is the object stored afterwards, without type and metadata. It is set only if that
	// is neither the object sent nor, for a rejected update, the object stored before.
	left string
	// cleared is set if the policy changes the object.
	cleared bool
	// finalized is set if the object has a finalizer. deleted is set if it was deleted before
	// the update, which removes the finalizer.
	finalized, deleted bool
	// emptied is set if no field applied by the owner is left. The server turns an applied {}
	// into null if all of its fields are removed, and then rejects the null.
	emptied bool
}

// Contents of members.
const (
	cpu     = `"resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}`
	cpuMore = `"resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}`
	queue   = `"external": {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "10"}}`
	cpuNow  = `"resource": {"name": "cpu", "current": {"averageUtilization": 50}}`
	cpuThen = `"resource": {"name": "cpu", "current": {"averageUtilization": 80}}`
	waiting = `"waiting": {"reason": "Pulling"}`
	running = `"running": {"startedAt": "2024-01-01T00:00:00Z"}`
	ended   = `"terminated": {"exitCode": 1}`

	relabel = `{"metadata": {"labels": {"a": "b"}}}`
	release = `{"metadata": {"finalizers": null}}`
)

// Messages of the rules.
var (
	noExternal   = `%s[0].external: Forbidden: may only be specified when ` + "`type`" + ` is "External"`
	noResource   = `%s[0].resource: Forbidden: may only be specified when ` + "`type`" + ` is "Resource"`
	noParameters = []string{"spec.strategy.rollingUpdate: Forbidden: may only be specified when `type` is \"RollingUpdate\""}
	oneState     = []string{"status.containerStatuses[0].state: Invalid value: must specify at most one of: `waiting`, `running`, `terminated`"}
)

func migrationRows() []migrationRow {
	return slices.Concat(metricRows(), metricStatusRows(), strategyRows(), stateRows(), addedDiscriminatorRows(), keeperRows())
}

// metricRows returns updates of MetricSpec. Its list is atomic: elements have no
// counterparts, so any change of the list counts as a change of all elements.
func metricRows() []migrationRow {
	metrics := func(elements ...string) string {
		return `"spec": {"maxReplicas": 2, "metrics": [{` + strings.Join(elements, "}, {") + `}]}`
	}
	const resource, external = `"type": "Resource", `, `"type": "External", `
	invalid := metrics(resource + cpu + ", " + queue)
	rows := []migrationRow{
		{name: "a label", stored: invalid, patch: relabel, warned: true},
		{name: "nothing", stored: invalid, patch: `{}`, warned: true},
		{name: "outside of the list", stored: invalid, patch: `{"spec": {"maxReplicas": 3}}`, warned: true},
		{name: "inside of the union", stored: invalid, patch: "{" + metrics(resource+cpuMore+", "+queue) + "}", rejected: at(noExternal, "spec.metrics")},
		{name: "another element", stored: invalid, patch: "{" + metrics(resource+cpu+", "+queue, external+queue) + "}", rejected: at(noExternal, "spec.metrics")},
		{name: "corrected by a member less", stored: invalid, patch: "{" + metrics(resource+cpu) + "}"},
		{name: "corrected by another value", stored: invalid, patch: "{" + metrics(external+queue) + "}"},
		{name: "another value alone", stored: invalid, patch: "{" + metrics(external+cpu+", "+queue) + "}", rejected: at(noResource, "spec.metrics")},
		{name: "valid, then both", stored: metrics(resource + cpu), patch: "{" + metrics(resource+cpu+", "+queue) + "}", rejected: at(noExternal, "spec.metrics")},
		{name: "valid, then another", stored: metrics(resource + cpu), patch: "{" + metrics(external+queue) + "}"},
		{name: "without a member, a label", stored: metrics(`"type": "Pods"`), patch: relabel, warned: true},
		{name: "without a member, another element", stored: metrics(`"type": "Pods"`), patch: "{" + metrics(`"type": "Pods"`, external+queue) + "}",
			rejected: []string{"spec.metrics[0].pods: Required value: must be specified when `type` is \"Pods\""}},
		{name: "an unknown value, a label", stored: metrics(`"type": "Other"`), patch: relabel},
		{name: "an unknown value, another element", stored: metrics(`"type": "Other"`), patch: "{" + metrics(`"type": "Other"`, external+queue) + "}", rejected: []string{
			`spec.metrics[0].type: Unsupported value: "Other": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"`, notChecked}},
	}
	return ofKind("autoscalers", "MetricSpec", false, rows)
}

const notChecked = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

// metricStatusRows returns updates of MetricStatus, which is below status.
func metricStatusRows() []migrationRow {
	status := func(elements string) string {
		return `"spec": {"maxReplicas": 2}, "status": {"currentMetrics": [{` + elements + `}]}`
	}
	patch := func(elements string) string { return `{"status": {"currentMetrics": [{` + elements + `}]}}` }
	const resource, external = `"type": "Resource", `, `"type": "External", `
	now := `"external": {"metric": {"name": "queue"}, "current": {"value": "10"}}`
	invalid := status(resource + cpuNow + ", " + now)
	rows := []migrationRow{
		{name: "outside of the list", stored: invalid, patch: `{"status": {"desiredReplicas": 3}}`, warned: true},
		{name: "inside of the union", stored: invalid, patch: patch(resource + cpuThen + ", " + now), rejected: at(noExternal, "status.currentMetrics")},
		{name: "corrected", stored: invalid, patch: patch(external + now)},
	}
	whole := []migrationRow{
		{name: "the spec", stored: invalid, patch: `{"spec": {"maxReplicas": 3}}`, warned: true},
		{name: "a label", stored: invalid, patch: relabel, warned: true},
		{name: "a correction of the wrong member", stored: invalid, patch: patch(external + now), left: invalid, warned: true},
	}
	return append(ofKind("autoscalers", "MetricStatus", true, rows), ofKind("autoscalers", "MetricStatus", false, whole)...)
}

// strategyRows returns updates of DeploymentStrategy. Its discriminator has a default, so an
// object without a discriminator is valid.
func strategyRows() []migrationRow {
	strategy := func(fields string) string { return `"spec": {"replicas": 1, "strategy": {` + fields + `}}` }
	patch := func(fields string) string { return `{"spec": {"strategy": {` + fields + `}}}` }
	const recreate, rolling, parameters = `"type": "Recreate"`, `"type": "RollingUpdate"`, `"rollingUpdate": {"maxSurge": 1}`
	invalid, other := strategy(recreate+", "+parameters), strategy(`"type": "Other", `+parameters)
	return ofKind("deployers", "DeploymentStrategy", false, []migrationRow{
		{name: "a label", stored: invalid, patch: relabel, warned: true},
		{name: "outside of the union", stored: invalid, patch: `{"spec": {"replicas": 2}}`, warned: true},
		{name: "inside of the union", stored: invalid, patch: patch(`"rollingUpdate": {"maxSurge": 2}`), rejected: noParameters},
		{name: "corrected by a member less", stored: invalid, patch: patch(`"rollingUpdate": null`)},
		{name: "corrected by another value", stored: invalid, patch: patch(rolling)},
		{name: "corrected by the default", stored: invalid, patch: patch(`"type": null`), left: strategy(rolling + ", " + parameters)},
		{name: "valid, to the empty member", stored: strategy(rolling + ", " + parameters), patch: patch(recreate), left: strategy(recreate), cleared: true},
		{name: "without parameters, a label", stored: strategy(rolling), patch: relabel},
		{name: "without a type, a label", stored: strategy(parameters), patch: relabel, left: strategy(rolling + ", " + parameters)},
		{name: "without a type, to the empty member", stored: strategy(parameters), patch: patch(recreate), left: strategy(recreate), cleared: true},
		{name: "an unknown value, a label", stored: other, patch: relabel, warned: true},
		{name: "an unknown value, outside of the union", stored: other, patch: `{"spec": {"replicas": 2}}`, warned: true},
		{name: "an unknown value, inside of the union", stored: other, patch: patch(`"rollingUpdate": {"maxSurge": 2}`), rejected: noParameters},
		{name: "an unknown value, corrected", stored: other, patch: patch(rolling)},
		{name: "an unknown value, to the empty member", stored: other, patch: patch(recreate), left: strategy(recreate), cleared: true},
	})
}

// stateRows returns updates of ContainerState without a discriminator. Its list has keys: an
// element is compared with its counterpart.
func stateRows() []migrationRow {
	list := func(state string, more ...string) string {
		elements := append([]string{`{"name": "a", "ready": false, "state": {` + state + `}}`}, more...)
		return `"status": {"phase": "x", "containerStatuses": [` + strings.Join(elements, ", ") + `]}`
	}
	ready := func(state string) string { return strings.Replace(list(state), "false", "true", 1) }
	invalid := list(waiting + ", " + running)
	rows := []migrationRow{
		{name: "outside of the list", stored: invalid, patch: `{"status": {"phase": "y"}}`, warned: true},
		{name: "outside of the union", stored: invalid, patch: "{" + ready(waiting+", "+running) + "}", warned: true},
		{name: "another element", stored: invalid, patch: "{" + list(waiting+", "+running, `{"name": "b", "state": {`+ended+`}}`) + "}", warned: true},
		{name: "inside of the union", stored: invalid, patch: "{" + list(`"waiting": {"reason": "Crash"}, `+running) + "}", rejected: oneState},
		{name: "all members", stored: invalid, patch: "{" + list(waiting+", "+running+", "+ended) + "}", rejected: oneState},
		{name: "corrected", stored: invalid, patch: "{" + list(running) + "}"},
		{name: "valid, outside of the union", stored: list(waiting), patch: "{" + ready(waiting) + "}"},
		{name: "valid, another member", stored: list(waiting), patch: "{" + list(running) + "}"},
		{name: "valid, a second member", stored: list(waiting), patch: "{" + list(waiting+", "+running) + "}", rejected: oneState},
		{name: "no member, outside of the union", stored: list(""), patch: "{" + ready("") + "}"},
		{name: "to no member", stored: list(running), patch: "{" + list("") + "}", emptied: true},
	}
	return append(ofKind("boxes", "ContainerState", true, rows),
		ofKind("boxes", "ContainerState", false, []migrationRow{{name: "a label", stored: invalid, patch: relabel, warned: true}})...)
}

// addedDiscriminatorRows returns updates of ContainerState with an added discriminator, which
// stored objects lack: a stored object with a member is invalid until it is changed, and a
// client that does not know the discriminator cannot correct it.
func addedDiscriminatorRows() []migrationRow {
	list := func(last string) string {
		return `"status": {"containerStatuses": [{"name": "a", "ready": false, "last": {` + last + `}}]}`
	}
	forbidden := func(member, value string) []string {
		return []string{"status.containerStatuses[0].last." + member + ": Forbidden: may only be specified when `type` is \"" + value + `"`}
	}
	return ofKind("boxes", "with a discriminator added", true, []migrationRow{
		{name: "outside of the list", stored: list(running), patch: `{"status": {"phase": "y"}}`, warned: true},
		{name: "outside of the union", stored: list(running), patch: "{" + strings.Replace(list(running), "false", "true", 1) + "}", warned: true},
		{name: "an old client's other member", stored: list(running), patch: "{" + list(ended) + "}", rejected: forbidden("terminated", "Terminated")},
		{name: "corrected", stored: list(running), patch: "{" + list(`"type": "Running", `+running) + "}"},
		{name: "another member", stored: list(running), patch: "{" + list(`"type": "Terminated", `+ended) + "}"},
		{name: "the discriminator selects anew", stored: list(running), patch: "{" + list(`"type": "Terminated", `+running+", "+ended) + "}",
			left: list(`"type": "Terminated", ` + ended), cleared: true},
		{name: "to no member", stored: list(running), patch: "{" + list("") + "}", emptied: true},
		{name: "no member, outside of the union", stored: list(""), patch: "{" + strings.Replace(list(""), "false", "true", 1) + "}"},
	})
}

// keeperRows returns updates of unions whose discriminators were added as required and with a
// default: objects stored without them can be changed and deleted as before.
func keeperRows() []migrationRow {
	source := func(fields string) string { return `"spec": {"source": {` + fields + `}}` }
	method := func(fields string) string { return `"spec": {"method": {` + fields + `}}` }
	const git, slow = `"git": {"url": "a"}`, `"slow": {"url": "a"}`
	forbidden := func(path, value string) []string {
		return []string{"spec." + path + ": Forbidden: may only be specified when `type` is \"" + value + `"`}
	}
	required := []migrationRow{
		{name: "a label", stored: source(git), patch: relabel, warned: true},
		{name: "a finalizer", stored: source(git), patch: release, finalized: true, warned: true},
		{name: "a finalizer after it was deleted", stored: source(git), patch: release, finalized: true, deleted: true, warned: true},
		{name: "outside of the union", stored: source(git), patch: `{"spec": {"replicas": 2}}`, warned: true},
		{name: "inside of the union", stored: source(git), patch: `{"spec": {"source": {"git": {"url": "b"}}}}`, rejected: []string{"spec.source.type: Required value", notChecked}},
		{name: "corrected", stored: source(git), patch: `{"spec": {"source": {"type": "Git"}}}`},
		{name: "corrected by another value", stored: source(git), patch: `{"spec": {"source": {"type": "Image", "git": null, "image": {"url": "b"}}}}`},
		{name: "without a member, a label", stored: source(""), patch: relabel},
		{name: "without a member, a finalizer", stored: source(""), patch: release, finalized: true},
	}
	defaulted := []migrationRow{
		{name: "a label", stored: method(slow), patch: relabel, left: method(`"type": "Fast", ` + slow), warned: true},
		{name: "a finalizer", stored: method(slow), patch: release, left: method(`"type": "Fast", ` + slow), finalized: true, warned: true},
		{name: "a finalizer after it was deleted", stored: method(slow), patch: release, finalized: true, deleted: true, warned: true},
		{name: "inside of the union", stored: method(slow), patch: `{"spec": {"method": {"slow": {"url": "b"}}}}`, rejected: forbidden("method.slow", "Slow")},
		{name: "corrected", stored: method(slow), patch: `{"spec": {"method": {"type": "Slow"}}}`},
		{name: "the default's member, a label", stored: method(`"fast": {"url": "a"}`), patch: relabel},
		{name: "without a member, a finalizer", stored: method(""), patch: release, finalized: true},
		{name: "nothing, a label", stored: `"spec": {}`, patch: relabel, left: method(`"type": "Fast"`)},
	}
	return append(ofKind("keepers", "required discriminator added", false, required), ofKind("keepers", "defaulted discriminator added", false, defaulted)...)
}

func at(message, path string) []string { return []string{fmt.Sprintf(message, path)} }

func ofKind(plural, union string, status bool, rows []migrationRow) []migrationRow {
	for i := range rows {
		rows[i].plural, rows[i].status, rows[i].name = plural, status, union+", "+rows[i].name
	}
	return rows
}

// unionMarker matches a marker that was added to the types.
var unionMarker = regexp.MustCompile(`(?m)^\s*// \+(schemagen:unions|unionDiscriminator|unionMember|k8s:zeroOrOneOfMember|default|enum)\b.*\n`)

// addedField matches a field that was added to the types.
var addedField = regexp.MustCompile(`(?m)^.* // added\n`)

// A migration is a kind before and after the markers were added.
type migration struct {
	before, after CRD
	// kind is the prepared kind after the change.
	kind *apiserver.Kind
}

// migrations generates the definitions, by plural name, and the policies.
func migrations(t *testing.T, s *Server) (kinds map[string]migration, policy string) {
	t.Helper()
	dir := t.TempDir()
	source, err := os.ReadFile(filepath.Join("testdata", "migration", "types.go"))
	if err != nil {
		t.Fatal(err)
	}
	// Kubernetes types are resolved with the requirements of the main module.
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(text, []byte("module migration.test")))
	}
	write(t, filepath.Join(dir, "before", "types.go"), addedField.ReplaceAll(unionMarker.ReplaceAll(source, nil), nil))
	write(t, filepath.Join(dir, "after", "types.go"), source)
	tool := schemagen(t)
	for _, args := range []string{"crd ./before -o crds/before", "crd ./after -o crds/after", "unions ./after --no-functions --set outputs.policies=policies"} {
		cmd := exec.CommandContext(t.Context(), tool, strings.Fields(args)...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("schemagen %s: %v\n%s", args, err, text)
		}
	}
	before, after := readCRDs(t, filepath.Join(dir, "crds", "before"), "before"), readCRDs(t, filepath.Join(dir, "crds", "after"), "after")
	kinds = map[string]migration{}
	for i, crd := range before {
		plural, _, _ := strings.Cut(crd.Name, ".")
		kinds[plural] = migration{crd, after[i], kindOf(t, after[i])}
	}
	// Autoscalers have no policy: their metrics are in atomic lists, whose elements have no
	// counterparts.
	for _, plural := range []string{"boxes", "deployers"} {
		text, err := os.ReadFile(filepath.Join(dir, "policies", "migration.test_"+plural+"_unions.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		policy += string(text)
	}
	return kinds, policy
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// kindOf prepares version v1 of a definition.
func kindOf(t *testing.T, crd CRD) *apiserver.Kind {
	t.Helper()
	var object apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(crd.Data, &object); err != nil {
		t.Fatal(err)
	}
	kind, err := apiserver.NewKind(&object, "v1")
	if err != nil {
		t.Fatal(err)
	}
	return kind
}

// readPolicies compiles the policies among documents.
func readPolicies(t *testing.T, documents string) []*apiserver.Policy {
	t.Helper()
	var out []*apiserver.Policy
	for _, document := range strings.Split(documents, "---\n") {
		var policy admissionregistrationv1.MutatingAdmissionPolicy
		if err := yaml.Unmarshal([]byte(document), &policy); err != nil {
			t.Fatal(err)
		}
		if policy.Kind != "MutatingAdmissionPolicy" {
			continue
		}
		compiled, err := apiserver.NewPolicy(&policy)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, compiled)
	}
	return out
}

// TestMigration stores objects of the types that KEP-1027 wants to migrate, updates their
// definitions with the rules for the markers, and updates the objects. Each response must
// match the row and the prediction of schemagen try.
func TestMigration(t *testing.T) {
	part(t, "migration")
	s := cluster(t)
	ctx := within(t)
	kinds, policy := migrations(t, s)
	for _, m := range kinds {
		installed(t, s, m.before)
	}
	rows := migrationRows()
	for i, row := range rows {
		row.store(t, s, migrationObject(row.plural, i))
	}
	for _, m := range kinds {
		if err := s.ReplaceCRD(ctx, m.after); err != nil {
			t.Fatal(err)
		}
	}
	a, err := s.Do(ctx, http.MethodGet, policies+"mutatingadmissionpolicies", "", nil)
	hasPolicies := err == nil && a.OK()
	if !hasPolicies && os.Getenv(versionVariable) == "" {
		t.Fatal(err, a)
	}
	if hasPolicies {
		installPolicy(t, s, policy)
		followed := readPolicies(t, policy)
		for plural, m := range kinds {
			m.kind = m.kind.WithPolicies(followed...)
			kinds[plural] = m
		}
	}
	for i, row := range rows {
		if row.cleared && hasPolicies || row.rejected != nil {
			row.waitActive(t, s, migrationObject(row.plural, i))
		}
	}

	counted := map[string]int{}
	for i, row := range rows {
		if row.cleared && !hasPolicies {
			continue
		}
		t.Run(row.name, func(t *testing.T) { row.check(t, s, kinds[row.plural].kind, migrationObject(row.plural, i), counted) })
	}
	for plural := range kinds {
		a, err := s.Do(ctx, http.MethodGet, migrationPath(plural, ""), "", nil)
		var list struct{ Items []any }
		if err != nil || !a.OK() || json.Unmarshal(a.Body, &list) != nil || len(list.Items) == 0 {
			t.Errorf("list of %s: %v %s, %d items", plural, err, a, len(list.Items))
		}
	}
	t.Logf("%d rows, %v", len(rows), counted)
	if counted["rows"] < 60 || counted["rejected"] < 10 || counted["warned"] < 15 {
		t.Error("got too few")
	}
	suite.report.Count("updates of objects of the types that the KEP wants to migrate, stored before their markers, by merge patch, server-side apply and PUT, as try says", counted["rows"])
	suite.report.Count("of those, rejected", counted["rejected"])
	suite.report.Count("of those, accepted with the broken rules as warnings", counted["warned"])
}

// migrationObject returns the name of a row's object.
func migrationObject(plural string, row int) string { return fmt.Sprintf("%s-%d", plural, row) }

func migrationPath(plural, name string) string {
	path := "/apis/migration.test/v1/namespaces/default/" + plural
	if name != "" {
		path += "/" + name
	}
	return path
}

// store applies the object of a row, and its status.
func (r migrationRow) store(t *testing.T, s *Server, name string) {
	t.Helper()
	kind := map[string]string{"autoscalers": "Autoscaler", "deployers": "Deployer", "boxes": "Box", "keepers": "Keeper"}[r.plural]
	finalizers := "[]"
	if r.finalized {
		finalizers = `["migration.test/keep"]`
	}
	body := fmt.Appendf(nil, `{"apiVersion": "migration.test/v1", "kind": %q, "metadata": {"name": %q, "namespace": "default", "finalizers": %s}, %s}`, kind, name, finalizers, r.stored)
	const query = "?fieldManager=owner&" + Strict
	a, err := s.Do(t.Context(), http.MethodPatch, migrationPath(r.plural, name)+query, Apply, body)
	if err == nil && a.OK() && strings.Contains(r.stored, `"status": `) {
		a, err = s.Do(t.Context(), http.MethodPatch, migrationPath(r.plural, name)+"/status"+query, Apply, body)
	}
	if err == nil && a.OK() && r.deleted {
		a, err = s.Do(t.Context(), http.MethodDelete, migrationPath(r.plural, name), "", nil)
	}
	if err != nil || !a.OK() {
		t.Fatalf("%s: %v %s", r.name, err, a)
	}
}

// path returns the path for the requests of a row.
func (r migrationRow) path(name string) string {
	if r.status {
		return migrationPath(r.plural, name) + "/status"
	}
	return migrationPath(r.plural, name)
}

// waitActive waits until the rules reject the update, or the policy clears members.
func (r migrationRow) waitActive(t *testing.T, s *Server, name string) {
	t.Helper()
	ctx := within(t)
	for poll := (poller{}); ; {
		a, err := s.Do(ctx, http.MethodPatch, r.path(name)+"?dryRun=All&"+Strict, MergePatch, []byte(r.patch))
		if err == nil && a.OK() == (r.rejected == nil) && (!r.cleared || reflect.DeepEqual(restOf(t, a.Body), r.rest(t, r.left))) {
			return
		}
		if late := poll.next(ctx); late != nil {
			t.Fatalf("%s: %v %s %s", r.name, err, a, a.Body)
		}
	}
}

// rest decodes the values of stored and left.
func (r migrationRow) rest(t *testing.T, text string) map[string]any {
	t.Helper()
	return objectOf(t, []byte("{"+text+"}"))
}

// restOf returns an object without its type and metadata.
func restOf(t *testing.T, body []byte) map[string]any {
	t.Helper()
	out := objectOf(t, body)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(out, name)
	}
	return out
}

// check makes the update of a row in three ways. Only the last one is stored.
func (r migrationRow) check(t *testing.T, s *Server, kind *apiserver.Kind, name string, counted map[string]int) {
	t.Helper()
	ctx := t.Context()
	before, err := s.Do(ctx, http.MethodGet, migrationPath(r.plural, name), "", nil)
	if err != nil || !before.OK() {
		t.Fatalf("get: %v %s", err, before)
	}
	sent, err := jsonpatch.MergePatch(before.Body, []byte(r.patch))
	if err != nil {
		t.Fatal(err)
	}
	predict := kind.Update
	if r.status {
		predict = kind.UpdateStatus
	}
	predicted, err := predict(ctx, objectOf(t, sent), objectOf(t, before.Body))
	if err != nil {
		t.Fatal(err)
	}
	want := restOf(t, sent)
	switch {
	case r.rejected != nil:
		want = restOf(t, before.Body)
	case r.left != "":
		want = r.rest(t, r.left)
	}
	answer := func(by, method, query, contentType string, body []byte) {
		a, err := s.Do(ctx, method, r.path(name)+"?"+Strict+query, contentType, body)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Causes(); !slices.Equal(tidied(got), tidied(r.rejected)) || a.OK() != (r.rejected == nil) {
			t.Errorf("%s: %s: got causes %q, want %q", by, a, got, r.rejected)
		}
		if got := len(a.Warnings) > 0; got != r.warned {
			t.Errorf("%s: got warnings %q, want some: %t", by, a.Warnings, r.warned)
		}
		if a.OK() && !reflect.DeepEqual(restOf(t, a.Body), want) {
			t.Errorf("%s: got stored object %v, want %v", by, restOf(t, a.Body), want)
		}
		r.compare(t, s, by, predicted, a)
	}
	answer("merge patch", http.MethodPatch, "&dryRun=All", MergePatch, []byte(r.patch))
	const byOwner = "&dryRun=All&fieldManager=owner"
	if r.emptied {
		a, err := s.Do(ctx, http.MethodPatch, r.path(name)+"?"+Strict+byOwner, Apply, applied(t, sent))
		if err != nil || a.Code != http.StatusUnprocessableEntity || !strings.Contains(a.String(), `must be of type object: "null"`) {
			t.Errorf("apply: %v %s", err, a)
		}
	} else {
		answer("apply", http.MethodPatch, byOwner, Apply, applied(t, sent))
	}
	answer("PUT", http.MethodPut, "", JSON, sent)
	after, err := s.Do(ctx, http.MethodGet, migrationPath(r.plural, name), "", nil)
	switch {
	case r.deleted:
		if err != nil || after.Code != http.StatusNotFound {
			t.Errorf("the object still exists: %v %s", err, after)
		}
	case err != nil || !after.OK() || !reflect.DeepEqual(restOf(t, after.Body), want):
		t.Errorf("after deletion: got %v %s %s, want %v", err, after, after.Body, want)
	}
	counted["rows"]++
	if r.rejected != nil {
		counted["rejected"]++
	}
	if r.warned {
		counted["warned"]++
	}
}

// compare compares a prediction with the response.
func (r migrationRow) compare(t *testing.T, s *Server, by string, predicted apiserver.Answer, a Answer) {
	t.Helper()
	var errs []string
	for _, e := range predicted.Errors {
		errs = append(errs, e.Field+": "+e.ErrorBody())
	}
	errs, causes := tidied(errs), tidied(a.Causes())
	if !exactWords(s) {
		errs, causes = fields(errs), fields(causes)
	}
	if !slices.Equal(errs, causes) {
		t.Errorf("%s: predicted\n\t%s\ngot\n\t%s", by, strings.Join(errs, "\n\t"), strings.Join(causes, "\n\t"))
	}
	if a.OK() && !slices.Equal(tidied(predicted.Warnings), tidied(a.Warnings)) {
		t.Errorf("%s: predicted the warnings %q, got %q", by, predicted.Warnings, a.Warnings)
	}
	if a.OK() && !reflect.DeepEqual(restOf(t, encoded(t, predicted.Object)), restOf(t, a.Body)) {
		t.Errorf("%s: predicted\n\t%v\nstored\n\t%s", by, predicted.Object, a.Body)
	}
}

// applied returns an object in the form that its owner applies.
func applied(t *testing.T, body []byte) []byte {
	t.Helper()
	object := objectOf(t, body)
	meta := object["metadata"].(map[string]any)
	for _, name := range []string{"uid", "creationTimestamp", "generation", "managedFields", "resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		delete(meta, name)
	}
	return encoded(t, object)
}

func encoded(t *testing.T, object any) []byte {
	t.Helper()
	out, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
