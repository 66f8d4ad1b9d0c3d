package absent

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/structural"
)

// This file finds rules that compare only with absent values of an enum: they are valid, but
// true for all objects, or false for all. Of a rule, it knows ||, &&, !, parentheses and
// comparisons with texts; anything else may be true or false.

// truth is the value of an expression for all objects of a schema.
type truth int

const (
	sometimes truth = iota
	always
	never
)

func (t truth) not() truth { return [...]truth{sometimes, never, always}[t] }

// constant reports a rule that is constant because of an absent value.
func (f *finder) constant(p place, n int, r rule) {
	var absent *notes.Absent
	var path string
	t := fold(p.schema.XValidations[n].Rule, func(fields, value string) bool {
		node := at(p.schema, fields)
		if node == nil || node.ValueValidation == nil || slices.ContainsFunc(node.Enum,
			func(v structural.JSON) bool { return string(v.Raw) == strconv.Quote(value) }) {
			return false
		}
		for i, a := range node.Origin.Absent {
			if a.Value && a.Name == value {
				absent = &node.Origin.Absent[i]
				path = "self" + fields
				return true
			}
		}
		return false
	})
	if t == sometimes {
		return
	}
	d := report.NeedlessCondition.At(f.checker.Reporter.Position(r.marker.Pos), "", "the rule is %s true here: %s has no value %q, whose condition is %s",
		map[truth]string{always: "always", never: "never"}[t], path, absent.Name, absent.Condition)
	f.add(&d, r.marker, true, true, absent)
	f.checker.Reporter.Add(d)
}

// comparison matches the comparison of a field with a text.
var comparison = lazyregexp.New(`^(?:self|oldSelf)((?:\.\w+)*)\s*(==|!=)\s*(?:'([^'\\]*)'|"([^"\\]*)")$`)

// fold returns the value of an expression. absent reports whether a field never has a value.
func fold(text string, absent func(fields, value string) bool) truth {
	text = strings.TrimSpace(text)
	for _, junctor := range []struct {
		operator string
		decides  truth
	}{{"||", always}, {"&&", never}} {
		parts := split(text, junctor.operator)
		if len(parts) == 1 {
			continue
		}
		out := junctor.decides.not()
		for _, part := range parts {
			switch t := fold(part, absent); t {
			case junctor.decides:
				return t
			case sometimes:
				out = sometimes
			}
		}
		return out
	}
	if rest, ok := strings.CutPrefix(text, "!"); ok {
		return fold(rest, absent).not()
	}
	if strings.HasPrefix(text, "(") && closing(text) == len(text)-1 {
		return fold(text[1:len(text)-1], absent)
	}
	m := comparison().FindStringSubmatch(text)
	switch {
	case m == nil || !absent(m[1], m[3]+m[4]):
		return sometimes
	case m[2] == "==":
		return never
	}
	return always
}

// quoted matches a text of CEL at the beginning of another.
var quoted = lazyregexp.New(`^r?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`)

// split returns the parts of an expression between operators that are not in parentheses or
// texts. A conditional expression is one part: its operators bind weaker.
func split(text, operator string) (parts []string) {
	depth := 0
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			i += max(len(quoted().FindString(text[i:]))-1, 0)
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth > 0:
		case c == '?' && !strings.HasPrefix(text[max(i-1, 0):], ".?") && !strings.HasPrefix(text[max(i-1, 0):], "[?"):
			return []string{text}
		case strings.HasPrefix(text[i:], operator):
			parts = append(parts, text[start:i])
			start = i + len(operator)
			i++
		}
	}
	return append(parts, text[start:])
}

// closing returns the index of the parenthesis that closes the first one of a text.
func closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'', '"':
			i += max(len(quoted().FindString(text[i:]))-1, 0)
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
