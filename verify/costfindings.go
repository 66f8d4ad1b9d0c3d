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
// gets the paths of those that do not exceed their own limit. A total is left out if it is within the limit
// without the rules that exceed their own.
func foldCosts(findings []apiserver.Finding, all []apiserver.Rule) []apiserver.Finding {
	exceeds := func(path string) bool {
		return slices.ContainsFunc(findings, func(f apiserver.Finding) bool {
			return isCost(f) && !isContribution(f) && slices.Contains(f.Paths, path)
		})
	}
	isPart := func(f, total apiserver.Finding) bool {
		return isContribution(f) && isTotal(total) && strings.HasPrefix(f.Path, total.Path+".")
	}
	// share returns the share of the limit of a total that rules within their own limit have.
	share := func(total apiserver.Finding) (out float64) {
		for _, rule := range all {
			if strings.HasPrefix(rule.Path, total.Path+".") && !exceeds(rule.Path+".rule") && !exceeds(rule.Path+".messageExpression") {
				out += rule.SchemaShare()
			}
		}
		return out
	}
	var out []apiserver.Finding
	for _, f := range findings {
		if slices.ContainsFunc(findings, func(total apiserver.Finding) bool { return isPart(f, total) }) {
			continue
		}
		var paths []string
		costly := false
		for _, other := range findings {
			if isPart(other, f) {
				paths = append(paths, slices.DeleteFunc(slices.Clone(other.Paths), exceeds)...)
				costly = costly || slices.ContainsFunc(other.Paths, exceeds)
			}
		}
		if costly && (len(paths) == 0 || share(f) <= 1) {
			continue
		}
		if len(paths) > 0 {
			f.Paths = paths
		}
		out = append(out, f)
	}
	return out
}
