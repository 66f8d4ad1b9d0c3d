package erasure

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file turns OpenShift's markers into conditions: +openshift:enable:FeatureGate into the
// condition of its declaration, and a marker that validates into a conditional one. What is left of
// the latter holds.

// openShift applies the conditions of OpenShift's markers at one declaration with a name, and
// returns that of the declaration itself, if any. It calls add for each marker that is
// conditional.
func (p *pass) openShift(comments []markers.Comment, target markers.Target, name string,
	add func(a alternative, holds bool)) (bare []bareCondition) {
	var existing, rules, others []markers.GatedMarker
	isGated := func(c markers.Comment) bool { return strings.HasPrefix(c.Text, "+openshift:") }
	if !slices.ContainsFunc(comments, isGated) || !p.reads(p.file.Pkg, markers.FeatureOpenShift) {
		return nil
	}
	found, wrong := p.reader(p.file.Pkg).OpenShift(comments, target)
	for _, w := range wrong {
		p.report(w)
		p.lines[w.Comment.Pos] = line{removed: true}
	}
	for _, g := range found {
		p.known(g.Comment, g.Condition)
		p.note(g, name)
		switch {
		case p.Whole && (target != markers.Type || g.Name != markers.FeatureGateName):
		case g.Name == markers.FeatureGateName:
			existing = append(existing, g)
			p.lines[g.Pos] = line{removed: true}
		case g.Name == markers.FeatureGateXValidationName:
			rules = append(rules, g)
		case g.Base && !p.holds(g.Condition) && p.holds(gates.Name(gates.Base)):
			// The marker without a gate is left out: those with gates replace it.
		default:
			others = append(others, g)
		}
	}
	slices.SortStableFunc(others, func(a, b markers.GatedMarker) int { return b.Required() - a.Required() })
	for _, g := range others {
		p.validates(g, g.Condition, p.Table.Slots(g.Comment, target), add)
	}
	if len(existing) > 0 {
		condition := markers.AnyGated(existing)
		holds := p.holds(condition)
		if target == markers.Type && p.Kinds != nil {
			holds = condition.Holds(p.Kinds)
		}
		bare = append(bare, bareCondition{existing[0].Comment, condition, holds})
	}
	for i, g := range rules {
		others := slices.Delete(slices.Clone(rules), i, i+1)
		p.validates(g, g.RuleCondition(others), []string{g.Plain()}, add)
	}
	return bare
}

// note notes a marker at a declaration with a name.
func (p *pass) note(g markers.GatedMarker, name string) {
	typeName, _, isField := strings.Cut(name, ".")
	if p.file.Gated == nil {
		p.file.Gated = map[string][]source.Gated{}
	}
	p.file.Gated[typeName] = append(p.file.Gated[typeName], source.Gated{
		Pos: g.Pos, Gates: g.Alternatives(), Exists: !isField && g.Name == markers.FeatureGateName,
	})
	if p.Whole { // what the gates of a run decide is each of them
		p.holds(gates.Name(gates.Base))
		for _, gate := range g.Condition.Names() {
			p.holds(gates.Name(gate))
		}
	}
}

// validates applies the condition of a marker that sets the slots.
func (p *pass) validates(g markers.GatedMarker, condition gates.Condition, slots []string,
	add func(a alternative, holds bool)) {
	holds := p.holds(condition)
	p.lines[g.Pos] = line{removed: !holds, comment: g.Comment}
	add(alternative{g.Comment, g.Comment, g.Plain(), slots, condition, g.Required()}, holds)
}
