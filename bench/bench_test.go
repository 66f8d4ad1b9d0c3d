package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The table is read by people and by flags: names must be unique, and a case
// without a stated number of files would prove nothing.
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
			r, err := compareTrees(tree(t, test.want), tree(t, test.got))
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

// A case whose files are all equal still fails if something else went wrong.
func TestProblemFails(t *testing.T) {
	r := comparison{peerFiles: 3, equal: 3, problems: []string{"the table states 4"}}
	if r.failed() != 1 {
		t.Errorf("got %d, want 1", r.failed())
	}
}

// tree writes files into a folder that does not exist if there are none.
func tree(t *testing.T, files map[string]string) string {
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
