package compare

import (
	"fmt"

	"github.com/schemagen/schemagen/structural"
)

func (c *schemas) allOf(p place) bool {
	for range without(p.new.AllOf, p.old.AllOf) {
		c.tighten(p, "allOf", Change{Kind: "allOf-added", Reason: "values that do not fulfil the further condition are refused"})
	}
	for range without(p.old.AllOf, p.new.AllOf) {
		c.loosen(p, "allOf", Change{Kind: "allOf-removed", Reason: "a condition less has to be fulfilled"})
	}
	// The order of conditions means nothing.
	return true
}

func (c *schemas) anyOf(p place) bool {
	c.branches(p, "anyOf", p.old.AnyOf, p.new.AnyOf, true)
	return true
}

func (c *schemas) oneOf(p place) bool {
	c.branches(p, "oneOf", p.old.OneOf, p.new.OneOf, false)
	return true
}

// branches compares alternatives. One more is harmless if any may hold, but not if
// exactly one must.
func (c *schemas) branches(p place, keyword string, old, new []structural.NestedValueValidation, any bool) {
	gone, more := without(old, new), without(new, old)
	switch {
	case len(new) == 0:
		c.loosen(p, keyword, Change{Kind: Kind(keyword + "-removed"), Reason: "no branch has to hold any more"})
	case len(old) == 0:
		c.tighten(p, keyword, Change{Kind: Kind(keyword + "-added"), Reason: "values for which no branch holds are refused"})
	case any && len(gone) == 0:
		if len(more) > 0 {
			c.loosen(p, keyword, Change{Kind: Kind(keyword + "-changed"), Reason: fmt.Sprintf("%d more branches may hold", len(more))})
		}
	case len(gone) > 0 || len(more) > 0 || len(old) != len(new):
		c.tighten(p, keyword, Change{Kind: Kind(keyword + "-changed"), Reason: "values that fulfilled the branches of before may be refused"})
	}
}

func (c *schemas) not(p place) bool {
	switch {
	case p.new.Not == nil:
		c.loosen(p, "not", Change{Kind: "not-removed", Reason: "what was excluded is accepted"})
	case p.old.Not == nil:
		c.tighten(p, "not", Change{Kind: "not-added", Reason: "values that fulfil the condition are refused"})
	default:
		c.tighten(p, "not", Change{Kind: "not-changed", Reason: "other values than before are excluded"})
	}
	return true
}
