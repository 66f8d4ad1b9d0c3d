// Package schemagen_test holds the rules of the whole tree: which package may
// import which, and what no package does. It reads the files itself; the result
// of the go command would come from the test cache.
package schemagen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/markers"
)

const module = "github.com/schemagen/schemagen"

// layers are the packages, lowest first: each may import only those above it in
// this list.
func layers() []string {
	return []string{
		"internal/test/typedmodule",
		"internal/test/docexample",
		"internal/ground/gogc",
		"internal/test/changetable",
		"internal/test/crdfields",
		"internal/ground/snapshot",
		"internal/ground/lazyregexp",
		"internal/ground/celtext",
		"internal/ground/notes",
		"internal/ground/plainjson",
		"internal/ground/interrupt",
		"internal/ground/changekind",
		"internal/ground/temporary",
		"internal/ground/screen",
		"internal/ground/schemapath",
		"internal/ground/words",
		"internal/ground/markdown",
		"diag",
		"internal/ground/progress",
		"internal/terminal",
		"internal/terminal/consent",
		"internal/ground/gates",
		"internal/ground/inputs",
		"internal/ground/parallel",
		"internal/ground/unseen",
		"internal/yamltext",
		"structural",
		"structural/manifest",
		"internal/schemas/keywords",
		"internal/schemas/locate",
		"internal/schemas/contradictions",
		"internal/schemas/compat",
		"internal/schemas/provenance",
		"internal/markers",
		"markers",
		"internal/gates/gatedsource",
		"internal/source/sourcestyle",
		"templates",
		"internal/source/gotext",
		"unions",
		"internal/test/uniontable",
		"internal/test/serverrules",
		"crd",
		"internal/source/golist",
		"internal/source/pruned",
		"internal/source",
		"internal/source/typecheck",
		"internal/define/crdyaml",
		"internal/define/plurals",
		"internal/define/kustomize",
		"internal/define/report",
		"internal/companions/deepcopy",
		"internal/companions/configgen",
		"internal/companions/rbac",
		"internal/companions/webhook",
		"internal/define/checks",
		"internal/define/edits",
		"internal/define/transitions",
		"internal/define",
		"internal/gates/erasure",
		"internal/gates/gateway",
		"internal/gates/absent",
		"internal/gates/overlay",
		"internal/unions/gounions",
		"internal/conventions/clients",
		"internal/conventions",
		"internal/passes",
		"generator",
		"generator/config",
		"internal/unions/uniongen",
		"internal/companions/schemapatch",
		"internal/companions/applyconfiguration",
		"internal/types/typegen",
		"internal/conversions/policy",
		"internal/conversions/gotypes",
		"internal/conversions",
		"internal/conversions/losses",
		"internal/conversions/written",
		"internal/conversions/laws",
		"internal/conversions/rehub",
		"internal/apiserver",
		"internal/apiserver/crdsize",
		"internal/rules",
		"internal/unions/suggest",
		"verify",
		"internal/test/gentest",
		"dryrun",
		"dryrun/crdtest",
		"internal/fields",
		"publish",
		"compare",
		"internal/pages/derived",
		"internal/pages/prose",
		"internal/pages/explain",
		"internal/pages/apidocs",
		"internal/definitions",
		"apidocs",
		"internal/companions/commandline",
		"internal/project",
		"internal/run/output",
		"internal/review",
		"internal/conversions/convertrun",
		"internal/conversions/convertprove",
		"internal/tryout",
		"internal/run/fixes",
		"internal/channels/containment",
		"internal/test/containmenttest",
		"internal/channels/gatesrun",
		"internal/generate/crdinstall",
		"internal/run/runcache",
		"internal/generate",
		"internal/editor/symbols",
		"internal/editor",
		"internal/editor/lsp",
		"internal/migrate/peerversions",
		"internal/migrate",
		"internal/migrate/kubebuilder",
		"analyzer",
		"cmd/schemagen-vet",
		"cmd/schemagen/internal/earlyexit",
		"cmd/schemagen/internal/httpserver",
		"cmd/schemagen/internal/cli",
		"cmd/schemagen/internal/reference",
		"cmd/schemagen/internal/reporting",
		"cmd/schemagen/internal/generation",
		"cmd/schemagen",
	}
}

