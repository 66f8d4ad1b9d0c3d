package e2e

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A served is a running schemagen openapi --serve.
type served struct {
	url     string
	process *process
}

var servingLine = regexp.MustCompile(`(?m)^serving (http://127\.0\.0\.1:\d+), `)

// serveDocuments serves the definitions of a directory for the duration of a test.
func serveDocuments(t *testing.T, dir string) *served {
	t.Helper()
	p, err := startProcess(filepath.Join(t.TempDir(), "serve.log"), schemagen(t), "openapi", dir, "--serve", "0")
	if err != nil {
		t.Fatal(err)
	}
	s := &served{process: p}
	t.Cleanup(func() {
		p.stop(stopGrace)
		if p.err != nil {
			t.Errorf("schemagen exited with %v", p.ended())
		}
	})
	ctx := within(t)
	for poll := (poller{}); s.url == ""; {
		if err := p.ended(); err != nil {
			t.Fatal(err)
		}
		if m := servingLine.FindStringSubmatch(p.tail()); m != nil {
			s.url = m[1]
		} else if late := poll.next(ctx); late != nil {
			t.Fatalf("schemagen does not serve: %s", p.tail())
		}
	}
	return s
}

// A client is a kubectl with the server to use and its own home directory, in which it caches
// documents.
type client struct{ kubectl, url, home string }

func (c client) run(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, c.kubectl, append([]string{"--server=" + c.url}, args...)...)
	cmd.Env = []string{"HOME=" + c.home, "KUBECONFIG=" + filepath.Join(c.home, "none"), "PATH=" + os.Getenv("PATH")}
	cmd.Stdin = strings.NewReader(stdin)
	isolate(cmd)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// kubectlsVariable is the environment variable that enables the older versions of kubectl.
const kubectlsVariable = "E2E_KUBECTLS"

// eachKubectl runs a test with each version of kubectl, the newest first, on a server of
// documents.
func eachKubectl(t *testing.T, s *served, do func(t *testing.T, c client)) {
	cache, err := cacheFolder()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range append([]string{""}, kubectls()...) {
		t.Run(cmp.Or(version, "newest"), func(t *testing.T) {
			if version != "" && os.Getenv(kubectlsVariable) == "" {
				t.Skip("make e2e KUBECTLS=all builds older versions of kubectl, which takes some minutes")
			}
			kubectl, err := Kubectl(t.Context(), ".", cache, version, t.Logf)
			if err != nil {
				t.Fatal(err)
			}
			do(t, client{kubectl, s.url, t.TempDir()})
		})
	}
}

// servedDefinition returns a definition for the graduation tests. versions are pairs of a
// name and a schema, or none.
func servedDefinition(group, kind, scope string, versions ...string) string {
	lower := strings.ToLower(kind)
	text := fmt.Sprintf(`---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]ss.%[2]s}
spec:
  group: %[2]s
  names: {kind: %[3]s, plural: %[1]ss, singular: %[1]s}
  scope: %[4]s
  versions:
`, lower, group, kind, scope)
	for i := 0; i < len(versions); i += 2 {
		text += fmt.Sprintf("  - {name: %s, served: true, storage: %t%s}\n", versions[i], i == 0, versions[i+1])
	}
	return text
}

// widgetSchema has everything that the graduation criteria mention: known, unknown and
// required properties, and descriptions.
const widgetSchema = `, schema: {openAPIV3Schema: {type: object, description: Widget is a thing., required: [spec], properties: {spec: {type: object, required: [size], properties: {
    size: {type: integer, description: How big it is.}, template: {type: object, properties: {labels: {type: object, additionalProperties: {type: string}},
    parts: {type: array, items: {type: object, required: [name], properties: {name: {type: string}}}}}}, anything: {type: object, x-kubernetes-preserve-unknown-fields: true},
    port: {x-kubernetes-int-or-string: true}, resource: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}}}}}}`

