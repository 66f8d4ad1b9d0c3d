package report

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file has edits that correct fields: their tags, and missing markers. An edit is nil if
// the source does not have the form that it needs.

// FieldAt returns the innermost field of a struct in a file that has a position, and nil if
// there is none.
func FieldAt(f *source.File, pos token.Pos) (found *ast.Field) {
	if f.Syntax == nil {
		return nil
	}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		if st, ok := n.(*ast.StructType); ok {
			i := slices.IndexFunc(st.Fields.List,
				func(field *ast.Field) bool { return field.Pos() <= pos && pos < field.End() })
			if i >= 0 {
				found = st.Fields.List[i]
			}
		}
		return true
	})
	return found
}

// SetTag returns the edit that gives a key of a field's tag a value.
func SetTag(field *ast.Field, key, value string) *markers.Edit {
	pair := key + ":" + strconv.Quote(value)
	switch {
	case field == nil:
		return nil
	case field.Tag == nil:
		return &markers.Edit{Pos: field.Type.End(), End: field.Type.End(), New: " `" + pair + "`"}
	case field.Tag.Value[0] != '`':
		return nil
	}
	old, exists := source.TagOf(field).Lookup(key)
	if !exists {
		pos := field.Tag.Pos() + 1
		return &markers.Edit{Pos: pos, End: pos, New: pair + " "}
	}
	was := key + ":" + strconv.Quote(old)
	i := strings.Index(field.Tag.Value, was)
	if i < 0 || strings.Count(field.Tag.Value, was) > 1 {
		return nil
	}
	position := field.Tag.Pos() + token.Pos(i)
	return &markers.Edit{Pos: position, End: position + token.Pos(len(was)), New: pair}
}

// MarkerAbove returns the edit that adds a marker as the last line above a declaration, which
// has to begin its line.
func (r *Reporter) MarkerAbove(f *source.File, pos token.Pos, marker string) *markers.Edit {
	if !r.beginsLine(f, pos) {
		return nil
	}
	return &markers.Edit{Pos: pos, End: pos, New: "// " + marker + "\n"}
}

// beginsLine reports whether nothing else precedes a declaration on its line.
func (r *Reporter) beginsLine(f *source.File, pos token.Pos) bool {
	position := r.Fset.PositionFor(pos, false)
	line := pos - token.Pos(position.Column-1)
	begins := true
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if n == nil || n.Pos() >= pos {
			return false
		}
		around := pos < n.End()
		if st, ok := n.(*ast.StructType); ok && around && st.Fields.Opening >= line {
			begins = false
		}
		if !around && n.End() >= line {
			begins = false
		}
		return begins && around
	})
	return begins
}
