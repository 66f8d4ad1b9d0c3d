package generator

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// builder makes the drafts of types. A type is built when the first reference
// to it is met, and once.
type builder struct {
	world    *world
	reporter *reporter
	options  *Options
	types    map[*typeDecl]*draft
	// overrides are what the package of the kinds says about types elsewhere.
	overrides []*override
	// reached are the packages that a type was asked of, in that order. Their
	// groups decide which versions a kind has, so the order counts. All
	// builders of a run share them.
	reached *[]*pkg
}

// reach notes that a type of the package was asked for.
func (b *builder) reach(p *pkg) {
	if !slices.Contains(*b.reached, p) {
		*b.reached = append(*b.reached, p)
	}
}

// build returns the draft of a declared type; nil if the package may not be
// looked into.
func (b *builder) build(t *typeDecl) *draft {
	if d, ok := b.types[t]; ok {
		return d
	}
	if len(b.overrides) > 0 {
		if d := b.buildOverridden(t); d != nil {
			return d
		}
	}
	if d := b.known(t); d != nil {
		d.pkg = t.pkg
		d.origin.Pos = t.spec.Name.Pos()
		b.types[t] = d
		return d
	}
	b.reach(t.pkg)
	b.types[t] = &draft{pkg: t.pkg} // for types that contain themselves
	d := b.declared(t.load())
	if len(b.overrides) > 0 {
		d.edits = append(d.edits, b.overrideEdits(t)...)
	}
	b.types[t] = d
	return d
}

// known returns the draft of a type whose declaration does not tell it, or nil.
func (b *builder) known(t *typeDecl) *draft {
	if b.options.wholeObjectMeta && t.pkg.Path == metav1Path && t.spec.Name.Name == "ObjectMeta" {
		return nil
	}
	return knownType(t.pkg.Path, t.spec.Name.Name, b.options.EmbeddedObjectMeta)
}

// buildOverridden returns the draft of a type whose schema the package of the
// kinds gives, or nil.
func (b *builder) buildOverridden(t *typeDecl) *draft {
	o := b.overridden(t)
	if o == nil {
		return nil
	}
	inner, _ := o.marker.Inner()
	set := o.pkg.parseMarkers([]markers.Comment{inner}, markers.Type)
	if len(set) == 0 {
		return nil
	}
	d := b.schemaNode(t.file, t.spec.Name.Pos(), o.pkg, set[0])
	d.Description = cmp.Or(d.Description, t.load().doc)
	b.types[t] = d
	return d
}

// schemaNode makes the draft of a node whose schema a marker in p gives.
func (b *builder) schemaNode(f *file, pos token.Pos, p *pkg, m *markers.Marker) *draft {
	fragment := b.fragment(p, m)
	if fragment == nil {
		return b.failed(f, pos)
	}
	d := draftOf(fragment, f.pkg)
	d.origin.Pos = pos
	return d
}

// declared makes the draft of a type from its declaration. Types that marshal
// themselves are what their markers say, or a string.
func (b *builder) declared(t *typeDecl) *draft {
	b.checkRecursion(t)
	if m := t.markers.get(schemaMarkerName); m != nil {
		d := b.schemaNode(t.file, t.spec.Name.Pos(), t.pkg, m)
		d.Description = cmp.Or(d.Description, t.doc)
		b.applyMarkers(d, t.markers, t)
		return d
	}
	switch {
	case setsType(t.markers) && t.marshals("MarshalJSON"):
		d := b.node(t.file, t.spec.Name.Pos())
		b.applyMarkers(d, t.markers, t)
		return d
	case t.marshals("MarshalText") && !t.marshals("MarshalJSON"): // few have the first
		d := b.node(t.file, t.spec.Name.Pos())
		d.Type = "string"
		b.applyMarkers(d, t.markers, t)
		if d.Type != "string" {
			b.reporter.errorf(codeTextType, t.pkg, d.origin.Of("type"), "remove the marker, or add a MarshalJSON method",
				"%s implements encoding.TextMarshaler but its schema type is not string: %q", t, d.Type)
		}
		return d
	}
	return b.expr(t.file, t.spec.Type, t)
}

// setsType reports whether a marker gives the schema its type.
func setsType(set markerSet) bool {
	sets := false
	for _, m := range set {
		switch value := m.Value.(type) {
		case crdmarkers.Type:
			sets = value != "" // the last one counts
		case crdmarkers.K8sEnum:
			return true
		}
	}
	return sets
}

// failed returns a draft for something that has no schema and was reported.
// Nothing more is said of it: it takes anything.
func (b *builder) failed(f *file, pos token.Pos) *draft {
	d := b.node(f, pos)
	d.XPreserveUnknownFields = new(true)
	d.failed = true
	return d
}

