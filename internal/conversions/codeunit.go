package conversions

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/source/gotext"
)

// ref is a field in a function: how it is read or written, and the pointers on the way.
type ref struct {
	path []*Field
	// guards are the pointers that must not be nil, and expr is the field itself.
	guards []string
	alloc  []*Type
	expr   string
}

func refOf(root string, path []*Field) ref {
	r := ref{path: path, expr: root}
	for i, f := range path {
		r.expr += "." + f.Go
		if i < len(path)-1 && f.Type.Shape == Pointer {
			r.guards = append(r.guards, r.expr)
			r.alloc = append(r.alloc, f.Type.Elem)
		}
	}
	return r
}

func (r ref) field() *Field { return r.path[len(r.path)-1] }

// keys returns the path as arguments.
func (r ref) keys() string {
	var out []string
	for _, f := range r.path {
		out = append(out, strconv.Quote(f.JSON))
	}
	return strings.Join(out, ", ")
}

// isImportable reports whether a file may import a package of the name after a variable is named.
func isImportable(name string) bool {
	return slices.Contains([]string{"bytes", "corev1", "intstr", "json", "maps", "math", "metav1", "regexp", "resource", "slices", "strconv", "sync", "time"}, name)
}

// name returns a name for a variable that no other one in the function has.
func (f *codeFile) name(path []*Field, suffix string) string {
	base := lowerFirst(path[len(path)-1].Source.GoName()) + suffix
	if token.IsKeyword(base) || f.taken[base] || isImportable(base) {
		base += "Value"
	}
	unique := gotext.Unique(base, func(name string) bool { return f.local[name] || f.taken[name] })
	f.local[unique] = true
	return unique
}

// read returns an expression for the field, which is zero if a pointer on the way is nil.
func (f *codeFile) read(r ref) string {
	if len(r.guards) == 0 {
		return r.expr
	}
	name := f.name(r.path, "")
	f.line("var %s %s", name, f.text(r.field().Type))
	f.line("if %s {\n%s = %s\n}", notNil(r.guards), name, r.expr)
	return name
}

func notNil(guards []string) string {
	var out []string
	for _, guard := range guards {
		out = append(out, guard+" != nil")
	}
	return strings.Join(out, " && ")
}

// assign writes a value to a field. Pointers on the way are allocated if it is not empty.
func (f *codeFile) assign(r ref, value string) {
	if len(r.guards) == 0 {
		f.line("%s = %s", r.expr, value)
		return
	}
	if !token.IsIdentifier(value) {
		name := f.name(r.path, "")
		f.line("%s := %s", name, value)
		value = name
	}
	f.line("if %s {", not(f.empty(r.field().Type, value, !writesEmpty(r.field(), nil))))
	f.allocate(r)
	f.line("%s = %s\n}", r.expr, value)
}

func (f *codeFile) allocate(r ref) {
	for i, guard := range r.guards {
		f.line("if %s == nil {\n%s = new(%s)\n}", guard, guard, f.text(r.alloc[i]))
	}
}

// phase returns when a unit is converted in a direction: what depends on other fields of the
// result comes after them.
func (u *Unit) phase(way Direction) int {
	const last = 1 << 20
	_, target := Sides(way, u.Spoke, u.Hub)
	switch {
	case u.Derived != nil && u.Derived.metadata != "":
		return last
	case u.Derived != nil && u.Derived.union != nil && !way.isUp():
		return last - 1 // the members belong to the result
	case u.Derived != nil && u.Derived.union != nil:
		return 2 // may be a guard
	case way.isUp() && len(u.Guards) > 0:
		return 3 + u.rank
	case u.set, u.Rule == nil && len(target) > 0:
		return 1
	}
	return 0
}

// inside returns how many units write a struct that the result of each is in: it comes after them.
func (p *Pair) inside(way Direction) map[*Unit]int {
	targets := map[string]int{}
	for _, u := range p.Units {
		_, path := Sides(way, u.Spoke, u.Hub)
		targets[dotted(path)]++
	}
	out := make(map[*Unit]int, len(p.Units))
	for _, u := range p.Units {
		_, path := Sides(way, u.Spoke, u.Hub)
		for i := 1; i < len(path); i++ {
			out[u] += targets[dotted(path[:i])]
		}
	}
	return out
}

