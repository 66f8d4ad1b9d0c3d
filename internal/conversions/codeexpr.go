package conversions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/source/gotext"
)

// convert returns an expression that converts a value by a rule, without what is kept.
func (f *codeFile) convert(rule *Rule, way Direction, value string) string {
	source, target := rule.sides(way)
	switch rule.op {
	case opSame:
		return value
	case opCast:
		return f.cast(target, value)
	case opInteger:
		return f.integer(source, target, value)
	case opPointer:
		switch {
		case rule.Elem.op == opStruct && rule.Elem.Pair.equal:
			return "(" + f.text(target) + ")(" + value + ")"
		case rule.Elem.op == opStruct:
			f.use("conversionPointed")
			return fmt.Sprintf("convertPointed(%s, %s)", value, f.pure(rule.Elem.Pair, way))
		}
		f.use("conversionPointer")
		return fmt.Sprintf("convertPointer(%s, %s)", value, f.closure(rule.Elem, way))
	case opWrap:
		return f.wrap(rule, way, value)
	case opStruct:
		if rule.Pair.equal {
			return f.cast(target, value)
		}
		f.use("conversionStruct")
		return fmt.Sprintf("convertStruct(%s, %s)", value, f.pure(rule.Pair, way))
	case opList:
		if rule.Elem.op == opStruct && !rule.Elem.Pair.equal {
			f.use("conversionEach")
			return f.named(target, fmt.Sprintf("convertEach(%s, %s)", value, f.pure(rule.Elem.Pair, way)))
		}
		f.use("conversionElements")
		return f.named(target, fmt.Sprintf("convertElements(%s, %s)", value, f.closure(rule.Elem, way)))
	case opMap:
		f.use("conversionValues")
		return fmt.Sprintf("convertValues[%s](%s, %s)", f.text(target), value, f.closure(rule.Elem, way))
	case opKeyed:
		f.use("conversionOnly")
		return "conversionOnly(" + f.elements(rule, way, value, "conversionKept{}") + ")"
	case opCodec:
		return f.codec(rule, source, target, value)
	case opValues:
		return f.enum(rule, way) + "(" + value + ")"
	}
	return value
}

// named converts a list to its declared type, if it has one.
func (f *codeFile) named(t *Type, value string) string {
	if t.Decl != nil {
		return f.cast(t, value)
	}
	return value
}

func (f *codeFile) cast(t *Type, value string) string {
	text := f.text(t)
	if strings.ContainsAny(text, "*[]") {
		text = "(" + text + ")"
	}
	return text + "(" + value + ")"
}

// closure returns a function that converts a value by a rule.
func (f *codeFile) closure(r *Rule, way Direction) string {
	source, target := r.sides(way)
	body := f.convert(r, way, "value")
	if name, ok := strings.CutSuffix(body, "(value)"); ok && slices.Contains(f.converters, name) {
		return name
	}
	return gotext.Function("func(value "+f.text(source)+") "+f.text(target), "return "+body)
}

// wrap converts between a value and a pointer to one. The zero value is nil.
func (f *codeFile) wrap(rule *Rule, way Direction, value string) string {
	source, target := rule.sides(way)
	if rule.Elem.op == opStruct { // reached only for units that are dropped
		f.use("conversionStruct")
		if source.Shape == Pointer {
			f.use("conversionValueOf")
			return fmt.Sprintf("convertStruct(conversionValueOf(%s), %s)", value, f.pure(rule.Elem.Pair, way))
		}
		if rule.Required {
			f.use("conversionNew")
			return fmt.Sprintf("conversionNew(convertStruct(%s, %s))", value, f.pure(rule.Elem.Pair, way))
		}
		name := f.helper("present"+f.identifier(target.Elem), func(name string) string {
			return fmt.Sprintf("// %s returns a pointer to a value that is not empty.\nfunc %s(value %s) %s {\nif %s {\nreturn nil\n}\nreturn &value\n}\n", name, name, f.text(target.Elem), f.text(target), f.hollow(rule.Elem.Pair, target.Elem, way.Back(), "value", nil))
		})
		return fmt.Sprintf("%s(convertStruct(%s, %s))", name, value, f.pure(rule.Elem.Pair, way))
	}
	if source.Shape == Pointer {
		f.use("conversionValueOf")
		return f.convert(rule.Elem, way, "conversionValueOf("+value+")")
	}
	if shared := f.share(rule, target, value); shared != "" {
		return shared
	}
	value = f.convert(rule.Elem, way, value)
	if rule.collection() {
		return f.pointerTo(rule, target, value)
	}
	if rule.Required {
		f.use("conversionNew")
		return "conversionNew(" + value + ")"
	}
	if !comparable(target.Elem) { // a time or a quantity
		f.use("conversionPresent")
		return "conversionPresent(" + value + ")"
	}
	f.use("conversionPointerTo")
	return "conversionPointerTo(" + value + ")"
}

