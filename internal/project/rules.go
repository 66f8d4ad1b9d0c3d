package project

import (
	"fmt"
	"slices"

	"github.com/schemagen/schemagen/diag"
)

// Review is the name of the set of all rules.
const Review = "review"

// Rules returns the codes of rules, which are kinds that are off by default, that a severity in the file
// enables, or a name: a code, or [Review] for all of them.
func (c *File) Rules(rules []*diag.Kind, names []string) ([]diag.Code, error) {
	known := []string{Review}
	var out []diag.Code
	for _, kind := range rules {
		known = append(known, string(kind.Code))
		if c.enables(kind.Code) || slices.Contains(names, Review) || slices.Contains(names, string(kind.Code)) {
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

// enables reports whether the file, which may be nil, has a severity for a code that is off by default.
func (c *File) enables(code diag.Code) bool {
	return c != nil && c.severities[code] != "" && c.severities[code] != severityOff
}
