package conversions

import (
	"fmt"
	"strings"
)

// collects reports whether a rule is for lists and maps.
func (r *Rule) collects() bool { return r.op == opList || r.op == opMap || r.op == opKeyed }

// nests reports whether what is lost below a rule is in structs, or in lists and maps of them.
func (r *Rule) nests() bool {
	if r.collects() {
		return r.Elem.nests()
	}
	return structs(r) != nil
}

// elements returns a call that converts a list or a map, and returns what it loses, too.
func (f *codeFile) elements(rule *Rule, way Direction, source, kept string) string {
	a, b := rule.sides(way)
	each := f.each(rule.Elem, way)
	arguments := []string{source, kept}
	name := ""
	switch {
	case rule.op == opMap:
		f.use("conversionMap")
		name = "convertMap[" + f.text(b) + "]"
		arguments = append(arguments, each)
	case rule.op == opKeyed && a.Shape == Map:
		f.use("conversionKeyedMap")
		name = "convertMapToList"
		arguments = append(arguments, f.key(rule, b.Elem), f.setKey(rule, b.Elem), each, f.each(rule.Elem, way.Back()))
	case rule.op == opKeyed:
		f.use("conversionKeyedMap")
		name = "convertListToMap[" + f.text(b) + "]"
		arguments = append(arguments, f.key(rule, a.Elem), each)
	case len(rule.Keys) > 0:
		f.use("conversionKeyed")
		name = "convertKeyed"
		arguments = append(arguments, f.key(rule, a.Elem), f.key(rule, b.Elem), each, f.each(rule.Elem, way.Back()))
	default:
		f.use("conversionList")
		back := f.each(rule.Elem, way.Back())
		write := f.appender(a.Elem)
		if rule.Elem.drops() {
			write = fmt.Sprintf("func(j *conversionWriter, value *%s) {\n%s(j, value, %s, %s, %s)\n}", f.text(a.Elem), f.use("conversionWithoutDropped"), each, back, write)
		}
		name = "convertList"
		arguments = append(arguments, each, back, write, f.appender(b.Elem))
	}
	return name + "(" + strings.Join(arguments, ", ") + ")"
}

// each returns a function that converts an element of a list or a map: func(in *A, out *B, kept)
// conversionLost.
func (f *codeFile) each(r *Rule, way Direction) string {
	if r.collects() {
		source, target := r.sides(way)
		return fmt.Sprintf("func(in *%s, out *%s, kept conversionKept) (lost conversionLost) {\n*out, lost = %s\nreturn lost\n}", f.text(source), f.text(target), f.elements(r, way, "*in", "kept"))
	}
	sourceType, targetType := r.sides(way)
	pair := structs(r)
	if r.op == opStruct && pair.Loses && !pair.meta {
		return f.function(pair, way)
	}
	input := "in"
	out := "out"
	body := ""
	if sourceType.Shape == Pointer {
		input = "*in"
		body = "if *in == nil {\nreturn nil\n}\n"
	}
	if targetType.Shape == Pointer {
		out = "*out"
		body += fmt.Sprintf("*out = new(%s)\n", f.text(targetType.Elem))
	}
	kept := "kept"
	call := "return " + f.call(pair, way, input, out, "meta", "kept")
	if !pair.Loses {
		f.use("conversionLost")
		kept = "_"
		call = f.call(pair, way, input, out, "meta", "") + "\nreturn nil"
	}
	return fmt.Sprintf("func(in *%s, out *%s, %s conversionKept) conversionLost {\n%s%s\n}", f.text(sourceType), f.text(targetType), kept, body, call)
}

// scalarMap writes a unit of two maps whose values are no structs and may lose something.
func (f *codeFile) scalarMap(p *Pair, u *Unit, sourceRef, targetRef ref, way Direction) {
	r := u.Rule
	source := f.read(sourceRef)
	target := targetRef.expr
	if len(targetRef.guards) > 0 {
		target = f.name(targetRef.path, "")
		f.line("var %s %s", target, f.text(targetRef.field().Type))
	}
	f.use("conversionMap")
	f.use("conversionValue")
	a, b := r.sides(way)
	each := fmt.Sprintf("func(in *%s, out *%s, kept conversionKept) conversionLost {\n*out = %s\n", f.text(a.Elem), f.text(b.Elem), f.convert(r.Elem, way, "*in"))
	each += fmt.Sprintf("if value, ok := conversionValue[%s](kept, %s); ok && %s%s {\n*out = value\n}\n", f.text(b.Elem), f.elementRules(p, way, targetRef.path), r.Elem.notNil(b.Elem, "value"), f.onlyIf("same", f.sameBack(r.Elem, way, "value", "*in", false)))
	each += fmt.Sprintf("if %s {\nreturn conversionLosing(%s)\n}\nreturn nil\n}", f.onlyIf("lost", not(f.sameBack(r.Elem, way, "*out", "*in", false))), f.losing(a.Elem, "*in"))
	child := f.name(sourceRef.path, "Lost")
	kept := f.keptOf(u, way, targetRef)
	f.line("var %s conversionLost\n%s, %s = convertMap[%s](%s, %s, %s)", child, target, child, f.text(b), source, kept, each)
	f.emptied(r, way, source, target, kept, child)
	f.loseBelow(u, way, child, sourceRef)
	if len(targetRef.guards) > 0 {
		f.assign(targetRef, target)
	}
}
