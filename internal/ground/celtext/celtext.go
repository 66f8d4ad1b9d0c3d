// Package celtext writes names and texts in the syntax of CEL rules.
package celtext

import "strings"

// Name returns the name by which CEL rules access a property: characters that
// are not allowed in an identifier, and reserved words, are escaped ("Escaped
// property names" in the documentation of x-kubernetes-validations; cel.Escape of
// k8s.io/apiserver). ok is false if rules cannot access the property.
func Name(name string) (escaped string, ok bool) {
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

// String returns text as a CEL string literal.
func String(text string) string {
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

// Ratchet separates the condition of a rule from one on the old object under which the rule holds anyway. What is
// before it is a rule, too.
const Ratchet = " || oldSelf.hasValue() && "

// FieldPath returns the fieldPath of a rule about a property.
func FieldPath(name string) string {
	if escaped, ok := Name(name); ok && escaped == name {
		return "." + name
	}
	return "[" + String(name) + "]"
}