// drawingSchema has a union in a member of a union, and one in a list.
const drawingSchema = `, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [type], properties: {
    type: {type: string, enum: [Fill, Line], x-kubernetes-unions: {fieldMembers: {Fill: {name: fill}, Line: {name: line}}}},
    line: {type: object, properties: {width: {type: integer}}},
    fill: {type: object, required: [type], properties: {
      type: {type: string, enum: [Solid, Image], x-kubernetes-unions: {fieldMembers: {Solid: {name: solid}, Image: {name: image}}}},
      solid: {type: object, properties: {color: {type: string}}},
      image: {type: object, properties: {stops: {type: array, items: {type: object, required: [kind], properties: {
        kind: {type: string, enum: [At], x-kubernetes-unions: {fieldMembers: {At: {name: at}}}}, at: {type: object, properties: {x: {type: integer}}}}}}}}}}}}}}}`

func graduationDefinitions() string {
	return servedDefinition("ex.test", "Widget", "Namespaced", "v1", widgetSchema, "v1beta1", ", schema: {openAPIV3Schema: {type: object, properties: {old: {type: string}}}}") +
		servedDefinition("ex.test", "Sprocket", "Cluster", "v1", ", schema: {openAPIV3Schema: {type: object, properties: {teeth: {type: integer}}}}") +
		servedDefinition("other.test", "Widget", "Namespaced", "v2", ", schema: {openAPIV3Schema: {type: object, properties: {elsewhere: {type: boolean}}}}") +
		servedDefinition("bare.test", "Bare", "Namespaced", "v1", "") +
		servedDefinition("bare.test", "Loose", "Namespaced", "v1", ", schema: {openAPIV3Schema: {properties: {spec: {properties: {a: {type: string}}}}}}") +
		servedDefinition("bare.test", "Free", "Namespaced", "v1", ", schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}}") +
		servedDefinition("draw.test", "Drawing", "Namespaced", "v1", drawingSchema)
}

// object returns a custom resource. rest follows its metadata.
func object(apiVersion, kind, rest string) string {
	return fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": "a"}%s}`, apiVersion, kind, rest)
}

// created returns the commands with which a client validates an object. The output of each
// must say that the object would be created, or contain wrong.
func created(name, object string, wrong ...string) []kubectlStep {
	var out []kubectlStep
	for _, command := range []string{"create --dry-run=client --validate -f -", "apply --dry-run=client -f -", "apply --dry-run=client --validate=strict -f -"} {
		step := kubectlStep{name: name + ": " + command, args: command, stdin: object, want: []string{"created (dry run)"}}
		if len(wrong) > 0 {
			step.fails, step.want, step.not = true, wrong, []string{"created"}
		}
		out = append(out, step)
	}
	return out
}

