// Package sourcestyle keeps the style of Go files that are edited: whether they are formatted,
// their line ends and their byte order mark. It knows Go syntax, but not what the edits are.
package sourcestyle

import (
	"bytes"
	"go/format"
	"go/parser"
	"go/token"
)

// mark is the byte order mark.
const mark = "\ufeff"

// Formatted returns an edited Go file in the style that it had before. If gofmt would have
// changed other lines, none are formatted. It returns an error if the file is not valid Go.
func Formatted(head, edited []byte) ([]byte, error) {
	head, _ = bytes.CutPrefix(head, []byte(mark))
	edited, marked := bytes.CutPrefix(edited, []byte(mark))
	windows := hasOnlyWindowsEnds(head)
	if windows {
		head = withUnixEnds(head)
		edited = withUnixEnds(edited)
	}
	if formatted, err := format.Source(head); err == nil && bytes.Equal(formatted, head) {
		edited, err = format.Source(edited)
		if err != nil {
			return nil, err
		}
	} else if _, err := parser.ParseFile(token.NewFileSet(), "", edited, parser.ParseComments); err != nil {
		return nil, err
	}
	if windows {
		edited = bytes.ReplaceAll(edited, []byte("\n"), []byte("\r\n"))
	}
	if marked {
		edited = append([]byte(mark), edited...)
	}
	return edited, nil
}

// EndOf returns the end of a line: "\n" or "\r\n".
func EndOf(line []byte) string {
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

func hasOnlyWindowsEnds(text []byte) bool {
	lines := bytes.Count(text, []byte("\n"))
	return lines > 0 && lines == bytes.Count(text, []byte("\r\n"))
}

func withUnixEnds(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}
