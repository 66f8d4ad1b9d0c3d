package conversions

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions/gotypes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// rules finds the rule for two counterparts.
type rules struct {
	*pairer
	spokeField, hubField   *Field
	spokeSchema, hubSchema *structural.Schema
	place
	// spokeRequired and hubRequired are set if the JSON of nil would not be valid in that side.
	spokeRequired, hubRequired bool
	// spokeOmits and hubOmits are set for fields with structs that are left out while they are empty.
	spokeOmits, hubOmits bool

	codec  string
	keys   []string
	values *markers.Marker
}

// of returns the rule for two types, or why there is none.
func (r *rules) of(s, h *Type, spoke, hub *structural.Schema, depth int) (*Rule, string) {
	rule := &Rule{Spoke: s, Hub: h}
	taken := len(r.takenSpoke)+len(r.takenHub)+len(r.extra) > 0
	if depth > gotypes.MaxDepth {
		return nil, "the types contain themselves"
	}
	if r.values != nil && s.Shape == String && h.Shape == String {
		return r.enum(rule, spoke, hub)
	}
	if r.codec == "map" && (s.Shape == Map && h.Shape == List || s.Shape == List && h.Shape == Map) {
		return r.keyed(rule, spoke, hub)
	}
	if r.codec != "" && fits(r.codec, s, h) {
		rule.Name = r.codec
		rule.op = opCodec
		rule.omitEmpty = r.codec == "json" && (omitsEmpty(r.spokeField, s) || omitsEmpty(r.hubField, h))
		return rule, ""
	}
	if r.codec == "" && r.values == nil && s.ID == h.ID && !taken && !strings.Contains(s.ID, "?") {
		rule.Name = "equal"
		rule.op = opSame
		return rule, ""
	}
	elem := func(a, b *Type, x, y *structural.Schema) string {
		var problem string
		rule.Elem, problem = r.of(a, b, x, y, depth+1)
		return problem
	}
	each := func(a, b *Type, x, y *structural.Schema) string { // elements are always there
		inner := *r
		inner.spokeThere = true
		inner.hubThere = true
		inner.spokeRequired = x == nil || !x.Nullable
		inner.hubRequired = y == nil || !y.Nullable
		var problem string
		rule.Elem, problem = inner.of(a, b, x, y, depth+1)
		return problem
	}
	switch {
	case s.Shape == Pointer && h.Shape == Pointer:
		rule.Name = "pointers"
		rule.op = opPointer
		shared := len(r.takenSpoke)+len(r.takenHub) > 0 // then the pointer may become nil
		r.spokeThere = !shared
		r.hubThere = !shared
		if problem := elem(s.Elem, h.Elem, spoke, hub); rule.Elem == nil {
			return nil, problem
		}
		rule.Name = rule.Elem.Name
	case s.Shape == Pointer || h.Shape == Pointer:
		rule.Name = "value and pointer"
		rule.op = opWrap
		if s.Shape == Pointer {
			rule.Required = r.spokeRequired && writesZero(s.Elem)
			r.spokeThere = true // otherwise it is nil
		} else {
			rule.Required = r.hubRequired && writesZero(h.Elem)
			r.hubThere = true
		}
		rule.spokeOmits = r.spokeOmits
		rule.hubOmits = r.hubOmits
		r.spokeThere = r.spokeThere || r.spokeOmits
		r.hubThere = r.hubThere || r.hubOmits
		r.spokeOmits = false
		r.hubOmits = false // not once more below
		if problem := elem(pointed(s), pointed(h), spoke, hub); rule.Elem == nil {
			return nil, problem
		}
		inner := rule.Elem.op
		if inner == opCodec || inner == opValues {
			rule.Name = rule.Elem.Name
		}
		points := s.Shape == Pointer && !wraps(rule.Elem.Spoke) || h.Shape == Pointer && !wraps(rule.Elem.Hub)
		rule.omitEmpty = omitsEmpty(r.spokeField, s) || omitsEmpty(r.hubField, h)
		if listed := rule.collection() && inner != opCodec && inner != opPointer; inner != opStruct && !listed && points {
			return nil, "a pointer to a " + pointed(s).Label() + " and a value"
		}
	case r.codec != "" && s.Shape != List && h.Shape != Map && s.Shape != Map && s.Shape != Struct:
		return nil, "the codec " + r.codec + " does not fit these types"
	case len(s.Members)+len(h.Members) > 0:
		return nil, "structs without a name are converted only if they are identical"
	case s.Shape == Opaque || h.Shape == Opaque:
		for _, t := range []*Type{s, h} {
			if t.Decl != nil && t.Decl.Pkg.Local() && t.Decl.Marshals("MarshalJSON") {
				return nil, t.Label() + " has a method MarshalJSON, so nothing is known of its JSON"
			}
		}
		return nil, "different types"
	case s.Shape == List && h.Shape == List:
		rule.Name = "list"
		rule.op = opList
		if problem := each(s.Elem, h.Elem, items(spoke), items(hub)); rule.Elem == nil {
			return nil, problem
		}
		if structs(rule.Elem) != nil {
			rule.Keys = r.keys
			for _, schema := range []*structural.Schema{hub, spoke} {
				if len(rule.Keys) == 0 && schema != nil && schema.XListType == "map" {
					for _, key := range schema.XListMapKeys {
						rule.Keys = append(rule.Keys, "."+key)
					}
				}
			}
			if problem := r.checkKeys(rule); problem != "" {
				return nil, problem
			}
			if len(rule.Keys) > 0 {
				rule.Name = "list by " + strings.Join(rule.Keys, " and ")
			}
		}
	case s.Shape == Map && h.Shape == Map:
		if s.Key.Shape != String || h.Key.Shape != String {
			return nil, "the keys of the maps are not strings"
		}
		rule.Name = "map"
		rule.op = opMap
		if problem := each(s.Elem, h.Elem, values(spoke), values(hub)); rule.Elem == nil {
			return nil, problem
		}
	case s.Shape == Struct && h.Shape == Struct:
		if problem := r.foreign(s, h); problem != "" {
			return nil, problem
		}
		rule.Name = "struct"
		rule.op = opStruct
		rule.spokeOmits = r.spokeOmits
		rule.hubOmits = r.hubOmits
		r.spokeThere = r.spokeThere || r.spokeOmits
		r.hubThere = r.hubThere || r.hubOmits
		outer := r.path
		place := r.place
		place.optional = place.optional && s == r.spokeField.Type
		rule.Pair = r.pair(s, h, spoke, hub, place)
		r.path = outer
	case s.Shape == h.Shape && (s.Basic == h.Basic):
		rule.Name = "equal"
		rule.op = opCast
	case (s.Shape == Int || s.Shape == Uint) && (h.Shape == Int || h.Shape == Uint):
		rule.Name = "integer"
		rule.op = opInteger
	default:
		return nil, "different types"
	}
	return rule, ""
}

