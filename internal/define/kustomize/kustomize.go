// Package kustomize finds the patches with which Kubebuilder projects add a conversion
// webhook to their definitions: config/crd/patches/webhook_in_widgets.yaml, listed in the
// kustomization next to the directory that definitions are written to.
package kustomize

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// kustomizationNames are the file names of a kustomization, in kustomize's order.
var kustomizationNames = [...]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// Converts reports whether a kustomization around the output directory, which is relative to
// dir, patches a conversion webhook into the named definition. If output is empty, the output
// directory is unknown. Reads are recorded in the inputs.
func Converts(reader *inputs.Reader, dir, output, name string) bool {
	// Kubebuilder's default directory is searched wherever this run writes its output.
	dirs := []string{filepath.Join(dir, "config", "crd")}
	if output != "" {
		if !filepath.IsAbs(output) {
			output = filepath.Join(dir, output)
		}
		parent := filepath.Dir(output)
		prefix := filepath.Dir(parent)
		dirs = append(dirs, output, parent, prefix, filepath.Join(parent, "default"), filepath.Join(prefix, "default"))
	}
	return slices.ContainsFunc(dirs, func(dir string) bool { return kustomizationConverts(reader, dir, name, 0) })
}

// kustomization holds the fields of a kustomization that list patches.
type kustomization struct {
	Patches               []targetedPatch `json:"patches"`
	PatchesJSON6902       []targetedPatch `json:"patchesJson6902"`
	PatchesStrategicMerge []string        `json:"patchesStrategicMerge"`
	Components            []string        `json:"components"`
}

// targetedPatch is a patch in a file, or inline in the kustomization.
type targetedPatch struct {
	Path, Patch string
	Target      *patchedTarget
}

// patchedTarget selects the target of a patch; empty fields match everything.
type patchedTarget struct {
	Kind, Name string
}

// matches reports whether a definition is selected. Kustomize treats the fields as anchored
// regular expressions.
func (t *patchedTarget) matches(name string) bool {
	is := func(pattern, text string) bool {
		matched, err := regexp.MatchString("^(?:"+pattern+")$", text)
		return pattern == "" || err == nil && matched
	}
	return is(t.Kind, "CustomResourceDefinition") && is(t.Name, name)
}

func kustomizationConverts(reader *inputs.Reader, dir, name string, depth int) bool {
	for _, file := range kustomizationNames {
		text, err := reader.ReadFile(filepath.Join(dir, file), nil)
		if err != nil {
			continue
		}
		var k kustomization
		if yaml.Unmarshal(text, &k) != nil {
			return false
		}
		patch := func(path, inline string, target *patchedTarget) bool {
			if target != nil && !target.matches(name) {
				return false
			}
			text := []byte(inline)
			if path != "" {
				text, err = reader.ReadFile(filepath.Join(dir, path), nil)
				if err != nil {
					return false
				}
			}
			return patchConverts(text, name, target)
		}
		for _, p := range append(k.Patches, k.PatchesJSON6902...) {
			if patch(p.Path, p.Patch, p.Target) {
				return true
			}
		}
		for _, p := range k.PatchesStrategicMerge { // a path, or an inline patch
			if inline := strings.Contains(p, "\n"); inline && patch("", p, nil) || !inline && patch(p, "", nil) {
				return true
			}
		}
		for _, component := range k.Components {
			if depth < 3 && kustomizationConverts(reader, filepath.Join(dir, component), name, depth+1) {
				return true
			}
		}
	}
	return false
}

// conversionPatch is the part of a patch that concerns conversion: strategic merge patches
// have the form of a definition, RFC 6902 patches are operations.
type conversionPatch struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct{ Conversion struct{ Strategy string } }
}

// patchConverts reports whether the text has a patch that adds a conversion webhook to a
// definition. It must name the definition unless a target selects it.
func patchConverts(text []byte, name string, target *patchedTarget) bool {
	var operations []struct {
		Op, Path string
		Value    any
	}
	if yaml.Unmarshal(text, &operations) == nil {
		for _, o := range operations {
			if o.Op == "remove" || o.Op == "test" {
				continue
			}
			value := o.Value
			for _, field := range []string{"/spec", "/conversion", "/strategy"} {
				if rest, ok := strings.CutPrefix(o.Path, field); ok {
					o.Path = rest
					continue
				}
				if o.Path != "" {
					value = nil
				}
				object, _ := value.(map[string]any)
				value = object[field[1:]]
			}
			if o.Path == "" && value == "Webhook" {
				return true
			}
		}
		return false
	}
	for _, document := range bytes.Split(text, []byte("\n---")) {
		var p conversionPatch
		if yaml.Unmarshal(document, &p) == nil && p.Spec.Conversion.Strategy == "Webhook" &&
			(target != nil || p.Kind == "CustomResourceDefinition" && p.Metadata.Name == name) {
			return true
		}
	}
	return false
}
