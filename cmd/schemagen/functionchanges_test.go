//go:build unix

package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var mutations = flag.Int("mutations", 0, "make this number of changes in TestFunctionChangesAreSeen, and write the outcome to testdata/mutations.txt")

// functionLines are the command lines of TestFunctionChangesAreSeen.
func functionLines() [][]string {
	return [][]string{
		{"crd", "./api/...", "-o", "../out"},
		{"crd", "./...", "-o", "../out", "--strict"},
		{"rbac:roleName=r", "crd", "webhook", "paths=./...", "output:crd:dir=../out"},
		{"object", "crd", "paths=./api/...", "output:crd:dir=../out"},
		{"rbac:roleName=r", "object", "applyconfiguration", "crd", "paths=./...", "output:crd:dir=../out"},
	}
}

// TestFunctionChangesAreSeen makes random changes to Go files, mostly to functions. After each
// one, a run with a cache, which may repeat an earlier run if generators do not see the change, and
// else reads no file that has not changed again, must have the same exit code, output and files as a run without a cache.
func TestFunctionChangesAreSeen(t *testing.T) {
	changes := 100
	if *mutations > 0 {
		changes = *mutations
	}
	record, err := filepath.Abs("../../testdata/mutations.txt") // labs change the directory
	if err != nil {
		t.Fatal(err)
	}
	lines := functionLines()
	var labs []*functionLab
	for i, line := range lines {
		labs = append(labs, newFunctionLab(t, rand.New(rand.NewPCG(*randomSeed, uint64(i))), line))
	}
	repeated, failed := 0, 0
	change := func(t *testing.T, i int) {
		l := labs[i%len(labs)]
		l.enter(t)
		what := l.mutate()
		repeats := l.repeats()
		got := l.runIn(l.dir, "--set", "cacheDir="+l.at("cache"))
		want := l.runIn(l.dir, "--no-cache")
		if !got.equal(want) {
			t.Fatalf("seed %d, change %d, %s, with %v\ngot exit code %d and\n%s%s\nwant, as without a cache, %d and\n%s%s%s",
				*randomSeed, i, what, l.args, got.code, got.stdout, got.stderr, want.code, want.stdout, want.stderr, differences(got, want))
		}
		if repeats {
			repeated++
		}
		if got.code != 0 {
			failed++
		}
		if got.code != 0 || l.random.IntN(4) == 0 {
			l.restore(l.begun)
		}
	}
	const some = 50 // each run has a file open until its test has ended
	for first := 0; first < changes && !t.Failed(); first += some {
		time.Sleep(2100 * time.Millisecond) // from now on files have stamps, so that runs recall what earlier ones scanned
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			for i := range min(some, changes-first) {
				change(t, first+i)
			}
		})
	}
	result := fmt.Sprintf("%d random changes of Go files (seed %d, %s). After %d of them a run was repeated,\nafter %d it had errors; all results were those of runs without a cache.\n",
		changes, *randomSeed, time.Now().Format(time.DateOnly), repeated, failed)
	t.Log(result)
	if repeated < changes/5 || repeated > changes*4/5 || failed > changes/2 {
		t.Error("too few to tell anything")
	}
	if *mutations > 0 && !t.Failed() {
		if err := os.WriteFile(record, []byte(result), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func differences(got, want outcome) string {
	var b strings.Builder
	for name := range merged(got.files, want.files) {
		if a, b2 := got.files[name], want.files[name]; a != b2 {
			fmt.Fprintf(&b, "\nfile %s: got\n%s\nwant\n%s", name, a, b2)
		}
	}
	return b.String()
}

// functionLab is a project whose Go files change.
type functionLab struct {
	*randomLab
	begun labState
}

func newFunctionLab(t *testing.T, random *rand.Rand, line []string) *functionLab {
	p := newProjectIn(t, t.TempDir())
	p.args, p.env = line, map[string]string{}
	p.write("work/schemagen.yaml", "outputs: {crd: ../out}\n")
	if random.IntN(2) == 0 || slices.Contains(line, "object") {
		p.replace("work/api/types.go", "Maximun", "Maximum")
	}
	for _, name := range []string{"work/api/c.go", "work/api/newer.go", "work/api/tagged.go"} {
		p.remove(name)
	}
	p.write("work/api/doc.go", "// +groupName=example.com\n// +kubebuilder:object:generate=true\n// +kubebuilder:ac:generate=true\npackage api\n\nvar SchemeGroupVersion = 1\n")
	for i := range 3 {
		p.write(fmt.Sprintf("work/controllers/c%d.go", i), controllerText(i))
	}
	p.write("work/api/helpers.go", helpersText)
	l := &functionLab{randomLab: &randomLab{sandbox: p, random: random, flags: map[string]string{}, room: [2]int{-1, -1}}}
	first := l.runIn(l.dir, "--no-cache")
	if first.code != 0 && !slices.Contains(line, "--strict") {
		t.Fatalf("%v: exit code %d\n%s%s", line, first.code, first.stdout, first.stderr)
	}
	l.begun = l.state()
	return l
}

func controllerText(i int) string {
	return fmt.Sprintf(`package controllers

import (
	"fmt"
)

// Reconciler%[1]d reconciles.
type Reconciler%[1]d struct{ name string }

// Verbs is a list.
var verbs%[1]d = []string{"get"} // of verbs

// +kubebuilder:rbac:groups=example.com,resources=widgets,verbs=get;list

// Reconcile reconciles.
func (r *Reconciler%[1]d) Reconcile() error {
	// Nothing is done.
	return fmt.Errorf("%%s { %%v", r.name, verbs%[1]d)
}

func (r *Reconciler%[1]d) other() {}

// +kubebuilder:webhook:path=/p%[1]d,mutating=false,failurePolicy=fail,sideEffects=None,groups=example.com,resources=widgets,verbs=create,versions=api,name=w%[1]d.example.com,admissionReviewVersions=v1

func last%[1]d(a, b int) (int, error) {
	if a > b {
		return a, nil
	}
	return b, nil
}
`, i)
}

const helpersText = `package api

// Color is a color.
type Color string

const (
	Red  Color = "red"
	Blue Color = "blue"
)

var sizes = table()

const count = len(sizes)

func table() [3]int { return [3]int{} }

func (c Color) Name() string {
	return string(c)
}

func (s *Spec) Default() {
	if s.Count == 0 {
		s.Count = 1
	}
}

// Paint paints.
type Paint struct {
	// +kubebuilder:validation:Enum=red;blue
	Color Color
}
`

// mutate changes a Go file and describes the change.
func (l *functionLab) mutate() string {
	var files []string
	l.walk(l.at("work"), func(name string, e fs.DirEntry) {
		if filepath.Ext(name) == ".go" && e.Type().IsRegular() && !strings.Contains(name, "long.go") && !strings.HasPrefix(e.Name(), "zz_") && !strings.Contains(name, "applyconfiguration") {
			files = append(files, name)
		}
	})
	name := one(l.random, files...)
	src, err := os.ReadFile(name)
	l.check(err)
	changed, what := l.changed(src)
	if l.random.IntN(8) == 0 {
		changed, _ = l.changed(changed)
		what += " and more"
	}
	l.check(os.WriteFile(name, changed, 0o644))
	return fmt.Sprintf("%s in %s\n--- was\n%s\n--- is\n%s\n---\n", what, filepath.Base(name), src, changed)
}

// changed returns changed source.
func (l *functionLab) changed(src []byte) (out []byte, what string) {
	r := l.random
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return append(slices.Clone(src), "\n// end\n"...), "a comment at the end"
	}
	offset := fset.File(tree.FileStart).Offset
	// The declarations with their comments, and the places between them.
	type span struct{ start, end int }
	var functions []span
	places := []int{len(src)}
	for _, decl := range tree.Decls {
		start := decl.Pos()
		if fn, ok := decl.(*ast.FuncDecl); ok {
			if fn.Doc != nil && r.IntN(4) > 0 {
				start = fn.Doc.Pos()
			}
			functions = append(functions, span{offset(start), offset(fn.End())})
		}
		places = append(places, offset(start), offset(decl.End()))
	}
	insert := func(at int, text string) []byte { return slices.Concat(src[:at], []byte(text), src[at:]) }
	cut := func(s span, text string) []byte { return slices.Concat(src[:s.start], []byte(text), src[s.end:]) }
	switch kind := r.IntN(20); {
	case kind < 5 || len(functions) == 0:
		return insert(one(r, places...), l.space()+l.function()+l.space()), "a function added"
	case kind < 8: // a function that nothing sees, like most
		return insert(len(src), fmt.Sprintf("\nfunc f%d() int { return %d }\n", r.Uint32(), r.Uint32())), "a plain function added"
	case kind < 10:
		return cut(one(r, functions...), one(r, "", "", "\n")), "a function removed"
	case kind < 12:
		return cut(one(r, functions...), l.function()), "a function replaced"
	case kind < 16: // inside a function
		f := one(r, functions...)
		body := strings.IndexByte(string(src[f.start:f.end]), '{')
		if body < 0 {
			return src, "nothing"
		}
		return insert(f.start+body+1, one(r, "\n", " ", "\n\n")+l.statement()+"\n"), "a statement added"
	case kind < 17:
		out = slices.Clone(src)
		out[r.IntN(len(out))] = one[byte](r, 'x', ' ', '1', '\n', '{', '}', '"', '`', '/', '+', 0xff)
		return out, "a byte changed"
	case kind < 18:
		return insert(one(r, places...), l.space()+l.comment()+l.space()), "a comment added"
	case kind < 19:
		return insert(one(r, places...), l.space()+l.declaration()+l.space()), "a declaration added"
	}
	return insert(r.IntN(len(src)), one(r, "\n", "\n\n", " ", "\t", "\r\n")), "white space added"
}

func (l *functionLab) space() string {
	return one(l.random, "\n\n", "\n\n", "\n\n", "\n", " ", "", "\n\n\n")
}

// function returns a function: most often one that generators do not see.
func (l *functionLab) function() string {
	r := l.random
	doc := one(r, "", "", "", "// It does something.\n", "// It does something.\n//\n// More.\n", "/* A\n   block. */\n", l.comment()+"\n")
	receiver := one(r, "", "", "(c Color) ", "(s Spec) ", "(s *Spec) ", "(*Widget) ", "(Extra) ", "(p *Paint) ")
	name := fmt.Sprint("f", r.Uint32())
	if r.IntN(4) == 0 {
		name = one(r, "Hub", "IsZero", "DeepCopy", "table", "Default", "init", "_", "Convert_a_Spec_To_b_Spec", "ConvertTo", "sizes", "len", "Spec", "marshal")
	}
	signature := one(r, "()", "() int", "(a, b int) (int, error)", "() struct{ A int }", "(x interface{ M() }) map[string]struct{}", "(\n\ta int,\n)", "[T any](x T) []T", "() ([]byte, error)", "() [3]int")
	if r.IntN(8) == 0 {
		name, signature = one(r, "MarshalJSON", "MarshalText", "UnmarshalJSON"), "() ([]byte, error)"
	}
	if r.IntN(10) == 0 {
		name, signature = "DeepCopyInto", "(out *Spec)"
	}
	if r.IntN(12) == 0 {
		return doc + "func " + receiver + name + signature // without a body
	}
	var body strings.Builder
	for range r.IntN(4) {
		body.WriteString("\t" + l.statement() + "\n")
	}
	return doc + "func " + receiver + name + signature + " {\n" + body.String() + "}" + one(r, "", "", "", " // end", "\n", "\n// after\n")
}

// statement returns statements, some of which resemble what generators look for.
func (l *functionLab) statement() string {
	r := l.random
	return one(r,
		"x := 1", "return", "if a > 0 { return }", "s := \"}\" + \"{\" + \"//\"", "c := '\"'; d := '{'", "q := '\\''",
		"t := `\nfunc inRaw() {\n}\n\n// +kubebuilder:rbac:groups=raw,resources=r,verbs=get\n`",
		"t := `// +kubebuilder:validation:Maximun=1\ntype Raw struct{}`",
		"type local struct { A int `json:\"a\"` }", "type Spec int", "const Green Color = \"green\"", "f := func() { g() }",
		"// a comment with { and \" and `", "/* a block\n// } */", "// +kubebuilder:rbac:groups=body,resources=b,verbs=get", "// +kubebuilder:validation:Maximun=2",
		"// kubebuilder:validation:Maximum=2", "// kubebuilder:rbac:groups=g,resources=r,verbs=get", "/* +kubebuilder:validation:Minimum=2 */", "// +groupName=other.com", "//line other.go:7",
		"y := metav1.TypeMeta{}; z := metav1.ObjectMeta{}", "z.DeepCopyInto(y)", "b, err := x.MarshalJSON()", "x := := 1", "x := := 1", "}", "{", "x := [...]int{1, 2, 3}", "a /= 2 // half",
		fmt.Sprint("n = ", r.Uint32()))
}

func (l *functionLab) comment() string {
	return one(l.random, "// A comment.", "// Two\n// lines.", "/* block */", "// +kubebuilder:rbac:groups=new,resources=n,verbs=get", "// +kubebuilder:object:generate=false", "// +kubebuilder:validation:Maximun=3",
		"// kubebuilder:rbac:groups=g,resources=r,verbs=get", "// +genclient", "// +groupName=example.org", "//go:build ignored", "// Code generated by x. DO NOT EDIT.", "//line l.go:3", "// +kubebuilder:skip", "//nolint")
}

func (l *functionLab) declaration() string {
	return one(l.random, "type Added struct{ A int }", "// +kubebuilder:validation:Minimum=1\ntype Level int", "const Green Color = \"green\"", "var f = func() {\n}", "var g =\nfunc (a int) {\n}", "type F func(int)", "var _ = `\nfunc raw() {\n}\n`", "import \"C\"", "type (\n\tA int\n)")
}
