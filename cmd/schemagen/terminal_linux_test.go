package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/terminal"
	"github.com/schemagen/schemagen/internal/terminal/consent"
)

// openTerminal returns both ends of a pseudo-terminal with a number of columns: what a
// process sees, and the screen.
func openTerminal(t *testing.T, columns uint16) (screen, terminal *os.File) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	check(unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	check(err)
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	check(err)
	check(unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns}))
	return screen, terminal
}

// onTerminal runs a process on a terminal and returns its screen and its exit code.
func (p *sandbox) onTerminal(columns uint16, env []string, more ...string) (text string, code int) {
	p.t.Helper()
	return onTerminal(p.t, "", columns, env, slices.Concat(p.args, more)...)
}

// onTerminal runs a process in a directory on a terminal and returns its screen and its exit
// code.
func onTerminal(t *testing.T, dir string, columns uint16, env []string, args ...string) (text string, code int) {
	t.Helper()
	screen, terminal := openTerminal(t, columns)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, args...)
	command.Args[0] = "schemagen-main" // see TestMain
	command.Dir = dir
	command.Env = slices.Concat(os.Environ(), []string{"TERM=xterm", "CI=", "NO_COLOR="}, env)
	command.Stdin, command.Stdout, command.Stderr = terminal, terminal, terminal
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	var out bytes.Buffer
	if _, err := io.Copy(&out, screen); err != nil && !errors.Is(err, syscall.EIO) { // the end of a terminal
		t.Fatal(err)
	}
	_ = command.Wait() // the code tells
	return strings.ReplaceAll(out.String(), "\r\n", "\n"), command.ProcessState.ExitCode()
}

// TestPluginOnTerminal runs the command that reads Kubebuilder's requests where nobody writes any.
func TestPluginOnTerminal(t *testing.T) {
	text, code := onTerminal(t, t.TempDir(), 100, nil, "kubebuilder-plugin")
	for _, want := range []string{"standard input", "kubebuilder edit --plugins schemagen.github.io/v1", "usage: schemagen kubebuilder-plugin --install"} {
		if code != reporting.ExitFailure || !strings.Contains(text, want) {
			t.Errorf("exit code %d, want %q in\n%s", code, want, text)
		}
	}
}