// unit writes the statements of a unit for a direction.
func (f *codeFile) unit(pair *Pair, unit *Unit, way Direction) {
	source, target := Sides(way, unit.Spoke, unit.Hub)
	keeps := unit.Up == Kept || unit.Down == Kept
	switch {
	case unit.set:
		f.presence(pair, source, target)
	case unit.Derived != nil && unit.Derived.metadata != "":
		f.metadata(pair, unit, way)
	case unit.Derived != nil && unit.Derived.union != nil:
		f.union(pair, unit, way)
	case unit.Derived != nil:
		f.constant(pair, unit, way)
	case unit.Rule == nil:
		f.oneSided(pair, unit, way)
	case unit.Hook != nil:
		f.leaf(pair, unit, way)
	case unit.Rule.op == opLabel || unit.Rule.op == opAnnotation:
		f.entry(pair, unit, way)
	case unit.Rule.op == opMap && !unit.Rule.carries() && keeps:
		f.scalarMap(pair, unit, refOf("in", source), refOf("out", target), way)
	case unit.Reason == "" && (unit.Rule.shared() || unit.mayBeAbsent()):
		f.presentStruct(unit, refOf("in", source), refOf("out", target), way)
	case (unit.Rule.carries() || unit.Rule.isPresence()) && keeps:
		f.carried(pair, unit, refOf("in", source), refOf("out", target), way)
	case unit.Rule.op == opStruct && !keeps:
		f.plainStruct(unit.Rule, refOf("in", source), refOf("out", target), way)
	default:
		f.leaf(pair, unit, way)
	}
}

// presence writes the unit of a pointer whose fields are converted on their own.
func (f *codeFile) presence(p *Pair, source, target []*Field) {
	if len(source) > 0 {
		r := refOf("in", source)
		guards := notNil(append(r.guards, r.expr))
		f.line("if %s && %s {", guards, f.onlyIf("presence", f.emptyButDropped(p, source, r.expr)))
		f.line("lost = lost.present(%s)\n}", r.keys())
		return
	}
	r := refOf("out", target)
	wasPresent := f.onlyIf("was present", fmt.Sprintf("kept.at(%s).isSet()", r.keys()))
	if len(r.guards) == 0 {
		f.line("if %s == nil && %s {\n%s = new(%s)\n}", r.expr, wasPresent, r.expr, f.text(r.field().Type.Elem))
		return
	}
	f.line("if %s {", wasPresent)
	f.allocate(ref{guards: append(r.guards, r.expr), alloc: append(r.alloc, r.field().Type.Elem)})
	f.line("}")
}

// emptyButDropped returns a condition that a pointer to a struct, or a struct in it, has no value
// that is converted or kept.
func (f *codeFile) emptyButDropped(pair *Pair, path []*Field, expr string) string {
	t := path[len(path)-1].Type
	drops := func(path []*Field, isChild bool) bool {
		name := dotted(path)
		return slices.ContainsFunc(pair.Units, func(u *Unit) bool {
			other := dotted(slices.Concat(u.Spoke, u.Hub)) // one of which is nil
			return u.Rule == nil && u.Reason != "" && (other == name || isChild && strings.HasPrefix(other, name+"."))
		})
	}
	if !drops(path, true) {
		if t.Shape == Pointer {
			t = t.Elem
			expr = "*" + expr
		}
		return f.empty(t, expr, true)
	}
	var conditions []string
	for _, g := range f.model.types.Fields(t.Base()) {
		child := append(slices.Clone(path), g)
		switch value := expr + "." + g.Go; {
		case drops(child, false):
		case g.Type.Shape == Struct:
			conditions = append(conditions, f.emptyButDropped(pair, child, value))
		default:
			conditions = append(conditions, f.empty(g.Type, value, g.OmitEmpty))
		}
	}
	return cmp.Or(strings.Join(conditions, " && "), "true")
}

// oneSided writes the unit of a field that the other side does not have.
func (f *codeFile) oneSided(p *Pair, u *Unit, way Direction) {
	source, target := Sides(way, u.Spoke, u.Hub)
	if len(source) > 0 && u.fate(way) == Kept {
		r := refOf("in", source)
		condition := f.onlyIf("lost", not(f.empty(r.field().Type, r.expr, r.field().OmitEmpty)))
		if len(r.guards) > 0 {
			condition = notNil(r.guards) + " && " + condition
		}
		f.line("if %s {", condition)
		f.line("%s\n}", f.lose(u, way, r.expr, r))
	}
	if len(target) > 0 && u.fate(way.Back()) == Kept {
		r := refOf("out", target)
		t := r.field().Type
		k := f.keptOf(u, way, r)
		f.line("if value, ok := %s[%s](%s, %s); ok {", f.use("conversionValue"), f.text(t), k, f.rules(p, way, target))
		f.allocate(r)
		f.line("%s = value\n}", r.expr)
	}
}

