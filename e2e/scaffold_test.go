package e2e

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// operator is a project with Kubebuilder's layout and Makefile targets.
const operator = root + "/examples/operator"

// TestScaffold runs the Makefile of a Kubebuilder project with each tool as its
// CONTROLLER_GEN: all generated files are generated again, the project's own tests run
// against a server, and all files must be equal.
func TestScaffold(t *testing.T) {
	part(t, "the Makefile of a Kubebuilder project, with either tool")
	assets := programs(t)
	temp := t.TempDir()
	// The name of the command is part of the apply configurations that it writes.
	peer := filepath.Join(temp, "bin", "controller-gen")
	if _, err := goCommand(t.Context(), filepath.Join(root, "bench", "peer"), nil, "build", "-o", peer, "sigs.k8s.io/controller-tools/cmd/controller-gen"); err != nil {
		t.Fatal(err)
	}
	trees := map[string]map[string]string{}
	for _, tool := range []string{peer, schemagen(t)} {
		name := filepath.Base(tool)
		dir := filepath.Join(temp, name)
		if err := os.CopyFS(dir, os.DirFS(operator)); err != nil {
			t.Fatal(err)
		}
		for _, pattern := range []string{"api/*/*/zz_generated.deepcopy.go", "api/*/*/applyconfiguration", "config"} {
			if err := removeAll(filepath.Join(dir, pattern)); err != nil {
				t.Fatal(err)
			}
		}
		output := inProject(t, dir, "make", "manifests", "generate", "test", "CONTROLLER_GEN="+tool, "KUBEBUILDER_ASSETS="+assets)
		for _, test := range []string{"TestReconcile", "TestImmutable", "TestWebhooks"} {
			if !strings.Contains(output, "--- PASS: "+test+" ") {
				t.Errorf("%s does not pass with %s:\n%s", test, name, output)
			}
		}
		trees[name] = files(t, dir)
	}
	ours, theirs := trees["schemagen"], trees["controller-gen"]
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if text, ok := ours[name]; !ok || text != theirs[name] {
			t.Errorf("%s is missing or differs", name)
		}
	}
	if len(ours) != len(theirs) || len(ours) < 25 {
		t.Errorf("got %d files, want %d as with controller-gen", len(ours), len(theirs))
	}
}

// TestScaffoldWithoutServer checks that the project's tests report missing programs.
func TestScaffoldWithoutServer(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", "")
	output := inProject(t, operator, "go", "test", "./...")
	if strings.Count(output, "KUBEBUILDER_ASSETS names no folder with etcd and kube-apiserver") != 3 || strings.Count(output, "--- SKIP") != 3 {
		t.Errorf("got output\n%s", output)
	}
}

// programs returns the directory of etcd, kube-apiserver and kubectl.
func programs(t *testing.T) string {
	t.Helper()
	cache, err := cacheFolder()
	if err != nil {
		t.Fatal(err)
	}
	module, err := ModuleOf(t.Context(), ".", cache, os.Getenv(versionVariable))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := Build(t.Context(), cache, module, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// inProject runs a command in a directory and returns its output. Tests print their names.
func inProject(t *testing.T, dir, command string, args ...string) string {
	t.Helper()
	ctx, cancel := whileProgressing(t.Context(), runLimit) // controller-gen is slow and prints nothing meanwhile
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir = dir
	// The project's Makefile vets before it tests.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-v -vet=off")
	w := &progressWriter{ctx: ctx}
	cmd.Stdout, cmd.Stderr = w, w
	isolate(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", command, strings.Join(args, " "), err, lastLines(w.out.Bytes(), 40))
	}
	return w.out.String()
}

// files returns all files below a directory, without the value of the version annotation.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var text strings.Builder
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "    controller-gen.kubebuilder.io/version: ") {
				line = "\n"
			}
			text.WriteString(line)
		}
		out[strings.TrimPrefix(path, dir)] = text.String()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
