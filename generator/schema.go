package generator

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// builder makes the drafts of types. A type is built when the first reference
// to it is met, and once.
type builder struct {
	world    *world
	reporter *reporter
	options  *Options
	types    map[*typeDecl]*draft
	// reached are the packages that a type was asked of, in that order. Their
	// groups decide which versions a kind has, so the order counts.
	reached []*pkg
}

// reach notes that a type of the package was asked for.
func (b *builder) reach(p *pkg) {
	if !slices.Contains(b.reached, p) {
		b.reached = append(b.reached, p)
	}
}

// build returns the draft of a declared type; nil if the package may not be
// looked into.
func (b *builder) build(t *typeDecl) *draft {
	if d, ok := b.types[t]; ok {
		return d
	}
	if d := knownType(t.pkg.Path, t.spec.Name.Name, b.options.EmbeddedObjectMeta); d != nil {
		d.pkg = t.pkg
		d.origin.Pos = t.spec.Name.Pos()
		b.types[t] = d
		return d
	}
	b.reach(t.pkg)
	b.types[t] = &draft{pkg: t.pkg} // for types that contain themselves
	d := b.declared(t.load())
	b.types[t] = d
	return d
}

// declared makes the draft of a type from its declaration. Types that marshal
// themselves are what their markers say, or a string.
func (b *builder) declared(t *typeDecl) *draft {
	if t.spec.TypeParams.NumFields() > 0 {
		b.reporter.errorf(codeGeneric, t.pkg, t.spec.Name.Pos(), "declare the instance as a type of its own", "generic type %s is not supported", t)
		return b.node(t.file, t.spec.Pos())
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
			b.reporter.typeErrorf(codeInlineStruct, f.pkg, expr.Pos(), "declare it as a type of its own", "struct types without a name are not supported")
			return b.node(f, expr.Pos())
		}
		d = b.structType(owner)
	case *ast.InterfaceType:
		b.reporter.typeErrorf(codeUnsupported, f.pkg, expr.Pos(), interfaceHint, "interface types have no schema")
		return b.node(f, expr.Pos())
	case *ast.IndexExpr, *ast.IndexListExpr:
		b.reporter.typeErrorf(codeGeneric, f.pkg, expr.Pos(), "declare the instance as a type of its own", "generic types are not supported")
		return b.node(f, expr.Pos())
	default:
		b.reporter.typeErrorf(codeUnsupported, f.pkg, expr.Pos(), "", "%s has no schema", goSyntax(expr))
		return b.node(f, expr.Pos())
	}
	if owner != nil {
		d.origin.Pos = owner.spec.Name.Pos()
		d.Description = owner.doc
		b.applyMarkers(d, owner.markers, owner)
	}
	return d
}

