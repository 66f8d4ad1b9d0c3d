package typecheck

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/pruned"
)

// pruner copies the syntax of one declaration without what is not needed, and queues the
// types that the copy refers to.
type pruner struct {
	*scope
	from *source.File
	// params are the type parameters of the declaration.
	params map[string]bool
	// whole keeps everything: it is set in the signature of a method that is kept.
	whole bool
}

// prune sets the pruned copy of the declaration.
func (d *declaration) prune() {
	p := &pruner{scope: d.scope, from: d.File, params: map[string]bool{}}
	spec := *d.Spec
	spec.Doc = nil
	spec.Comment = nil
	if spec.TypeParams != nil {
		for _, field := range spec.TypeParams.List {
			p.declare(field.Names)
		}
		spec.TypeParams = p.fields(spec.TypeParams)
	}
	body, isStruct := ast.Unparen(spec.Type).(*ast.StructType)
	switch {
	case isStruct && !d.open && seals(body) && !d.isOnlyCopiedByFields(body):
		spec.Type = sealed(body)
	case d.open && p.shares(spec.Type):
		spec.Type = p.named(spec.Type, true)
	default:
		spec.Type = p.expr(spec.Type)
	}
	d.pruned = &spec
}

func (p *pruner) declare(params []*ast.Ident) {
	for _, name := range params {
		p.params[name.Name] = true
	}
}

// keep adds a method to the pruned copy of its file.
func (s *scope) keep(m *method) {
	if m.kept {
		return // when the type was not open
	}
	m.kept = true
	p := &pruner{scope: s, from: m.file, params: map[string]bool{}, whole: true}
	ast.Inspect(m.decl.Recv.List[0].Type, func(n ast.Node) bool {
		var params []ast.Expr
		switch n := n.(type) {
		case *ast.IndexExpr:
			params = []ast.Expr{n.Index}
		case *ast.IndexListExpr:
			params = n.Indices
		}
		for _, param := range params {
			if name, ok := param.(*ast.Ident); ok {
				p.declare([]*ast.Ident{name})
			}
		}
		return params == nil
	})
	signature, _ := p.expr(m.decl.Type).(*ast.FuncType)
	s.file(m.file).Add(&ast.FuncDecl{Recv: p.fields(m.decl.Recv), Name: m.decl.Name, Type: signature})
}

// isOnlyCopiedByFields reports whether a struct has no methods that copy it, and can get none by a
// marker, but has fields that its user can copy one by one: an exported struct of another module with
// exported fields, or an unexported one of the user.
func (d *declaration) isOnlyCopiedByFields(body *ast.StructType) bool {
	name := d.Spec.Name
	local := d.scope.pkg.Local()
	if local == name.IsExported() || len(d.scope.methodsOf(name.Name)) > 0 || d.scope.methodsElsewhere()[name.Name].DeepCopyInto != "" {
		return false
	}
	for _, field := range body.Fields.List {
		switch ast.Unparen(field.Type).(type) {
		case *ast.FuncType, *ast.ChanType, *ast.InterfaceType:
			return false
		}
		if !local && slices.ContainsFunc(field.Names, func(name *ast.Ident) bool { return !name.IsExported() }) {
			return false
		}
	}
	return true
}

// seals reports whether a struct has a field that cannot be copied by assignment, and no
// field that looks like a method.
func seals(body *ast.StructType) bool {
	found := false
	for _, field := range body.Fields.List {
		if looksLikeMethod(field) {
			return false
		}
		switch ast.Unparen(field.Type).(type) {
		case *ast.StarExpr, *ast.ArrayType, *ast.MapType, *ast.FuncType, *ast.ChanType, *ast.InterfaceType:
			found = true
		}
	}
	return found
}

// looksLikeMethod reports whether a field has the name of a method that copies values.
func looksLikeMethod(field *ast.Field) bool {
	names := field.Names
	if len(names) == 0 {
		ast.Inspect(field.Type, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				names = append(names, name) // more than the name of the field, which does no harm
			}
			return true
		})
	}
	for _, name := range names {
		if name.Name == "DeepCopy" || name.Name == "DeepCopyInto" {
			return true
		}
	}
	return false
}