// node returns an empty draft for a place in a file.
func (b *builder) node(f *file, pos token.Pos) *draft {
	return &draft{pkg: f.pkg, origin: structural.Origin{Pos: pos}}
}

// expr makes the draft of a type expression. owner is the type whose
// declaration the expression is, or nil; its documentation and markers apply.
func (b *builder) expr(f *file, expr ast.Expr, owner *typeDecl) *draft {
	var d *draft
	switch typed := expr.(type) {
	case *ast.Ident:
		if arg, ok := f.params[typed.Name]; ok {
			d = b.expr(arg.file, arg.expr, nil)
			d.pkg = f.pkg
			break
		}
		d = b.ident(f, typed)
	case *ast.SelectorExpr:
		d = b.qualified(f, typed)
		b.checkDuration(typed, d, owner)
	case *ast.ArrayType:
		d = b.array(f, typed)
	case *ast.MapType:
		d = b.mapType(f, typed)
	case *ast.StarExpr:
		d = b.expr(f, typed.X, nil)
	case *ast.StructType:
		if owner == nil {
			d = b.structType(unnamed(f, typed))
			break
		}
		d = b.structType(owner)
	case *ast.InterfaceType:
		b.reporter.typeErrorf(codeUnsupported, f.pkg, expr.Pos(), interfaceHint, "interface types have no schema")
		return b.failed(f, expr.Pos())
	case *ast.IndexExpr, *ast.IndexListExpr:
		d = b.instance(f, typed)
	default:
		b.reporter.typeErrorf(codeUnsupported, f.pkg, expr.Pos(), "", "%s has no schema", goSyntax(expr))
		return b.failed(f, expr.Pos())
	}
	if owner != nil {
		d.origin.Pos = owner.spec.Name.Pos()
		d.Description = owner.doc
		b.applyMarkers(d, owner.markers, owner)
	}
	return d
}

const interfaceHint = "use apiextensionsv1.JSON for arbitrary JSON, runtime.RawExtension for an embedded object, or say the schema yourself: +schemagen:schema={x-kubernetes-preserve-unknown-fields: true}"

// goSyntax names a type expression as Go programmers do.
func goSyntax(expr ast.Expr) string {
	switch expr.(type) {
	case *ast.FuncType:
		return "a function type"
	case *ast.ChanType:
		return "a channel type"
	case *ast.ParenExpr:
		return "a type in parentheses"
	}
	return fmt.Sprintf("this type expression (%T)", expr)
}

// missing reports a name that stands for nothing.
func (b *builder) missing(f *file, expr ast.Expr, why *unresolved) *draft {
	if why.importPath == "" {
		b.reporter.typeErrorf(codeUnknownType, f.pkg, expr.Pos(), f.excludedHint(expr), "unknown type %s", exprName(expr))
		return b.failed(f, expr.Pos())
	}
	b.reporter.typeErrorf(codeImport, f.pkg, expr.Pos(), f.pkg.importHint(why.importPath),
		"cannot find package %q, which declares %s", why.importPath, exprName(expr))
	return b.failed(f, expr.Pos())
}

// importHint says what to do about an import that cannot be found.
func (p *pkg) importHint(importPath string) string {
	if listed := p.Import(importPath); listed != nil && len(listed.Errors) > 0 {
		return oneLine(listed.Errors[0].Msg)
	}
	return "add the package's module to go.mod, for example with go mod tidy"
}

// reportMissing reports an import that a kind needs to be one.
func (t *typeDecl) reportMissing(r *reporter, expr ast.Expr, importPath string) {
	r.errorf(codeImport, t.pkg, expr.Pos(), t.pkg.importHint(importPath),
		"cannot find package %q, which declares %s", importPath, exprName(expr))
}

func exprName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		return exprName(expr.X) + "." + expr.Sel.Name
	}
	return "?"
}

// predeclared makes the draft of a type that the language declares.
func (b *builder) predeclared(f *file, expr ast.Expr, name string) *draft {
	d := b.node(f, expr.Pos())
	typ, format := basicSchema(name)
	switch {
	case typ == "number" && !*f.pkg.settings().AllowDangerousTypes:
		b.reporter.typeErrorf(codeFloat, f.pkg, expr.Pos(),
			"use resource.Quantity or a string, or allow floats with --allow-dangerous-types (crd:allowDangerousTypes=true)",
			"found %s, whose precision varies across languages", name)
		return b.failed(f, expr.Pos())
	case name == "any" || name == "error" || name == "comparable":
		b.reporter.typeErrorf(codeUnsupported, f.pkg, expr.Pos(), interfaceHint, "interface type %s has no schema", name)
		return b.failed(f, expr.Pos())
	case typ == "":
		b.reporter.typeErrorf(codeUnsupported, f.pkg, expr.Pos(), "", "type %s has no schema", name)
		return b.failed(f, expr.Pos())
	}
	d.Type = typ
	if format != "" {
		d.validation().Format = format
	}
	if strings.HasPrefix(name, "u") || name == "byte" {
		b.unsigned(d, f, name)
	}
	return d
}

