package build

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
)

// This file has edits that correct fields: their tags, their types, and missing markers. An
// edit is nil if the source does not have the form that it needs.

// fieldAt returns the innermost field of a struct in a file that has a position, and nil if
// there is none.
func fieldAt(f *source.File, pos token.Pos) (found *ast.Field) {
	if f.Syntax == nil {
		return nil
	}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		if st, ok := n.(*ast.StructType); ok {
			i := slices.IndexFunc(st.Fields.List, func(field *ast.Field) bool { return field.Pos() <= pos && pos < field.End() })
			if i >= 0 {
				found = st.Fields.List[i]
			}
		}
		return true
	})
	return found
}

// setTag returns the edit that gives a key of a field's tag a value.
func setTag(field *ast.Field, key, value string) *markers.Edit {
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
		at := field.Tag.Pos() + 1
		return &markers.Edit{Pos: at, End: at, New: pair + " "}
	}
	was := key + ":" + strconv.Quote(old)
	i := strings.Index(field.Tag.Value, was)
	if i < 0 || strings.Count(field.Tag.Value, was) > 1 {
		return nil
	}
	at := field.Tag.Pos() + token.Pos(i)
	return &markers.Edit{Pos: at, End: at + token.Pos(len(was)), New: pair}
}

// isConditional reports whether a field has a condition, which holds.
func isConditional(f *source.File, field *ast.Field) (found bool) {
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if st, ok := n.(*ast.StructType); ok {
			if i := slices.Index(st.Fields.List, field); i >= 0 {
				found = slices.ContainsFunc(f.Written.Fields(st)[i], func(c markers.Comment) bool {
					return strings.HasPrefix(c.Text, "+"+markers.WhenName+"(") || strings.HasPrefix(c.Text, "+"+markers.FeatureGateName+"=")
				})
			}
		}
		return !found
	})
	return found
}

// markerAbove returns the edit that adds a marker as the last line above a declaration, which
// has to begin its line.
func (b *Builder) markerAbove(f *source.File, pos token.Pos, marker string) *markers.Edit {
	if !b.beginsLine(f, pos) {
		return nil
	}
	return &markers.Edit{Pos: pos, End: pos, New: "// " + marker + "\n"}
}

// beginsLine reports whether nothing else precedes a declaration on its line.
func (b *Builder) beginsLine(f *source.File, pos token.Pos) bool {
	at, begins := b.Reporter.Position(pos).Line, true
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if n != nil && n.Pos() < pos {
			around := pos < n.End()
			if st, ok := n.(*ast.StructType); ok && around && b.Reporter.Position(st.Fields.Opening).Line == at {
				begins = false
			}
			if !around && b.Reporter.Position(n.End()).Line == at {
				begins = false
			}
		}
		return begins
	})
	return begins
}

// minimumEdit returns the edit that adds a minimum of 0 to the field, its elements, or the
// type with an unsigned integer at a position.
func (b *Builder) minimumEdit(f *source.File, pos token.Pos) *markers.Edit {
	if field := fieldAt(f, pos); field != nil {
		switch typ := deref1(field.Type).(type) {
		case *ast.Ident:
			return b.markerAbove(f, field.Pos(), "+kubebuilder:validation:Minimum=0")
		case *ast.ArrayType:
			if elt := deref1(typ.Elt); elt.Pos() == pos {
				return b.markerAbove(f, field.Pos(), "+kubebuilder:validation:items:Minimum=0")
			}
		}
		return nil
	}
	for _, t := range f.Types() {
		if t.Spec.Type.Pos() != pos {
			continue
		}
		if t.Decl.Lparen.IsValid() {
			return b.markerAbove(f, t.Spec.Pos(), "+kubebuilder:validation:Minimum=0")
		}
		return b.markerAbove(f, t.Decl.Pos(), "+kubebuilder:validation:Minimum=0")
	}
	return nil
}
