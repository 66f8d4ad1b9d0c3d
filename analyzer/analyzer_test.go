package analyzer

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
	"github.com/schemagen/schemagen/verify"
)

var (
	modules = flag.Bool("modules", false, "compare all modules of bench, and the findings with testdata/analyzer/modules.txt")
	seed    = flag.Uint64("seed", 24, "seed of the packages of bench that are compared without -modules")
	update  = flag.Bool("update", false, "rewrite the expectations in testdata")
)

// TestSameFindings compares the analyzer, package by package, with a run of the generator with an
// API server, for all packages of testdata/crd at once.
func TestSameFindings(t *testing.T) {
	dir := workDir(t)
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../testdata/crd/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, f := range archive.Files {
			if !strings.HasPrefix(f.Name, "want/") {
				write(t, filepath.Join(dir, name, f.Name), string(f.Data))
			}
		}
		t.Run(name, func(t *testing.T) {
			dirs := packageDirs(t, filepath.Join(dir, name))
			if len(dirs) == 0 {
				t.Skip("no packages")
			}
			if _, _, alone := compare(t, filepath.Join(dir, name), []string{"./..."}, dirs, nil); len(alone) > 0 {
				t.Errorf("a run for all packages does not have what the analyzer has: %v", alone)
			}
		})
	}
}

// TestSample does the same for two packages of Gateway API, chosen at random.
func TestSample(t *testing.T) {
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(cache)), "sigs.k8s.io/gateway-api@*/apis/v1")); len(found) == 0 {
		t.Skip("the modules of the benchmarks are not downloaded")
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "sigs.k8s.io/gateway-api/apis/...", "sigs.k8s.io/gateway-api/apisx/...")
	cmd.Dir = "../bench/apis"
	listed, err := cmd.Output()
	packages := slices.DeleteFunc(strings.Fields(string(listed)), func(path string) bool { return strings.Contains(path, "/util/") })
	if err != nil || len(packages) < 2 {
		t.Fatal(err, packages)
	}
	rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(packages), func(i, j int) { packages[i], packages[j] = packages[j], packages[i] })
	if both, _, _ := compareIn(t, "../bench/apis", packages[:2]); len(both) == 0 {
		t.Errorf("seed %d: nothing is found in %v", *seed, packages[:2])
	}
}

// imported returns the paths that a file imports.
func imported(t *testing.T, file string) (paths []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range tree.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, `"`))
	}
	return paths
}

// compareIn is compare for packages that a module imports.
func compareIn(t *testing.T, dir string, packages []string) (both, whole, alone map[diag.Code]int) {
	t.Helper()
	t.Setenv("GOWORK", "off") // some modules come with one for their repository
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"list", "-e", "-f", "{{.Dir}}"}, packages)...)
	cmd.Dir = dir
	listed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return compare(t, dir, packages, strings.Fields(string(listed)), &analysis.Module{Path: "example.com/m", Version: "v1.0.0"})
}

