// Package kustomize looks for the patches by which Kubebuilder's projects give definitions
// their conversion webhook: config/crd/patches/webhook_in_widgets.yaml, named by the
// kustomization beside the folder that definitions are written to.
package kustomize

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/inputs"
)

// kustomizationNames are the names of a kustomization, in kustomize's order.
var kustomizationNames = [...]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// Converts reports whether a kustomization around the output directory, which is relative to
// dir, patches a conversion webhook into the definition of a name. An empty output directory
// is unknown. What is read is noted.
func Converts(in *inputs.Reader, dir, output, name string) bool {
	// Kubebuilder's place counts wherever the output of this run goes.
	dirs := []string{filepath.Join(dir, "config", "crd")}
	if output != "" {
		if !filepath.IsAbs(output) {
			output = filepath.Join(dir, output)
		}
		parent := filepath.Dir(output)
		above := filepath.Dir(parent)
		dirs = append(dirs, output, parent, above, filepath.Join(parent, "default"), filepath.Join(above, "default"))
	}
	return slices.ContainsFunc(dirs, func(dir string) bool { return kustomizationConverts(in, dir, name, 0) })
}

// kustomization are the fields of a kustomization that patch.
type kustomization struct {
	Patches               []targetedPatch `json:"patches"`
	PatchesJSON6902       []targetedPatch `json:"patchesJson6902"`
	PatchesStrategicMerge []string        `json:"patchesStrategicMerge"`
	Components            []string        `json:"components"`
}

// targetedPatch is a patch in a file, or in the kustomization itself.
type targetedPatch struct {
	Path, Patch string
	Target      *patchedTarget
}

// patchedTarget says what a patch is for; empty fields match everything.
type patchedTarget struct {
	Kind, Name string
}

// matches reports whether a definition is a target. Kustomize takes the fields for
// anchored regular expressions.
func (t *patchedTarget) matches(name string) bool {
	is := func(pattern, text string) bool {
		matched, err := regexp.MatchString("^(?:"+pattern+")$", text)
		return pattern == "" || err == nil && matched
	}
	return is(t.Kind, "CustomResourceDefinition") && is(t.Name, name)
}

func kustomizationConverts(in *inputs.Reader, dir, name string, depth int) bool {
	for _, file := range kustomizationNames {
		text, err := in.ReadFile(filepath.Join(dir, file), nil)
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
				if text, err = in.ReadFile(filepath.Join(dir, path), nil); err != nil {
					return false
				}
			}
			return patchConverts(text, name, target != nil)
		}
		for _, p := range append(k.Patches, k.PatchesJSON6902...) {
			if patch(p.Path, p.Patch, p.Target) {
				return true
			}
		}
		for _, p := range k.PatchesStrategicMerge { // a path, or the patch itself
			if inline := strings.Contains(p, "\n"); inline && patch("", p, nil) || !inline && patch(p, "", nil) {
				return true
			}
		}
		for _, component := range k.Components {
			if depth < 3 && kustomizationConverts(in, filepath.Join(dir, component), name, depth+1) {
				return true
			}
		}
	}
	return false
}

// conversionPatch is what a patch says of conversion: strategic merge patches in a
// definition's own form, those of RFC 6902 in operations.
type conversionPatch struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct{ Conversion struct{ Strategy string } }
}

// patchConverts reports whether the text has a patch that gives a definition a
// conversion webhook. It must name the definition unless a target does.
func patchConverts(text []byte, name string, isTarget bool) bool {
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
			(isTarget || p.Kind == "CustomResourceDefinition" && p.Metadata.Name == name) {
			return true
		}
	}
	return false
}
