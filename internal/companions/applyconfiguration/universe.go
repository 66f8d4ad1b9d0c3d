package applyconfiguration

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
)

// universe builds gengo's model of the types of a package from the source of a run. As far
// as code-generator reads it, the result equals that of gengo's own parser (walkType of
// gengo/v2/parser), which type-checks the package and everything that it imports:
//
//   - Types of the package are complete, except for methods.
//   - Types of other packages have a name and a kind. They have members if they are
//     structs that are embedded, because the functions for these are generated, too.
//   - There are no functions, variables and constants.
//
// The missing parts would matter if a generic struct type were instantiated: gengo gives all
// its instances one name and keeps the first. This and everything else that is not certain
// is an error.
type universe struct {
	types.Universe
	program *source.Program
	root    *source.Package
	// incomplete are the structs of other packages that do not have members yet.
	incomplete map[*types.Type]source.Underlying
	// unwritable are anonymous types that code-generator writes from parts that are missing
	// here, with the reason.
	unwritable map[*types.Type]string
	comments   map[*ast.File]lineComments
	// aliases is the number of aliases that are being followed.
	aliases int
	err     error
	// missing are findings about packages that are not found, by path.
	missing map[string]diag.Diagnostic
}

// newUniverse returns the universe for a package whose files have been parsed without
// errors. The error is a [source.Unsure].
func newUniverse(program *source.Program, root *source.Package) (*universe, error) {
	u := &universe{
		Universe: types.Universe{}, program: program, root: root,
		incomplete: map[*types.Type]source.Underlying{}, unwritable: map[*types.Type]string{}, comments: map[*ast.File]lineComments{},
		missing: map[string]diag.Diagnostic{},
	}
	p := u.Package(root.Path)
	p.Name = root.Name
	p.Dir = filepath.Dir(root.Files[0])
	for _, f := range root.Sources {
		u.checkFile(f)
		if filepath.Base(f.Name) == "doc.go" {
			for _, group := range f.Syntax.Comments {
				p.Comments = append(p.Comments, lines(group)...)
			}
			p.DocComments = lines(f.Syntax.Doc)
		}
	}
	declared := root.Types()
	slices.SortFunc(declared, func(a, b *source.Type) int { return strings.Compare(a.Spec.Name.Name, b.Spec.Name.Name) })
	for _, t := range declared {
		u.declare(t)
	}
	for _, t := range p.Types {
		u.checkEmbedding(t, map[*types.Type]bool{})
	}
	return u, u.err
}

// checkEmbedding rejects a struct that embeds itself, which Go rejects as well:
// code-generator would not end. inside are the structs that embed t.
func (u *universe) checkEmbedding(t *types.Type, inside map[*types.Type]bool) {
	if inside[t] {
		u.unsure("a struct embeds itself")
		return
	}
	inside[t] = true
	for _, m := range t.Members {
		if m.Embedded {
			u.checkEmbedding(m.Type, inside)
		}
	}
	delete(inside, t)
}

// unsure records the first doubt, and returns a type that is never used.
func (u *universe) unsure(format string, args ...any) *types.Type {
	if u.err == nil {
		u.err = source.Unsuref("package %s: %s", u.root.Path, fmt.Sprintf(format, args...))
	}
	return &types.Type{Kind: types.Unsupported}
}

// notFound notes a type that is not found. A package that is not found is the user's mistake.
func (u *universe) notFound(f *source.File, expr ast.Expr, why *source.Unresolved) *types.Type {
	if why.ImportPath == "" {
		return u.unsure("a type named %s is not found", source.ExprName(expr))
	}
	if _, ok := u.missing[why.ImportPath]; !ok {
		pos := diag.PositionOf(u.program.Fset, expr.Pos())
		u.missing[why.ImportPath] = report.ImportNotFound.At(pos, report.ImportHint(f.Pkg, why.ImportPath),
			"cannot find package %q, which declares %s", why.ImportPath, source.ExprName(expr))
	}
	return &types.Type{Kind: types.Unsupported}
}

// checkFile rejects files whose content the go command changes before gengo reads it, or
// whose lines gengo counts in another way.
func (u *universe) checkFile(f *source.File) {
	for _, spec := range f.Syntax.Imports {
		if spec.Path.Value == `"C"` {
			u.unsure("it uses cgo")
		}
	}
	for _, group := range f.Syntax.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//line ") || strings.HasPrefix(c.Text, "/*line ") {
				u.unsure("it has line directives")
			}
		}
	}
}

// declare adds a type that the package declares, and its comments. gengo gives the comments
// of an alias to the type itself, unless that has comments already.
func (u *universe) declare(t *source.Type) {
	if t.Spec.Name.Name == "_" {
		return
	}
	nearest, second := u.commentsAbove(t.File, t.Spec.Name.Pos())
	if t.Spec.TypeParams.NumFields() > 0 {
		u.declareGeneric(t, slices.Concat(second, nearest))
		return
	}
	alias := t.Spec.Assign.IsValid()
	out := u.namedType(t)
	if alias && out.Name.Package != u.root.Path {
		return
	}
	set := func(target *[]string, lines []string) {
		if len(lines) > 0 && (len(*target) == 0 || !alias) {
			*target = lines
		}
	}
	set(&out.CommentLines, nearest)
	set(&out.SecondClosestCommentLines, second)
}

