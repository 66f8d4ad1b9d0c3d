package erasure

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/gates/gatedsource"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// Eraser implements [source.Eraser].
type Eraser struct {
	Reporter *report.Reporter
	Table    *markers.Table
	// Gates are the gates that are on.
	Gates gates.Set
	// Known are the names that conditions may have; if it is nil, every name is known.
	Known []string
	// used has the names of the gates in the conditions that were read. It is filled by Erase.
	used map[string]bool
	// Enabled reports whether a package enables a feature. It must not read the package's erased
	// files.
	Enabled func(p *source.Package, feature string) bool
	// Kinds are the gates on which kinds depend by OpenShift's markers; nil for Gates.
	Kinds gates.Set
	// Whole is set if nothing else of OpenShift's markers is applied.
	Whole bool
	// Corrected returns the text of a marker after corrections of misspelled ones.
	Corrected func(markers.Comment) string

	// packages are the conditions beside the package clauses of packages.
	packages map[*source.Package][]bareCondition
	// dialects has whether the markers of a feature are read in a package.
	dialects map[dialect]bool
	// applied are the conditions that were applied, by their texts.
	applied map[string]gates.Condition
	// disagreements are about declarations that exist.
	disagreements []disagreement
}

// holds reports whether a condition holds.
func (e *Eraser) holds(c gates.Condition) bool {
	if e.applied == nil {
		e.applied = map[string]gates.Condition{}
	}
	e.applied[c.String()] = c
	return c.Holds(e.Gates)
}

// Agrees reports whether all that was erased would be the same for another set of gates.
func (e *Eraser) Agrees(other gates.Set) bool {
	for _, c := range e.applied {
		if c.Holds(e.Gates) != c.Holds(other) {
			return false
		}
	}
	return true
}

// dialect is a feature with markers that have conditions, and a package.
type dialect struct {
	pkg     *source.Package
	feature string
}

// reads reports whether a package enables a feature with markers that have conditions: those of
// Kubernetes' tags, or OpenShift's.
func (e *Eraser) reads(p *source.Package, feature string) bool {
	key := dialect{p, feature}
	reads, ok := e.dialects[key]
	if !ok {
		if e.dialects == nil {
			e.dialects = map[dialect]bool{}
		}
		reads = e.Enabled(p, feature)
		e.dialects[key] = reads
	}
	return reads
}

// reader returns the reader of conditions in a package.
func (e *Eraser) reader(p *source.Package) *gatedsource.Reader {
	return &gatedsource.Reader{Table: e.Table, Tags: func() bool { return e.reads(p, markers.FeatureK8s) }}
}

// Named returns the elements of a set that may affect the conditions that were read.
func (e *Eraser) Named(set gates.Set) gates.Set {
	return slices.DeleteFunc(slices.Clone(set), func(element string) bool {
		name := strings.TrimPrefix(element, "!")
		return name != "*" && name != gates.Base && !e.used[name]
	})
}

// CheckGates reports elements of the set that name no known gate.
func (e *Eraser) CheckGates() {
	for _, element := range e.Gates {
		name := strings.TrimPrefix(element, "!")
		if e.Known != nil && name != "*" && element != "!"+gates.Base && !slices.Contains(e.Known, name) {
			e.Reporter.Add(report.UnknownGateAt(diag.Position{}, name, e.Known))
		}
	}
}

// IsOn reports whether a gate is on, and whether it is known, for conditions that are not in
// markers.
func (e *Eraser) IsOn(gate string) (enabled, known bool) {
	e.used[gate] = true
	return e.holds(gates.Name(gate)), e.Known == nil || slices.Contains(e.Known, gate)
}

