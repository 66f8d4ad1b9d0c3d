package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/test/docexample"
)

// TestExamples runs the examples of the kinds of diagnostics. The bad example must result in
// diagnostics of its kind only, the good one in none. docs/diagnostics.md must have what is
// printed; -update rewrites it after all examples.
func TestExamples(t *testing.T) {
	t.Setenv("GOCACHE", goEnv(t, "GOCACHE"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOPROXY", "off")
	printed := map[diag.Example]string{}
	skipped := false
	for _, kind := range reference.Codes() {
		if kind.Bad == "" {
			continue // TestKinds of the root knows why
		}
		want := []diag.Code{kind.Code}
		if kind.Code == "SG710" {
			want = []diag.Code{"SG701", "SG710"} // it is about what an error prevents
		}
		ran := false
		t.Run(string(kind.Code), func(t *testing.T) {
			ran = true
			t.Run("bad", func(t *testing.T) { printed[kind.Bad] = printedOf(kind, exampleOf(kind, kind.Bad).check(t, want...)) })
			t.Run("good", func(t *testing.T) { exampleOf(kind, kind.Bad, kind.Good).check(t) })
			for _, cause := range kind.Causes {
				t.Run("bad "+cause.Message, func(t *testing.T) {
					printed[cause.Bad] = printedOf(kind, exampleOf(kind, cause.Bad).check(t, want...))
					if !strings.Contains(printed[cause.Bad], cause.Message) {
						t.Errorf("the diagnostics do not have the message:\n%s", printed[cause.Bad])
					}
				})
				t.Run("good "+cause.Message, func(t *testing.T) { exampleOf(kind, cause.Bad, cause.Good).check(t) })
			}
		})
		skipped = skipped || !ran
	}
	if !skipped { // -run may have selected some
		checkPage(t, "../../docs/diagnostics.md", reference.CodesPage(printed))
	}
}

// printedOf returns the diagnostics of a kind in the output of a command, without hints.
func printedOf(kind *diag.Kind, output string) string {
	var out strings.Builder
	for line := range strings.Lines(output) {
		if m := diagnostics.FindStringSubmatch(line); m != nil && m[1] == string(kind.Code) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// kindExample is an example of a kind of diagnostics: files, and the command that reads them.
type kindExample struct {
	command string
	files   map[string]string
}

// exampleOf returns the example with the command and the files of the last of the examples that
// has them.
func exampleOf(kind *diag.Kind, examples ...diag.Example) *kindExample {
	e := &kindExample{command: "schemagen crd ./...", files: map[string]string{}}
	for _, example := range examples {
		text := example.String() + "\n"
		archive := docexample.Archive(text)
		command, isCommand := strings.CutPrefix(string(archive.Comment), "$ ")
		switch {
		case isCommand:
			e.command = strings.TrimSpace(command)
		case len(archive.Files) == 0: // Go
			clear(e.files)
			archive.Files = docexample.Package(text)
		}
		for _, f := range archive.Files {
			e.files[f.Name] = string(f.Data)
		}
	}
	if kind.Off {
		e.files["schemagen.yaml"] = fmt.Sprintf("severities: {%s: warning}\n", kind.Code)
	}
	return e
}

// diagnostics matches a diagnostic in the output of a command.
var diagnostics = regexp.MustCompile(`\b(?:error|warning|note)\[(SG\d+)\]: `)

// withoutImports matches the warning that the module of an example does not have controller-runtime.
var withoutImports = regexp.MustCompile(`(?m)^.*warning\[SG103\]: the generated Go imports "sigs.k8s.io/controller-runtime.*\n`)

// check runs the command in a new module with the files, and compares the codes that it
// reports. It returns the output.
func (e *kindExample) check(t *testing.T, want ...diag.Code) string {
	t.Helper()
	code, out, _, _ := e.run(t)
	var got []diag.Code
	for _, m := range diagnostics.FindAllStringSubmatch(withoutImports.ReplaceAllString(out, ""), -1) {
		got = append(got, diag.Code(m[1]))
	}
	slices.Sort(got)
	if got = slices.Compact(got); code == reporting.ExitFailure || !slices.Equal(got, want) {
		t.Errorf("%s: got exit code %d and codes %v, want %v:\n%s", e.command, code, got, want, out)
	}
	return out
}

// run runs the command in a new module with the files. It returns the exit code, the output,
// and the files before and after.
func (e *kindExample) run(t *testing.T) (code int, output string, before, after map[string]string) {
	mod, sum := requirements(t)
	t.Chdir(t.TempDir())
	e.files["go.mod"] = regexp.MustCompile(`(?m)^module .*`).ReplaceAllString(string(mod), "module example.com/project")
	e.files["go.sum"] = string(sum)
	for name, text := range e.files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	before = filesIn(t, ".")
	code = run(t.Context(), strings.Fields(e.command)[1:], &out, &out)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return code, strings.ReplaceAll(out.String(), dir, "/project"), before, filesIn(t, ".")
}
