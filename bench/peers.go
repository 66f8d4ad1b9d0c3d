package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// peersResult has the verdicts of schemagen on the test cases of other projects.
const peersResult = "peers.txt"

// A peerSuite is a test suite of another project, which is read from its module and never kept.
type peerSuite struct {
	name string
	// module is the module with its version.
	module string
	// run gives the cases to schemagen. Temporary files may be written to temp.
	run func(ctx context.Context, r peerRun) ([]peerTable, error)
}

// peerRun is a run of a suite.
type peerRun struct {
	product string
	// dir is a copy of the module.
	dir  string
	temp string
}

// peerTable has the cases of a part of a suite. Cases that agree only count.
type peerTable struct {
	name    string
	count   int
	differs []peerCase
	// changed counts the cases in which the server's answer to a request has other errors than
	// the test's call of its code: the server sets defaults and the status first.
	changed int
	// omitted are numbers of cases that schemagen cannot get, by the reason.
	omitted []peerOmission
}

// peerCase is a case with different verdicts. A case without a reason is a failure.
type peerCase struct{ name, theirs, ours, reason string }

type peerOmission struct {
	reason string
	count  int
}

func peerSuites() []peerSuite {
	return []peerSuite{
		// Newer versions have these tests in the module sigs.k8s.io/gateway-api/tests, which has no
		// version that the module proxy serves.
		{name: "gateway", module: "sigs.k8s.io/gateway-api@v1.4.1", run: gatewayCases},
		{name: "crds", module: "k8s.io/apiextensions-apiserver@v0.37.2", run: crdCases},
		{name: "cel", module: "k8s.io/apiextensions-apiserver@v0.37.2", run: celCases},
		{name: "linter", module: "sigs.k8s.io/kube-api-linter@v0.0.0-20260716143926-092fe0c72997", run: linterCases},
		{name: "validation", module: "k8s.io/code-generator@v0.37.2", run: validationCases},
	}
}

// peers gives the test cases of other projects to schemagen and compares the verdicts with the
// checked-in ones.
func peers(ctx context.Context, w workspace, only, given string, update bool, out io.Writer) error {
	var selected []peerSuite
	for _, s := range peerSuites() {
		if only == "" || slices.Contains(strings.Split(only, ","), s.name) {
			selected = append(selected, s)
		}
	}
	if len(selected) == 0 {
		return fmt.Errorf("no suite is named %s", only)
	}
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	path := filepath.Join(w.bench, peersResult)
	golden, err := readSections(path)
	if err != nil {
		return err
	}
	failed := false
	for _, s := range selected {
		name := s.name + ": " + s.module
		dir, err := w.peerModule(ctx, s.module)
		if err != nil {
			answer := fmt.Sprintf("skipped: %s\n", downloadAnswer(err))
			fmt.Fprintf(out, "%s: %s", name, answer)
			if update && golden[name] == "" {
				golden[name] = answer
			}
			continue
		}
		tables, err := runPeerSuite(ctx, s, peerRun{product: product, dir: dir})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		section := ""
		for _, t := range tables {
			section += t.text()
			fmt.Fprintf(out, "%s: %s\n", s.name, t.summary())
			for _, c := range t.differs {
				if c.reason == "" {
					failed = true
					fmt.Fprintf(out, "%s: no reason: %s\n", s.name, c.text())
				}
			}
		}
		if !update && golden[name] != section {
			failed = true
			fmt.Fprintf(out, "%s: differs from %s:\n%s", name, peersResult, excerpt(golden[name], section))
		}
		golden[name] = section
	}
	if update {
		if err := writeSections(path, golden); err != nil {
			return err
		}
	}
	if failed {
		return errDiffers
	}
	return nil
}

// downloadError matches the error in what go mod download -json prints.
var downloadError = regexp.MustCompile(`"Error": ("(?:[^"\\]|\\.)*")`)

// downloadAnswer returns why a module cannot be downloaded.
func downloadAnswer(err error) string {
	m := downloadError.FindStringSubmatch(err.Error())
	if m == nil {
		return strings.Join(strings.Fields(err.Error()), " ")
	}
	text, unquoteErr := strconv.Unquote(m[1])
	if unquoteErr != nil {
		return m[1]
	}
	return strings.Join(strings.Fields(text), " ")
}

// peerModule returns a copy of a module, in which tests can be run.
func (w workspace) peerModule(ctx context.Context, name string) (string, error) {
	return w.once("peers-"+strings.ReplaceAll(name, "/", "_"), func(dir string) error {
		m, err := downloadVersion(ctx, name)
		if err != nil {
			return err
		}
		if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(dir, "go.work")); err != nil {
			return err
		}
		return os.RemoveAll(filepath.Join(dir, "go.work.sum"))
	})
}