// sealed returns a struct in place of one that cannot be copied by assignment.
func sealed(body *ast.StructType) *ast.StructType {
	pos := body.Fields.Opening
	empty := &ast.StructType{Struct: pos, Fields: &ast.FieldList{Opening: pos, Closing: pos}}
	field := &ast.Field{Names: []*ast.Ident{{NamePos: pos, Name: "_"}}, Type: &ast.StarExpr{Star: pos, X: empty}}
	return &ast.StructType{Struct: body.Struct,
		Fields: &ast.FieldList{Opening: pos, List: []*ast.Field{field}, Closing: body.Fields.Closing}}
}

// shares reports whether a type declared with the expression has the underlying type of
// another declared type.
func (p *pruner) shares(expr ast.Expr) bool {
	switch expr := ast.Unparen(expr).(type) {
	case *ast.Ident:
		return !p.params[expr.Name]
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}

// named queues the type that an expression names, and those of its type arguments.
func (p *pruner) named(expr ast.Expr, open bool) ast.Expr {
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return p.named(expr.X, open)
	case *ast.Ident:
		if !p.params[expr.Name] && !p.known(expr.Name, open) {
			p.checker.queue = append(p.checker.queue, need{p.scope, expr.Name, open, p.from})
		}
	case *ast.SelectorExpr:
		p.qualified(expr, open)
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: p.named(expr.X, open), Lbrack: expr.Lbrack, Index: p.expr(expr.Index), Rbrack: expr.Rbrack}
	case *ast.IndexListExpr:
		return &ast.IndexListExpr{X: p.named(expr.X, open), Lbrack: expr.Lbrack, Indices: p.exprs(expr.Indices),
			Rbrack: expr.Rbrack}
	}
	return expr
}

// known reports whether a name has been resolved, or cannot refer to anything but a
// predeclared type.
func (p *pruner) known(name string, open bool) bool {
	if d := p.needed[name]; d != nil {
		return d.open || !open
	}
	_, predeclared := types.Universe.Lookup(name).(*types.TypeName)
	return predeclared && len(p.pkg.Hinted(name)) == 0 && len(p.from.DotImports()) == 0
}

// qualified queues a type of another package.
func (p *pruner) qualified(expr *ast.SelectorExpr, open bool) {
	qualifier, ok := expr.X.(*ast.Ident)
	if !ok {
		p.checker.doubt("package %s refers to a type in an unknown way", p.pkg.Path)
		return
	}
	if qualifier.Name == "C" {
		p.checker.doubt("package %s refers to the cgo type C.%s", p.pkg.Path, expr.Sel.Name)
		return
	}
	imported, path := p.from.Imported(qualifier.Name)
	if imported == nil {
		if p.pkg.Local() {
			p.checker.Missing = append(p.checker.Missing, MissingImport{p.pkg, expr.Pos(), path, qualifier.Name + "." + expr.Sel.Name})
		}
		p.checker.doubt("package %q was not found, to which %s refers as %s", path, p.pkg.Path, qualifier.Name)
		return
	}
	p.file(p.from).Use(pruned.Import{Name: qualifier.Name, Path: path})
	if path == "unsafe" {
		return
	}
	p.checker.queue = append(p.checker.queue, need{scope: p.checker.scope(imported), name: expr.Sel.Name, open: open})
}

func (p *pruner) exprs(list []ast.Expr) []ast.Expr {
	out := make([]ast.Expr, len(list))
	for i, expr := range list {
		out[i] = p.expr(expr)
	}
	return out
}

