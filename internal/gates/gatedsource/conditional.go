package gatedsource

import (
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
)

// Problem is why a condition cannot be applied.
type Problem struct {
	Comment markers.Comment
	// Name is the name of the marker, with its plus sign.
	Name, Msg, Hint string
	// Err is the error of a marker that cannot be parsed, or nil.
	Err error
	// Unconditional is set if the marker has a meaning, but not behind a condition.
	Unconditional bool
}

// When is a condition before a marker, or before nothing.
type When struct {
	Condition gates.Condition
	// Marker begins with the condition.
	Marker markers.Comment

	// from and to are where the text of the condition is in the parentheses.
	from, to token.Pos
	// inner is where the marker behind it begins.
	inner token.Pos
}

// Conditional is a marker with its conditions.
type Conditional struct {
	Written markers.Comment
	// Plain is the marker without its conditions, at the positions of the source, and Text its
	// text for people.
	Plain markers.Comment
	Text  string
	// Whens are the conditions of the marker.
	Whens []When
	// Declares is the condition of the declaration, which is all that the marker is, or nil.
	Declares *When
	// Omits is the condition of the field at the path of the marker, or nil. Plain omits the field.
	Omits *When
	// Wrong is why the conditions cannot be applied, or nil. Those before it are in Whens.
	Wrong *Problem
}

// All returns all conditions.
func (c Conditional) All() []When {
	all := c.Whens
	for _, last := range []*When{c.Declares, c.Omits} {
		if last != nil {
			all = append(slices.Clip(all), *last)
		}
	}
	return all
}

// Condition returns the conjunction of some conditions.
func Condition(all []When) gates.Condition {
	conditions := make([]gates.Condition, len(all))
	for i, w := range all {
		conditions[i] = w.Condition
	}
	return gates.And(conditions...)
}

// Reader reads the conditions of markers.
type Reader struct {
	Table *markers.Table
	// Tags reports whether Kubernetes' tags are read, and have conditions.
	Tags func() bool
}

// Read returns a marker of a declaration with its conditions.
func (r *Reader) Read(c markers.Comment, target markers.Target) Conditional {
	if !strings.Contains(c.Text, "+"+markers.WhenName) && !(markers.IsConditional(c.Text) && r.Tags()) {
		return Conditional{Written: c, Plain: c, Text: c.Text}
	}
	return r.read(c, target, false)
}

// read is Read for a marker that may have conditions. nested is set behind another marker that has a path.
func (r *Reader) read(comment markers.Comment, target markers.Target, nested bool) Conditional {
	out := Conditional{Written: comment, Plain: comment, Text: comment.Text}
	marker, err := r.Table.Parse(comment, target)
	if err != nil {
		out.Wrong = &Problem{Comment: comment, Msg: err.Error(), Err: err}
	}
	if marker == nil || err != nil {
		return out // an unknown marker is reported by lint
	}
	offset, ok := marker.InnerOffset()
	inner, _ := marker.Inner()
	if value, isWhen := marker.Value.(markers.When); isWhen && (marker.Name == markers.WhenName || r.Tags()) {
		w := When{Condition: value.Condition, Marker: comment, from: comment.PosAt(len("+" + marker.Name + "("))}
		if !ok {
			w.to = comment.PosAt(len(comment.Text) - 1)
			out.Declares = &w
			return out
		}
		w.to = comment.PosAt(offset - 2)
		w.inner = inner.Pos
		rest := Conditional{Wrong: r.behind(inner, target, nested)}
		if rest.Wrong == nil {
			rest = r.read(inner, target, nested)
		}
		rest.Written = comment
		rest.Whens = append([]When{w}, rest.Whens...)
		return rest
	}
	_, isTag := marker.Value.(markers.Declarative)
	if !ok || isTag && !r.Tags() || !isTag && marker.Name != markers.AtName && marker.Name != markers.TypeName {
		return out
	}
	rest := r.read(inner, markers.Field, true)
	switch bare := rest.Declares; {
	case isTag && bare != nil:
		return out // the reader of tags reports it
	case bare != nil && marker.Name == markers.TypeName:
		out.Whens = rest.All()
		out.Wrong = unconditional(inner, "a type of another module", "")
		return out
	case bare != nil:
		rest.Declares = nil
		rest.Omits = bare
		rest.Plain.Text = "+" + markers.OmitName
		rest.Text = comment.Text[:offset-1]
	default:
		rest.Text = comment.Text[:offset] + rest.Text
	}
	rest.Written = comment
	rest.Plain = marker.Replaced(rest.Plain)
	return rest
}

// behind returns what is wrong with a marker behind a condition, also where the condition does not
// hold, or nil.
func (r *Reader) behind(comment markers.Comment, target markers.Target, nested bool) *Problem {
	switch name, ok := markers.Ungated(comment.Text); {
	case ok && name == markers.AllowChangeName:
		return unconditional(comment, "+"+name,
			"write it without a condition: it allows what the marker or field that depends on the gate changes")
	case ok:
		return unconditional(comment, "+"+name, "write it without a condition")
	}
	if m, err := r.Table.Parse(comment, markers.Type); err == nil && m != nil {
		if _, inner := m.Inner(); m.Name == markers.WhenName && !inner {
			return unconditional(comment, "a condition without a marker", "join the conditions with && in one +"+markers.WhenName)
		}
	}
	targets := []markers.Target{target}
	if nested {
		targets = []markers.Target{markers.Field, markers.Type}
	}
	for _, t := range targets {
		def := r.Table.Lookup(comment.Text, t)
		if def == nil || def.Feature() != "" || def.Name == markers.WhenName {
			continue // lint reports unknown markers; nested conditions are parsed later
		}
		if _, err := r.Table.ParseAs(def, comment); err != nil {
			return &Problem{Comment: comment, Msg: "+" + def.Name + ": " + err.Error(), Err: err}
		}
		return nil
	}
	return nil
}

func unconditional(c markers.Comment, what, hint string) *Problem {
	return &Problem{Comment: c, Msg: what + " cannot be conditional", Hint: hint, Unconditional: true}
}

// IsReplaced reports whether a marker that sets the slots is the base of alternatives, by slot, that
// replace all of it.
func IsReplaced[T any](slots []string, alternatives map[string]T) bool {
	return len(slots) > 0 && !slices.ContainsFunc(slots, func(slot string) bool {
		_, ok := alternatives[slot]
		return !ok
	})
}
