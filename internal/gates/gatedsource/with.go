package gatedsource

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
)

// Result is a file in which a gate is taken for on or off.
type Result struct {
	Text []byte
	// Removed are the lines of declarations that are gone.
	Removed []Lines
}

// Lines are lines of a file, from 1.
type Lines struct{ First, Last int }

// Error is the reason that a gate cannot be taken for on or off.
type Error struct {
	Pos       token.Position
	Msg, Hint string
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// With returns the file if a gate is taken for on or off: conditions are without it; markers
// and Declarations whose condition does not hold are gone; those whose condition always holds
// have none, and replace the alternatives without a condition. The error is an [*Error]; one
// is that a condition of the file cannot be read.
func (f *File) With(gate string, enabled bool) (*Result, error) {
	if f.wrong != nil {
		return nil, f.wrong
	}
	w := &writer{File: f, gate: gate, on: enabled, file: f.fset.File(f.tree.Pos()), gone: map[*ast.Comment]bool{}}
	for _, b := range f.blocks {
		w.block(b)
	}
	for _, group := range f.tree.Comments {
		for _, c := range group.List {
			if w.gone[c] {
				w.removeLines(c.Pos(), c.End())
			}
		}
	}
	for _, d := range f.declarations {
		w.declaration(d)
	}
	w.emptyGroups()
	if w.err != nil {
		return nil, w.err
	}
	return &Result{w.apply(), w.removed}, nil
}

// edit replaces a part of the text.
type edit struct {
	from, to int // offsets
	text     string
	lines    bool // whole lines are removed
}

type writer struct {
	*File
	gate    string
	on      bool
	file    *token.File
	edits   []edit
	removed []Lines
	gone    map[*ast.Comment]bool // in blocks
	err     *Error
}

func (w *writer) fail(pos token.Pos, hint, format string, args ...any) {
	if w.err == nil {
		w.err = &Error{w.fset.Position(pos), fmt.Sprintf(format, args...), hint}
	}
}

// assume returns a condition without the gate. If it is then the same for all sets of gates,
// always is set, and the condition holds or never does.
func (w *writer) assume(c gates.Condition) (assumed gates.Condition, holds, always bool) {
	assumed = c.With(w.gate, w.on)
	holds, always = assumed.Constant()
	return assumed, holds, always
}

// uses reports whether a condition names the gate.
func (w *writer) uses(c gates.Condition) bool { return slices.Contains(c.Names(), w.gate) }

func (w *writer) replace(start, end token.Pos, text string) {
	w.edits = append(w.edits, edit{from: w.file.Offset(start), to: w.file.Offset(end), text: text})
}

// removeLines removes the lines of a part of the file, which must have nothing else on them.
func (w *writer) removeLines(begin, stop token.Pos) Lines {
	first := w.file.Line(begin)
	last := w.file.Line(stop)
	start := w.file.Offset(w.file.LineStart(first))
	end := len(w.Data)
	if last < w.file.LineCount() {
		end = w.file.Offset(w.file.LineStart(last + 1))
	}
	if blank := strings.TrimSpace; blank(string(w.Data[start:w.file.Offset(begin)])) != "" || blank(string(w.Data[w.file.Offset(stop):end])) != "" {
		w.fail(begin, "put it on lines of its own", "it shares a line with other code")
	}
	w.edits = append(w.edits, edit{from: start, to: end, lines: true})
	return Lines{first, last}
}

// declaration applies the gate to the markers of a declaration.
func (w *writer) declaration(d Decl) {
	always := map[string]string{} // markers whose condition always holds, by slot
	var plain []markers.Comment
	d.Comments = Remaining(d.Comments, w.gone)
	if !w.openShift(d, always) {
		return
	}
	for _, c := range d.Comments {
		found := w.reader.Read(c, d.Target)
		if len(found.All()) == 0 {
			plain = append(plain, c)
			continue
		}
		if !w.marker(d, found, always) {
			return
		}
	}
	for _, c := range plain {
		if IsReplaced(w.reader.Table.Slots(c, d.Target), always) {
			w.replaceBase(c, d.Target)
		}
	}
}

func (w *writer) removeMarker(c markers.Comment) {
	offset := w.file.Offset(c.Pos)
	slashes := bytes.LastIndex(w.Data[:offset], []byte("//"))
	w.removeLines(c.Pos-token.Pos(offset-slashes), c.End())
}

// marker applies the gate to a marker, and reports whether the declaration exists.
func (w *writer) marker(decl Decl, c Conditional, always map[string]string) (exists bool) {
	if c.Declares != nil {
		return w.bare(decl, c.Declares)
	}
	_, holds, constant := w.assume(Condition(c.Whens))
	constant = constant && len(c.Whens) > 0
	if constant && !holds {
		w.removeMarker(c.Written)
		return true
	}
	if c.Omits != nil && w.uses(c.Omits.Condition) {
		switch assumed, holds, constant := w.assume(c.Omits.Condition); {
		case !constant:
			w.replace(c.Omits.from, c.Omits.to, assumed.String())
		case holds:
			w.removeMarker(c.Written)
			return true
		default:
			w.replace(c.Omits.Marker.Pos, c.Omits.to+1, "+"+markers.OmitName)
		}
	}
	for _, part := range c.Whens {
		assumed, holds, own := w.assume(part.Condition)
		switch {
		case constant || own && holds:
			w.replace(part.Marker.Pos, part.inner, "")
		case w.uses(part.Condition):
			w.replace(part.from, part.to, assumed.String())
		}
	}
	if !constant || c.Omits != nil {
		return true
	}
	for _, slot := range w.reader.Table.Slots(c.Plain, decl.Target) {
		switch first, ok := always[slot]; {
		case !ok:
			always[slot] = c.Text
		case first == c.Text:
			w.removeMarker(c.Written)
			return true
		default:
			w.fail(c.Written.Pos, "make the conditions exclude each other", "%s and %s would both hold", first, c.Text)
		}
	}
	return true
}

// bare applies the gate to the condition of a declaration.
func (w *writer) bare(d Decl, c *When) (exists bool) {
	assumed, holds, constant := w.assume(c.Condition)
	switch {
	case !w.uses(c.Condition):
		return true
	case !constant:
		w.replace(c.from, c.to, assumed.String())
		return true
	case holds:
		w.removeMarker(c.Marker)
		return true
	case d.Target == markers.Package:
		w.fail(c.Marker.Pos, "remove the package, or the condition", "package %s would have no kinds", d.Name)
		return true
	}
	w.removed = append(w.removed, w.removeLines(d.From, d.To))
	return false
}

// block applies the gate to a block. If other gates decide about the block, it has no markers that always remove the
// declaration, or always replace others.
func (w *writer) block(b Block) {
	assumed, holds, constant := w.assume(b.Condition)
	switch {
	case constant && holds:
		b.Unwrap(w.gone)
		return
	case constant:
		b.Remove(w.gone)
		return
	case w.uses(b.Condition):
		w.replace(b.from, b.to, assumed.String())
	}
	for _, u := range w.Uses {
		_, holds, constant := w.assume(u.Condition)
		removes := u.Kind == Declaration && u.Text == "" && !holds
		replaces := len(u.Slots) > 0 && holds
		if pos := w.file.Pos(u.Pos.Offset); constant && (removes || replaces) && b.covers(pos) {
			w.fail(pos, "write the condition of the block in the marker", "it is in a block that depends on %s", assumed)
		}
	}
}

// emptyGroups removes the parentheses of declarations of which nothing is left. Those with
// comments of their own stay.
func (w *writer) emptyGroups() {
	for _, decl := range w.tree.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || !gen.Lparen.IsValid() || gen.Doc != nil || len(gen.Specs) == 0 || gen.Tok != token.TYPE &&
			gen.Tok != token.CONST {
			continue
		}
		left := slices.ContainsFunc(gen.Specs, func(spec ast.Spec) bool { return !w.isRemoved(spec.Pos()) })
		for _, group := range w.tree.Comments {
			left = left || gen.Lparen < group.Pos() && group.Pos() < gen.Rparen && !w.isRemoved(group.Pos())
		}
		if !left {
			w.removeLines(gen.Pos(), gen.End())
		}
	}
}

