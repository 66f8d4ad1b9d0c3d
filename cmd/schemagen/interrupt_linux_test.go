package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// interruptLines are the command lines that are interrupted, by command. They run in a project with its
// definitions in crds and older ones in old; OUT is an empty directory for outputs.
func interruptLines() map[string][]string {
	return map[string][]string{
		"crd": {"crd ./api/... -o OUT --no-cache", "crd ./api/... -o OUT --no-cache --rules review"},
		controllerGenCommand: {
			"object rbac:roleName=r webhook applyconfiguration paths=./api/v1/... output:dir=OUT",
		},
		"unions":         {"unions ./api/... --diff"},
		"conversions":    {"conversions ./api/... --diff"},
		"types":          {"types crds -o types --diff"},
		"openapi":        {"openapi crds -o OUT"},
		"jsonschema":     {"jsonschema crds -o OUT"},
		"docs":           {"docs crds -o OUT"},
		"verify":         {"verify crds --old old"},
		"diff":           {"diff old crds", "diff old crds --format html -o OUT/review.html"},
		"test":           {"test crds -f widget.testsuite.yaml"},
		"try":            {"try -f object.yaml crds", "try --sample Widget crds"},
		"explain":        {"explain widget --recursive crds"},
		"schema":         {"schema crds/example.com_widgets.yaml --unfold"},
		"gates list":     {"gates list ./api/..."},
		"gates promote":  {"gates promote Burst ./api/..."},
		"gates graduate": {"gates graduate Burst ./api/..."},
		"gates retire":   {"gates retire Burst ./api/..."},
		"generate":       {"generate --diff"},
		"config":         {"config ./api/..."},
	}
}

// uninterrupted are the commands without command lines, with the reasons.
func uninterrupted() map[string]string {
	return map[string]string{
		"init": "runs make", "migrate": "runs make and controller-gen",
		"lsp": "ends with its client", "kubebuilder-plugin": "reads one request",
		"gates": "prints its help", "gates switch": "is like gates promote", "completion": "reads no input", "help": "reads no input", "version": "reads no input",
	}
}

// TestInterruptEveryCommand sends SIGINT to each command after half of the CPU that it needs. The process is
// stopped meanwhile, so that the result does not depend on the load of the machine.
func TestInterruptEveryCommand(t *testing.T) {
	lines := interruptLines()
	for _, name := range commandNames() {
		if lines[name] == nil && uninterrupted()[name] == "" {
			t.Errorf("command %q is neither in interruptLines nor in uninterrupted", name)
		}
	}
	dir := t.TempDir()
	writeWideProject(t, dir)
	for _, name := range append(commandNames(), controllerGenCommand) {
		for _, line := range lines[name] {
			t.Run(line, func(t *testing.T) {
				whole := interruptedRun(t, dir, line, 0)
				if whole.code == reporting.ExitFailure {
					t.Fatalf("exit code %d: %s", whole.code, whole.stderr)
				}
				r := interruptedRun(t, dir, line, whole.cpu/2)
				if r.late > 200*time.Millisecond {
					t.Errorf("it used %v of CPU after the signal, and %v without one", r.late, whole.cpu)
				}
				for _, name := range filesBelow(t, r.temp) {
					t.Errorf("temporary file %s", name)
				}
				switch r.code {
				case whole.code: // what was left to do took less than the time that it has
					if !slices.Equal(filesBelow(t, r.out), filesBelow(t, whole.out)) {
						t.Errorf("exit code %d with files %q, want %q", r.code, filesBelow(t, r.out), filesBelow(t, whole.out))
					}
				case reporting.ExitFailure:
					if !strings.Contains(r.stderr, interrupted) || len(filesBelow(t, r.out)) > 0 {
						t.Errorf("stderr %q, files %q", r.stderr, filesBelow(t, r.out))
					}
				case killed: // the program did not handle signals yet
					if len(filesBelow(t, r.out)) > 0 {
						t.Errorf("files %q", filesBelow(t, r.out))
					}
				default:
					t.Errorf("exit code %d: %s", r.code, r.stderr)
				}
			})
		}
	}
}

// killed is the exit code of a process that a signal ends before the program handles it.
const killed = -1

