package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestCases checks the table of cases: names must be unique, and the number of files must be
// stated, without which a case would prove nothing.
func TestCases(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases() {
		if seen[c.name] {
			t.Errorf("%s: name is used twice", c.name)
		}
		seen[c.name] = true
		if c.files < 1 || c.crd == "" || len(c.paths) == 0 {
			t.Errorf("%s: files, crd and paths must be given", c.name)
		}
		if _, err := os.Stat(filepath.Join(c.pins, "go.mod")); err != nil {
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
	if left, err := removeMatching(dir, projects()[1].generated); left != 1 || err != nil {
		t.Errorf("%d files are left, %v", left, err)
	}
	if left, err := readTree(dir); len(left) != 1 || err != nil || left[0].name != "config/b.yaml" {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestSelectCases(t *testing.T) {
	selected, err := selectCases("karpenter,gateway-api")
	if err != nil || len(selected) != 2 || selected[0].name != "gateway-api" {
		t.Errorf("got %v, %v; want both in the order of the table", selected, err)
	}
	if _, err := selectCases("gateway-api,nonsense"); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("an unknown name gives %v", err)
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
		name:    "the key stands elsewhere",
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
			r, err := compareTrees(writeTree(t, test.want), writeTree(t, test.got))
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
	selected, err := selectRows("nothing,verify")
	if err != nil || len(selected) != 2 || selected[0].name != "verify" {
		t.Errorf("got %v, %v; want both in the order of the table", selected, err)
	}
	if _, err := selectRows("verify,nonsense"); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("an unknown name gives %v", err)
	}
}

// TestWithout checks that a case is left out of a row only for a reason.
func TestWithout(t *testing.T) {
	for name, want := range map[string]string{
		"gateway-api":       "",
		"synthetic-25":      "",
		"cilium":            "edit",
		"k8s-api-core":      "verify edit",
		"k8s-api-workloads": "verify edit",
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
			t.Errorf("%s is not measured in %q, want %q", name, got, want)
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
		"| 8.0 FAIL | 0.12 | 0.12 | 1.00 |\n",  // a bound on speed for each case only
		"| 32.0 PASS | 0.03 | 0.50 | 1.00 |\n", // the same
		"| 16.0 FAIL | 0.06 | 0.25 PASS | 1.00 |\n",
		"| ≥ 20 |  | ≤ 0.25 |  |\n",
		"| 1 |  |  |  |\n", // one case misses the bound on speed
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
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

// TestTree checks that a tree is reproducible and valid Go, and that it has the stated number
// of kinds.
func TestTree(t *testing.T) {
	size := tree{kinds: 30, depth: 3, width: 7, unions: 2, rules: 2, description: 100}
	files, err := size.files()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := size.files(); !reflect.DeepEqual(files, again) {
		t.Error("two trees of one size are different")
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
		t.Errorf("%d kinds, %d rules, %d unions", kinds, rules, unions)
	}
	if got := len(prose(100)); got < 99 || got > 100 {
		t.Errorf("a description of 100 bytes has %d", got)
	}
}

func TestEdit(t *testing.T) {
	outputs := writeTree(t, map[string]string{"a.yaml": "spec:\n  names:\n    kind: Widget\n"})
	source := writeTree(t, map[string]string{
		"go.mod": "module example.com/edit\n",
		"a.go":   "package v1\n\n// type Widget struct {\ntype WidgetSpec struct {\n}\n",
		"b.go":   "package v1\n\ntype Widget struct {\n\tA int\n}\n",
	})
	file, err := findKind(t.Context(), []listing{{source, []string{"./..."}}}, outputs)
	if err != nil {
		t.Fatal(err)
	}
	for _, round := range []int{0, 7} {
		if err := file.edit(round); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(source, "b.go"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(got), "json:") != 1 || !strings.Contains(string(got), fmt.Sprintf("type Widget struct {\n\t// Round%d is", round)) {
			t.Errorf("round %d gives\n%s", round, got)
		}
	}
}

func TestSlope(t *testing.T) {
	var points []point
	for _, kinds := range []int{100, 300, 1000} {
		points = append(points, point{kinds: kinds})
	}
	if got := slope(points, func(p point) float64 { return 3 * math.Pow(float64(p.kinds), 1.5) }); got != "1.50" {
		t.Errorf("got %s", got)
	}
}
