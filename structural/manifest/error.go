package manifest

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// yamlLine matches the beginning of an error of the YAML library with a line number.
var yamlLine = lazyregexp.New(`^yaml: line (\d+): `)

// yamlAnchor matches the name of an anchor in an error.
var yamlAnchor = lazyregexp.New(`anchor '([^']*)'`)

// yamlError returns the offset in a text that an error of the YAML library refers
// to, and its message without the line, which counts from the beginning of the
// text and is imprecise. The offset is strayed if that is near the line.
func yamlError(text string, err error, strayed int) (offset int, message string) {
	message = err.Error()
	line := 1
	if m := yamlLine().FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = "yaml: " + message[len(m[0]):]
		if isParserError(message) {
			line++ // the library counts from 0 here
		}
	}
	if m := yamlAnchor().FindStringSubmatch(message); m != nil {
		return max(0, strings.Index(text, "*"+m[1])), message
	}
	if bad := badCharacter(text); bad >= 0 {
		return bad, message
	}
	if index := strings.Count(text[:strayed], "\n") + 1; index == line || index == line-1 {
		return strayed, message
	}
	for range line - 1 {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			break
		}
		offset += next + 1
	}
	for offset < len(text) && text[offset] == ' ' {
		offset++
	}
	return offset, message
}

// isParserError reports whether a message is from the library's parser rather than
// its scanner.
func isParserError(message string) bool {
	switch strings.TrimPrefix(message, "yaml: ") {
	case "did not find expected <stream-start>", "did not find expected <document start>", "did not find expected node content",
		"did not find expected '-' indicator", "did not find expected key", "did not find expected ',' or ']'",
		"did not find expected ',' or '}'", "found undefined tag handle", "found duplicate %YAML directive",
		"found incompatible YAML document", "found duplicate %TAG directive":
		return true
	}
	return false
}

// badCharacter returns the offset of the first character that YAML does not
// allow, or a negative number.
func badCharacter(text string) int {
	for i, r := range text {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= ' ' && r <= '~':
		case r < utf8.RuneSelf, !isYAMLRune(r), r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			return i
		}
	}
	return -1
}
