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
		element = strings.TrimSpace(element)
		if element != "" {
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
	// excludes are the markers of schemagen conversions that cannot be beside it.
	excludes []string
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
	return d.row.shape.arguments
}

// ConvertCodecs returns what may follow as= in +schemagen:convert:to, in the order in which it is
// suggested.
func ConvertCodecs() []string {
	return []string{"seconds", "milliseconds", "minutes", "string", "quantity", "intOrString", "not", "single", "map", "set", "json"}
}

// ConvertExcludes returns the markers of schemagen conversions that cannot be beside one of them.
// Names have no prefix.
func ConvertExcludes(name string) []string {
	if r := rowNamed(ConvertPrefix + name); r != nil {
		return r.shape.excludes
	}
	return nil
}

// parse parses a marker of the shape.
func (s convertShape) parse(text, name string) (value any, offset int, err error) {
	index := 1 + len(name)
	out := Convert{}
	rest := text[index:]
	if s.value != "" {
		tail, ok := strings.CutPrefix(rest, "=")
		if !ok || tail == "" {
			return nil, index, fmt.Errorf("needs a value: +%s%s", name, s.value)
		}
		index++
		n, closed := argumentEnd(tail)
		if !closed {
			return nil, index, fmt.Errorf("a quote is not closed: %s", tail)
		}
		out.Value = withoutQuotes(tail[:n])
		rest = tail[n:]
		index += n
	}
	for rest != "" {
		tail, ok := strings.CutPrefix(rest, ",")
		if !ok {
			return nil, index, fmt.Errorf("unexpected %q", rest)
		}
		index++
		n, closed := argumentEnd(tail)
		if !closed {
			return nil, index, fmt.Errorf("a quote is not closed: %s", tail)
		}
		argument, value, _ := strings.Cut(tail[:n], "=")
		if last := len(out.Arguments) - 1; last >= 0 && out.Arguments[last].Name == "reason" && !slices.Contains(s.arguments, argument) {
			return nil, index, fmt.Errorf("a reason with a comma has to be quoted: reason=%q", out.Arguments[last].Value+rest)
		}
		if !slices.Contains(s.arguments, argument) {
			return nil, index, fmt.Errorf("%q is not an argument: expected +%s%s", argument, name, s)
		}
		out.Arguments = append(out.Arguments, ConvertArgument{argument, withoutQuotes(value)})
		rest = tail[n:]
		index = index + n
	}
	return out, 0, nil
}

// SplitArguments splits the arguments of a marker, which may be half typed, at commas that are
// neither quoted nor in brackets. It returns at least one.
func SplitArguments(text string) (out []string) {
	for {
		n, _ := argumentEnd(text)
		out = append(out, text[:n])
		if n == len(text) {
			return out
		}
		text = text[n+1:]
	}
}

// argumentEnd returns the length of the argument at the beginning of a text: up to a comma
// that is neither quoted nor in brackets. closed is false if a quote has no end.
func argumentEnd(text string) (n int, closed bool) {
	depth := 0
	quote := byte(0)
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
