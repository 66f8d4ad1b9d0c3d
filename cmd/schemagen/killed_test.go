//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
)

// TestSecondSignal checks that a process that waits for its input, and therefore does not
// check for interrupts, ends at a second signal.
func TestSecondSignal(t *testing.T) {
	command := exec.Command("schemagen-main", "verify", "-")
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds: once it is written, the process is reading and waits for more.
	if _, err := input.Write([]byte(strings.Repeat("# wait\n", 1<<17))); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for range 1000 {
		_ = command.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Error("the process is still running")
	_ = command.Process.Kill()
}

// TestPipesAreRejected puts pipes without a writer where files are read.
func TestPipesAreRejected(t *testing.T) {
	p := newProject(t)
	p.write("crds/readme.txt", "")
	for _, name := range []string{"work/api/pipe.go", "crds/pipe.yaml"} {
		p.check(syscall.Mkfifo(p.at(name), 0o644))
	}
	p.check(os.Symlink(os.DevNull, p.at("work/api/null.go")))
	out := p.run("--no-cache")
	for _, name := range []string{"pipe.go", "null.go"} {
		if want := "api/" + name + ": error[SG105]: cannot read the file: not a regular file\n"; out.code != reporting.ExitFindings || !strings.Contains(out.stderr, want) {
			t.Errorf("exit code %d, no %q in %s", out.code, want, out.stderr)
		}
	}
	for _, command := range []string{"verify", "docs", "jsonschema", "openapi", "try -f", "test"} {
		p.args = append(strings.Fields(command), "../crds")
		if out := p.run(); out.code != reporting.ExitFailure || !strings.Contains(out.stderr, "pipe.yaml: not a regular file") {
			t.Errorf("%s: exit code %d: %s", command, out.code, out.stderr)
		}
	}
	p.remove("work/api/pipe.go")
	p.remove("work/api/null.go")
	p.args = []string{"crd", "./api/...", "-o", "../crds", "--prune"}
	p.check(os.Rename(p.at("crds/pipe.yaml"), p.at("crds/example.com_pipes.yaml")))
	if out := p.run("--no-cache"); out.code != 0 {
		t.Errorf("with other outputs: exit code %d: %s", out.code, out.stderr)
	}
	for _, name := range []string{"go.mod", "schemagen.yaml"} {
		_ = os.Remove(p.at("work/" + name))
		p.check(syscall.Mkfifo(p.at("work/"+name), 0o644))
		if out := p.run("--no-cache"); out.code == 0 {
			t.Errorf("%s: exit code %d: %s", name, out.code, out.stderr)
		}
		p.remove("work/" + name)
	}
}
