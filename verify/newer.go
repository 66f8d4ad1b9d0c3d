package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// globalMatches matches the call matches(string, pattern), whose cost servers before 1.37
// did not estimate.
var globalMatches = lazyregexp.New(`(?:^|[^.\w])\s*matches\s*\(`)

// newerCosts adds a note about rules that the target accepts and a newer server rejects
// because it estimates a higher cost.
func (c *checks) newerCosts(ctx context.Context) error {
	var suspects []apiserver.Rule
	for _, rule := range c.rules {
		text := rule.Text + "\n" + rule.MessageText
		if strings.Contains(text, "matches") && globalMatches().MatchString(text) && rule.RuleShare() <= 1 {
			suspects = append(suspects, rule)
		}
	}
	newest := apiserver.Versions()[0]
	if len(suspects) == 0 || c.target.Version() == newest {
		return nil
	}
	target, err := c.newest()
	if err != nil {
		return err
	}
	c.complete()
	rules, err := target.Rules(ctx, c.CRD)
	if err != nil {
		return fmt.Errorf("verify %s: %w", c.CRD.Name, err)
	}
	var note *result
	for _, rule := range rules {
		was := false
		for _, s := range suspects {
			was = was || s.Path == rule.Path
		}
		switch {
		case !was || rule.RuleShare() <= 1:
		case note == nil:
			note = c.add(rejectedByNewer, rule.Path+".rule", CostText(rule),
				"Kubernetes %s rejects this rule, which Kubernetes %s accepts: it estimates the cost of matches(string, pattern)", newest, c.target.Version())
		default:
			note.More = append(note.More, rule.Path+".rule")
		}
	}
	return nil
}

// FoldNotes merges notes that are reported once per run into the first of them; the
// positions of the rest become related positions.
func FoldNotes(list diag.List) diag.List {
	var out diag.List
	first := -1
	for _, d := range list {
		if d.Code != rejectedByNewer.Code {
			out = append(out, d)
			continue
		}
		if first < 0 {
			first = len(out)
			out = append(out, d)
			continue
		}
		related := append([]diag.Related{{Pos: d.Pos, Message: "also here"}}, d.Related...)
		out[first].Related = append(out[first].Related, related...)
	}
	return out
}