// pointerTo converts a list or a map to a pointer to it.
func (f *codeFile) pointerTo(r *Rule, target *Type, value string) string {
	name := "present"
	comment := "nil if it is empty"
	condition := f.empty(target.Elem, "value", r.omitEmpty)
	otherwise := "return nil"
	switch {
	case r.Required:
		name, comment, condition, otherwise = "needed", "an empty one if it is nil", "value == nil", "value = "+f.text(target.Elem)+"{}"
	case !r.omitEmpty:
		name = "written"
		comment = "nil if it is nil"
	}
	return f.helper(name+f.identifier(target.Elem), func(name string) string {
		return fmt.Sprintf("// %s returns a pointer to a value, or %s.\nfunc %s(value %s) %s {\nif %s {\n%s\n}\nreturn &value\n}\n", name, comment, name, f.text(target.Elem), f.text(target), condition, otherwise)
	}) + "(" + value + ")"
}

// helper adds a function to the file once and returns its name. text is called with the name.
func (f *codeFile) helper(name string, text func(name string) string) string {
	if known, ok := f.helperOf[name]; ok {
		return known
	}
	out := f.unique(name)
	f.helperOf[name] = out
	i := len(f.helpers)
	f.helpers = append(f.helpers, "")
	f.helpers[i] = text(out)
	return out
}

// identifier returns a name for a type within names of functions.
func (f *codeFile) identifier(t *Type) string {
	switch {
	case t.Decl != nil:
		name := upperFirst(f.instanceName(t))
		if t.Decl.Pkg != f.pkg {
			name = upperFirst(t.Decl.Pkg.Name) + name
		}
		return name
	case t.Elem != nil:
		return f.identifier(t.Elem) + [...]string{Opaque: "Array", List: "List", Map: "Map", Pointer: "Pointer"}[t.Shape]
	}
	name := upperFirst(t.Basic)
	for _, m := range t.Members {
		name += upperFirst(m.Name)
	}
	return name
}

// instanceName returns the name of a declared type, with those of its type arguments.
func (f *codeFile) instanceName(t *Type) string {
	name := t.Decl.Spec.Name.Name
	for i, argument := range f.model.types.Arguments(t.Decl) {
		name += [...]string{"Of", "And"}[min(i, 1)] + f.identifier(argument)
	}
	return name
}

// integer converts integers and saturates.
func (f *codeFile) integer(source, target *Type, value string) string {
	if holds(target, source) {
		return f.cast(target, value)
	}
	a := source.Basic
	b := target.Basic
	name := f.helper(a+"To"+upperFirst(b), func(name string) string {
		low := ""
		high := f.std("math", "Max"+upperFirst(strings.Replace(b, "uint", "Uint", 1)))
		if target.Shape == Uint {
			low = "0"
		} else {
			low = f.std("math", "Min"+upperFirst(b))
		}
		expr := "value"
		if target.Size() < source.Size() || source.Shape == Uint {
			expr = "min(" + expr + ", " + high + ")"
		}
		if source.Shape == Int {
			expr = "max(" + expr + ", " + low + ")"
		}
		return fmt.Sprintf("// %s converts a number, to the nearest one if it is out of range.\nfunc %s(value %s) %s {\nreturn %s(%s)\n}\n", name, name, a, b, b, expr)
	})
	f.converters = append(f.converters, name)
	return f.asType(target, name+"("+f.basic(source, value)+")")
}

