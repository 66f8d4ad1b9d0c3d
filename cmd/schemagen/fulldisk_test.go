package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
)

// fullDisk is a writer that fails after some bytes.
type fullDisk struct{ left int }

func (w *fullDisk) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, errors.New("no space left on device")
	}
	w.left -= len(p)
	return len(p), nil
}

// TestFullDisk runs commands whose standard output fails, at once or later: the help of every command,
// and each command that prints something about a small project. A document that is cut off is a failure.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"go.mod":      "module example.com/m\n\ngo 1.26\n",
		"api/doc.go":  "// +groupName=example.com\npackage api\n",
		"crd.yaml":    widgetWith("type: object"),
		"new.yaml":    widgetWith("type: object\n        required: [spec]"),
		"widget.yaml": "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	lines := []string{
		"config ./api", "config", "version", "explain +", "explain + --format json", "explain SG", "completion bash", "completion zsh", "help", "help crd", "--help",
		"explain widget crd.yaml", "explain widget crd.yaml --format json", "schema crd.yaml", "openapi crd.yaml",
		"jsonschema crd.yaml", "diff crd.yaml new.yaml", "diff crd.yaml new.yaml --format json", "try -f widget.yaml crd.yaml",
		"try -f widget.yaml crd.yaml --format json", "verify crd.yaml --costs",
	}
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			lines = append(lines, strings.TrimPrefix(sub.CommandPath(), "schemagen ")+" --help")
			add(sub)
		}
	}
	add(newRoot(&strings.Builder{}, &strings.Builder{}))
	for _, line := range lines {
		var whole, stderr strings.Builder
		want := run(t.Context(), strings.Fields(line), &whole, &stderr)
		if want == reporting.ExitFailure && !strings.HasPrefix(line, "diff") {
			t.Errorf("%s fails: %s", line, stderr.String())
			continue
		}
		if whole.Len() == 0 {
			continue
		}
		for _, room := range []int{0, whole.Len() - 1} {
			stderr.Reset()
			code := run(t.Context(), strings.Fields(line), &fullDisk{room}, &stderr)
			if code != reporting.ExitFailure || !strings.Contains(stderr.String(), "no space left on device") {
				t.Errorf("%s, with room for %d bytes: exit code %d\n%s", line, room, code, stderr.String())
			}
		}
	}
	t.Logf("%d command lines", len(lines))
}

// widgetWith is a CRD whose schema is indented by eight spaces.
func widgetWith(schema string) string {
	return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        ` + schema + "\n"
}
