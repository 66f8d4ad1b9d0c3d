package erasure

import (
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// alternative is a marker of a declaration whose condition holds.
type alternative struct {
	written markers.Comment
	marker  markers.Comment // without the condition
	// says is what the marker does: two that say the same count once. slots are what it sets.
	says      string
	slots     []string
	condition gates.Condition
	// gates is the number of gates that one of OpenShift's markers requires; 0 for others. A marker
	// replaces the markers that only require some of its gates.
	gates int
}

// declaration applies the conditions of the markers of one declaration with a name, and returns
// those conditions that apply to the declaration itself.
func (p *pass) declaration(comments []markers.Comment, target markers.Target, name string) (bare []bareCondition) {
	set := map[string]alternative{} // by slot
	var disagree []disagreement
	var conditional []alternative
	var plain []markers.Comment
	add := func(a alternative, holds bool) {
		conditional = append(conditional, a)
		p.record(source.Erased{Condition: a.condition.String(), Pos: a.marker.Pos,
			Comments: []markers.Comment{a.marker}}, holds)
		if holds {
			disagree = append(disagree, p.alternative(set, a)...)
		}
	}
	comments = slices.Clone(comments)
	for i, c := range comments {
		comments[i].Text = p.Corrected(c)
	}
	bare = p.openShift(comments, target, name, add)
	for _, c := range comments {
		if _, done := p.lines[c.Pos]; done {
			continue
		}
		if !p.isConditional(c) {
			plain = append(plain, c)
			continue
		}
		l, condition, m := p.line(c, target, false)
		if m != nil {
			bare = append(bare, bareCondition{m, condition, p.holds(condition)})
			continue
		}
		p.lines[c.Pos] = l
		if !l.comment.Pos.IsValid() {
			continue // it was reported
		}
		add(alternative{c, l.comment, l.comment.Text, p.Table.Slots(l.comment, target), condition, 0}, !l.removed)
	}
	p.needless(bare, conditional, plain, target)
	if !slices.ContainsFunc(bare, func(d bareCondition) bool { return !d.holds }) {
		p.disagreements = append(p.disagreements, disagree...)
	}
	if len(set) == 0 {
		return bare
	}
	for _, c := range plain {
		slots := p.Table.Slots(c, target)
		replaced := func(slot string) bool { _, ok := set[slot]; return ok }
		if len(slots) > 0 && !slices.ContainsFunc(slots, func(slot string) bool { return !replaced(slot) }) {
			p.lines[c.Pos] = line{removed: true}
		}
	}
	return bare
}

// isConditional reports whether a marker may have conditions.
func (p *pass) isConditional(c markers.Comment) bool {
	return strings.Contains(c.Text, "+"+markers.WhenName) || markers.IsConditional(c.Text) && p.reads(p.file.Pkg, markers.FeatureK8s)
}

// disagreement is two markers of a declaration that set the same differently, and both hold.
type disagreement struct {
	file         *source.File
	first, other alternative
}

// alternative adds a marker to those of its slots, and returns the disagreement with one of them,
// if any.
func (p *pass) alternative(set map[string]alternative, a alternative) []disagreement {
	for _, slot := range a.slots {
		first, ok := set[slot]
		switch {
		case !ok:
			set[slot] = a
		case first.says == a.says, 0 < a.gates && a.gates < first.gates && first.condition.Implies(a.condition):
			p.lines[a.written.Pos] = line{removed: true}
		default:
			return []disagreement{{p.file, first, a}}
		}
	}
	return nil
}

// ReportDisagreements reports the markers of declarations that set the same differently though
// both of their conditions hold, for the declarations that are needed.
func (e *Eraser) ReportDisagreements(needed func(f *source.File, pos token.Pos) bool) {
	for _, d := range e.disagreements {
		if !needed(d.file, d.other.marker.Pos) {
			continue
		}
		found := e.Reporter.Report(report.AlternativesDisagree, d.file.Pkg.At(d.other.marker.Pos), "make the conditions exclude each other",
			"%s by %s, and %s by %s: both conditions hold", d.first.says, d.first.condition, d.other.says, d.other.condition)
		found.Related = []diag.Related{{Pos: e.Reporter.Position(d.first.marker.Pos), Message: "the other marker"}}
		e.Reporter.Delimit(found, d.other.marker.End(), nil)
	}
}

// line returns what becomes of a marker with conditions, and their conjunction. If the marker
// is a condition of what it describes, it returns that marker instead. nested is set behind
// another marker that has a path.
func (p *pass) line(c markers.Comment, target markers.Target,
	nested bool) (l line, condition gates.Condition, bare *markers.Marker) {
	unchanged := line{comment: c}
	m, err := p.Table.Parse(c, target)
	if err != nil {
		p.Reporter.MarkerArguments(p.file.Pkg, c, err)
		return line{removed: true}, condition, nil
	}
	if m == nil {
		return unchanged, condition, nil // reported by lint
	}
	inner, ok := m.Inner()
	if when, isWhen := m.Value.(markers.When); isWhen &&
		(m.Name == markers.WhenName || p.reads(p.file.Pkg, markers.FeatureK8s)) {
		p.known(c, when.Condition)
		if !ok {
			return unchanged, when.Condition, m
		}
		if !p.permitted(inner) {
			return line{removed: true}, condition, nil
		}
		if p.wrong(inner, target, nested) {
			return line{removed: true}, condition, nil
		}
		l, condition, _ := p.line(inner, target, nested)
		condition = gates.And(when.Condition, condition)
		return line{l.removed || !p.holds(when.Condition), l.comment}, condition, nil
	}
	_, isTag := m.Value.(markers.Declarative)
	if !ok || !isTag && m.Name != markers.AtName && m.Name != markers.TypeName {
		return unchanged, condition, nil
	}
	l, condition, bare = p.line(inner, markers.Field, true)
	switch {
	case isTag && bare != nil:
		return unchanged, gates.Condition{}, nil // the reader of tags reports it
	case bare != nil && m.Name == markers.TypeName:
		p.notConditional(inner, "a type of another module", "")
		return line{removed: true}, condition, nil
	case bare != nil && p.holds(condition):
		return line{removed: true}, condition, nil
	case bare != nil:
		p.record(source.Erased{Condition: condition.String(), Pos: inner.Pos}, false)
		l.comment = inner
		l.comment.Text = "+" + markers.OmitName
	case l.removed:
		return l, condition, nil
	}
	return line{comment: m.Replaced(l.comment)}, condition, nil
}

// permitted reports whether a marker may be conditional. It reports one that may not.
func (p *pass) permitted(c markers.Comment) bool {
	if name, ok := markers.Ungated(c.Text); ok {
		hint := "write it without a condition"
		if name == markers.AllowChangeName {
			hint = "write it without a condition: it allows what the marker or field that depends on the gate changes"
		}
		p.notConditional(c, "+"+name, hint)
		return false
	}
	if m, err := p.Table.Parse(c, markers.Type); err == nil && m != nil {
		if _, inner := m.Inner(); m.Name == markers.WhenName && !inner {
			p.notConditional(c, "a condition without a marker", "join the conditions with && in one +"+markers.WhenName)
			return false
		}
	}
	return true
}

func (p *pass) notConditional(c markers.Comment, what, hint string) {
	d := p.Reporter.Report(report.NotConditional, p.file.Pkg.At(c.Pos), hint, "%s cannot be conditional", what)
	p.Reporter.Delimit(d, c.End(), nil)
}

// wrong parses a marker behind a condition, which is checked also where the condition does not
// hold, and reports whether it is malformed.
func (p *pass) wrong(c markers.Comment, target markers.Target, nested bool) bool {
	targets := []markers.Target{target}
	if nested {
		targets = []markers.Target{markers.Field, markers.Type}
	}
	for _, t := range targets {
		def := p.Table.Lookup(c.Text, t)
		if def == nil || def.Feature() != "" || def.Name == markers.WhenName {
			continue // lint reports unknown markers; nested conditions are parsed later
		}
		if _, err := p.Table.ParseAs(def, c); err != nil {
			p.Reporter.MarkerArguments(p.file.Pkg, c, err)
			return true
		}
		return false
	}
	return false
}
