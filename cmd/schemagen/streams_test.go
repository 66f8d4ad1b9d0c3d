package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
)

// findingLines are command lines that have a finding, one for each command with the flag --format for
// diagnostics.
func findingLines() map[string]string {
	return map[string]string{
		"generate":           "generate --check",
		"crd":                "crd ./api/v1 --diff",
		"unions":             "unions ./api/v1 --check",
		"conversions":        "conversions ./api/v1 --check",
		controllerGenCommand: "crd paths=./api/v1 output:dir=out",
		"types":              "types number.yaml -o types --check",
		"openapi":            "openapi ./api/v1 -o openapi",
		"jsonschema":         "jsonschema ./api/v1 -o jsonschema",
		"schema":             "schema ./api/v1",
		"verify":             "verify number.yaml --costs",
		"try":                "try -f widget.yaml number.yaml",
		"test":               "test number.yaml -f widget.testsuite.yaml",
		"diff":               "diff number.yaml integer.yaml",
	}
}

const streamsProject = `
-- api/v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	// +kubebuilder:validation:Maximun=3
	// +kubebuilder:validation:XValidation:rule="true"
	Size int32 ´json:"size"´
}
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
unknown: 3
-- widget.testsuite.yaml --
apiVersion: apiextensions.k8s.io/v1
name: Widget
crdName: widgets.example.com
version: v1
tests:
  onCreate:
  - name: no change
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      unknown: 3
    expected: |
      apiVersion: example.com/v1
      kind: Widget
      unknown: 3
`

const streamsCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: none, type: string, jsonPath: .none}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          ratio: {type: number}
`

// TestStreams executes every command with findings in each format: text goes to standard error, and
// what programs read is all of standard output.
func TestStreams(t *testing.T) {
	mod, sum := requirements(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOPROXY", "off")
	t.Chdir(t.TempDir())
	archive := txtar.Parse([]byte(strings.ReplaceAll(streamsProject, "´", "`")))
	archive.Files = append(archive.Files,
		txtar.File{Name: "go.mod", Data: regexp.MustCompile(`(?m)^module .*`).ReplaceAll(mod, []byte("module example.com/project"))},
		txtar.File{Name: "go.sum", Data: sum}, txtar.File{Name: "schemagen.yaml", Data: []byte("paths: [./api/v1]\n")},
		txtar.File{Name: "number.yaml", Data: []byte(streamsCRD)},
		txtar.File{Name: "integer.yaml", Data: []byte(strings.Replace(streamsCRD, "number", "integer", 1))})
	for _, file := range archive.Files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file.Name), 0o777), os.WriteFile(file.Name, file.Data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range newRoot(nil, nil).Commands() {
		line, ok := findingLines()[cmd.Name()]
		flag := cmd.Flags().Lookup("format")
		if hasFormat := flag != nil && flag.Usage == reporting.FormatHelp(); hasFormat && !ok {
			t.Errorf("%s: complete findingLines", cmd.Name())
		}
		for _, format := range diag.Formats() {
			if !ok {
				continue
			}
			t.Run(cmd.Name()+"/"+format, func(t *testing.T) {
				var stdout, stderr strings.Builder
				code := run(t.Context(), append(strings.Fields(line), "--format", format), &stdout, &stderr)
				if code == reporting.ExitFailure {
					t.Fatalf("exit code %d:\n%s%s", code, stdout.String(), stderr.String())
				}
				document, text := stdout.String(), stderr.String()
				if format == "text" && cmd.Name() != "diff" {
					document, text = text, document
				}
				if !regexp.MustCompile(`SG\d\d\d`).MatchString(document) || regexp.MustCompile(`\[SG\d\d\d\]`).MatchString(text) {
					t.Errorf("%s: the findings are not where they belong: got\n%s\nand on standard error\n%s", line, stdout.String(), stderr.String())
				}
				if format == "junit" && xml.Unmarshal([]byte(document), new(struct{ XMLName xml.Name })) != nil {
					t.Errorf("%s: standard output is no document:\n%s", line, document)
				}
				if slices.Contains([]string{"json", "sarif"}, format) && !json.Valid([]byte(document)) {
					t.Errorf("%s: standard output is no document:\n%s", line, document)
				}
			})
		}
	}
}