// declareGeneric leaves a generic type out: as long as no type refers to an instance, only
// comments and a member of a certain name would matter.
func (u *universe) declareGeneric(t *source.Type, comments []string) {
	if slices.ContainsFunc(comments, func(line string) bool { return strings.Contains(line, "genclient") }) {
		u.unsure("generic type %s has markers of client-gen", t.Spec.Name.Name)
	}
	for _, f := range t.Fields() {
		if f.GoName() == "ObjectMeta" {
			u.unsure("generic type %s has object metadata", t.Spec.Name.Name)
		}
	}
}

// typeOf returns the type that an expression in a file denotes.
func (u *universe) typeOf(file *source.File, expr ast.Expr) *types.Type {
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return u.typeOf(file, expr.X)
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		if ident, ok := expr.(*ast.Ident); ok {
			if arg, ok := file.Params[ident.Name]; ok {
				return u.typeOf(arg.File, arg.Expr)
			}
		}
		name, unresolved := file.Resolve(expr)
		switch {
		case unresolved != nil:
			return u.notFound(file, expr, unresolved)
		case name.Type == nil:
			return u.predeclared(name.Predeclared)
		}
		return u.namedType(name.Type)
	}
	out := u.Type(types.Name{Name: u.text(file, expr)})
	if out.Kind == types.Unknown {
		u.fill(out, file, expr)
	}
	return out
}

// predeclared returns a predeclared type. gengo does not support all of them.
func (u *universe) predeclared(name string) *types.Type {
	if name == "comparable" {
		return u.unsure("comparable is the type of a field")
	}
	out := u.Type(types.Name{Name: strings.TrimPrefix(name, "unsafe.")})
	if name == "error" {
		out.Kind = types.Interface
		u.unwritable[out] = "a field of type error"
	}
	if out.Kind == types.Unknown {
		out.Kind = types.Unsupported
	}
	return out
}

// namedType returns a declared type, an instance, or the type that an alias denotes.
func (u *universe) namedType(t *source.Type) *types.Type {
	if t.Spec.Assign.IsValid() {
		if u.aliases++; u.aliases > 100 {
			return u.unsure("alias %s refers to itself", t.Spec.Name.Name)
		}
		defer func() { u.aliases-- }()
		return u.typeOf(t.File, t.Spec.Type)
	}
	name := t.Spec.Name.Name
	if t.Generic != nil {
		name = u.instanceName(t)
	}
	out := u.Type(types.Name{Package: t.Pkg.Path, Name: name})
	if out.Kind == types.Unknown {
		u.define(out, t)
	}
	return out
}

// define sets the kind of a declared type and, of a type of the package, its parts. An
// instance of a type of another package may contain types of this one.
func (u *universe) define(out *types.Type, t *source.Type) {
	underlying := source.UnderlyingOf(t.File, t.Spec.Type)
	complete := t.Pkg == u.root || t.Generic != nil
	switch underlying.Kind {
	case source.KindUnknown:
		u.unsure("type %s cannot be resolved", t)
	case source.KindStruct:
		out.Kind = types.Struct
		switch {
		case t.Generic != nil:
			u.unsure("%s is an instance of a generic struct type", t)
		case complete:
			u.addMembers(out, underlying)
		default:
			u.incomplete[out] = underlying
		}
	case source.KindInterface:
		out.Kind = types.Interface
		if t.Generic != nil {
			u.unsure("%s is an instance of a generic interface", t)
		}
	case source.KindBasic:
		out.Kind = types.Alias
		if complete {
			out.Underlying = u.predeclared(underlying.Basic)
		}
	case source.KindMap, source.KindSlice:
		out.Kind = types.Alias
		if complete {
			out.Underlying = u.typeOf(underlying.File, underlying.Expr)
		}
	default:
		u.fill(out, underlying.File, underlying.Expr)
	}
}

// fill sets the kind and parts of a type that is not a name.
func (u *universe) fill(out *types.Type, file *source.File, expr ast.Expr) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		out.Kind = types.Pointer
		out.Elem = u.typeOf(file, expr.X)
	case *ast.ArrayType:
		out.Kind = types.Slice
		if expr.Len != nil {
			out.Kind = types.Array
			out.Len = u.length(file, expr.Len)
		}
		out.Elem = u.typeOf(file, expr.Elt)
	case *ast.MapType:
		out.Kind = types.Map
		out.Key = u.typeOf(file, expr.Key)
		out.Elem = u.typeOf(file, expr.Value)
	case *ast.ChanType:
		out.Kind = types.Chan
		out.Elem = u.typeOf(file, expr.Value)
	case *ast.StructType:
		out.Kind = types.Struct
		u.addMembers(out, source.Underlying{Kind: source.KindStruct, File: file, Expr: expr})
	case *ast.InterfaceType:
		out.Kind = types.Interface
		if expr.Methods.NumFields() > 0 {
			u.unwritable[out] = "a field of an anonymous interface type with methods"
		}
	case *ast.FuncType:
		out.Kind = types.Func
		u.unwritable[out] = "a field of an anonymous function type"
	default:
		u.unsure("%T is not a type", expr)
	}
}