// TestModules does the same for the API packages of all modules of bench.
//
// Left out of make generate: make analyzer records it.
func TestModules(t *testing.T) {
	if !*modules {
		t.Skip("takes a minute: make analyzer")
	}
	files, err := filepath.Glob("../bench/*/deps.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var out bytes.Buffer
	same := 0
	for _, file := range files {
		packages := imported(t, file)
		both, whole, alone := compareIn(t, filepath.Dir(file), packages)
		fmt.Fprintf(&out, "# %s: %d packages\n", filepath.Base(filepath.Dir(file)), len(packages))
		for _, code := range slices.Sorted(maps.Keys(both)) {
			fmt.Fprintf(&out, "%s: %d\n", code, both[code])
			same += both[code]
		}
		for _, code := range slices.Sorted(maps.Keys(whole)) {
			fmt.Fprintf(&out, "%s, which only a run for all packages has: %d\n", code, whole[code])
		}
		for _, code := range slices.Sorted(maps.Keys(alone)) {
			fmt.Fprintf(&out, "%s, which a run for all packages does not have, because it is not for the package of the field's type: %d\n", code, alone[code])
		}
	}
	fmt.Fprintf(&out, "# %d modules: of each package by itself, the analyzer and crd have the same %d findings\n", len(files), same)
	if t.Failed() {
		return
	}
	name := "../testdata/analyzer/modules.txt"
	if *update {
		write(t, name, out.String())
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("%s differs: got\n%s", name, out.String())
	}
}

// compare compares the findings of the generator, with an API server, for each package by itself
// with those of the analyzer. It returns the numbers of those that both have, by code, of those that
// only a run for all packages has, and of those that only the others have.
func compare(t *testing.T, dir string, patterns, dirs []string, module *analysis.Module) (both, whole, alone map[diag.Code]int) {
	t.Helper()
	both, whole, alone = map[diag.Code]int{}, map[diag.Code]int{}, map[diag.Code]int{}
	all := generated(t, dir, patterns, dirs)
	of := map[string]bool{}
	for _, at := range dirs {
		want := all
		if len(dirs) > 1 || at != dir {
			want = generated(t, at, []string{"."}, []string{at})
		}
		got := map[string]bool{}
		pass := passOf(t, at)
		pass.Module = module
		for _, d := range analyze(t, pass, &Settings{Rules: []string{"review"}}) {
			line := fmt.Sprintf("%s: %s", pass.Fset.PositionFor(d.Pos, false), d.Message)
			if got[line] = true; want[line] == "" {
				t.Errorf("only the analyzer has %s", line)
			} else if all[line] == "" {
				alone[diag.Code(d.Category)]++
				// In its own module, a run follows types into all packages; elsewhere, into those that it
				// is for.
				at := pass.Fset.PositionFor(d.Pos, false)
				if of := typePackage(t, at); module != nil && (slices.Contains(patterns, of) || !inModule(t, of, at.Filename)) {
					t.Errorf("for no known reason, a run for all packages does not have %s", line)
				}
			}
		}
		for line, code := range want {
			if of[line] = true; !got[line] && !isLeft(code) {
				t.Errorf("only the generator has %s", line)
			} else if got[line] {
				both[code]++
			}
		}
	}
	// A run for the package has nothing about a field that only definitions of other packages have.
	place := func(line string) string { return strings.Join(strings.SplitN(line, ":", 3)[:2], ":") }
	places := map[string]bool{}
	for line := range of {
		places[place(line)] = true
	}
	for line, code := range all {
		if of[line] {
			continue
		}
		whole[code]++
		file, number, _ := strings.Cut(place(line), ":")
		n, _ := strconv.Atoi(number)
		if module != nil && places[place(line)] && typePackage(t, token.Position{Filename: file, Line: n}) == "" {
			t.Errorf("for no known reason, only a run for all packages has %s", line)
		}
	}
	return both, whole, alone
}

// typePackage returns the path of the package of the type of the field at a position, or of its
// elements; empty if that is its own.
func typePackage(t *testing.T, at token.Position) (path string) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, at.Filename, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok || fset.Position(field.Pos()).Line != at.Line {
			return true
		}
		ast.Inspect(field.Type, func(n ast.Node) bool {
			name, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			for _, spec := range file.Imports {
				of := strings.Trim(spec.Path.Value, `"`)
				if local := filepath.Base(of); spec.Name != nil && spec.Name.Name == name.X.(*ast.Ident).Name || spec.Name == nil && local == name.X.(*ast.Ident).Name {
					path = of
				}
			}
			return false
		})
		return false
	})
	return path
}

// inModule reports whether a package is in the module of a file.
func inModule(t *testing.T, path, file string) bool {
	t.Helper()
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			of := regexp.MustCompile(`(?m)^module "?([^"\s]+)`).FindStringSubmatch(string(text))
			return of != nil && strings.HasPrefix(path+"/", of[1]+"/")
		}
	}
	return false
}

// isLeft reports whether a code is left to schemagen crd. All codes of package verify are.
func isLeft(code diag.Code) bool {
	_, left := Left()[code]
	return left || slices.ContainsFunc(verify.Codes(), func(k *diag.Kind) bool { return k.Code == code })
}

