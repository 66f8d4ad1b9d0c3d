package symbols

import (
	"strings"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/structural"
)

// argument is the value of an argument of a marker.
type argument struct {
	marker, name string
	// value is without quotes, and begins at an offset in the marker.
	value  string
	start  int
	quoted bool
}

// mention is a name in a value that refers to a field.
type mention struct {
	start, end int
	name       string
	// owner is the node that the field is in; its schema is nil if that is not known.
	owner use
	// key is the declaration, if the name is not one in JSON.
	key string
}

// namesIn returns the names of fields in a value of an argument of a marker at a declaration.
func (p *Place) namesIn(d *Decl, a argument, value string) []mention {
	refers := markers.ArgumentReference(a.marker, a.name)
	if refers == markers.NoReference {
		return nil
	}
	node, _ := p.node(d)
	switch refers {
	case markers.Path:
		return pathMentions(node, value)
	case markers.FieldName:
		return []mention{{end: len(value), name: value, owner: node}}
	case markers.FieldNames:
		return each(value, func(name string) []mention { return []mention{{end: len(name), name: name, owner: node}} })
	case markers.ItemField:
		node.schema = elements(node.schema)
		return []mention{{end: len(value), name: value, owner: node}}
	case markers.Sibling:
		return []mention{{end: len(value), name: value, owner: parentOf(p, d)}}
	case markers.Discriminator:
		return discriminators(p, d, value)
	case markers.Rule:
		return ruleMentions(node, value)
	case markers.ItemRule:
		return ruleMentions(node.element(), value)
	case markers.HubPaths:
		return each(value, func(path string) []mention { return hubMentions(p, d, path) })
	case markers.StructPaths:
		return each(value, func(path string) []mention { return pathMentions(structOf(p, d), path) })
	case markers.ValuePaths:
		for node.schema != nil && len(node.schema.Properties) == 0 && elements(node.schema) != nil {
			node = node.element()
		}
		return each(value, func(path string) []mention { return pathMentions(node, path) })
	}
	return nil
}

// each returns the names in the elements of a list, which are separated by semicolons.
func each(list string, names func(element string) []mention) (out []mention) {
	start := 0
	for element := range strings.SplitSeq(list, ";") {
		for _, m := range names(element) {
			m.start += start
			m.end += start
			out = append(out, m)
		}
		start += len(element) + 1
	}
	return out
}

// parentOf returns a node of the struct that has a field.
func parentOf(p *Place, d *Decl) use {
	if d.Parent == nil {
		return use{}
	}
	for _, program := range p.programs {
		if found := program.index().types[p.dir+"/"+d.Parent.Key]; len(found) > 0 {
			return found[0]
		}
	}
	u, _ := p.node(d.Parent)
	return u
}

// argumentsOf returns the arguments of a marker, which may be half typed.
func argumentsOf(marker string) (out []argument) {
	end := strings.IndexAny(marker, "=( ")
	if end < 0 || marker[end] == ' ' {
		return nil
	}
	name := marker[1:end]
	start := end + 1
	if marker[end] == '(' {
		inside := marker[start:]
		if close := strings.LastIndex(inside, ")=+"); close >= 0 {
			inside = inside[:close]
		} else if close := strings.LastIndexByte(inside, ')'); close >= 0 {
			inside = inside[:close]
		}
		for _, part := range splitAt(inside, start) {
			key, value, ok := strings.Cut(part.value, ":")
			if !ok || strings.ContainsAny(key, `"./`) {
				out = append(out, unquoted(argument{marker: name, value: part.value, start: part.start}))
				continue
			}
			out = append(out, unquoted(argument{marker: name, name: strings.TrimSpace(key), value: value,
				start: part.start + len(key) + 1}))
		}
		return out
	}
	if strings.HasPrefix(name, markers.ConvertPrefix) {
		for i, part := range splitAt(marker[start:], start) {
			if key, value, ok := strings.Cut(part.value, "="); i > 0 {
				if ok {
					out = append(out,
						unquoted(argument{marker: name, name: key, value: value, start: part.start + len(key) + 1}))
				}
				continue
			}
			out = append(out, unquoted(argument{marker: name, value: part.value, start: part.start}))
		}
		return out
	}
	// The name of the first named argument follows that of the marker.
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 || !markers.HasNamedArguments(name[:colon]) {
		return []argument{unquoted(argument{marker: name, value: marker[start:], start: start})}
	}
	first := 1 + colon + 1
	for _, part := range splitAt(marker[first:], first) {
		if key, value, ok := strings.Cut(part.value, "="); ok {
			out = append(out, unquoted(argument{marker: name[:colon], name: key, value: value,
				start: part.start + len(key) + 1}))
		}
	}
	return out
}

// splitAt returns the arguments in a text, which begins at an offset.
func splitAt(text string, offset int) (out []argument) {
	for _, part := range markers.SplitArguments(text) {
		out = append(out, argument{value: part, start: offset})
		offset += len(part) + len(",")
	}
	return out
}