// owners are import paths, with everything below them, that only the named
// packages may import. Tests are free.
func owners() map[string][]string {
	return map[string][]string{
		"golang.org/x/tools/go/packages":                            {"internal/source/golist", "internal/test/gentest", "internal/companions/applyconfiguration", "internal/companions/commandline", "internal/channels/gatesrun"},
		"k8s.io/apiserver":                                          {"internal/apiserver", "internal/test/serverrules"},
		"k8s.io/apiextensions-apiserver/pkg/apiserver":              {"internal/apiserver", "internal/test/serverrules"},
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/val": {"internal/apiserver"},
		"sigs.k8s.io/controller-tools/pkg/crd/markers":              {"internal/markers", "markers", "internal/define/edits", "internal/define", "internal/unions/suggest", "internal/unions/uniongen", "internal/companions/applyconfiguration", "internal/companions/commandline"},
		// The peer itself is the oracle of tests.
		"sigs.k8s.io/controller-tools/pkg/crd": {},
		"sigs.k8s.io/yaml":                     {"unions", "internal/define/edits", "internal/define/crdyaml", "internal/define/kustomize", "internal/companions/schemapatch", "internal/generate/crdinstall", "internal/test/changetable", "internal/conversions/convertrun", "internal/editor/symbols"},
		"go.yaml.in/yaml":                      {"internal/project", "internal/yamltext", "structural/manifest", "dryrun", "internal/companions/schemapatch", "internal/definitions", "internal/generate", "cmd/schemagen"},
		"github.com/yuin/goldmark":             {"internal/pages/prose"},
		"go.lsp.dev":                           {"internal/editor/lsp"},
		"k8s.io/gengo":                         {"internal/markers", "internal/define/edits", "internal/define", "internal/companions/applyconfiguration"},
		"k8s.io/code-generator":                {"internal/companions/applyconfiguration"},
		"k8s.io/component-base":                {"internal/apiserver"},
		// Programs are started here only: the user's code by migrate and convertrun, which ask for consent.
		// The others run git and, in tests, the go command, or look for programs.
		"os/exec": {"internal/source/golist", "internal/test/gentest", "internal/test/typedmodule", "internal/ground/inputs", "internal/migrate/kubebuilder", "internal/definitions", "internal/migrate", "internal/conversions/convertrun"},
		// What a run reads is noted, so that the next one can tell whether it
		// changed.
		"os": {"crd", "internal/ground/snapshot", "internal/ground/temporary", "internal/ground/inputs", "internal/test/gentest", "dryrun/crdtest", "internal/definitions", "internal/run/output", "internal/run/runcache", "internal/migrate", "internal/migrate/kubebuilder", "cmd/schemagen/internal/earlyexit", "cmd/schemagen/internal/reporting", "cmd/schemagen/internal/generation", "cmd/schemagen", "internal/test/typedmodule", "internal/test/containmenttest", "internal/conversions/convertrun"},
	}
}

// goFile is one parsed file of the product.
type goFile struct {
	dir  string // slash-separated, relative to the root
	name string
	test bool
	ast  *ast.File
	fset *token.FileSet
}