// graduationSteps returns steps for the graduation criteria of the KEP "Publish CRD OpenAPI",
// by number. The third criterion, and the sixth for older clients, are met by running the
// steps with all versions of kubectl. The fifth is a benchmark in cmd/schemagen.
func graduationSteps() []kubectlStep {
	return slices.Concat(
		created("1 known and required", object("ex.test/v1", "Widget", `, "spec": {"size": 1, "template": {"labels": {"a": "b"}, "parts": [{"name": "x"}]}, "anything": {"b": [1]},
			"port": "http", "resource": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": "b"}}, "spec": {}}}`)),
		created("1 unknown", object("ex.test/v1", "Widget", `, "spec": {"size": 1, "colour": "red"}`), `unknown field "colour" in test.ex.v1.Widget.spec`),
		created("1 unknown in a list", object("ex.test/v1", "Widget", `, "spec": {"size": 1, "template": {"parts": [{"name": "x", "nane": "y"}]}}`), `unknown field "nane"`),
		created("1 unknown at the top", object("ex.test/v1", "Widget", `, "spec": {"size": 1}, "sepc": {}`), `unknown field "sepc" in test.ex.v1.Widget`),
		created("1 not there", object("ex.test/v1", "Widget", `, "spec": {"template": {}}`), `missing required field "size" in test.ex.v1.Widget.spec`),
		created("1 nothing there", object("ex.test/v1", "Widget", ``), `missing required field "spec" in test.ex.v1.Widget`),
		created("1 of another type", object("ex.test/v1", "Widget", `, "spec": {"size": "big"}`), `invalid type for test.ex.v1.Widget.spec.size: got "string", expected "integer"`),
		[]kubectlStep{
			{name: "1 validation off", args: "create --dry-run=client --validate=false -f -", stdin: object("ex.test/v1", "Widget", `, "spec": {"colour": 1}`), want: []string{"created (dry run)"}},
			{name: "1 explain", args: "explain widgets.ex.test.spec", want: []string{"KIND: Widget", "VERSION: v1", "FIELDS:", "size <integer> -required- How big it is.", "template <Object>"}},
			{name: "1 explain recursively", args: "explain widgets.spec --recursive --api-version=ex.test/v1", want: []string{"size <integer> -required-", "template <Object>", "labels <map[string]string>", "parts <[]Object>", "name <string> -required-",
				"resource <Object> apiVersion <string> -required-"}},
			{name: "1 explain the kind", args: "explain widgets.ex.test", want: []string{"Widget is a thing.", "metadata <ObjectMeta>", "spec <Object> -required-"}},
			{name: "1 explain what there is not", args: "explain widgets.ex.test.spec.nope", fails: true, want: []string{`field "nope" does not exist`}},
			{name: "1 explain no kind", args: "explain gizmos", fails: true, want: []string{`the server doesn't have a resource type "gizmos"`}},
		},
		created("2 no schema", object("bare.test/v1", "Bare", `, "spec": {"what": ["ever"]}, "x": 1`)),
		created("2 not structural", object("bare.test/v1", "Loose", `, "spec": {"what": ["ever"]}`)),
		created("2 preserves", object("bare.test/v1", "Free", `, "a": "b", "spec": {"what": ["ever"]}`)),
		[]kubectlStep{
			{name: "2 explain no schema", args: "explain bares", want: []string{"KIND: Bare", "VERSION: v1", "<empty>"}},
			{name: "2 explain a field of it", args: "explain bares.spec", fails: true, want: []string{`field "spec" does not exist`}},
			{name: "2 explain what is not structural", args: "explain looses", want: []string{"KIND: Loose", "<empty>"}},

			{name: "4 all are there", args: "api-resources --no-headers --sort-by=name", want: []string{
				"bares bare.test/v1 true Bare", "drawings draw.test/v1 true Drawing", "sprockets ex.test/v1 false Sprocket", "widgets ex.test/v1 true Widget", "widgets other.test/v2 true Widget"}},
			{name: "4 and their versions", args: "api-versions", want: []string{"bare.test/v1", "draw.test/v1", "ex.test/v1", "ex.test/v1beta1", "other.test/v2"}},
			{name: "4 another version", args: "explain widgets --api-version=ex.test/v1beta1", want: []string{"VERSION: v1beta1", "old <string>"}, not: []string{"spec"}},
			{name: "4 another group", args: "explain widgets --api-version=other.test/v2", want: []string{"GROUP: other.test", "elsewhere <boolean>"}},
			{name: "4 another kind", args: "explain sprockets", want: []string{"KIND: Sprocket", "teeth <integer>"}},
		},
		created("4 in another version", object("ex.test/v1beta1", "Widget", `, "old": "yes"`)),
		created("4 of another version", object("ex.test/v1beta1", "Widget", `, "spec": {"size": 1}`), `unknown field "spec" in test.ex.v1beta1.Widget`),
		created("4 in another group", object("other.test/v2", "Widget", `, "elsewhere": true`)),
		created("4 in no namespace", object("ex.test/v1", "Sprocket", `, "teeth": 3`)),
		created("4 unknown kind", object("ex.test/v1", "Gizmo", ``), `no matches for kind "Gizmo" in version "ex.test/v1"`),

		[]kubectlStep{
			{name: "unions, explained", args: "explain drawings.spec --recursive", want: []string{"type <string> -required- enum: Fill, Line", "image <Object>", "stops <[]Object>", "at <Object>", "x <integer>"}},
		},
		created("unions", object("draw.test/v1", "Drawing", `, "spec": {"type": "Fill", "fill": {"type": "Image", "image": {"stops": [{"kind": "At", "at": {"x": 1}}]}}}`)),
		created("unions, a typo below", object("draw.test/v1", "Drawing", `, "spec": {"type": "Fill", "fill": {"type": "Image", "image": {"stops": [{"kind": "At", "at": {"y": 1}}]}}}`), `unknown field "y"`),

		[]kubectlStep{
			{name: "nothing is written", args: "create -f -", stdin: object("ex.test/v1", "Widget", `, "spec": {"size": 1}`), fails: true, want: []string{"use kubectl with --dry-run=client"}},
			{name: "no objects", args: "get widgets.ex.test", fails: true, want: []string{"(NotFound)"}},
			{name: "no object", args: "get widgets.ex.test a", fails: true, want: []string{"(NotFound)"}},
			{name: "the version", args: "version", want: []string{"-schemagen"}},
		},
	)
}

