package verify

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/apiserver"
)

// When rules cost too much, the API server reports each rule that exceeds its own limit, the
// total if that exceeds another limit, and up to four rules that contribute most to it.

// isCost reports whether the finding is about the cost of rules.
func isCost(f apiserver.Finding) bool {
	return f.Type == field.ErrorTypeForbidden && strings.Contains(f.Detail, "estimated ") && strings.Contains(f.Detail, " cost")
}

// isContribution reports whether the finding names a rule that contributes to a total.
func isContribution(f apiserver.Finding) bool {
	return isCost(f) && strings.HasPrefix(f.Detail, "contributed to ")
}

// isTotal reports whether the finding is about the cost of all rules of a schema.
func isTotal(f apiserver.Finding) bool {
	return isCost(f) && !isContribution(f) && strings.HasSuffix(f.Path, ".openAPIV3Schema")
}

// foldCosts merges the rules that contribute to a total over the limit with the total, which
// gets their paths. A total is left out if each of these rules exceeds its own limit, too, which says the same.
func foldCosts(findings []apiserver.Finding) []apiserver.Finding {
	var out []apiserver.Finding
	for _, f := range findings {
		isPart := func(other, total apiserver.Finding) bool {
			return isContribution(other) && isTotal(total) && strings.HasPrefix(other.Path, total.Path+".")
		}
		if slices.ContainsFunc(findings, func(total apiserver.Finding) bool { return isPart(f, total) }) {
			continue
		}
		var paths []string
		for _, other := range findings {
			if isPart(other, f) {
				paths = append(paths, other.Paths...)
			}
		}
		exceeds := func(path string) bool {
			return slices.ContainsFunc(findings, func(other apiserver.Finding) bool {
				return isCost(other) && !isContribution(other) && slices.Contains(other.Paths, path)
			})
		}
		switch {
		case len(paths) == 0:
		case !slices.ContainsFunc(paths, func(path string) bool { return !exceeds(path) }):
			continue
		default:
			f.Paths = paths
		}
		out = append(out, f)
	}
	return out
}