// product returns the Go files of this module: nested modules and testdata are
// not part of it.
func product(t *testing.T) []goFile {
	t.Helper()
	var out []goFile
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if name != "." && (err == nil || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, goFile{
			dir: filepath.ToSlash(filepath.Dir(name)), name: filepath.ToSlash(name),
			test: strings.HasSuffix(name, "_test.go"), ast: parsed, fset: fset,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestImportsGoDownTheLayers(t *testing.T) {
	order := layers()
	for _, f := range product(t) {
		if f.dir == "." {
			continue
		}
		place := slices.Index(order, f.dir)
		if place < 0 {
			t.Errorf("%s: package %s is not in the list of layers", f.name, f.dir)
			continue
		}
		if f.test {
			continue
		}
		for _, spec := range f.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if own, ok := strings.CutPrefix(imported, module+"/"); ok {
				if at := slices.Index(order, own); at < 0 || at >= place {
					t.Errorf("%s imports %s, which is not above it", f.name, own)
				}
			}
			checkOwner(t, f, imported)
		}
	}
}

// checkOwner finds the longest rule for an import.
func checkOwner(t *testing.T, f goFile, imported string) {
	t.Helper()
	longest := ""
	for prefix := range owners() {
		if strings.HasPrefix(imported, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	if longest != "" && !slices.Contains(owners()[longest], f.dir) {
		t.Errorf("%s imports %s, which only %v may", f.name, imported, owners()[longest])
	}
}

// initialized are the packages that do something when they are imported. The packages of
// the API server take most of a short run's time while they are initialized, before main,
// and allocate what they keep. Only packages that are initialized earlier can end the
// process before that, and set the pace of the garbage collector for it.
func initialized() []string {
	return []string{"cmd/schemagen/internal/earlyexit", "internal/ground/gogc"}
}

// TestNoHiddenState rejects what makes the flow of values invisible: init
// functions, variables that call something for its effect, package variables that
// are not constants in spirit, and, outside of cmd/, printing, exiting, and panics.
func TestNoHiddenState(t *testing.T) {
	constant := regexp.MustCompile(`^(err[A-Z]|lazyregexp\.New|sync\.OnceValue|errors\.New)`)
	for _, f := range product(t) {
		if f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil && decl.Name.Name == "init" && !slices.Contains(initialized(), f.dir) {
					t.Errorf("%s: init function", f.fset.Position(decl.Pos()))
				}
			case *ast.GenDecl:
				if decl.Tok != token.VAR {
					continue
				}
				for _, spec := range decl.Specs {
					value := spec.(*ast.ValueSpec)
					for i, name := range value.Names {
						if isEmbedded(decl) {
							continue
						}
						if name.Name == "_" {
							if slices.ContainsFunc(value.Values, callsSomething) {
								t.Errorf("%s: variable _ calls something: an init function in disguise", f.fset.Position(name.Pos()))
							}
							continue
						}
						var text string
						if i < len(value.Values) {
							text = calledName(value.Values[i])
						}
						if !constant.MatchString(name.Name) && !constant.MatchString(text) && !isArray(value) && !isKind(value) && !isAnalyzer(f.dir, name.Name) {
							t.Errorf("%s: package variable %s: make it a function or a constant", f.fset.Position(name.Pos()), name.Name)
						}
					}
				}
			}
		}
		if strings.HasPrefix(f.dir, "cmd/") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch name := calledName(call); {
			case name == "panic" && f.name == "internal/ground/parallel/panic.go": // those of goroutines
			case name == "panic", name == "print", name == "println",
				strings.HasPrefix(name, "fmt.Print"), strings.HasPrefix(name, "log."),
				name == "os.Exit", name == "runtime.Goexit":
				t.Errorf("%s: %s outside of cmd/", f.fset.Position(call.Pos()), name)
			}
			return true
		})
	}
}

// ownFiles are the packages that write files without package output, with what they write.
func ownFiles() map[string]string {
	return map[string]string{
		"internal/run/runcache":           "its cache, which has a mark",
		"internal/ground/temporary":       "temporary files, which it sweeps",
		"internal/definitions":            "files in temporary directories",
		"internal/conversions/convertrun": "files in temporary directories",
		"internal/migrate":                "copies of the project, among temporary files",
		"internal/test/typedmodule":       "modules of tests",
		"internal/test/containmenttest":   "modules of tests",
		"internal/test/gentest":           "modules and expectations of tests",
		"e2e":                             "the servers of tests",
		"bench":                           "results of measurements",
	}
}

// TestOneWriter wants all files of users to be written by package output, which checks where
// they are. Functions that change files are those of package os with a path.
func TestOneWriter(t *testing.T) {
	changes := regexp.MustCompile(`^os\.(WriteFile|Create|CreateTemp|OpenFile|Rename|Remove|RemoveAll|Mkdir|MkdirAll|MkdirTemp|Symlink|Link|Chmod|Chown|Chtimes|Truncate|CopyFS)$`)
	writers := map[string]bool{}
	for _, f := range product(t) {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := selector.X.(*ast.Ident)
			if !ok || !changes.MatchString(pkg.Name+"."+selector.Sel.Name) {
				return true
			}
			writers[f.dir] = true
			if ownFiles()[f.dir] == "" {
				t.Errorf("%s: os.%s: write files with package output", f.fset.Position(n.Pos()), selector.Sel.Name)
			}
			return true
		})
	}
	if !writers["internal/ground/temporary"] || len(writers) < 5 {
		t.Errorf("only %v write files: the test does not see them", writers)
	}
}

