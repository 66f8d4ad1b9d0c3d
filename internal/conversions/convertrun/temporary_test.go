//go:build unix

package convertrun

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/conversions/written"
	"github.com/schemagen/schemagen/internal/terminal/consent"
)

// builderVariable has the module for which the test is a process that builds programs until
// it is killed.
const builderVariable = "CONVERTRUN_TEST_MODULE"

// TestBuilder is the process that TestKilled kills.
func TestBuilder(t *testing.T) {
	dir := os.Getenv(builderVariable)
	if dir == "" {
		return
	}
	if _, err := os.Stdout.WriteString("ready\n"); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := buildWidget(t, dir); err != nil {
			t.Fatal(err)
		}
	}
}

func buildWidget(t *testing.T, dir string) (*Converter, error) {
	t.Helper()
	kind := written.Kind{Name: "Widget", Group: "example.com", Dir: filepath.Join(dir, "v1"), Hub: written.Version{Name: "v1", Package: "example.com/m/v1", Type: "Widget"}}
	return Build(t.Context(), Code{Dir: dir, Consent: &consent.Consent{Given: true}}, []written.Kind{kind})
}

// TestKilled kills a process while it compiles a program. All that it leaves behind is a
// directory that a later process removes, unless it is young.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(module)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	killWhileBuilding(t, dir)
	left, err := filepath.Glob(filepath.Join(temporary, "*"))
	if err != nil || len(left) != 1 || !strings.HasPrefix(filepath.Base(left[0]), "schemagen-convert-") {
		t.Fatalf("the process left behind %q, %v", left, err)
	}
	for _, old := range []bool{false, true} {
		if old {
			before := time.Now().Add(-61 * time.Minute)
			for _, name := range left {
				if err := os.Chtimes(name, before, before); err != nil {
					t.Fatal(err)
				}
			}
		}
		c, err := buildWidget(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range left {
			if _, err := os.Stat(name); (err != nil) != old {
				t.Errorf("old: %t, %s: %v", old, filepath.Base(name), err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// killWhileBuilding starts a process, and kills it and the processes that it has started when
// one of them has a directory of its own.
func killWhileBuilding(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBuilder$")
	cmd.Env = append(os.Environ(), builderVariable+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		t.Errorf("%v: %s", err, line)
	}
	for !t.Failed() {
		var started []string
		for _, pattern := range []string{"go-build*", "*/go-build*"} {
			names, err := filepath.Glob(filepath.Join(os.TempDir(), pattern))
			if err != nil {
				t.Fatal(err)
			}
			started = append(started, names...)
		}
		if len(started) > 0 {
			break
		}
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
}