// Erase implements [source.Eraser].
func (e *Eraser) Erase(f *source.File, tree *ast.File) *ast.File {
	p := &pass{
		Eraser: e, file: f, tree: tree, groups: tree.Comments, lines: map[token.Pos]line{}, removed: map[*ast.Comment]bool{},
		rewritten: map[*ast.CommentGroup]*ast.CommentGroup{},
	}
	for _, group := range tree.Comments {
		p.blocks(group)
	}
	p.packageClause(tree)
	out := *tree
	out.Decls = nil
	previous := tree.Name.End()
	for _, decl := range tree.Decls {
		kept := decl
		if gen, ok := decl.(*ast.GenDecl); ok && (gen.Tok == token.TYPE || gen.Tok == token.CONST) {
			kept = p.genDecl(gen, previous)
		}
		if kept != nil {
			out.Decls = append(out.Decls, kept)
		}
		previous = gatedsource.End(decl)
	}
	out.Comments = nil
	for _, group := range tree.Comments {
		if kept := p.group(group); kept != nil {
			out.Comments = append(out.Comments, kept)
		}
	}
	out.Doc = p.doc(tree.Doc)
	return &out
}

// pass applies the conditions of one file.
type pass struct {
	*Eraser
	file   *source.File
	tree   *ast.File
	groups []*ast.CommentGroup
	// lines has what becomes of markers, by the position of their plus sign.
	lines map[token.Pos]line
	// removed are the comments in blocks whose condition does not hold, and the lines of their
	// markers.
	removed map[*ast.Comment]bool
	// gone are the parts of the file whose comments are removed together with a declaration.
	gone      []span
	rewritten map[*ast.CommentGroup]*ast.CommentGroup
	// around are the conditions, which hold, of the declarations around the current one.
	around []bareCondition
}

type span struct{ from, to token.Pos }

// line is what becomes of a marker.
type line struct {
	removed bool
	// comment replaces the marker.
	comment markers.Comment
}

// blocks finds the lines between +schemagen:doc and +schemagen:doc:end.
func (p *pass) blocks(group *ast.CommentGroup) {
	found := markers.InGroup(group)
	for i, m := range found {
		found[i].Text = p.Corrected(m)
	}
	blocks, wrong := gatedsource.Blocks(p.Table, group, found)
	for _, w := range wrong {
		p.report(w)
	}
	for _, b := range blocks {
		p.known(b.Open, b.Condition)
		b.Apply(p.holds(b.Condition), p.removed)
	}
}

// packageClause applies the conditions of the markers that describe the package.
func (p *pass) packageClause(tree *ast.File) {
	for i, d := range p.declaration(p.left(p.file.Written.Package), markers.Package, "") {
		if d.marker.Pos > tree.Name.End() {
			p.report(gatedsource.Problem{Comment: d.marker, Msg: "it is at no declaration: put it above a field, a type, a constant or the package clause"})
			continue
		}
		p.lines[d.marker.Pos] = line{removed: true}
		if i > 0 {
			p.second(d)
			continue
		}
		p.file.NoKinds = p.file.NoKinds || !d.holds
		p.record(source.Erased{Node: tree.Name, Condition: d.condition.String(), Pos: d.marker.Pos}, d.holds)
	}
}

// bareCondition is the condition of a declaration.
type bareCondition struct {
	marker    markers.Comment
	condition gates.Condition
	holds     bool
}

// exists applies the conditions in the comments of a declaration other than a package, and
// reports whether the declaration exists. what is the declaration, without its condition, which is
// added to p.around.
func (p *pass) exists(what source.Erased, target markers.Target) bool {
	exists := true
	for i, d := range p.declaration(what.Comments, target, what.Name) {
		p.lines[d.marker.Pos] = line{removed: true}
		if i > 0 {
			p.second(d)
			continue
		}
		exists = d.holds
		what.Condition = d.condition.String()
		what.Pos = d.marker.Pos
		p.record(what, d.holds)
		if d.holds {
			p.around = append(p.around, d)
		}
	}
	return exists
}

// second reports a condition of a declaration that has another one.
func (p *pass) second(d bareCondition) {
	p.report(gatedsource.Problem{Comment: d.marker, Msg: "a second condition at one declaration", Hint: "join them with && or ||"})
}

