package conversions

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/source"
)

// TestFileName is the name of the file with the tests of generated conversions in each package, and TestName
// is the name of its test.
const (
	TestFileName = "zz_generated.conversions_test.go"
	TestName     = "TestConversionLaws"
)

const hubPath = "sigs.k8s.io/controller-runtime/pkg/conversion"

// declared returns the declarations of a package, except the ones that are generated here.
func (m *Model) declared(p *source.Package) map[string]source.Declared {
	out, ok := m.declarations[p]
	if !ok {
		out = p.Declared(FileName, TestFileName)
		m.declarations[p] = out
	}
	return out
}

// existing finds the methods and functions of a kind that people wrote. Those that fit are used; the others
// are reported, because the package would not compile with what is generated.
func (p *pairer) existing(kind *Kind) {
	if !p.model.Options.Functions {
		_, kind.Hub.written.hub = p.exists(kind.Hub, "Hub", "Hub()", fitsHub)
	}
	for _, v := range kind.Spokes {
		name := v.Type.Decl.Spec.Name.Name
		if hub := kind.Hub.Type.Decl; p.model.Options.Functions {
			other := "*" + hub.Pkg.Name + "." + hub.Spec.Name.Name
			v.written.up = p.convertsByHand(v, "Convert"+name+"ToHub", "(context.Context, *"+name+", "+other+") error", func(d source.Declared) bool {
				return fitsFunction(d, v.Type.Decl, v.Type.Decl, hub)
			})
			v.written.down = p.convertsByHand(v, "Convert"+name+"FromHub", "(context.Context, "+other+", *"+name+") error", func(d source.Declared) bool {
				return fitsFunction(d, v.Type.Decl, hub, v.Type.Decl)
			})
		} else {
			v.written.up = p.convertsByHand(v, "ConvertTo", "(conversion.Hub) error", fitsMethod)
			v.written.down = p.convertsByHand(v, "ConvertFrom", "(conversion.Hub) error", fitsMethod)
		}
		if d, ok := p.model.declared(v.Type.Decl.Pkg)[TestName]; ok {
			p.collision(v, d.Pos, "rename it", "%s is generated for version %s, and declared here, too", TestName, v.Name)
		}
	}
}

// exists reports whether a type has a method, or its package a function, that is used instead of a
// generated one. It reports one that does not fit, and a field of the name.
func (p *pairer) exists(v *Version, name, signature string,
	fits func(source.Declared) bool) (position diag.Position, used bool) {
	t := v.Type.Decl
	key := name
	what := "function " + name
	if !p.model.Options.Functions {
		key = t.Spec.Name.Name + "." + name
		what = "method " + t.Spec.Name.Name + "." + name
		for _, f := range t.Fields() {
			if f.GoName() == name {
				p.collision(v, p.reporter.Position(f.Pos), "rename the Go field, its JSON name may stay", "%s has a field %s, so that it cannot have the method %s", v.Type.Label(), name, signature)
				return position, false
			}
		}
	}
	d, ok := p.model.declared(t.Pkg)[key]
	switch {
	case !ok:
		return position, false
	case d.Func == nil || !fits(d):
		p.collision(v, d.Pos, "remove it to have "+signature+" generated, or give it that signature", "%s is generated for version %s as %s, and declared here otherwise", what, v.Name, signature)
	case d.Conditional:
		p.collision(v, d.Pos, "remove it, or move it to a file that is in every build", "%s is generated for version %s, and declared here, in a file that is not in every build", what, v.Name)
	default:
		return d.Pos, true
	}
	return position, false
}

func (p *pairer) collision(v *Version, position diag.Position, hint, format string, args ...any) {
	found := alreadyDeclared.At(position, hint, format, args...)
	p.reporter.Add(found.With(diag.Related{Pos: p.at(v), Message: "version " + v.Name + ", for which it is generated"}))
}

// convertsByHand reports whether people wrote a conversion of a spoke, with a warning: markers have no effect
// on it.
func (p *pairer) convertsByHand(v *Version, name, parameters string, fits func(source.Declared) bool) bool {
	position, used := p.exists(v, name, name+parameters, fits)
	if !used {
		return false
	}
	found := alreadyDeclared.At(position, "remove it to have it generated",
		"%s of %s is not generated, because it exists: markers have no effect on it, and schemagen does not know which values it loses", name, v.Type.Label())
	p.reporter.Add(found.As(diag.Warning).With(diag.Related{Pos: p.at(v), Message: "version " + v.Name}))
	return true
}

// ByHand reports whether people wrote both conversions of a spoke, so that none is generated.
func (v *Version) ByHand() bool { return v.written.up && v.written.down }

func fitsHub(d source.Declared) bool {
	return d.Func.Type.Params.NumFields() == 0 && d.Func.Type.Results.NumFields() == 0
}

// fitsMethod reports whether a method is func (*T) name(conversion.Hub) error.
func fitsMethod(d source.Declared) bool {
	_, pointer := ast.Unparen(d.Func.Recv.List[0].Type).(*ast.StarExpr)
	params := types(d.Func.Type.Params)
	return pointer && len(params) == 1 && qualified(d, params[0], hubPath, "Hub") && returnsError(d.Func.Type)
}

// fitsFunction reports whether a function of a package is func(context.Context, *from, *to) error.
func fitsFunction(d source.Declared, home, sourceType, target *source.Type) bool {
	params := types(d.Func.Type.Params)
	if len(params) != 3 || d.Func.Type.TypeParams != nil || !qualified(d, params[0], "context", "Context") || !returnsError(d.Func.Type) {
		return false
	}
	for i, t := range []*source.Type{sourceType, target} {
		star, ok := params[i+1].(*ast.StarExpr)
		if !ok {
			return false
		}
		if t.Pkg == home.Pkg && source.ExprName(star.X) != t.Spec.Name.Name || t.Pkg != home.Pkg &&
			!qualified(d, star.X, t.Pkg.Path, t.Spec.Name.Name) {
			return false
		}
	}
	return true
}

// types returns the type of each parameter.
func types(list *ast.FieldList) (out []ast.Expr) {
	for _, field := range list.List {
		out = append(out, slices.Repeat([]ast.Expr{field.Type}, max(1, len(field.Names)))...)
	}
	return out
}

func returnsError(fn *ast.FuncType) bool {
	if fn.Results.NumFields() != 1 {
		return false
	}
	name, ok := fn.Results.List[0].Type.(*ast.Ident)
	return ok && name.Name == "error"
}

// qualified reports whether an expression is a name of an imported package.
func qualified(d source.Declared, expr ast.Expr, path, name string) bool {
	selector, ok := expr.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	qualifier, ok := selector.X.(*ast.Ident)
	return ok && d.Imports(qualifier.Name, path)
}

// names returns the package-level names of a package.
func (m *Model) names(p *source.Package) map[string]bool {
	out := map[string]bool{}
	for name := range m.declared(p) {
		if !strings.Contains(name, ".") {
			out[name] = true
		}
	}
	return out
}
