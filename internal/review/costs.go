package review

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
)

// Cost is the estimated cost of the CEL rules of a version.
type Cost struct {
	Version string
	// Before and After are shares of what the API server allows for a schema: 1 is all of it.
	Before float64
	After  float64
	// Rules are those whose cost changed, most expensive first.
	Rules []RuleCost
}

// RuleCost is the cost of a rule, as a share of what the API server allows for one; nil if there
// is no such rule.
type RuleCost struct {
	Field  string
	Rule   string
	Before *float64
	After  *float64
}

// most returns the larger share.
func (c RuleCost) most() float64 {
	var shares []float64
	for _, share := range []*float64{c.Before, c.After} {
		if share != nil {
			shares = append(shares, *share)
		}
	}
	return slices.Max(shares)
}

// costs returns the costs of the rules of the versions that have any.
func (input *Input) costs(ctx context.Context, old, new *crd.Definition, oldNodes, current []*node) (out []Cost, err error) {
	type key struct{ version, field, rule string }
	rules := map[key]*RuleCost{}
	var keys []key
	var versions []string
	totals := map[string]*Cost{}
	read := func(d *crd.Definition, nodes []*node, isNew bool) error {
		if d == nil {
			return nil
		}
		fields := map[string]string{}
		for _, n := range nodes {
			if len(n.schema.XValidations) > 0 {
				fields[n.path()] = cmp.Or(n.field(), ".")
			}
		}
		if len(fields) == 0 {
			return nil
		}
		found, err := input.Server.Rules(ctx, d)
		if err != nil {
			return err
		}
		for _, r := range found {
			total := totals[r.Version]
			if total == nil {
				total = &Cost{Version: r.Version, Rules: []RuleCost{}}
				totals[r.Version] = total
				versions = append(versions, r.Version)
			}
			path, _, _ := strings.Cut(r.Path, ".x-kubernetes-validations")
			k := key{r.Version, fields[path], r.Text}
			if rules[k] == nil {
				rules[k] = &RuleCost{Field: k.field, Rule: r.Text}
				keys = append(keys, k)
			}
			share := r.RuleShare()
			if isNew {
				total.After = total.After + r.SchemaShare()
				rules[k].After = &share
			} else {
				total.Before = total.Before + r.SchemaShare()
				rules[k].Before = &share
			}
		}
		return nil
	}
	if err := cmp.Or(read(new, current, true), read(old, oldNodes, false)); err != nil {
		return nil, err
	}
	for _, k := range keys {
		if r := rules[k]; r.Before == nil || r.After == nil || *r.Before != *r.After {
			totals[k.version].Rules = append(totals[k.version].Rules, *r)
		}
	}
	for _, version := range versions {
		c := totals[version]
		slices.SortStableFunc(c.Rules, func(a, b RuleCost) int { return cmp.Compare(b.most(), a.most()) })
		out = append(out, *c)
	}
	return out, nil
}