// commandNames returns the names of the commands of the program, and of those below gates.
func commandNames() (out []string) {
	root := newRoot(io.Discard, io.Discard)
	root.InitDefaultHelpCmd()
	var add func(prefix string, cmd *cobra.Command)
	add = func(prefix string, cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			if c.Hidden {
				continue
			}
			out = append(out, prefix+c.Name())
			if c.Name() == "gates" {
				add("gates ", c)
			}
		}
	}
	add("", root)
	return out
}

// writeWideProject writes a project with a kind in two versions that has 2,000 fields.
func writeWideProject(t *testing.T, dir string) {
	t.Helper()
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	var object, fields bytes.Buffer
	fmt.Fprint(&object, "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: default}\nspec:\n")
	for i := range 2000 {
		fmt.Fprintf(&fields, "\n\t// Field%d is a field.\n\t// +kubebuilder:validation:MaxLength=LENGTH\n\t// +optional\n\tField%[1]d string `json:\"field%[1]d,omitempty\"`\n", i)
		if i%8 == 0 {
			fmt.Fprint(&fields, "\n\t// +schemagen:when(Burst)\n\t// +optional\n\tGated", i, " string `json:\"gated", i, ",omitempty\"`\n")
		}
		fmt.Fprintf(&object, "  field%d: text\n", i)
	}
	source := func(version, storage, length string) string {
		head := "// Package " + version + " is a version.\n//\n// +groupName=example.com\n// +kubebuilder:object:generate=true\npackage " + version +
			"\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// Widget is a kind.\n//\n// +kubebuilder:object:root=true\n" + storage +
			"type Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec\"`\n}\n\n// WidgetSpec is the desired state.\ntype WidgetSpec struct {"
		return head + strings.ReplaceAll(fields.String(), "LENGTH", length) + "}\n"
	}
	suite := "name: generated\ncrdName: widgets.example.com\nversion: v1\ntests:\n  onCreate:\n  - name: created\n    initial: |\n      " + strings.ReplaceAll(object.String(), "\n", "\n      ")
	for name, text := range map[string]string{"object.yaml": object.String(), "widget.testsuite.yaml": suite} {
		write(t, filepath.Join(dir, name), text)
	}
	for _, edition := range []struct{ crds, length string }{{"old", "90"}, {"crds", "80"}} {
		write(t, filepath.Join(dir, "api/v1/types.go"), source("v1", "// +kubebuilder:storageversion\n", edition.length))
		write(t, filepath.Join(dir, "api/v2/types.go"), source("v2", "", edition.length))
		r := interruptedRun(t, dir, "crd ./api/... --skip-verify --no-cache -o "+edition.crds, 0)
		if r.code != 0 {
			t.Fatal(r.stderr)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// An interruptedResult is the result of a process.
type interruptedResult struct {
	code   int
	stderr string
	// out and temp are the directories for outputs and for temporary files.
	out, temp string
	// cpu is what the process used, and late that of it after the signal.
	cpu, late time.Duration
}

// interruptedRun runs a command line, and interrupts it once it has used some CPU, unless that is 0.
func interruptedRun(t *testing.T, dir, line string, after time.Duration) interruptedResult {
	t.Helper()
	r := interruptedResult{out: t.TempDir(), temp: t.TempDir()}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(context.Background(), "schemagen-main", strings.Fields(strings.ReplaceAll(line, "OUT", r.out))...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+r.temp, "XDG_CACHE_HOME="+t.TempDir(), "GOCACHE="+goEnv(t, "GOCACHE"), "GOFLAGS=-mod=mod")
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	var before time.Duration
	for signaled := after == 0; ; {
		wait := time.After(2 * time.Millisecond)
		if signaled {
			wait = nil
		}
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			r.code = cmd.ProcessState.ExitCode()
			r.stderr = stderr.String()
			r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			if before > 0 {
				r.late = r.cpu - before
			}
			return r
		case <-wait:
			if usedBy(cmd.Process.Pid) < after {
				continue
			}
			signaled = true
			_ = cmd.Process.Signal(syscall.SIGSTOP)
			before = usedBy(cmd.Process.Pid)
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Process.Signal(syscall.SIGCONT)
		}
	}
}

// usedBy returns the CPU that a process has used, which the kernel counts in hundredths of a second.
func usedBy(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// filesBelow returns the files below a directory, sorted.
func filesBelow(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			relative, _ := filepath.Rel(dir, name)
			out = append(out, relative)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
