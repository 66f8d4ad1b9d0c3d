package diag

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

// Severity is the effect of a diagnostic on the run.
type Severity int

const (
	// Error means that the API server would reject the output, or that it would be wrong.
	// Nothing is written.
	Error Severity = iota
	// Warning means that something in the source has no effect or can never hold.
	Warning
	// Note informs about something that was done. No action is needed.
	Note
)

func (s Severity) String() string {
	names := [...]string{"error", "warning", "note"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("unknown severity %d", int(s))
	}
	return names[s]
}

// Position is a position in a file.
type Position struct {
	// File is the path as shown to the user.
	File string
	// Line and Column count from 1, columns in bytes; 0 means unknown.
	Line, Column int
}

// PositionOf resolves a position of a file set, ignoring line directives. It returns the zero
// Position if pos is not valid.
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
		return "(no position)"
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// ParsePosition parses a position in the form of the go command: "file:line:column",
// "file:line", "file", "-", or the empty string.
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
		p.Line = numbers[1]
		p.Column = numbers[0]
	}
	return p
}

// Related is another position that belongs to a diagnostic.
type Related struct {
	Pos     Position
	Message string
}

// Quote is a line of text with the place that a mistake was found at.
type Quote struct {
	// Message describes the mistake. It is empty if that is the cause of the diagnostic.
	Message string
	Text    string
	// Line is the number of Text in a text with several lines, from 1; 0 if unknown. Column counts
	// the characters of Text from 1.
	Line, Column int
}

// Diagnostic is one finding about the user's source.
type Diagnostic struct {
	Code     Code
	Severity Severity
	// Off is set if the kind is off by default and the user has not enabled it. The
	// diagnostic is not printed and does not fail a run.
	Off bool
	Pos Position
	// End is the position after the source that begins at Pos; zero if unknown.
	End Position
	// Message describes the problem, in one line without a final period.
	Message string
	// Hint is what to write instead. It may be empty.
	Hint string
	// Cause and Path are the parts of a Message that says what is wrong with which part of a
	// definition or object; empty if the message does not.
	Cause, Path string
	// Quotes are texts that the message is about, such as a CEL rule. QuotesAtPos is set if
	// Pos is the place of the first one in the source.
	Quotes      []Quote
	QuotesAtPos bool
	// Subjects are names of what a diagnostic is about, which stay the same when its position or
	// the source around it changes; see [List.Since]. They are empty for most kinds.
	Subjects []string
	// Related are further positions, innermost first.
	Related []Related
	// Fixes are alternative corrections.
	Fixes []Fix
}

// String returns the first line that [List.WriteText] prints of the diagnostic:
//
//	path:line:col: severity[CODE]: message   (without the position if there is none)
func (d Diagnostic) String() string {
	text := fmt.Sprintf("%s[%s]: %s", d.Severity, d.Code, screen.Line(d.Text()))
	if d.Pos.File == "" {
		return text
	}
	return screen.Line(d.Pos.String()) + ": " + text
}

// Text returns the message for people. If it is about texts with a position, such as CEL rules, that is
// the cause at the place in each:
//
//	rule:1:5: undefined field "itemz" of spec (did you mean items?)
//
// What is wrong with a rule as a whole, such as its cost, has no place in its text.
func (d Diagnostic) Text() string {
	name := d.Path[strings.LastIndexByte(d.Path, '.')+1:]
	aboutRule := d.Cause != "" && strings.Contains(d.Path, ".x-kubernetes-validations[")
	switch {
	case d.Pos.File == "":
		return d.Message
	case aboutRule && len(d.Quotes) == 0:
		return name + ": " + d.Cause
	case len(d.Quotes) == 0 || d.Quotes[0].Line == 0:
		return d.Message
	}
	var places []string
	for _, q := range d.Quotes {
		places = append(places, fmt.Sprintf("%s:%d:%d: %s", name, q.Line, q.Column, cmp.Or(q.Message, d.Cause)))
	}
	return strings.Join(places, "; ")
}

// Fix is a possible correction of a diagnostic's source.
type Fix struct {
	// Message describes the fix, in one line.
	Message string
	// Edits do not overlap.
	Edits []Edit
}

// Edit replaces the text between two positions.
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

// On returns the diagnostics that are not off.
func (l List) On() List {
	return slices.DeleteFunc(slices.Clone(l), func(d Diagnostic) bool { return d.Off })
}

// Normalize returns the list sorted by position, severity, code and message, without
// duplicates. Two diagnostics are duplicates if they differ at most in hints and related
// positions; the one reported first is kept.
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

// RelativeTo returns the list with file names made relative to dir if they are at most two
// levels above it.
func (l List) RelativeTo(dir string) List {
	return l.mapPositions(func(p *Position) { p.File = screen.Relative(dir, p.File, screen.Nearby) })
}

// UTF16 returns the list with columns that count UTF-16 code units, as SARIF does, instead of
// bytes. read returns the content of a file; if it fails, the columns are left unchanged.
func (l List) UTF16(read func(file string) ([]byte, error)) List {
	lines := map[string][][]byte{}
	return l.mapPositions(func(p *Position) {
		if p.Column < 2 {
			return
		}
		if _, ok := lines[p.File]; !ok {
			data, _ := read(p.File) // an empty file leaves the columns unchanged
			lines[p.File] = bytes.Split(data, []byte("\n"))
		}
		if p.Line > len(lines[p.File]) {
			return
		}
		line := lines[p.File][p.Line-1]
		head := line[:min(p.Column-1, len(line))]
		p.Column += len(utf16.Encode([]rune(string(head)))) - len(head)
	})
}

// mapPositions returns a copy of the list in which f has changed every position.
func (l List) mapPositions(f func(*Position)) List {
	out := slices.Clone(l)
	for i := range out {
		d := &out[i]
		f(&d.Pos)
		f(&d.End)
		d.Related = slices.Clone(d.Related)
		for j := range d.Related {
			f(&d.Related[j].Pos)
		}
		d.Fixes = slices.Clone(d.Fixes)
		for j := range d.Fixes {
			fix := &d.Fixes[j]
			fix.Edits = slices.Clone(fix.Edits)
			for k := range fix.Edits {
				f(&fix.Edits[k].Pos)
				f(&fix.Edits[k].End)
			}
		}
	}
	return out
}

// lines returns the lines of a text, each as screen.Line returns it but for the tabs at its start.
func lines(text string) (out []string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		indented := len(line) - len(strings.TrimLeft(line, "\t"))
		out = append(out, line[:indented]+screen.Line(line[indented:]))
	}
	return out
}

// WriteText prints the list as text:
//
//	path:line:col: severity[CODE]: message   (without the position if there is none)
//		hint: what to write instead
//			more lines of the hint, if it has several
//		other/path:line:col: related message
func (l List) WriteText(w io.Writer) error {
	for _, d := range l.On() {
		var b strings.Builder
		b.WriteString(d.String() + "\n")
		if d.Hint != "" {
			fmt.Fprintf(&b, "\thint: %s\n", strings.Join(lines(d.Hint), "\n\t\t"))
		}
		for _, r := range d.Related {
			fmt.Fprintf(&b, "\t%s: %s\n", screen.Line(r.Pos.String()), screen.Line(r.Message))
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}
