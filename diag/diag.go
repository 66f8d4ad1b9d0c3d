package diag

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Severity says what a diagnostic means for the run.
type Severity int

const (
	// Error: the output would be refused by the API server, or would be wrong.
	// Nothing is written.
	Error Severity = iota
	// Warning: something that the author wrote has no effect or can never hold.
	Warning
	// Note: something that was done, and need not be mended.
	Note
)

func (s Severity) String() string {
	return [...]string{"error", "warning", "note"}[s]
}

// Code is the stable name of a kind of diagnostic, for example "SG201".
type Code string

// CodeInfo documents a code.
type CodeInfo struct {
	Code     Code
	Severity Severity
	// Title is one line without a final stop.
	Title string
	// Explanation says why it matters and what to do, in plain text.
	Explanation string
}

// Position is a place in a file.
type Position struct {
	// File is the path as the user should see it.
	File string
	// Line and Column count from 1, columns in bytes; 0 means unknown.
	Line, Column int
}

func (p Position) String() string {
	switch {
	case p.File == "":
		return "(no place)"
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// ParsePosition parses a position as the go command writes it: "file:line:column",
// "file:line", "file", "-", or nothing.
func ParsePosition(s string) Position {
	if s == "" || s == "-" {
		return Position{}
	}
	p := Position{File: s}
	var numbers []int
	for len(numbers) < 2 {
		i := strings.LastIndexByte(p.File, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(p.File[i+1:])
		if err != nil {
			break
		}
		numbers = append(numbers, n)
		p.File = p.File[:i]
	}
	switch len(numbers) {
	case 1:
		p.Line = numbers[0]
	case 2:
		p.Line, p.Column = numbers[1], numbers[0]
	}
	return p
}

// Related is a second place that belongs to a diagnostic.
type Related struct {
	Pos     Position
	Message string
}

// Diagnostic is one finding about the user's source.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Pos      Position
	// Message says what is wrong, in one line without a final stop.
	Message string
	// Hint says what to write instead. It may be empty.
	Hint string
	// Related are further places, innermost first.
	Related []Related
}

// List is a set of diagnostics.
type List []Diagnostic

// HasErrors reports whether the list has a diagnostic of severity Error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Normalize returns the list sorted by place, severity, code and message, each
// finding once. Two findings are the same if they differ at most in their
// hints and related places; the first one in the order of reporting stays.
func (l List) Normalize() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, compare)
	return slices.CompactFunc(out, func(a, b Diagnostic) bool { return compare(a, b) == 0 })
}

func compare(a, b Diagnostic) int {
	return cmp.Or(
		cmp.Compare(a.Pos.File, b.Pos.File),
		cmp.Compare(a.Pos.Line, b.Pos.Line),
		cmp.Compare(a.Pos.Column, b.Pos.Column),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
	)
}

// RelativeTo returns the list with file names relative to dir, where they lie
// below it or at most two levels above; other names stay as they are.
func (l List) RelativeTo(dir string) List {
	out := slices.Clone(l)
	for i := range out {
		out[i].Pos.File = relative(dir, out[i].Pos.File)
		out[i].Related = slices.Clone(out[i].Related)
		for j := range out[i].Related {
			out[i].Related[j].Pos.File = relative(dir, out[i].Related[j].Pos.File)
		}
	}
	return out
}

func relative(dir, file string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || strings.HasPrefix(rel, filepath.Join("..", "..", "..")) {
		return file
	}
	return filepath.ToSlash(rel)
}

// WriteText prints the list, one finding after the other:
//
//	path:line:col: severity[CODE]: message   (without the place if there is none)
//		hint: what to write instead
//		other/path:line:col: what is related
func (l List) WriteText(w io.Writer) error {
	for _, d := range l {
		var b strings.Builder
		if d.Pos.File != "" {
			fmt.Fprintf(&b, "%s: ", d.Pos)
		}
		fmt.Fprintf(&b, "%s[%s]: %s\n", d.Severity, d.Code, d.Message)
		if d.Hint != "" {
			fmt.Fprintf(&b, "\thint: %s\n", d.Hint)
		}
		for _, r := range d.Related {
			fmt.Fprintf(&b, "\t%s: %s\n", r.Pos, r.Message)
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}
