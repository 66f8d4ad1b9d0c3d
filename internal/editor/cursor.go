package editor

import (
	"bytes"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/editor/symbols"
	"github.com/schemagen/schemagen/internal/markers"
)

// cursor is a place in the text of a marker, which may be half typed.
type cursor struct {
	// marker is the marker, from its plus sign to the end of the line, and start its offset in
	// the file. at is the offset of the cursor in the marker.
	marker    string
	start, at int
	// targets are what the marker may describe at its place; kind is set if that may be a kind.
	targets []markers.Target
	kind    bool
}

// cursorAt returns the cursor at an offset of a Go file. ok is false if it is not in a marker.
func cursorAt(text []byte, offset int) (c cursor, ok bool) {
	offset = min(max(offset, 0), len(text))
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	line := string(text[start:])
	line, _, _ = strings.Cut(line, "\n")
	line = strings.TrimRight(line, " \t\r")
	comment := strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(comment, "//") {
		return c, false
	}
	marker := strings.TrimLeft(comment[2:], " \t")
	c.start = start + len(line) - len(marker)
	if !strings.HasPrefix(marker, "+") {
		m := symbols.NewOutline(text).MarkerAt(offset)
		if m == nil {
			return c, false
		}
		// The line goes on with a raw string.
		marker = m.Text
		c.start = m.Start
	}
	if offset <= c.start {
		return c, false
	}
	c.marker = marker
	c.at = min(offset-c.start, len(marker))
	c.targets, c.kind = targetsAt(text, offset)
	return c, true
}

// targetsAt returns what a comment at an offset of a Go file may describe, from its tokens: the
// file need not be valid. kind reports whether that may be a kind.
func targetsAt(text []byte, offset int) (targets []markers.Target, kind bool) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	var (
		opened   []token.Token // what precedes each open bracket
		previous token.Token
		next     token.Token // the first one after the comment
	)
	for next == token.ILLEGAL {
		pos, tok, _ := s.Scan()
		switch {
		case tok == token.EOF:
			next = tok
		case tok == token.SEMICOLON:
		case file.Offset(pos) >= offset:
			next = tok
		case tok == token.LBRACE || tok == token.LPAREN:
			opened = append(opened, previous)
		case (tok == token.RBRACE || tok == token.RPAREN) && len(opened) > 0:
			opened = opened[:len(opened)-1]
		}
		if tok != token.SEMICOLON {
			previous = tok
		}
	}
	switch {
	case len(opened) > 0 && opened[len(opened)-1] == token.STRUCT:
		return []markers.Target{markers.Field}, false
	case next == token.TYPE || slices.Equal(opened, []token.Token{token.TYPE}):
		return []markers.Target{markers.Type, markers.Package}, declaresKind(&s)
	case len(opened) == 0:
		return []markers.Target{markers.Package}, false
	}
	return nil, false // in a function
}

// declaresKind reports whether the type that a scanner has arrived at may be a kind: it mentions
// TypeMeta.
func declaresKind(s *scanner.Scanner) bool {
	depth := 0
	for {
		switch _, tok, name := s.Scan(); {
		case tok == token.EOF:
			return false
		case tok == token.IDENT && name == "TypeMeta":
			return true
		case tok == token.LBRACE:
			depth++
		case tok == token.RBRACE:
			if depth--; depth <= 0 {
				return false
			}
		}
	}
}
