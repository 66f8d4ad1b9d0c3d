package markers

import (
	"strings"
)

// This file lists markers that are not in the table: those of other generators, which are
// ignored, and those that controller-gen ignores.

// ownPrefixes returns the namespaces in which all names are known, so that an unknown name is
// an error.
func ownPrefixes() []string {
	return []string{"kubebuilder:", "k8s:", "schemagen:", "openshift:enable:", "openshift:validation:"}
}

// generatorMarker is a marker of one of controller-tools' other generators.
type generatorMarker struct {
	generator, name string
	// separator separates the name from its arguments: a colon if they are named.
	separator string
}

// generatorMarkers returns the markers of controller-tools' other generators.
func generatorMarkers() []generatorMarker {
	return []generatorMarker{
		{"applyconfiguration", "kubebuilder:ac:generate", "="},
		{"applyconfiguration", "kubebuilder:ac:output:package", "="},
		{"object", "kubebuilder:object:generate", "="},
		{"object", "kubebuilder:object:root", "="},
		{"object", "k8s:deepcopy-gen", "="},
		{"object", "k8s:deepcopy-gen:interfaces", "="},
		{"rbac", "kubebuilder:rbac", ":"},
		{"webhook", "kubebuilder:webhook", ":"},
		{"webhook", "kubebuilder:webhookconfiguration", ":"},
	}
}

// generatorMarkerNamed returns the marker of another generator with the name.
func generatorMarkerNamed(name string) (generatorMarker, bool) {
	for _, other := range generatorMarkers() {
		if other.name == name {
			return other, true
		}
	}
	return generatorMarker{}, false
}

// Generator returns the name of the generator that reads markers of a name: crd unless
// another one does.
func Generator(name string) string {
	if other, ok := generatorMarkerNamed(name); ok {
		return other.generator
	}
	return "crd"
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
