package unions

import (
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
)

// oneOfBranches returns the branches of the oneOf form, of which exactly one matches.
func oneOfBranches(u *Union) []structural.NestedValueValidation {
	if u.Discriminator == "" {
		return countBranches(u)
	}
	var out []structural.NestedValueValidation
	for _, value := range u.Values {
		var required, others []string
		if value.Name != "" {
			required = append(required, u.Discriminator)
		}
		for _, m := range u.Members {
			switch {
			case m.Value != value.Name:
				others = append(others, m.Name)
			case !m.Optional:
				required = append(required, m.Name)
			}
		}
		branch := branchOf(u, required, others)
		branch.Properties = []structural.NestedProperty{{
			Name: u.Discriminator,
			Schema: &structural.NestedValueValidation{
				ValueValidation: structural.ValueValidation{Enum: []structural.JSON{literal(value.Name)}},
				Origin:          structural.Origin{Pos: u.Pos},
			},
		}}
		out = append(out, branch)
	}
	// If "" is a value, its branch covers an absent discriminator. Otherwise absence
	// needs a branch of its own.
	if u.MayBeAbsent() && !u.HasValue("") {
		absent := []string{u.Discriminator}
		for _, m := range u.Members {
			absent = append(absent, m.Name)
		}
		out = append(out, branchOf(u, nil, absent))
	}
	return out
}

// countBranches returns one branch for each member of an undiscriminated union,
// which requires that exactly one matches.
func countBranches(u *Union) []structural.NestedValueValidation {
	var out []structural.NestedValueValidation
	var all []string
	for _, m := range u.Members {
		out = append(out, branchOf(u, []string{m.Name}, nil))
		all = append(all, m.Name)
	}
	if u.AtMostOne {
		out = append(out, branchOf(u, nil, all))
	}
	return out
}

// branchOf requires and forbids fields. There is no "not" if nothing is forbidden:
// an empty anyOf would reject everything.
func branchOf(u *Union, required, forbidden []string) structural.NestedValueValidation {
	origin := structural.Origin{Pos: u.Pos}
	out := structural.NestedValueValidation{
		ValueValidation: structural.ValueValidation{Required: required}, Origin: origin,
	}
	if len(forbidden) > 0 {
		not := &structural.NestedValueValidation{Origin: origin}
		for _, name := range forbidden {
			not.AnyOf = append(not.AnyOf, structural.NestedValueValidation{
				ValueValidation: structural.ValueValidation{Required: []string{name}}, Origin: origin,
			})
		}
		out.Not = not
	}
	return out
}

// literal returns text as a JSON string.
func literal(text string) structural.JSON {
	return structural.JSON{Raw: plainjson.AppendText(nil, text)}
}

// enumOf returns the values of the discriminator as JSON, in order.
func enumOf(u *Union) []structural.JSON {
	var out []structural.JSON
	for _, v := range u.Values {
		out = append(out, literal(v.Name))
	}
	return out
}
