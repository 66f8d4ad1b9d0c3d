package markers

import (
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// This file is about markers that are not in the table: markers of other generators, which are
// ignored, and markers that controller-gen ignores.

// ownPrefixes returns the namespaces in which all names are known, so that an unknown name is
// an error.
func ownPrefixes() []string {
	return []string{"kubebuilder:", "k8s:", "schemagen:", "openshift:enable:", "openshift:validation:"}
}

// generatorMarkerNamed returns the marker of another generator with the name.
func generatorMarkerNamed(name string) (*row, bool) {
	r := rowNamed(name)
	return r, r != nil && r.generator != ""
}

// Generator returns the name of the generator that reads markers of a name: crd unless
// another one does.
func Generator(name string) string {
	if other, ok := generatorMarkerNamed(name); ok {
		return other.generator
	}
	return "crd"
}

// GeneratorTable returns a table of the markers of another generator.
func GeneratorTable(generator string) (*Table, error) {
	var definitions []*markers.Definition
	for _, r := range known().generators {
		for _, target := range r.targets {
			if r.generator != generator {
				continue
			}
			def, err := markers.MakeDefinition(r.name, target, r.value)
			if err != nil {
				return nil, err
			}
			definitions = append(definitions, def)
		}
	}
	return TableOf(definitions...), nil
}

// Ungated returns how messages name a marker that cannot depend on gates. ok is false if it can.
func Ungated(text string) (name string, ok bool) {
	head, _, _ := strings.Cut(strings.TrimPrefix(text, "+"), "=")
	for _, name := range known().ungated {
		if rest, ok := strings.CutPrefix(head, name); ok && (rest == "" || strings.IndexByte(":(", rest[0]) >= 0) {
			return name, true
		}
	}
	return "", false
}

// isForeign reports whether a marker belongs to another tool: one of controller-tools' other
// generators, Kubebuilder, or Kubernetes' generators.
func isForeign(name string) bool {
	if _, ok := generatorMarkerNamed(name); ok {
		return true
	}
	for _, prefix := range []string{
		"kubebuilder:scaffold", "kubebuilder:docs-gen", "kubebuilder:doc", "kubebuilder:informers", "kubebuilder:genclient",
		"k8s:deepcopy-gen", "k8s:conversion-gen", "k8s:conversion-gen-external-types", "k8s:conversion-fn", "k8s:defaulter-gen",
		"k8s:defaulter-gen-input", "k8s:openapi-gen", "k8s:openapi-model-package", "k8s:protobuf-gen", "k8s:prerelease-lifecycle-gen",
		"k8s:validation-gen", "k8s:validation-gen-input", "k8s:validation-gen-scheme-registry", "k8s:validation-gen-nolint", "k8s:validation-gen-test-fixture",
		"k8s:register-gen", "k8s:client-gen", "k8s:informer-gen", "k8s:lister-gen", "k8s:applyconfiguration-gen", "k8s:go-to-protobuf",
		"k8s:supportsSubresource", "k8s:isSubresource", "k8s:declarativeValidationNative", "k8s:declarativeValidation", "k8s:deprecated",
	} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && (rest == "" || rest[0] == ':' || rest[0] == '.') {
			return true
		}
	}
	return false
}

// foreignNames returns markers of other tools that resemble ours.
func foreignNames() []string {
	return []string{"oneOf", "listKey", "patternStrategy", "options", "groupGoName"}
}
