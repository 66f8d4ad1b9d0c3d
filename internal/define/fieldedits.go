package define

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file has what edits that correct fields need to know about conditions and types. An
// edit is nil if the source does not have the form that it needs.

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

// minimumEdit returns the edit that adds a minimum of 0 to the field, its elements, or the
// type with an unsigned integer at a position.
func (b *Builder) minimumEdit(f *source.File, pos token.Pos) *markers.Edit {
	if field := report.FieldAt(f, pos); field != nil {
		switch typ := source.Pointee(field.Type).(type) {
		case *ast.Ident:
			return b.Reporter.MarkerAbove(f, field.Pos(), "+kubebuilder:validation:Minimum=0")
		case *ast.ArrayType:
			if elt := source.Pointee(typ.Elt); elt.Pos() == pos {
				return b.Reporter.MarkerAbove(f, field.Pos(), "+kubebuilder:validation:items:Minimum=0")
			}
		}
		return nil
	}
	for _, t := range f.Types() {
		if t.Spec.Type.Pos() != pos {
			continue
		}
		if t.Decl.Lparen.IsValid() {
			return b.Reporter.MarkerAbove(f, t.Spec.Pos(), "+kubebuilder:validation:Minimum=0")
		}
		return b.Reporter.MarkerAbove(f, t.Decl.Pos(), "+kubebuilder:validation:Minimum=0")
	}
	return nil
}