func (w *writer) isRemoved(pos token.Pos) bool {
	line := w.file.Line(pos)
	return slices.ContainsFunc(w.removed, func(l Lines) bool { return l.First <= line && line <= l.Last })
}

// apply returns the text after the edits. Edits in lines that are removed have no effect, and
// empty lines around them are kept only where gofmt keeps them.
func (w *writer) apply() []byte {
	slices.SortStableFunc(w.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	var out []byte
	offset := 0
	for _, e := range w.edits {
		if e.to <= offset {
			continue
		}
		out = append(append(out, w.Data[offset:max(offset, e.from)]...), e.text...)
		offset = e.to
		if !e.lines {
			continue
		}
		parent := lastLine(out)
		if parent == "" || strings.HasSuffix(parent, "{") || strings.HasSuffix(parent, "(") {
			for line, ok := nextLine(w.Data[offset:]); ok && strings.TrimSpace(line) == ""; line, ok = nextLine(w.Data[offset:]) {
				offset += len(line)
			}
		}
		next, _ := nextLine(w.Data[offset:])
		next = strings.TrimSpace(next)
		if parent == "" && (next == "" || strings.HasPrefix(next, "}") || strings.HasPrefix(next, ")")) {
			if trimmed := bytes.TrimRight(out, " \t\r\n"); len(trimmed) > 0 {
				out = out[:len(trimmed)+len("\n")+bytes.IndexByte(out[len(trimmed):], '\n')]
			}
		}
	}
	return append(out, w.Data[offset:]...)
}

// lastLine returns the last line of a text that ends in a line, without blanks.
func lastLine(text []byte) string {
	text = bytes.TrimSuffix(text, []byte("\n"))
	return string(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:]))
}

// nextLine returns the first line of a text, with its end; ok is false if the text is empty.
func nextLine(text []byte) (line string, ok bool) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return string(text[:i+1]), true
	}
	return string(text), len(text) > 0
}
