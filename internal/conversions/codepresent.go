package conversions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mayBeAbsent reports whether a unit is of two structs of which one is behind a pointer or, if it has
// only zeros, left out.
func (u *Unit) mayBeAbsent() bool {
	kept := u.Up == Kept || u.Down == Kept
	if u.Rule.op == opWrap && u.Rule.Elem.op == opStruct && (!u.Rule.Required || kept) {
		return true
	}
	return u.Rule.omits(ToHub()) || u.Rule.omits(FromHub())
}

// presentStruct writes a unit of structs of which at least one may be absent, and is if the other one
// is empty, but for fields that other units convert.
func (f *codeFile) presentStruct(unit *Unit, sourceRef, targetRef ref, way Direction) {
	source := f.read(sourceRef)
	target := targetRef.expr
	if len(targetRef.guards) > 0 {
		target = f.name(targetRef.path, "")
		f.line("var %s %s", target, f.text(targetRef.field().Type))
	}
	a, b := unit.Rule.sides(way)
	pair := unit.Rule.Pair
	if pair == nil {
		pair = unit.Rule.Elem.Pair
	}
	f.use("conversionLost")
	kept := f.keptOf(unit, way, targetRef)
	convert := func(input, out string) string { return f.call(pair, way, input, out, "meta", kept) }
	var dropped []string
	for _, inner := range pair.Units {
		path, _ := Sides(way, inner.Spoke, inner.Hub)
		if inner.Rule == nil && inner.fate(way) == Dropped {
			dropped = append(dropped, dotted(path))
		}
	}
	child := f.name(sourceRef.path, "Lost")
	set := func(condition string, arguments ...any) {
		f.line("if "+condition+" {", arguments...)
		f.line("%s = %s.present()\n}", child, child)
	}
	wasPresent := f.onlyIf("was present", kept+".isSet()")
	if a.Shape == Pointer && b.Shape == Pointer {
		taken, _ := Sides(way, pair.takenSpoke, pair.takenHub)
		hollow := func(paths []string) string { return f.hollow(pair, a.Elem, way, "*"+source, paths) }
		value := f.name(targetRef.path, "Value")
		f.line("var %s conversionLost\nif %s != nil {\nvar %s %s", child, source, value, f.text(b.Elem))
		if text := convert(source, "&"+value); pair.Loses {
			f.line("%s = %s", child, text)
		} else {
			f.line("%s", text)
		}
		f.line("if %s || %s || %s.isSet() {\n%s = &%s\n}", not(hollow(slices.Concat(taken, dropped))), not(f.empty(b.Elem, value, true)), kept, target, value)
		set("%s && %s", f.onlyIf("presence", hollow(dropped)), f.empty(b.Elem, value, true))
		f.line("} else if %s {\n%s = new(%s)\n}", wasPresent, target, f.text(b.Elem))
		f.loseBelow(unit, way, child, sourceRef)
	} else {
		input := "&" + source
		out := "&" + target
		value := ""
		if a.Shape == Pointer {
			input = f.name(sourceRef.path, "Value")
			f.line("%s := %s\nif %s == nil {\n%s = new(%s)\n}", input, source, input, input, f.text(a.Elem))
		}
		if b.Shape == Pointer || unit.Rule.omits(way.Back()) {
			value = f.name(targetRef.path, "Value")
			out = "&" + value
			f.line("var %s %s", value, f.text(pointed(b)))
		}
		marks := a.Shape == Pointer && !unit.Rule.Required || a.Shape != Pointer && unit.Rule.omits(way)
		switch text := convert(input, out); {
		case pair.Loses && marks:
			f.line("%s := %s", child, text)
		case pair.Loses:
			f.loseBelow(unit, way, text, sourceRef)
		case marks:
			f.line("var %s conversionLost\n%s", child, text)
		default:
			f.line("%s", text)
		}
		result := value
		switch {
		case unit.Rule.Required && b.Shape == Pointer:
			f.line("%s = &%s", target, value)
		case value != "":
			if b.Shape == Pointer {
				result = f.use("conversionNew") + "(" + value + ")" // a copy, so that nothing is allocated if it is absent
			}
			f.line("if %s || %s {\n%s = %s\n}", not(f.hollow(pair, pointed(b), way.Back(), value, nil)), wasPresent, target, result)
		}
		if marks && a.Shape == Pointer {
			set("%s != nil && %s", source, f.onlyIf("presence", f.hollow(pair, a.Elem, way, "*"+source, dropped)))
		} else if marks {
			set("%s && %s", not(f.empty(a, source, true)), f.onlyIf("presence", f.hollow(pair, a, way, source, dropped)))
		}
		if marks {
			f.loseBelow(unit, way, child, sourceRef)
		}
	}
	if len(targetRef.guards) > 0 {
		f.assign(targetRef, target)
	}
}

