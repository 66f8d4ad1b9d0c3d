package conversions

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions/gotypes"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/unions/gounions"
	"github.com/schemagen/schemagen/structural"
)

// pairer pairs the fields of the versions of kinds.
type pairer struct {
	model    *Model
	reporter *report.Reporter
	types    *gotypes.Types
	unions   *gounions.Unions
	parse    func(*source.Package, []markers.Comment, markers.Target) (source.Markers, source.Malformed)
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
	properties
}

// pairing is the state of pairing two structs.
type pairing struct {
	*pairer
	*Pair
	// claims come from markers of this struct and of the structs below it.
	claims []*claim
	// offered are fields of the hub that might be the counterparts of fields without one.
	offered []string
	// deeper are markers that fields of structs below have for fields further down.
	deeper []atMarker
}

// pair returns the pair of two structs.
func (p *pairer) pair(s, h *Type, spokeSchema, hubSchema *structural.Schema, around place) *Pair {
	around.optional = around.optional && p.hasMetadata(s, around)
	around.spokeThere = around.spokeThere && p.requiresPointer(p.types, s, spokeSchema)
	around.hubThere = around.hubThere && p.requiresPointer(p.types, h, hubSchema)
	key := s.ID + " " + h.ID + " " + around.key()
	if pair := p.memo[key]; pair != nil {
		return pair
	}
	pair := &Pair{Spoke: s, Hub: h, Spokeward: spokeSchema, Hubward: hubSchema, ofKind: p.current, ofSpoke: p.spoke,
		place: around}
	p.memo[key] = pair
	p.model.Pairs = append(p.model.Pairs, pair)
	w := &pairing{pairer: p, Pair: pair}
	w.run()
	pair.equal = w.castable()
	return pair
}

// key returns a text that is equal for equal places.
func (around place) key() string {
	text := fmt.Sprint(strings.Join(around.takenSpoke, ","), " ", strings.Join(around.takenHub, ","), " ", around.optional, around.spokeThere, around.hubThere)
	for _, m := range around.extra {
		text += " " + m.path + " " + m.marker.Text
	}
	return text
}

func (w *pairing) run() {
	w.types.Fields(w.Spoke)
	w.types.Fields(w.Hub)
	if w.Spoke.Mixed || w.Hub.Mixed {
		w.mixed(w.Spoke)
		w.mixed(w.Hub)
		return
	}
	for _, m := range w.Spoke.Decl.Load().Markers {
		switch name := strings.TrimPrefix(m.Name, markers.ConvertPrefix); name {
		case m.Name, "hub", "storeAs":
		case "hubOnly":
			w.resolve(m.Value.(markers.Convert).Value, m, nil)
		case "func":
			w.hook(nil, m, w.Spoke.Decl.Pkg)
		case "set":
			w.constant(m, nil)
		case "union":
			w.union(m, nil)
		case "label", "annotation":
			w.entry(m, name)
		default:
			w.notYet(m, w.Spoke.Decl.Pkg)
		}
	}
	w.findClaims(w.Spoke, nil, 0)
	w.refuseDuplicates()
	w.spokeFields(w.Spoke, nil)
	for _, c := range w.claims { // of fields below structs that have counterparts of their own
		if c.unit == nil && !slices.ContainsFunc(w.Units, func(u *Unit) bool { return samePath(u.Spoke, c.spoke) }) {
			w.spokeField(c.spoke[len(c.spoke)-1], c.spoke)
		}
	}
	w.hubFields(w.Hub, nil, w.Hubward)
	w.findMembers()
	w.rankGuards()
	slices.SortStableFunc(w.Units, func(a, b *Unit) int { return cmp.Compare(a.order(), b.order()) })
}

// mixed reports a struct that conversions cannot look into.
func (w *pairing) mixed(t *Type) {
	const hint = "convert the field that uses the struct with +schemagen:convert:func"
	switch {
	case t.Oddity != nil:
		w.fail(noRule, t.Oddity.Pos, t.OddIn, hint, "%s of %s %s, which conversions do not support", t.Oddity.GoName(), t.Label(), t.Why)
	case t.Mixed:
		w.fail(noRule, t.Decl.Spec.Name.Pos(), t.Decl.Pkg, hint, "%s embeds structs too deeply, which conversions do not support", t.Label())
	}
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
		p.reported = map[string]bool{}
		p.failed = map[token.Pos]bool{}
	}
	p.reported[key] = true
	p.failed[pos] = true
	return p.reporter.Report(kind, pkg.At(pos), hint, format, args...)
}

