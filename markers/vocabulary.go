package markers

import (
	"strings"
)

// This file lists markers that are not in the table: those of other generators, which are
// ignored, and those that controller-gen ignores.

// ownPrefixes returns the namespaces in which all names are known, so that an unknown name is
// an error.
func ownPrefixes() []string { return []string{"kubebuilder:", "k8s:", "schemagen:"} }

// otherMarker is a marker of one of controller-tools' other generators.
type otherMarker struct {
	generator, name string
	// joint separates the name from its arguments: a colon if they are named.
	joint string
}

// otherMarkers returns the markers of controller-tools' other generators, which parse them.
func otherMarkers() []otherMarker {
	return []otherMarker{
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

// otherMarkerNamed returns the marker of another generator with the name.
func otherMarkerNamed(name string) (otherMarker, bool) {
	for _, other := range otherMarkers() {
		if other.name == name {
			return other, true
		}
	}
	return otherMarker{}, false
}

// Generator returns the name of the generator that reads markers of a name: crd unless
// another one does.
func Generator(name string) string {
	if other, ok := otherMarkerNamed(name); ok {
		return other.generator
	}
	return "crd"
}

// foreign reports whether a marker belongs to another tool: one of controller-tools' other
// generators, Kubebuilder, or Kubernetes' generators.
func foreign(name string) bool {
	if _, ok := otherMarkerNamed(name); ok {
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

// foreignWords returns names of other tools that resemble ours.
func foreignWords() []string {
	return []string{"oneOf", "listKey", "patternStrategy", "options", "groupGoName"}
}