// generated returns the codes of the generator's findings in Go files of directories, by position
// and message.
func generated(t *testing.T, dir string, patterns, dirs []string) map[string]diag.Code {
	t.Helper()
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	var rules []diag.Code
	for _, kind := range generator.Rules() {
		if !isLeft(kind.Code) {
			rules = append(rules, kind.Code)
		}
	}
	_, found, err := generator.Run(t.Context(), generator.Options{
		Source: generator.Source{Dir: dir, Patterns: patterns}, Language: generator.Language{Rules: rules},
		Server: verify.New(target, verify.Options{Generating: true}),
	})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]diag.Code{}
	for _, d := range found.On() {
		if slices.Contains(dirs, filepath.Dir(d.Pos.File)) && strings.HasSuffix(d.Pos.File, ".go") {
			out[fmt.Sprintf("%s: %s", d.Pos, message(d))] = d.Code
		}
	}
	return out
}

// passOf returns a pass of the package in a directory, without types, which the analyzer does not
// use.
func passOf(t *testing.T, dir string) *analysis.Pass {
	t.Helper()
	pass := &analysis.Pass{Fset: token.NewFileSet(), ReadFile: os.ReadFile}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	context := build.Default
	context.BuildTags = []string{"ignore_autogenerated"}
	for _, name := range names {
		if match, err := context.MatchFile(dir, filepath.Base(name)); err == nil && !match {
			continue
		}
		tree, err := parser.ParseFile(pass.Fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if tree == nil {
			t.Fatal(err)
		}
		pass.Files = append(pass.Files, tree)
		pass.Pkg = types.NewPackage(dir, tree.Name.Name)
	}
	return pass
}

func analyze(t *testing.T, pass *analysis.Pass, settings *Settings) (out []analysis.Diagnostic) {
	t.Helper()
	pass.Analyzer = New(settings)
	pass.Report = func(d analysis.Diagnostic) { out = append(out, d) }
	if _, err := pass.Analyzer.Run(pass); err != nil {
		t.Fatal(err)
	}
	return out
}

// packageDirs returns the directories with Go files.
func packageDirs(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if at := filepath.Dir(path); strings.HasSuffix(path, ".go") && !slices.Contains(out, at) {
			out = append(out, at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func workDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// vetTool builds the program for go vet.
func vetTool(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "schemagen-vet.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "../cmd/schemagen-vet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tool
}

// TestVet runs the analyzer under go vet.
//
// Left out of make generate: it builds the command and runs go vet.
func TestVet(t *testing.T) {
	dir := workDir(t)
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	tool := vetTool(t)
	archive, err := txtar.ParseFile("../testdata/analyzer/vet.txtar")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range archive.Files {
		if step, ok := strings.CutPrefix(f.Name, "want/"); ok {
			want[step] = string(f.Data)
			continue
		}
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	cgo, err := exec.CommandContext(t.Context(), "go", "env", "CGO_ENABLED").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range slices.Sorted(maps.Keys(want)) {
		args := strings.Fields(step)
		if args[0] == "cgo" {
			if strings.TrimSpace(string(cgo)) != "1" {
				continue
			}
		}
		cmd := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"vet", "-vettool=" + tool}, args[1:])...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, _ := cmd.CombinedOutput()
		// go vet prints packages in the order in which it is done with them, in some versions each with a title,
		// and it names a file of a line directive by its whole path.
		text := filepath.ToSlash(strings.ReplaceAll(string(out), dir+string(filepath.Separator), ""))
		lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "#") })
		slices.Sort(lines)
		if got := strings.Join(lines, ""); *update {
			for i, f := range archive.Files {
				if f.Name == "want/"+step {
					archive.Files[i].Data = []byte(got)
				}
			}
		} else if got != want[step] {
			t.Errorf("go vet %s: got\n%s\nwant\n%s", step, got, want[step])
		}
	}
	if *update {
		write(t, "../testdata/analyzer/vet.txtar", string(txtar.Format(archive)))
	}
}