// keptOf returns what is kept for a field of the result, which may have guards.
func (f *codeFile) keptOf(u *Unit, way Direction, target ref) string {
	if len(u.Guards) == 0 {
		return fmt.Sprintf("kept.at(%s)", target.keys())
	}
	f.use("conversionGuarded")
	var paths []string
	for _, guard := range u.Guards {
		if way.isUp() {
			paths = append(paths, "{"+refOf("out", guard).keys()+"}")
		}
	}
	return fmt.Sprintf("kept.guarded([]any{%s}, [][]string{%s}, %s)", f.guardValues(u, way), strings.Join(paths, ", "), target.keys())
}

// lose returns a statement that keeps a value of the source.
func (f *codeFile) lose(u *Unit, way Direction, value string, source ref) string {
	write := f.losing(source.field().Type, value)
	if len(u.Guards) > 0 {
		f.use("conversionGuarded")
		return fmt.Sprintf("lost = lost.under(conversionGuarded(conversionLosing(%s), %s), %s)", write, f.guardValues(u, way), source.keys())
	}
	return fmt.Sprintf("lost = lost.with(%s, %s)", write, source.keys())
}

// loseBelow writes the statement that keeps what was lost below a field of the source.
func (f *codeFile) loseBelow(u *Unit, way Direction, child string, source ref) {
	if len(u.Guards) > 0 {
		f.use("conversionGuarded")
		child = fmt.Sprintf("conversionGuarded(%s, %s)", child, f.guardValues(u, way))
	}
	f.line("lost = lost.under(%s, %s)", child, source.keys())
}

// guardValues returns the values of the guards, which are fields of the hub, as arguments.
func (f *codeFile) guardValues(u *Unit, way Direction) string {
	var out []string
	add := func(t *Type, value string) {
		if t.Shape == Struct || t.Shape == Opaque { // which may encode itself through a pointer only
			value = f.use("conversionNew") + "(" + value + ")"
		}
		out = append(out, value)
	}
	for _, guard := range u.Guards {
		r := refOf(way.hub, guard)
		t := r.field().Type
		if len(r.guards) == 0 || u.Rule == nil && !way.isUp() && len(u.Hub) > 0 &&
			slices.Equal(guard[:len(guard)-1], u.Hub[:len(u.Hub)-1]) {
			add(t, r.expr) // a field beside it, whose pointers are there
			continue
		}
		add(t, fmt.Sprintf("func() (value %s) {\nif %s {\nvalue = %s\n}\nreturn value\n}()", f.text(t), notNil(r.guards), r.expr))
	}
	return strings.Join(out, ", ")
}

