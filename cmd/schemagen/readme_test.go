package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeTry wants the answer to a route of the Gateway API in README.md to be
// what is said of examples/try under the CRD that the project publishes.
func TestReadmeTry(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```console\n\\$ (schemagen try -f route.yaml [^\n]*)\n(.*?)```").FindStringSubmatch(string(readme))
	if shown == nil {
		t.Fatal("README.md does not try route.yaml")
	}
	download := exec.Command("go", "mod", "download", "-json", "sigs.k8s.io/gateway-api")
	download.Dir = "../../examples"
	out, err := download.Output()
	if err != nil {
		t.Skipf("there is no module of the Gateway API: %v: %s", err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for to, from := range map[string]string{
		"route.yaml":      "../../examples/try/route.yaml",
		"httproutes.yaml": filepath.Join(module.Dir, "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"),
	} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var stdout, stderr strings.Builder
	if code := run(t.Context(), strings.Fields(shown[1])[1:], &stdout, &stderr); code != exitFindings {
		t.Errorf("exit code %d", code)
	}
	if got := stdout.String() + stderr.String(); got != shown[2] {
		t.Errorf("README.md shows\n%s\nbut it is\n%s", shown[2], got)
	}
}
