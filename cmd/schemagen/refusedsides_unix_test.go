//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefusedSides compares definitions with errors, on each side: they are mistakes of the user, each
// with its position.
func TestRefusedSides(t *testing.T) {
	newRepository(t, writingRow{}, writersDir, writersBase(t))
	write := func(name, text string) {
		t.Helper()
		must(t, os.MkdirAll(filepath.Dir(name), 0o777))
		must(t, os.WriteFile(name, []byte(text), 0o666))
	}
	const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`
	write("fine.yaml", definition)
	write("unreadable.yaml", strings.Replace(definition, "scope: Namespaced", "scope: [", 1))
	write("refused/types.go", "// +groupName=example.com\npackage refused\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+
		"type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n"+
		"\t// +kubebuilder:default=5\n\t// +kubebuilder:validation:Maximum=2\n\tSize int32 `json:\"size\"`\n}\n")
	for args, want := range map[string]string{
		"diff ./refused fine.yaml":               "refused/types.go:10:5: error[SG601]: ",
		"diff fine.yaml ./refused":               "refused/types.go:10:5: error[SG601]: ",
		"diff unreadable.yaml fine.yaml":         "unreadable.yaml:8:3: error[SG610]: ",
		"diff fine.yaml unreadable.yaml":         "unreadable.yaml:8:3: error[SG610]: ",
		"diff --fail-on none fine ./refused":     "refused/types.go:10:5: error[SG601]: ",
		"verify fine.yaml --old unreadable.yaml": "unreadable.yaml:8:3: error[SG610]: ",
		"diff fine.yaml ./refused --format html": "refused/types.go:10:5: error[SG601]: ",
		"diff ./refused fine.yaml --format html": "refused/types.go:10:5: error[SG601]: ",
	} {
		t.Run(args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := strings.Replace(args, "none fine", "none fine.yaml", 1)
			code := run(t.Context(), strings.Fields(args), &stdout, &stderr)
			if code != 1 || !strings.HasPrefix(stderr.String(), want) || stdout.Len() > 0 {
				t.Errorf("exit code %d, want 1 and %s\n%s%s", code, want, &stdout, &stderr)
			}
		})
	}
}
