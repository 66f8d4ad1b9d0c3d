package uniongen

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/gotext"
	"github.com/schemagen/schemagen/internal/unions/gounions"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// functionFile builds the generated file of one package.
type functionFile struct {
	graph *unionGraph
	pkg   *source.Package
	out   *goFile
	// declared are the declarations of the package, and ours the names that the file adds.
	declared map[string]source.Declared
	ours     map[string]bool

	structs map[*structNode]*goStruct
	aliases map[*structNode]string
	lists   map[string]*listNode
	keyed   []*listNode // in file order
	// foreign is set while building the parts for a type of another package, for which the
	// file has only the function that reports whether a discriminator may have changed.
	foreign bool
	// imports maps import paths to the names they are imported by.
	imports map[string]string
}

// file returns the content of a package's file, or nil if it has no functions.
func (g *unionGraph) file(p *source.Package, header string, o FunctionOptions) *goFile {
	named := g.ofPackage(p)
	if len(named) == 0 {
		return nil
	}
	f := &functionFile{
		graph: g, pkg: p, declared: p.Declared(FileName), ours: map[string]bool{},
		structs: map[*structNode]*goStruct{}, aliases: map[*structNode]string{}, lists: map[string]*listNode{},
		imports: map[string]string{},
		out: &goFile{BuildTag: o.BuildTag, Header: header, Package: p.Name,
			CarryOverOnly: o.CarryOverOnly, NoRatcheting: o.NoRatcheting},
	}
	for _, node := range named {
		f.reserve(node)
	}
	for _, node := range named {
		f.structOf(node)
	}
	if o.Accessors {
		for _, node := range named {
			f.addAccessors(node)
		}
	}
	for i := 0; i < len(f.keyed); i++ { // the loop may append to keyed
		list := f.keyed[i]
		if list.Normalize != "" {
			f.mayChange(list.node)
		}
	}
	for name := range f.declared {
		if !strings.Contains(name, ".") {
			f.out.Taken = append(f.out.Taken, name)
		}
	}
	for name := range f.ours {
		f.out.Taken = append(f.out.Taken, name)
	}
	slices.Sort(f.out.Taken)
	return f.out
}

// unique returns the name, with a number appended if it is taken, and reserves it.
func (f *functionFile) unique(name string) string {
	actual := gotext.Unique(name, f.isTaken)
	f.ours[actual] = true
	return actual
}

func (f *functionFile) isTaken(name string) bool {
	_, declared := f.declared[name]
	return declared || f.ours[name]
}

// functions returns the functions for a declared struct. Other packages rely on their names.
func (node *structNode) functions() goFunctions {
	typeName := node.decl.Spec.Name.Name
	verb := func(lower, upper string) string {
		if ast.IsExported(typeName) {
			return upper + typeName + "Unions"
		}
		return lower + upperFirst(typeName) + "Unions"
	}
	return goFunctions{Normalize: verb("normalize", "Normalize"), Validate: verb("validate", "Validate"), Clears: node.clears}
}

// reserve reserves the names of the functions for a type, and reports conflicts.
func (f *functionFile) reserve(node *structNode) {
	names := node.functions()
	for _, name := range []string{names.Normalize, names.Validate} {
		if other, taken := f.declared[name]; taken {
			f.report(f.pkg.AtPosition(other.Pos), "rename it, or leave the type out with // +schemagen:unions=none", "%s is generated for type %s, and declared here, too", name, node.decl)
		}
		f.ours[name] = true
	}
}

func (f *functionFile) errorf(pos token.Pos, hint, format string, args ...any) {
	f.report(f.pkg.At(pos), hint, format, args...)
}

func (f *functionFile) report(origin source.Origin, hint, format string, args ...any) {
	f.graph.builder.Reporter.Report(report.NoUnionFunctions, origin, hint, format, args...)
}

func upperFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

func lowerFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[size:]
}

// label returns a name for the type that is a valid identifier.
func (f *functionFile) label(n *structNode) string {
	name := n.decl.Spec.Name.Name
	switch {
	case n.unnamed != "":
		name = n.unnamed
	case n.decl.Generic != nil:
		name = f.instanceText(n.decl)
	}
	var out strings.Builder
	for i, word := range strings.FieldsFunc(name, func(r rune) bool { return gotext.Identifier(string(r)) != string(r) }) {
		if i > 0 {
			word = upperFirst(word)
		}
		out.WriteString(word)
	}
	return out.String()
}