func (p *pairer) notYet(m *markers.Marker, pkg *source.Package) {
	p.fail(noRule, m.Pos, pkg, "convert the field with +schemagen:convert:func", "+%s is not generated yet", m.Name)
}

// in returns a path from the object, for messages.
func (p *pairer) in(path []*Field) string {
	out := ""
	for _, name := range p.path {
		out += "." + name
	}
	return out + dotted(path)
}

// shared reports whether the struct of the spoke is of another package of the user than the kind, so
// that kinds of several packages may use it: messages then name the structs instead of the versions.
func (w *pairing) shared() bool {
	return w.Spoke.Decl.Pkg != w.spoke.Type.Decl.Pkg && w.Spoke.Decl.Pkg.Local()
}

// in returns a path from the object, or from a shared struct.
func (w *pairing) in(path []*Field) string {
	if w.shared() {
		return dotted(path)
	}
	return w.pairer.in(path)
}

func (w *pairing) spokeName() string { return w.nameOf(w.Spoke, w.spoke) }

func (w *pairing) hubName() string { return w.nameOf(w.Hub, w.current.Hub) }

func (w *pairing) nameOf(t *Type, v *Version) string {
	if w.shared() {
		return t.Label()
	}
	return v.Name
}

// dotted returns a path of JSON names, each after a dot.
func dotted(path []*Field) string {
	out := ""
	for _, f := range path {
		out += "." + f.JSON
	}
	return out
}

// samePath reports whether fields have the same names, without the garbage of [dotted].
func samePath(a, b []*Field) bool {
	return slices.EqualFunc(a, b, func(f, g *Field) bool { return f.JSON == g.JSON })
}

func isTaken(taken []string, path []*Field) bool {
	return len(taken) > 0 && slices.Contains(taken, dotted(path))
}

// spokeFields adds the units of the fields of a struct of the spoke, which prefix leads to.
func (w *pairing) spokeFields(t *Type, prefix []*Field) {
	for _, f := range w.types.Fields(t) {
		path := append(slices.Clone(prefix), f)
		if f.Meta || isTaken(w.takenSpoke, path) {
			continue
		}
		w.spokeField(f, path)
	}
}

func (w *pairing) spokeField(field *Field, path []*Field) {
	var keep, drop, targetMarker, metadata, guard *markers.Marker
	for _, m := range w.markersOf(field, path) {
		switch name := strings.TrimPrefix(m.Name, markers.ConvertPrefix); name {
		case "func":
			if w.failed[m.Pos] {
				return // reported
			}
		case m.Name, "at", "key", "values", "set", "union":
		case "to":
			targetMarker = m
		case "hubOnly":
			w.resolve(m.Value.(markers.Convert).Value, m, field)
		case "guard":
			guard = m
		case "metadata":
			metadata = m
		case "keep":
			keep = m
		case "drop":
			drop = m
		default:
			w.notYet(m, field.Pkg)
		}
	}
	start := len(w.Units)
	defer func() { w.guard(guard, field, w.Units[start:]) }()
	reason := ""
	if drop != nil {
		reason, _ = drop.Value.(markers.Convert).Get("reason")
		if reason == "" {
			w.fail(dropWithoutReason, drop.Pos, field.Pkg, `write +schemagen:convert:drop,reason="…"`, "%s %s is dropped without a reason", w.spokeName(), w.in(path))
		}
	}
	for _, c := range w.claims {
		if !samePath(c.spoke, path) {
			continue
		}
		if c.unit == nil && !c.refused {
			w.convert(path, c.hub, reason)
		}
		return
	}
	if targetMarker != nil {
		if target := targetMarker.Value.(markers.Convert).Value; !w.failed[targetMarker.Pos] {
			w.fail(noRule, targetMarker.Pos, field.Pkg, "write a path from the counterpart of the struct, such as .name", "%s leads out of the object, or out of a list or map", target)
		}
		return // reported
	}
	if metadata != nil {
		w.metadata(field, path, metadata)
		return
	}
	if len(path) == 1 {
		if g := w.Hub.Field(field.JSON); g != nil && !g.Meta && !w.claimed([]*Field{g}) {
			if keep != nil {
				d := w.fail(claimedTwice, keep.Pos, field.Pkg, "remove the marker, or name another field of the hub with +schemagen:convert:to", "%s %s has a counterpart of the same name in %s, so that +%s has no effect", w.spokeName(), w.in(path), w.hubName(), keep.Name)
				*d = d.With(diag.Related{Pos: w.reporter.Position(g.Pos()), Message: "the field of the hub"})
				return
			}
			w.convert(path, []*Field{g}, reason)
			return
		}
	}
	switch {
	case keep != nil:
		w.Units = append(w.Units, &Unit{Spoke: path, Up: Kept, Pos: field.Pos()})
	case drop != nil:
		w.Units = append(w.Units, &Unit{Spoke: path, Up: Dropped, Reason: reason, Pos: field.Pos()})
	case field.Type.Base().Shape == Struct &&
		slices.ContainsFunc(w.claims, func(c *claim) bool { return len(c.spoke) > len(path) && under(c.spoke, path) }):
		w.spokeFields(field.Type.Base(), path)
		if field.Type.Shape == Pointer {
			w.Units = append(w.Units, &Unit{Spoke: path, Up: Kept, Pos: field.Pos(), set: true})
		}
	default:
		w.without(field, path)
	}
}