const interfaceHint = "use apiextensionsv1.JSON for arbitrary JSON, runtime.RawExtension for an embedded object, or a type of your own"

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
		b.reporter.typeErrorf(codeUnknownType, f.pkg, expr.Pos(), "", "unknown type %s", exprName(expr))
		return b.node(f, expr.Pos())
	}
	b.reporter.typeErrorf(codeImport, f.pkg, expr.Pos(), f.pkg.importHint(why.importPath),
		"cannot find package %q, which declares %s", why.importPath, exprName(expr))
	return b.node(f, expr.Pos())
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
	case typ == "number" && !b.options.AllowDangerousTypes:
		b.reporter.typeErrorf(codeFloat, f.pkg, expr.Pos(),
			"use resource.Quantity or a string, or allow floats with --allow-dangerous-types (crd:allowDangerousTypes=true)",
			"found %s, whose precision varies across languages", name)
		return d
	case name == "any" || name == "error" || name == "comparable":
		b.reporter.typeErrorf(codeUnsupported, f.pkg, expr.Pos(), interfaceHint, "interface type %s has no schema", name)
		return d
	case typ == "":
		b.reporter.typeErrorf(codeUnsupported, f.pkg, expr.Pos(), "", "type %s has no schema", name)
		return d
	}
	d.Type = typ
	if format != "" {
		d.validation().Format = format
	}
	return d
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
	target := name.decl
	if target.spec.Assign.IsValid() {
		// An alias is looked through once: an alias of a basic type stands for
		// itself, so that its markers count; others stand for their target.
		rhs, why := target.file.resolve(target.spec.Type)
		switch target.spec.Type.(type) {
		case *ast.Ident, *ast.SelectorExpr:
			if why != nil {
				return b.missing(target.file, target.spec.Type, why)
			}
		default:
			b.reporter.typeErrorf(codeAlias, f.pkg, ident.Pos(), fmt.Sprintf("declare it as a type of its own: type %s …", ident.Name),
				"alias %s of %s is not supported", ident.Name, describeType(target.spec.Type))
			return b.node(f, ident.Pos())
		}
		if rhs.decl == nil {
			d := b.predeclared(target.file, target.spec.Type, rhs.predeclared)
			d.pkg, d.origin.Pos = f.pkg, ident.Pos()
			return b.refer(d, target)
		}
		target = rhs.decl
	}
	d := b.node(f, ident.Pos())
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
		return b.node(f, sel.Pos())
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
	known := knownType(p.Path, target.spec.Name.Name, b.options.EmbeddedObjectMeta) != nil
	if !known && (onlyKnownTypes(p.Path) || p.describe().skip) {
		b.reporter.typeErrorf(codeUnknownType, d.pkg, d.origin.Pos, "", "unknown type %s.%s: its package has no types for a schema", p.Path, target.spec.Name.Name)
		return &draft{pkg: d.pkg, origin: d.origin}
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
	return d
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
		return d
	}
	switch m.Value.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.ArrayType, *ast.StarExpr, *ast.MapType:
		d.additional = b.expr(f, m.Value, nil)
	case *ast.InterfaceType:
		b.reporter.typeErrorf(codeUnsupported, f.pkg, m.Value.Pos(), interfaceHint, "interface types have no schema")
		return d
	case *ast.StructType:
		b.reporter.typeErrorf(codeInlineStruct, f.pkg, m.Value.Pos(), "declare it as a type of its own", "struct types without a name are not supported")
		return d
	case *ast.IndexExpr, *ast.IndexListExpr:
		b.reporter.typeErrorf(codeGeneric, f.pkg, m.Value.Pos(), "declare the instance as a type of its own", "generic types are not supported")
		return d
	default:
		b.reporter.typeErrorf(codeUnsupported, f.pkg, m.Value.Pos(), "", "%s has no schema as the value of a map", goSyntax(m.Value))
		return d
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

