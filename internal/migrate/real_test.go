package migrate

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	realMakefiles = flag.Bool("real", false, "read the Makefiles of real modules, which are downloaded, and run their make -n")
	update        = flag.Bool("update", false, "rewrite testdata")
)

// realModules are modules whose Makefiles or scripts call controller-gen.
func realModules() []string {
	return []string{
		"github.com/cert-manager/cert-manager@v1.21.2",
		"sigs.k8s.io/cluster-api@v1.14.2",
		"github.com/external-secrets/external-secrets@v1.3.2",
		"github.com/prometheus-operator/prometheus-operator@v0.85.0",
		"github.com/kedacore/keda/v2@v2.21.0",
		"github.com/vmware-tanzu/velero@v1.18.3",
		"sigs.k8s.io/cluster-api-provider-aws/v2@v2.13.0",
		"sigs.k8s.io/karpenter@v1.8.0",
		"github.com/fluxcd/source-controller@v1.7.0",
		"github.com/argoproj/argo-rollouts@v1.8.3",
		"sigs.k8s.io/cluster-api-provider-azure@v1.21.0",
		"github.com/mariadb-operator/mariadb-operator@v0.38.1",
		"github.com/rabbitmq/cluster-operator/v2@v2.11.0",
		"github.com/ray-project/kuberay/ray-operator@v1.3.2",
		"github.com/argoproj-labs/argocd-operator@v0.15.0",
		"github.com/open-telemetry/opentelemetry-operator@v0.113.0",
		"github.com/grafana/grafana-operator/v5@v5.18.0",
	}
}

// TestRealMakefiles reads the Makefiles of real modules and compares what was found with
// testdata/makefiles.txt: the calls, the lines that could not be read, the scripts, the
// version of controller-gen, and the change, which make has verified.
//
// Left out of make generate: make migrate-real records it.
func TestRealMakefiles(t *testing.T) {
	if !*realMakefiles {
		t.Skip("needs -real")
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	got.WriteString(realHead(t))
	for _, module := range realModules() {
		fmt.Fprintf(&got, "== %s\n", module)
		readReal(t, &got, module)
	}
	name := filepath.Join(wd, "testdata", "makefiles.txt")
	if *update {
		if err := os.WriteFile(name, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(withoutHead(got.Bytes()), withoutHead(want)) {
		t.Errorf("%s differs; -update rewrites it. Got:\n%s", name, got.Bytes())
	}
}

// realHead is the first line of testdata/makefiles.txt: when and with which make it was measured.
func realHead(t *testing.T) string {
	t.Helper()
	version, err := exec.Command("make", "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(version), "\n")
	return fmt.Sprintf("# %d modules, measured on %s with %s.\n", len(realModules()), time.Now().UTC().Format(time.DateOnly), first)
}

// withoutHead returns the recorded results without the line of realHead.
func withoutHead(data []byte) []byte {
	if bytes.HasPrefix(data, []byte("# ")) {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data
}

// TestRealHead checks that testdata/makefiles.txt says what was measured, and has every module.
func TestRealHead(t *testing.T) {
	data, err := os.ReadFile("testdata/makefiles.txt")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("# %d modules, measured on 20", len(realModules())); !bytes.HasPrefix(data, []byte(want)) {
		t.Errorf("testdata/makefiles.txt does not start with %q", want)
	}
	var modules []string
	for line := range strings.Lines(string(data)) {
		if module, ok := strings.CutPrefix(line, "== "); ok {
			modules = append(modules, strings.TrimSpace(module))
		}
	}
	if !slices.Equal(modules, realModules()) {
		t.Errorf("testdata/makefiles.txt is of the modules %v: run make migrate-real", modules)
	}
}

// readReal prints what is found in one module.
func readReal(t *testing.T, w *bytes.Buffer, module string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(dir, os.DirFS(download(t, module))); err != nil {
		t.Fatal(err)
	}
	commit(t, dir)
	text := describe(t, dir)
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, "\t") && strings.TrimSpace(line) != "" {
			w.WriteString(line)
		}
	}
}

// download returns the directory of a module in the module cache.
func download(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var found struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &found); jsonErr != nil || found.Error != "" || err != nil {
		t.Fatalf("download %s: %v %s", module, err, found.Error)
	}
	return found.Dir
}
