package written

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/source"
)

// Pair is a kind in two versions with the conversions between them.
type Pair struct {
	Spoke, Hub *source.Type
	// Up and Down are the names of functions; empty if the conversions are the methods
	// ConvertTo and ConvertFrom of the spoke.
	Up, Down string
}

// Find returns the conversions that a package declares, by name and version. The
// names of those whose types cannot be found are passed to unclear, with the reason.
func Find(pkg *source.Package, unclear func(pos token.Pos, name, reason string)) (out []*Pair) {
	pkg.Index()
	// from are the types with a method ConvertFrom, and functions those with two types.
	sourceMap := map[string]bool{}
	functions := map[[2]*source.Type]string{}
	type method struct {
		file *source.File
		fn   *ast.FuncDecl
	}
	var target []method
	for _, file := range pkg.Sources {
		if src, err := file.Text(); err != nil || !bytes.Contains(src, []byte("Convert")) {
			continue
		}
		file.Parse()
		if file.Syntax == nil {
			continue
		}
		for _, decl := range file.Syntax.Decls {
			switch fn, ok := decl.(*ast.FuncDecl); {
			case !ok || fn.Body == nil:
			case fn.Recv == nil:
				if !strings.HasPrefix(fn.Name.Name, "Convert") || !strings.Contains(fn.Name.Name, "Hub") {
					continue
				}
				types, missing := between(file, fn.Type)
				if missing != nil {
					unclear(missing.Pos(), "function "+fn.Name.Name, "its types cannot be found")
				} else if types[0] != nil && types[1] != nil {
					functions[types] = fn.Name.Name
				}
			case fn.Name.Name == "ConvertFrom":
				name, _ := source.Receiver(fn)
				sourceMap[name] = true
			case fn.Name.Name == "ConvertTo":
				target = append(target, method{file, fn})
			}
		}
	}
	for _, m := range target {
		name, _ := source.Receiver(m.fn)
		spoke := pkg.Lookup(name)
		hub := assertedHub(m.file, m.fn.Body)
		switch {
		case !sourceMap[name] || spoke == nil || isList(spoke):
		case hub == nil || hub == spoke:
			unclear(m.fn.Name.Pos(), spoke.String()+".ConvertTo", "it does not assert that its argument is of a type")
		default:
			out = append(out, &Pair{Spoke: spoke, Hub: hub})
		}
	}
	for types, name := range functions {
		if back := functions[[2]*source.Type{types[1], types[0]}]; back != "" && strings.HasSuffix(name, "ToHub") && !isList(types[0]) {
			out = append(out, &Pair{Spoke: types[0], Hub: types[1], Up: name, Down: back})
		}
	}
	slices.SortFunc(out, func(a, b *Pair) int {
		return cmp.Or(strings.Compare(a.Spoke.Spec.Name.Name, b.Spoke.Spec.Name.Name),
			strings.Compare(a.Spoke.Pkg.Path, b.Spoke.Pkg.Path))
	})
	return out
}

// isList reports whether a type is the list of a kind, of which the server converts the items.
func isList(t *source.Type) bool {
	return slices.ContainsFunc(t.Fields(), func(f *source.Field) bool { return f.GoName() == "ListMeta" })
}

// between returns the types of func(context.Context, *From, *To) error, or nil for other
// functions. missing is the name of a type that cannot be found.
func between(f *source.File, fn *ast.FuncType) (types [2]*source.Type, missing ast.Expr) {
	var params []ast.Expr
	for _, field := range fn.Params.List {
		for range max(len(field.Names), 1) {
			params = append(params, field.Type)
		}
	}
	if len(params) != 3 || fn.Results.NumFields() != 1 || fn.TypeParams != nil {
		return types, nil
	}
	for i, param := range params[1:] {
		if star, ok := param.(*ast.StarExpr); ok {
			types[i] = pointedTo(f, param)
			if types[i] == nil {
				missing = star.X
			}
		}
	}
	return types, missing
}

// pointedTo returns the declared type that a pointer type points to, or nil.
func pointedTo(f *source.File, expr ast.Expr) *source.Type {
	star, ok := expr.(*ast.StarExpr)
	if !ok {
		return nil
	}
	name, why := f.Resolve(star.X)
	if why != nil {
		return nil
	}
	return name.Type
}

// assertedHub returns the type that a method asserts its argument to be, preferably one with
// the method Hub.
func assertedHub(f *source.File, body *ast.BlockStmt) (hub *source.Type) {
	use := func(expr ast.Expr) {
		if t := pointedTo(f, expr); t != nil && (hub == nil || !hub.HasMethod("Hub") && t.HasMethod("Hub")) {
			hub = t
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			use(n.Type)
		case *ast.TypeSwitchStmt:
			for _, clause := range n.Body.List {
				for _, expr := range clause.(*ast.CaseClause).List {
					use(expr)
				}
			}
		}
		return true
	})
	return hub
}