// hollow returns a condition that the source of a direction, a struct of a pair, has only zeros, also behind pointers that are
// required, and fields at the given paths.
func (f *codeFile) hollow(p *Pair, t *Type, way Direction, value string, beside []string) string {
	empty := func(value string) string {
		if len(beside) == 0 {
			return f.empty(t, value, true)
		}
		return "!" + f.hasOwn(t, beside) + "(" + value + ")"
	}
	if !p.hasZeros(way) {
		return empty(value)
	}
	id := fmt.Sprintf("hollow %p %s %v", p, way.word, beside)
	name, ok := f.helperOf[id]
	if !ok {
		name = f.unique("hollow" + f.identifier(t))
		f.helperOf[id] = name
		var out strings.Builder
		fmt.Fprintf(&out, "// %s reports whether all values are zero, also behind pointers that are required.\nfunc %s(value %s) bool {\n", name, name, f.text(t))
		for _, u := range p.Units {
			path, pair, pointer := u.zeros(way)
			if path == nil || !pointer && !pair.hasZeros(way) {
				continue
			}
			r := refOf("value", path)
			location := r.expr
			guard := ""
			field := r.field().Type
			cleared := "*new(" + f.text(field) + ")"
			if pointer {
				location = "*" + r.expr
				guard = r.expr + " != nil && "
				cleared = "nil"
				field = field.Elem
			}
			zero := f.empty(field, location, true)
			if pair != nil {
				zero = f.hollow(pair, field, way, location, nil)
			}
			fmt.Fprintf(&out, "if %s%s {\n%s = %s\n}\n", guard, zero, r.expr, cleared)
		}
		fmt.Fprintf(&out, "return %s\n}\n", empty("value"))
		f.helpers = append(f.helpers, out.String())
	}
	return name + "(" + value + ")"
}

// hasOwn returns a function that reports whether a struct has values other than those of
// fields that other units convert.
func (f *codeFile) hasOwn(t *Type, taken []string) string {
	than := ""
	for name := range strings.FieldsFuncSeq(strings.Join(taken, ""), func(r rune) bool { return r == '.' }) {
		than += upperFirst(name)
	}
	return f.helper("has"+f.identifier(t)+"Beside"+than, func(name string) string {
		var out strings.Builder
		fmt.Fprintf(&out, "// %s reports whether a field other than %s has a value.\nfunc %s(value %s) bool {\n", name, strings.Join(taken, " and "), name, f.text(t))
		for _, path := range taken {
			names := strings.Split(path, ".")[1:]
			current := t
			inner := 0
			expr := "value"
			var restore []string
			for i, name := range names {
				field := current.Base().Field(name)
				expr += "." + field.Go
				current = field.Type
				if i == len(names)-1 {
					fmt.Fprintf(&out, "%s = *new(%s)\n", expr, f.text(current))
				} else if current.Shape == Pointer {
					inner++
					copied := "copy" + strconv.Itoa(inner)
					fmt.Fprintf(&out, "if %s != nil {\n%s := *%s\n", expr, copied, expr)
					restore = append(restore, fmt.Sprintf("%s = &%s\nif %s {\n%s = nil\n}\n}\n", expr, copied, f.empty(current.Elem, copied, true), expr))
					expr = copied
				}
			}
			slices.Reverse(restore)
			out.WriteString(strings.Join(restore, ""))
		}
		fmt.Fprintf(&out, "return %s\n}\n", not(f.empty(t, "value", true)))
		return out.String()
	})
}

// share returns a pointer to a field of the source, if values of its type are the same in both
// versions. It is empty if they are not, or if what is converted is not a field.
func (f *codeFile) share(r *Rule, target *Type, value string) string {
	if r.Elem.op != opSame || !strings.HasPrefix(value, "in.") || strings.ContainsAny(value, " (") || r.collection() {
		return ""
	}
	if r.Required {
		return "&" + value
	}
	if !comparable(target.Elem) {
		return ""
	}
	return f.use("conversionShared") + "(&" + value + ")"
}
