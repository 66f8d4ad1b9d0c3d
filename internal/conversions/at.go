package conversions

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/conversions/gotypes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// atMarker is a marker for a field that is written at a field further out.
type atMarker struct {
	// path leads to the field, from the struct of the pair.
	path   string
	marker *markers.Marker
}

// markersOf returns the markers of a field of the spoke: its own, and those from further out.
func (w *pairing) markersOf(f *Field, path []*Field) source.Markers {
	out := f.Source.Markers
	for _, list := range [][]atMarker{w.extra, w.deeper} {
		for _, place := range list {
			if place.path == dotted(path) {
				out = append(slices.Clip(out), place.marker)
			}
		}
	}
	return out
}

// hasMarkersBelow reports whether fields below one have markers from further out.
func (w *pairing) hasMarkersBelow(path []*Field) bool {
	child := func(m atMarker) bool { return strings.HasPrefix(m.path, dotted(path)+".") }
	return slices.ContainsFunc(w.extra, child) || slices.ContainsFunc(w.deeper, child)
}

// findAt adds the markers that a field has for fields below it.
func (w *pairing) findAt(f *Field, path []*Field) {
	for _, m := range w.markersOf(f, path) {
		tag, ok := m.Value.(markers.Tag)
		if m.Name != markers.ConvertPrefix+"at" || !ok || !exists(w.types, f.Type, tag.Argument, func(hint string) {
			w.fail(noRule, m.Pos, w.Spoke.Decl.Pkg, hint, "+%s: %s of %s has no field %s", m.Name, f.Type.Label(), w.spoke.Name, tag.Argument)
		}) {
			continue
		}
		inner, ok := m.Inner()
		if !ok {
			w.fail(noRule, m.Pos, w.Spoke.Decl.Pkg, "write at(.name)=+schemagen:convert:keep", "+%s needs a marker", m.Name)
			continue
		}
		set, bad := w.parse(w.Spoke.Decl.Pkg, []markers.Comment{inner}, markers.Field)
		switch {
		case len(bad) > 0: // reported
		case len(set) == 0 || !strings.HasPrefix(set[0].Name, markers.ConvertPrefix) || set[0].Name == m.Name:
			w.fail(noRule, m.Pos, w.Spoke.Decl.Pkg, "", "+%s: %s is not a marker of conversions for fields", m.Name, inner.Text)
		default:
			list := &w.extra
			if len(path) > 1 {
				list = &w.deeper
			}
			*list = append(slices.Clip(*list), atMarker{dotted(path) + tag.Argument, set[0]})
		}
	}
}

// exists reports whether a path leads from a type to a field, through pointers, lists and maps.
// Otherwise, it calls missing with a hint.
func exists(ts *gotypes.Types, t *Type, path string, missing func(hint string)) bool {
	names := strings.Split(path, ".")
	if names[0] != "" || len(names) < 2 {
		missing("write a path that begins with a dot, such as .name")
		return false
	}
	for _, name := range names[1:] {
		for t.Shape == Pointer || t.Shape == List || t.Shape == Map {
			t = t.Elem
		}
		var known []string
		var next *Field
		if t.Shape == Struct {
			ts.Fields(t)
			next = t.Field(name)
			for _, f := range t.Fields {
				known = append(known, f.JSON)
			}
		}
		if next == nil {
			missing(didYouMean(name, known))
			return false
		}
		t = next.Type
	}
	return true
}
