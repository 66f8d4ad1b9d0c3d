package unseen

import (
	"bytes"
	"go/parser"
	"go/token"
)

// Span is a range of bytes of a file.
type Span struct{ Start, End int }

// Functions returns the functions of a Go file that can be left out, in source order. A span
// begins with the doc comment.
func Functions(src []byte) []Span {
	head := src[:min(len(src), 2<<10)]
	if bytes.Contains(head, []byte("// Code generated ")) {
		return nil // nobody edits it
	}
	s := newScanner(src)
	s.file()
	if s.directive {
		return nil
	}
	return s.found
}

// Rest overwrites buffer, which may be nil, with what is left of a file without functions that
// can be left out. An empty line takes their place, and that of the white space around them.
func Rest(buffer, src []byte, functions []Span) []byte {
	if len(functions) == 0 {
		return append(buffer[:0], src...)
	}
	rest := buffer[:0]
	start := 0
	for _, f := range functions {
		rest = appendPart(rest, src[start:f.Start])
		start = f.End
	}
	rest = appendPart(rest, src[start:])
	return rest[:len(rest)-1] // one line break at the end of the file
}

// appendPart appends the text between functions, without the white space around it, and an
// empty line.
func appendPart(rest, part []byte) []byte {
	if len(rest) > 0 {
		part = bytes.TrimLeft(part, whiteSpace)
	}
	part = bytes.TrimRight(part, whiteSpace)
	if len(part) == 0 {
		return rest
	}
	return append(append(rest, part...), "\n\n"...)
}

const whiteSpace = " \t\r\n"

// SoundRest returns [Rest] for a file, and whether the file has no syntax errors. Generators may
// report a syntax error wherever it is.
func SoundRest(src []byte) (rest []byte, sound bool) {
	_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	return Rest(nil, src, Functions(src)), err == nil
}