// TestDefinitionsOnTerminal wants the page of diff written to a file, and refused where it would fill
// the screen, and the line that verify ends with.
func TestDefinitionsOnTerminal(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"old.yaml", "new.yaml"} {
		crd := `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"}, "spec": {"group": "example.com",
			"names": {"kind": "Widget", "plural": "widgets"}, "scope": "Cluster", "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",}}}]}}`
		if err := os.WriteFile(filepath.Join(dir, name), []byte(crd), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, code := onTerminal(t, dir, 100, nil, "diff", "old.yaml", "new.yaml", "--format", "html", "-o", "-")
	if code != reporting.ExitFailure || strings.Contains(text, "<html") || !strings.Contains(text, "HTML is not for a terminal") {
		t.Errorf("exit code %d, got\n%s", code, text)
	}
	text, code = onTerminal(t, dir, 100, nil, "diff", "old.yaml", "new.yaml", "--format", "html")
	if page, err := os.ReadFile(filepath.Join(dir, reviewFile)); err != nil || code != 0 || !strings.Contains(text, "wrote 1 of 1 file") || !strings.Contains(string(page), "<html") {
		t.Errorf("%v, exit code %d, got\n%s", err, code, text)
	}
	text, code = onTerminal(t, dir, 100, nil, "verify", "old.yaml")
	if got := seconds.ReplaceAllString(text, "0.00s"); code != 0 || got != "1 CRD accepted (Kubernetes 1.35) in 0.00s\n" {
		t.Errorf("exit code %d, got %q", code, got)
	}
	if text, code := onTerminal(t, dir, 100, nil, "verify", "old.yaml", "--format", "json"); code != 0 || strings.Contains(text, "accepted") {
		t.Errorf("exit code %d, got %q", code, text)
	}
}

// TestConsentOnTerminal answers the question whether code may run.
func TestConsentOnTerminal(t *testing.T) {
	for answer, want := range map[string]bool{"y": true, "Yes": true, "n": false, "": false, "always": false} {
		screen, terminal := openTerminal(t, 80)
		var asked strings.Builder
		c := consent.Consent{In: terminal, Out: &asked}
		if _, err := screen.WriteString(answer + "\n"); err != nil {
			t.Fatal(err)
		}
		err := c.RequireCode([]string{"example.com/p"})
		if (err == nil) != want || c.Given != want || asked.String() != "Build and run the code of example.com/p? [y/N] " {
			t.Errorf("%q: %v, asked %q", answer, err, asked.String())
		}
	}
}

// seconds matches the time in a summary.
var seconds = regexp.MustCompile(`\d+\.\d\ds`)

// newMistakes returns a project with a mistake.
func newMistakes(t *testing.T) *sandbox {
	p := newProject(t)
	p.args = append(p.args, "--set", "cacheDir="+p.at("cache"))
	p.replace("work/api/types.go", "Extra Extra", "Extra Missing")
	return p
}

// TestTerminal runs the program on terminals and in pipes, with all that decides about the
// form of its output.
func TestTerminal(t *testing.T) {
	p := newMistakes(t)
	plain := p.process("--no-cache").stderr
	styled, code := p.onTerminal(100, nil)
	text := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(styled, "")
	if code != reporting.ExitFindings || text == styled || !strings.Contains(text, "\n  |     ^^^^^") && !strings.Contains(text, "^^^^^^^\n") || !strings.HasSuffix(text, "; nothing written\n") {
		t.Errorf("exit code %d, got\n%s", code, styled)
	}
	if strings.Contains(styled, "\r") {
		t.Errorf("progress is drawn:\n%q", styled)
	}
	for name, test := range map[string]struct {
		env, args []string
		want      string
	}{
		"again":              {nil, nil, styled}, // from the cache
		"no cache":           {nil, []string{"--no-cache"}, styled},
		"always":             {[]string{"CI=true", "TERM=dumb", "NO_COLOR=1"}, []string{"--color=always"}, styled},
		"not CI":             {[]string{"CI=false"}, nil, styled},
		"NO_COLOR":           {[]string{"NO_COLOR=1"}, nil, text},
		"never":              {nil, []string{"--color=never"}, text},
		"CI":                 {[]string{"CI=true"}, nil, plain},
		"dumb":               {[]string{"TERM=dumb"}, nil, plain},
		"dumb and never":     {[]string{"TERM=dumb"}, []string{"--color=never"}, plain},
		"quiet":              {nil, []string{"-q"}, strings.TrimSuffix(styled, lastLine(styled))},
		"JSON on a terminal": {nil, []string{"--format=json"}, p.process("--format=json").stdout},
	} {
		got, code := p.onTerminal(100, test.env, test.args...)
		if got != test.want || code != reporting.ExitFindings {
			t.Errorf("%s: exit code %d, got\n%s\nwant\n%s", name, code, got, test.want)
		}
	}
	for _, args := range [][]string{nil, {"--color=never"}, {"--color=auto", "--quiet"}} {
		if got := p.process(args...); got.stderr != plain {
			t.Errorf("%q in a pipe: got\n%s\nwant\n%s", args, got.stderr, plain)
		}
	}
	if got := p.process("--color=always").stderr; got != styled {
		t.Errorf("--color=always in a pipe: got\n%s\nwant\n%s", got, styled)
	}
}

func lastLine(text string) string {
	return text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]
}

