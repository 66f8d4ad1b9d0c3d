package conversions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/structural"
)

// hubFields adds the units of the fields that only the hub has.
func (w *pairing) hubFields(t *Type, prefix []*Field, schema *structural.Schema) {
	converted := map[string]bool{}
	for _, u := range w.Units {
		converted[strings.Join(names(u.Hub), "\x00")] = true
	}
	for _, g := range w.types.Fields(t) {
		path := append(slices.Clone(prefix), g)
		if g.Meta || w.claimed(path) || converted[strings.Join(names(path), "\x00")] {
			continue
		}
		inner := func(other []*Field) bool { return len(other) > len(path) && samePath(other[:len(path)], path) }
		isChild := slices.ContainsFunc(w.claims, func(c *claim) bool { return inner(c.hub) }) ||
			slices.ContainsFunc(w.takenHub, func(taken string) bool { return strings.HasPrefix(taken, dotted(path)+".") }) ||
			g.Type.Base().Shape == Struct && slices.ContainsFunc(w.hubOnlyMarkers(), func(m *markers.Marker) bool { return strings.HasPrefix(hubOnlyPath(m), dotted(path)+".") })
		if isChild {
			w.hubFields(g.Type.Base(), path, w.properties.Property(schema, g.JSON))
			if g.Type.Shape == Pointer {
				w.Units = append(w.Units, &Unit{Hub: path, Down: Kept, Pos: g.Pos(), set: true})
			}
			continue
		}
		w.hubOnly(g, path, t, schema)
	}
}

func (w *pairing) hubOnly(g *Field, path []*Field, within *Type, s *structural.Schema) {
	unit := &Unit{Hub: path, Down: Kept, Pos: g.Pos()}
	marker := w.acknowledged(path)
	var value markers.Convert
	if marker != nil {
		value = marker.Value.(markers.Convert)
	}
	_, secret := value.Get("secret")
	_, drop := value.Get("drop")
	reason, _ := value.Get("reason")
	if drop && reason == "" {
		w.fail(dropWithoutReason, marker.Pos, w.Spoke.Decl.Pkg, `write drop,reason="…"`, "%s %s is dropped without a reason", w.hubName(), w.in(path))
	}
	if secret || drop {
		unit.Down = Dropped
		unit.Reason = cmp.Or(reason, "secret")
	}
	schema := w.properties.Property(s, g.JSON)
	if s != nil && s.Requires(g.JSON) && (schema == nil || schema.Default == nil) && !slices.Contains(w.offered, dotted(path)) {
		hint := "make it optional or give it a default, or, if a field of " + w.spoke.Name + " has its value, write above that one: // +schemagen:convert:to=" + dotted(path)
		w.fail(requiredHubOnly, g.Pos(), g.Pkg, hint, "%s %s is required, has no default, and has no counterpart in %s", w.hubName(), w.in(path), w.spokeName())
	}
	if marker == nil && w.strict {
		d := w.fail(noCounterpart, g.Pos(), g.Pkg, "write above the struct: // +schemagen:convert:hubOnly="+dotted(path), "%s %s has no counterpart in %s", w.hubName(), w.in(path), w.spokeName())
		*d = d.With(diag.Related{Pos: w.reporter.Position(w.Spoke.Decl.Spec.Name.Pos()), Message: "the struct"})
	}
	switch {
	case secret && !drop:
		w.fail(keptSecret, marker.Pos, w.Spoke.Decl.Pkg, "if it may be lost, write // +schemagen:convert:hubOnly="+dotted(path)+`,secret,drop,reason="…"`, "%s %s is not kept: a client that updates the object through %s removes it", w.hubName(), w.in(path), w.spokeName())
	case unit.Down == Kept:
		for _, found := range w.secrets(path, schema) {
			line := "// +schemagen:convert:hubOnly=" + dotted(found.named) + ",secret"
			w.fail(keptSecret, found.field.Pos(), found.field.Pkg, "write above "+w.Spoke.Label()+": "+line, "%s %s would be kept in an annotation of %s", w.hubName(), w.in(found.path), w.spokeName())
		}
	}
	if discriminator := Discriminator(g, within); discriminator != nil && unit.Down == Kept {
		unit.Guards = [][]*Field{append(slices.Clone(path[:len(path)-1]), discriminator)}
	}
	if guards, ok := value.Get("guard"); ok {
		w.addGuards(marker, guards, nil, unit)
	}
	w.Units = append(w.Units, unit)
}

// acknowledged returns the marker hubOnly for a path, or nil.
func (w *pairing) acknowledged(path []*Field) *markers.Marker {
	all := w.hubOnlyMarkers()
	if i := slices.IndexFunc(all, func(m *markers.Marker) bool { return hubOnlyPath(m) == dotted(path) }); i >= 0 {
		return all[i]
	}
	return nil
}

// hubOnlyMarkers returns the markers hubOnly of the struct and of its fields.
func (w *pairing) hubOnlyMarkers() []*markers.Marker {
	all := slices.Clone(w.Spoke.Decl.Load().Markers)
	for _, f := range w.Spoke.Fields {
		all = append(all, w.markersOf(f, []*Field{f})...)
	}
	return slices.DeleteFunc(all, func(m *markers.Marker) bool { return m.Name != markers.ConvertPrefix+"hubOnly" })
}

func hubOnlyPath(m *markers.Marker) string { return m.Value.(markers.Convert).Value }

// Discriminator returns the field of a struct that selects a member of its union, if the
// field is a member.
func Discriminator(member *Field, t *Type) *Field {
	if !member.Source.Markers.InUnion() {
		return nil
	}
	for _, f := range t.Fields {
		for _, name := range []string{markers.UnionDiscriminatorName, markers.DiscriminatorName,
			markers.TagUnionDiscriminatorName} {
			if f != member && f.Source.Markers.Get(name) != nil {
				return f
			}
		}
	}
	return nil
}

// secret is a field that seems to hold a secret, and the one that a marker can name.
type secret struct {
	field       *Field
	path, named []*Field
}

// secrets returns the fields at or below a path that seem to hold secrets. Markers cannot name
// those below a list or a map.
func (w *pairing) secrets(path []*Field, schema *structural.Schema) (out []secret) {
	seen := map[*Type]bool{}
	var walk func(path, named []*Field, s *structural.Schema)
	walk = func(path, named []*Field, s *structural.Schema) {
		field := path[len(path)-1]
		if isSecret(field, s) {
			out = append(out, secret{field, path, named})
			return
		}
		t := field.Type
		for t.Elem != nil {
			switch t.Shape {
			case List:
				s = items(s)
			case Map:
				s = values(s)
			}
			t = t.Elem
		}
		if t.Shape != Struct || seen[t] {
			return
		}
		seen[t] = true
		for _, g := range w.types.Fields(t) {
			child := append(slices.Clone(path), g)
			name := named
			if field.Type.Base() == t && len(named) == len(path) {
				name = child
			}
			walk(child, name, w.properties.Property(s, g.JSON))
		}
	}
	walk(path, path, schema)
	return out
}

// isSecret reports whether a field seems to hold a secret.
func isSecret(f *Field, s *structural.Schema) bool {
	if s != nil && s.ValueValidation != nil && s.Format == "password" {
		return true
	}
	name := strings.ToLower(f.JSON)
	shape := f.Type.Base().Shape
	return (shape == String || shape == Bytes) && (strings.HasSuffix(name, "password") || strings.HasSuffix(name, "token") || strings.HasSuffix(name, "secret"))
}
