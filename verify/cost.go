package verify

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/apiserver"
)

// When rules cost too much, the API server reports each rule that exceeds its own limit,
// the rules that contribute most to a total over the limit, and the total: up to six errors
// with one cause.

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

// foldCosts reduces cost findings to one per cause: either the rules that exceed the limit
// on their own, without the total, which is checked again without those rules; or the
// total, located at the rules that contribute most to it.
func foldCosts(findings []apiserver.Finding) []apiserver.Finding {
	if !slices.ContainsFunc(findings, isTotal) {
		return findings
	}
	single := func(schema string) bool {
		return slices.ContainsFunc(findings, func(f apiserver.Finding) bool {
			return isCost(f) && !isContribution(f) && !isTotal(f) && strings.HasPrefix(f.Path, schema+".")
		})
	}
	var out []apiserver.Finding
	for _, f := range findings {
		switch {
		case isContribution(f) && slices.ContainsFunc(findings, func(total apiserver.Finding) bool {
			return isTotal(total) && strings.HasPrefix(f.Path, total.Path+".")
		}):
			continue
		case isTotal(f) && single(f.Path):
			continue
		case isTotal(f):
			var paths []string
			for _, c := range findings {
				if isContribution(c) && strings.HasPrefix(c.Path, f.Path+".") {
					paths = append(paths, c.Paths...)
				}
			}
			if len(paths) > 0 {
				f.Paths = paths
			}
		}
		out = append(out, f)
	}
	return out
}
