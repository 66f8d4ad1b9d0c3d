// Package plurals derives resource names from kinds like controller-gen.
//
// The rules are a table that a test generates.
package plurals

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

// pluralText contains the rules for plurals. TestPluralText generates it from the tables of
// github.com/gobuffalo/flect, which prepares them at the start of every process that links it
// and searches the working directory for more. A line is
//
//	= WORD PLURAL      a whole word and its plural
//	= WORD             a word that is a plural
//	- ENDING PLURAL    an ending; the first match counts
//	^ WORD             an acronym that is upper case inside names
//
//go:embed plural.txt
var pluralText string

// table forms plurals like controller-gen.
type table struct {
	words    map[string]string // empty for plurals
	endings  []ending
	acronyms map[string]bool
}

// ending replaces the end of words by that of their plural.
type ending struct{ text, plural string }

// known is parsed on first use.
var known = sync.OnceValue(newTable)

// Of returns the resource name of a kind for which no marker sets one.
func Of(kind string) string { return known().of(kind) }

func newTable() *table {
	p := &table{words: map[string]string{}, acronyms: map[string]bool{}}
	for line := range strings.Lines(pluralText) {
		switch fields := strings.Fields(line); {
		case len(fields) == 3 && fields[0] == "=":
			p.words[fields[1]] = fields[2]
		case len(fields) == 2 && fields[0] == "=":
			p.words[fields[1]] = ""
		case len(fields) == 3 && fields[0] == "-":
			p.endings = append(p.endings, ending{fields[1], fields[2]})
		case len(fields) == 2 && fields[0] == "^":
			p.acronyms[fields[1]] = true
		}
	}
	return p
}

// of returns the plural of a Go name in lower case, which is the resource name of a kind: the
// result of strings.ToLower(flect.Pluralize(name)).
func (p *table) of(name string) string {
	last := p.lastPart(name)
	if last == "" {
		return ""
	}
	lower := strings.ToLower(name)
	// An upper-case acronym is not an ending of the name and is repeated: the plural of
	// Dns is dnsdnses.
	old := strings.ToLower(strings.TrimSuffix(name, last))
	plural, ok := p.words[name]
	if ok {
		old = ""
	} else {
		plural, ok = p.words[strings.ToLower(last)]
	}
	switch {
	case ok && plural == "":
		return lower
	case ok:
		return old + strings.ToLower(plural)
	}
	for _, e := range p.endings {
		if start, ok := strings.CutSuffix(last, e.text); ok {
			return old + strings.ToLower(start+e.plural)
		}
	}
	if strings.HasSuffix(strings.ToLower(last), "s") {
		return lower
	}
	return lower + "s"
}

// lastPart returns the last part of a name, whose parts begin at capitals and underscores.
func (p *table) lastPart(name string) string {
	if upper := strings.ToUpper(name); p.acronyms[upper] {
		return upper
	}
	last := ""
	begin := 0
	end := func(offset int) {
		part := strings.Trim(name[begin:offset], "_")
		if upper := strings.ToUpper(part); p.acronyms[upper] {
			part = upper
		}
		if part != "" {
			last = part
		}
		begin = offset
	}
	var oldRune rune
	for i, c := range name {
		if c == '_' || unicode.IsUpper(c) && (!unicode.IsUpper(oldRune) || p.acronyms[strings.ToUpper(name[begin:i])]) {
			end(i)
		}
		oldRune = c
	}
	end(len(name))
	return last
}