// structType makes the draft of a struct from the fields of its declaration.
func (b *builder) structType(t *typeDecl) *draft {
	d := b.node(t.file, t.spec.Name.Pos())
	d.Type = "object"
	d.object = true
	oneOf, ok := b.oneOfFields(t)
	if !ok {
		return d
	}
	optional := t.pkg.describe().optional
	var required, immutable []string
	for _, field := range t.structFields() {
		if field.name != "" && b.options.IgnoreUnexportedFields && !ast.IsExported(field.name) {
			continue
		}
		jsonTag, hasTag := field.tag.Lookup("json")
		if !hasTag {
			b.missingTag(t, field)
			continue
		}
		if jsonTag == "-" {
			continue // a tag of "-," means the name "-"
		}
		name, jsonOptions, _ := strings.Cut(jsonTag, ",")
		inline, omit := name == "", false
		for option := range strings.SplitSeq(jsonOptions, ",") {
			inline = inline || option == "inline"
			omit = omit || option == "omitempty" || option == "omitzero"
		}
		isRequired, explicit := b.requires(field, optional, inline || omit)
		if isRequired && slices.Contains(oneOf, name) {
			problem, hint := "and cannot be marked as required", "remove the marker"
			if !explicit {
				problem, hint = "and must have an omitempty or omitzero tag", "add omitempty to its json tag"
			}
			b.reporter.errorf(codeOneOf, t.pkg, field.pos, hint, "field %s is part of a one-of constraint %s", name, problem)
		} else if isRequired {
			required = append(required, name)
		}

		b.reporter.via = append(b.reporter.via, step{t.pkg, field.pos, t.spec.Name.Name + "." + field.label()})
		var node *draft
		if field.markers.get(crdmarkers.SchemalessName) != nil {
			node = b.node(t.file, field.pos)
		} else {
			node = b.expr(t.file, field.typ, nil)
		}
		node.origin.Pos = field.pos
		node.Description = field.doc
		b.applyMarkers(node, field.markers, nil)
		b.reporter.via = b.reporter.via[:len(b.reporter.via)-1]

		if inline {
			d.allOf = append(d.allOf, node)
			continue
		}
		if field.markers.get("k8s:immutable") != nil {
			immutable = append(immutable, name)
		}
		if d.setProperty(name, node) {
			b.reporter.add(codeDuplicate, diag.Warning, t.pkg, field.pos,
				fmt.Sprintf("JSON name %q stands twice in %s; the last field counts", name, t), "give each field its own name")
		}
	}
	if len(required) > 0 {
		slices.Sort(required)
		d.validation().Required = slices.Compact(required)
	}
	for _, name := range immutable {
		// The field's own rule does not run when the field is removed.
		if !slices.Contains(required, name) {
			d.XValidations = append(d.XValidations, structural.Rule{
				Rule:    fmt.Sprintf("!has(oldSelf.%s) || has(self.%s)", name, name),
				Message: fmt.Sprintf("field %s is immutable once set", name),
			})
		}
	}
	return d
}

func (b *builder) missingTag(t *typeDecl, field *fieldDecl) {
	if field.name == "" {
		b.reporter.errorf(codeNoTag, t.pkg, field.pos, "add `json:\",inline\"`, or `json:\"-\"` if it is not part of the API",
			"embedded field without a json tag in type %s", t)
		return
	}
	hint := "add `json:\"-\"`"
	if name := jsonName(field.name); name != "_" {
		hint = fmt.Sprintf("add `json:%q`, or `json:\"-\"` if it is not part of the API", name)
	}
	b.reporter.errorf(codeNoTag, t.pkg, field.pos, hint,
		"field %s without a json tag in type %s", field.name, t)
}

// jsonName is the name that a field would have by convention: its initial
// letters in lower case, up to the one that begins the next word.
func jsonName(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// requires reports whether a field is required, and whether a marker says so.
// Markers of Kubebuilder come before Kubernetes' own, and optional before
// required; without any, what Go may leave out is optional.
func (b *builder) requires(field *fieldDecl, packageOptional, mayBeAbsent bool) (required, explicit bool) {
	has := func(name string) bool { return field.markers.get(name) != nil }
	switch {
	case has("kubebuilder:validation:Optional"):
		return false, true
	case has("kubebuilder:validation:Required"):
		return true, true
	case has("optional"), has("k8s:optional"):
		return false, true
	case has("required"), has("k8s:required"):
		return true, true
	}
	return !packageOptional && !mayBeAbsent, false
}

// oneOfFields returns the field names of the type's ExactlyOneOf, AtMostOneOf
// and AtLeastOneOf markers.
func (b *builder) oneOfFields(t *typeDecl) (names []string, ok bool) {
	ok = true
	for _, m := range t.markers {
		var fields []string
		switch value := m.Value.(type) {
		case crdmarkers.ExactlyOneOf:
			fields = value
		case crdmarkers.AtMostOneOf:
			fields = value
		case crdmarkers.AtLeastOneOf:
			fields = value
		}
		for _, field := range fields {
			if strings.Contains(field, ".") {
				b.reporter.errorf(codeOneOf, t.pkg, m.Pos, "put the marker on the type that has the field", "%s: cannot reference nested field %s", m.Name, field)
				ok = false
			}
		}
		names = append(names, fields...)
	}
	return names, ok
}
