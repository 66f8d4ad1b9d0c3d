package conversions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/source/gotext"
)

// constant writes the unit of a field of the hub that has a constant value.
func (f *codeFile) constant(p *Pair, u *Unit, way Direction) {
	t := u.Hub[len(u.Hub)-1].Type
	value := f.literal(t, u.Derived.Value)
	if !way.isUp() {
		r := refOf("in", u.Hub)
		current := f.read(r)
		f.line("if %s {", not(f.same(t, current, value, r.field().OmitEmpty)))
		f.line("lost = lost.with(%s, %s)\n}", f.losing(t, current), r.keys())
		return
	}
	r := refOf("out", u.Hub)
	name := f.name(r.path, "")
	f.line("var %s %s = %s", name, f.text(t), value)
	f.restore(name, t, fmt.Sprintf("kept.exactly(%s)", r.keys()), f.rules(p, way, u.Hub), "")
	f.assign(r, name)
}

// restore sets a variable to what is kept, if that fulfils the rules and a condition on value.
func (f *codeFile) restore(name string, t *Type, kept, rules, condition string) {
	if condition != "" {
		condition = " && " + condition
	}
	f.line("if value, ok := %s[%s](%s, %s); ok%s {\n%s = value\n}", f.use("conversionValue"), f.text(t), kept, rules, condition, name)
}

// literal returns JSON that fits a type as an expression.
func (f *codeFile) literal(t *Type, raw json.RawMessage) string {
	text := string(raw)
	switch t.Shape {
	case String:
		var s string
		if json.Unmarshal(raw, &s) == nil {
			text = strconv.Quote(s)
		}
	case Float:
		text = strings.ReplaceAll(text, "E", "e") // as gofmt writes it
	case Pointer:
		if text == "null" {
			return "nil"
		}
		f.use("conversionNew")
		return "conversionNew(" + f.cast(t.Elem, f.literal(t.Elem, raw)) + ")"
	case List:
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return "nil"
		}
		elements := make([]string, len(list))
		for i, element := range list {
			elements[i] = f.literal(t.Elem, element)
		}
		return f.text(t) + "{" + strings.Join(elements, ", ") + "}"
	case Struct:
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			return f.text(t) + "{}"
		}
		var fields []string
		for _, field := range t.Fields {
			if value, ok := object[field.JSON]; ok {
				fields = append(fields, field.Go+": "+f.literal(field.Type, value))
			}
		}
		return f.text(t) + "{" + strings.Join(fields, ", ") + "}"
	}
	return text
}

// union writes the unit of a discriminator that the spoke does not have.
func (f *codeFile) union(pair *Pair, unit *Unit, way Direction) {
	hub := refOf(way.hub, unit.Hub)
	t := hub.field().Type
	member := f.name(unit.Hub, "Member")
	f.line("%s := %q", member, unit.Derived.None)
	f.line("switch {")
	for _, m := range unit.Derived.Members {
		r := refOf(way.spoke, m.Spoke)
		condition := not(f.empty(r.field().Type, r.expr, true))
		if len(r.guards) > 0 {
			condition = notNil(r.guards) + " && " + condition
		}
		f.line("case %s:\n%s = %q", condition, member, m.Value)
	}
	f.line("}")
	value := f.asType(pointed(t), member)
	if t.Shape == Pointer {
		f.use("conversionPointerTo")
		value = "conversionPointerTo(" + value + ")"
	}
	if !way.isUp() {
		if len(hub.guards) > 0 { // without a member, up does not allocate them
			f.line("if %s && (%s == %q || %s) {", notNil(hub.guards), member, unit.Derived.None, not(f.same(t, hub.expr, value, hub.field().OmitEmpty)))
		} else {
			f.line("if %s {", not(f.same(t, hub.expr, value, hub.field().OmitEmpty)))
		}
		f.use("conversionGuarded")
		f.line("lost = lost.under(conversionGuarded(conversionLosing(%s), %s), %s)\n}", f.losing(t, hub.expr), member, hub.keys())
		return
	}
	f.use("conversionUnion")
	var members []string
	for _, m := range unit.Derived.Members {
		members = append(members, fmt.Sprintf("{%q, []string{%s}}", m.Value, refOf("out", m.Hub).keys()))
	}
	name, kept := f.name(unit.Hub, ""), f.name(unit.Hub, "Kept")
	f.line("%s := %s", name, value)
	f.line("%s := kept.union(%s, %q, []conversionMember{%s}, %s)", kept, member, unit.Derived.None, strings.Join(members, ", "), hub.keys())
	f.restore(name, t, kept, f.rules(pair, way, unit.Hub), "")
	if len(hub.guards) == 0 {
		f.line("%s = %s", hub.expr, name)
		return
	}
	f.line("if !%s.isNone() || %s != %q || %s {", kept, member, unit.Derived.None, notNil(hub.guards))
	f.allocate(hub)
	f.line("%s = %s\n}", hub.expr, name)
}

