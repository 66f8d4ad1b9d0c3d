package terminal

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// Extent returns the end of the source that begins at an offset of a line, for a finding
// that has only a position: a marker, a string, a name with its package, a value in YAML.
func Extent(file, line string, start int) (end int) {
	rest := line[start:]
	switch filepath.Ext(file) {
	case ".yaml", ".yml", ".json":
		if key := yamlKey().FindString(rest); key != "" {
			return start + len(strings.TrimRight(key, ": \t"))
		}
		if n := len(yamlValue().FindString(rest)); n > 0 {
			return start + len(strings.TrimRight(rest[:n], " \t"))
		}
	}
	tokens := []func() *regexp.Regexp{stringToken, typeToken, wordToken, operatorToken}
	if commentStart().MatchString(line[:start]) {
		tokens = slices.Insert(tokens, 0, markerToken)
	}
	for _, token := range tokens {
		if n := len(token().FindString(rest)); n > 0 {
			return start + n
		}
	}
	_, size := utf8.DecodeRuneInString(rest)
	return start + size
}

var (
	// commentStart matches the text before a marker.
	commentStart = lazyregexp.New(`^\s*(//|/?\*)\s*$`)
	// markerToken matches a marker with its arguments, in which quotes may contain spaces.
	markerToken = lazyregexp.New("^\\+(?:[^\\s\"`]|\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)*")
	stringToken = lazyregexp.New("^(?:\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|'(?:[^'\\\\]|\\\\.)*')")
	// typeToken matches the type of a field: a name behind pointers, slices and maps.
	typeToken = lazyregexp.New(`^(?:[*]|\[\w*\]|map\[[\w.*]+\])+[\pL_][\pL\pN_.]*(?:\[[^\s\]]*\])?`)
	wordToken = lazyregexp.New(`^[\pL\pN_][\pL\pN\pM_.\-/]*(?:\[[^\s\]]*\])?`)
	// operatorToken matches an operator of CEL or Go.
	operatorToken = lazyregexp.New(`^[=!<>&|+*/%?:-]+`)

	yamlKey   = lazyregexp.New(`^(?:"(?:[^"\\]|\\.)*"|'[^']*'|(?:[^\s:#,{}\[\]"']|:[^\s])+)\s*:(?:\s|$)`)
	yamlValue = lazyregexp.New(`^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,{}\[\]#"'](?:[^,{}\[\]#\s]|\s+[^#\s,{}\[\]])*)`)
)
