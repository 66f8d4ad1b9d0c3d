package markers

import (
	"fmt"
	"slices"
	"strings"
)

// Convert is the value of the markers that schemagen conversions reads:
// +schemagen:convert:to=.deletion.drainSeconds,as=seconds.
type Convert struct {
	// Value is the text after the name and an equals sign; empty if there is none.
	Value string
	// Arguments are the arguments after that, in order.
	Arguments []ConvertArgument
}

// ConvertArgument is a named argument of a [Convert]. Value is empty for a flag.
type ConvertArgument struct{ Name, Value string }

// Get returns the value of an argument, and whether the marker has it.
func (c Convert) Get(name string) (value string, ok bool) {
	i := slices.IndexFunc(c.Arguments, func(a ConvertArgument) bool { return a.Name == name })
	if i < 0 {
		return "", false
	}
	return c.Arguments[i].Value, true
}

// List returns the elements of a list that is separated by semicolons.
func (c Convert) List(text string) []string {
	var out []string
	for _, element := range strings.Split(text, ";") {
		if element = strings.TrimSpace(element); element != "" {
			out = append(out, element)
		}
	}
	return out
}

// convertShape is what can follow the name of a marker of schemagen conversions.
type convertShape struct {
	// value is what has to follow the equals sign; empty if nothing may.
	value     string
	arguments []string
}

// String returns the shape as text.
func (s convertShape) String() string {
	text := s.value
	for _, argument := range s.arguments {
		text += "[," + argument + "]"
	}
	return text
}

// ConvertArguments returns the names of the arguments of a marker of schemagen conversions; nil for
// other markers.
func (d *Definition) ConvertArguments() []string {
	if !strings.HasPrefix(d.Name, ConvertPrefix) {
		return nil
	}
	return convertShapes(d.Name).arguments
}

// ConvertCodecs returns what may follow as= in +schemagen:convert:to, in the order in which it is
// suggested.
func ConvertCodecs() []string {
	return []string{"seconds", "milliseconds", "minutes", "string", "quantity", "intOrString", "not", "single", "map", "set", "json"}
}

func convertShapes(name string) convertShape {
	switch strings.TrimPrefix(name, ConvertPrefix) {
	case "to":
		return convertShape{"=.field", []string{"as", "key"}}
	case "values":
		return convertShape{"={Old: New}", nil}
	case "func":
		return convertShape{"=Name", []string{"fields", "to"}}
	case "drop":
		return convertShape{"", []string{"reason"}}
	case "key":
		return convertShape{"=.name", nil}
	case "guard", "union":
		return convertShape{"=.field", nil}
	case "hubOnly":
		return convertShape{"=.field", []string{"secret", "drop", "reason", "guard"}}
	case "set":
		return convertShape{"=.field", []string{"value"}}
	case "metadata":
		return convertShape{"=namespace", nil}
	case "label", "annotation":
		return convertShape{"=KEY", []string{"to"}}
	case "storeAs":
		return convertShape{"=KEY", []string{"field", "version"}}
	}
	return convertShape{}
}

// parseConvert parses the markers under schemagen:convert:.
func parseConvert(text, name string) (value any, offset int, err error) {
	shape, at := convertShapes(name), 1+len(name)
	out, rest := Convert{}, text[at:]
	if shape.value != "" {
		after, ok := strings.CutPrefix(rest, "=")
		if !ok || after == "" {
			return nil, at, fmt.Errorf("needs a value: +%s%s", name, shape.value)
		}
		at++
		n, closed := argumentEnd(after)
		if !closed {
			return nil, at, fmt.Errorf("a quote is not closed: %s", after)
		}
		out.Value, rest = withoutQuotes(after[:n]), after[n:]
		at += n
	}
	for rest != "" {
		after, ok := strings.CutPrefix(rest, ",")
		if !ok {
			return nil, at, fmt.Errorf("unexpected %q", rest)
		}
		at++
		n, closed := argumentEnd(after)
		if !closed {
			return nil, at, fmt.Errorf("a quote is not closed: %s", after)
		}
		argument, value, _ := strings.Cut(after[:n], "=")
		if last := len(out.Arguments) - 1; last >= 0 && out.Arguments[last].Name == "reason" && !slices.Contains(shape.arguments, argument) {
			return nil, at, fmt.Errorf("a reason with a comma has to be quoted: reason=%q", out.Arguments[last].Value+rest)
		}
		if !slices.Contains(shape.arguments, argument) {
			return nil, at, fmt.Errorf("%q is not an argument: expected +%s%s", argument, name, shape)
		}
		out.Arguments = append(out.Arguments, ConvertArgument{argument, withoutQuotes(value)})
		rest, at = after[n:], at+n
	}
	return out, 0, nil
}

// argumentEnd returns the length of the argument at the beginning of a text: up to a comma
// that is neither quoted nor in brackets. closed is false if a quote has no end.
func argumentEnd(text string) (n int, closed bool) {
	depth, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote && (c == '`' || text[i-1] != '\\') {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case c == '{' || c == '[' || c == '(':
			depth++
		case c == '}' || c == ']' || c == ')':
			depth--
		case c == ',' && depth <= 0:
			return i, true
		}
	}
	return len(text), quote == 0
}

// withoutQuotes returns a value without quotes around it.
func withoutQuotes(text string) string {
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '`') && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}