// TestTerminalSummary has what is printed last if files are written or not.
func TestTerminalSummary(t *testing.T) {
	p := newProject(t)
	p.args = append(p.args, "--set", "cacheDir="+p.at("cache"))
	expect := func(want string, more ...string) {
		t.Helper()
		text, _ := p.onTerminal(100, []string{"NO_COLOR=1"}, more...)
		if got := seconds.ReplaceAllString(lastLine(text), "0.00s"); got != want {
			t.Errorf("%q: got %q, want %q", more, got, want)
		}
	}
	p.replace("work/api/types.go", "Maximun", "Maximum")
	expect("wrote 1 of 1 file in ../out in 0.00s\n")
	expect("1 file in ../out up to date in 0.00s\n") // the first run created a directory that it had read
	expect("up to date in 0.00s\n")
	expect("up to date in 0.00s\n", "--check")
	p.replace("work/api/types.go", "Maximum", "Maximun")
	expect("1 warning (1 fixable with --fix); wrote 1 of 1 file in ../out in 0.00s\n")
	expect("1 error (1 fixable with --fix); nothing written\n", "--strict")
	expect("1 error (1 fixable with --fix)\n", "--strict", "--check")
	expect("1 warning (1 fixable with --fix); up to date in 0.00s\n")
	expect("wrote 1 of 1 file in ../out in 0.00s\n", "--fix")
}

// TestNoEarlyExitOnTerminal wants a process to print for a person although an earlier one
// printed to a pipe, and the other way round.
func TestNoEarlyExitOnTerminal(t *testing.T) {
	p := newMistakes(t)
	p.run()
	p.run()
	time.Sleep(2100 * time.Millisecond)
	plain := p.process()
	if p.poisonEnds() != 1 || p.process().stderr != rememberedEnd {
		t.Fatal("it did not end early")
	}
	if text, _ := p.onTerminal(100, nil); !strings.Contains(text, "; nothing written") || strings.Contains(text, rememberedEnd) {
		t.Errorf("on a terminal: got\n%s", text)
	}
	if p.process().stderr != rememberedEnd {
		t.Error("what is printed on a terminal was kept")
	}
	program, err := os.Executable()
	p.check(err)
	command := exec.Command(program, p.args...)
	command.Args[0] = "schemagen-main"
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	if err := command.Run(); command.ProcessState.ExitCode() != reporting.ExitFindings { // stderr is /dev/null
		t.Error(err)
	}
	p.check(os.RemoveAll(p.at("cache")))
	if got := p.process().stderr; got != plain.stderr {
		t.Errorf("got\n%s\nwant\n%s", got, plain.stderr)
	}
}

// TestNoExcerptOfOtherBytes changes files after a run has read them: those of the project
// are shown as they were, and those of dependencies are not shown.
func TestNoExcerptOfOtherBytes(t *testing.T) {
	dir := t.TempDir()
	ours, other := filepath.Join(dir, "a/b/c/d", "ours.go"), filepath.Join(dir, "other.go")
	for _, name := range []string{ours, other} {
		writeFile(t, name, "type Before int\n")
	}
	var out bytes.Buffer
	console := newTestConsole()
	if err := console.Configure(terminal.Options{Color: "always", Env: os.Getenv, Dir: filepath.Dir(ours)}); err != nil {
		t.Fatal(err)
	}
	r := reporting.Reporter{Format: "text", WorkDir: filepath.Dir(ours), Console: console}
	in := r.Quoted(inputs.New())
	print := func() string {
		out.Reset()
		list := diag.List{{Pos: diag.Position{File: "ours.go", Line: 1, Column: 6}, Related: []diag.Related{{Pos: diag.Position{File: other, Line: 1, Column: 6}}}}}
		if err := terminal.NewFindings(&out, screen.Paint{}, 200, console.Sources).Write(list); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, name := range []string{ours, other} {
		if _, err := in.ReadFile(name, nil); err != nil {
			t.Fatal(err)
		}
		writeFile(t, name, "type After int\n")
	}
	if got := print(); strings.Count(got, "Before") != 1 || strings.Contains(got, "After") {
		t.Errorf("got\n%s", got)
	}
	writeFile(t, other, "type Before int\n")
	if got := print(); strings.Count(got, "Before") != 1 {
		t.Errorf("a file was read twice; got\n%s", got)
	}
}
