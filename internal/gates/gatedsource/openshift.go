package gatedsource

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
)

// This file has the conditions of OpenShift's markers with gates.

// openShift are OpenShift's markers at a declaration: those by which it exists, rules, and others
// that validate.
type openShift struct{ existing, rules, others []markers.GatedMarker }

// OpenShift returns OpenShift's markers with gates among the comments of a declaration, and what is
// wrong with others.
func (r *Reader) OpenShift(comments []markers.Comment,
	target markers.Target) (found []markers.GatedMarker, wrong []Problem) {
	for _, c := range comments {
		if !strings.HasPrefix(c.Text, "+openshift:") {
			continue
		}
		m, err := r.Table.Parse(c, target)
		if err != nil {
			wrong = append(wrong, Problem{Comment: c, Msg: err.Error(), Err: err})
			continue
		}
		switch g, problem, ok := markers.AsGated(m); {
		case !ok:
		case problem != "":
			wrong = append(wrong, Problem{Comment: c, Name: "+" + m.Name, Msg: problem})
		default:
			found = append(found, g)
		}
	}
	return found, wrong
}

// openShift returns OpenShift's markers at a declaration.
func (f *File) openShift(d Decl) (found openShift) {
	if !f.gated {
		return found
	}
	all, wrong := f.reader.OpenShift(d.Comments, d.Target)
	for _, w := range wrong {
		f.isWrong(w)
	}
	for _, g := range all {
		switch g.Name {
		case markers.FeatureGateName:
			found.existing = append(found.existing, g)
		case markers.FeatureGateXValidationName:
			found.rules = append(found.rules, g)
		default:
			found.others = append(found.others, g)
		}
	}
	return found
}

// rule returns the condition of the rule with an index. The empty name is taken for on.
func (o openShift) rule(i int) gates.Condition {
	return o.rules[i].RuleCondition(slices.Delete(slices.Clone(o.rules), i, i+1)).With(gates.Base, true)
}

// useOpenShift adds what depends on OpenShift's markers at a declaration, and reports whether the
// declaration itself does. What only has the empty name is the base of the others.
func (f *File) useOpenShift(d Decl) (exists bool) {
	found := f.openShift(d)
	add := func(g markers.GatedMarker, kind Kind, condition gates.Condition) {
		u := f.at(d)
		u.Kind = kind
		u.Condition = condition
		u.Pos = f.fset.Position(g.Pos)
		if kind == Marker {
			u.Text = g.Plain()
			u.Slots = f.reader.Table.Slots(g.Comment, d.Target)
			u.Required = g.Required()
		}
		if len(condition.Names()) > 0 {
			f.Uses = append(f.Uses, u)
		}
	}
	if len(found.existing) > 0 {
		add(found.existing[0], Declaration, markers.AnyGated(found.existing))
	}
	for _, g := range found.others {
		add(g, Marker, g.Condition)
	}
	for i, g := range found.rules {
		add(g, Marker, found.rule(i))
	}
	return len(found.existing) > 0
}

// openShift applies the gate to OpenShift's markers at a declaration, and reports whether the
// declaration exists. It adds markers whose condition always holds to always.
func (w *writer) openShift(d Decl, always map[string]string) (exists bool) {
	found := w.File.openShift(d)
	if condition := markers.AnyGated(found.existing); w.uses(condition) {
		if _, holds, constant := w.assume(condition); constant && !holds {
			w.removed = append(w.removed, w.removeLines(d.From, d.To))
			return false
		}
		for _, g := range found.existing {
			w.list(g, w.on, false)
		}
	}
	gone := w.replaced(found.others)
	for i, g := range found.others {
		switch {
		case gone[i] && g.Base:
			w.setGates(g, []string{gates.Base})
		case gone[i]:
			w.removeMarker(g.Comment)
		case w.uses(g.Condition):
			w.validates(g, w.reader.Table.Slots(g.Comment, d.Target), always)
		}
	}
	w.rules(found, always)
	return true
}