// record records what a condition removes, or keeps.
func (p *pass) record(what source.Erased, holds bool) {
	if holds {
		p.file.Held = append(p.file.Held, what)
	} else {
		p.file.Erased = append(p.file.Erased, what)
	}
}

// genDecl returns a declaration of types or constants without what does not exist; nil if
// nothing remains. previous is the end of the declaration above it.
func (p *pass) genDecl(gen *ast.GenDecl, previous token.Pos) ast.Decl {
	out := *gen
	out.Specs = nil
	last := gen.Lparen
	for _, spec := range gen.Specs {
		p.around = nil
		var kept ast.Spec
		var trailing *ast.CommentGroup
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			trailing = spec.Comment
			if isKind(spec) {
				p.around = p.ofPackage(p.file.Pkg)
			}
			outside := len(p.around)
			if p.exists(source.Erased{Name: spec.Name.Name, Node: spec,
				Comments: p.left(p.file.Written.Type(spec))}, markers.Type) {
				p.around = p.around[outside:] // others may have fields of the kind's type
				changed := *spec
				changed.Type = p.expr(spec.Name.Name, spec.Type)
				changed.Doc = p.doc(spec.Doc)
				changed.Comment = p.doc(spec.Comment)
				kept = &changed
			}
		case *ast.ValueSpec:
			trailing = spec.Comment
			doc := spec.Doc
			if !gen.Lparen.IsValid() {
				doc = gen.Doc
			}
			var comments []markers.Comment
			if doc != nil {
				comments = p.left(markers.InGroup(doc))
			}
			if p.exists(source.Erased{Name: spec.Names[0].Name, Node: spec, Comments: comments}, markers.Type) {
				changed := *spec
				changed.Doc = p.doc(spec.Doc)
				changed.Comment = p.doc(spec.Comment)
				kept = &changed
			}
		}
		end := spec.End()
		if trailing != nil {
			end = trailing.End()
		}
		switch {
		case kept != nil:
			out.Specs = append(out.Specs, kept)
		case gen.Lparen.IsValid():
			p.gone = append(p.gone, span{last, end})
		default:
			p.gone = append(p.gone, span{p.nearest(previous, gen), end})
			return nil
		}
		last = end
	}
	out.Doc = p.doc(gen.Doc)
	return &out
}

// nearest returns where the comments of a declaration that is not in a group begin: the comments
// that [markers.Table.Collect] attributes to it.
func (p *pass) nearest(previous token.Pos, gen *ast.GenDecl) token.Pos {
	start := gen.Pos()
	own := 1
	if gen.Doc != nil && gen.Tok == token.TYPE {
		own = 2
	}
	if gen.Doc == nil && gen.Tok == token.CONST {
		own = 0
	}
	for _, group := range slices.Backward(p.groups) {
		if group.Pos() < gen.Pos() && group.Pos() >= previous && own > 0 {
			start = group.Pos()
			own--
		}
	}
	return start
}

// expr returns a type expression without the fields that do not exist.
func (p *pass) expr(name string, expr ast.Expr) ast.Expr {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		out := *expr
		out.X = p.expr(name, expr.X)
		return &out
	case *ast.ParenExpr:
		out := *expr
		out.X = p.expr(name, expr.X)
		return &out
	case *ast.ArrayType:
		out := *expr
		out.Elt = p.expr(name, expr.Elt)
		return &out
	case *ast.MapType:
		out := *expr
		out.Value = p.expr(name, expr.Value)
		return &out
	case *ast.StructType:
		return p.structType(name, expr)
	}
	return expr
}

func (p *pass) structType(name string, st *ast.StructType) *ast.StructType {
	out := *st
	fields := *st.Fields
	out.Fields = &fields
	fields.List = nil
	last := st.Fields.Opening
	comments := p.file.Written.Fields(st)
	around := len(p.around)
	for i, field := range st.Fields.List {
		p.around = p.around[:around]
		end := field.End()
		if field.Comment != nil {
			end = field.Comment.End()
		}
		label := (&source.Field{Type: field.Type}).Label()
		if len(field.Names) > 0 {
			label = field.Names[0].Name
		}
		if p.exists(source.Erased{Name: name + "." + label, Node: field, Struct: &out, Comments: p.left(comments[i])}, markers.Field) {
			changed := *field
			changed.Type = p.expr(name+"."+label, field.Type)
			changed.Doc = p.doc(field.Doc)
			changed.Comment = p.doc(field.Comment)
			fields.List = append(fields.List, &changed)
		} else {
			p.gone = append(p.gone, span{last, end})
		}
		last = end
	}
	return &out
}