func (u *universe) length(f *source.File, expr ast.Expr) int64 {
	n, ok := f.ArrayLength(expr)
	if !ok {
		u.unsure("the length of an array is not known")
	}
	return n
}

// addMembers adds the fields of a struct. A struct embedded in it gets its members, too.
func (u *universe) addMembers(out *types.Type, underlying source.Underlying) {
	for _, field := range underlying.Expr.(*ast.StructType).Fields.List {
		m := types.Member{Type: u.typeOf(underlying.File, field.Type), Tags: string(source.TagOf(field)),
			Embedded: len(field.Names) == 0}
		names := field.Names
		if m.Embedded {
			names = []*ast.Ident{source.EmbeddedName(field.Type)}
		}
		for _, name := range names {
			if name == nil {
				u.unsure("an embedded field has no name")
				continue
			}
			m.Name = name.Name
			m.CommentLines, _ = u.commentsAbove(underlying.File, name.Pos())
			out.Members = append(out.Members, m)
			u.checkMember(m)
		}
	}
}

// checkMember completes the type of an embedded field, and rejects a field whose type cannot
// be written. Only fields with a json tag are written.
func (u *universe) checkMember(m types.Member) {
	if tag := source.JSONTagOf(reflect.StructTag(m.Tags)); !tag.IsSet || tag.Excluded {
		return
	}
	if why := u.whyUnwritable(m.Type, 0); why != "" {
		u.unsure("%s is %s", m.Name, why)
	}
	if underlying, ok := u.incomplete[m.Type]; ok && m.Embedded {
		delete(u.incomplete, m.Type)
		u.addMembers(m.Type, underlying)
	}
}

// maxDepth is more than the depth of any type without names that Go accepts in practice.
const maxDepth = 1000

// whyUnwritable returns why a type cannot be written, or "" if it can. depth is its depth in
// types without names; aliases that Go rejects may make such a type contain itself.
func (u *universe) whyUnwritable(t *types.Type, depth int) string {
	if why := u.unwritable[t]; why != "" || t.Name.Package != "" {
		return why
	}
	if depth > maxDepth {
		return "of a type that contains itself"
	}
	for _, part := range []*types.Type{t.Elem, t.Key} {
		if part != nil {
			if why := u.whyUnwritable(part, depth+1); why != "" {
				return why
			}
		}
	}
	for _, m := range t.Members {
		if why := u.whyUnwritable(m.Type, depth+1); why != "" {
			return why
		}
	}
	return ""
}

// text returns a text for a type that is equal for identical types and different for others.
// That of a named type is Go's, because it is part of the names of instances.
func (u *universe) text(file *source.File, expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return u.text(file, expr.X)
	case *ast.StarExpr:
		return "*" + u.text(file, expr.X)
	case *ast.ArrayType:
		length := ""
		if expr.Len != nil {
			length = strconv.FormatInt(u.length(file, expr.Len), 10)
		}
		return "[" + length + "]" + u.text(file, expr.Elt)
	case *ast.MapType:
		return "map[" + u.text(file, expr.Key) + "]" + u.text(file, expr.Value)
	case *ast.ChanType:
		return fmt.Sprintf("chan %d %s", expr.Dir, u.text(file, expr.Value))
	case *ast.InterfaceType:
		if expr.Methods.NumFields() == 0 {
			return "interface{}"
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return u.nameText(file, expr)
	}
	if len(file.Params) > 0 {
		u.unsure("an instance of a generic type has an anonymous part")
	}
	return fmt.Sprintf("%T at %d", expr, expr.Pos()) // only equal to itself
}

// nameText is text for a name, with type arguments.
func (u *universe) nameText(f *source.File, expr ast.Expr) string {
	if ident, ok := expr.(*ast.Ident); ok {
		if arg, ok := f.Params[ident.Name]; ok {
			return u.text(arg.File, arg.Expr)
		}
	}
	name, unresolved := f.Resolve(expr)
	switch {
	case unresolved != nil:
		u.notFound(f, expr, unresolved)
		return ""
	case name.Type == nil:
		return name.Predeclared
	case name.Type.Generic != nil:
		return name.Type.Pkg.Path + "." + u.instanceName(name.Type)
	}
	return name.Type.Pkg.Path + "." + name.Type.Spec.Name.Name
}

// instanceName returns the name of an instance, with its type arguments as Go writes them.
func (u *universe) instanceName(t *source.Type) string {
	var args []string
	for _, arg := range t.Arguments {
		args = append(args, u.text(arg.File, arg.Expr))
	}
	return t.Spec.Name.Name + "[" + strings.Join(args, ", ") + "]"
}
