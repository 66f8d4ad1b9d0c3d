package verify

import (
	"strings"

	"github.com/schemagen/schemagen/internal/rules"
	"github.com/schemagen/schemagen/structural"
)

// unions reports the unions that the rules of a version enforce, if that is asked for, and objects that
// rules accept although they are almost a union.
func (c *checks) unions(version int) {
	if known := c.Provenance(); known.OnlySchemas || known.Incomplete != nil {
		return // rules may be missing
	}
	seen := map[*structural.Schema]bool{}
	for path, s := range c.Schemas[version].All() {
		if seen[s] || s.Type != "object" || len(s.XValidations) == 0 {
			continue
		}
		seen[s] = true
		for _, meaning := range rules.Meanings(s, s.XValidations) {
			c.union(rulePath(schemaPath(version), path, meaning.Rules[0]), meaning)
		}
	}
}

// union reports what rules mean.
func (c *checks) union(path string, meaning rules.Meaning) {
	if c.options.Unions && len(meaning.Markers) > 0 {
		var texts []string
		for _, marker := range meaning.Markers {
			texts = append(texts, marker.Words())
		}
		c.add(enforcedUnion, path, "", "the rules mean: %s; they accept %d of the %d combinations of what they read",
			strings.Join(texts, "; "), meaning.Accepting, meaning.Combinations)
	}
	if meaning.Near != nil {
		r := c.add(leakyUnion, path, "if that is meant, add a rule that refuses it",
			"the rules almost mean: %s, but they accept %s", meaning.Near.Words(), valueText(meaning.Accepted))
		r.Off = !c.options.Unions
	}
}
