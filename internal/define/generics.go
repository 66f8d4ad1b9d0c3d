package define

import (
	"go/ast"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
)

// uninstantiated reports a generic type without type arguments.
func (b *Builder) uninstantiated(f *source.File, expr ast.Expr) *draft {
	b.Reporter.ReportType(report.MisusedGeneric, f.Pkg.At(expr.Pos()), "", "generic type %s is used without type arguments", source.ExprName(expr))
	return b.failed(f, expr.Pos())
}

// instance returns the draft of an instance of a generic type.
func (b *Builder) instance(f *source.File, expr ast.Expr) *draft {
	generic, args := source.Indexed(expr)
	name, why := f.Resolve(generic)
	switch {
	case why != nil:
		return b.missing(f, generic, why)
	case name.Type == nil || name.Type.Spec.TypeParams.NumFields() == 0:
		b.Reporter.ReportType(report.MisusedGeneric, f.Pkg.At(expr.Pos()), "", "%s is not a generic type", source.ExprName(generic))
		return b.failed(f, expr.Pos())
	case name.Type.Spec.TypeParams.NumFields() != len(args):
		b.Reporter.ReportType(report.MisusedGeneric, f.Pkg.At(expr.Pos()), "",
			"generic type %s needs %d type arguments, got %d", source.ExprName(generic), name.Type.Spec.TypeParams.NumFields(), len(args))
		return b.failed(f, expr.Pos())
	}
	target := name.Type.Instantiate(f, args)
	if target == nil {
		b.Reporter.ReportType(report.MisusedGeneric, f.Pkg.At(expr.Pos()), "", "generic type %s instantiates itself endlessly", source.ExprName(generic))
		return b.failed(f, expr.Pos())
	}
	return b.local(f, expr, target)
}
