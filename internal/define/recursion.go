package define

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file handles types that contain themselves. A schema cannot be recursive, so such a
// type is unrolled up to the bound that its author sets, or rejected.

// unrolled is a type in the context of the bounded types that contain it.
type unrolled struct {
	decl *source.Type
	// enclosing lists the bounded types that are being resolved, and how often each.
	enclosing string
}

// pathStep is one step on the path from a root to a node: into a type or into a field.
type pathStep struct {
	decl  *source.Type
	field string
}

// recursionOf returns the recursion bound of a type, or nil.
func recursionOf(t *source.Type) *markers.Recursion {
	if m := t.Markers.Get(markers.RecursionName); m != nil {
		bound := m.Value.(markers.Recursion)
		return &bound
	}
	return nil
}

// checkRecursion reports an invalid recursion bound.
func (b *Builder) checkRecursion(t *source.Type) {
	bound := recursionOf(t)
	if bound == nil {
		return
	}
	m := t.Markers.Get(markers.RecursionName)
	if bound.Depth < 1 || bound.Depth > maxRecursion {
		b.Reporter.Report(report.MalformedArguments, t.Pkg.At(m.Pos), "", "+%s: depth must be between 1 and %d, got %d", m.Name, maxRecursion, bound.Depth)
	}
	if bound.End != "" && bound.End != "preserve" && bound.End != "omit" {
		b.Reporter.Report(report.MalformedArguments, t.Pkg.At(m.Pos), "", "+%s: end must be preserve or omit, got %q", m.Name, bound.End)
	}
}

// maxRecursion is the maximum recursion bound. Each level adds a copy of the type for every
// field in which it contains itself.
const maxRecursion = 10

// depth returns how often the type occurs on the path to the node that is being resolved.
func (fl *Flattener) depth(t *source.Type) int {
	n := 0
	for _, other := range fl.unroll {
		if other == t {
			n++
		}
	}
	return n
}

// key returns the type in the context of the node that is being resolved.
func (fl *Flattener) key(t *source.Type) unrolled {
	if len(fl.unroll) == 0 {
		return unrolled{decl: t}
	}
	// Only the number of occurrences of each type matters, not their order.
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

// end returns the draft that replaces a type at its recursion bound: a value of the same
// type whose content is preserved, or nil to omit it.
func (fl *Flattener) end(t *source.Type, bound *markers.Recursion) *draft {
	if bound.End == "omit" {
		return nil
	}
	full := fl.builder.build(t)
	d := &draft{pkg: t.Pkg, origin: full.origin}
	d.Type = full.Type
	d.Description = full.Description
	open := d
	if d.Type == "array" {
		open = &draft{pkg: t.Pkg, origin: full.origin}
		d.items = open
	}
	open.XPreserveUnknownFields = new(true)
	return d
}

// cycle returns the path from a type to itself, for messages: "Tree.children → Tree".
func (fl *Flattener) cycle(t *source.Type) string {
	start := 0
	for i, step := range fl.path {
		if step.decl == t {
			start = i
		}
	}
	var out strings.Builder
	for _, step := range fl.path[start:] {
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

// description returns the description of a node, after the policies of the kinds' package
// and with the values of its enum.
func (fl *Flattener) description(d *draft) string {
	limited := len(fl.builder.overrides) > 0 && d.pkg != nil
	finish := func(text string) string {
		if limited {
			text = fl.builder.description(text, cmp.Or(d.docs, d.pkg))
		}
		return describeValues(text, d.constants)
	}
	if fl.tags != nil && (limited || len(d.constants) > 0) {
		return fl.tags.Shorten(&structural.Schema{Generic: d.Generic, Origin: d.origin}, finish)
	}
	return finish(d.Description)
}