// metadata writes the unit of a field of the spoke that repeats the name or the namespace.
func (f *codeFile) metadata(pair *Pair, unit *Unit, way Direction) {
	r := refOf(way.spoke, unit.Spoke)
	t := r.field().Type
	if len(r.guards) > 0 {
		f.line("if %s {", notNil(r.guards))
	}
	name := f.name(r.path, "")
	value := "meta." + unit.Derived.metadata
	if t.Shape == Pointer {
		f.use("conversionPointerTo")
		value = "conversionPointerTo(" + f.asType(t.Elem, value) + ")"
	} else {
		value = f.asType(t, value)
	}
	if there := f.there(pair, unit, way.spoke); there != "" {
		f.line("var %s %s\nif %s {\n%s = %s\n}", name, f.text(t), there, name, value)
	} else {
		f.line("%s := %s", name, value)
	}
	if way.isUp() {
		f.line("if %s {\nlost = lost.with(%s, %s)\n}", not(f.same(t, r.expr, name, r.field().OmitEmpty)), f.losing(t, r.expr), r.keys())
	} else {
		f.restore(name, t, fmt.Sprintf("kept.exactly(%s)", r.keys()), f.rules(pair, way, unit.Spoke), "")
		f.line("%s = %s", r.expr, name)
	}
	if len(r.guards) > 0 {
		f.line("}")
	}
}

// there returns a condition that the struct that holds a field of the spoke is there; empty
// if it always is.
func (f *codeFile) there(p *Pair, u *Unit, root string) string {
	parent := u.Spoke[:len(u.Spoke)-1]
	t := p.Spoke
	expr := "*" + root
	if len(parent) > 0 {
		t = parent[len(parent)-1].Type
		expr = refOf(root, parent).expr
	}
	if t.Shape == Pointer || len(parent) == 0 && !p.optional {
		return ""
	}
	var clear []string
	for _, other := range p.Units {
		if other.Derived != nil && other.Derived.metadata != "" && slices.Equal(other.Spoke[:len(other.Spoke)-1], parent) {
			field := other.Spoke[len(parent)]
			zero := `""`
			if field.Type.Shape == Pointer {
				zero = "nil"
			}
			clear = append(clear, "value."+field.Go+" = "+zero)
		}
	}
	return f.helper("isSet"+f.identifier(t), func(name string) string {
		return fmt.Sprintf("// %s reports whether a field other than those with metadata has a value.\nfunc %s(value %s) bool {\n%s\nreturn %s\n}\n", name, name, f.text(t), strings.Join(clear, "\n"), not(f.empty(t, "value", true)))
	}) + "(" + expr + ")"
}

// entry writes the unit of a label or an annotation and a string of the hub.
func (f *codeFile) entry(pair *Pair, unit *Unit, way Direction) {
	f.use("conversionEntry")
	entries := "Labels"
	valid := f.use("conversionLabel")
	if unit.Rule.op == opAnnotation {
		entries = "Annotations"
		valid = f.use("conversionText")
	}
	key := strconv.Quote(unit.Rule.Key)
	path := fmt.Sprintf("\"metadata\", %q, %s", unit.Spoke[1].JSON, key)
	t := unit.Rule.Hub
	text := func(value string) string { // the entry for a value of the hub
		switch {
		case t.Shape == Pointer && t.Elem.Decl != nil:
			value = "(*string)(" + value + ")"
		case t.Shape != Pointer:
			value = "conversionPointerTo(" + f.basic(t, value) + ")"
			f.use("conversionPointerTo")
		}
		return valid + "(" + value + ")"
	}
	field := func(entry string) string { // the reverse
		if t.Shape == Pointer {
			if t.Elem.Decl != nil {
				entry = "(" + f.text(t) + ")(" + entry + ")"
			}
			return entry
		}
		f.use("conversionValueOf")
		return f.asType(t, "conversionValueOf("+entry+")")
	}
	written := func(entry string) string {
		return gotext.Function("func(j *conversionWriter)", "j.value("+entry+")")
	}
	f.use("conversionSamePointer")
	if way.isUp() {
		target := refOf("out", unit.Hub)
		entry := f.name(unit.Hub, "Entry")
		value := f.name(unit.Hub, "")
		f.line("%s := conversionGet(in.%s, %s)", entry, entries, key)
		f.line("%s := %s", value, field(entry))
		f.restore(value, t, fmt.Sprintf("kept.at(%s)", target.keys()), f.rules(pair, way, unit.Hub), fmt.Sprintf("conversionSamePointer(%s, %s)", text("value"), entry))
		f.line("if !conversionSamePointer(%s, %s) {\nlost = lost.with(%s, %s)\n}", text(value), entry, written(entry), path)
		f.assign(target, value)
		f.line("out.%s = conversionSet(out.%s, %s, conversionEntry(kept.at(%s), %s))", entries, entries, key, path, valid)
		return
	}
	source := refOf("in", unit.Hub)
	value := f.read(source)
	entry := f.name(unit.Hub, "Entry")
	f.line("%s := %s", entry, text(value))
	f.line("if value := conversionEntry(kept.at(%s), %s); value != nil && %s {\n%s = value\n}", path, valid, f.same(t, field("value"), value, source.field().OmitEmpty), entry)
	f.line("if %s {\nlost = lost.with(%s, %s)\n}", not(f.same(t, field(entry), value, source.field().OmitEmpty)), f.losing(t, value), source.keys())
	own := f.name(unit.Hub, "Own")
	f.line("if %s := conversionGet(in.%s, %s); %s != nil {\nlost = lost.with(%s, %s)\n}", own, entries, key, own, written(own), path)
	f.line("out.%s = conversionSet(out.%s, %s, %s)", entries, entries, key, entry)
}