// TestOneMakerOfTemporaries wants temporary directories and files of the system to be made by package
// temporary, which removes those of killed processes. Others are in one of these.
func TestOneMakerOfTemporaries(t *testing.T) {
	calls := 0
	for _, f := range product(t) {
		if f.test || strings.HasPrefix(f.dir, "tools/") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name := calledName(call); name != "os.MkdirTemp" && name != "os.CreateTemp" {
				return true
			}
			calls++
			dir, ok := call.Args[0].(*ast.BasicLit)
			if ok && dir.Value == `""` && f.dir != "internal/ground/temporary" {
				t.Errorf("%s: use package temporary", f.fset.Position(n.Pos()))
			}
			return true
		})
	}
	if calls < 4 {
		t.Errorf("only %d calls: the test does not see them", calls)
	}
}

// goroutines are the places outside of internal/ground/parallel that start goroutines, with what keeps a
// panic in one from ending the process.
func goroutines() map[string]string {
	return map[string]string{
		"internal/apiserver/compile.go":                      "each expression is guarded",
		"cmd/schemagen/serve.go":                             "net/http recovers in handlers",
		"internal/companions/applyconfiguration/upstream.go": "recovered there",
		"internal/source/trees.go":                           "caught and raised again",
		"internal/editor/editor.go":                          "each run is recovered",
		"internal/ground/inputs/record.go":                   "only reads files",
		"internal/editor/lsp/lsp.go":                         "each message is recovered",
		"internal/terminal/console.go":                       "only draws",
		"internal/tryout/tryout.go":                          "caught and raised again",
	}
}

// TestGoroutines checks that only internal/ground/parallel and the listed files start goroutines: a panic
// in one of them could not be reported as a bug with the name of the input.
func TestGoroutines(t *testing.T) {
	found := map[string]bool{}
	for _, f := range product(t) {
		top, _, _ := strings.Cut(f.dir, "/")
		if f.test || f.dir == "internal/ground/parallel" || slices.Contains([]string{"bench", "e2e", "tools", "hack"}, top) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, isCall := n.(*ast.CallExpr)
			_, starts := n.(*ast.GoStmt)
			if isCall {
				selector, ok := call.Fun.(*ast.SelectorExpr)
				starts = ok && selector.Sel.Name == "Go"
			}
			if starts {
				found[f.name] = true
				if goroutines()[f.name] == "" {
					t.Errorf("%s: use package internal/ground/parallel, or list why a panic there does not end the process", f.fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
	for name := range goroutines() {
		if !found[name] {
			t.Errorf("%s starts no goroutine", name)
		}
	}
}

// callsSomething reports whether there is a call in an expression, other than a
// conversion as in (*T)(nil).
func callsSomething(expr ast.Expr) (found bool) {
	ast.Inspect(expr, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			_, isConversion := call.Fun.(*ast.ParenExpr)
			found = found || !isConversion
		}
		return !found
	})
	return found
}

// isAnalyzer reports whether a variable is an analyzer in the form that programs expect, see
// golang.org/x/tools/go/analysis. Only its flags change it.
func isAnalyzer(dir, name string) bool { return dir == "analyzer" && name == "Analyzer" }

// isKind reports whether the variables are literals of *diag.Kind, which nothing
// assigns to; see [TestKinds].
func isKind(value *ast.ValueSpec) bool {
	return len(value.Values) > 0 && !slices.ContainsFunc(value.Values, func(v ast.Expr) bool { return kindLiteral(v) == nil })
}

// kindLiteral is the literal T{…} of &diag.Kind{…}, or nil.
func kindLiteral(expr ast.Expr) *ast.CompositeLit {
	address, ok := expr.(*ast.UnaryExpr)
	if !ok || address.Op != token.AND {
		return nil
	}
	literal, ok := address.X.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	selector, ok := literal.Type.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "Kind" {
		return nil
	}
	if x, ok := selector.X.(*ast.Ident); !ok || x.Name != "diag" {
		return nil
	}
	return literal
}

// isArray reports whether the variable is an array literal of a fixed size that
// nothing in its package assigns to: a table.
func isArray(value *ast.ValueSpec) bool {
	for _, v := range value.Values {
		literal, ok := v.(*ast.CompositeLit)
		if !ok {
			return false
		}
		if _, ok := literal.Type.(*ast.ArrayType); !ok || literal.Type.(*ast.ArrayType).Len == nil {
			return false
		}
	}
	return len(value.Values) > 0
}

func isEmbedded(decl *ast.GenDecl) bool {
	return decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed ")
	})
}