// asType converts a value of a predeclared type to a declared one.
func (f *codeFile) asType(t *Type, value string) string {
	if t.Decl != nil {
		return f.cast(t, value)
	}
	return value
}

// codec returns an expression that converts by a codec.
func (f *codeFile) codec(rule *Rule, source, target *Type, value string) string {
	codec := rule.Name
	switch codec {
	case "seconds", "milliseconds", "minutes":
		unit := f.std("time", upperFirst(strings.TrimSuffix(codec, "s")))
		if source.ID == durationID {
			n := selectOf(value, "Duration") + " / " + unit
			if target.Size() == 64 {
				return f.text(target) + "(" + n + ")"
			}
			return f.asType(target, f.integer(&Type{Basic: "int64", Shape: Int}, &Type{Basic: target.Basic, Shape: Int}, "int64("+n+")"))
		}
		duration := f.text(target)
		if source.Size() < 64 {
			return duration + "{Duration: " + f.std("time", "Duration") + "(" + value + ") * " + unit + "}"
		}
		name := f.helper("durationOf"+upperFirst(codec), func(name string) string {
			return fmt.Sprintf("// %s returns a duration, the longest one if it is out of range.\nfunc %s(n int64) %s {\nconst limit = int64(%s / %s)\nreturn %s{Duration: %s(max(-limit, min(n, limit))) * %s}\n}\n",
				name, name, duration, f.std("math", "MaxInt64"), unit, duration, f.std("time", "Duration"), unit)
		})
		return name + "(" + as("int64", source, value) + ")"
	case "not":
		return f.asType(target, "!"+f.basic(source, value))
	case "string":
		switch {
		case source.Shape == Int:
			return f.asType(target, f.std("strconv", "FormatInt")+"("+as("int64", source, value)+", 10)")
		case source.Shape == Bool:
			return f.asType(target, f.std("strconv", "FormatBool")+"("+f.basic(source, value)+")")
		case target.Shape == Bool:
			return f.asType(target, f.basic(source, value)+" == \"true\"")
		}
		name := f.helper("parse"+upperFirst(target.Basic), func(name string) string {
			return fmt.Sprintf("// %s returns the number in a text, or zero.\nfunc %s(text string) %s {\nn, err := %s(text, 10, %d)\nif err != nil {\nreturn 0\n}\nreturn %s(n)\n}\n", name, name, target.Basic, f.std("strconv", "ParseInt"), target.Size(), target.Basic)
		})
		return f.asType(target, name+"("+f.basic(source, value)+")")
	case "intOrString":
		intstr := f.imp("k8s.io/apimachinery/pkg/util/intstr", "intstr")
		switch {
		case source.Shape == Int && source.Size() <= 32:
			return intstr + ".FromInt32(" + as("int32", source, value) + ")"
		case source.Shape == Int:
			return intstr + ".FromInt32(" + f.integer(source, &Type{Basic: "int32", Shape: Int}, value) + ")"
		case source.Shape == String:
			return intstr + ".Parse(" + f.basic(source, value) + ")"
		case target.Shape == String:
			name := f.helper("intOrStringText", func(name string) string {
				return "// " + name + " returns a number or a text as text.\n" + gotext.Function("func "+name+"(value "+intstr+".IntOrString) string", "return value.String()") + "\n"
			})
			return f.asType(target, name+"("+value+")")
		}
		name := f.helper("intOrStringNumber", func(name string) string {
			return "// " + name + " returns a number, or zero for a text that is none.\n" + gotext.Function("func "+name+"(value "+intstr+".IntOrString) int", "return value.IntValue()") + "\n"
		})
		return f.asType(target, f.integer(&Type{Basic: "int", Shape: Int}, &Type{Basic: target.Basic, Shape: Int}, name+"("+value+")"))
	case "quantity":
		resource := f.imp("k8s.io/apimachinery/pkg/api/resource", "resource")
		switch {
		case source.Shape == Int:
			return "*" + resource + ".NewQuantity(" + as("int64", source, value) + ", " + resource + ".DecimalSI)"
		case source.Shape == String:
			name := f.helper("parseQuantity", func(name string) string {
				return fmt.Sprintf("// %s returns the quantity in a text, or zero.\nfunc %s(text string) %s.Quantity {\nq, err := %s.ParseQuantity(text)\nif err != nil {\nreturn %s.Quantity{}\n}\nreturn q\n}\n", name, name, resource, resource, resource)
			})
			return name + "(" + f.basic(source, value) + ")"
		case target.Shape == String:
			name := f.helper("quantityText", func(name string) string {
				return fmt.Sprintf("// %s returns a quantity as text; zero is empty.\nfunc %s(q %s.Quantity) string {\nif q.IsZero() {\nreturn \"\"\n}\nreturn q.String()\n}\n", name, name, resource)
			})
			return f.asType(target, name+"("+value+")")
		}
		name := f.helper("quantityNumber", func(name string) string {
			return "// " + name + " returns a quantity as a number, rounded up.\n" + gotext.Function("func "+name+"(q "+resource+".Quantity) int64", "return q.Value()") + "\n"
		})
		return f.asType(target, f.integer(&Type{Basic: "int64", Shape: Int}, &Type{Basic: target.Basic, Shape: Int}, name+"("+value+")"))
	case "json":
		f.use("conversionJSON")
		if source.Shape == String {
			return fmt.Sprintf("conversionParse[%s](%s, %t)", f.text(target), f.basic(source, value), rule.omitEmpty)
		}
		return f.asType(target, fmt.Sprintf("conversionJSON(%s, %t)", value, rule.omitEmpty))
	case "single":
		if target.Shape == List {
			name := f.helper("listOf"+f.identifier(source), func(name string) string {
				return fmt.Sprintf("// %s returns a list of one value, or none if it is empty.\nfunc %s(value %s) %s {\nif %s {\nreturn nil\n}\nreturn %s{value}\n}\n", name, name, f.text(source), f.text(target), f.empty(source, "value", true), f.text(target))
			})
			return name + "(" + value + ")"
		}
		name := f.helper("firstOf"+f.identifier(target), func(name string) string {
			return fmt.Sprintf("// %s returns the first value of a list, or the zero value.\nfunc %s(list %s) (value %s) {\nif len(list) > 0 {\nvalue = list[0]\n}\nreturn value\n}\n", name, name, f.text(source), f.text(target))
		})
		return name + "(" + value + ")"
	case "set":
		if target.Shape == Map {
			name := f.helper("setOf"+f.identifier(source), func(name string) string {
				return fmt.Sprintf("// %s returns a set of the elements of a list.\nfunc %s(list %s) %s {\nif list == nil {\nreturn nil\n}\nout := make(%s, len(list))\nfor _, element := range list {\nout[%s(element)] = true\n}\nreturn out\n}\n", name, name, f.text(source), f.text(target), f.text(target), f.text(target.Key))
			})
			return name + "(" + value + ")"
		}
		name := f.helper("elementsOf"+f.identifier(source), func(name string) string {
			return fmt.Sprintf("// %s returns the elements of a set, sorted.\nfunc %s(set %s) %s {\nif set == nil {\nreturn nil\n}\nout := make(%s, 0, len(set))\nfor element, ok := range set {\nif ok {\nout = append(out, %s(element))\n}\n}\n%s(out)\nreturn out\n}\n", name, name, f.text(source), f.text(target), f.text(target), f.text(target.Elem), f.std("slices", "Sort"))
		})
		return name + "(" + value + ")"
	}
	return value
}

