package compare

import (
	"fmt"

	"github.com/schemagen/schemagen/structural"
)

func (c *comparer) allOf(p nodePair) bool {
	for _, branch := range without(p.new.AllOf, p.old.AllOf) {
		p.holds = c.satisfied(p, "", &structural.ValueValidation{AllOf: []structural.NestedValueValidation{branch}})
		c.tighten(p, "allOf", Change{Kind: "allOf-added", Reason: "values that violate the added condition are rejected"})
	}
	for range without(p.old.AllOf, p.new.AllOf) {
		c.loosen(p, "allOf", Change{Kind: "allOf-removed", Reason: "one condition fewer applies"})
	}
	// The order of conditions does not matter.
	return true
}

func (c *comparer) anyOf(p nodePair) bool {
	c.branches(p, "anyOf", p.old.AnyOf, p.new.AnyOf)
	return true
}

func (c *comparer) oneOf(p nodePair) bool {
	c.branches(p, "oneOf", p.old.OneOf, p.new.OneOf)
	return true
}

// branches compares alternatives. An additional branch is safe for anyOf but not for oneOf.
func (c *comparer) branches(p nodePair, keyword string, old, new []structural.NestedValueValidation) {
	removed := without(old, new)
	added := without(new, old)
	switch {
	case len(new) == 0:
		c.loosen(p, keyword, Change{Kind: Kind(keyword + "-removed"), Reason: "no branch has to match anymore"})
	case len(old) == 0:
		c.tighten(p, keyword, Change{Kind: Kind(keyword + "-added"), Reason: "values that match no branch are rejected"})
	case keyword == "anyOf" && len(removed) == 0:
		if len(added) > 0 {
			c.loosen(p, keyword, Change{Kind: Kind(keyword + "-changed"), Reason: fmt.Sprintf("%d more branches may match", len(added))})
		}
	case len(removed) > 0 || len(added) > 0 || len(old) != len(new):
		c.tighten(p, keyword, Change{Kind: Kind(keyword + "-changed"), Reason: "values that matched the old branches may be rejected"})
	}
}

func (c *comparer) not(p nodePair) bool {
	switch {
	case p.new.Not == nil:
		c.loosen(p, "not", Change{Kind: "not-removed", Reason: "values that were rejected are accepted"})
	case p.old.Not == nil:
		c.tighten(p, "not", Change{Kind: "not-added", Reason: "values that match it are rejected"})
	default:
		c.tighten(p, "not", Change{Kind: "not-changed", Reason: "different values are rejected"})
	}
	return true
}
