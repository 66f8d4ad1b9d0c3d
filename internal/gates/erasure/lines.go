package erasure

import (
	"go/token"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/gates/gatedsource"
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
	reader := p.reader(p.file.Pkg)
	for _, comment := range comments {
		if _, done := p.lines[comment.Pos]; done {
			continue
		}
		found := reader.Read(comment, target)
		all := found.All()
		for _, w := range all {
			p.known(w.Marker, w.Condition)
		}
		switch {
		case found.Wrong != nil:
			p.report(*found.Wrong)
			p.lines[comment.Pos] = line{removed: true}
		case len(all) == 0:
			plain = append(plain, comment)
		case found.Declares != nil:
			bare = append(bare, bareCondition{comment, found.Declares.Condition, p.holds(found.Declares.Condition)})
		case found.Omits != nil && p.holds(found.Omits.Condition):
			p.lines[comment.Pos] = line{removed: true}
		default:
			holds := p.holds(gatedsource.Condition(found.Whens))
			if found.Omits != nil && holds {
				p.record(source.Erased{Condition: found.Omits.Condition.String(), Pos: found.Omits.Marker.Pos}, false)
			}
			p.lines[comment.Pos] = line{removed: !holds, comment: found.Plain}
			slots := p.Table.Slots(found.Plain, target)
			add(alternative{comment, found.Plain, found.Plain.Text, slots, gatedsource.Condition(all), 0}, holds)
		}
	}
	p.needless(bare, conditional, plain, target)
	if !slices.ContainsFunc(bare, func(d bareCondition) bool { return !d.holds }) {
		p.disagreements = append(p.disagreements, disagree...)
	}
	if len(set) == 0 {
		return bare
	}
	for _, c := range plain {
		if gatedsource.IsReplaced(p.Table.Slots(c, target), set) {
			p.lines[c.Pos] = line{removed: true}
		}
	}
	return bare
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