// unsigned bounds an unsigned integer where the package wants it, or has it
// checked that something else does.
func (b *builder) unsigned(d *draft, f *file, name string) {
	if !f.pkg.enabled(markers.FeatureUnsigned) {
		if f.pkg.local() {
			d.edits = append(d.edits, &edit{pkg: f.pkg, pos: d.origin.Pos, op: checkUnsigned{name}})
		}
		return
	}
	bounds := numberBounds{minimum: new(0.0)}
	switch name {
	case "uint8", "byte":
		bounds.maximum = new(255.0)
	case "uint16":
		bounds.maximum = new(65535.0)
	case "uint32":
		// The format int32 would say less than the type holds.
		bounds.maximum = new(4294967295.0)
		d.values.Format = "int64"
	}
	d.edits = append(d.edits, &edit{pkg: f.pkg, pos: d.origin.Pos, name: "schemagen:enable", op: bounds})
}

// ident makes the draft of an unqualified name. The reference shows the type
// and format of what it refers to where markers on a field look for them: for
// basic types, slices and maps.
func (b *builder) ident(f *file, ident *ast.Ident) *draft {
	name, why := f.resolve(ident)
	if why != nil {
		return b.missing(f, ident, why)
	}
	if name.decl == nil {
		return b.predeclared(f, ident, name.predeclared)
	}
	return b.local(f, ident, name.decl)
}

// local makes the draft of a reference to a type in an unqualified name or an instance.
func (b *builder) local(f *file, expr ast.Expr, target *typeDecl) *draft {
	if target.spec.Assign.IsValid() {
		// An alias is looked through once: an alias of a basic type, and of a
		// type without a name, stands for itself, so that its markers count;
		// others stand for their target.
		switch target.spec.Type.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
			rhs, why := target.file.resolve(target.spec.Type)
			if why != nil {
				return b.missing(target.file, target.spec.Type, why)
			}
			if rhs.decl == nil {
				d := b.predeclared(target.file, target.spec.Type, rhs.predeclared)
				d.pkg, d.origin.Pos = f.pkg, expr.Pos()
				return b.refer(d, target)
			}
			target = rhs.decl
		}
	}
	if target.spec.TypeParams.NumFields() > 0 {
		return b.uninstantiated(f, expr)
	}
	d := b.node(f, expr.Pos())
	switch body := underlyingOf(target.file, target.spec.Type); body.kind {
	case kindSlice:
		d.Type = "array"
	case kindMap:
		d.Type = "object"
	case kindBasic:
		if shown := b.build(target); shown != nil {
			d.Type = shown.Type
			if shown.values != nil && shown.values.Format != "" {
				d.validation().Format = shown.values.Format
			}
		}
	}
	return b.refer(d, target)
}

// unnamed returns a struct type in a field as a declaration.
func unnamed(f *file, st *ast.StructType) *typeDecl {
	return &typeDecl{pkg: f.pkg, file: f, read: true,
		spec: &ast.TypeSpec{Name: &ast.Ident{Name: "struct", NamePos: st.Pos()}, Type: st}}
}

// describeType names the right-hand side of an alias.
func describeType(expr ast.Expr) string {
	switch expr.(type) {
	case *ast.ArrayType:
		return "a slice or array"
	case *ast.MapType:
		return "a map"
	case *ast.StructType:
		return "a struct"
	case *ast.StarExpr:
		return "a pointer"
	case *ast.InterfaceType:
		return "an interface"
	case *ast.IndexExpr, *ast.IndexListExpr:
		return "a generic type"
	}
	return goSyntax(expr)
}

// qualified makes the draft of a name of another package. Only slices and maps
// show their type.
func (b *builder) qualified(f *file, sel *ast.SelectorExpr) *draft {
	name, why := f.resolve(sel)
	if why != nil {
		return b.missing(f, sel, why)
	}
	if name.decl == nil {
		return b.predeclared(f, sel, name.predeclared)
	}
	if name.decl.pkg.Path == "time" && name.decl.spec.Name.Name == "Time" {
		b.reporter.typeErrorf(codeUnsupported, f.pkg, sel.Pos(), "use metav1.Time", "time.Time has no schema")
		return b.failed(f, sel.Pos())
	}
	if name.decl.spec.TypeParams.NumFields() > 0 {
		return b.uninstantiated(f, sel)
	}
	d := b.node(f, sel.Pos())
	switch underlyingOf(name.decl.file, name.decl.spec.Type).kind {
	case kindSlice:
		d.Type = "array"
	case kindMap:
		d.Type = "object"
	}
	return b.refer(d, name.decl)
}