// TestServedKubectl runs three versions of kubectl against schemagen openapi --serve instead
// of a server.
func TestServedKubectl(t *testing.T) {
	part(t, "kubectl without a server")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "crds.yaml"), []byte(graduationDefinitions()), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serveDocuments(t, dir)
	steps := graduationSteps()
	eachKubectl(t, s, func(t *testing.T, c client) {
		for _, step := range steps {
			t.Run(step.name, func(t *testing.T) { step.check(t, c) })
		}
	})
	suite.report.Count("kubectl commands on served documents, each with three versions of kubectl", len(steps))
}

func (step kubectlStep) check(t *testing.T, c client) {
	out, err := c.run(within(t), step.stdin, strings.Fields(step.args)...)
	if (err != nil) != step.fails {
		t.Fatalf("kubectl %s: %v\n%s", step.args, err, out)
	}
	for _, want := range step.want {
		if !strings.Contains(folded(out), folded(want)) {
			t.Errorf("kubectl %s: want %q in the output, got\n%s", step.args, want, out)
		}
	}
	for _, not := range step.not {
		if strings.Contains(folded(out), folded(not)) {
			t.Errorf("kubectl %s: unexpected %q in the output:\n%s", step.args, not, out)
		}
	}
}

// TestServedChange checks that kubectl sees a changed definition once the server is notified,
// although kubectl caches documents.
func TestServedChange(t *testing.T) {
	dir := t.TempDir()
	write := func(field string) {
		text := servedDefinition("ex.test", "Widget", "Namespaced", "v1", ", schema: {openAPIV3Schema: {type: object, properties: {"+field+": {type: string}}}}") +
			servedDefinition("ex.test", "Kind"+field, "Namespaced", "v1", ", schema: {openAPIV3Schema: {type: object}}")
		if err := os.WriteFile(filepath.Join(dir, "crd.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	s := serveDocuments(t, dir)
	eachKubectl(t, s, func(t *testing.T, c client) {
		for _, field := range []string{"second", "third"} {
			before := strings.Count(s.process.tail(), "reloaded")
			write(field)
			if err := syscall.Kill(s.process.pid, syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			ctx := within(t)
			for poll := (poller{}); strings.Count(s.process.tail(), "reloaded") == before; {
				if late := poll.next(ctx); late != nil {
					t.Fatal(s.process.tail())
				}
			}
			kubectlStep{args: "explain widgets", want: []string{field + " <string>"}}.check(t, c)
			// kubectl's cached discovery is older.
			kubectlStep{args: "explain kind" + field + "s", want: []string{"KIND: Kind" + field}}.check(t, c)
			for _, step := range created(field, object("ex.test/v1", "Widget", `, "`+field+`": "x"`)) {
				step.check(t, c)
			}
			for _, step := range created(field, object("ex.test/v1", "Widget", `, "first": "x"`), `unknown field "first"`) {
				step.check(t, c)
			}
		}
	})
}

// TestServedLargest repeats the test with the largest definition in bench/, served together
// with all others.
func TestServedLargest(t *testing.T) {
	if testing.Short() {
		t.Skip("the modules of bench/ take several GB")
	}
	crds, _ := benchCRDs(t)
	batch := batches(crds)[0]
	largest := slices.MaxFunc(batch, func(a, b CRD) int { return cmp.Compare(len(a.Data), len(b.Data)) })
	t.Logf("%s of %d bytes, among %d definitions", largest.From, len(largest.Data), len(batch))
	if len(largest.Data) < 1_000_000 {
		t.Errorf("got only %d bytes", len(largest.Data))
	}
	plural, _, _ := strings.Cut(largest.Name, ".")
	full := fullObject(t, largest)
	typo := strings.Replace(full, "\nspec:\n", "\nspec:\n  notThere: 1\n", 1)
	s := serveDocuments(t, writeCRDs(t, batch))
	eachKubectl(t, s, func(t *testing.T, c client) {
		steps := slices.Concat(
			[]kubectlStep{
				{name: "explain", args: "explain " + plural + ".spec --recursive", want: []string{"FIELDS:", "<string>"}},
				{name: "explain what there is not", args: "explain " + plural + ".spec.notThere", fails: true, want: []string{`field "notThere" does not exist`}},
				{name: "api-resources", args: "api-resources", want: []string{plural}},
			},
			created("a full object", full),
			created("a typo", typo, `unknown field "notThere"`),
		)
		for _, step := range steps {
			t.Run(step.name, func(t *testing.T) { step.check(t, c) })
		}
	})
}

// fullObject returns a sample with all fields that can be set together.
func fullObject(t *testing.T, crd CRD) string {
	t.Helper()
	kind := regexp.MustCompile(`(?m)^    kind: (\w+)$`).FindSubmatch(crd.Data)
	if kind == nil {
		t.Fatalf("%s has no kind", crd.From)
	}
	text, err := exec.CommandContext(t.Context(), schemagen(t), "try", "--sample", string(kind[1]), writeCRDs(t, []CRD{crd})).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	at := strings.LastIndex(string(text), "---\n")
	return string(text)[at:]
}

// compareDiscovery compares the discovery documents with those of the server.
func compareDiscovery(ctx context.Context, t *testing.T, s *Server, dir string, groupVersions []string) int {
	t.Helper()
	ours := serveDocuments(t, dir)
	paths := map[string]bool{}
	for _, gv := range groupVersions {
		group, _, _ := strings.Cut(gv, "/")
		paths["/apis/"+gv], paths["/apis/"+group] = true, true
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		a, err := s.Do(ctx, http.MethodGet, path, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.Get(ours.url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !a.OK() || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: ours %s %v, the server's %s", path, response.Status, err, a)
		}
		for _, difference := range jsonDifferences(path, sortedResources(decoded(text)), sortedResources(decoded(a.Body))) {
			t.Error(difference)
		}
	}
	return len(paths)
}

// sortedResources sorts the resources of a list by name, and removes the hash of the storage
// version.
func sortedResources(list any) any {
	whole, _ := list.(map[string]any)
	resources, _ := whole["resources"].([]any)
	for _, r := range resources {
		delete(r.(map[string]any), "storageVersionHash")
	}
	slices.SortFunc(resources, func(a, b any) int {
		return cmp.Compare(fmt.Sprint(a.(map[string]any)["name"]), fmt.Sprint(b.(map[string]any)["name"]))
	})
	return list
}