// list takes the gate out of the list of a marker, and the empty name, too, if withoutBase is set.
// If nothing is left of the list, or the gate decides that nothing depends on it any more, the
// marker is removed.
func (w *writer) list(g markers.GatedMarker, decides, withoutBase bool) {
	var names []string
	for _, all := range g.Alternatives() {
		for _, name := range all {
			if name != w.gate && !(withoutBase && name == gates.Base) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 || decides {
		w.removeMarker(g.Comment)
		return
	}
	w.setGates(g, names)
}

func (w *writer) setGates(g markers.GatedMarker, names []string) {
	text, start, end := g.WithGates(names)
	w.replace(g.PosAt(start), g.PosAt(end), text)
}

// validates applies the gate to a marker that sets the slots, and whose condition has the gate.
func (w *writer) validates(g markers.GatedMarker, slots []string, always map[string]string) {
	_, holds, constant := w.assume(g.Condition)
	if !constant || !holds {
		w.list(g, constant && !g.Base, false)
		return
	}
	text, ok := g.Ungated()
	if !ok {
		w.fail(g.Pos, "write the marker on one line", "it would have no gates, and has several lines")
		return
	}
	for _, slot := range slots {
		switch first, known := always[slot]; {
		case !known:
			always[slot] = text
		case first == text:
			w.removeMarker(g.Comment)
			return
		default:
			w.fail(g.Pos, "make the conditions exclude each other", "%s and %s would both hold", first, text)
		}
	}
	w.replace(g.Pos, g.End(), text)
}

// replaced returns which of the markers are always replaced by another one that required more
// gates, now that the gate is not required any more.
func (w *writer) replaced(all []markers.GatedMarker) []bool {
	gone := make([]bool, len(all))
	for i, a := range all {
		for _, b := range all {
			if !w.on || a.Name != b.Name || a.Required() >= b.Required() || !b.Condition.Implies(a.Condition) ||
				!w.uses(b.Condition) {
				continue
			}
			assumed := a.Condition.With(w.gate, w.on)
			rest := b.Condition.With(w.gate, w.on)
			left := a.Required()
			if w.uses(a.Condition) {
				left--
			}
			_, always := assumed.Constant()
			switch {
			case always, left < b.Required()-1 && rest.Implies(assumed): // it is replaced as before
			case assumed.Implies(rest):
				gone[i] = true
			default:
				w.fail(a.Pos, "make the conditions exclude each other", "%s and %s would both hold", a.Plain(), b.Plain())
			}
		}
	}
	return gone
}

// replaceBase removes a marker in whose place there is another one. Of one of OpenShift's, that is
// the empty name.
func (w *writer) replaceBase(c markers.Comment, target markers.Target) {
	m, err := w.reader.Table.Parse(c, target)
	switch g, _, ok := markers.AsGated(m); {
	case err != nil || !ok || !w.gated:
		w.removeMarker(c)
	case g.Base && !w.uses(g.Condition):
		w.list(g, false, true)
	}
}

// rules applies the gate to rules. One with the empty name holds where no other one does, and one
// that is there for two reasons is there once.
func (w *writer) rules(found openShift, always map[string]string) {
	var certain []string // rules that always hold
	for _, g := range found.rules {
		if _, holds, constant := w.assume(g.Condition); constant && holds && w.uses(g.Condition) {
			certain = append(certain, g.Plain())
		}
	}
	for i, g := range found.rules {
		uses := w.uses(g.Condition)
		_, holds, constant := w.assume(g.Condition)
		others := markers.AnyGated(slices.Delete(slices.Clone(found.rules), i, i+1))
		_, otherHolds, otherAlways := w.assume(others)
		never := g.Base && otherAlways && otherHolds && w.uses(others) // what the empty name stands for
		switch {
		case uses && constant && holds:
			w.validates(g, []string{g.Plain()}, always)
		case slices.Contains(certain, g.Plain()):
			w.removeMarker(g.Comment)
		case never:
			w.list(g, constant, true)
		case uses:
			w.list(g, constant && !g.Base, false)
		}
	}
}