// foreign returns why a struct of another module, which cannot have markers, does not
// convert.
func (r *rules) foreign(s, h *Type) string {
	if s.Decl.Pkg.Local() {
		return ""
	}
	var missing []string
	r.types.Fields(h)
	for _, f := range r.types.Fields(s) {
		named := slices.ContainsFunc(r.extra, func(m atMarker) bool { return m.path == "."+f.JSON })
		if h.Field(f.JSON) == nil && !f.Meta && !named {
			missing = append(missing, f.JSON)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return h.Label() + " has no " + strings.Join(missing, ", ") + ", and fields of another module have no markers: write +schemagen:convert:at(." + missing[0] + ")=+schemagen:convert:… above the field that uses the type"
}

// checkKeys returns what is wrong with the keys of a list.
func (r *rules) checkKeys(rule *Rule) string {
	for _, key := range rule.Keys {
		name := strings.TrimPrefix(key, ".")
		for _, side := range []*Type{rule.Elem.Spoke.Base(), rule.Elem.Hub.Base()} {
			r.types.Fields(side)
			f := side.Field(name)
			if f == nil {
				return side.Label() + " has no field " + name
			}
			switch f.Type.Base().Shape {
			case String, Int, Uint, Bool:
			default:
				return key + " is not a string, number or boolean"
			}
		}
	}
	return ""
}

// has reports whether a rule, or one below it, is one of the given ones.
func (r *Rule) has(ops ...op) bool {
	for ; r != nil; r = r.Elem {
		if slices.Contains(ops, r.op) {
			return true
		}
	}
	return false
}

// structs returns the pair of a rule for structs or pointers to them that are never nil on one
// side only, or nil.
func structs(r *Rule) *Pair {
	if r.op == opPointer || r.op == opWrap && r.Required {
		r = r.Elem
	}
	if r.op != opStruct {
		return nil
	}
	return r.Pair
}

// keyed completes the rule of a map and a list of structs, of which one field is the key.
func (r *rules) keyed(rule *Rule, spoke, hub *structural.Schema) (*Rule, string) {
	s := rule.Spoke
	h := rule.Hub
	list := h
	m := s
	if s.Shape == List {
		list = s
		m = h
	}
	if len(r.keys) != 1 {
		return nil, "write the key of the list: as=map,key=.name"
	}
	if m.Key.Shape != String || m.Elem.Shape != Struct || list.Elem.Shape != Struct {
		return nil, "the codec map is for a map by strings and a list, both of structs"
	}
	r.types.Fields(list.Elem)
	key := list.Elem.Field(strings.TrimPrefix(r.keys[0], "."))
	if key == nil || key.Type.Shape != String {
		return nil, list.Elem.Label() + " has no string " + r.keys[0]
	}
	rule.Name = "map by " + r.keys[0]
	rule.op = opKeyed
	rule.Keys = r.keys
	elem := &Rule{Name: "struct", Spoke: s.Elem, Hub: h.Elem, op: opStruct}
	if list == h {
		elem.Pair = r.pair(s.Elem, h.Elem, values(spoke), items(hub),
			place{takenHub: r.keys, extra: r.extra, spokeThere: true, hubThere: true})
	} else {
		elem.Pair = r.pair(s.Elem, h.Elem, items(spoke), values(hub),
			place{takenSpoke: r.keys, extra: r.extra, spokeThere: true, hubThere: true})
	}
	rule.Elem = elem
	return rule, ""
}

// enum completes the rule of values, and reports values that the enums do not have.
func (r *rules) enum(rule *Rule, spoke, hub *structural.Schema) (*Rule, string) {
	rule.Name = "values"
	rule.op = opValues
	var problem, hint string
	rule.Values, problem, hint = parseValues(r.values.Value.(markers.Convert).Value)
	if problem == "" {
		for side, s := range []*structural.Schema{spoke, hub} {
			enum := enumValues(s)
			if value, nearest := unknownValue(rule.Values, side, enum); value != "" {
				version := []*Version{r.spoke, r.current.Hub}[side]
				problem = fmt.Sprintf("%q is not in the enum of %s: %s", value, version.Name, strings.Join(enum, ", "))
				hint = nearest
				break
			}
		}
	}
	if problem != "" {
		r.fail(noRule, r.values.Pos, r.spokeField.Pkg, hint, "+%s: %s", r.values.Name, problem)
	}
	return rule, ""
}

// fits reports whether a codec converts two types, which are not looked through if they are pointers.
func fits(codec string, s, h *Type) bool {
	is := func(t *Type, shapes ...Shape) bool { return slices.Contains(shapes, t.Shape) }
	either := func(a, b func(*Type) bool) bool { return a(s) && b(h) || a(h) && b(s) }
	integer := func(t *Type) bool { return is(t, Int) }
	text := func(t *Type) bool { return is(t, String) }
	switch codec {
	case "seconds", "milliseconds", "minutes":
		return either(func(t *Type) bool { return t.ID == durationID }, integer)
	case "string":
		return either(text, func(t *Type) bool { return is(t, Int, Bool) })
	case "quantity":
		return either(func(t *Type) bool { return t.ID == quantityID }, func(t *Type) bool { return is(t, Int, String) })
	case "intOrString":
		return either(func(t *Type) bool { return t.ID == intOrStringID }, func(t *Type) bool { return is(t, Int, String) })
	case "not":
		return is(s, Bool) && is(h, Bool)
	case "single":
		return is(h, List) && h.Elem.ID == s.ID && s.Shape != Pointer || is(s, List) && s.Elem.ID == h.ID && h.Shape != Pointer
	case "set":
		return either(func(t *Type) bool { return is(t, List) && is(t.Elem, String) },
			func(t *Type) bool { return is(t, Map) && is(t.Key, String) && is(t.Elem, Bool) })
	case "json":
		return either(text, document)
	}
	return false
}

// document reports whether values of a type are more than a scalar in JSON.
func document(t *Type) bool {
	if t.Shape == Pointer {
		t = t.Elem
	}
	switch t.Shape {
	case Struct, List, Map:
		return !strings.Contains(t.ID, "?")
	}
	return t.Shape == Opaque && (t.ID == rawExtensionID || t.ID == jsonID)
}

// omitsEmpty reports whether a type is the list or the map of a field that is left out of the JSON while
// it is empty.
func omitsEmpty(f *Field, t *Type) bool {
	return f.Type == t && (t.Shape == List || t.Shape == Map) && f.Source.JSON().Has("omitempty")
}

// codecFor returns the codec that converts two types, or the empty string. It is not json, which a
// text and a struct suggest only if they are counterparts.
func codecFor(s, h *Type) string {
	s, h = s.Base(), h.Base()
	for _, codec := range markers.ConvertCodecs() {
		if codec != "not" && codec != "json" && fits(codec, s, h) {
			return codec
		}
	}
	return ""
}

func pointed(t *Type) *Type {
	if t.Shape == Pointer {
		return t.Elem
	}
	return t
}

// comparable reports whether Go compares values of a type with ==, and equal values have
// equal JSON.
func comparable(t *Type) bool {
	switch t.Shape {
	case String, Bool, Int, Uint, Float:
		return true
	}
	return t.ID == durationID || t.ID == intOrStringID
}

// wraps reports whether a pointer to a value of the type and a value convert, with nil as
// the zero value.
func wraps(t *Type) bool {
	return comparable(t) || t.ID == timeID || t.ID == microTimeID || t.ID == quantityID
}

// writesZero reports whether the JSON of the type's zero value is not null.
func writesZero(t *Type) bool { return t.ID != timeID && t.ID != microTimeID }

func items(s *structural.Schema) *structural.Schema {
	if s == nil {
		return nil
	}
	return s.Items
}

func values(s *structural.Schema) *structural.Schema {
	if s == nil || s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}

// Hook is a pair of functions that converts several fields.
type Hook struct {
	Name string
	// MetaTo and MetaFrom are set if the functions take the metadata of the object, too.
	MetaTo, MetaFrom bool
	// home is the package with the marker, and borrowers are other packages that call its functions.
	home      *source.Package
	borrowers []*source.Package
	// Fields belong to the spoke, and Targets to the hub.
	Fields, Targets [][]*Field
}

// hook adds the unit of a marker func, and the claims of its fields. field is the field with the
// marker; nil if it is on the struct.
func (w *pairing) hook(field *Field, marker *markers.Marker, pkg *source.Package) {
	value := marker.Value.(markers.Convert)
	h := &Hook{Name: value.Value, home: pkg}
	unit := &Unit{Pos: marker.Pos, Hook: h}
	fields, _ := value.Get("fields")
	for _, text := range value.List(fields) {
		t := w.Spoke
		path := []*Field(nil)
		for name := range strings.SplitSeq(strings.TrimPrefix(text, "."), ".") {
			w.types.Fields(t.Base())
			f := t.Base().Field(name)
			if f == nil {
				w.fail(noRule, marker.Pos, pkg, "", "+%s: %s has no field %s", marker.Name, t.Base().Label(), name)
				return
			}
			path = append(path, f)
			t = f.Type
		}
		h.Fields = append(h.Fields, path)
	}
	if len(h.Fields) == 0 && field != nil {
		h.Fields = [][]*Field{{field}}
	}
	targets, _ := value.Get("to")
	for _, text := range value.List(targets) {
		path := w.resolve(text, marker, field)
		if path == nil {
			return
		}
		h.Targets = append(h.Targets, path)
	}
	if len(h.Fields) == 0 || len(h.Targets) == 0 {
		w.fail(noRule, marker.Pos, pkg, "write fields=.a;.b,to=.c", "+%s needs the fields of both sides", marker.Name)
		return
	}
	unit.Spoke = h.Fields[0]
	unit.Hub = h.Targets[0]
	unit.Rule = &Rule{Name: "func " + h.Name, op: opHook}
	for i := range max(len(h.Fields), len(h.Targets)) {
		c := &claim{unit: unit, pos: marker.Pos}
		if i < len(h.Fields) {
			c.spoke = h.Fields[i]
		}
		if i < len(h.Targets) {
			c.hub = h.Targets[i]
		}
		w.claims = append(w.claims, c)
	}
	w.Units = append(w.Units, unit)
}

// checkHooks finds the functions of the hooks in a pair, and below, of a version, and reports
// functions that the generated code could not call. The code is in the package of the version; the
// functions are there, or in the package with the marker, if other versions use its struct, too.
func (p *pairer) checkHooks(pair *Pair, seen map[*Pair]bool) {
	if seen[pair] {
		return
	}
	seen[pair] = true
	for _, u := range pair.Units {
		if u.Hook != nil {
			p.checkHook(u)
		}
		for r := u.Rule; r != nil; r = r.Elem {
			if r.Pair != nil {
				p.checkHooks(r.Pair, seen)
			}
		}
	}
}

func (p *pairer) checkHook(unit *Unit) {
	h := unit.Hook
	pkg := p.spoke.Type.Decl.Pkg
	target := h.Name + "To"
	origin := h.Name + "From"
	declares := func(p *source.Package) bool {
		_, a := p.Function(target)
		_, b := p.Function(origin)
		return a != nil || b != nil
	}
	if h.home != pkg && !declares(pkg) && declares(h.home) {
		h.borrowers = append(h.borrowers, pkg)
		pkg = h.home
	}
	var problems []string
	var related []diag.Related
	hidden := false
	for _, up := range []bool{true, false} {
		name := target
		metadata := &h.MetaTo
		params := h.Fields
		results := h.Targets
		if !up {
			name = origin
			metadata = &h.MetaFrom
			params = h.Targets
			results = h.Fields
		}
		problem := ""
		if f, fn := pkg.Function(name); fn != nil {
			fits := func(i int, result bool, f *source.File, expr ast.Expr) bool {
				if result {
					return assignable(p.types.Of(f, expr), results[i][len(results[i])-1].Type)
				}
				return assignable(params[i][len(params[i])-1].Type, p.types.Of(f, expr))
			}
			*metadata, problem = hookSignature{name: name, params: len(params), results: len(results), fits: fits}.check(f, fn)
			if problem == "" && pkg != p.spoke.Type.Decl.Pkg && !ast.IsExported(name) {
				problem = name + " is not exported, and package " + p.spoke.Type.Decl.Pkg.Path + " needs it, too"
				hidden = true
			}
			if problem != "" {
				related = append(related, diag.Related{Pos: p.reporter.Position(fn.Name.Pos()), Message: name})
			}
		} else {
			problem = missingHook(name, pkg, h.home, p.current.Hub.Type.Decl.Pkg)
		}
		if problem != "" {
			problems = append(problems, problem)
		}
	}
	if len(problems) > 0 {
		hint := "write in package " + pkg.Name + ", if needed with *metav1.ObjectMeta as another first parameter:\n\t" + p.signature(pkg, target, h.Fields, h.Targets) + "\n\t" + p.signature(pkg, origin, h.Targets, h.Fields)
		if hidden {
			hint = "export the functions, and write func=" + upperFirst(h.Name)
		}
		d := p.fail(noRule, unit.Pos, h.home, hint, "+%sfunc: %s", markers.ConvertPrefix, strings.Join(problems, "; "))
		*d = d.With(related...)
	}
}

// From returns the package with the functions that the conversions of a package call.
func (h *Hook) From(p *source.Package) *source.Package {
	if slices.Contains(h.borrowers, p) {
		return h.home
	}
	return p
}

// signature returns the declaration of a function of a hook in a package.
func (p *pairer) signature(pkg *source.Package, name string, params, results [][]*Field) string {
	f := &codeFile{model: p.model, reporter: p.reporter, pkg: pkg, imports: map[string]string{},
		taken: map[string]bool{}, local: map[string]bool{}}
	var inputs, out []string
	for _, path := range params {
		inputs = append(inputs, f.name(path, "")+" "+f.text(path[len(path)-1].Type))
	}
	for _, path := range results {
		out = append(out, f.text(path[len(path)-1].Type))
	}
	result := strings.Join(out, ", ")
	if len(out) > 1 {
		result = "(" + result + ")"
	}
	return "func " + name + "(" + strings.Join(inputs, ", ") + ") " + result
}

// assignable reports whether Go assigns values of a type to variables of another one, or whether
// that is not known.
func assignable(t, target *Type) bool {
	switch {
	case t.ID == target.ID, strings.Contains(t.ID+target.ID, "?"), target.ID == "any":
		return true
	case t.Decl != nil && t.Decl.Spec.TypeParams != nil || target.Decl != nil && target.Decl.Spec.TypeParams != nil:
		return true // instances
	case target.Decl != nil && target.Shape == Opaque && target.Basic == "":
		return source.UnderlyingOf(target.Decl.File, target.Decl.Spec.Type).Kind != source.KindStruct // it may be an interface
	case (t.Decl == nil) == (target.Decl == nil) || t.Basic != "" || target.Basic != "":
		return false
	}
	same := func(a, b *Type) bool { return a == b || a != nil && b != nil && a.ID == b.ID }
	return t.Shape == target.Shape && same(t.Elem, target.Elem) && same(t.Key, target.Key)
}
