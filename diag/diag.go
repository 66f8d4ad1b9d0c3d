package diag

import (
	"cmp"
	"fmt"
	"go/token"
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

// Position is a place in a file.
type Position struct {
	// File is the path as the user should see it.
	File string
	// Line and Column count from 1, columns in bytes; 0 means unknown.
	Line, Column int
}

// PositionOf resolves a position of a file set, without regard to line directives. It is
// zero if pos is not valid.
func PositionOf(fset *token.FileSet, pos token.Pos) Position {
	if !pos.IsValid() {
		return Position{}
	}
	p := fset.PositionFor(pos, false)
	return Position{File: p.Filename, Line: p.Line, Column: p.Column}
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
	// Off is set if nobody has asked for it and its kind is off by default: it is
	// neither printed nor does it fail a run.
	Off bool
	Pos Position
	// End is the position behind what Pos is the beginning of; zero if unknown.
	End Position
	// Message says what is wrong, in one line without a final stop.
	Message string
	// Hint says what to write instead. It may be empty.
	Hint string
	// Related are further places, innermost first.
	Related []Related
	// Fixes are ways to correct it, of which the user takes one.
	Fixes []Fix
}

// Fix is a way to correct what a diagnostic is about.
type Fix struct {
	// Message says what it does, in one line.
	Message string
	// Edits do not overlap.
	Edits []Edit
}

// Edit replaces the text from one position up to another by a new one.
type Edit struct {
	Pos, End Position
	New      string
}

// List is a set of diagnostics.
type List []Diagnostic

// HasErrors reports whether the list has a diagnostic of severity Error that is not off.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error && !d.Off })
}

// On returns the list without the diagnostics that are off.
func (l List) On() List {
	return slices.DeleteFunc(slices.Clone(l), func(d Diagnostic) bool { return d.Off })
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

// RelativeTo returns the list with file names relative to dir, if they are [Nearby].
func (l List) RelativeTo(dir string) List {
	out := slices.Clone(l)
	for i := range out {
		out[i].Pos.File = Relative(dir, out[i].Pos.File, Nearby)
		out[i].End.File = Relative(dir, out[i].End.File, Nearby)
		out[i].Related = slices.Clone(out[i].Related)
		for j := range out[i].Related {
			out[i].Related[j].Pos.File = Relative(dir, out[i].Related[j].Pos.File, Nearby)
		}
		out[i].Fixes = slices.Clone(out[i].Fixes)
		for j := range out[i].Fixes {
			fix := &out[i].Fixes[j]
			fix.Edits = slices.Clone(fix.Edits)
			for k := range fix.Edits {
				fix.Edits[k].Pos.File = Relative(dir, fix.Edits[k].Pos.File, Nearby)
				fix.Edits[k].End.File = Relative(dir, fix.Edits[k].End.File, Nearby)
			}
		}
	}
	return out
}

// Nearby is how many levels above a directory a file may be for its name to be printed
// relative to the directory.
const Nearby = 2

// Relative returns the name of a file relative to dir, with slashes, if the name begins with
// at most up elements "..". Other names, and those that are relative, stay as they are.
func Relative(dir, file string, up int) string {
	if !filepath.IsAbs(file) {
		return file
	}
	rel, err := filepath.Rel(dir, file)
	above := strings.Repeat("../", up+1)
	if rel = filepath.ToSlash(rel); err != nil || strings.HasPrefix(rel+"/", above) {
		return file
	}
	return rel
}

// WriteText prints the list, one finding after the other:
//
//	path:line:col: severity[CODE]: message   (without the place if there is none)
//		hint: what to write instead
//		other/path:line:col: what is related
func (l List) WriteText(w io.Writer) error {
	for _, d := range l.On() {
		var b strings.Builder
		if d.Pos.File != "" {
			fmt.Fprintf(&b, "%s: ", Line(d.Pos.String()))
		}
		fmt.Fprintf(&b, "%s[%s]: %s\n", d.Severity, d.Code, Line(d.Message))
		if d.Hint != "" {
			fmt.Fprintf(&b, "\thint: %s\n", Line(d.Hint))
		}
		for _, r := range d.Related {
			fmt.Fprintf(&b, "\t%s: %s\n", Line(r.Pos.String()), Line(r.Message))
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}
