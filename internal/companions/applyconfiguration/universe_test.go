package applyconfiguration

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/go-logr/logr"
	"k8s.io/code-generator/cmd/applyconfiguration-gen/generators"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/parser"
	"k8s.io/gengo/v2/types"
	"k8s.io/klog/v2"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/source"
)

var (
	corpusDir   = flag.String("corpus", "../../..", "directory of the module for TestCorpus")
	packageList = flag.String("packages", "k8s.io/api/apps/v1 k8s.io/api/batch/v1 k8s.io/api/core/v1 k8s.io/api/networking/v1 k8s.io/api/resource/v1 k8s.io/api/admissionregistration/v1alpha1 k8s.io/api/policy/v1",
		"packages for TestCorpus")
)

// TestCorpus generates apply configurations of all structs with metadata, as if they were
// kinds, and compares them with those from gengo's own universe. With markers such as
// +genclient:method=…,input=Scale, in k8s.io/api/extensions/v1beta1, code-generator's result
// depends on the order of a map.
func TestCorpus(t *testing.T) {
	t.Chdir(*corpusDir)
	c := newComparison(t, strings.Fields(*packageList))
	var runs []*packageRun
	for _, root := range c.parsed() {
		p := &packageRun{path: root.Path, dir: filepath.Dir(root.Files[0]), group: "example.com", version: root.Name, output: "apply"}
		for _, typ := range root.Types() {
			for _, embedded := range typ.Embedded() {
				if source.ExprName(embedded) == "metav1.ObjectMeta" {
					p.kinds = append(p.kinds, kind{typ.Spec.Name.Name, true})
				}
			}
		}
		if p.kinds != nil {
			runs = append(runs, p)
		}
	}
	theirs := c.gengo(runs)
	files := 0
	for _, p := range runs {
		ours, err := newUniverse(c.program, c.root(p.path))
		if err != nil || len(ours.missing) > 0 {
			t.Error(err, ours.missing)
			continue
		}
		files += len(c.compare(p, ours.Universe, theirs))
	}
	if files < 10 {
		t.Errorf("%d files", files)
	}
	t.Logf("%d packages, %d files", len(runs), files)
}

// comparison compares our universes of packages with gengo's.
type comparison struct {
	t       *testing.T
	options define.Options
	program *source.Program
	roots   []*source.Package
	// temporary is a directory outside of the module.
	temporary string
}

// newComparison loads packages of the working directory: gengo does not support another.
func newComparison(t *testing.T, patterns []string) *comparison {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c := &comparison{t: t, temporary: t.TempDir(), options: define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: patterns}}}
	c.options.Loaded, err = define.Load(t.Context(), c.options)
	if err != nil {
		t.Fatal(err)
	}
	c.program, c.roots, _ = c.options.Loaded.Program()
	return c
}

// parsed returns the root packages that can be parsed.
func (c *comparison) parsed() []*source.Package {
	c.program.Scan(c.roots)
	for _, p := range c.roots {
		for _, f := range p.Sources {
			f.MentionsApply = true
		}
	}
	return requesting(c.program, c.roots)
}

func (c *comparison) root(path string) *source.Package {
	return c.roots[slices.IndexFunc(c.roots, func(p *source.Package) bool { return p.Path == path })]
}

// gengo returns gengo's universe of the packages, loaded at once.
func (c *comparison) gengo(packages []*packageRun) types.Universe {
	c.t.Helper()
	var paths []string
	for _, p := range packages {
		paths = append(paths, p.path)
	}
	klog.SetLogger(logr.Discard()) // it warns about comments of aliases
	defer klog.ClearLogger()
	peer := parser.NewWithOptions(parser.Options{BuildTags: []string{gengo.StdBuildTag}})
	if err := peer.LoadPackages(paths...); err != nil {
		c.t.Fatal(err)
	}
	universe, err := peer.NewUniverse()
	if err != nil {
		c.t.Fatal(err)
	}
	return universe
}

// compare generates the files of a package from both universes, and returns those from
// gengo's.
func (c *comparison) compare(p *packageRun, ours, theirs types.Universe) map[string]string {
	c.t.Helper()
	got := c.generate(p, ours, order(c.root(p.path), ours))
	if its := theirs[p.path]; len(its.Types) > 0 {
		// What other packages contribute does not change what is generated for this one.
		theirs = types.Universe{p.path: its}
	} else {
		theirs = c.gengo([]*packageRun{p})
	}
	sorted := namer.Orderer{Namer: generators.NameSystems()[generators.DefaultNameSystem()]}
	want := c.generate(p, theirs, sorted.OrderUniverse(theirs))
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			c.t.Errorf("%s: %s:\n%s", p.path, name, udiff.Unified("gengo", "ours", want[name], got[name]))
		}
	}
	if len(got) != len(want) {
		c.t.Errorf("%s: %d files, want %d", p.path, len(got), len(want))
	}
	return want
}

// generate returns the files of a package by name, and in the directory "bare" those without
// schemas, which do not depend on whether there can be schemas. A file "error" has what went
// wrong.
func (c *comparison) generate(p *packageRun, universe types.Universe, order []*types.Type) map[string]string {
	c.t.Helper()
	out := map[string]string{}
	run := func(dir string, generate func(*packageRun) error) {
		schemas := filepath.Join(c.temporary, "schemas.json")
		r, err := newRun(c.t.Context(), Options{Source: c.options, Complaint: &diag.Kind{}, Temporary: func(data []byte) (string, func(), error) {
			return schemas, func() {}, os.WriteFile(schemas, data, 0o666)
		}})
		if err != nil {
			c.t.Fatal(err)
		}
		each := *p
		each.run = r
		each.model = func() (types.Universe, []*types.Type, error) { return universe, order, nil }
		if err := generate(&each); err != nil {
			out[dir+"error"] = err.Error()
		}
		for _, d := range r.findings {
			out[dir+"error"] += d.Message + "\n"
		}
		for _, f := range r.files {
			out[dir+f.Name] = string(f.Data)
		}
	}
	run("", (*packageRun).generate)
	run("bare/", func(p *packageRun) error {
		return p.upstream(func() error { return p.execute(p.arguments()) })
	})
	return out
}
