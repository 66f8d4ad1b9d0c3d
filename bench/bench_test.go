package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCases checks the table of cases: names must be unique, and the number of files must be
// stated, without which a case would prove nothing.
func TestCases(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range timedCases() {
		if seen[c.name] {
			t.Errorf("%s: duplicate name", c.name)
		}
		seen[c.name] = true
		if c.files < 1 || c.crd == "" || len(c.paths) == 0 {
			t.Errorf("%s: files, crd and paths must be given", c.name)
		}
		if _, err := os.Stat(filepath.Join(c.pins, "go.mod")); err != nil && c.local == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestProjects checks that command lines are for both tools, and that the files that they
// write are removed before.
func TestProjects(t *testing.T) {
	for _, p := range projects() {
		if p.files < 1 || len(p.lines) == 0 || p.generated.MatchString("api/v1/types.go") {
			t.Errorf("%s: files, lines and generated must be given", p.name)
		}
		for _, line := range p.lines {
			if !strings.Contains(line, "paths=./") || strings.Contains(line, "$") {
				t.Errorf("%s: %s", p.name, line)
			}
		}
		if _, err := os.Stat(filepath.Join(p.pins, "go.mod")); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
	dir := writeTree(t, map[string]string{"config/crd/a.yaml": "a", "config/b.yaml": "b", "zz_generated.deepcopy.go": "c"})
	if err := (outputs{dir: dir, only: projects()[1].generated}).remove(); err != nil {
		t.Error(err)
	}
	if left, err := readTree(dir, nil); len(left) != 1 || err != nil || left[0].name != "config/b.yaml" {
		t.Errorf("got remaining %v, error %v", left, err)
	}
}

// TestImportedOutputs checks that outputs that are imported remain packages without
// declarations.
func TestImportedOutputs(t *testing.T) {
	dir := writeTree(t, map[string]string{"applyconfiguration/a.go": "// Text.\npackage other // more\n\nvar A int\n", "b.go": "package b\n"})
	if err := (outputs{dir, applyFiles, true}).remove(); err != nil {
		t.Error(err)
	}
	left, err := readTree(dir, nil)
	if err != nil || len(left) != 2 || string(left[0].content) != "package other\n" || string(left[1].content) != "package b\n" {
		t.Errorf("got remaining %s, error %v", left, err)
	}
}

func TestSelectCases(t *testing.T) {
	selected, err := selectCases("karpenter,gateway-api")
	if err != nil || len(selected) != 2 || selected[0].name != "gateway-api" {
		t.Errorf("got %v, %v; want both in the order of the table", selected, err)
	}
	if _, err := selectCases("gateway-api,nonsense"); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("unknown name: got error %v", err)
	}
}

const crd = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.23.0
  name: a.example.com
spec:
  group: example.com
`

func TestCompareTrees(t *testing.T) {
	for _, test := range []struct {
		name      string
		want, got map[string]string
		counts    [4]int // equal, different, missing, extra
		excerpt   string
	}{{
		name:   "only the version differs",
		want:   map[string]string{"a.yaml": crd},
		got:    map[string]string{"a.yaml": strings.Replace(crd, "v0.23.0", "schemagen-v1.0.0", 1)},
		counts: [4]int{1, 0, 0, 0},
	}, {
		name:    "one byte differs",
		want:    map[string]string{"a.yaml": crd},
		got:     map[string]string{"a.yaml": strings.Replace(crd, "group: e", "group: E", 1)},
		counts:  [4]int{0, 1, 0, 0},
		excerpt: "-  group: example.com\n+  group: Example.com\n",
	}, {
		name:    "a missing last newline",
		want:    map[string]string{"a.yaml": crd},
		got:     map[string]string{"a.yaml": strings.TrimSuffix(crd, "\n")},
		counts:  [4]int{0, 1, 0, 0},
		excerpt: `\ no newline at the end`,
	}, {
		name:    "the annotation is missing",
		want:    map[string]string{"a.yaml": crd},
		got:     map[string]string{"a.yaml": strings.Replace(crd, versionKey+"v0.23.0\n", "", 1)},
		counts:  [4]int{0, 1, 0, 0},
		excerpt: "-" + versionKey,
	}, {
		name:    "the key is elsewhere",
		want:    map[string]string{"a.yaml": "  " + versionKey + "v1\n"},
		got:     map[string]string{"a.yaml": "  " + versionKey + "v2\n"},
		counts:  [4]int{0, 1, 0, 0},
		excerpt: "+  " + versionKey + "v2\n",
	}, {
		name:    "one file missing, one too many",
		want:    map[string]string{"a.yaml": crd, "b.yaml": crd},
		got:     map[string]string{"b.yaml": crd, "sub/c.yaml": crd},
		counts:  [4]int{1, 0, 1, 1},
		excerpt: "a.yaml: missing\nsub/c.yaml: extra",
	}, {
		name:    "nothing written",
		want:    map[string]string{"a.yaml": crd},
		counts:  [4]int{0, 0, 1, 0},
		excerpt: "a.yaml: missing",
	}} {
		t.Run(test.name, func(t *testing.T) {
			r, err := compareTrees(writeTree(t, test.want), writeTree(t, test.got), nil)
			if err != nil {
				t.Fatal(err)
			}
			if counts := [4]int{r.equal, r.different, r.missing, r.extra}; counts != test.counts {
				t.Errorf("equal, different, missing, extra: got %v, want %v", counts, test.counts)
			}
			if got := strings.Join(r.excerpts, "\n"); !strings.Contains(got, test.excerpt) {
				t.Errorf("excerpt %q lacks %q", got, test.excerpt)
			}
			if failed := r.failed(); failed != test.counts[1]+test.counts[2]+test.counts[3] {
				t.Errorf("failed: got %d", failed)
			}
		})
	}
}

// TestProblemFails checks that a case with only equal files fails if it has a problem.
func TestProblemFails(t *testing.T) {
	r := comparison{peerFiles: 3, equal: 3, problems: []string{"the table states 4"}}
	if r.failed() != 1 {
		t.Errorf("got %d, want 1", r.failed())
	}
}

// writeTree writes files to a directory, which does not exist if there are none.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestExcerptInsertion(t *testing.T) {
	a := "1\n2\n3\n4\n5\n6\n7\n8\n"
	b := "1\n2\n3\n4\nnew\n5\n6\n7\n8\n"
	if got, want := excerpt(a, b), "@@ line 5 @@\n 2\n 3\n 4\n+new\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMedian(t *testing.T) {
	if got := median([]int{9, 1, 5}, func(i int) time.Duration { return time.Duration(i) }); got != 5 {
		t.Errorf("got %d", got)
	}
}

func TestSelectRows(t *testing.T) {
	selected, err := selectRows("verify,generate")
	if err != nil || len(selected) != 2 || selected[0].name != "generate" {
		t.Errorf("got %v, %v; want both in the order of the table", selected, err)
	}
	if _, err := selectRows("verify,nonsense"); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("unknown name: got error %v", err)
	}
}

// TestWithout checks that a case is left out of a row only for a reason.
func TestWithout(t *testing.T) {
	for name, want := range map[string]string{
		"gateway-api":       "",
		"synthetic-25":      "",
		"cilium":            "edit other",
		"k8s-api-core":      "manifests edit other project verify",
		"k8s-api-workloads": "manifests edit project verify",
	} {
		selected, err := selectCases(name)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, r := range rows() {
			if r.without(selected[0]) != "" {
				left = append(left, r.name)
			}
		}
		if got := strings.Join(left, " "); got != want {
			t.Errorf("%s: got rows %q, want %q", name, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	r := row{title: "T", name: "t", speed: bounds{20, 10}, memory: bounds{geomean: 0.25}}
	took := func(speed, memory float64) result {
		return result{
			name: "c",
			peer: sample{wall: time.Second, cpu: time.Second, treeRSS: 1 << 20},
			ours: sample{wall: time.Duration(float64(time.Second) / speed), cpu: time.Second, treeRSS: int64(memory * (1 << 20))},
			list: sample{wall: time.Second},
		}
	}
	text := r.table([]result{took(8, 0.125), took(32, 0.5)})
	for _, want := range []string{
		"| 8.0 | 0.12 | 0.12 | 1.00 |\n",
		"| 32.0 | 0.03 | 0.50 | 1.00 |\n",
		"| 16.0 | 0.06 | 0.25 | 1.00 |\n",
		"\nReached: memory. Not reached: times as fast: geometric mean 16.0 (target ≥ 20); not ≥ 10 in c (8.0).\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	columns := map[int]bool{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			columns[strings.Count(line, "|")] = true
		}
	}
	if len(columns) != 1 {
		t.Errorf("lines have different numbers of columns:\n%s", text)
	}
}

// TestPages checks that the tables of docs/performance.md and docs/dev/performance.md, and README's chart,
// are those of the recorded results, which are of lines that the rows measure.
func TestPages(t *testing.T) {
	w, err := openWorkspace()
	if err != nil {
		t.Fatal(err)
	}
	rec, err := readRecord(w.docs("performance.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile(rec.path); err != nil || string(have) != string(rec.text()) {
		t.Errorf("%s is not as the harness writes it: %v", rec.path, err)
	}
	for _, p := range rec.parts() {
		text, err := os.ReadFile(w.docs(p.page))
		if err != nil {
			t.Fatal(err)
		}
		if page, err := p.replace(string(text)); err != nil || page != string(text) {
			t.Errorf("%s: run go run . page: %v", p.page, err)
		}
		if _, err := p.replace(strings.Replace(string(text), "<!-- made by bench: "+p.name, "<!--", 1)); err == nil {
			t.Errorf("%s is accepted without the part %s", p.page, p.name)
		}
	}
	for name, want := range rec.charts() {
		if err := xml.Unmarshal([]byte(want), new(struct{})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if have, err := os.ReadFile(w.docs("pictures/" + name)); err != nil || string(have) != want {
			t.Errorf("docs/pictures/%s: run go run . page: %v", name, err)
		}
	}
}

// TestRecord checks that a result replaces that of the same line, that others are kept, and that
// lines that no row measures are removed.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.csv")
	old := strings.Join(recordColumns, ",") + "\n" +
		"manifests,operator: manifests,2026-01-01,3,10.0,1.0,2.0,100.0,50.0,9.0,3.0,4.0\n" +
		"manifests,kueue: manifests,2026-01-01,3,10.0,1.0,2.0,100.0,50.0,9.0,3.0,4.0\n" +
		"manifests,gone: manifests,2026-01-01,3,10.0,1.0,2.0,100.0,50.0,9.0,3.0,4.0\n"
	if err := os.WriteFile(path, []byte(old), 0o666); err != nil {
		t.Fatal(err)
	}
	rec, err := readRecord(path)
	if err != nil {
		t.Fatal(err)
	}
	s := sample{wall: 20 * time.Millisecond, cpu: time.Second, treeRSS: 1 << 10}
	manifests := rows()[0]
	if err := rec.add(manifests, result{"operator: manifests", "2026-02-02", 5, s, s, s}); err != nil {
		t.Fatal(err)
	}
	want := strings.Join(recordColumns, ",") + "\n" +
		"manifests,operator: manifests,2026-02-02,5,20.0,20.0,20.0,1.0,1.0,1000.0,1000.0,1000.0\n" +
		"manifests,kueue: manifests,2026-01-01,3,10.0,1.0,2.0,100.0,50.0,9.0,3.0,4.0\n"
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
	results, missing := rec.of(manifests)
	if len(results) != 2 || !slices.Contains(missing, "velero: manifests") {
		t.Errorf("got %v, missing %v", results, missing)
	}
	if got, want := measuredAs(results), "medians of 3 to 5 alternating runs in fresh processes, measured from 2026-01-01 to 2026-02-02."; got != want {
		t.Errorf("got %q", got)
	}
}

// TestMeasures checks which lines the rows measure: those with and without a change only lines
// of whole Makefiles, for which controller-gen does not take too long.
func TestMeasures(t *testing.T) {
	selected, err := selectCases("gateway-api,cluster-api-aws,trust-manager")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range rows() {
		measured, skipped := r.measures(selected)
		for _, c := range measured {
			got[r.name] += c.name + ";"
		}
		got[r.name] += strings.Join(skipped, ";")
	}
	const changed = "cluster-api-aws: manifests;trust-manager: object;trust-manager: applyconfiguration;" +
		"cluster-api-aws: object: controller-gen takes more than ten seconds"
	for name, want := range map[string]string{
		"object": "gateway-api: object;cluster-api-aws: object;trust-manager: object;",
		"verify": "gateway-api;cluster-api-aws;trust-manager;",
		"edit":   changed, "other": changed, "nothing": changed,
	} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
}

// TestTree checks that a tree is reproducible and valid Go, and that it has the stated number
// of kinds.
func TestTree(t *testing.T) {
	size := tree{kinds: 30, depth: 3, width: 7, unions: 2, rules: 2, description: 100}
	files, err := size.files()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := size.files(); !reflect.DeepEqual(files, again) {
		t.Error("two trees of the same size differ")
	}
	kinds, rules, unions := 0, 0, 0
	for _, f := range files {
		if _, err := parser.ParseFile(token.NewFileSet(), f.name, f.content, parser.ParseComments); err != nil {
			t.Error(err)
		}
		kinds += strings.Count(string(f.content), "subresource:status")
		rules += strings.Count(string(f.content), "XValidation")
		unions += strings.Count(string(f.content), "+unionDiscriminator")
	}
	if kinds != 30 || rules != 60 || unions != 60 {
		t.Errorf("got %d kinds, %d rules, %d unions", kinds, rules, unions)
	}
	if got := len(prose(100)); got < 99 || got > 100 {
		t.Errorf("got a description of %d bytes, want 100", got)
	}
}

func TestEdit(t *testing.T) {
	outputs := writeTree(t, map[string]string{"a.yaml": "spec:\n  names:\n    kind: Widget\n"})
	kinds, err := kindsOf(outputs)
	if err != nil {
		t.Fatal(err)
	}
	source := writeTree(t, map[string]string{
		"go.mod":  "module example.com/edit\n",
		"a.go":    "package v1\n\n// type Widget struct {\ntype WidgetSpec struct {\n}\n",
		"b.go":    "package v1\n\ntype Widget struct {\n\tA int\n}\n",
		"zz_c.go": "package v1\n",
	})
	for _, test := range []struct {
		edit       edit
		file, want string // want is what round 7 adds
	}{
		{editKind, "b.go", "type Widget struct {\n\t// Round7 is"},
		{editOther, "a.go", "func benchRound7() int { return 7 }\n"},
	} {
		file, err := findFile(t.Context(), []listing{{source, []string{"./..."}}}, kinds, test.edit)
		if err != nil {
			t.Fatal(err)
		}
		for _, round := range []int{0, 7} {
			if err := file.edit(round); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(filepath.Join(source, test.file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(got), test.want) || strings.Contains(string(got), "ound0") {
			t.Errorf("round 7 gives\n%s", got)
		}
	}
}

// TestLines checks that lines without commands of their own run on the paths of the case, and
// that those that write next to the packages have no output rule.
func TestLines(t *testing.T) {
	c := benchCase{name: "a", crd: "crd", paths: []string{"./api/...;./b"}, files: 2, object: line{files: 3},
		manifests: line{commands: []string{"rbac:roleName=r paths=./...", "crd paths=./api"}, files: 4}}
	var got []string
	for _, l := range c.lines() {
		got = append(got, fmt.Sprint(l.name, " ", l.files, " ", l.arguments("o"), " ", l.patterns()))
	}
	want := []string{
		"a 2 [[crd paths=./api/...;./b output:crd:dir=o]] [./api/... ./b]",
		"a: manifests 4 [[rbac:roleName=r paths=./... output:dir=o] [crd paths=./api output:dir=o]] [./... ./api]",
		"a: object 3 [[object paths=./api/...;./b]] [./api/... ./b]",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPlaces checks where markers of rbac and webhook are found.
func TestPlaces(t *testing.T) {
	const rbac = "+kubebuilder:rbac:groups=a,resources=b,verbs=get"
	got := placesOf([]byte(strings.Join([]string{
		"// " + rbac, "package p", // lines 1 and 2
		"", "//" + rbac, "", "// Doc.", "// " + rbac, "func F() {", // 3 to 8
		"\t// " + rbac, "\tf := `", "// " + rbac, "`", "\t//+kubebuilder:webhook:path=/p", "}", // 9 to 14
		"// " + rbac, "", "// " + rbac, "type T struct {", "\t// +kubebuilder:webhookconfiguration:mutating=true,name=n", "\tF int", "}", // 15 to 21
		"// " + rbac, "/* text", "*/", "var v = 1", "// + kubebuilder:rbac", "// +kubebuilder:object:root=true", "const c = 1 // " + rbac, "func G() {}", // 22 to 29
		"// " + rbac, // 30
	}, "\n")))
	want := map[int]string{
		1: "", 4: "", 7: "above func", 9: "inside of a declaration", 13: "inside of a declaration", 15: "", 17: "above type",
		19: "inside of a declaration", 22: "above var", 28: "", 30: "",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestSlope(t *testing.T) {
	var points []point
	for _, kinds := range []int{100, 300, 1000} {
		points = append(points, point{size: kinds})
	}
	if got := slope(points, func(p point) float64 { return 3 * math.Pow(float64(p.size), 1.5) }); got != "1.50" {
		t.Errorf("got %s", got)
	}
}

// TestPoints checks that points can be read again, with those of other modules.
func TestPoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.csv")
	s := sample{time.Second, 2 * time.Second, 1 << 10}
	want := []*series{
		{module: "kinds", name: "controller-gen", points: []point{{1, s}, {10, s}}},
		{module: "rules", name: "controller-gen", points: []point{{1, s}}},
		{module: "rules", name: "schemagen docs", points: []point{{1, s}}},
	}
	if err := os.WriteFile(path, pointsCSV(want), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := readPoints(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, error %v", got, err)
	}
	if got, err := readPoints(path + "x"); err != nil || got != nil {
		t.Errorf("no file: got %v, error %v", got, err)
	}
	if _, err := readPoints("go.mod"); err == nil {
		t.Error("another file is accepted")
	}
}

func TestCompareCRDs(t *testing.T) {
	dir := t.TempDir()
	const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	for name, text := range map[string]string{
		"published/same.yaml": crd, "written/same.yaml": "---\n" + crd,
		"published/other.yaml": crd + "a: 1\n", "written/other.yaml": "---\n" + crd + "a: 2\n",
		"published/missing.yaml": crd, "written/extra.yaml": "---\n" + crd,
		"published/policy.yaml": "kind: ValidatingAdmissionPolicy\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	equal, all, err := compareCRDs(filepath.Join(dir, "published"), filepath.Join(dir, "written"), &out)
	if err != nil || equal != 1 || all != 4 {
		t.Errorf("got %d of %d and %v, want 1 of 4", equal, all, err)
	}
	for _, want := range []string{"extra.yaml is not published", "missing.yaml is not written", "other.yaml differs", "-a: 1", "+a: 2"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if _, _, err := compareCRDs(filepath.Join(dir, "published"), dir, &out); err == nil {
		t.Error("a directory without CRDs is no error")
	}
}

// TestEqualButForRules checks that only rules that are added are left out of a comparison.
func TestEqualButForRules(t *testing.T) {
	const theirs = "a:\n  type: string\n  x-kubernetes-validations:\n  - rule: x\n"
	for ours, want := range map[string]bool{
		theirs:                   true,
		theirs + "  - rule: y\n": true,
		"a:\n  type: string\n  x-kubernetes-validations:\n  - rule: y\n": false,
		theirs + "b: 1\n": false,
		theirs + "b:\n- x-kubernetes-validations:\n  - rule: y\n":                        false,
		"a:\n  type: string\n  x-kubernetes-validations:\n  - rule: x\n    message: m\n": false,
	} {
		if got, err := equalButForRules(theirs, ours); err != nil || got != want {
			t.Errorf("%q: %v, %v", ours, got, err)
		}
	}
}

// TestRecordDialects checks that results of checkouts that were not compared are kept.
func TestRecordDialects(t *testing.T) {
	t.Chdir(t.TempDir())
	old := "m v1, then: old\n  A:\n    x\na at commit 1, then: old\n  B:\n    y\nb at commit 2, then: kept\n  C:\n    z\n"
	if err := os.WriteFile(dialectsFile, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	d := dialectRun{lines: []string{"m v2, now: new\n  D:\n", "a at commit 3, now: new\n"}}
	if err := d.record(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(dialectsFile)
	if want := strings.Join(d.lines, "") + "b at commit 2, then: kept\n  C:\n    z\n"; err != nil || string(got) != want {
		t.Errorf("%v, %s", err, got)
	}
}

// TestReplaceOneOf checks the rule of controller-gen before v0.22.
func TestReplaceOneOf(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.go")
	if err := os.WriteFile(name, []byte("// +kubebuilder:validation:ExactlyOneOf={a,b}\ntype T struct{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replaceOneOf(dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	want := `// +kubebuilder:validation:XValidation:rule="[has(self.a),has(self.b)].filter(x,x==true).size() == 1",message="exactly one of the fields in [a b] must be set"` + "\ntype T struct{}\n"
	if err != nil || string(got) != want {
		t.Errorf("%v, %s", err, got)
	}
}

func TestWithoutPositions(t *testing.T) {
	const want = "api/types.go:1:2: warning\n\tk8s.io/api@v0.1.0/types.go:3:4: the metadata\n"
	for name, text := range map[string]string{
		"absolute": "/tmp/a/case/api/types.go:1:2: warning\n\t/tmp/b/mod/k8s.io/api@v0.1.0/types.go:3:4: the metadata\n",
		"relative": "api/types.go:1:2: warning\n\t../../b/mod/k8s.io/api@v0.1.0/types.go:3:4: the metadata\n",
	} {
		if got := withoutPositions(text, "/tmp/b/mod", "/tmp/a/case"); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestMonorepo checks that the repository is valid Go with the stated number of packages, few of
// which have a kind.
func TestMonorepo(t *testing.T) {
	files, err := monorepo()
	if err != nil {
		t.Fatal(err)
	}
	packages, kinds, roles := map[string]bool{}, 0, 0
	for _, f := range files {
		packages[path.Dir(f.name)] = true
		kinds += strings.Count(string(f.content), "subresource:status")
		roles += strings.Count(string(f.content), "+kubebuilder:rbac")
	}
	if len(packages) != monorepoPackages || kinds != monorepoKinds || roles != monorepoKinds {
		t.Errorf("got %d packages, %d kinds, %d markers of roles", len(packages), kinds, roles)
	}
	for _, f := range files[len(files)-2:] {
		if _, err := parser.ParseFile(token.NewFileSet(), f.name, f.content, 0); err != nil {
			t.Error(err)
		}
	}
}

// TestDamage checks that a damaged file cannot be parsed and differs in one place, and that the source still has
// what the mutant leaves out.
func TestDamage(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.go": "package a\n\n// +kubebuilder:object:root=true\ntype A struct{ B string }\n"})
	run := &damageRun{files: []string{filepath.Join(dir, "a.go")}}
	random := rand.New(rand.NewPCG(1, 0))
	for range 100 {
		name, original, broken := run.choose(random)
		if _, err := parser.ParseFile(token.NewFileSet(), name, broken, 0); err == nil {
			t.Errorf("%s can be parsed", broken)
		}
		if len(broken) > len(original)+3 || bytes.Count(broken, []byte("\n")) < bytes.Count(original, []byte("\n"))-1 {
			t.Errorf("more than a part of a line is damaged: %s", broken)
		}
	}
	source, err := os.ReadFile(filepath.FromSlash("../" + mutatedFile))
	if err != nil || bytes.Count(source, []byte(checkedText)) != 1 {
		t.Errorf("want %q once in %s: %v", checkedText, mutatedFile, err)
	}
}
