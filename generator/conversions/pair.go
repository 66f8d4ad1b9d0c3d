package conversions

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/gounions"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// pairer pairs the fields of the versions of kinds.
type pairer struct {
	model    *Model
	reporter *report.Reporter
	types    *types
	memo     map[string]*Pair
	strict   bool
	// current and spoke are the versions being paired.
	current *Kind
	spoke   *Version
	// path are the JSON names from the object to the structs being paired.
	path []string
	// reported are the diagnostics so far, since a struct may be in several pairs, and
	// failed their positions.
	reported map[string]bool
	failed   map[token.Pos]bool
}

// claim is a marker of the spoke that names fields of the hub.
type claim struct {
	spoke []*Field
	hub   []*Field
	pos   token.Pos
	unit  *Unit
}

// pairing is the state of pairing two structs.
type pairing struct {
	*pairer
	*Pair
	// claims are those of markers, of this struct and those below it.
	claims []*claim
}

// pair returns the pair of two structs. taken are the paths of fields that a pair outside
// converts.
func (p *pairer) pair(s, h *Type, spokeSchema, hubSchema *structural.Schema, takenSpoke, takenHub []string) *Pair {
	key := strings.Join([]string{s.ID, h.ID, strings.Join(takenSpoke, ","), strings.Join(takenHub, ",")}, " ")
	if pair := p.memo[key]; pair != nil {
		return pair
	}
	pair := &Pair{Spoke: s, Hub: h, Spokeward: spokeSchema, Hubward: hubSchema, ofKind: p.current, ofSpoke: p.spoke, takenSpoke: takenSpoke, takenHub: takenHub}
	p.memo[key] = pair
	p.model.Pairs = append(p.model.Pairs, pair)
	w := &pairing{pairer: p, Pair: pair}
	w.run()
	pair.equal = w.castable()
	return pair
}

func (w *pairing) run() {
	w.types.fields(w.Spoke)
	w.types.fields(w.Hub)
	if w.Spoke.mixed || w.Hub.mixed {
		w.fail(noRule, w.Spoke.Decl.Spec.Name.Pos(), w.Spoke.Decl.Pkg, "", "%s and %s have unexported fields or embed pointers, which conversions do not support", w.Spoke.label(), w.Hub.label())
		return
	}
	for _, m := range w.Spoke.Decl.Load().Markers {
		switch name := strings.TrimPrefix(m.Name, markers.ConvertPrefix); name {
		case m.Name, "hub":
		case "hubOnly":
			w.resolve(m.Value.(markers.Convert).Value, m, nil)
		case "func":
			w.hook(nil, m, w.Spoke.Decl.Pkg)
		default:
			w.notYet(m, w.Spoke.Decl.Pkg)
		}
	}
	w.findClaims(w.Spoke, nil, 0)
	w.refuseDuplicates()
	w.spokeFields(w.Spoke, nil)
	w.hubFields(w.Hub, nil, w.Hubward)
	slices.SortStableFunc(w.Units, func(a, b *Unit) int { return cmp.Compare(a.order(), b.order()) })
}

// order puts the units of fields of the spoke first.
func (u *Unit) order() int {
	if len(u.Spoke) > 0 {
		return 0
	}
	return 1
}

// fail reports a problem with a field or type once.
func (p *pairer) fail(kind *diag.Kind, pos token.Pos, pkg *source.Package, hint, format string, args ...any) *diag.Diagnostic {
	key := fmt.Sprint(kind.Code, pos, fmt.Sprintf(format, args...))
	if p.reported[key] {
		return &diag.Diagnostic{}
	}
	if p.reported == nil {
		p.reported, p.failed = map[string]bool{}, map[token.Pos]bool{}
	}
	p.reported[key], p.failed[pos] = true, true
	return p.reporter.Report(kind, pkg.At(pos), hint, format, args...)
}

func (p *pairer) notYet(m *markers.Marker, pkg *source.Package) {
	p.fail(noRule, m.Pos, pkg, "convert the field with +schemagen:convert:func", "+%s is not generated yet", m.Name)
}