// as returns a value as one of a predeclared type.
func as(basic string, t *Type, value string) string {
	if t.Decl == nil && t.Basic == basic {
		return value
	}
	return basic + "(" + value + ")"
}

// basic returns a value as one of its predeclared type.
func (f *codeFile) basic(t *Type, value string) string {
	if t.Decl != nil {
		return t.Basic + "(" + value + ")"
	}
	return value
}

// enum returns a function that converts the values of an enum.
func (f *codeFile) enum(r *Rule, way Direction) string {
	source, target := r.sides(way)
	id := "values"
	for _, v := range r.Values {
		id += " " + v[0] + " " + v[1]
	}
	id = fmt.Sprint(id, " ", source.ID, " ", target.ID, way.word)
	if known, ok := f.helperOf[id]; ok {
		return known
	}
	name := f.unique("convert" + f.identifier(r.Spoke) + "Value" + way.word + "Hub")
	f.helperOf[id] = name
	f.converters = append(f.converters, name)
	var out strings.Builder
	fmt.Fprintf(&out, "// %s converts a value; those that it does not name convert to themselves.\nfunc %s(value %s) %s {\nswitch value {\n", name, name, f.text(source), f.text(target))
	seen := map[string]bool{}
	for _, v := range r.Values {
		a, b := Sides(way, v[0], v[1])
		if !seen[a] && a != b {
			fmt.Fprintf(&out, "case %q:\nreturn %q\n", a, b)
		}
		seen[a] = true
	}
	fmt.Fprintf(&out, "}\nreturn %s\n}\n", f.castUnless(source, target, "value"))
	f.helpers = append(f.helpers, out.String())
	return name
}