// calledName is the name of a called function as it is written.
func calledName(expr ast.Expr) string {
	call, ok := expr.(*ast.CallExpr)
	if !ok {
		return ""
	}
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		if x, ok := fn.X.(*ast.Ident); ok {
			return x.Name + "." + fn.Sel.Name
		}
	}
	return ""
}

// TestGeneratorLinksNoServer wants package generator, and all that it imports of this
// module, to link none of the API server's code.
func TestGeneratorLinksNoServer(t *testing.T) {
	imports := map[string][]string{}
	for _, f := range product(t) {
		for _, spec := range f.ast.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil && !f.test {
				imports[f.dir] = append(imports[f.dir], imported)
			}
		}
	}
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if seen[dir] {
			return
		}
		seen[dir] = true
		for _, imported := range imports[dir] {
			if own, ok := strings.CutPrefix(imported, module+"/"); ok {
				visit(own)
			} else if isServer(imported) {
				t.Errorf("package %s imports %s, and package generator links it", dir, imported)
			}
		}
	}
	visit("generator")
	if len(seen) < 5 {
		t.Errorf("package generator imports %d packages of this module only", len(seen))
	}
}

// isServer reports whether a package is the API server's code, or comes with it.
func isServer(path string) bool {
	for _, prefix := range []string{
		"k8s.io/apiserver", "k8s.io/component-base", "github.com/google/cel-go", "google.golang.org/grpc",
		"k8s.io/apiextensions-apiserver/pkg/apiserver", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation",
	} {
		if path == prefix || strings.HasPrefix(path, prefix+"/") {
			return true
		}
	}
	return false
}

// Packages outside of the standard library and this module that a program links at most.
const (
	maxGeneratorPackages = 100 // with package generator
	maxCommandPackages   = 560 // the command; each of them is initialized at every start
)

// TestGeneratorLinksFewPackages counts what comes with package generator.
func TestGeneratorLinksFewPackages(t *testing.T) {
	linked := linkedBy(t, module+"/generator", maxGeneratorPackages)
	for _, path := range linked {
		if isServer(path) {
			t.Errorf("package generator links %s", path)
		}
	}
}

// TestCommandLinksFewPackages counts what comes with the command.
func TestCommandLinksFewPackages(t *testing.T) {
	const slow = "k8s.io/apiserver/pkg/admission/metrics" // 0.2 ms
	if linked := linkedBy(t, module+"/cmd/schemagen", maxCommandPackages); slices.Contains(linked, slow) {
		t.Errorf("the command links %s", slow)
	}
}

// linkedBy returns the packages outside of the standard library and this module that a package imports,
// directly or not.
func linkedBy(t *testing.T, path string, most int) []string {
	t.Helper()
	text, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := slices.DeleteFunc(strings.Fields(string(text)), func(path string) bool { return strings.HasPrefix(path, module+"/") })
	if len(linked) > most {
		t.Errorf("package %s links %d packages, more than %d:\n%s", path, len(linked), most, strings.Join(linked, "\n"))
	}
	return linked
}

// TestEarlyExitIsEarly wants the early exit to depend on nothing but package os and its
// dependencies: Go initializes packages in the order of their import paths, after their
// dependencies, so that each further one may come after most of the program.
func TestEarlyExitIsEarly(t *testing.T) {
	depsOf := func(path string) []string {
		text, err := exec.Command("go", "list", "-deps", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(text))
	}
	allowed := append(depsOf("os"), module+"/internal/ground/snapshot", module+"/cmd/schemagen/internal/earlyexit")
	for _, path := range depsOf(module + "/cmd/schemagen/internal/earlyexit") {
		if !slices.Contains(allowed, path) {
			t.Errorf("the early exit depends on %s", path)
		}
	}
}

