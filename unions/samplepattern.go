package unions

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// maxPatternTries is the number of texts that are generated for a pattern.
const maxPatternTries = 64

// matching returns a text that matches a regular expression and fits, the n-th of several
// that should differ. It walks the expression with more repetitions and other characters
// each time.
func matching(pattern string, n int, fits func(string) bool) (string, bool) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	parsed = parsed.Simplify()
	for try := range maxPatternTries {
		w := patternWriter{choice: try + n, repeat: try / 4, left: maxSampleLength}
		w.write(parsed)
		if s := w.out.String(); fits(s) {
			return s, true
		}
	}
	return "", false
}

// TextMatching returns a text that matches a regular expression, if it finds one.
func TextMatching(pattern string) (string, bool) {
	return matching(pattern, 0, func(s string) bool { return matches(pattern, s) })
}

// patternWriter writes a text that matches an expression.
type patternWriter struct {
	out strings.Builder
	// choice selects branches and characters, repeat the number of repetitions
	// beyond the minimum.
	choice, repeat int
	left           int
}

func (w *patternWriter) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			w.rune(r)
		}
	case syntax.OpCharClass:
		w.rune(w.pick(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.rune(w.pick([]rune{'a', 'z'}))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(re.Sub[w.choice%len(re.Sub)])
	case syntax.OpStar:
		w.repeated(re.Sub[0], w.repeat)
	case syntax.OpPlus:
		w.repeated(re.Sub[0], 1+w.repeat)
	case syntax.OpQuest:
		if w.repeat%2 == 1 {
			w.write(re.Sub[0])
		}
	case syntax.OpRepeat:
		times := re.Min + w.repeat
		if re.Max >= 0 {
			times = min(times, re.Max)
		}
		w.repeated(re.Sub[0], times)
	}
}

func (w *patternWriter) repeated(re *syntax.Regexp, times int) {
	for i := 0; i < times && w.left > 0; i++ {
		w.write(re)
	}
}

func (w *patternWriter) rune(r rune) {
	if w.left--; w.left > 0 {
		w.out.WriteRune(r)
	}
}

// pick returns a character of a class, which is given as pairs of bounds: a letter or a
// digit if possible.
func (w *patternWriter) pick(class []rune) rune {
	var usual []rune
	for _, r := range "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		if inClass(class, r) {
			usual = append(usual, r)
		}
	}
	if len(usual) > 0 {
		return usual[w.choice%len(usual)]
	}
	for i := 0; i+1 < len(class); i += 2 {
		for r := class[i]; r <= class[i+1] && r < class[i]+256; r++ {
			if unicode.IsPrint(r) {
				return r
			}
		}
	}
	if len(class) > 0 {
		return class[0]
	}
	return 'a'
}

func inClass(class []rune, r rune) bool {
	for i := 0; i+1 < len(class); i += 2 {
		if class[i] <= r && r <= class[i+1] {
			return true
		}
	}
	return false
}
