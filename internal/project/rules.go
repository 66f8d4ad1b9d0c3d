package project

import (
	"fmt"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/passes"
)

// Review is the name of the set of all rules about API conventions.
const Review = "review"

// Rules returns the codes that are off by default and are enabled by a severity in the file, or
// by names: codes, or [Review] for all of them.
func (c *File) Rules(names []string) ([]diag.Code, error) {
	known := []string{Review}
	var out []diag.Code
	for _, kind := range passes.Rules() {
		known = append(known, string(kind.Code))
		if c.Enables(kind.Code) || slices.Contains(names, Review) || slices.Contains(names, string(kind.Code)) {
			out = append(out, kind.Code)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("--rules: unknown rule %q: use %s, or codes from %s to %s", name, Review, known[1], known[len(known)-1])
		}
	}
	return out, nil
}

// Enables reports whether the file, which may be nil, has a severity for a code that is off by default.
func (c *File) Enables(code diag.Code) bool {
	return c != nil && c.severities[code] != "" && c.severities[code] != severityOff
}