// under reports whether a path begins with another one.
func under(path, prefix []*Field) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

// convert adds the unit of two counterparts.
func (w *pairing) convert(spoke, hub []*Field, reason string) {
	field := spoke[len(spoke)-1]
	g := hub[len(hub)-1]
	r := &rules{pairer: w.pairer, spokeField: field, hubField: g, spokeSchema: w.properties.below(w.Spokeward, spoke),
		hubSchema: w.properties.below(w.Hubward, hub)}
	r.place = w.inside(spoke, hub)
	r.optional = field.Type.Shape == Struct && (field.OmitEmpty || g.Type.Shape == Pointer)
	r.spokeThere, r.spokeRequired = w.spokeThere && written(spoke), w.spokeThere && w.properties.required(w.Spokeward, spoke)
	r.spokeOmits = field.OmitZero && field.Type.Shape == Struct
	r.hubOmits = g.OmitZero && g.Type.Shape == Struct
	r.hubThere, r.hubRequired = w.hubThere && written(hub), w.hubThere && w.properties.required(w.Hubward, hub)
	for _, m := range w.markersOf(field, spoke) {
		value, _ := m.Value.(markers.Convert)
		switch m.Name {
		case markers.ConvertPrefix + "to":
			r.codec, _ = value.Get("as")
			if codecs := markers.ConvertCodecs(); r.codec != "" && !slices.Contains(codecs, r.codec) {
				w.fail(noRule, m.Pos, field.Pkg, cmp.Or(didYouMean(r.codec, codecs), "write one of "+strings.Join(codecs, ", ")), "+%s: there is no codec %s", m.Name, r.codec)
				return
			}
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
	rule, problem := r.of(field.Type, g.Type, r.spokeSchema, r.hubSchema, 0)
	w.path = outer
	if rule == nil {
		hint := "write two functions and +schemagen:convert:func"
		codec := codecFor(field.Type, g.Type)
		if codec == "" && fits("json", field.Type, g.Type) {
			codec = "json"
		}
		if codec != "" {
			hint = "write +schemagen:convert:to=" + dotted(hub) + ",as=" + codec
		} else if r.codec != "" && alike(field.Type, g.Type) {
			hint = "remove as=" + r.codec
		}
		if s, h := field.Type, g.Type; (s.Shape == Map && h.Shape == List || s.Shape == List && h.Shape == Map) &&
			s.Elem.Shape == Struct && h.Elem.Shape == Struct {
			hint = "write +schemagen:convert:to=" + dotted(hub) + ",as=map,key=.name, with the field of the list that has the keys"
		}
		d := w.fail(noRule, field.Pos(), field.Pkg, hint, "%s %s (%s) and %s %s (%s) do not convert: %s", w.spokeName(), w.in(spoke), field.Type.Label(), w.hubName(), w.in(hub), g.Type.Label(), problem)
		*d = d.With(diag.Related{Pos: w.reporter.Position(g.Pos()), Message: "the counterpart"})
		return
	}
	if r.codec != "" && !rule.has(opCodec, opKeyed) || r.values != nil && !rule.has(opValues) {
		hint := ""
		if r.codec != "" {
			hint = "remove as=" + r.codec
		}
		w.fail(noRule, field.Pos(), field.Pkg, hint, "the marker of %s %s does not fit: its values are %s, and those of %s %s are %s", w.spokeName(), w.in(spoke), field.Type.Label(), w.hubName(), w.in(hub), g.Type.Label())
		return
	}
	if shape := pointed(field.Type).Shape; len(r.keys) > 0 && shape != List && shape != Map {
		w.fail(noRule, field.Pos(), field.Pkg, "remove key="+strings.Join(r.keys, ";"), "%s %s (%s) has no elements with keys", w.spokeName(), w.in(spoke), field.Type.Label())
		return
	}
	rule.emptyUp = writesEmpty(field, r.spokeSchema) && leavesOutEmpty(g)
	rule.emptyDown = writesEmpty(g, r.hubSchema) && leavesOutEmpty(field)
	u := &Unit{Spoke: spoke, Hub: hub, Rule: rule, Pos: field.Pos(), Reason: reason}
	if rule.Name == "equal" {
		switch {
		case !samePath(spoke[:len(spoke)-1], hub[:len(hub)-1]):
			rule.Name = "moved"
		case !samePath(spoke, hub):
			rule.Name = "renamed"
		}
	}
	w.Units = append(w.Units, u)
	w.compareDefaults(u, r.spokeSchema, r.hubSchema)
	w.compareEnums(u, r.values, r.spokeSchema, r.hubSchema)
}

// compareEnums reports values of the spoke's enum that the hub's schema refuses.
func (w *pairing) compareEnums(unit *Unit, m *markers.Marker, s, h *structural.Schema) {
	var mapped [][2]string
	for r := unit.Rule; r != nil; r = r.Elem {
		mapped = r.Values
		switch {
		case r.op == opList:
			s, h = items(s), items(h)
		case r.op == opMap:
			s, h = values(s), values(h)
		case r.op > opCast && r.op != opPointer && r.op != opWrap && r.op != opValues || m != nil && w.failed[m.Pos]:
			return
		}
	}
	for s != nil && s.Items != nil { // of equal lists
		s, h = items(s), items(h)
	}
	last := unit.Spoke[len(unit.Spoke)-1]
	lacking, text := lackingValues(enumValues(s), enumValues(h), mapped)
	if len(lacking) == 0 {
		return
	}
	d := w.fail(enumLacks, unit.Pos, last.Pkg, "write // +schemagen:convert:values="+text+"; the values of "+w.current.Hub.Name+" are "+strings.Join(enumValues(h), ", "), "%s %s can be %s, which %s %s cannot: such an object would be stored, and its updates refused", w.spokeName(), w.in(unit.Spoke), strings.Join(lacking, " or "), w.hubName(), w.in(unit.Hub))
	*d = d.With(diag.Related{Pos: w.reporter.Position(unit.Hub[len(unit.Hub)-1].Pos()), Message: "the counterpart"})
}

// names returns the JSON names of a path.
func names(path []*Field) (out []string) {
	for _, f := range path {
		out = append(out, f.JSON)
	}
	return out
}

// compareDefaults reports counterparts with different defaults.
func (w *pairing) compareDefaults(u *Unit, s, h *structural.Schema) {
	text := func(s *structural.Schema) string {
		if s == nil || s.Default == nil || string(s.Default.Raw) == `""` {
			return ""
		}
		return string(s.Default.Raw)
	}
	a := text(s)
	b := text(h)
	if a == b || u.Rule.op != opSame && u.Rule.op != opCast && u.Rule.op != opInteger && (a == "" || b == "") || u.Rule.op == opCodec || u.Rule.op == opValues {
		return
	}
	describe := func(text string) string {
		if text == "" {
			return "none"
		}
		return text
	}
	d := w.fail(defaultsDiffer, u.Pos, u.Spoke[len(u.Spoke)-1].Pkg, "", "the default of %s %s is %s, and that of %s %s is %s: an object without the field is stored with that of the version that it is created in", w.spokeName(), w.in(u.Spoke), describe(a), w.hubName(), w.in(u.Hub), describe(b))
	*d = d.With(diag.Related{Pos: w.reporter.Position(u.Hub[len(u.Hub)-1].Pos()), Message: "the counterpart"})
}

// properties finds the schemas of fields.
type properties struct{ *locate.Locator }

// below returns the schema at the end of a path, or nil.
func (p properties) below(s *structural.Schema, path []*Field) *structural.Schema {
	for _, f := range path {
		s = p.Property(s, f.JSON)
	}
	return s
}