// TestVetVendored runs the analyzer under go vet in a module whose dependencies are in its vendor
// directory only.
func TestVetVendored(t *testing.T) {
	dir, tool := workDir(t), vetTool(t)
	for _, f := range txtar.Parse([]byte(`
-- go.mod --
module example.com/m

go 1.26.0

require (
	example.com/dependency v1.0.0
	k8s.io/apimachinery v0.30.0
)
-- vendor/modules.txt --
# example.com/dependency v1.0.0
## explicit; go 1.26
example.com/dependency
# k8s.io/apimachinery v0.30.0
## explicit; go 1.26
k8s.io/apimachinery/pkg/apis/meta/v1
-- vendor/k8s.io/apimachinery/pkg/apis/meta/v1/types.go --
package v1

type TypeMeta struct{}
type ObjectMeta struct{}
-- vendor/example.com/dependency/types.go --
package dependency

type List []string
type Number int32
-- a/a.go --
// +groupName=a.example.com
package a

import (
	"example.com/dependency"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type Widget struct {
	metav1.TypeMeta   ~json:",inline"~
	metav1.ObjectMeta ~json:"metadata,omitempty"~
	// +kubebuilder:validation:MaxItems=3
	List dependency.List ~json:"list"~
	// +kubebuilder:validation:MaxItems=3
	Number dependency.Number ~json:"number"~
}
`)).Files {
		write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), strings.ReplaceAll(string(f.Data), "~", "`"))
	}
	cmd := exec.CommandContext(t.Context(), "go", "vet", "-vettool="+tool, "./a")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off", "GOMODCACHE="+t.TempDir())
	out, _ := cmd.CombinedOutput()
	if got := filepath.ToSlash(string(out)); strings.Count(got, ".go:") != 1 || !strings.Contains(got, "a/a.go:14:5: SG302: ") {
		t.Errorf("got\n%s\nwant SG302 in line 14", got)
	}
}

// TestFixes checks that fixes are those of the generator.
func TestFixes(t *testing.T) {
	dir := workDir(t)
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	const text = "// +groupName=a.example.com\npackage a\n\n// +kubebuilder:validation:MinLenght=1\ntype Name string\n"
	write(t, filepath.Join(dir, "a", "a.go"), text)
	pass := passOf(t, filepath.Join(dir, "a"))
	found := analyze(t, pass, &Settings{})
	if len(found) != 1 || len(found[0].SuggestedFixes) != 1 || len(found[0].SuggestedFixes[0].TextEdits) != 1 {
		t.Fatalf("got %+v", found)
	}
	edit := found[0].SuggestedFixes[0].TextEdits[0]
	file := pass.Fset.File(edit.Pos)
	got := text[:file.Offset(edit.Pos)] + string(edit.NewText) + text[file.Offset(edit.End):]
	if want := strings.Replace(text, "MinLenght", "MinLength", 1); got != want {
		t.Errorf("got %s", got)
	}
}

// TestUnsaved checks that the text of the driver is read, and not the file on disk.
func TestUnsaved(t *testing.T) {
	dir := workDir(t)
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "a", "a.go")
	write(t, name, "package a\n")
	const text = "package a\n\n// +kubebuilder:validation:MinLenght=1\ntype Name string\n"
	pass := &analysis.Pass{Fset: token.NewFileSet(), ReadFile: func(string) ([]byte, error) { return []byte(text), nil }}
	tree, err := parser.ParseFile(pass.Fset, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	pass.Files = []*ast.File{tree}
	if found := analyze(t, pass, &Settings{}); len(found) != 1 {
		t.Errorf("got %v", found)
	}
}

// TestLeft wants a reason for every code that is left to schemagen crd, and only for codes of the
// generator.
func TestLeft(t *testing.T) {
	page, err := os.ReadFile("../docs/analyzer.md")
	if err != nil {
		t.Fatal(err)
	}
	left := Left()
	for code, reason := range left {
		if !slices.ContainsFunc(generator.Codes(), func(k *diag.Kind) bool { return k.Code == code }) || reason == "" {
			t.Errorf("%s: %q", code, reason)
		}
	}
	for _, kind := range generator.Codes() {
		reason, ok := left[kind.Code]
		if row := fmt.Sprintf("| %s | %s |\n", kind.Code, reason); ok && !bytes.Contains(page, []byte(row)) {
			t.Errorf("docs/analyzer.md has no row %q", row)
		}
	}
}
