package edits

import (
	"go/token"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// Reader derives edits from the markers of a run.
type Reader struct {
	Reporter Reporter
	Table    *markers.Table
	// Markers parses markers nested in arguments.
	Markers source.MarkerParser
	// marked are the packages of the markers that make fields read-only.
	marked map[token.Pos]*source.Package
}

// This file implements this project's own markers: those of a field or type about itself, and
// those of a package about types elsewhere.

// Own returns the edits for this project's markers at a declaration, in source order.
func (r *Reader) Own(p *source.Package, set source.Markers) []*Edit {
	var out []*Edit
	for _, m := range set {
		out = append(out, r.ownEdit(p, m)...)
	}
	return out
}

// ownEdit returns the edits that a marker makes to the finished schema of its node, if any.
// Errors are reported.
func (r *Reader) ownEdit(pkg *source.Package, marker *markers.Marker) []*Edit {
	e := &Edit{Pkg: pkg, Pos: marker.Pos, Name: marker.Name}
	if marker.Stage() == markers.AfterMerge {
		e.Op = applyMarker{marker}
		return []*Edit{e}
	}
	switch value := marker.Value.(type) {
	case markers.Fragment:
		if marker.Name == markers.SchemaName {
			return nil // already used to build the schema
		}
		fragment := r.Fragment(pkg, marker)
		if fragment == nil {
			return nil
		}
		e.Op = ExtendSchema{fragment}
	case markers.ReadOnly:
		if r.marked == nil {
			r.marked = map[token.Pos]*source.Package{}
		}
		r.marked[marker.Pos] = pkg
		e.Op = markReadOnly{notes.ReadOnly{Mode: notes.ReadOnlyMode(value), Pos: marker.Pos}}
	case markers.AllFields:
		e.Op = countFields{marker.Name, value.Except}
	case markers.Tag:
		switch marker.Name {
		case markers.AtName:
			return r.atEdit(pkg, marker, value)
		case markers.DescriptionsName:
			policy, err := ParseDescriptionPolicy(value.Value)
			if err != nil {
				r.Reporter.BadArguments(pkg.At(marker.ValuePos(0)), "", "+%s: %v", marker.Name, err)
				return nil
			}
			e.Op = limitDescriptions{policy: policy}
		}
	}
	if e.Op == nil {
		return nil
	}
	return []*Edit{e}
}

// PackageOf returns the package of a marker that makes a field read-only.
func (r *Reader) PackageOf(marker token.Pos) *source.Package { return r.marked[marker] }

// atEdit returns the edits for +schemagen:at(path)=+marker.
func (r *Reader) atEdit(p *source.Package, m *markers.Marker, tag markers.Tag) []*Edit {
	path, offset, err := parsePath(tag.Argument, func(i int) token.Pos { return m.ArgumentPos() + token.Pos(i) })
	if err != nil {
		r.Reporter.BadArguments(p.At(m.ArgumentPos()+token.Pos(offset)), "", "+%s: %v", m.Name, err)
		return nil
	}
	inner, ok := m.Inner()
	if !ok {
		r.Reporter.BadArguments(p.At(m.ValuePos(0)), "as in +schemagen:at(.spec.replicas)=+optional",
			"+%s: expected a marker after the equals sign", m.Name)
		return nil
	}
	edits := r.innerEdit(p, inner, path[len(path)-1])
	for _, e := range edits {
		target := path
		if e.above {
			target = path[:len(path)-1]
			e.above = false
		}
		e.Path = append(target[:len(target):len(target)], e.Path...)
	}
	return edits
}

// innerEdit returns the edits for a marker at the end of a path.
func (r *Reader) innerEdit(pkg *source.Package, c markers.Comment, last Step) []*Edit {
	var marker *markers.Marker
	for _, target := range []markers.Target{markers.Field, markers.Type} {
		if set, _ := r.Markers.ParseMarkers(pkg, []markers.Comment{c}, target); len(set) > 0 {
			marker = set[0]
			break
		}
		if r.Table.Lookup(c.Text, target) != nil {
			return nil // already reported
		}
	}
	if marker == nil {
		return nil // reported by lint
	}
	e := &Edit{Pkg: pkg, Pos: marker.Pos, Name: marker.Name}
	parent := func(op Operation) []*Edit {
		if last.Kind != StepField {
			r.Reporter.BadArguments(pkg.At(marker.Pos), "end the path with a field", "+%s: must apply to a field", marker.Name)
			return nil
		}
		e.above = true
		e.Op = op
		return []*Edit{e}
	}
	if presence := marker.Presence(); presence != markers.NoPresence && marker.Stage() == markers.NoStage {
		return parent(requireField{last.Name, presence.Required()})
	}
	switch marker.Name {
	case markers.OmitName:
		return parent(omitField{last.Name})
	case markers.SchemaName:
		fragment := r.Fragment(pkg, marker)
		if fragment == nil {
			return nil
		}
		e.Op = replaceSchema{fragment}
		return []*Edit{e}
	}
	if _, ok := marker.Value.(markers.ReadOnly); ok && last.Kind != StepField {
		return parent(nil) // reports that it must apply to a field
	}
	if marker.Stage() == markers.BeforeMerge {
		if name, ok := strings.CutPrefix(marker.Name, crdmarkers.ValidationItemsPrefix); ok {
			r.Reporter.BadArguments(pkg.At(marker.Pos), "end the path with [*] and write +kubebuilder:validation:"+name,
				"+%s: already has a path", marker.Name)
			return nil
		}
		e.Op = SetMarkers{source.Markers{marker}}
		return []*Edit{e}
	}
	if tag, ok := marker.Value.(markers.Declarative); ok {
		t := &tagReader{Reader: r, pkg: pkg, marker: marker}
		t.read(tag.Tag, nil, last.Name)
		if slices.ContainsFunc(t.edits, func(e *Edit) bool { _, ok := e.Op.(*itemUnion); return ok }) {
			r.Reporter.BadArguments(pkg.At(marker.Pos), "put it on the field that has the list, with the other members", "+%s: a path cannot lead to a member of a union", marker.Name)
			return nil
		}
		return t.edits
	}
	if own := r.ownEdit(pkg, marker); own != nil {
		return own
	}
	r.Reporter.BadArguments(pkg.At(marker.Pos), "", "+%s: does not describe a schema", marker.Name)
	return nil
}