// TestLayersHaveDocs wants a package comment for every package.
func TestLayersHaveDocs(t *testing.T) {
	documented := map[string]bool{}
	dirs := map[string]bool{}
	for _, f := range product(t) {
		if f.test || f.dir == "." {
			continue
		}
		dirs[f.dir] = true
		documented[f.dir] = documented[f.dir] || f.ast.Doc != nil
	}
	for dir := range dirs {
		if !documented[dir] {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}

// TestPackagesAreSmall holds the size of packages, without tests: a package that outgrows its
// readers is divided.
func TestPackagesAreSmall(t *testing.T) {
	limits := map[string]size{
		"":              {8000, 40},
		"cmd/schemagen": {4000, 30}, // flags, printing and exit codes
	}
	sizes := map[string]size{}
	for _, f := range product(t) {
		if !f.test {
			of := sizes[f.dir]
			sizes[f.dir] = size{of.lines + f.fset.File(f.ast.Pos()).LineCount(), of.files + 1}
		}
	}
	for dir, is := range sizes {
		limit, ok := limits[dir]
		if !ok {
			limit = limits[""]
		}
		if is.lines > limit.lines || is.files > limit.files {
			t.Errorf("package %s has %d lines in %d files: at most %d in %d are allowed", dir, is.lines, is.files, limit.lines, limit.files)
		}
	}
}

// size is that of a package.
type size struct{ lines, files int }

// TestOneCommandAFile wants each file of the command to declare one of its commands at
// most, but for main.go.
func TestOneCommandAFile(t *testing.T) {
	declared := 0
	for _, f := range product(t) {
		if f.dir != "cmd/schemagen" || f.test || f.name == "cmd/schemagen/main.go" {
			continue
		}
		var names []string
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "new") && strings.HasSuffix(fn.Name.Name, "Command") {
				names = append(names, fn.Name.Name)
			}
		}
		if len(names) > 1 {
			t.Errorf("%s declares %s: a file is about one command", f.name, strings.Join(names, " and "))
		}
		declared += len(names)
	}
	if declared < 10 {
		t.Errorf("%d commands only", declared)
	}
}

// TestMarkersAreNamedOnce rejects names of markers as string literals outside of package markers,
// which has constants: with or without a plus sign, and what separates them from arguments. A name
// without a colon is a marker's only after a plus sign, or where markers are looked up.
func TestMarkersAreNamedOnce(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, def := range table.Definitions() {
		names[def.Name] = true
	}
	writers := writersOfMarkers()
	for _, f := range product(t) {
		if f.test || f.dir == "internal/markers" {
			continue
		}
		lookedUp := map[ast.Node]bool{}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
				if of, ok := call.Fun.(*ast.SelectorExpr); ok && (of.Sel.Name == "Get" || of.Sel.Name == "Has") {
					lookedUp[call.Args[0]] = true
				}
			}
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(literal.Value)
			name, plus := strings.CutPrefix(text, "+")
			name = strings.TrimRight(name, ":=(")
			switch {
			case !names[name] || !plus && !lookedUp[n] && !strings.Contains(name, ":"):
			case writers[f.dir] != "":
				writers[f.dir] = used
			default:
				t.Errorf("%s: the name of +%s: use a constant of package markers", f.fset.Position(literal.Pos()), name)
			}
			return true
		})
	}
	for dir, reason := range writers {
		if reason != used {
			t.Errorf("%s has no names of markers: remove it from writersOfMarkers", dir)
		}
	}
}

const used = "used"

// writersOfMarkers returns the folders that may name markers, with the reason.
func writersOfMarkers() map[string]string {
	return map[string]string{
		"internal/types/typegen":  "its output is markers, which are easier to read in one piece",
		"internal/unions/suggest": "its output is markers, which are easier to read in one piece",
		"internal/test/gentest":   "it writes Go for tests",
	}
}

// maxFields is how many fields a struct of the command may have; embedded structs count as one.
const maxFields = 12

// TestStructsOfTheCommandAreSmall checks that settings of a run do not gather in one struct.
func TestStructsOfTheCommandAreSmall(t *testing.T) {
	structs := 0
	for _, f := range product(t) {
		if f.test || !strings.HasPrefix(f.name, "cmd/schemagen/") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			declared, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			structs++
			fields := 0
			for _, field := range declared.Fields.List {
				fields += max(1, len(field.Names))
			}
			if fields > maxFields {
				t.Errorf("%s has a struct with %d fields: at most %d are allowed", f.fset.Position(declared.Pos()), fields, maxFields)
			}
			return true
		})
	}
	if structs == 0 {
		t.Error("there are no structs")
	}
}
