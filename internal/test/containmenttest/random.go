package containmenttest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// Random writes random Go types with conditions on gate X, and objects.
type Random struct{ *rand.Rand }

func (r Random) one(n int) bool { return r.IntN(n) == 0 }

func (r Random) pick(choices ...string) string { return choices[r.IntN(len(choices))] }

// field is a random field of a struct.
type field struct{ name, typeName, condition string }

// marker writes a marker that may be conditional, and often is in favor of containment.
func (r Random) marker(out *strings.Builder, looser, tighter string) {
	switch r.IntN(6) {
	case 0:
		fmt.Fprintf(out, "\t// +%s\n", looser)
	case 1, 2:
		fmt.Fprintf(out, "\t// +%s\n\t// +schemagen:when(X)=+%s\n", tighter, looser)
	case 3:
		fmt.Fprintf(out, "\t// +schemagen:when(!X)=+%s\n", tighter)
	case 4:
		if r.one(3) {
			fmt.Fprintf(out, "\t// +%s\n\t// +schemagen:when(X)=+%s\n", looser, tighter) // not contained
		}
	}
}

// structType writes a struct with random fields, some of which may have one of the given types, and
// rules about them.
func (r Random) structType(name string, structs ...string) string {
	const validation = "kubebuilder:validation:"
	var body, head strings.Builder
	var fields []field
	for i := range 2 + r.IntN(3) {
		f := field{name: string(rune('a' + i)), condition: r.pick("", "", "", "", "", "X", "X", "X", "X", "X", "X", "!X")}
		if i == 0 {
			f.condition = ""
		}
		types := []string{"string", "string", "int32", "bool", "[]string", "map[string]string", "enum"}
		f.typeName = r.pick(append(types, structs...)...)
		if f.condition != "" {
			fmt.Fprintf(&body, "\t// +schemagen:when(%s)\n", f.condition)
		}
		goType := f.typeName
		required := r.one(3) && (f.condition == "" || r.one(4))
		hasDefault := ""
		switch f.typeName {
		case "string":
			r.marker(&body, validation+"MaxLength=3", validation+"MaxLength=2")
			hasDefault = "a"
		case "enum":
			goType = "string"
			hasDefault = "a"
			fmt.Fprintf(&body, "\t// +%sEnum=a;b\n", validation)
			if r.one(2) {
				fmt.Fprintf(&body, "\t// +schemagen:when(%s)=+schemagen:enumValues=c\n", r.pick("X", "X", "X", "!X"))
			}
		case "int32":
			r.marker(&body, validation+"Minimum=0", validation+"Minimum=1")
			hasDefault = "1"
		case "[]string":
			r.marker(&body, validation+"MaxItems=3", validation+"MaxItems=2")
			if r.one(12) {
				body.WriteString("\t// +schemagen:when(X)=+listType=set\n")
			}
		case "map[string]string":
			r.marker(&body, validation+"MaxProperties=2", validation+"MaxProperties=1")
		}
		if hasDefault != "" && r.one(4) {
			when := r.pick("", "", "", "", "", "schemagen:when(X)=+")
			fmt.Fprintf(&body, "\t// +%skubebuilder:default=%s\n", when, hasDefault)
		}
		omit := ",omitempty"
		if required {
			omit = ""
		} else if !strings.HasPrefix(goType, "[]") && !strings.HasPrefix(goType, "map") {
			goType = "*" + goType
		}
		fmt.Fprintf(&body, "\t%s %s `json:\"%s%s\"`\n\n", strings.ToUpper(f.name), goType, f.name, omit)
		fields = append(fields, f)
	}
	for range r.IntN(4) {
		r.rule(&head, fields)
	}
	return fmt.Sprintf("%stype %s struct {\n%s}\n\n", head.String(), name, body.String())
}

// rule writes a rule about fields that exist where it holds.
func (r Random) rule(out *strings.Builder, fields []field) {
	gate := r.pick("X", "X", "X", "")
	fields = slices.DeleteFunc(slices.Clone(fields), func(f field) bool { return f.condition != "" && f.condition != gate })
	var atom func(depth int) string
	atom = func(depth int) string {
		f := fields[r.IntN(len(fields))]
		self := "self." + f.name
		if depth > 0 {
			a := atom(depth - 1)
			b := atom(depth - 1)
			return r.pick("!has("+self+") || ("+a+")", "!has("+self+") || ("+a+")", "has("+self+") ? "+a+" : true", "("+a+") || ("+b+")", "("+a+") && ("+b+")", "!("+a+")",
				"!has("+self+") || !has(oldSelf."+f.name+") || ("+a+")")
		}
		switch f.typeName {
		case "string", "enum":
			return r.pick(self+" != 'c'", "!("+self+" in ['c', 'd'])", self+".size() <= 3", "self.?"+f.name+".orValue('a') == 'a'", "!self.?"+f.name+".hasValue()", self+" == 'c'")
		case "int32":
			return r.pick(self+" > 0", self+" >= 0", "!has("+self+")")
		case "[]string":
			return r.pick(self+".all(v, v != 'c')", self+".exists(v, v == 'a')", self+".size() <= 3", "!has("+self+")")
		case "Sub":
			return r.pick("!has("+self+".a)", "has("+self+".b)", "!has("+self+".b)")
		case "[]Sub":
			return self + r.pick(".all(v, !has(v.b))", ".exists(v, has(v.b))", ".size() <= 3")
		}
		return r.pick("!has("+self+")", "has("+self+")")
	}
	rule := atom(r.IntN(3))
	if gate != "" {
		gate = "schemagen:when(X)=+"
		if i := slices.IndexFunc(fields, func(f field) bool { return f.condition != "" }); i >= 0 && !r.one(4) {
			self := "self." + fields[i].name
			rule = r.pick("!has("+self+") || ("+rule+")", "has("+self+") ? "+rule+" : true", "!(has("+self+") && ("+rule+"))")
		}
	}
	fmt.Fprintf(out, "// +%skubebuilder:validation:XValidation:rule=%q\n", gate, rule)
}

// Spec returns the Go types of a random spec. Sub has fields a and b in both channels.
func (r Random) Spec() string {
	sub := r.structType("Sub")
	for !strings.Contains(sub, "json:\"b") || strings.Contains(sub, "when(X)\n") || strings.Contains(sub, "when(!X)\n") {
		sub = r.structType("Sub")
	}
	return r.structType("Spec", "Sub", "Sub", "[]Sub", "map[string]Sub") + sub
}

// Value returns a random value that a schema may accept.
func (r Random) Value(schema *structural.Schema) any {
	if schema.ValueValidation != nil && len(schema.Enum) > 0 {
		var out any
		if json.Unmarshal(schema.Enum[r.IntN(len(schema.Enum))].Raw, &out) == nil {
			return out
		}
	}
	switch schema.Type {
	case "string":
		return r.pick("a", "b", "c", "", "ab", "abc")
	case "integer":
		return int64(r.IntN(4)) - 1
	case "boolean":
		return r.one(2)
	case "array":
		out := []any{}
		for range r.IntN(4) {
			out = append(out, r.Value(schema.Items))
		}
		return out
	}
	out := map[string]any{}
	for _, p := range schema.Properties {
		if schema.Requires(p.Name) || r.IntN(3) > 0 {
			out[p.Name] = r.Value(p.Schema)
		}
	}
	if schema.AdditionalProperties != nil {
		for _, name := range []string{"k", "l", "m"}[:r.IntN(4)] {
			out[name] = r.Value(schema.AdditionalProperties.Schema)
		}
	}
	return out
}