func (f *codeFile) castUnless(source, target *Type, value string) string {
	if source.ID == target.ID {
		return value
	}
	return f.cast(target, value)
}

// same returns a condition that two values have the same JSON.
func (f *codeFile) same(t *Type, a, b string, omitEmpty bool) string {
	a, b = f.tight(a), f.tight(b)
	switch {
	case f.comparable(t):
		return operand(a) + " == " + operand(b)
	case t.Shape == Pointer && f.comparable(t.Elem):
		f.use("conversionSamePointer")
		return "conversionSamePointer(" + a + ", " + b + ")"
	case t.ID == timeID || t.ID == microTimeID:
		return selectOf(a, "Time") + ".Equal(" + selectOf(b, "Time") + ")"
	case t.Shape == Pointer && (t.Elem.ID == timeID || t.Elem.ID == microTimeID):
		return a + ".Equal(" + b + ")"
	case t.Shape == List && comparable(t.Elem) && omitEmpty:
		return f.std("slices", "Equal") + "(" + a + ", " + b + ")"
	case t.Shape == Bytes && omitEmpty:
		return f.std("bytes", "Equal") + "(" + a + ", " + b + ")"
	case t.Shape == Map && comparable(t.Elem) && omitEmpty:
		return f.std("maps", "Equal") + "(" + a + ", " + b + ")"
	}
	name := "conversionSameJSON"
	if omitEmpty && (t.Shape == List || t.Shape == Map) {
		name = "conversionSameElements"
	}
	return f.use(name) + "(" + a + ", " + b + ")"
}

// tight returns an expression that divides by a unit of time as gofmt writes it among others.
func (f *codeFile) tight(value string) string {
	if unit := f.imports["time"]; unit != "" && !strings.Contains(value, "func(") {
		return strings.Replace(value, " / "+unit+".", "/"+unit+".", 1)
	}
	return value
}

// operand returns an expression for a condition, in which a composite literal would be taken
// for the beginning of a block.
func operand(value string) string {
	if strings.HasSuffix(value, "}") {
		return "(" + value + ")"
	}
	return value
}

// comparable reports whether Go compares values of a type, which may be a struct, by what is
// in their JSON.
func (f *codeFile) comparable(t *Type) bool {
	if t.Shape != Struct {
		return comparable(t)
	}
	fields := f.model.types.Fields(t)
	return !t.Mixed && !slices.ContainsFunc(fields,
		func(field *Field) bool { return field.Type.Shape == Struct || !comparable(field.Type) })
}

// empty returns a condition that a value is left out of JSON, or is what is left out.
func (f *codeFile) empty(t *Type, value string, omitEmpty bool) string {
	switch t.Shape {
	case String:
		return value + ` == ""`
	case Bool:
		return "!" + value
	case Int, Uint, Float:
		return value + " == 0"
	case Pointer:
		return value + " == nil"
	case List, Map, Bytes:
		if omitEmpty {
			return "len(" + value + ") == 0"
		}
		return value + " == nil"
	case Struct:
		return f.emptyStruct(t) + "(" + addressOf(value) + ")"
	}
	switch t.ID {
	case durationID:
		return selectOf(value, "Duration") + " == 0"
	case intOrStringID:
		return value + " == (" + f.text(t) + "{})"
	case timeID, microTimeID, quantityID:
		return selectOf(value, "IsZero") + "()"
	}
	f.use("conversionSameJSON")
	return "conversionSameJSON(" + value + ", *new(" + f.text(t) + "))"
}

