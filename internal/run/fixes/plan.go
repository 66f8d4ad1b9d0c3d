package fixes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/source/sourcestyle"
)

// plan is what one round changes in one file.
type plan struct {
	edits []diag.Edit
	fixes int
	// warnings are the warnings that edits fix, and lines the same by the lines that the edits
	// result in.
	warnings map[diag.Edit]finding
	lines    map[string]finding
}

// add adds a fix, unless it overlaps another one.
func (p *plan) add(fix diag.Fix) {
	var added []diag.Edit
	for _, e := range fix.Edits {
		if slices.Contains(p.edits, e) {
			continue // for example, two fixes that need the same import
		}
		if slices.ContainsFunc(p.edits, func(other diag.Edit) bool { return overlap(e, other) }) {
			return
		}
		added = append(added, e)
	}
	p.edits = append(p.edits, added...)
	p.fixes++
}

// overlap reports whether the result of two edits depends on their order.
func overlap(a, b diag.Edit) bool {
	if isBefore(b.Pos, a.Pos) {
		a, b = b, a
	}
	return a.Pos == b.Pos || isBefore(b.Pos, a.End)
}

func isBefore(a, b diag.Position) bool {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) < 0
}

// applied returns the text of a file after the edits, in its style.
func (p *plan) applied(name string, text []byte) ([]byte, error) {
	if rest, ok := bytes.CutPrefix(text, []byte("\ufeff")); ok && filepath.Ext(name) != ".go" {
		out, err := p.applied(name, rest) // YAML has positions after a byte order mark
		return append([]byte("\ufeff"), out...), err
	}
	edits := slices.Clone(p.edits)
	slices.SortFunc(edits, func(a, b diag.Edit) int {
		return cmp.Or(cmp.Compare(b.Pos.Line, a.Pos.Line), cmp.Compare(b.Pos.Column, a.Pos.Column))
	})
	starts := lineStarts(text)
	out := text
	p.lines = map[string]finding{}
	for _, e := range edits { // from the end, so that positions stay valid
		start, ok := offset(starts, len(text), e.Pos)
		end, isEnd := offset(starts, len(text), e.End)
		if !ok || !isEnd || end < start {
			return nil, errors.New("a fix is outside its text")
		}
		out = slices.Concat(out[:start], []byte(withEnds(e.New, sourcestyle.EndOf(lineAt(text, start)))), out[end:])
		if warning, ok := p.warnings[e]; ok {
			p.lines[lineOf(out, bytes.Count(out[:start], []byte("\n"))+1)] = warning
		}
	}
	if filepath.Ext(name) != ".go" {
		return out, nil
	}
	out, err := WithoutIdleImports(text, out)
	if err == nil {
		out, err = sourcestyle.Formatted(text, out)
	}
	if err != nil {
		return nil, fmt.Errorf("with its fixes it is not Go: %w", err)
	}
	return out, nil
}

// lineAt returns the rest of the line of a text after an offset.
func lineAt(text []byte, offset int) []byte {
	rest := text[offset:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return rest[:i+1]
	}
	return rest
}

// withEnds returns an edit whose lines have the given end.
func withEnds(text, end string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", end)
}

// lineStarts returns the offsets of the lines of a text.
func lineStarts(text []byte) []int {
	out := []int{0}
	for offset := 0; ; {
		n := bytes.IndexByte(text[offset:], '\n')
		if n < 0 {
			return out
		}
		offset += n + 1
		out = append(out, offset)
	}
}

// offset returns the offset of a position in a text of a size with the given lines.
func offset(starts []int, size int, p diag.Position) (index int, ok bool) {
	if p.Line < 1 || p.Line > len(starts) || p.Column < 1 {
		return 0, false
	}
	end := size
	if p.Line < len(starts) {
		end = starts[p.Line] - 1
	}
	index = starts[p.Line-1] + p.Column - 1
	return index, index <= end
}