// findClaims finds the markers that name fields of the hub of this pair: those on fields of
// the struct itself, and those on fields below it that lead outside.
func (w *pairing) findClaims(t *Type, path []*Field, level int) {
	if level > maxDepth {
		return
	}
	for _, f := range w.types.fields(t) {
		if f.Meta || slices.Contains(path, f) {
			continue
		}
		at := append(slices.Clone(path), f)
		if level == 0 && slices.Contains(w.takenSpoke, dotted(at)) {
			continue
		}
		for _, m := range f.Source.Markers {
			switch m.Name {
			case markers.ConvertPrefix + "to":
				value := m.Value.(markers.Convert)
				if target, ok := w.target(value.Value, level); ok {
					hub := w.resolve(target, m, f)
					if hub != nil {
						w.claims = append(w.claims, &claim{spoke: at, hub: hub, pos: f.pos()})
					}
				}
			case markers.ConvertPrefix + "func":
				if level == 0 {
					w.hook(f, m, f.Pkg)
				}
			}
		}
		if inner := f.Type.base(); inner.Shape == Struct && inner.Decl.Pkg.Local() {
			w.findClaims(inner, at, level+1)
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
func (w *pairing) resolve(path string, m *markers.Marker, f *Field) []*Field {
	t, out := w.Hub, []*Field(nil)
	pkg := w.Spoke.Decl.Pkg
	if f != nil {
		pkg = f.Pkg
	}
	for i, name := range strings.Split(path, ".") {
		if i == 0 {
			if name != "" {
				w.fail(noRule, m.Pos, pkg, "write a path that begins with a dot, such as ."+path, "%q is not a path in the hub", path)
				return nil
			}
			continue
		}
		base := t.base()
		var next *Field
		if base.Shape == Struct {
			w.types.fields(base)
			next = base.Field(name)
		}
		if next == nil {
			hint := ""
			var names []string
			for _, field := range base.Fields {
				names = append(names, field.JSON)
			}
			if near, ok := diag.Nearest(name, names); ok {
				hint = "did you mean " + near + "?"
			}
			w.fail(noRule, m.Pos, pkg, hint, "+%s: %s of %s has no field %s", m.Name, base.label(), w.current.Hub.Name, name)
			return nil
		}
		out, t = append(out, next), next.Type
	}
	if len(out) == 0 {
		w.fail(noRule, m.Pos, pkg, "", "%q is not a path in the hub", path)
	}
	return out
}

// refuseDuplicates reports fields of the hub that two markers name.
func (w *pairing) refuseDuplicates() {
	for i, c := range w.claims {
		for _, other := range w.claims[:i] {
			if c.unit != nil && c.unit == other.unit || dotted(c.hub) != dotted(other.hub) {
				continue
			}
			w.twice(c.hub, c.spoke, c.pos, other.spoke, other.pos)
		}
		if slices.Contains(w.takenHub, dotted(c.hub)) {
			w.fail(claimedTwice, c.pos, w.Spoke.Decl.Pkg, "", "%s %s already has a counterpart further out", w.current.Hub.Name, w.in(c.hub))
		}
	}
}

func (w *pairing) twice(hub, spoke []*Field, pos token.Pos, other []*Field, otherPos token.Pos) {
	if len(spoke) == 0 || len(other) == 0 {
		return
	}
	d := w.fail(claimedTwice, pos, spoke[len(spoke)-1].Pkg, "", "%s %s has two counterparts in %s: %s and %s", w.current.Hub.Name, w.in(hub), w.spoke.Name, w.in(other), w.in(spoke))
	*d = d.With(diag.Related{Pos: w.reporter.Position(otherPos), Message: "the other one"},
		diag.Related{Pos: w.reporter.Position(hub[len(hub)-1].pos()), Message: "the field of the hub"})
}

// in returns a path from the object, for messages.
func (p *pairer) in(path []*Field) string {
	out := ""
	for _, name := range p.path {
		out += "." + name
	}
	return out + dotted(path)
}

// dotted returns a path of JSON names, each after a dot.
func dotted(path []*Field) string {
	out := ""
	for _, f := range path {
		out += "." + f.JSON
	}
	return out
}

// spokeFields adds the units of the fields of a struct of the spoke, which prefix leads to.
func (w *pairing) spokeFields(t *Type, prefix []*Field) {
	for _, f := range w.types.fields(t) {
		path := append(slices.Clone(prefix), f)
		if f.Meta || slices.Contains(w.takenSpoke, dotted(path)) {
			continue
		}
		w.spokeField(f, path)
	}
}

func (w *pairing) spokeField(f *Field, path []*Field) {
	var keep, drop, to *markers.Marker
	for _, m := range f.Source.Markers {
		switch name := strings.TrimPrefix(m.Name, markers.ConvertPrefix); name {
		case m.Name, "func", "key", "values":
		case "to":
			to = m
		case "hubOnly":
			w.resolve(m.Value.(markers.Convert).Value, m, f)
		case "keep":
			keep = m
		case "drop":
			drop = m
		default:
			w.notYet(m, f.Pkg)
		}
	}
	reason := ""
	if drop != nil {
		reason, _ = drop.Value.(markers.Convert).Get("reason")
		if reason == "" {
			w.fail(dropWithoutReason, drop.Pos, f.Pkg, `write +schemagen:convert:drop,reason="…"`, "%s %s is dropped without a reason", w.spoke.Name, w.in(path))
		}
	}
	for _, c := range w.claims {
		if dotted(c.spoke) != dotted(path) {
			continue
		}
		if c.unit == nil {
			w.convert(path, c.hub, reason)
		}
		return
	}
	if to != nil {
		if target := to.Value.(markers.Convert).Value; !w.failed[to.Pos] {
			w.fail(noRule, to.Pos, f.Pkg, "write a path from the counterpart of the struct, such as .name", "%s leads out of the object, or out of a list or map", target)
		}
		return // reported
	}
	if len(path) == 1 {
		if g := w.Hub.Field(f.JSON); g != nil && !g.Meta && !w.claimed([]*Field{g}) {
			w.convert(path, []*Field{g}, reason)
			return
		}
	}
	switch {
	case keep != nil:
		w.Units = append(w.Units, &Unit{Spoke: path, Up: Kept, Pos: f.pos()})
	case drop != nil:
		w.Units = append(w.Units, &Unit{Spoke: path, Up: Dropped, Reason: reason, Pos: f.pos()})
	case f.Type.base().Shape == Struct && slices.ContainsFunc(w.claims, func(c *claim) bool { return len(c.spoke) > len(path) && under(c.spoke, path) }):
		w.spokeFields(f.Type.base(), path)
		if f.Type.Shape == Pointer {
			w.Units = append(w.Units, &Unit{Spoke: path, Up: Kept, Pos: f.pos(), set: true})
		}
	default:
		w.without(f, path)
	}
}

// under reports whether a path begins with another one.
func under(path, prefix []*Field) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

// claimed reports whether a marker names a field of the hub, or a pair outside converts it.
func (w *pairing) claimed(hub []*Field) bool {
	return slices.Contains(w.takenHub, dotted(hub)) || slices.ContainsFunc(w.claims, func(c *claim) bool { return dotted(c.hub) == dotted(hub) })
}

// convert adds the unit of two counterparts.
func (w *pairing) convert(spoke, hub []*Field, reason string) {
	f, g := spoke[len(spoke)-1], hub[len(hub)-1]
	r := &rules{pairer: w.pairer, spokeField: f, hubField: g, spokeSchema: below(w.Spokeward, spoke), hubSchema: below(w.Hubward, hub)}
	r.takenSpoke, r.takenHub = w.inside(spoke, hub)
	for _, m := range f.Source.Markers {
		value, _ := m.Value.(markers.Convert)
		switch m.Name {
		case markers.ConvertPrefix + "to":
			r.codec, _ = value.Get("as")
			if key, ok := value.Get("key"); ok {
				r.keys = value.List(key)
			}
		case markers.ConvertPrefix + "key":
			r.keys = value.List(value.Value)
		case markers.ConvertPrefix + "values":
			r.values = m
		}
	}
	outer := w.path
	w.path = append(slices.Clone(outer), names(spoke)...)
	rule, problem := r.of(f.Type, g.Type, r.spokeSchema, r.hubSchema, 0)
	w.path = outer
	if rule == nil {
		hint := "write two functions and +schemagen:convert:func"
		if codec := codecFor(f.Type, g.Type); codec != "" {
			hint = "write +schemagen:convert:to=" + dotted(hub) + ",as=" + codec
		}
		if s, h := f.Type, g.Type; (s.Shape == Map && h.Shape == List || s.Shape == List && h.Shape == Map) && s.Elem.Shape == Struct && h.Elem.Shape == Struct {
			hint = "write +schemagen:convert:to=" + dotted(hub) + ",as=map,key=.name, with the field of the list that has the keys"
		}
		d := w.fail(noRule, f.pos(), f.Pkg, hint, "%s %s (%s) and %s %s (%s) do not convert: %s", w.spoke.Name, w.in(spoke), f.Type.label(), w.current.Hub.Name, w.in(hub), g.Type.label(), problem)
		*d = d.With(diag.Related{Pos: w.reporter.Position(g.pos()), Message: "the counterpart"})
		return
	}
	if r.codec != "" && !rule.has(opCodec, opKeyed) || r.values != nil && !rule.has(opValues) {
		w.fail(noRule, f.pos(), f.Pkg, "", "the marker of %s %s does not fit: its values are %s, and those of %s %s are %s", w.spoke.Name, w.in(spoke), f.Type.label(), w.current.Hub.Name, w.in(hub), g.Type.label())
		return
	}
	u := &Unit{Spoke: spoke, Hub: hub, Rule: rule, Pos: f.pos(), Reason: reason}
	if rule.Name == "equal" && dotted(spoke) != dotted(hub) {
		rule.Name = "renamed"
	}
	w.Units = append(w.Units, u)
	w.compareDefaults(u, r.spokeSchema, r.hubSchema)
}

// names returns the JSON names of a path.
func names(path []*Field) (out []string) {
	for _, f := range path {
		out = append(out, f.JSON)
	}
	return out
}

// inside returns the fields below two counterparts that units of this pair convert.
func (w *pairing) inside(spoke, hub []*Field) (takenSpoke, takenHub []string) {
	s, h := dotted(spoke), dotted(hub)
	for _, taken := range w.takenSpoke {
		if rest, ok := strings.CutPrefix(taken, s+"."); ok {
			takenSpoke = append(takenSpoke, "."+rest)
		}
	}
	for _, taken := range w.takenHub {
		if rest, ok := strings.CutPrefix(taken, h+"."); ok {
			takenHub = append(takenHub, "."+rest)
		}
	}
	for _, c := range w.claims {
		if rest, ok := strings.CutPrefix(dotted(c.spoke), s+"."); ok {
			takenSpoke = append(takenSpoke, "."+rest)
		}
		if rest, ok := strings.CutPrefix(dotted(c.hub), h+"."); ok {
			takenHub = append(takenHub, "."+rest)
		}
	}
	return takenSpoke, takenHub
}

// hubFields adds the units of the fields that only the hub has.
func (w *pairing) hubFields(t *Type, prefix []*Field, s *structural.Schema) {
	for _, g := range w.types.fields(t) {
		path := append(slices.Clone(prefix), g)
		if g.Meta || w.claimed(path) || slices.ContainsFunc(w.Units, func(u *Unit) bool { return dotted(u.Hub) == dotted(path) }) {
			continue
		}
		inner := func(other []*Field) bool { return len(other) > len(path) && dotted(other[:len(path)]) == dotted(path) }
		below := slices.ContainsFunc(w.claims, func(c *claim) bool { return inner(c.hub) }) ||
			slices.ContainsFunc(w.takenHub, func(taken string) bool { return strings.HasPrefix(taken, dotted(path)+".") })
		if below {
			w.hubFields(g.Type.base(), path, property(s, g.JSON))
			if g.Type.Shape == Pointer {
				w.Units = append(w.Units, &Unit{Hub: path, Down: Kept, Pos: g.pos(), set: true})
			}
			continue
		}
		w.hubOnly(g, path, t, s)
	}
}

func (w *pairing) hubOnly(g *Field, path []*Field, within *Type, s *structural.Schema) {
	u := &Unit{Hub: path, Down: Kept, Pos: g.pos()}
	marker := w.acknowledged(path)
	if marker != nil {
		if _, secret := marker.Value.(markers.Convert).Get("secret"); secret {
			u.Down, u.Reason = Dropped, "secret"
		}
	}
	schema := property(s, g.JSON)
	if s != nil && s.ValueValidation != nil && slices.Contains(s.Required, g.JSON) && (schema == nil || schema.Default == nil) {
		w.fail(requiredHubOnly, g.pos(), g.Pkg, "make it optional, or give it a default", "%s %s is required, has no default, and has no counterpart in %s", w.current.Hub.Name, w.in(path), w.spoke.Name)
	}
	if marker == nil && w.strict {
		d := w.fail(noCounterpart, g.pos(), g.Pkg, "write above the struct: // +schemagen:convert:hubOnly="+dotted(path), "%s %s has no counterpart in %s", w.current.Hub.Name, w.in(path), w.spoke.Name)
		*d = d.With(diag.Related{Pos: w.reporter.Position(w.Spoke.Decl.Spec.Name.Pos()), Message: "the struct"})
	}
	if u.Down == Kept && isSecret(g, schema) {
		w.fail(keptSecret, g.pos(), g.Pkg, "write above "+w.Spoke.label()+": // +schemagen:convert:hubOnly="+dotted(path)+",secret", "%s %s would be kept in an annotation of %s", w.current.Hub.Name, w.in(path), w.spoke.Name)
	}
	if discriminator := w.discriminator(g, within); discriminator != nil && u.Down == Kept {
		u.Guards = [][]*Field{append(slices.Clone(path[:len(path)-1]), discriminator)}
	}
	w.Units = append(w.Units, u)
}

// acknowledged returns the marker hubOnly for a path, or nil.
func (w *pairing) acknowledged(path []*Field) *markers.Marker {
	candidates := slices.Clone(w.Spoke.Decl.Load().Markers)
	for _, f := range w.Spoke.Fields {
		candidates = append(candidates, f.Source.Markers...)
	}
	for _, m := range candidates {
		if m.Name == markers.ConvertPrefix+"hubOnly" && m.Value.(markers.Convert).Value == dotted(path) {
			return m
		}
	}
	return nil
}

// discriminator returns the field of a struct that selects a member of its union, if the
// field is a member.
func (w *pairing) discriminator(member *Field, t *Type) *Field {
	if !gounions.IsMarked(member.Source.Markers) {
		return nil
	}
	for _, f := range t.Fields {
		for _, name := range []string{markers.UnionDiscriminatorName, markers.DiscriminatorName, markers.TagUnionDiscriminatorName} {
			if f != member && f.Source.Markers.Get(name) != nil {
				return f
			}
		}
	}
	return nil
}

// isSecret reports whether a field seems to hold a secret.
func isSecret(f *Field, s *structural.Schema) bool {
	if s != nil && s.ValueValidation != nil && s.Format == "password" {
		return true
	}
	name := strings.ToLower(f.JSON)
	shape := f.Type.base().Shape
	return (shape == String || shape == Bytes) && (strings.HasSuffix(name, "password") || strings.HasSuffix(name, "token") || strings.HasSuffix(name, "secret"))
}

// compareDefaults reports counterparts with different defaults.
func (w *pairing) compareDefaults(u *Unit, s, h *structural.Schema) {
	text := func(s *structural.Schema) string {
		if s == nil || s.Default == nil {
			return ""
		}
		return string(s.Default.Raw)
	}
	a, b := text(s), text(h)
	if a == b || u.Rule.op != opSame && u.Rule.op != opCast && u.Rule.op != opInteger && (a == "" || b == "") || u.Rule.op == opCodec || u.Rule.op == opValues {
		return
	}
	describe := func(text string) string {
		if text == "" {
			return "none"
		}
		return text
	}
	d := w.fail(defaultsDiffer, u.Pos, u.Spoke[len(u.Spoke)-1].Pkg, "", "the default of %s %s is %s, and that of %s %s is %s: an object without the field is stored with that of the version that it is created in", w.spoke.Name, w.in(u.Spoke), describe(a), w.current.Hub.Name, w.in(u.Hub), describe(b))
	*d = d.With(diag.Related{Pos: w.reporter.Position(u.Hub[len(u.Hub)-1].pos()), Message: "the counterpart"})
}

// without reports a field of the spoke without a counterpart.
func (w *pairing) without(f *Field, path []*Field) {
	message := fmt.Sprintf("%s %s (%s) has no counterpart in %s", w.spoke.Name, w.in(path), f.Type.label(), w.current.Hub.Name)
	candidates := w.candidates(f)
	var found []string
	for _, c := range candidates {
		found = append(found, w.in(c)+" ("+c[len(c)-1].Type.label()+")")
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
	}
	lines = append(lines, "// +schemagen:convert:keep        (kept in an annotation while stored as "+w.current.Hub.Name+")", `// +schemagen:convert:drop,reason="…"`)
	d := w.fail(noCounterpart, f.pos(), f.Pkg, "write: "+strings.Join(lines, "\n\tor: "), "%s", message)
	for _, c := range candidates {
		*d = d.With(diag.Related{Pos: w.reporter.Position(c[len(c)-1].pos()), Message: "perhaps this"})
	}
}

// candidates returns at most three fields of the hub that might be the counterpart of a
// field: those whose types convert first, by the likeness of names.
func (w *pairing) candidates(f *Field) [][]*Field {
	type candidate struct {
		path    []*Field
		fits    int
		unalike int
	}
	var all []candidate
	var walk func(t *Type, prefix []*Field)
	walk = func(t *Type, prefix []*Field) {
		for _, g := range w.types.fields(t) {
			path := append(slices.Clone(prefix), g)
			if g.Meta || slices.Contains(prefix, g) || w.claimed(path) || len(prefix) == 0 && w.Spoke.Field(g.JSON) != nil {
				continue
			}
			fits := 2
			switch {
			case alike(f.Type, g.Type):
				fits = 0
			case codecFor(f.Type, g.Type) != "":
				fits = 1
			}
			if fits < 2 {
				all = append(all, candidate{path, fits, unalike(f.JSON, g.JSON)})
			}
			if inner := g.Type.base(); inner.Shape == Struct && inner.Decl.Pkg.Local() && len(prefix) < 3 {
				walk(inner, path)
			}
		}
	}
	walk(w.Hub, nil)
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.unalike/2, b.unalike/2), cmp.Compare(a.fits, b.fits), cmp.Compare(a.unalike, b.unalike))
	})
	var out [][]*Field
	for _, c := range all[:min(3, len(all))] {
		out = append(out, c.path)
	}
	return out
}

