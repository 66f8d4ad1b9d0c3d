package gatedsource

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
)

// Kind is what depends on a condition.
type Kind string

// The kinds, in the order of reports.
const (
	Declaration Kind = "declaration"
	Marker      Kind = "marker"
	Value       Kind = "value"
	Paragraph   Kind = "paragraph"
	Tag         Kind = "tag" // of Gateway API
)

// Use is a part of a file that depends on a condition.
type Use struct {
	Kind      Kind
	Condition gates.Condition
	// Name is the declaration, or the one that the part is at: Spec.Burst, Spec, or the name
	// of the package.
	Name string
	// Text is the marker without its conditions, the first line of the paragraph, or the tag. Of a
	// declaration, it is empty.
	Text string
	// Pos is the position of the condition, and At the position of the declared name. Lines span
	// the declaration with its comments; none for a package.
	Pos, At token.Position
	Lines   Lines
	// Type is the type of a constant.
	Type string
	// Slots are what the marker sets, see [markers.Table.Slots].
	Slots []string
	// Required is the number of gates that one of OpenShift's markers requires together; 0 for
	// others. It replaces the markers that require only some of them.
	Required int
}

// File is a Go file with its conditions.
type File struct {
	Name string
	Data []byte
	Uses []Use

	reader       Reader
	gated        bool // OpenShift's markers are read
	fset         *token.FileSet
	tree         *ast.File
	declarations []declaration
	blocks       []Block // without those for readers of the Go code
	wrong        *Error  // the first condition that cannot be read
}

// declaration is one that markers describe.
type declaration struct {
	name     string
	at       token.Pos
	target   markers.Target
	comments []markers.Comment
	typeName string // of a constant
	// from and to are where the declaration with its comments is. They are invalid for a
	// package.
	from, to token.Pos
}