// left returns the comments that are not in a block whose condition does not hold.
func (p *pass) left(comments []markers.Comment) []markers.Comment {
	return gatedsource.Left(comments, p.removed)
}

// doc returns what remains of a comment group that a node refers to.
func (p *pass) doc(group *ast.CommentGroup) *ast.CommentGroup {
	if group == nil {
		return nil
	}
	return p.group(group)
}

// group returns what remains of a comment group; nil if nothing does.
func (p *pass) group(group *ast.CommentGroup) *ast.CommentGroup {
	if p.isGone(group) {
		return nil
	}
	if out, ok := p.rewritten[group]; ok {
		return out
	}
	out := &ast.CommentGroup{}
	markersOf := markers.InGroup(group)
	for _, comment := range group.List {
		for len(markersOf) > 0 && markersOf[0].End() <= comment.Pos() {
			markersOf = markersOf[1:]
		}
		if p.removed[comment] {
			continue
		}
		if len(markersOf) > 0 && markersOf[0].Pos < comment.End() {
			if l, ok := p.lines[markersOf[0].Pos]; ok && l.removed {
				continue
			} else if ok && comment.Pos() <= markersOf[0].Pos {
				comment = rewrite(comment, markersOf[0], l.comment)
			}
		}
		out.List = append(out.List, comment)
	}
	if len(out.List) == 0 {
		out = nil
	} else if slices.Equal(out.List, group.List) {
		out = group
	}
	p.rewritten[group] = out
	return out
}

// isGone reports whether the group is removed together with a declaration.
func (p *pass) isGone(group *ast.CommentGroup) bool {
	return slices.ContainsFunc(p.gone, func(s span) bool { return s.from <= group.Pos() && group.End() <= s.to })
}

// rewrite returns the line comment with another marker, which keeps its position.
func rewrite(comment *ast.Comment, old, marker markers.Comment) *ast.Comment {
	if marker.Text == old.Text && marker.Pos == old.Pos {
		return comment
	}
	text, _, _ := strings.Cut(marker.Text, "\n")
	return &ast.Comment{Slash: marker.Pos - 2, Text: "//" + text}
}

// report reports why a condition cannot be applied.
func (p *pass) report(w gatedsource.Problem) {
	at := p.file.Pkg.At(w.Comment.Pos)
	var d *diag.Diagnostic
	switch {
	case w.Err != nil:
		p.Reporter.MarkerArguments(p.file.Pkg, w.Comment, w.Err)
		return
	case w.Unconditional:
		d = p.Reporter.Report(report.NotConditional, at, w.Hint, "%s", w.Msg)
	default:
		name, _, _ := strings.Cut(cmp.Or(w.Name, w.Comment.Text), "(")
		d = p.Reporter.Report(report.InvalidCondition, at, w.Hint, "%s: %s", name, w.Msg)
	}
	p.Reporter.Delimit(d, w.Comment.End(), nil)
}

// known reports gates of a condition that are not known.
func (p *pass) known(c markers.Comment, condition gates.Condition) {
	for _, name := range condition.Names() {
		if name == gates.Base {
			continue
		}
		p.used[name] = true
		if p.Known == nil || name == gates.Never || slices.Contains(p.Known, name) {
			continue
		}
		d := p.Reporter.Report(report.UnknownGate, p.file.Pkg.At(c.Pos), words.DidYouMean(name, p.Known, "gates are declared in schemagen.yaml"), "unknown gate %q", name)
		p.Reporter.Delimit(d, c.End(), nil)
	}
}
