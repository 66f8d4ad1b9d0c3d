package uniongen

import (
	"cmp"
	"go/ast"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/unions/gounions"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// unionGraph holds the struct types that the packages of a run declare, and the fields that
// lead from one to another.
type unionGraph struct {
	builder   *define.Builder
	flattener *define.Flattener
	structs   map[*source.Type]*structNode
	unnamed   map[unnamedStruct]*structNode
	order     []*structNode // in order of discovery
}

// unnamedStruct identifies a struct type literal in a field. The file distinguishes the
// instances of a generic type.
type unnamedStruct struct {
	file *source.File
	expr *ast.StructType
}

// structNode is a struct type: declared, an instance of a generic type, or unnamed.
type structNode struct {
	decl *source.Type
	// unnamed is the path of an unnamed type, such as "Spec.Template".
	unnamed string
	// defined is the struct type that this one is defined as: Foo in type Bar Foo.
	defined *structNode
	fields  []*fieldEdge
	// unions are the unions of the struct itself.
	unions []*gounions.Marked
	// modes are the modes of the struct itself.
	modes []*gounions.MarkedModes
	// schema is the schema of its objects, once known.
	schema *structural.Schema
	// marked is set if a field has a union marker, or may lead to a struct with one.
	marked bool
	// leads is set if the struct has a union, or leads to one.
	leads bool
	// clears is set if one of these unions has a discriminator, at a position that can be
	// matched with the old object.
	clears bool
}

// fieldEdge is a field that may lead to a union.
type fieldEdge struct {
	field *source.Field
	// name is the Go name, json the JSON name.
	name, json string
	inline     bool
	value      *valueEdge
}

// valueEdge is one level of a field's type.
type valueEdge struct {
	kind goKind
	// file and expr are the type expression and the file that contains it.
	file *source.File
	expr ast.Expr
	// to is the struct, for a value of struct kind.
	to *structNode
	// elem is what a pointer points to, or the element type of a list or map.
	elem  *valueEdge
	array bool
	// key is the key type of a map, an expression in keyFile.
	key     ast.Expr
	keyFile *source.File
}

func newUnionGraph(b *define.Builder) *unionGraph {
	return &unionGraph{
		builder: b, flattener: define.NewFlattener(b),
		structs: map[*source.Type]*structNode{}, unnamed: map[unnamedStruct]*structNode{},
	}
}

// addPackage adds the struct types that a package declares.
func (g *unionGraph) addPackage(p *source.Package) {
	p.Index()
	for _, f := range p.Sources {
		f.Parse()
	}
	if g.builder.Run.Describe(p).Skip {
		return
	}
	for _, t := range p.Types() {
		if t.Spec.TypeParams.NumFields() == 0 && !t.Spec.Assign.IsValid() {
			g.value(t.File, t.Spec.Name, t.Spec.Name.Name, 0)
		}
	}
}

// maxTypeDepth limits how deeply types without fields are traversed: a type may be a list of
// itself.
const maxTypeDepth = 20

// value returns the edge for a type expression. It is nil if the type has no fields,
// implements its own marshaling, or belongs to a package for which nothing is generated. at
// is the path of the field.
func (g *unionGraph) value(file *source.File, expr ast.Expr, path string, depth int) *valueEdge {
	if depth > maxTypeDepth {
		return nil
	}
	out := &valueEdge{file: file, expr: expr}
	switch typed := expr.(type) {
	case *ast.ParenExpr:
		return g.value(file, typed.X, path, depth+1)
	case *ast.StarExpr:
		out.kind = kindPointer
		out.elem = g.value(file, typed.X, path, depth+1)
		if out.elem == nil || out.elem.kind == kindPointer {
			return nil
		}
		return out
	case *ast.ArrayType:
		out.kind = kindList
		out.elem = g.value(file, typed.Elt, path, depth+1)
		out.array = typed.Len != nil
	case *ast.MapType:
		out.kind = kindMap
		out.elem = g.value(file, typed.Value, path, depth+1)
		out.key = typed.Key
		out.keyFile = file
	case *ast.StructType:
		out.kind = kindStruct
		out.to = g.unnamedStruct(file, typed, path)
		return out
	case *ast.Ident:
		if arg, ok := file.Params[typed.Name]; ok {
			return g.value(arg.File, arg.Expr, path, depth+1)
		}
		return g.named(file, expr, path, depth)
	default:
		return g.named(file, expr, path, depth)
	}
	if out.elem == nil {
		return nil
	}
	return out
}

// named returns the edge for a named type.
func (g *unionGraph) named(file *source.File, expr ast.Expr, path string, depth int) *valueEdge {
	name, why := file.Resolve(expr)
	if why != nil || name.Type == nil {
		return nil
	}
	t := name.Type
	if t.Spec.Assign.IsValid() {
		return g.value(t.File, t.Spec.Type, path, depth+1)
	}
	if t.Spec.TypeParams.NumFields() > 0 || define.KnownType(t.Pkg.Path, t.Spec.Name.Name) != nil {
		return nil
	}
	_, isStruct := t.Spec.Type.(*ast.StructType)
	if isStruct && !t.Pkg.Root && t.Generic == nil {
		return nil
	}
	if node, ok := g.structs[t]; ok {
		return &valueEdge{kind: kindStruct, file: file, expr: expr, to: node}
	}
	if t.Marshals("MarshalJSON") || t.Marshals("MarshalText") || t.Load().Markers.Get(markers.SchemaName) != nil {
		return nil
	}
	if isStruct {
		node := &structNode{decl: t}
		g.add(t, node)
		g.addFields(node)
		return &valueEdge{kind: kindStruct, file: file, expr: expr, to: node}
	}
	body := g.value(t.File, t.Spec.Type, path, depth+1)
	if body == nil {
		return nil
	}
	out := *body
	out.file = file
	out.expr = expr
	if body.kind == kindStruct {
		if !t.Pkg.Root {
			return nil
		}
		out.to = &structNode{decl: t, defined: body.to}
		g.add(t, out.to)
	}
	return &out
}

func (g *unionGraph) add(t *source.Type, node *structNode) {
	g.structs[t] = node
	g.order = append(g.order, node)
}

func (g *unionGraph) unnamedStruct(f *source.File, st *ast.StructType, path string) *structNode {
	key := unnamedStruct{f, st}
	if node, ok := g.unnamed[key]; ok {
		return node
	}
	node := &structNode{decl: source.AnonymousStruct(f, st), unnamed: path}
	g.unnamed[key] = node
	g.order = append(g.order, node)
	g.addFields(node)
	return node
}

// addFields follows those fields of a struct that are in its schema.
func (g *unionGraph) addFields(node *structNode) {
	t := node.decl
	for _, field := range t.Fields() {
		tag := field.JSON()
		if !tag.IsSet || tag.Excluded || field.Name != "" && !ast.IsExported(field.Name) {
			continue
		}
		if m := field.Markers; m.Get(markers.OmitName) != nil || m.Get(markers.SchemaName) != nil ||
			m.Get(crdmarkers.SchemalessName) != nil {
			continue
		}
		node.marked = node.marked || field.Markers.InUnion() || slices.ContainsFunc(field.Markers, isMode)
		edge := &fieldEdge{field: field, name: field.GoName(), json: tag.Name, inline: tag.Name == ""}
		path := node.unnamed
		if path == "" {
			path = t.Spec.Name.Name
		}
		edge.value = g.value(t.File, field.Type, path+"."+edge.name, 0)
		if edge.value != nil && !(edge.inline && edge.value.targetStruct() == nil) {
			node.fields = append(node.fields, edge)
		}
	}
}

// isMode reports whether a marker, or one nested in it, is +k8s:ifMode.
func isMode(m *markers.Marker) bool { return strings.Contains(m.Text, markers.TagIfModeName) }

// targetStruct returns the struct that the value is or points to, or nil.
func (v *valueEdge) targetStruct() *structNode {
	if v.kind == kindPointer {
		v = v.elem
	}
	return v.to
}

// leafStruct returns the struct at the end of a value's type.
func (v *valueEdge) leafStruct() *structNode {
	for v.elem != nil {
		v = v.elem
	}
	return v.to
}

// propagate propagates a property of structs to all structs that lead to one that has it.
func (g *unionGraph) propagate(property func(*structNode) *bool, along func(*structNode, *fieldEdge) bool) {
	for again := true; again; {
		again = false
		for _, node := range g.order {
			has := property(node)
			if *has {
				continue
			}
			if node.defined != nil {
				*has = *property(node.defined)
			}
			for _, field := range node.fields {
				*has = *has || *property(field.value.leafStruct()) && along(node, field)
			}
			again = again || *has
		}
	}
}

// finish builds the schemas of the types that may lead to unions, so that errors in them are
// reported, and determines which types actually do.
func (g *unionGraph) finish() {
	everywhere := func(*structNode, *fieldEdge) bool { return true }
	g.propagate(func(n *structNode) *bool { return &n.marked }, everywhere)
	for _, node := range g.order {
		t := node.decl
		if node.marked && node.unnamed == "" && t.Generic == nil && !g.isExcluded(node) {
			node.schema = g.flattener.ForPackage(t.Pkg).Root(t.Load())
		}
	}
	// Unnamed structs get their schema from the struct that contains them.
	for again := true; again; {
		again = false
		for _, node := range g.order {
			again = g.passSchema(node) || again
		}
	}
	for _, node := range g.order {
		if node.schema == nil || g.isExcluded(node) {
			continue
		}
		if node.defined != nil {
			continue // its functions call those of the type that it is defined as
		}
		declared := gounions.InRun(g.builder.Run)
		all := declared.Of(node.decl)
		for _, m := range declared.ModesOf(node.decl) {
			if u := m.Union(node.schema); u != nil {
				all = append(slices.Clip(all), u)
			} else {
				node.modes = append(node.modes, m)
				node.leads = true
			}
		}
		for _, u := range all {
			if u.Union.Discriminator == "" || node.schema.PropertyIndex(u.Union.Discriminator) >= 0 {
				node.unions = append(node.unions, u)
				node.leads = true
				node.clears = node.clears || u.Union.Discriminator != "" && len(u.Union.Members) > 0
			}
		}
	}
	g.propagate(func(n *structNode) *bool { return &n.leads }, func(n *structNode, f *fieldEdge) bool { return g.walks(n, f) })
	g.propagate(func(n *structNode) *bool { return &n.clears }, func(n *structNode, f *fieldEdge) bool {
		return g.walks(n, f) && f.value.hasCounterparts(n.below(f))
	})
}

// isExcluded reports whether the source excludes the type, and everything below it, from
// generation.
func (g *unionGraph) isExcluded(node *structNode) bool {
	return slices.Contains(g.builder.Run.UnionForms(node.decl), unions.FormNone)
}

// walks reports whether the functions of a struct traverse a field. A field by which the
// struct embeds itself is skipped, as in encoding/json.
func (g *unionGraph) walks(node *structNode, field *fieldEdge) bool {
	if field.inline && field.value.leafStruct().embeds(node, map[*structNode]bool{}) {
		return false
	}
	return !g.isExcluded(node) && !g.isExcluded(field.value.leafStruct()) && node.below(field) != nil
}

// embeds reports whether n is the other struct or embeds it, directly or indirectly.
func (n *structNode) embeds(other *structNode, seen map[*structNode]bool) bool {
	if n == other {
		return true
	}
	seen[n] = true
	return slices.ContainsFunc(n.fields, func(f *fieldEdge) bool {
		target := f.value.leafStruct()
		return f.inline && !seen[target] && target.embeds(other, seen)
	})
}

// below returns the schema of a field, or nil if the schema of the struct does not have it.
func (n *structNode) below(field *fieldEdge) *structural.Schema {
	if n.schema == nil || field.inline {
		return n.schema
	}
	return n.schema.Property(field.json)
}

// child returns the schema of the elements of a value, or of what it points to; nil where the
// recursion of types is cut off.
func (v *valueEdge) child(s *structural.Schema) *structural.Schema {
	switch {
	case s == nil || v.kind == kindPointer:
		return s
	case v.kind == kindList:
		return s.Items
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties.Schema
	}
	return nil
}

// isKeyed reports whether the list has map keys in its schema.
func (v *valueEdge) isKeyed(s *structural.Schema) bool {
	return v.kind == kindList && s != nil && s.XListType == "map" && len(s.XListMapKeys) > 0 && v.elem.targetStruct() != nil
}

// hasCounterparts reports whether a struct in the value can be matched with one in the old
// object.
func (v *valueEdge) hasCounterparts(s *structural.Schema) bool {
	switch v.kind {
	case kindStruct:
		return true
	case kindList:
		return v.isKeyed(s)
	}
	return v.elem.hasCounterparts(v.child(s))
}

// passSchema sets the schemas of unnamed structs and instances from the schema of the struct
// that contains them.
func (g *unionGraph) passSchema(node *structNode) (passed bool) {
	pass := func(target *structNode, s *structural.Schema) {
		if target.schema == nil && s != nil && (target.unnamed != "" || target.decl.Generic != nil) {
			target.schema = s
			passed = true
		}
	}
	if node.schema == nil {
		return false
	}
	if node.defined != nil {
		pass(node.defined, node.schema)
	}
	for _, field := range node.fields {
		s := node.below(field)
		v := field.value
		for ; v.elem != nil; v = v.elem {
			s = v.child(s)
		}
		pass(v.to, s)
	}
	return passed
}

// ofPackage returns the named structs of a package that get functions, sorted by name.
func (g *unionGraph) ofPackage(p *source.Package) []*structNode {
	var out []*structNode
	for _, node := range g.order {
		if node.decl.Pkg == p && node.leads && node.unnamed == "" && node.decl.Generic == nil && !g.isExcluded(node) {
			out = append(out, node)
		}
	}
	slices.SortFunc(out, func(a, b *structNode) int { return cmp.Compare(a.decl.Spec.Name.Name, b.decl.Spec.Name.Name) })
	return out
}
