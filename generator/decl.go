package generator

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/unions"
)

// typeDecl is the declaration of a type at package level.
type typeDecl struct {
	pkg  *pkg
	file *file
	gen  *ast.GenDecl
	spec *ast.TypeSpec

	read    bool // doc and markers are filled
	doc     string
	markers markerSet

	fieldsRead bool
	fields     []*fieldDecl

	// instances are those of a generic type, by their arguments.
	instances map[string]*typeDecl
	// generic is the type that this one is an instance of, with the arguments.
	generic   *typeDecl
	arguments string
}

// fieldDecl is one field of a struct. A declaration of several names is several fields.
type fieldDecl struct {
	// name is the Go name, empty for an embedded field.
	name    string
	pos     token.Pos
	typ     ast.Expr
	tag     reflect.StructTag
	doc     string
	markers markerSet
}

// markerSet are the markers of one declaration, in source order.
type markerSet []*markers.Marker

// get returns the first marker of the name, or nil.
func (s markerSet) get(name string) *markers.Marker {
	for _, m := range s {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// String names the type for messages: qualified unless it is the user's.
func (t *typeDecl) String() string {
	if t.pkg.local() {
		return t.label()
	}
	return t.pkg.Path + "." + t.label()
}

// load fills the documentation and the markers of the type.
func (t *typeDecl) load() *typeDecl {
	if t.read {
		return t
	}
	t.read = true
	doc := t.spec.Doc
	if doc == nil && !t.gen.Lparen.IsValid() {
		doc = t.gen.Doc
	}
	t.doc = docText(doc)
	if t.generic != nil {
		t.markers = t.generic.load().markers
		return t
	}
	t.markers = t.pkg.parseMarkers(t.file.comments.Type(t.spec), markers.Type)
	return t
}

// structFields returns the fields of the type if it is declared as a struct.
func (t *typeDecl) structFields() []*fieldDecl {
	st, ok := t.spec.Type.(*ast.StructType)
	if !ok || t.fieldsRead {
		return t.fields
	}
	t.fieldsRead = true
	comments := t.file.comments.Fields(st)
	for i, field := range st.Fields.List {
		f := fieldDecl{
			pos:     field.Pos(),
			typ:     field.Type,
			tag:     tagOf(field),
			doc:     docText(field.Doc),
			markers: t.pkg.parseMarkers(comments[i], markers.Field),
		}
		if len(field.Names) == 0 {
			t.fields = append(t.fields, &f)
		}
		for _, name := range field.Names {
			named := f
			named.name = name.Name
			named.pos = name.Pos()
			t.fields = append(t.fields, &named)
		}
	}
	return t.fields
}

// label names the field for messages: an embedded field by its type.
func (f *fieldDecl) label() string {
	if f.name != "" {
		return f.name
	}
	typ := f.typ
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	return exprName(typ)
}

// embedded returns the types of the embedded fields of a struct without
// looking at anything else of it.
func (t *typeDecl) embedded() []ast.Expr {
	st, ok := t.spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	var out []ast.Expr
	for _, field := range st.Fields.List {
		if len(field.Names) == 0 {
			out = append(out, field.Type)
		}
	}
	return out
}

func (p *pkg) parseMarkers(comments []markers.Comment, target markers.Target) markerSet {
	if len(comments) == 0 {
		return nil
	}
	out := make(markerSet, 0, len(comments))
	for _, comment := range comments {
		def := p.world.table.Lookup(comment.Text, target)
		if def == nil {
			continue
		}
		if feature := markers.Feature(def); feature != "" && !p.enabled(feature) {
			continue
		}
		marker, err := p.world.table.ParseAs(def, comment)
		switch {
		case err != nil:
			p.world.reporter.markerArguments(p, comment, err)
		default:
			out = append(out, marker)
		}
	}
	return out
}

func tagOf(field *ast.Field) reflect.StructTag {
	if field.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(tag)
}

// docText returns the documentation in a doc comment: without markers,
// without the lines that start with TODO, and up to a line that starts with
// "---", as Kubernetes documents its types (fmtRawDoc in apimachinery's
// swagger_doc_generator.go, extractDoc in controller-tools). Code fences are
// kept whole.
func docText(group *ast.CommentGroup) string {
	if group == nil {
		return ""
	}
	prose := ast.CommentGroup{List: markers.Prose(group)}
	block := slices.ContainsFunc(prose.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "/*") })
	lines := strings.Split(prose.Text(), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	kept := lines[:0]
	fenced := false
	for _, line := range lines {
		if block {
			line = strings.TrimSpace(line)
		}
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		if !fenced {
			if strings.HasPrefix(line, "TODO") {
				continue
			}
			if strings.HasPrefix(line, "---") {
				break
			}
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// packageFacts is what a package's markers say about it.
type packageFacts struct {
	// group and version are set by groupName and versionName; grouped says
	// whether there is a groupName at all (its value may be empty).
	group, version string
	grouped        bool
	// skip: the package has no types.
	skip bool
	// optional: fields are optional unless they say otherwise.
	optional bool
	// unions are the forms in which unions are written; nil if it does not say.
	unions []unions.Form
	// unionsSaid: it was said that they are not enforced.
	unionsSaid bool
	// conversion is how versions of its kinds are converted; nil if it does not say.
	conversion *markers.Marker
	// features are switched on, by the package or for the run.
	features []string
	// allow are markers that the package wants to be left alone.
	allow []string
	// overrides say what its kinds make of types and descriptions elsewhere.
	overrides []*override
}

// enabled reports whether a feature is switched on for the package: only in the
// user's own.
func (p *pkg) enabled(feature string) bool {
	return p.local() && slices.Contains(p.describe().features, feature)
}

// describe reads the package markers once. A version without a group means nothing.
func (p *pkg) describe() *packageFacts {
	if p.facts != nil {
		return p.facts
	}
	p.index()
	facts := &packageFacts{}
	p.facts = facts
	var all markerSet
	for _, f := range p.files {
		if !f.mentionsPackage {
			continue
		}
		f.parse()
		if f.ast != nil {
			all = append(all, p.parseMarkers(f.comments.Package, markers.Package)...)
		}
	}
	for _, m := range all {
		switch value := m.Value.(type) {
		case markers.Enable:
			for _, feature := range value {
				p.world.checkFeature(p, m, feature)
			}
			facts.features = append(facts.features, value...)
		case markers.Unions:
			facts.unions = p.world.unionForms(p, m, value)
		case markers.Allow:
			facts.allow = append(facts.allow, value...)
		case markers.Tag:
			facts.overrides = append(facts.overrides, &override{pkg: p, marker: m, tag: value})
		}
	}
	facts.conversion = all.get(conversionMarkerName)
	facts.features = append(facts.features, p.settings().Enable...)
	facts.allow = append(facts.allow, p.settings().Allow...)
	facts.skip = all.get("kubebuilder:skip") != nil
	facts.optional = all.get("kubebuilder:validation:Optional") != nil
	if group := all.get("groupName"); group != nil {
		facts.grouped = true
		facts.group, _ = group.Value.(string)
		facts.version = p.Name
		if version := all.get("versionName"); version != nil {
			facts.version, _ = version.Value.(string)
		}
	}
	return facts
}