// expr returns the pruned copy of a type expression.
func (p *pruner) expr(expr ast.Expr) ast.Expr {
	switch expr := expr.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return p.named(expr, false)
	case *ast.ParenExpr:
		return p.expr(expr.X)
	case *ast.StarExpr:
		return &ast.StarExpr{Star: expr.Star, X: p.expr(expr.X)}
	case *ast.Ellipsis:
		return &ast.Ellipsis{Ellipsis: expr.Ellipsis, Elt: p.expr(expr.Elt)}
	case *ast.ArrayType:
		return &ast.ArrayType{Lbrack: expr.Lbrack, Len: p.length(expr.Len), Elt: p.expr(expr.Elt)}
	case *ast.MapType:
		return &ast.MapType{Map: expr.Map, Key: p.expr(expr.Key), Value: p.expr(expr.Value)}
	case *ast.ChanType:
		return p.channel(expr)
	case *ast.FuncType:
		return p.function(expr)
	case *ast.StructType:
		return &ast.StructType{Struct: expr.Struct, Fields: p.fields(expr.Fields)}
	case *ast.InterfaceType:
		return p.interfaceType(expr)
	case *ast.UnaryExpr: // a term of a union, as the next one
		return &ast.UnaryExpr{OpPos: expr.OpPos, Op: expr.Op, X: p.expr(expr.X)}
	case *ast.BinaryExpr:
		return &ast.BinaryExpr{X: p.expr(expr.X), OpPos: expr.OpPos, Op: expr.Op, Y: p.expr(expr.Y)}
	}
	p.checker.doubt("package %s has a type of unknown syntax", p.pkg.Path)
	return expr
}

// length returns the length of an array. Unless p.whole is set, all arrays have the same.
func (p *pruner) length(expr ast.Expr) ast.Expr {
	if expr == nil {
		return nil // a slice
	}
	var n int64
	if p.whole {
		var ok bool
		n, ok = p.from.ArrayLength(expr)
		if !ok {
			p.checker.doubt("package %s has an array of unknown length", p.pkg.Path)
		}
	}
	return &ast.BasicLit{ValuePos: expr.Pos(), Kind: token.INT, Value: strconv.FormatInt(n, 10)}
}

func (p *pruner) channel(expr *ast.ChanType) ast.Expr {
	out := *expr
	if p.whole {
		out.Value = p.expr(expr.Value)
	} else {
		out.Value = &ast.StructType{Struct: expr.Begin, Fields: &ast.FieldList{Opening: expr.Begin, Closing: expr.Begin}}
	}
	return &out
}

func (p *pruner) function(expr *ast.FuncType) ast.Expr {
	if !p.whole {
		return &ast.FuncType{Func: expr.Func,
			Params: &ast.FieldList{Opening: expr.Params.Opening, Closing: expr.Params.Closing}}
	}
	return &ast.FuncType{Func: expr.Func, Params: p.fields(expr.Params), Results: p.fields(expr.Results)}
}

// fields returns the pruned copy of a list of fields or parameters.
func (p *pruner) fields(list *ast.FieldList) *ast.FieldList {
	if list == nil {
		return nil
	}
	out := &ast.FieldList{Opening: list.Opening, Closing: list.Closing}
	for _, field := range list.List {
		each := *p
		each.whole = p.whole || looksLikeMethod(field)
		out.List = append(out.List, &ast.Field{Names: field.Names, Type: each.expr(field.Type)})
	}
	return out
}

// interfaceType returns an interface with embedded types and unions, and those methods that
// copy values.
func (p *pruner) interfaceType(expr *ast.InterfaceType) ast.Expr {
	out := &ast.InterfaceType{Interface: expr.Interface,
		Methods: &ast.FieldList{Opening: expr.Methods.Opening, Closing: expr.Methods.Closing}}
	for _, m := range expr.Methods.List {
		each := *p
		if fn, ok := m.Type.(*ast.FuncType); ok && len(m.Names) > 0 {
			if !p.whole && !copies(m.Names[0].Name, fn) {
				continue
			}
			each.whole = true
		}
		out.Methods.List = append(out.Methods.List, &ast.Field{Names: m.Names, Type: each.expr(m.Type)})
	}
	return out
}
