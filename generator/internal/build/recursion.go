package build

import (
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
)

// This file is about types that contain themselves. No schema can, so that such
// a type is unrolled up to the bound that its author gives, or refused.

// unrolled is a type at a depth of the bounded types around it.
type unrolled struct {
	decl *source.Type
	// around are the bounded types that are being resolved, and how often.
	around string
}

// wayStep is one step from a root to a node: into a type, or into a field.
type wayStep struct {
	decl  *source.Type
	field string
}

// recursionOf returns the type's bound, or nil.
func recursionOf(t *source.Type) *markers.Recursion {
	if m := t.Markers.Get(markers.RecursionName); m != nil {
		bound := m.Value.(markers.Recursion)
		return &bound
	}
	return nil
}

// checkRecursion reports a bound that is none.
func (b *Builder) checkRecursion(t *source.Type) {
	bound := recursionOf(t)
	if bound == nil {
		return
	}
	m := t.Markers.Get(markers.RecursionName)
	if bound.Depth < 1 || bound.Depth > maxRecursion {
		b.Reporter.Report(report.MalformedArguments, t.Pkg.At(m.Pos), "", "+%s: depth must be from 1 to %d, not %d", m.Name, maxRecursion, bound.Depth)
	}
	if bound.End != "" && bound.End != "preserve" && bound.End != "omit" {
		b.Reporter.Report(report.MalformedArguments, t.Pkg.At(m.Pos), "", "+%s: end is preserve or omit, not %q", m.Name, bound.End)
	}
}

// maxRecursion is the deepest unrolling. Each level adds a copy of the type for
// every field that it contains itself in.
const maxRecursion = 10

// depth is how many of the type are around the node that is being resolved.
func (fl *Flattener) depth(t *source.Type) int {
	n := 0
	for _, other := range fl.unroll {
		if other == t {
			n++
		}
	}
	return n
}

// key is the type as it is unrolled here.
func (fl *Flattener) key(t *source.Type) unrolled {
	if len(fl.unroll) == 0 {
		return unrolled{decl: t}
	}
	// What counts is how often each type is around, not their order.
	var around strings.Builder
	for i, other := range fl.unroll {
		if fl.firstUnroll(other) == i {
			fmt.Fprintf(&around, "%d:%d ", other.Spec.Pos(), fl.depth(other))
		}
	}
	return unrolled{t, around.String()}
}

func (fl *Flattener) firstUnroll(t *source.Type) int {
	for i, other := range fl.unroll {
		if other == t {
			return i
		}
	}
	return -1
}

// end returns what stands for a type whose bound is reached: its kind of value
// with everything below it preserved, or nothing.
func (fl *Flattener) end(t *source.Type, bound *markers.Recursion) *draft {
	if bound.End == "omit" {
		return nil
	}
	full := fl.builder.build(t)
	d := &draft{pkg: t.Pkg, origin: full.origin}
	d.Type, d.Description = full.Type, full.Description
	open := d
	if d.Type == "array" {
		open = &draft{pkg: t.Pkg, origin: full.origin}
		d.items = open
	}
	open.XPreserveUnknownFields = new(true)
	return d
}

// cycle is the way from a type to itself, for messages: "Tree.children → Tree".
func (fl *Flattener) cycle(t *source.Type) string {
	start := 0
	for i, step := range fl.way {
		if step.decl == t {
			start = i
		}
	}
	var out strings.Builder
	for _, step := range fl.way[start:] {
		if step.decl == nil {
			out.WriteString("." + step.field)
			continue
		}
		if out.Len() > 0 {
			out.WriteString(" → ")
		}
		out.WriteString(step.decl.String())
	}
	out.WriteString(" → " + t.String())
	return out.String()
}

// description is the text that a node is described by: of its own, as the
// package of the kinds wants it, and the values of its enum.
func (fl *Flattener) description(d *draft) string {
	text := d.Description
	if len(fl.builder.overrides) > 0 && d.pkg != nil {
		from := d.docs
		if from == nil {
			from = d.pkg
		}
		text = fl.builder.description(text, from)
	}
	return describeValues(text, d.constants)
}
