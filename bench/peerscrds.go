package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed testdata/crdrecorder/recorder.go
var crdRecorder []byte

//go:embed testdata/crdrecorder/server_test.go
var crdServer []byte

const (
	crdValidation = "pkg/apis/apiextensions/validation"
	// crdTests selects the tests that call the two functions for requests.
	crdTests    = "-run=^(TestValidateCustomResourceDefinition(Update)?|TestSelectableFields)$"
	crdStrategy = "pkg/registry/customresourcedefinition"
)

// crdCall is a call of the server's validation by one of its tests.
type crdCall struct {
	test, path string
	// table are the errors of the call. server are those for the v1 object, after the defaults
	// and the status that the server sets.
	table, server []string
}

// crdCases records what the server's own tests of CRDs give to its validation, and asks
// schemagen verify about each of these CRDs and updates.
func crdCases(ctx context.Context, r peerRun) ([]peerTable, error) {
	calls, omitted, err := r.crdCalls(ctx)
	if err != nil {
		return nil, err
	}
	tables := map[string]*peerTable{}
	var order []string
	answers := make([]crdAnswer, len(calls))
	var wait sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wait.Go(func() {
			for i := range next {
				answers[i] = r.verifyCRD(ctx, calls[i].path)
			}
		})
	}
	for i := range calls {
		next <- i
	}
	close(next)
	wait.Wait()
	for i, c := range calls {
		if answers[i].err != nil {
			return nil, fmt.Errorf("%s: %w", c.test, answers[i].err)
		}
		name, _, _ := strings.Cut(c.test, "/")
		t := tables[name]
		if t == nil {
			t = &peerTable{name: name}
			tables[name] = t
			order = append(order, name)
			if omitted[name] > 0 {
				t.omitted = []peerOmission{{"v1 cannot express the CRD", omitted[name]}}
			}
		}
		t.count++
		if !slices.Equal(c.table, c.server) {
			t.changed++
		}
		theirs, ours := differentErrors(c.server, answers[i].errors)
		if len(theirs)+len(ours) > 0 {
			t.differs = append(t.differs, peerCase{
				name: c.test, theirs: answerText(theirs), ours: answerText(ours), reason: crdReason(theirs, ours),
			})
		}
	}
	var out []peerTable
	for _, name := range order {
		out = append(out, *tables[name])
	}
	return out, nil
}

// verifyReportsMore is the reason of differences of CRDs with errors before which the server stops.
const verifyReportsMore = "verify also reports what the server reports once the first error is corrected"

// crdReason returns the reason of a difference, or "".
func crdReason(theirs, ours []string) string {
	switch {
	case len(theirs) == 0 && said(ours, ".type: Required value: must not be empty at the root"):
		return verifyReportsMore
	case len(theirs) == 1 && len(ours) == 0 && strings.HasPrefix(theirs[0], "spec.version: Invalid value"):
		return "reported once, as spec.versions[0].name, which the server copies to spec.version"
	case len(theirs) == 0 && said(ours, "caBundle: Invalid value"):
		return "the old CRD of the test is not established yet; verify --old is about CRDs that are"
	}
	return ""
}

// crdCalls runs the tests with recording functions, and returns the calls whose CRDs v1 can
// express, and the numbers of others by test.
func (r peerRun) crdCalls(ctx context.Context) ([]crdCall, map[string]int, error) {
	const file = crdValidation + "/validation.go"
	text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(file)))
	if err != nil {
		return nil, nil, err
	}
	const create, update = "ValidateCustomResourceDefinition", "ValidateCustomResourceDefinitionUpdate"
	text, err = renamedFunctions(text, "recorded", create, update)
	if err != nil {
		return nil, nil, err
	}
	files := map[string][]byte{file: text, crdValidation + "/recorder.go": crdRecorder}
	dir := filepath.Join(r.temp, "crds")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, nil, err
	}
	env := []string{"PEERS_DIR=" + dir}
	results, err := r.goTest(ctx, crdValidation, files, env, crdTests)
	if err != nil {
		return nil, nil, err
	}
	files = map[string][]byte{crdStrategy + "/peers_test.go": crdServer}
	judged, err := r.goTest(ctx, crdStrategy, files, env, "-run=^TestPeersServer$")
	if err != nil {
		return nil, nil, err
	}
	if judged[0].failed {
		return nil, nil, errors.New(judged[0].output)
	}
	server := map[string][]string{}
	if err := readJSON(filepath.Join(dir, "server.json"), &server); err != nil {
		return nil, nil, err
	}
	var calls []crdCall
	omitted := map[string]int{}
	for _, result := range results {
		for _, m := range recordedCall.FindAllStringSubmatch(result.output, -1) {
			c := crdCall{test: result.name, path: filepath.Join(dir, m[1]), server: server[m[1]]}
			if err := readJSON(c.path+".errors.json", &c.table); err != nil {
				return nil, nil, err
			}
			if c.server == nil {
				name, _, _ := strings.Cut(result.name, "/")
				omitted[name]++
				continue
			}
			slices.Sort(c.table)
			slices.Sort(c.server)
			calls = append(calls, c)
		}
	}
	return calls, omitted, nil
}

// recordedCall matches the line that a call prints.
var recordedCall = regexp.MustCompile(`PEERS-CALL (\d+)`)

func readJSON(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

type crdAnswer struct {
	errors []string
	err    error
}

// verifyCRD returns the errors that schemagen predicts.
func (r peerRun) verifyCRD(ctx context.Context, path string) (a crdAnswer) {
	args := []string{"verify", path + ".new.json", "--kube-version=1.37"}
	_, err := os.Stat(path + ".old.json")
	if err == nil {
		args = append(args, "--old", path+".old.json")
	} else if !errors.Is(err, fs.ErrNotExist) {
		a.err = err
		return a
	}
	found, err := r.findings(ctx, args...)
	a.err = err
	for _, f := range found {
		if f.Severity == "error" {
			a.errors = append(a.errors, f.Message)
		}
	}
	return a
}

// differentErrors returns the errors that only one list has. Schemagen prints an error as one
// line with single spaces, and shortens long values, which it marks.
func differentErrors(theirs, ours []string) (onlyTheirs, onlyOurs []string) {
	rest := slices.Clone(ours)
	for _, text := range theirs {
		text = strings.Join(strings.Fields(text), " ")
		i := slices.IndexFunc(rest, func(o string) bool { return isShortened(o, text) })
		if i < 0 {
			onlyTheirs = append(onlyTheirs, text)
			continue
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return onlyTheirs, rest
}

// isShortened reports whether short is text, or is text without what is between its ellipses.
func isShortened(short, text string) bool {
	parts := strings.Split(short, " … ")
	if len(parts) == 1 {
		return short == text
	}
	last := len(parts) - 1
	if !strings.HasPrefix(text, parts[0]) || !strings.HasSuffix(text, parts[last]) {
		return false
	}
	for _, part := range parts[1:last] {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// answerText returns a verdict that fits in a line.
func answerText(texts []string) string {
	if len(texts) == 0 {
		return "nothing else"
	}
	const limit = 300
	var out []string
	for _, text := range texts {
		text = strings.Join(strings.Fields(text), " ")
		if len(text) > limit {
			text = strings.ToValidUTF8(text[:limit], "") + " …"
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// renamedFunctions returns a Go file in which declarations of functions have a prefix.
func renamedFunctions(text []byte, prefix string, names ...string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && slices.Contains(names, f.Name.Name) {
			f.Name.Name = prefix + f.Name.Name
		}
	}
	var out bytes.Buffer
	err = format.Node(&out, fset, file)
	return out.Bytes(), err
}
