package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

// helpExample is how an example of help is run; testdata/help/project.txtar describes it.
type helpExample struct {
	text, as, because string
	first, want       []string
}

// TestHelpExamples runs every example in the help of every command, each in a copy of one project.
// Other programs in them are small scripts, which fail for other arguments.
func TestHelpExamples(t *testing.T) {
	archive, err := txtar.ParseFile("../../testdata/help/project.txtar")
	if err != nil {
		t.Fatal(err)
	}
	setup, runs := readHelpExamples(t, string(archive.Comment))
	project := newHelpProject(t, archive, setup)
	for command, examples := range examplesOfHelp() {
		for _, text := range examples {
			index := slices.IndexFunc(runs, func(e *helpExample) bool { return e.text == text })
			if index < 0 {
				t.Errorf("%s: testdata/help/project.txtar does not have the example %s", command, text)
				continue
			}
			e := runs[index]
			runs = slices.Delete(runs, index, index+1)
			t.Run(text, func(t *testing.T) { project.run(t, e) })
		}
	}
	for _, e := range runs {
		t.Errorf("no command has the example %s", e.text)
	}
}

// examplesOfHelp returns the examples of all commands by the path of the command.
func examplesOfHelp() map[string][]string {
	out := map[string][]string{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			if line = strings.TrimSpace(line); line != "" {
				out[cmd.CommandPath()] = append(out[cmd.CommandPath()], line)
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(io.Discard, io.Discard))
	return out
}

// readHelpExamples reads the comment of the project.
func readHelpExamples(t *testing.T, comment string) (setup []string, out []*helpExample) {
	t.Helper()
	_, comment, _ = strings.Cut(comment, "\n\n")
	for line := range strings.Lines(comment) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if word == "$" {
			out = append(out, &helpExample{text: rest, as: rest})
		}
		switch word {
		case "", "$":
		case "setup":
			setup = append(setup, rest)
		case "first":
			out[len(out)-1].first = append(out[len(out)-1].first, rest)
		case "as":
			out[len(out)-1].as = rest
		case "because":
			out[len(out)-1].because = rest
		case "want":
			out[len(out)-1].want = append(out[len(out)-1].want, rest)
		default:
			t.Fatalf("unknown word %q", word)
		}
	}
	for _, e := range out {
		if len(e.want) == 0 || (e.as == e.text) != (e.because == "") {
			t.Errorf("%s needs an expectation, and a reason if it is not run as it is", e.text)
		}
	}
	return setup, out
}

// helpProject is the project of the examples of help.
type helpProject struct {
	dir string
	env []string
}

// newHelpProject writes the files of the project and runs the commands that complete it.
func newHelpProject(t *testing.T, archive *txtar.Archive, setup []string) *helpProject {
	t.Helper()
	mod, sum := requirements(t)
	mod = regexp.MustCompile(`(?m)^module .*`).ReplaceAll(mod, []byte("module example.com/project"))
	var session strings.Builder
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`,
		`{"jsonrpc":"2.0","method":"exit"}`,
	} {
		fmt.Fprintf(&session, "Content-Length: %d\r\n\r\n%s", len(message), message)
	}
	project := &helpProject{dir: filepath.Join(t.TempDir(), "project")}
	files := append(archive.Files, txtar.File{Name: "go.mod", Data: mod}, txtar.File{Name: "go.sum", Data: sum})
	for _, file := range append(files, txtar.File{Name: "session", Data: []byte(session.String())}) {
		name := filepath.Join(project.dir, file.Name)
		err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, file.Data, 0o777))
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(project.dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	project.env = append(os.Environ(), "PATH="+path,
		"XDG_CACHE_HOME="+t.TempDir(), "HOME="+t.TempDir(), "EXTERNAL_PLUGINS_PATH="+t.TempDir(),
		"GOFLAGS=-mod=mod", "GONOSUMDB=*", "MAKELEVEL=", "MAKEFLAGS=",
		"GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOCACHE="+goEnv(t, "GOCACHE"), "GOPROXY="+moduleProxies(t))
	for _, command := range setup {
		if out, err := project.shell(t, project.dir, command); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	return project
}

// run runs an example.
func (p *helpProject) run(t *testing.T, e *helpExample) {
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(dir, os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	for _, command := range e.first {
		if out, err := p.shell(t, dir, command); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	got, err := p.shell(t, dir, e.as)
	if err != nil {
		t.Errorf("%s: %v\n%s", e.as, err, got)
	}
	for _, want := range e.want {
		command, pattern, isFile := strings.Cut(want, ": ")
		text := got
		if word, _, _ := strings.Cut(want, " "); isFile && slices.Contains([]string{"cat", "grep", "git"}, word) {
			text, _ = p.shell(t, dir, command)
		} else {
			pattern = want
		}
		if !regexp.MustCompile(`(?m)` + pattern).MatchString(text) {
			t.Errorf("%s: no match for %s:\n%.3000s\n%.3000s", e.as, want, text, got)
		}
	}
}

// shell runs a command in a directory and returns its output, standard output first.
func (p *helpProject) shell(t *testing.T, dir, command string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = dir, p.env
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return stdout.String() + stderr.String(), err
}