// unquoted returns an argument without spaces and quotes around its value.
func unquoted(a argument) argument {
	trimmed := strings.TrimLeft(a.value, " ")
	a.start += len(a.value) - len(trimmed)
	a.value = strings.TrimRight(trimmed, " ")
	if a.value == "" || !strings.ContainsRune("\"`", rune(a.value[0])) {
		return a
	}
	quote := a.value[:1]
	a.value = a.value[1:]
	a.start = a.start + 1
	a.quoted = true
	if rest, ok := strings.CutSuffix(a.value, quote); ok && !(quote == `"` && strings.HasSuffix(rest, `\`)) {
		a.value = rest
	}
	return a
}

// pathMentions returns the names in a path from a node: ".spec.list[*].name", with filters.
func pathMentions(source use, text string) (out []mention) {
	now := source
	var outer []use // of filters
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case rest[0] == '.':
			i++
			end := i
			for end < len(text) && isNameByte(text[end]) {
				end++
			}
			out = append(out, mention{start: i, end: end, name: text[i:end], owner: now})
			now = now.step(text[i:end])
			i = end
		case strings.HasPrefix(rest, "[?("):
			outer = append(outer, now.element())
			now = now.element()
			i = i + 3
		case rest[0] == '@' && len(outer) > 0:
			now = outer[len(outer)-1]
			i = i + 1
		case strings.HasPrefix(rest, ")]") && len(outer) > 0:
			now = outer[len(outer)-1]
			outer = outer[:len(outer)-1]
			i = i + 2
		case strings.HasPrefix(rest, "['"):
			name, _, _ := strings.Cut(rest[2:], "'")
			out = append(out, mention{start: i + 2, end: i + 2 + len(name), name: name, owner: now})
			now = now.step(name)
			i = min(len(text), i+2+len(name)+2)
		case rest[0] == '[', rest[0] == '{':
			now = now.element()
			if end := strings.IndexAny(rest, "]}"); end >= 0 {
				i += end + 1
			} else {
				i = len(text)
			}
		case strings.ContainsRune(`"'`, rune(rest[0])):
			i += quoteEnd(rest)
		default:
			i++
		}
	}
	return out
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// quoteEnd returns the length of a quoted text, with its quotes.
func quoteEnd(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if text[i] == text[0] {
			return i + 1
		}
	}
	return len(text)
}

// step returns the node of a field, with a nil schema if there is none.
func (u use) step(name string) use {
	return use{u.kind, u.version, u.path + "." + name, child(u, name)}
}

func (u use) element() use {
	return use{u.kind, u.version, u.path + "[*]", elements(u.schema)}
}

// ruleMentions returns the names in a CEL expression on a node. The text is that in a Go string.
func ruleMentions(self use, text string) (out []mention) {
	variables := map[string]use{"self": self, "oldSelf": self}
	var open []use // what each open bracket leads to
	var now use    // what the text before leads to; its schema is nil if that is not known
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\'' || c == '"' || c == '\\' && i+1 < len(text) && text[i+1] == '"':
			now = use{}
			if c == '\\' {
				if end := strings.Index(text[i+2:], `\"`); end >= 0 {
					i += end + 4
				} else {
					i = len(text)
				}
				continue
			}
			i += quoteEnd(text[i:])
		case c == '.' && (now.schema != nil || now.kind != nil):
			i++
			if i < len(text) && text[i] == '?' {
				i++
			}
			end := nameEnd(text, i)
			if end < len(text) && text[end] == '(' {
				now = call(variables, now, text[i:end], text[end+1:])
				open = append(open, now)
				now = use{}
				i = end + 1
				continue
			}
			out = append(out, mention{start: i, end: end, name: fieldNamed(now.schema, text[i:end]), owner: now})
			now = now.step(fieldNamed(now.schema, text[i:end]))
			i = end
			if now.schema == nil {
				now = use{}
			}
		case c == '[':
			open = append(open, now.element())
			now = use{}
			i++
		case c == '(':
			open = append(open, use{})
			now = use{}
			i++
		case (c == ']' || c == ')') && len(open) > 0:
			now = open[len(open)-1]
			open = open[:len(open)-1]
			i++
		case isNameByte(c) && c != '-':
			end := nameEnd(text, i)
			now = variables[text[i:end]]
			i = max(end, i+1)
		case c == ' ':
			i++
		default:
			now = use{}
			i++
		}
	}
	return out
}

// nameEnd returns the end of a name in CEL.
func nameEnd(text string, i int) int {
	for i < len(text) && isNameByte(text[i]) && text[i] != '-' {
		i++
	}
	return i
}

// call takes the call of a function on a value, with the text of its arguments. It sets the
// variable of a macro, and returns what the result leads to.
func call(variables map[string]use, receiver use, name, arguments string) use {
	switch name {
	case "all", "exists", "exists_one", "existsOne", "filter", "map":
		variable := arguments[:nameEnd(arguments, 0)]
		if receiver.schema == nil {
			return use{}
		}
		variables[variable] = receiver.element()
		if receiver.schema.Items == nil {
			variables[variable] = use{} // a key
		}
		if name == "filter" {
			return receiver
		}
	case "orValue", "value":
		return receiver
	}
	return use{}
}

// fieldNamed returns the name of the field that a name in CEL refers to.
func fieldNamed(s *structural.Schema, name string) string {
	if s == nil || s.PropertyIndex(name) >= 0 {
		return name
	}
	for _, p := range s.Properties {
		if escaped, ok := celtext.Name(p.Name); ok && escaped == name {
			return p.Name
		}
	}
	return name
}
