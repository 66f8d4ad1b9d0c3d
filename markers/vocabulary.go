package markers

import (
	"strings"
)

// The words that are not in the table: markers of other generators, which are
// left alone, and what controller-gen ignores.

// ownPrefixes are the namespaces in which every name is known, so that an
// unknown one is a mistake.
func ownPrefixes() []string { return []string{"kubebuilder:", "k8s:", "schemagen:"} }

// foreign reports whether a marker belongs to another tool. Names are those of
// controller-tools' other generators, Kubebuilder, and Kubernetes' generators.
func foreign(name string) bool {
	for _, prefix := range []string{
		"kubebuilder:object", "kubebuilder:ac", "kubebuilder:rbac", "kubebuilder:webhook", "kubebuilder:webhookconfiguration",
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

// bareWords are the names without a prefix that are ours; near misses of them
// are mistakes, anything else is another tool's.
func bareWords() []string {
	return []string{
		"default", "groupName", "listMapKey", "listType", "mapType", "nullable", "optional", "required", "structType",
		"unionDiscriminatedBy", "unionDiscriminator", "unionMember", "versionName",
	}
}

// foreignWords look like near misses of ours and are not.
func foreignWords() []string {
	return []string{"enum", "oneOf", "listKey", "patternStrategy", "options", "groupGoName"}
}

// Nearest returns the candidate with the smallest edit distance to the word, if
// that is at most two and less than half of the word; case counts as half.
func Nearest(word string, candidates []string) (string, bool) {
	best, bestDistance := "", 5
	for _, candidate := range candidates {
		if candidate == word {
			return candidate, true
		}
		if distance := editDistance(word, candidate, 5); distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	return best, best != "" && bestDistance < len(word)
}

// editDistance is twice the number of insertions, deletions, substitutions and
// swaps of neighbours that make a out of b; a change of case counts one. It
// gives up at limit.
func editDistance(a, b string, limit int) int {
	if d := 2 * (len(a) - len(b)); d >= limit || -d >= limit {
		return limit
	}
	previous2, previous, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = 2 * j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = 2 * i
		lowest := row[0]
		for j := 1; j <= len(b); j++ {
			cost := 2
			switch {
			case a[i-1] == b[j-1]:
				cost = 0
			case a[i-1]|0x20 == b[j-1]|0x20:
				cost = 1
			}
			row[j] = min(previous[j]+2, row[j-1]+2, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], previous2[j-2]+2)
			}
			lowest = min(lowest, row[j])
		}
		if lowest >= limit {
			return limit
		}
		previous2, previous, row = previous, row, previous2
	}
	return previous[len(b)]
}
