package conventions

import (
	"go/ast"
	"iter"
	"slices"

	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// step is a type on the way from the type of a field through its elements and values, with the
// schema that it has there.
type step struct {
	file *source.File
	expr ast.Expr
	// declared is the type that a name refers to, and basic a predeclared one. named is the
	// type of the user's that a struct is the declaration of, if it has a name.
	declared, named *source.Type
	basic           string
	schema          *structural.Schema
}

// steps returns the types of a field, its elements and its values, outermost first. It ends at
// structs, at types of other modules, and at types that encode themselves.
func (f *field) steps() iter.Seq[step] {
	return func(yield func(step) bool) {
		place := step{file: f.owner.File, expr: f.Type, schema: f.schema}
		for range 100 { // Go rejects a type that consists of itself
			place.declared = nil
			place.basic = ""
			next := place
			next.named = nil
			switch expr := place.expr.(type) {
			case *ast.ParenExpr:
				place.expr = expr.X
				continue
			case *ast.StarExpr:
				place.expr = expr.X
				continue
			case *ast.ArrayType:
				next.expr = expr.Elt
				next.schema = place.schema.Items
			case *ast.MapType:
				next.expr = expr.Value
				next.schema = nil
				if place.schema.AdditionalProperties != nil {
					next.schema = place.schema.AdditionalProperties.Schema
				}
			case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
				if ident, ok := expr.(*ast.Ident); ok {
					if arg, bound := place.file.Params[ident.Name]; bound {
						place.file = arg.File
						place.expr = arg.Expr
						continue
					}
				}
				name, missing := place.file.Resolve(expr)
				if missing != nil {
					return
				}
				place.declared = name.Type
				place.basic = name.Predeclared
				if place.declared != nil {
					if place.declared.Pkg.Local() && !place.declared.Marshals("MarshalJSON") && !place.declared.Marshals("MarshalText") {
						next.file = place.declared.File
						next.expr = place.declared.Spec.Type
						next.named = place.declared
					}
				}
			}
			if !yield(place) || next.expr == place.expr || next.schema == nil {
				return
			}
			place = next
		}
	}
}

// underlying is the type at the end of the names of a field's type, without a pointer.
func (f *field) underlying() source.Underlying {
	return source.UnderlyingOf(f.owner.File, source.Pointee(f.Type))
}

// isRequired reports whether the schema requires the field.
func (f *field) isRequired() bool { return f.parent.Requires(f.name) }

// holds reports whether a schema, or a part that must hold as well, has validations of a kind.
func holds(s *structural.Schema, has func(*structural.ValueValidation) bool) bool {
	if s == nil || s.ValueValidation == nil {
		return false
	}
	return holdsIn(s.ValueValidation, has)
}

func holdsIn(v *structural.ValueValidation, has func(*structural.ValueValidation) bool) bool {
	return has(v) || slices.ContainsFunc(v.AllOf,
		func(part structural.NestedValueValidation) bool { return holdsIn(&part.ValueValidation, has) })
}