// structOf returns the template data for a struct: a type of the package, an instance of a
// generic type, or an unnamed type.
func (f *functionFile) structOf(node *structNode) *goStruct {
	if s, ok := f.structs[node]; ok {
		return s
	}
	s := &goStruct{}
	f.structs[node] = s
	f.out.Structs = append(f.out.Structs, s)
	switch {
	case node.unnamed != "":
		f.aliases[node] = f.unique(lowerFirst(f.label(node)))
		s.Type = f.aliases[node]
		f.out.Aliases = append(f.out.Aliases, goAlias{Name: s.Type,
			Type: f.structText(node.decl.File, node.decl.Spec.Type.(*ast.StructType)), Of: node.unnamed})
	case node.decl.Generic != nil:
		s.Type = f.instanceText(node.decl)
	default:
		s.Type = node.decl.Spec.Name.Name
	}
	if node.decl.Pkg == f.pkg && node.unnamed == "" && node.decl.Generic == nil {
		s.goFunctions = node.functions()
	} else {
		label := upperFirst(f.label(node))
		s.goFunctions = goFunctions{Normalize: f.unique("normalize" + label + "Unions"), Validate: f.unique("validate" + label + "Unions"), Clears: node.clears}
	}
	f.fill(s, node)
	return s
}

// fill adds the unions and fields of the struct.
func (f *functionFile) fill(s *goStruct, node *structNode) {
	if node.defined != nil {
		if functions := f.functions(node.defined); functions != nil {
			s.Defined = &goDefinedAs{goFunctions: functions, Type: f.nodeText(node.defined)}
		}
		return
	}
	for _, u := range node.unions {
		s.Unions = append(s.Unions, f.union(node, u))
	}
	for _, m := range node.modes {
		s.Modes = append(s.Modes, f.modes(node, m))
	}
	for _, field := range node.fields {
		if !field.value.leafStruct().leads || !f.graph.walks(node, field) {
			continue
		}
		if v := f.value(field.value, node.below(field)); v != nil {
			s.Fields = append(s.Fields, goField{Go: field.name, JSON: field.json, Inline: field.inline, Value: v})
		}
	}
}

// functions returns the names of a struct's functions as used in the file, or nil if the file
// cannot call them.
func (f *functionFile) functions(node *structNode) *goFunctions {
	if !node.leads || f.graph.isExcluded(node) {
		return nil
	}
	t := node.decl
	if node.unnamed != "" || t.Generic != nil || t.Pkg == f.pkg {
		return &f.structOf(node).goFunctions
	}
	if !ast.IsExported(t.Spec.Name.Name) {
		f.qualified(t, "") // reports it
		return nil
	}
	if s, ok := f.structs[node]; ok {
		return &s.goFunctions
	}
	s := &goStruct{goFunctions: node.functions(), Foreign: true, Type: f.qualified(t, "")}
	qualifier := f.importName(t.Pkg, "") + "."
	s.Normalize = qualifier + s.Normalize
	s.Validate = qualifier + s.Validate
	f.structs[node] = s
	f.out.Structs = append(f.out.Structs, s)
	return &s.goFunctions
}

// value returns the template data for a value; nil if the functions do not traverse it.
func (f *functionFile) value(v *valueEdge, s *structural.Schema) *goValue {
	out := &goValue{Kind: v.kind, Array: v.array}
	if v.kind == kindStruct {
		out.Struct = f.functions(v.to)
		if out.Struct == nil {
			return nil
		}
		out.Type = f.text(v.file, v.expr)
		return out
	}
	out.Elem = f.value(v.elem, v.child(s))
	if out.Elem == nil {
		return nil
	}
	out.Type = f.text(v.file, v.expr)
	if v.kind == kindMap {
		f.keyOfMap(v, out)
	}
	if v.isKeyed(s) {
		out.List = f.list(v, s)
	}
	return out
}

// keyOfMap sets how map keys are converted to text, following encoding/json.
func (f *functionFile) keyOfMap(v *valueEdge, out *goValue) {
	out.KeyType = f.text(v.keyFile, v.key)
	body := source.UnderlyingOf(v.keyFile, v.key)
	if body.Kind == source.KindPointer {
		f.errorf(v.key.Pos(), "use a string type", "the keys of a map that leads to a union are pointers, so that no key is in two maps")
		return
	}
	out.KeyText = body.Kind != source.KindBasic || body.Basic != "string"
}

// union returns the template data for a union.
func (f *functionFile) union(node *structNode, u *gounions.Marked) goUnion {
	out := goUnion{AtMostOne: u.Union.AtMostOne}
	var constants func(value string) string
	if u.Union.Discriminator == "" {
		out.Message = u.Union.MustHaveMember()
		constants = strconv.Quote
	} else {
		out.Discriminator, constants = f.discriminator(node, u)
	}
	for i, m := range u.Union.Members {
		if node.schema.PropertyIndex(m.Name) < 0 {
			continue
		}
		field := u.Members[i].Field
		out.Members = append(out.Members, goMember{
			Go: field.GoName(), JSON: m.Name, Zero: f.zero(node.decl.File,
				field), Value: constants(m.Value), Optional: m.Optional,
			Required: u.Union.MustBeSet(m), Forbidden: u.Union.MustNotBeSet(m),
		})
	}
	return out
}

