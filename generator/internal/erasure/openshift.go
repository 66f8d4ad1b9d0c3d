package erasure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/internal/gates"
	"github.com/schemagen/schemagen/markers"
)

// This file turns OpenShift's markers into conditions: +openshift:enable:FeatureGate into that of
// its declaration, and a marker that validates into one that is conditional. What is left of the
// latter holds.

// gated is one of OpenShift's markers, with its gates.
type gated struct {
	*markers.Marker
	value markers.Gated
	// condition is that of the gates, and base is set if they have the empty name.
	condition gates.Condition
	base      bool
}

// openShift applies the conditions of OpenShift's markers at one declaration with a name, and
// returns that of the declaration itself, if any. It calls add for each marker that is
// conditional.
func (p *pass) openShift(comments []markers.Comment, target markers.Target, name string, add func(a alternative, holds bool)) (bare []bareCondition) {
	var existing, rules, others []gated
	for _, c := range comments {
		if !strings.HasPrefix(c.Text, "+openshift:") || !p.reads(p.file.Pkg, markers.FeatureOpenShift) {
			continue
		}
		g, ok := p.gated(c, target)
		if ok {
			p.note(g, name)
		}
		switch {
		case !ok, p.Whole && (target != markers.Type || g.Name != markers.FeatureGateName):
		case g.Name == markers.FeatureGateName:
			existing = append(existing, g)
			p.lines[c.Pos] = line{removed: true}
		case g.Name == markers.FeatureGateXValidationName:
			rules = append(rules, g)
		case g.base && !p.holds(g.condition) && p.holds(gates.Name(gates.Base)):
			// It is the base, which alternatives replace.
		default:
			others = append(others, g)
		}
	}
	slices.SortStableFunc(others, func(a, b gated) int { return b.required() - a.required() })
	for _, g := range others {
		p.validates(g, p.Table.Slots(g.Comment, target), add)
	}
	if len(existing) > 0 {
		condition := anyOf(existing)
		holds := p.holds(condition)
		if target == markers.Type && p.Kinds != nil {
			holds = condition.Holds(p.Kinds)
		}
		bare = append(bare, bareCondition{existing[0].Marker, condition, holds})
	}
	for i, g := range rules {
		if others := slices.Delete(slices.Clone(rules), i, i+1); g.base && len(others) > 0 {
			g.condition = gates.Or(g.condition, gates.And(gates.Name(gates.Base), gates.Not(anyOf(others))))
		} else if g.base {
			g.condition = gates.Or(g.condition, gates.Name(gates.Base))
		}
		p.validates(g, []string{g.value.Plain()}, add)
	}
	return bare
}

// note notes a marker at a declaration with a name.
func (p *pass) note(g gated, name string) {
	typeName, _, isField := strings.Cut(name, ".")
	if p.file.Gated == nil {
		p.file.Gated = map[string][]source.Gated{}
	}
	p.file.Gated[typeName] = append(p.file.Gated[typeName], source.Gated{
		Pos: g.Pos, Gates: g.value.Alternatives(), Exists: !isField && g.Name == markers.FeatureGateName,
	})
	if p.Whole { // what the gates of a run decide is each of them
		p.holds(gates.Name(gates.Base))
		for _, gate := range g.condition.Names() {
			p.holds(gates.Name(gate))
		}
	}
}

// gated returns a comment as one of OpenShift's markers with gates. ok is false if it is none, or
// if it was reported.
func (p *pass) gated(c markers.Comment, target markers.Target) (g gated, ok bool) {
	c.Text = p.Corrected(c)
	m, err := p.Table.Parse(c, target)
	if err != nil {
		p.Reporter.MarkerArguments(p.file.Pkg, c, err)
		p.lines[c.Pos] = line{removed: true}
		return g, false
	}
	if m != nil {
		g.value, ok = m.Value.(markers.Gated)
	}
	if !ok {
		return g, false
	}
	g.Marker = m
	var conditions []gates.Condition
	for _, names := range g.value.Alternatives() {
		if names[0] == gates.Base {
			g.base = true
			names = names[1:]
		}
		if len(names) > 0 {
			conditions = append(conditions, gates.And(namesOf(names)...))
		}
	}
	g.condition = gates.Or(conditions...)
	if problem := g.problem(); problem != "" {
		p.lines[c.Pos] = line{removed: true}
		d := p.Reporter.Report(report.InvalidCondition, p.file.Pkg.At(c.Pos), "", "+%s: %s", m.Name, problem)
		p.Reporter.Delimit(d, c.End(), nil)
		return g, false
	}
	p.known(c, g.condition)
	return g, true
}

// problem returns why the gates of a marker have no meaning, or nothing.
func (g gated) problem() string {
	names := len(g.condition.Names())
	switch {
	case names == 0 && !g.base:
		return "a gate is missing"
	case names > gates.MaxNames:
		return fmt.Sprintf("it has more than %d gates", gates.MaxNames)
	case g.base && g.Name == markers.FeatureGateName:
		return "the empty name is for markers that validate"
	}
	return ""
}

// required returns the number of gates that the marker requires together.
func (g gated) required() int { return len(g.value.Alternatives()[0]) }

// validates applies the condition of a marker that sets the slots.
func (p *pass) validates(g gated, slots []string, add func(a alternative, holds bool)) {
	holds := p.holds(g.condition)
	p.lines[g.Pos] = line{removed: !holds, comment: g.Comment}
	add(alternative{g.Comment, g.Comment, g.value.Plain(), slots, g.condition, g.required()}, holds)
}

// namesOf returns the conditions that gates are on.
func namesOf(names []string) (out []gates.Condition) {
	for _, name := range names {
		out = append(out, gates.Name(name))
	}
	return out
}

// anyOf returns the condition that that of one of the markers holds.
func anyOf(all []gated) gates.Condition {
	var conditions []gates.Condition
	for _, g := range all {
		conditions = append(conditions, g.condition)
	}
	return gates.Or(conditions...)
}