// leaf writes a unit whose values are kept as they are: one field of each side, or those of
// a hook.
func (f *codeFile) leaf(pair *Pair, unit *Unit, way Direction) {
	froms, tos := unit.Fields(way)
	convert := func(way Direction, values []string) string {
		if unit.Hook != nil {
			name := unit.Hook.Name + way.word
			if meta, _ := Sides(way, unit.Hook.MetaTo, unit.Hook.MetaFrom); meta {
				values = append([]string{"meta"}, values...)
			}
			if home := unit.Hook.From(f.pkg); home != f.pkg {
				name = f.imp(home.Path, importName(home)) + "." + name
			}
			return name + "(" + strings.Join(values, ", ") + ")"
		}
		return f.convert(unit.Rule, way, values[0])
	}
	var values, results []string
	var sources, targets []ref
	for _, source := range froms {
		r := refOf("in", source)
		sources = append(sources, r)
		values = append(values, f.read(r))
	}
	for _, target := range tos {
		targets = append(targets, refOf("out", target))
	}
	loses := unit.fate(way) == Kept
	restores := unit.fate(way.Back()) == Kept
	simple := !loses && !restores && len(targets) == 1
	if simple {
		f.assign(targets[0], convert(way, values))
		return
	}
	for _, r := range targets {
		results = append(results, f.name(r.path, ""))
	}
	f.line("%s := %s", strings.Join(results, ", "), convert(way, values))
	switch { // as if the side that leaves it out were read from JSON
	case unit.Rule.empties(way):
		f.line("if len(%s) == 0 {\n%s = nil\n}", results[0], results[0])
	case unit.Rule.empties(way.Back()):
		f.line("if len(%s) == 0 {\n%s = nil\n}", values[0], results[0])
	}
	// same compares what the results convert back to with the source.
	same := func(results []string) (statement, condition string) {
		if unit.Hook == nil {
			return "", f.sameBack(unit.Rule, way, results[0], values[0], sources[0].field().OmitEmpty)
		}
		back := convert(way.Back(), results)
		if len(values) == 1 {
			return "", f.same(sources[0].field().Type, back, values[0], sources[0].field().OmitEmpty)
		}
		var names, conditions []string
		for i := range values {
			names = append(names, "back"+strconv.Itoa(i+1))
			conditions = append(conditions, f.same(sources[i].field().Type, names[i], values[i], sources[i].field().OmitEmpty))
		}
		return strings.Join(names, ", ") + " := " + back, strings.Join(conditions, " && ")
	}
	if restores {
		var kept, conditions []string
		for i, r := range targets {
			name := f.name(r.path, "Kept")
			kept = append(kept, name)
			condition := "ok"
			if i == len(targets)-1 && len(values) == 1 {
				_, same := same(kept)
				condition += " && " + unit.Rule.notNil(r.field().Type, name) + f.onlyIf("same", same)
			}
			conditions = append(conditions, fmt.Sprintf("if %s, ok := %s[%s](%s, %s); %s {", name, f.use("conversionValue"), f.text(r.field().Type), f.keptOf(unit, way, r), f.rules(pair, way, r.path), condition))
		}
		f.line("%s", strings.Join(conditions, "\n"))
		restore := strings.Join(results, ", ") + " = " + strings.Join(kept, ", ")
		if statement, condition := same(kept); statement != "" {
			restore = fmt.Sprintf("if %s; %s {\n%s\n}", statement, f.onlyIf("same", condition), restore)
		}
		f.line("%s%s", restore, strings.Repeat("\n}", len(targets)))
	}
	if loses {
		statement, condition := same(results)
		if statement != "" {
			statement += "; "
		}
		condition = not(condition)
		if unit.Rule.onlyEmpties(way) {
			condition = fmt.Sprintf("%s != nil && len(%s) == 0", values[0], values[0])
		}
		f.line("if %s%s {", statement, f.onlyIf("lost", condition))
		for i, r := range sources {
			f.line("%s", f.lose(unit, way, values[i], r))
		}
		f.line("}")
	}
	for i, r := range targets {
		f.assign(r, results[i])
	}
}

// sameBack returns a condition that a result converts back to the value of the source. For a required
// pointer, nil is zero: it may be of a struct that is left out.
func (f *codeFile) sameBack(r *Rule, way Direction, result, value string, omitEmpty bool) string {
	source, _ := r.sides(way)
	if r.Required && source.Shape == Pointer && !r.collection() {
		f.use("conversionValueOf")
		return f.same(source.Elem, f.convert(r.Elem, way.Back(), result), "conversionValueOf("+value+")", false)
	}
	return f.same(source, f.convert(r, way.Back(), result), value, omitEmpty)
}

// notNil returns the beginning of a condition that excludes nil from what is kept, if a pointer is
// required.
func (r *Rule) notNil(t *Type, value string) string {
	if r.Required && t.Shape == Pointer {
		return value + " != nil && "
	}
	return ""
}

// plainStruct writes a unit of two structs that lose nothing.
func (f *codeFile) plainStruct(r *Rule, source, target ref, way Direction) {
	if r.Pair.equal || len(source.guards)+len(target.guards) > 0 {
		f.assign(target, f.convert(r, way, f.read(source)))
		return
	}
	f.line("%s", f.call(r.Pair, way, "&"+source.expr, "&"+target.expr, "meta", "conversionKept{}"))
}

// carried writes a unit with structs below that lose something, which is kept field by field.
func (f *codeFile) carried(pair *Pair, unit *Unit, sourceRef, targetRef ref, way Direction) {
	rule := unit.Rule
	source := f.read(sourceRef)
	target := targetRef.expr
	if len(targetRef.guards) > 0 {
		target = f.name(targetRef.path, "")
		f.line("var %s %s", target, f.text(targetRef.field().Type))
	}
	kept := f.keptOf(unit, way, targetRef)
	switch {
	case rule.op == opStruct:
		f.loseBelow(unit, way, f.call(rule.Pair, way, "&"+source, "&"+target, "meta", kept), sourceRef)
	case rule.op == opPointer && rule.Elem.op == opStruct:
		_, b := rule.sides(way)
		f.line("if %s != nil {", source)
		f.line("%s = new(%s)", target, f.text(b.Elem))
		f.loseBelow(unit, way, f.call(rule.Elem.Pair, way, source, target, "meta", kept), sourceRef)
		f.line("}")
	case rule.collects() && rule.nests():
		child := f.name(sourceRef.path, "Lost")
		f.line("var %s conversionLost\n%s, %s = %s", child, target, child, f.elements(rule, way, source, kept))
		f.emptied(rule, way, source, target, kept, child)
		f.loseBelow(unit, way, child, sourceRef)
	case rule.isPresence(), (rule.op == opPointer || rule.op == opWrap) && rule.Elem.collects() && rule.Elem.nests():
		f.pointed(pair, unit, sourceRef, targetRef, source, target, kept, way)
	default:
		f.notYet(unit)
		return
	}
	if len(targetRef.guards) > 0 {
		f.assign(targetRef, target)
	}
}

