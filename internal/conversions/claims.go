package conversions

import (
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions/gotypes"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
)

// claim is a marker of the spoke that names fields of the hub.
type claim struct {
	spoke []*Field
	hub   []*Field
	pos   token.Pos
	unit  *Unit
	// refused is set if another claim has the field of the hub.
	refused bool
}

// findClaims finds the markers that name fields of the hub of this pair: those on fields of
// the struct itself, and those on fields below it that lead outside.
func (w *pairing) findClaims(t *Type, path []*Field, level int) {
	if level > gotypes.MaxDepth {
		return
	}
	for _, f := range w.types.Fields(t) {
		if f.Meta || slices.Contains(path, f) {
			continue
		}
		field := append(slices.Clone(path), f)
		if level == 0 && isTaken(w.takenSpoke, field) {
			continue
		}
		w.findAt(f, field)
		if first, second, problem := conflict(w.markersOf(f, field), f.JSON); level == 0 && problem != "" {
			d := w.fail(claimedTwice, second.Pos, f.Pkg, "remove one of the markers", "%s %s: %s", w.spokeName(), w.in(field), problem)
			*d = d.With(diag.Related{Pos: w.reporter.Position(first.Pos), Message: "the first one"})
		}
		for _, m := range w.markersOf(f, field) {
			switch m.Name {
			case markers.ConvertPrefix + "to":
				value := m.Value.(markers.Convert)
				if target, ok := w.target(value.Value, level); ok {
					hub := w.resolve(target, m, f)
					if hub != nil {
						w.claims = append(w.claims, &claim{spoke: field, hub: hub, pos: f.Pos()})
					}
				}
			case markers.ConvertPrefix + "func":
				if level == 0 {
					w.hook(f, m, f.Pkg)
				}
			case markers.ConvertPrefix + "set":
				if level == 0 {
					w.constant(m, f)
				}
			case markers.ConvertPrefix + "union":
				if level == 0 {
					w.union(m, f)
				}
			}
		}
		if inner := f.Type.Base(); inner.Shape == Struct && (inner.Decl.Pkg.Local() || w.hasMarkersBelow(field)) {
			w.findClaims(inner, field, level+1)
		}
	}
}

// target returns the path in the hub's struct of this pair if a target of a marker leads
// there: level is the number of structs between the two.
func (w *pairing) target(text string, level int) (string, bool) {
	if rest, ok := strings.CutPrefix(text, "$"); ok {
		return rest, len(w.path) == 0
	}
	rest := strings.TrimLeft(text, "^")
	return rest, len(text)-len(rest) == level
}

// resolve returns the fields on a path in the hub's struct. It reports a path that does not exist.
func (w *pairing) resolve(path string, marker *markers.Marker, f *Field) []*Field {
	t := w.Hub
	out := []*Field(nil)
	pkg := w.Spoke.Decl.Pkg
	if f != nil {
		pkg = f.Pkg
	}
	for i, name := range strings.Split(path, ".") {
		if i == 0 {
			if name != "" {
				w.fail(noRule, marker.Pos, pkg, "write a path that begins with a dot, such as ."+path, "%q is not a path in the hub", path)
				return nil
			}
			continue
		}
		base := t.Base()
		var next *Field
		if base.Shape == Struct {
			w.types.Fields(base)
			next = base.Field(name)
		}
		if next == nil {
			if name == "" {
				w.fail(noRule, marker.Pos, pkg, "write "+strings.TrimRight(path, "."), "+%s: %s has an empty name", marker.Name, path)
				return nil
			}
			hint := w.nearPath(base, out, strings.Split(path, ".")[i:])
			w.fail(noRule, marker.Pos, pkg, hint, "+%s: %s of %s has no field %s", marker.Name, base.Label(), w.current.Hub.Name, name)
			return nil
		}
		out = append(out, next)
		t = next.Type
	}
	if len(out) == 0 {
		w.fail(noRule, marker.Pos, pkg, "", "%q is not a path in the hub", path)
	}
	return out
}

