package conversions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/words"
)

// without reports a field of the spoke without a counterpart.
func (w *pairing) without(f *Field, path []*Field) {
	message := fmt.Sprintf("%s %s (%s) has no counterpart in %s", w.spokeName(), w.in(path), f.Type.Label(), w.hubName())
	candidates := w.candidates(f)
	var found []string
	for _, c := range candidates {
		found = append(found, w.in(c)+" ("+c[len(c)-1].Type.Label()+")")
	}
	if len(found) > 0 {
		message += "; unclaimed there: " + strings.Join(found, ", ")
	}
	var lines []string
	for _, c := range candidates {
		line := "// +schemagen:convert:to=" + dotted(c)
		if codec := codecFor(f.Type, c[len(c)-1].Type); codec != "" {
			line += ",as=" + codec
		}
		lines = append(lines, line)
		w.offered = append(w.offered, dotted(c))
	}
	lines = append(lines, "// +schemagen:convert:keep        (kept in an annotation while stored as "+w.current.Hub.Name+")", `// +schemagen:convert:drop,reason="…"`)
	d := w.fail(noCounterpart, f.Pos(), f.Pkg, "write: "+strings.Join(lines, "\n\tor: "), "%s", message)
	for _, c := range candidates {
		*d = d.With(diag.Related{Pos: w.reporter.Position(c[len(c)-1].Pos()), Message: "candidate: " + w.in(c)})
	}
}

// candidates returns at most three fields of the hub that might be the counterpart of a
// field: those with its name first, then by the likeness of names and types.
func (w *pairing) candidates(field *Field) [][]*Field {
	type candidate struct {
		path    []*Field
		fits    int
		unalike int
	}
	var all []candidate
	var walk func(t *Type, prefix []*Field)
	walk = func(t *Type, prefix []*Field) {
		for _, g := range w.types.Fields(t) {
			path := append(slices.Clone(prefix), g)
			if g.Meta || slices.Contains(prefix, g) || w.claimed(path) || len(prefix) == 0 && w.Spoke.Field(g.JSON) != nil {
				continue
			}
			fits := 2
			switch {
			case alike(field.Type, g.Type):
				fits = 0
			case codecFor(field.Type, g.Type) != "":
				fits = 1
			}
			if fits < 2 {
				all = append(all, candidate{path, fits, unalike(field.JSON, g.JSON)})
			}
			if inner := g.Type.Base(); inner.Shape == Struct && inner.Decl.Pkg.Local() && len(prefix) < 3 {
				walk(inner, path)
			}
		}
	}
	walk(w.Hub, nil)
	moved := func(path []*Field) int {
		if path[len(path)-1].JSON == field.JSON {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(moved(a.path), moved(b.path)), cmp.Compare(a.unalike/2, b.unalike/2),
			cmp.Compare(a.fits, b.fits), cmp.Compare(a.unalike, b.unalike))
	})
	var out [][]*Field
	for _, c := range all[:min(3, len(all))] {
		out = append(out, c.path)
	}
	return out
}

// unalike measures how different two names are: 0 if one contains the other.
func unalike(a, b string) int {
	a = strings.ToLower(a)
	b = strings.ToLower(b)
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return 0
	}
	return words.EditDistance(a, b, 40)
}

// alike reports whether types seem to convert without a codec.
func alike(s, h *Type) bool {
	s = s.Base()
	h = h.Base()
	switch {
	case s.ID == h.ID:
		return true
	case s.Shape != h.Shape:
		return (s.Shape == Int || s.Shape == Uint) && (h.Shape == Int || h.Shape == Uint)
	case s.Shape == List || s.Shape == Map:
		return alike(s.Elem, h.Elem)
	case s.Shape == Struct:
		return s.Decl.Label() == h.Decl.Label()
	}
	return s.Shape != Opaque
}