// emptied writes the statements for an empty list or map that one side leaves out. Its presence is kept,
// since no element can be.
func (f *codeFile) emptied(r *Rule, way Direction, source, target, kept, child string) {
	_, targetType := r.sides(way)
	if r.empties(way) {
		f.line("if %s != nil && %s {\n%s = %s.present()\n}", source, f.onlyIf("presence", "len("+source+") == 0"), child, child)
	}
	if r.empties(way.Back()) {
		f.line("if len(%s) == 0 {\n%s = nil\nif %s {\n%s = %s{}\n}\n}", source, target, f.onlyIf("was present", kept+".isSet()"), target, f.text(targetType))
	}
}

// pointed writes a unit of lists or maps of which at least one is behind a pointer. That it is there but
// empty is kept if the other side leaves it out.
func (f *codeFile) pointed(pair *Pair, unit *Unit, sourceRef, targetRef ref, source, target, kept string, way Direction) {
	rule := unit.Rule
	a, b := rule.sides(way)
	child := ""
	if a.Shape == Pointer {
		f.line("if %s != nil {", source)
		source = "*" + source
	}
	value := target
	switch {
	case rule.Elem.carries():
		value, child = f.name(targetRef.path, "Value"), f.name(sourceRef.path, "Lost")
		f.line("%s, %s := %s", value, child, f.elements(rule.Elem, way, source, kept))
	case b.Shape == Pointer:
		value = f.name(targetRef.path, "Value")
		f.line("%s := %s", value, f.convert(rule.Elem, way, source))
	default:
		f.line("%s = %s", target, f.convert(rule.Elem, way, source))
	}
	result := value
	if b.Shape == Pointer {
		result = "&" + value
	}
	presence := rule.omitEmpty && !rule.Required && pair.mayBeEmpty(unit)
	empty := f.text(pointed(b)) + "{}"
	switch {
	case result == target:
	case a.Shape == Pointer:
		f.line("%s = %s", target, result)
	case rule.Required:
		f.line("if %s == nil {\n%s = %s\n}\n%s = %s", value, value, empty, target, result)
	default:
		f.line("if %s {\n%s = %s", not(f.empty(pointed(b), value, rule.omitEmpty)), target, result)
		if presence {
			f.line("} else if %s {\n%s = &%s", f.onlyIf("was present", kept+".isSet()"), target, empty)
		}
		f.line("}")
	}
	if child != "" {
		f.loseBelow(unit, way, child, sourceRef)
	}
	if a.Shape == Pointer {
		if presence {
			f.line("if %s {", f.onlyIf("presence", "len("+value+") == 0"))
			f.present(unit, way, sourceRef)
			f.line("}")
		}
		f.line("}")
	}
}

// present writes the statement that keeps that an empty field of the source is there.
func (f *codeFile) present(u *Unit, way Direction, source ref) {
	if len(u.Guards) > 0 {
		f.loseBelow(u, way, "conversionLost(nil).present()", source)
		return
	}
	f.use("conversionLost")
	f.line("lost = lost.present(%s)", source.keys())
}

// mayBeEmpty reports whether the schema of a list or a map behind a pointer allows an empty one.
func (p *Pair) mayBeEmpty(u *Unit) bool {
	s := properties{}.below(p.Hubward, u.Hub)
	if u.Rule.Spoke.Shape == Pointer {
		s = properties{}.below(p.Spokeward, u.Spoke)
	}
	none := func(n *int64) bool { return n == nil || *n == 0 }
	return s == nil || s.ValueValidation == nil || none(s.MinItems) && none(s.MinProperties)
}

func (f *codeFile) notYet(u *Unit) {
	field := u.Hub
	if len(u.Spoke) > 0 {
		field = u.Spoke
	}
	last := field[len(field)-1]
	f.reporter.Report(noRule, last.Pkg.At(last.Pos()), "convert the field with +schemagen:convert:func, or write +schemagen:convert:drop", "values of %s would be lost and cannot be kept: it is below a list or a map of pointers to lists or maps, or below a pointer to a pointer", dotted(field))
}