// unalike measures how different two names are: 0 if one contains the other.
func unalike(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return 0
	}
	return diag.EditDistance(a, b, 40)
}

// alike reports whether types seem to convert without a codec.
func alike(s, h *Type) bool {
	s, h = s.base(), h.base()
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

// castable reports whether Go converts the structs of the pair into each other.
func (w *pairing) castable() bool {
	s, h := w.Spoke, w.Hub
	if len(s.Fields) != len(h.Fields) || len(w.takenSpoke)+len(w.takenHub) > 0 || len(s.Decl.Fields()) != len(s.Fields) || len(h.Decl.Fields()) != len(h.Fields) {
		return false
	}
	for i, f := range s.Fields {
		g := h.Fields[i]
		if f.Go != g.Go || f.JSON != g.JSON || f.Type.ID != g.Type.ID || f.Meta || strings.Contains(f.Go, ".") {
			return false
		}
	}
	for _, u := range w.Units {
		if u.Rule == nil || u.Rule.op != opSame || dotted(u.Spoke) != dotted(u.Hub) {
			return false
		}
	}
	return true
}

// identical reports whether all versions have equal paths and types, so that nothing has to
// be converted.
func (p *pairer) identical(pair *Pair) bool { return p.identicalBelow(pair, map[*Pair]bool{}) }

func (p *pairer) identicalBelow(pair *Pair, seen map[*Pair]bool) bool {
	if seen[pair] {
		return true
	}
	seen[pair] = true
	return !slices.ContainsFunc(pair.Units, func(u *Unit) bool {
		if u.Rule == nil || dotted(u.Spoke) != dotted(u.Hub) {
			return true
		}
		for r := u.Rule; r != nil; r = r.Elem {
			switch r.op {
			case opSame, opCast, opPointer, opList, opMap:
			case opStruct:
				if !p.identicalBelow(r.Pair, seen) {
					return true
				}
			default:
				return true
			}
		}
		return false
	})
}

// property returns the schema of a property, or nil.
func property(s *structural.Schema, name string) *structural.Schema {
	if s == nil {
		return nil
	}
	if i := s.PropertyIndex(name); i >= 0 {
		return s.Properties[i].Schema
	}
	return nil
}

// below returns the schema at the end of a path, or nil.
func below(s *structural.Schema, path []*Field) *structural.Schema {
	for _, f := range path {
		s = property(s, f.JSON)
	}
	return s
}
