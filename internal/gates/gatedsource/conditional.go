package gatedsource

import (
	"go/token"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
)

// when is a condition in a marker.
type when struct {
	condition gates.Condition
	// from and to are where its text is in the parentheses.
	from, to token.Pos
	// marker is where the +schemagen:when begins, and inner where the marker behind it does.
	marker, inner token.Pos
}

// conditional is a marker with its conditions.
type conditional struct {
	written markers.Comment
	// plain is the marker without its conditions, at the positions of the source, and text its
	// text for people.
	plain markers.Comment
	text  string
	whens []when
	// bare is set if the last condition is for the declaration, or for the field at a path: then it
	// is omitted, not one of whens.
	bare    bool
	omitted *when
}

// conjunction returns what the marker depends on.
func (c conditional) conjunction() gates.Condition {
	conditions := make([]gates.Condition, len(c.whens))
	for i, w := range c.whens {
		conditions[i] = w.condition
	}
	return gates.And(conditions...)
}

// conditional finds the conditions of a marker. One that is malformed has none.
func (f *File) conditional(c markers.Comment, target markers.Target) conditional {
	out := conditional{written: c, plain: c, text: c.Text}
	if !markers.IsConditional(c.Text) {
		return out
	}
	m, err := f.table.Parse(c, target)
	if err != nil {
		f.isWrong(c, err.Error())
	}
	if m == nil || err != nil {
		return out
	}
	offset, ok := m.InnerOffset()
	inner, _ := m.Inner()
	if value, isWhen := m.Value.(markers.When); isWhen && (f.tags || m.Name == markers.WhenName) {
		w := when{condition: value.Condition, marker: c.Pos, from: c.PosAt(len("+" + m.Name + "("))}
		if !ok {
			w.to = c.PosAt(len(c.Text) - 1)
			out.whens = []when{w}
			out.bare = true
			return out
		}
		w.to = c.PosAt(offset - 2)
		w.inner = inner.Pos
		rest := f.conditional(inner, target)
		if rest.bare && rest.omitted == nil {
			f.isWrong(inner, "a condition without a marker cannot be conditional")
			return out
		}
		out.plain = rest.plain
		out.text = rest.text
		out.whens = append([]when{w}, rest.whens...)
		out.bare = rest.bare
		out.omitted = rest.omitted
		return out
	}
	_, isTag := m.Value.(markers.Declarative)
	if !ok || !isTag && m.Name != markers.AtName && m.Name != markers.TypeName {
		return out
	}
	rest := f.conditional(inner, markers.Field)
	if isTag && (rest.bare || !f.tags) {
		return out
	}
	if rest.bare && m.Name == markers.TypeName {
		f.isWrong(inner, "a type of another module cannot be conditional")
		return out
	}
	out.whens = rest.whens
	out.plain = m.Replaced(rest.plain)
	out.text = c.Text[:offset] + rest.text
	if rest.bare {
		out.bare = true
		out.omitted = rest.omitted
		if rest.omitted == nil {
			out.whens = nil
			out.omitted = &rest.whens[0]
			out.omitted.marker = inner.Pos
			out.text = c.Text[:offset-1]
		}
	}
	return out
}

// isWrong records why a condition cannot be applied. The generator reports it, too.
func (f *File) isWrong(c markers.Comment, problem string) {
	if pos := f.fset.Position(c.Pos); f.wrong == nil || pos.Offset < f.wrong.Pos.Offset {
		f.wrong = &Error{pos, problem, ""}
	}
}