// modes returns the template data for modes.
func (f *functionFile) modes(node *structNode, m *gounions.MarkedModes) goModes {
	selector := gounions.Marked{Discriminator: m.Field, Union: unions.Union{Discriminator: m.Discriminator}}
	if schema := node.schema.Property(m.Discriminator); schema != nil && schema.Default != nil {
		var value string
		if json.Unmarshal(schema.Default.Raw, &value) == nil {
			selector.Union.Default = &value
		}
	}
	var out goModes
	var constant func(string) string
	out.Discriminator, constant = f.discriminator(node, &selector)
	if m.Boolean {
		constant = func(mode string) string { return mode }
	}
	for i, field := range m.Fields {
		tagged := m.Tagged[i].Field
		kind := source.UnderlyingOf(node.decl.File, tagged.Type).Kind
		found := goModeField{Discriminator: out.Discriminator, MayBeForbidden: !m.Boolean || len(field.Allowed) < 2}
		found.Member = goMember{
			Go: tagged.GoName(), JSON: field.Name, Zero: f.zero(node.decl.File, tagged),
			Counted: kind == source.KindSlice || kind == source.KindMap, Forbidden: m.MustNotBeSet(field),
		}
		for _, mode := range field.Allowed {
			if slices.Contains(field.Required, mode) {
				found.Member.Required = m.MustBeSet(field)
				found.Requiring = append(found.Requiring, constant(mode))
			} else {
				found.Allowing = append(found.Allowing, constant(mode))
			}
		}
		out.Fields = append(out.Fields, found)
	}
	return out
}

// discriminator returns the discriminator field, and a function from its values to their Go
// expressions.
func (f *functionFile) discriminator(node *structNode, u *gounions.Marked) (*goDiscriminator, func(string) string) {
	field := u.Discriminator.Field
	file := node.decl.File
	typ := field.Type
	out := &goDiscriminator{Go: field.GoName(), JSON: u.Union.Discriminator, Required: u.Union.Required}
	for range maxTypeDepth {
		declaring, expr := file.ResolveExpr(typ)
		star, ok := expr.(*ast.StarExpr)
		if !ok {
			break
		}
		out.Pointer = true
		file = declaring
		typ = star.X
	}
	out.Type = f.text(file, typ)
	names := map[string]string{}
	if name, why := file.Resolve(typ); why == nil {
		if t := name.Type.Unalias(); t != nil && t.IsString() {
			all, _ := t.Constants() // constants without a value are reported where enums are read
			for _, c := range all {
				text := c.Name
				if t.Pkg != f.pkg {
					text = f.qualifiedName(t.Pkg, c.Name, "")
				}
				if names[c.Value] == "" && (t.Pkg == f.pkg || ast.IsExported(c.Name)) {
					names[c.Value] = text
				}
			}
		}
	}
	constant := func(value string) string {
		if name := names[value]; name != "" {
			return name
		}
		return strconv.Quote(value)
	}
	for _, value := range enumOrder(node, u) {
		out.Values = append(out.Values, constant(value))
		if value == "" {
			out.Empty = constant(value)
		}
	}
	if u.Union.Default != nil {
		out.Default = constant(*u.Union.Default)
	}
	return out, constant
}

// enumOrder returns the discriminator's values in the order of its enum.
func enumOrder(node *structNode, u *gounions.Marked) []string {
	var out []string
	if s := node.schema.Property(u.Union.Discriminator); s != nil && s.ValueValidation != nil {
		for _, raw := range s.Enum {
			var value string
			if json.Unmarshal(raw.Raw, &value) == nil && !slices.Contains(out, value) {
				out = append(out, value)
			}
		}
	}
	if len(out) == 0 {
		for _, value := range u.Union.Values {
			out = append(out, value.Name)
		}
	}
	return out
}

// zero returns the zero value of a member, and reports a type that Go cannot compare with it.
func (f *functionFile) zero(file *source.File, field *source.Field) string {
	switch body := source.UnderlyingOf(file, field.Type); body.Kind {
	case source.KindBasic:
		switch typ, _ := define.BasicSchema(body.Basic); typ {
		case "string":
			return `""`
		case "boolean":
			return "false"
		}
		return "0"
	case source.KindStruct, source.KindArray:
		if !isComparable(body.File, body.Expr, 0) {
			f.errorf(field.Pos, "use a pointer", "member %s is of a type that Go cannot compare with its zero value", field.Label())
		}
		return f.text(file, field.Type) + "{}"
	}
	return "nil"
}

// isComparable reports whether Go can compare values of a type.
func isComparable(f *source.File, expr ast.Expr, depth int) bool {
	if depth > maxTypeDepth {
		return false
	}
	switch body := source.UnderlyingOf(f, expr); body.Kind {
	case source.KindBasic, source.KindPointer, source.KindInterface:
		return true
	case source.KindArray:
		return isComparable(body.File, body.Expr.(*ast.ArrayType).Elt, depth+1)
	case source.KindStruct:
		for _, field := range body.Expr.(*ast.StructType).Fields.List {
			if !isComparable(body.File, field.Type, depth+1) {
				return false
			}
		}
		return true
	case source.KindOther:
		_, isChan := body.Expr.(*ast.ChanType)
		return isChan
	}
	return false
}
