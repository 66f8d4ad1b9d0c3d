package verify

import (
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/internal/rules"
	"github.com/schemagen/schemagen/structural"
)

// unions reports the unions that the rules and logical junctors of a version enforce, if that is asked for, and
// objects that they accept although they are almost a union.
func (c *checks) unions(version int) {
	if known := c.Provenance(); known.OnlySchemas || known.Incomplete != nil {
		return // rules may be missing
	}
	seen := map[*structural.Schema]bool{}
	for path, s := range c.Schemas[version].All() {
		if seen[s] || s.Type != "object" {
			continue
		}
		seen[s] = true
		conditions := rules.ConditionsOf(s)
		for _, meaning := range rules.Meanings(s, conditions) {
			if keyword := conditions[meaning.Conditions[0]].Keyword; keyword != "" {
				c.union(fmt.Sprintf("%s%s.%s", schemaPath(version), path, keyword), "logical junctors", meaning)
			} else {
				c.union(rulePath(schemaPath(version), path, meaning.Conditions[0]), "rules", meaning)
			}
		}
	}
}

// union reports what rules or junctors mean.
func (c *checks) union(path, subject string, meaning rules.Meaning) {
	if c.options.Unions && len(meaning.Markers) > 0 {
		var texts []string
		for _, marker := range meaning.Markers {
			texts = append(texts, marker.Words())
		}
		c.add(enforcedUnion, path, "", "the %s mean: %s; they accept %d of the %d combinations of what they read",
			subject, strings.Join(texts, "; "), meaning.Accepting, meaning.Combinations)
	}
	if meaning.Near != nil {
		c.add(leakyUnion, path, "if that is meant, add a rule that refuses it",
			"the %s almost mean: %s, but they accept %s", subject, meaning.Near.Words(), valueText(meaning.Accepted))
	}
}
