package publish

import (
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// goOnly matches syntax that only Go's regular expressions have: flags, named groups in
// Go's style, anchors, classes, quotes.
var goOnly = lazyregexp.New(`\(\?[^:]|\\[AzZQECpPa]|\\x\{|\[\^?\[:`)

// ecmaPattern converts a Go pattern to the syntax that Go shares with JSON Schema
// (ECMA-262), because validators written in Go parse it as Go. A pattern that means the
// same in both is returned unchanged. ok is false if it cannot be converted.
func ecmaPattern(pattern string) (ecma string, ok bool) {
	if !goOnly().MatchString(pattern) {
		return pattern, true
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false // the server would reject it
	}
	w := ecmaWriter{ok: true}
	w.write(parsed)
	return w.text.String(), w.ok
}

// ecmaWriter writes a parsed expression.
type ecmaWriter struct {
	text strings.Builder
	ok   bool
}

func (w *ecmaWriter) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		w.text.WriteString("(?:)")
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			w.literal(r, re.Flags)
		}
	case syntax.OpCharClass:
		w.class(re.Rune)
	case syntax.OpAnyCharNotNL:
		w.text.WriteString(".")
	case syntax.OpAnyChar:
		w.text.WriteString(`[\s\S]`)
	case syntax.OpBeginText:
		w.text.WriteString("^")
	case syntax.OpEndText:
		w.text.WriteString("$")
	case syntax.OpWordBoundary:
		w.text.WriteString(`\b`)
	case syntax.OpNoWordBoundary:
		w.text.WriteString(`\B`)
	case syntax.OpCapture:
		w.text.WriteString("(")
		w.write(re.Sub[0])
		w.text.WriteString(")")
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.text.WriteString("(?:")
		for i, sub := range re.Sub {
			if i > 0 {
				w.text.WriteString("|")
			}
			w.write(sub)
		}
		w.text.WriteString(")")
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		w.text.WriteString("(?:")
		w.write(re.Sub[0])
		w.text.WriteString(")" + times(re))
	default: // multi-line anchors, and what never matches
		w.ok = false
	}
}

// times returns the quantifier of an expression. Greediness does not affect whether it
// matches.
func times(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpStar:
		return "*"
	case syntax.OpPlus:
		return "+"
	case syntax.OpQuest:
		return "?"
	}
	out := "{" + strconv.Itoa(re.Min)
	if re.Max != re.Min {
		out += ","
	}
	if re.Max > re.Min {
		out += strconv.Itoa(re.Max)
	}
	return out + "}"
}

func (w *ecmaWriter) literal(r rune, flags syntax.Flags) {
	same := []rune{r, r}
	if flags&syntax.FoldCase != 0 {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			same = append(same, other, other)
		}
	}
	switch {
	case len(same) > 2:
		w.class(same)
	case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" _-,:;@#%&=<>~'\"!", r)):
		w.text.WriteRune(r)
	case strings.ContainsRune(`^$\.*+?()[]{}|/`, r):
		w.text.WriteString(`\` + string(r))
	default:
		w.rune(r)
	}
}

// class writes a character class. Ranges up to the last rune are written as their
// complement.
func (w *ecmaWriter) class(ranges []rune) {
	w.text.WriteString("[")
	if len(ranges) > 0 && ranges[len(ranges)-1] == unicode.MaxRune {
		w.text.WriteString("^")
		next := rune(0)
		for i := 0; i < len(ranges); i += 2 {
			if ranges[i] > next {
				w.runes(next, ranges[i]-1)
			}
			next = ranges[i+1] + 1
		}
	} else {
		for i := 0; i < len(ranges); i += 2 {
			w.runes(ranges[i], ranges[i+1])
		}
	}
	w.text.WriteString("]")
}

func (w *ecmaWriter) runes(low, high rune) {
	w.rune(low)
	if high > low {
		w.text.WriteString("-")
		w.rune(high)
	}
}

// rune writes a rune that is one character without any flags.
func (w *ecmaWriter) rune(r rune) {
	switch {
	case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		w.text.WriteRune(r)
	case r <= unicode.MaxASCII:
		fmt.Fprintf(&w.text, `\x%02x`, r)
	case r <= 0xffff:
		w.text.WriteRune(r)
	default:
		w.ok = false
	}
}
