package kustomize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestKustomizedConversion checks for various kustomizations whether they add a conversion
// webhook to widgets.example.com.
func TestKustomizedConversion(t *testing.T) {
	const (
		merge     = "kind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.com\nspec:\n  conversion:\n    strategy: Webhook\n    webhook: {conversionReviewVersions: [v1]}\n"
		of        = "kind: CustomResourceDefinition\nmetadata:\n  name: gadgets.example.com\n"
		none      = "kind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.com\nspec:\n  conversion:\n    strategy: None\n"
		operation = "- op: add\n  path: /spec/conversion\n  value: {strategy: Webhook}\n"
	)
	for _, c := range []struct {
		name, files string
		want        bool
	}{
		{"nothing", "", false},
		{"Kubebuilder's", "-- crd/kustomization.yaml --\nresources: [bases/w.yaml]\npatches:\n- path: patches/webhook_in_widgets.yaml\n#- path: patches/cainjection_in_widgets.yaml\n-- crd/patches/webhook_in_widgets.yaml --\n" + merge, true},
		{"commented out", "-- crd/kustomization.yaml --\nresources: [bases/w.yaml]\n#patches:\n#- path: patches/w.yaml\n-- crd/patches/w.yaml --\n" + merge, false},
		{"an old one", "-- crd/kustomization.yaml --\npatchesStrategicMerge:\n- patches/w.yaml\n-- crd/patches/w.yaml --\n" + merge, true},
		{"inline", "-- crd/kustomization.yaml --\npatchesStrategicMerge:\n- |\n  kind: CustomResourceDefinition\n  metadata: {name: widgets.example.com}\n  spec: {conversion: {strategy: Webhook}}\n", true},
		{"the second document", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml}]\n-- crd/w.yaml --\n" + of + "---\n" + merge, true},
		{"another definition", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml}]\n-- crd/w.yaml --\n" + of + "spec: {conversion: {strategy: Webhook}}\n", false},
		{"another definition, but a target", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml, target: {kind: CustomResourceDefinition}}]\n-- crd/w.yaml --\n" + of + "spec: {conversion: {strategy: Webhook}}\n", true},
		{"another strategy", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml}]\n-- crd/w.yaml --\n" + none, false},
		{"operations", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml, target: {name: widgets.example.com}}]\n-- crd/w.yaml --\n" + operation, true},
		{"operations in JSON", "-- crd/kustomization.yaml --\npatches: [{path: w.json, target: {name: \".*\"}}]\n-- crd/w.json --\n[{\"op\": \"replace\", \"path\": \"/spec/conversion/strategy\", \"value\": \"Webhook\"}]\n", true},
		{"operations inline", "-- crd/kustomization.yaml --\npatchesJson6902:\n- target: {name: widgets.*, kind: CustomResourceDefinition}\n  patch: |-\n    - op: add\n      path: /spec\n      value: {conversion: {strategy: Webhook}}\n", true},
		{"operations on another", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml, target: {name: gadgets.example.com}}]\n-- crd/w.yaml --\n" + operation, false},
		{"operations on a part of the name", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml, target: {name: widgets}}]\n-- crd/w.yaml --\n" + operation, false},
		{"operations on another kind", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml, target: {kind: Deployment}}]\n-- crd/w.yaml --\n" + operation, false},
		{"another operation", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml, target: {name: \"\"}}]\n-- crd/w.yaml --\n- {op: remove, path: /spec/conversion}\n- {op: test, path: /spec/conversion/strategy, value: Webhook}\n- {op: add, path: /spec/conversionX, value: {strategy: Webhook}}\n- {op: add, path: /spec/conversion/webhook, value: {strategy: Webhook}}\n", false},
		{"a missing patch", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml}]\n", false},
		{"in the output", "-- crd/bases/kustomization.yml --\npatches: [{path: ../w.yaml}]\n-- crd/w.yaml --\n" + merge, true},
		{"above", "-- Kustomization --\npatches: [{path: crd/w.yaml}]\n-- crd/w.yaml --\n" + merge, true},
		{"in default", "-- default/kustomization.yaml --\npatches: [{path: w.yaml}]\n-- default/w.yaml --\n" + merge, true},
		{"in Kubebuilder's directory", "-- config/crd/kustomization.yaml --\npatches: [{path: w.yaml}]\n-- config/crd/w.yaml --\n" + merge, true},
		{"in a component", "-- crd/kustomization.yaml --\ncomponents: [../part]\n-- part/kustomization.yaml --\nkind: Component\npatches: [{path: w.yaml}]\n-- part/w.yaml --\n" + merge, true},
		{"a component of itself", "-- crd/kustomization.yaml --\ncomponents: [.]\n", false},
		{"no YAML", "-- crd/kustomization.yaml --\n\tpatches\n", false},
		{"a patch without YAML", "-- crd/kustomization.yaml --\npatches: [{path: w.yaml}]\n-- crd/w.yaml --\n{{ if }}\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range txtar.Parse([]byte(c.files)).Files {
				name := filepath.Join(dir, f.Name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for _, output := range []string{"crd/bases", filepath.Join(dir, "crd", "bases")} {
				if got := Converts(nil, dir, output, "widgets.example.com"); got != c.want {
					t.Errorf("%s: got %v", output, got)
				}
			}
			// The output directory is unknown.
			if got := Converts(nil, dir, "", "widgets.example.com"); got != strings.Contains(c.files, "config/crd") {
				t.Errorf("without an output: got %v", got)
			}
		})
	}
}