// Parse parses a Go file. It returns nil if the file has no condition. Kubernetes' and Gateway API's
// tags and OpenShift's markers have conditions with the features of these names. [File.With] does
// not edit Gateway API's tags.
func Parse(table *markers.Table, name string, data []byte, features []string) (*File, error) {
	prefix := markers.TagPrefix(features)
	text := string(data)
	tagged := prefix != "" && strings.Contains(text, "<"+prefix+":")
	gated := slices.Contains(features, markers.FeatureOpenShift) && strings.Contains(text, "+openshift:")
	if !tagged && !gated && !strings.Contains(text, markers.DocName) && !markers.IsConditional(text) {
		return nil, nil
	}
	tags := slices.Contains(features, markers.FeatureK8s)
	f := &File{Name: name, Data: data, reader: Reader{table, func() bool { return tags }}, gated: gated, fset: token.NewFileSet()}
	var err error
	f.tree, err = parser.ParseFile(f.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	unread := f.findBlocks()
	f.declare()
	for i := range f.declarations {
		d := &f.declarations[i]
		d.comments = Left(d.comments, unread)
		exists := f.useOpenShift(*d)
		for _, comment := range d.comments {
			c := f.reader.Read(comment, d.target)
			switch {
			case c.Wrong != nil:
				f.isWrong(*c.Wrong)
				continue
			case c.Declares == nil:
			case d.target == markers.Package && comment.Pos > f.tree.Name.End():
				f.isWrong(Problem{Comment: comment, Msg: "it is at no declaration"})
			case exists:
				f.isWrong(Problem{Comment: comment, Msg: "a second condition at one declaration"})
			default:
				exists = true
			}
			f.use(*d, c)
		}
	}
	for _, b := range f.blocks {
		f.useBlock(b)
	}
	if tagged {
		f.useTags(prefix)
	}
	slices.SortStableFunc(f.Uses, func(a, b Use) int { return a.Pos.Offset - b.Pos.Offset })
	return f, nil
}

// Features returns the features that a Go file enables for its package.
func Features(table *markers.Table, data []byte) (out []string) {
	if !strings.Contains(string(data), markers.EnableName) {
		return nil
	}
	tree, err := parser.ParseFile(token.NewFileSet(), "", data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil // Parse returns the error, if it matters
	}
	for _, c := range table.Collect(tree).Package {
		if m, err := table.Parse(c, markers.Package); err == nil && m != nil {
			if value, ok := m.Value.(markers.Enable); ok {
				out = append(out, value...)
			}
		}
	}
	return out
}

// at returns a use that is at a declaration.
func (f *File) at(d declaration) Use {
	u := Use{Name: d.name, At: f.fset.Position(d.at), Type: d.typeName}
	if d.from.IsValid() {
		u.Lines = Lines{f.fset.Position(d.from).Line, f.fset.Position(d.to).Line}
	}
	return u
}

// Declared returns the lines of the type with a name, with its comments.
func (f *File) Declared(name string) (lines Lines, ok bool) {
	i := slices.IndexFunc(f.declarations, func(d declaration) bool { return d.name == name && d.target == markers.Type })
	if i < 0 {
		return Lines{}, false
	}
	return f.at(f.declarations[i]).Lines, true
}

// use adds what depends on the conditions of a marker.
func (f *File) use(d declaration, c Conditional) {
	all := c.All()
	if len(all) == 0 {
		return
	}
	u := f.at(d)
	u.Kind = Marker
	u.Condition = Condition(all)
	u.Text = c.Text
	u.Pos = f.fset.Position(c.Written.Pos)
	switch {
	case c.Declares != nil:
		u.Kind = Declaration
		u.Text = ""
	case c.Omits != nil:
		u.Kind = Declaration
	case strings.HasPrefix(c.Text, "+"+markers.EnumValuesName):
		u.Kind = Value
	default:
		u.Slots = f.reader.Table.Slots(c.Plain, d.target)
	}
	f.Uses = append(f.Uses, u)
}

// isWrong records why a condition cannot be applied. The generator reports it, too.
func (f *File) isWrong(p Problem) {
	if pos := f.fset.Position(p.Comment.Pos); f.wrong == nil || pos.Offset < f.wrong.Pos.Offset {
		f.wrong = &Error{pos, p.Msg, p.Hint}
	}
}

// findBlocks finds the blocks of the file, and returns the comments in those for readers of the Go code:
// markers there have no meaning.
func (f *File) findBlocks() (unread map[*ast.Comment]bool) {
	unread = map[*ast.Comment]bool{}
	for _, group := range f.tree.Comments {
		blocks, wrong := Blocks(f.reader.Table, group, markers.InGroup(group))
		for _, w := range wrong {
			f.isWrong(w)
		}
		for _, b := range blocks {
			if value, constant := b.Condition.Constant(); constant && !value {
				b.Apply(false, unread)
			} else {
				f.blocks = append(f.blocks, b)
			}
		}
	}
	return unread
}

// useBlock adds the lines that depend on a condition of +schemagen:doc.
func (f *File) useBlock(b Block) {
	u := f.at(f.around(b.group))
	u.Kind = Paragraph
	u.Condition = b.Condition
	u.Pos = f.fset.Position(b.Open.Pos)
	for _, c := range b.group.List[b.first+1 : b.last] {
		u.Text = strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
		if u.Text != "" {
			break
		}
	}
	f.Uses = append(f.Uses, u)
}

// declare finds the declarations of the file. Comments are attributed as by the generator.
func (f *File) declare() {
	collected := f.reader.Table.Collect(f.tree)
	f.declarations = []declaration{{name: f.tree.Name.Name, at: f.tree.Name.Pos(), target: markers.Package,
		comments: collected.Package}}
	previous := f.tree.Name.End()
	for _, decl := range f.tree.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok {
			f.genDecl(collected, gen, previous)
		}
		previous = End(decl)
	}
}