// refer makes the node a reference to a type, and has the type built.
func (b *builder) refer(d *draft, target *typeDecl) *draft {
	p := target.pkg
	if b.known(target) == nil && (onlyKnownTypes(p.Path) || p.describe().skip) {
		b.reporter.typeErrorf(codeUnknownType, d.pkg, d.origin.Pos, "", "unknown type %s.%s: its package has no types for a schema", p.Path, target.spec.Name.Name)
		return &draft{Extensions: structural.Extensions{XPreserveUnknownFields: new(true)}, failed: true, pkg: d.pkg, origin: d.origin}
	}
	d.ref = target
	b.build(target)
	return d
}

// checkDuration warns of a time.Duration of the user's, unless the type that it
// makes marshals itself.
func (b *builder) checkDuration(expr ast.Expr, d *draft, owner *typeDecl) {
	if d.ref == nil || d.ref.pkg.Path != "time" || d.ref.spec.Name.Name != "Duration" || !d.pkg.local() {
		return
	}
	if owner != nil && (owner.marshals("MarshalJSON") || owner.marshals("MarshalText")) {
		return
	}
	b.reporter.add(codeDuration, diag.Warning, d.pkg, expr.Pos(), "time.Duration is a number of nanoseconds in JSON",
		"use metav1.Duration, which is written as \"1h30m\"")
}

// array makes the draft of a slice or an array. A []byte is a base64 string.
func (b *builder) array(f *file, array *ast.ArrayType) *draft {
	d := b.node(f, array.Pos())
	if elem, ok := array.Elt.(*ast.Ident); ok && array.Len == nil && elem.Name == "byte" {
		if name, why := f.resolve(elem); why == nil && name.decl == nil {
			d.Type = "string"
			d.validation().Format = "byte"
			return d
		}
	}
	d.Type = "array"
	d.items = b.expr(f, array.Elt, nil)
	if array.Len != nil && f.pkg.enabled(markers.FeatureArrayLength) {
		if n, ok := f.arrayLength(array.Len); ok {
			d.validation().MinItems, d.validation().MaxItems = &n, new(n)
		}
	}
	return d
}

// arrayLength returns the length of an array type: a literal, or what Go's
// constants make of it.
func (f *file) arrayLength(expr ast.Expr) (int64, bool) {
	if literal, ok := expr.(*ast.BasicLit); ok && literal.Kind == token.INT {
		n, err := strconv.ParseInt(literal.Value, 0, 64)
		return n, err == nil
	}
	return f.intConstant(expr)
}

// mapType makes the draft of a map, whose keys must be strings in JSON.
func (b *builder) mapType(f *file, m *ast.MapType) *draft {
	d := b.node(f, m.Pos())
	if name := m.Key; isName(name) {
		if _, why := f.resolve(name); why != nil {
			return b.missing(f, name, why)
		}
	}
	if !b.stringKey(f, m.Key) {
		b.reporter.typeErrorf(codeMapKey, f.pkg, m.Key.Pos(), "use a string type, or one that implements encoding.TextMarshaler",
			"map keys must be strings or implement encoding.TextMarshaler, not %s", keyName(m.Key))
		return b.failed(f, m.Pos())
	}
	switch m.Value.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.ArrayType, *ast.StarExpr, *ast.MapType, *ast.StructType, *ast.IndexExpr, *ast.IndexListExpr:
		d.additional = b.expr(f, m.Value, nil)
	case *ast.InterfaceType:
		b.reporter.typeErrorf(codeUnsupported, f.pkg, m.Value.Pos(), interfaceHint, "interface types have no schema")
		return b.failed(f, m.Pos())
	default:
		b.reporter.typeErrorf(codeUnsupported, f.pkg, m.Value.Pos(), "", "%s has no schema as the value of a map", goSyntax(m.Value))
		return b.failed(f, m.Pos())
	}
	d.Type = "object"
	return d
}

// stringKey reports whether a map key is a string in JSON. A defined type is
// judged by its underlying type first; an alias only by its methods.
func (b *builder) stringKey(f *file, key ast.Expr) bool {
	if star, ok := key.(*ast.StarExpr); ok {
		name, why := f.resolve(star.X)
		return why == nil && name.decl != nil && name.decl.marshals("MarshalText")
	}
	name, why := f.resolve(key)
	if why != nil {
		return false
	}
	if name.decl == nil {
		return name.predeclared == "string"
	}
	if !name.decl.spec.Assign.IsValid() {
		if body := underlyingOf(name.decl.file, name.decl.spec.Type); body.kind == kindBasic && body.basic == "string" {
			return true
		}
	}
	return name.decl.marshals("MarshalText")
}

// isName reports whether an expression is a name, qualified or not.
func isName(expr ast.Expr) bool {
	switch expr.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	}
	return false
}

func keyName(key ast.Expr) string {
	if isName(key) {
		return exprName(key)
	}
	return describeType(key)
}
