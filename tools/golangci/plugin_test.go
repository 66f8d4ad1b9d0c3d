package golangci

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
)

func TestPlugin(t *testing.T) {
	create, err := register.GetPlugin("schemagen")
	if err != nil {
		t.Fatal(err)
	}
	p, err := create(map[string]any{"rules": []string{"SG240"}, "allow-dangerous-types": true})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.(*plugin).settings; len(s.Rules) != 1 || !s.AllowDangerousTypes {
		t.Errorf("got %+v", s)
	}
	analyzers, err := p.BuildAnalyzers()
	if err != nil || len(analyzers) != 1 || analyzers[0].Name != "schemagen" {
		t.Errorf("got %v, %v", analyzers, err)
	}
	if _, err := create(map[string]any{"rule": "SG240"}); err == nil {
		t.Error("an unknown setting is accepted")
	}
}

// TestGolangciLint runs a golangci-lint with the plugin.
func TestGolangciLint(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "golangci-lint")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", "lint", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir, cache := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example.com/m\n\ngo 1.26.0\n",
		"a.go":          "package a\n\n// +kubebuilder:validation:MinLenght=1\ntype Name string\n",
		".golangci.yml": "version: \"2\"\nlinters:\n  default: none\n  enable: [schemagen]\n  settings:\n    custom:\n      schemagen: {type: module, settings: {rules: [SG240]}}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"run"}, {"run", "--fix"}} {
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOLANGCI_LINT_CACHE="+cache) // a kept finding has the path of another run
		out, err := cmd.CombinedOutput()
		if got := strings.Contains(string(out), "a.go:3:4: SG303: unknown marker"); got != (len(args) == 1) {
			t.Errorf("golangci-lint %s: %v\n%s", args, err, out)
		}
	}
	fixed, err := os.ReadFile(filepath.Join(dir, "a.go"))
	if err != nil || !strings.Contains(string(fixed), "MinLength") {
		t.Errorf("%v\n%s", err, fixed)
	}
}