// nearPath returns a hint for names of which the first is not a field of a struct, to which a path
// leads from the hub's struct.
func (w *pairing) nearPath(t *Type, path []*Field, names []string) string {
	exists := func(t *Type, path string) bool { return exists(w.types, t, path, func(string) {}) }
	if len(path) == 0 && len(w.path) > 0 {
		for i := 1; i < len(names); i++ {
			if rest := "." + strings.Join(names[i:], "."); exists(w.Hub, rest) {
				return "paths start at " + w.Hub.Label() + ": " + rest
			}
		}
	}
	var known, found []string
	var visit func(t *Type, path []*Field, depth int)
	visit = func(t *Type, path []*Field, depth int) {
		for _, f := range w.types.Fields(t) {
			field := append(slices.Clone(path), f)
			if depth == 0 {
				known = append(known, f.JSON)
			}
			if inner := f.Type.Base(); inner.Shape == Struct && inner.Decl.Pkg.Local() && depth < 3 {
				if exists(inner, "."+strings.Join(names, ".")) {
					found = append(found, dotted(field)+"."+strings.Join(names, "."))
				}
				visit(inner, field, depth+1)
			}
		}
	}
	visit(t, path, 0)
	if nearest, ok := words.Nearest(names[0], known); ok && len(found) == 0 {
		found = append(found, nearest)
	}
	if len(found) == 0 || len(found) > 3 {
		return ""
	}
	return "did you mean " + strings.Join(found, " or ") + "?"
}

// refuseDuplicates reports fields of the hub that two markers name.
func (w *pairing) refuseDuplicates() {
	for i, c := range w.claims {
		for _, other := range w.claims[:i] {
			if len(c.spoke) > 0 && c.unit != other.unit && c.pos != other.pos && samePath(c.spoke, other.spoke) {
				d := w.fail(claimedTwice, c.pos, w.Spoke.Decl.Pkg, "remove one of the markers", "%s %s has two markers that convert it", w.spokeName(), w.in(c.spoke))
				*d = d.With(diag.Related{Pos: w.reporter.Position(other.pos), Message: "the other one"})
			}
			if c.unit != nil && c.unit == other.unit || len(c.hub) == 0 || !samePath(c.hub, other.hub) {
				continue
			}
			w.twice(c, other)
		}
		if isTaken(w.takenHub, c.hub) {
			w.fail(claimedTwice, c.pos, w.Spoke.Decl.Pkg, "", "%s %s already has a counterpart further out", w.hubName(), w.in(c.hub))
		}
	}
}

func (w *pairing) twice(c, other *claim) {
	hint := "remove one of them"
	c.refused = true
	if len(c.spoke) > 0 && len(other.spoke) > 0 && c.unit == nil && other.unit == nil {
		hint += ", or convert both: +schemagen:convert:func=Name,fields=" + dotted(other.spoke) + ";" + dotted(c.spoke) + ",to=" + dotted(c.hub)
	}
	d := w.fail(claimedTwice, c.pos, w.Spoke.Decl.Pkg, hint, "%s %s has two counterparts in %s: %s and %s", w.hubName(), w.in(c.hub), w.spokeName(), w.claimant(other), w.claimant(c))
	*d = d.With(diag.Related{Pos: w.reporter.Position(other.pos), Message: "the other one"},
		diag.Related{Pos: w.reporter.Position(c.hub[len(c.hub)-1].Pos()), Message: "the field of the hub"})
}

// claimant describes what claims a field of the hub: a field of the spoke, or a marker.
func (w *pairing) claimant(c *claim) string {
	switch {
	case len(c.spoke) > 0:
		return w.in(c.spoke)
	case c.unit.Derived != nil:
		return "a " + c.unit.Derived.Name
	}
	return c.unit.Rule.Name
}

// claimed reports whether a marker names a field of the hub, or a pair outside converts it.
func (w *pairing) claimed(hub []*Field) bool {
	return isTaken(w.takenHub, hub) || slices.ContainsFunc(w.claims, func(c *claim) bool { return samePath(c.hub, hub) })
}

// inside returns the fields below two counterparts that units of this pair convert.
func (w *pairing) inside(spoke, hub []*Field) (around place) {
	s := dotted(spoke)
	h := dotted(hub)
	for _, taken := range w.takenSpoke {
		if rest, ok := strings.CutPrefix(taken, s+"."); ok {
			around.takenSpoke = append(around.takenSpoke, "."+rest)
		}
	}
	for _, taken := range w.takenHub {
		if rest, ok := strings.CutPrefix(taken, h+"."); ok {
			around.takenHub = append(around.takenHub, "."+rest)
		}
	}
	for _, m := range w.extra {
		if rest, ok := strings.CutPrefix(m.path, s+"."); ok {
			around.extra = append(around.extra, atMarker{"." + rest, m.marker})
		}
	}
	for _, c := range w.claims {
		if n := len(spoke); len(c.spoke) > n && samePath(c.spoke[:n], spoke) {
			around.takenSpoke = append(around.takenSpoke, dotted(c.spoke[n:]))
		}
		if n := len(hub); len(c.hub) > n && samePath(c.hub[:n], hub) {
			around.takenHub = append(around.takenHub, dotted(c.hub[n:]))
		}
	}
	return around
}