func runPeerSuite(ctx context.Context, s peerSuite, r peerRun) ([]peerTable, error) {
	temp, err := os.MkdirTemp("", "schemagen-peers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	r.temp = temp
	return s.run(ctx, r)
}

func (t peerTable) summary() string {
	text := fmt.Sprintf("%s: %d cases, %d agree", t.name, t.count, t.count-len(t.differs))
	if t.changed > 0 {
		text += fmt.Sprintf("; to %d, the server answers a request otherwise than the test's call", t.changed)
	}
	for _, o := range t.omitted {
		text += fmt.Sprintf("; %d not run: %s", o.count, o.reason)
	}
	return text
}

// text returns the table with the cases that differ, by reason.
func (t peerTable) text() string {
	text := t.summary() + "\n"
	var reasons []string
	for _, c := range t.differs {
		if !slices.Contains(reasons, c.reason) {
			reasons = append(reasons, c.reason)
		}
	}
	slices.Sort(reasons)
	for _, reason := range reasons {
		text += "\t" + reason + "\n"
		for _, c := range t.differs {
			if c.reason == reason {
				text += "\t\t" + c.text() + "\n"
			}
		}
	}
	return text
}

func (c peerCase) text() string {
	return fmt.Sprintf("%s: theirs: %s | here: %s", c.name, c.theirs, c.ours)
}

// goTest runs the tests of a package of the module with files laid over it (contents by
// slash-separated path in the module), and returns what became of each.
func (r peerRun) goTest(
	ctx context.Context, pkg string, files map[string][]byte, env []string, flags ...string,
) ([]testResult, error) {
	dir, err := os.MkdirTemp(r.temp, "overlay-")
	if err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for name, text := range files {
		file := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return nil, err
		}
		replace[filepath.Join(r.dir, filepath.FromSlash(name))] = file
	}
	config, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, config, 0o644); err != nil {
		return nil, err
	}
	args := append([]string{"test", "-json", "-count=1", "-vet=off", "-mod=mod", "-overlay", overlay}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	cmd.Dir = r.dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS="), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	results, parseErr := testResults(text)
	if parseErr != nil || len(results) == 0 {
		messages := head(stderr.Bytes(), 20) + head(text, 20)
		return nil, fmt.Errorf("go test ./%s: %w\n%s", pkg, errors.Join(err, parseErr), messages)
	}
	return results, nil
}

// testResult is the result of a test without subtests.
type testResult struct {
	name   string
	failed bool
	output string
}

// testResults reads the output of go test -json.
func testResults(text []byte) ([]testResult, error) {
	var order []string
	byName := map[string]*testResult{}
	parents := map[string]bool{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var event struct{ Action, Test, Output string }
		err := decoder.Decode(&event)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if event.Test == "" {
			continue
		}
		found := byName[event.Test]
		if found == nil {
			found = &testResult{name: event.Test}
			byName[event.Test] = found
			order = append(order, event.Test)
			for i, c := range event.Test {
				if c == '/' {
					parents[event.Test[:i]] = true
				}
			}
		}
		switch event.Action {
		case "output":
			found.output += event.Output
		case "fail":
			found.failed = true
		}
	}
	var out []testResult
	for _, name := range order {
		if !parents[name] {
			out = append(out, *byName[name])
		}
	}
	return out, nil
}

// withoutDeclarations returns a Go file without some functions and variables, and without the
// imports that only they use.
func withoutDeclarations(text []byte, names ...string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.FuncDecl:
			return slices.Contains(names, d.Name.Name)
		case *ast.GenDecl:
			value, ok := d.Specs[0].(*ast.ValueSpec)
			return ok && len(d.Specs) == 1 && slices.Contains(names, value.Names[0].Name)
		}
		return false
	})
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, d := range file.Decls {
		if imports, ok := d.(*ast.GenDecl); ok && imports.Tok == token.IMPORT {
			imports.Specs = slices.DeleteFunc(imports.Specs, func(s ast.Spec) bool {
				spec := s.(*ast.ImportSpec)
				name := strings.Trim(spec.Path.Value[strings.LastIndexByte(spec.Path.Value, '/')+1:], `"`)
				if spec.Name != nil {
					name = spec.Name.Name
				}
				return !used[name]
			})
		}
	}
	var out bytes.Buffer
	err = format.Node(&out, fset, file)
	return out.Bytes(), err
}