// selectOf returns a field or method of a struct, which may be behind a pointer.
func selectOf(value, name string) string { return strings.TrimPrefix(value, "*") + "." + name }

func addressOf(value string) string {
	if rest, ok := strings.CutPrefix(value, "*"); ok {
		return rest
	}
	return "&" + value
}

// emptyStruct returns a function that reports whether a struct has only empty fields.
func (f *codeFile) emptyStruct(t *Type) string {
	return f.helper("empty"+f.identifier(t), func(name string) string {
		var conditions []string
		for _, field := range f.model.types.Fields(t) {
			if field.Meta {
				continue
			}
			conditions = append(conditions, f.empty(field.Type, "value."+field.Go, field.OmitEmpty))
		}
		body := strings.Join(conditions, " &&\n")
		if t.Mixed {
			f.use("conversionSameJSON")
			body = "conversionSameJSON(value, new(" + f.text(t) + "))"
		}
		if body == "" {
			body = "true"
		}
		return fmt.Sprintf("// %s reports whether no field has a value.\nfunc %s(value *%s) bool {\nreturn %s\n}\n", name, name, f.text(t), body)
	})
}

// key returns a function that returns the key of an element, which may be a pointer.
func (f *codeFile) key(rule *Rule, t *Type) string {
	var fields []string
	for _, key := range rule.Keys {
		fields = append(fields, upperFirst(strings.TrimPrefix(key, ".")))
	}
	return f.helper("keyOf"+f.identifier(t)+"By"+strings.Join(fields, "And"), func(name string) string {
		var parts []string
		element := "element"
		guard := ""
		if t.Shape == Pointer {
			element = "(*element)"
			guard = "if *element == nil {\nreturn \"\"\n}\n"
		}
		for _, key := range rule.Keys {
			field := t.Base().Field(strings.TrimPrefix(key, "."))
			expr := element + "." + field.Go
			if field.Type.Shape == Pointer {
				f.use("conversionValueOf")
				expr = "conversionValueOf(" + expr + ")"
			}
			parts = append(parts, expr)
		}
		body := ""
		base := t.Base().Field(strings.TrimPrefix(rule.Keys[0], ".")).Type.Base()
		switch {
		case len(parts) == 1 && base.Shape == String:
			body = "return " + f.basic(base, parts[0])
		default:
			if len(parts) > 1 {
				parts = []string{"[]any{" + strings.Join(parts, ", ") + "}"}
			}
			body = "text, _ := " + f.std("encoding/json", "Marshal") + "(" + parts[0] + ")\nreturn string(text)"
		}
		return fmt.Sprintf("// %s returns the key of an element.\nfunc %s(element *%s) string {\n%s%s\n}\n", name, name, f.text(t), guard, body)
	})
}

// setKey returns a function that sets the key of an element.
func (f *codeFile) setKey(r *Rule, t *Type) string {
	field := t.Field(strings.TrimPrefix(r.Keys[0], "."))
	return f.helper("set"+f.identifier(t)+upperFirst(field.JSON), func(name string) string {
		value := f.asType(field.Type, "key")
		return "// " + name + " sets the key of an element.\n" + gotext.Function("func "+name+"(element *"+f.text(t)+", key string)", "element."+field.Go+" = "+value) + "\n"
	})
}

// not negates a condition.
func not(condition string) string {
	switch {
	case !strings.ContainsAny(condition, " ()"):
		if rest, ok := strings.CutPrefix(condition, "!"); ok {
			return rest
		}
		return "!" + condition
	case strings.Count(condition, " == ") == 1 && !strings.Contains(condition, "&&"):
		return strings.Replace(condition, " == ", " != ", 1)
	case strings.HasPrefix(condition, "!") && !strings.Contains(condition, " "):
		return condition[1:]
	case !strings.Contains(condition, " && ") && strings.HasSuffix(condition, ")"):
		return "!" + condition
	}
	return "!(" + condition + ")"
}
