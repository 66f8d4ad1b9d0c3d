package structural

import "strings"

// CELName returns the name by which CEL rules read a property: characters that
// an identifier cannot have, and words of the language, are escaped
// ("Escaped property names" in the documentation of x-kubernetes-validations;
// k8s.io/apiserver's cel.Escape). ok is false for a name that rules cannot read.
func CELName(name string) (escaped string, ok bool) {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "", false
	}
	switch name {
	case "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if",
		"import", "let", "loop", "package", "namespace", "return", "var", "void", "while":
		return "__" + name + "__", true
	}
	var out strings.Builder
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '.':
			out.WriteString("__dot__")
		case c == '-':
			out.WriteString("__dash__")
		case c == '/':
			out.WriteString("__slash__")
		case c == '_' && strings.HasPrefix(name[i:], "__"):
			out.WriteString("__underscores__")
			i++
		case c == '_', c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			out.WriteByte(c)
		default:
			return "", false
		}
	}
	return out.String(), true
}

// CELString returns a text as a string literal of CEL.
func CELString(text string) string {
	var out strings.Builder
	out.WriteByte('\'')
	for _, r := range text {
		switch r {
		case '\\', '\'':
			out.WriteByte('\\')
			out.WriteRune(r)
		case '\n':
			out.WriteString(`\n`)
		case '\r':
			out.WriteString(`\r`)
		case '\t':
			out.WriteString(`\t`)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('\'')
	return out.String()
}

// RuleFieldPath returns the fieldPath of a rule that speaks of a property.
func RuleFieldPath(name string) string {
	if escaped, ok := CELName(name); ok && escaped == name {
		return "." + name
	}
	return "[" + CELString(name) + "]"
}