// End returns where a declaration ends, with the comment behind it on its line. A comment behind a
// function, or behind a closing parenthesis, is at the declaration below it: see
// [markers.Table.Collect].
func End(decl ast.Decl) token.Pos {
	gen, ok := decl.(*ast.GenDecl)
	if !ok || gen.Lparen.IsValid() || len(gen.Specs) == 0 {
		return decl.End()
	}
	var comment *ast.CommentGroup
	switch spec := gen.Specs[0].(type) {
	case *ast.ImportSpec:
		comment = spec.Comment
	case *ast.TypeSpec:
		comment = spec.Comment
	case *ast.ValueSpec:
		comment = spec.Comment
	}
	if comment == nil {
		return decl.End()
	}
	return comment.End()
}

func (f *File) genDecl(collected *markers.File, gen *ast.GenDecl, previous token.Pos) {
	last := gen.Lparen
	for _, spec := range gen.Specs {
		d := declaration{target: markers.Type, from: last}
		var trailing *ast.CommentGroup
		var fields ast.Expr
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			d.name = spec.Name.Name
			d.at = spec.Name.Pos()
			d.comments = collected.Type(spec)
			trailing = spec.Comment
			fields = spec.Type
		case *ast.ValueSpec:
			if gen.Tok != token.CONST {
				return
			}
			d.name = spec.Names[0].Name
			d.at = spec.Names[0].Pos()
			trailing = spec.Comment
			d.typeName = typeName(spec.Type)
			doc := spec.Doc
			if !gen.Lparen.IsValid() {
				doc = gen.Doc
			}
			if doc != nil {
				d.comments = markers.InGroup(doc)
			}
		default:
			return
		}
		d.to = spec.End()
		if trailing != nil {
			d.to = trailing.End()
		}
		last = d.to
		if gen.Lparen.IsValid() {
			d.from = f.firstComment(d.from, spec.Pos())
		} else {
			d.from = f.nearest(previous, gen)
		}
		f.declarations = append(f.declarations, d)
		f.fields(collected, d.name, fields)
	}
}

// firstComment returns where the first comment after a position begins, or end if there is
// none before it.
func (f *File) firstComment(start, end token.Pos) token.Pos {
	for _, group := range f.tree.Comments {
		if start <= group.Pos() && group.Pos() < end {
			return group.Pos()
		}
	}
	return end
}

// nearest returns where the comments of a declaration that is not in a group begin.
func (f *File) nearest(previous token.Pos, gen *ast.GenDecl) token.Pos {
	start := gen.Pos()
	own := 1
	if gen.Doc != nil && gen.Tok == token.TYPE {
		own = 2
	}
	if gen.Doc == nil && gen.Tok == token.CONST {
		own = 0
	}
	for _, group := range slices.Backward(f.tree.Comments) {
		if group.Pos() < gen.Pos() && group.Pos() >= previous && own > 0 {
			start = group.Pos()
			own--
		}
	}
	return start
}

// fields adds the fields in a type expression.
func (f *File) fields(collected *markers.File, name string, expr ast.Expr) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		f.fields(collected, name, expr.X)
	case *ast.ParenExpr:
		f.fields(collected, name, expr.X)
	case *ast.ArrayType:
		f.fields(collected, name, expr.Elt)
	case *ast.MapType:
		f.fields(collected, name, expr.Value)
	case *ast.StructType:
		last := expr.Fields.Opening
		comments := collected.Fields(expr)
		for i, field := range expr.Fields.List {
			d := declaration{at: field.Type.Pos(), target: markers.Field, comments: comments[i],
				from: f.firstComment(last, field.Pos()), to: field.End()}
			if field.Comment != nil {
				d.to = field.Comment.End()
			}
			last = d.to
			label := typeName(field.Type)
			if len(field.Names) > 0 {
				label = field.Names[0].Name
				d.at = field.Names[0].Pos()
			}
			d.name = name + "." + label
			f.declarations = append(f.declarations, d)
			f.fields(collected, d.name, field.Type)
		}
	}
}

// typeName returns the name of an embedded field.
func typeName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return typeName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.IndexExpr:
		return typeName(expr.X)
	case *ast.IndexListExpr:
		return typeName(expr.X)
	case *ast.Ident:
		return expr.Name
	}
	return ""
}
