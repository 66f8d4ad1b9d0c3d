package conversions

import (
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/conversions/gotypes"
	"github.com/schemagen/schemagen/internal/source/gotext"
	"github.com/schemagen/schemagen/structural"
)

// rules returns the rules that a kept value of the other side has to fulfil: a variable, or nil.
func (f *codeFile) rules(p *Pair, way Direction, path []*Field) string {
	_, t := p.sides(way)
	_, s := Sides(way, p.Spokeward, p.Hubward)
	return f.rulesOf(properties{}.below(s, path), t, path, "")
}

// elementRules returns the rules of the values of a map.
func (f *codeFile) elementRules(p *Pair, way Direction, path []*Field) string {
	_, t := p.sides(way)
	_, s := Sides(way, p.Spokeward, p.Hubward)
	return f.rulesOf(values(properties{}.below(s, path)), t, path, "Values")
}

// rulesOf returns a variable with the rules of a schema; nil if it has none.
func (f *codeFile) rulesOf(s *structural.Schema, t *Type, path []*Field, suffix string) string {
	text := f.ruleText(s, 0)
	if text == "" {
		return "nil"
	}
	f.use("conversionRules")
	if last := path[len(path)-1]; suffix == "" && last.OmitEmpty {
		switch last.Type.Shape {
		case Struct, Pointer, Opaque:
		default:
			text = strings.TrimSuffix(text, "}") + ", OmitEmpty: true}"
		}
	}
	id := "rules of " + text
	if known, ok := f.helperOf[id]; ok {
		return known
	}
	name := "rulesOf" + f.identifier(t)
	for _, field := range path {
		name += upperFirst(field.JSON)
	}
	name = f.unique(name + suffix)
	f.helperOf[id] = name
	f.helpers = append(f.helpers, fmt.Sprintf("// %s are the rules of the schema that a kept value has to fulfil.\nvar %s = &%s\n", name, name, text))
	return name
}

// ruleText returns the rules of a schema as a literal; empty if it has none.
func (f *codeFile) ruleText(schema *structural.Schema, depth int) string {
	if schema == nil || depth > gotypes.MaxDepth {
		return ""
	}
	var out []string
	add := func(name string, format string, args ...any) {
		out = append(out, name+": "+fmt.Sprintf(format, args...))
	}
	number := func(name string, value *float64) {
		if value != nil {
			add(name, "conversionNumber(%s)", strconv.FormatFloat(*value, 'g', -1, 64))
		}
	}
	count := func(name string, value *int64) {
		if value != nil {
			add(name, "conversionNumber(%d)", *value)
		}
	}
	if validation := schema.ValueValidation; validation != nil {
		if len(validation.Enum) > 0 {
			var values []string
			for _, value := range validation.Enum {
				values = append(values, strconv.Quote(string(value.Raw)))
			}
			add("Enum", "[]string{%s}", strings.Join(values, ", "))
		}
		number("Minimum", validation.Minimum)
		number("Maximum", validation.Maximum)
		if validation.ExclusiveMinimum {
			add("ExclusiveMinimum", "true")
		}
		if validation.ExclusiveMaximum {
			add("ExclusiveMaximum", "true")
		}
		count("MinLength", validation.MinLength)
		count("MaxLength", validation.MaxLength)
		count("MinItems", validation.MinItems)
		count("MaxItems", validation.MaxItems)
		count("MinProperties", validation.MinProperties)
		count("MaxProperties", validation.MaxProperties)
		if _, err := syntax.Parse(validation.Pattern, syntax.Perl); validation.Pattern != "" && err == nil {
			pattern := strconv.Quote(validation.Pattern)
			if strconv.CanBackquote(validation.Pattern) {
				pattern = "`" + validation.Pattern + "`"
			}
			once := f.std("sync", "OnceValue")
			compiled := f.std("regexp", "Regexp")
			add("Pattern", "%s(%s)", once, gotext.Function("func() *"+compiled, "return "+f.std("regexp", "MustCompile")+"("+pattern+")"))
		}
		if validation.Format == "date-time" {
			add("DateTime", "true")
		}
		if len(validation.Required) > 0 {
			var names []string
			for _, name := range validation.Required {
				names = append(names, strconv.Quote(name))
			}
			add("Required", "[]string{%s}", strings.Join(names, ", "))
		}
	}
	var properties []gotext.Pair
	for _, property := range schema.Properties {
		if text := f.ruleText(property.Schema, depth+1); text != "" {
			properties = append(properties, gotext.Pair{Key: strconv.Quote(property.Name), Value: strings.TrimPrefix(text, "conversionRules")}) // as gofmt -s writes it
		}
	}
	if len(properties) > 0 {
		add("Properties", "map[string]*conversionRules{\n%s}", gotext.Pairs(properties))
	}
	if text := f.ruleText(schema.Items, depth+1); text != "" {
		add("Items", "&%s", text)
	}
	if text := f.ruleText(values(schema), depth+1); text != "" {
		add("Values", "&%s", text)
	}
	switch {
	case len(out) == 0:
		return ""
	case schema.Nullable:
		add("Nullable", "true")
	}
	return "conversionRules{" + strings.Join(out, ", ") + "}"
}
