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
		Eraser: e, file: f, tree: tree, lines: map[token.Pos]line{}, removed: map[*ast.Comment]bool{},
		rewritten: map[*ast.CommentGroup]*ast.CommentGroup{}, structs: map[*ast.StructType]*ast.StructType{},
		held: map[ast.Node][]bareCondition{},
	}
	for _, group := range tree.Comments {
		p.blocks(group)
	}
	for _, d := range gatedsource.Decls(tree, f.Written) {
		p.declare(d)
	}
	out := *tree
	out.Decls = nil
	for _, decl := range tree.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE && gen.Tok != token.CONST {
			out.Decls = append(out.Decls, decl)
		} else if kept := p.genDecl(gen); kept != nil {
			out.Decls = append(out.Decls, kept)
		}
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
	file *source.File
	tree *ast.File
	// lines has what becomes of markers, by the position of their plus sign.
	lines map[token.Pos]line
	// removed are the comments in blocks whose condition does not hold, and the lines of their
	// markers.
	removed map[*ast.Comment]bool
	// gone are the declarations that do not exist, with their comments.
	gone      []span
	rewritten map[*ast.CommentGroup]*ast.CommentGroup
	structs   map[*ast.StructType]*ast.StructType
	// held are the conditions, which hold, of a declaration and those around it, and around those of
	// the declarations around the current one.
	held   map[ast.Node][]bareCondition
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
		if p.holds(b.Condition) {
			b.Unwrap(p.removed)
		} else {
			b.Remove(p.removed)
		}
	}
}

// bareCondition is the condition of a declaration.
type bareCondition struct {
	marker    markers.Comment
	condition gates.Condition
	holds     bool
}

// declare applies the conditions in the comments of a declaration, unless one around it is gone.
func (p *pass) declare(decl gatedsource.Decl) {
	if n := len(p.gone); n > 0 && decl.To <= p.gone[n-1].to {
		return
	}
	comments := gatedsource.Remaining(decl.Comments, p.removed)
	what := source.Erased{Node: decl.Node}
	if decl.Target != markers.Package {
		what.Name = decl.Name
		what.Struct = p.structType(decl.Struct)
		what.Comments = comments
	}
	around := p.held[decl.Around]
	p.around = around
	if spec, ok := decl.Node.(*ast.TypeSpec); ok && isKind(spec) {
		p.around = p.ofPackage(p.file.Pkg) // not for its fields, as others may have fields of its type
	}
	for i, c := range p.declaration(comments, decl.Target, what.Name) {
		if decl.Target == markers.Package && c.marker.Pos > decl.Node.End() {
			p.report(gatedsource.Problem{Comment: c.marker,
				Msg: "it is at no declaration: put it above a field, a type, a constant or the package clause"})
			continue
		}
		p.lines[c.marker.Pos] = line{removed: true}
		if i > 0 {
			p.report(gatedsource.Problem{Comment: c.marker, Msg: "a second condition at one declaration",
				Hint: "join them with && or ||"})
			continue
		}
		what.Condition = c.condition.String()
		what.Pos = c.marker.Pos
		p.record(what, c.holds)
		switch {
		case c.holds:
			around = append(slices.Clip(around), c)
		case decl.Target == markers.Package:
			p.file.NoKinds = true
		default:
			p.gone = append(p.gone, span{decl.From, decl.To})
		}
	}
	if len(around) > 0 {
		p.held[decl.Node] = around
	}
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
// nothing remains.
func (p *pass) genDecl(gen *ast.GenDecl) *ast.GenDecl {
	out := *gen
	out.Specs = nil
	for _, spec := range gen.Specs {
		if p.isGone(spec) {
			continue
		}
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			changed := *spec
			changed.Type = p.expr(spec.Type)
			changed.Doc = p.doc(spec.Doc)
			changed.Comment = p.doc(spec.Comment)
			out.Specs = append(out.Specs, &changed)
		case *ast.ValueSpec:
			changed := *spec
			changed.Doc = p.doc(spec.Doc)
			changed.Comment = p.doc(spec.Comment)
			out.Specs = append(out.Specs, &changed)
		}
	}
	if len(out.Specs) == 0 && !gen.Lparen.IsValid() {
		return nil
	}
	out.Doc = p.doc(gen.Doc)
	return &out
}

// expr returns a type expression without the fields that do not exist.
func (p *pass) expr(expr ast.Expr) ast.Expr {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		out := *expr
		out.X = p.expr(expr.X)
		return &out
	case *ast.ParenExpr:
		out := *expr
		out.X = p.expr(expr.X)
		return &out
	case *ast.ArrayType:
		out := *expr
		out.Elt = p.expr(expr.Elt)
		return &out
	case *ast.MapType:
		out := *expr
		out.Value = p.expr(expr.Value)
		return &out
	case *ast.StructType:
		out := p.structType(expr)
		for _, field := range expr.Fields.List {
			if p.isGone(field) {
				continue
			}
			changed := *field
			changed.Type = p.expr(field.Type)
			changed.Doc = p.doc(field.Doc)
			changed.Comment = p.doc(field.Comment)
			out.Fields.List = append(out.Fields.List, &changed)
		}
		return out
	}
	return expr
}

// structType returns the struct type that takes the place of another one, which gets the fields
// that exist from expr; nil for nil.
func (p *pass) structType(st *ast.StructType) *ast.StructType {
	if st == nil {
		return nil
	}
	out, ok := p.structs[st]
	if !ok {
		changed := *st
		fields := *st.Fields
		fields.List = nil
		changed.Fields = &fields
		out = &changed
		p.structs[st] = out
	}
	return out
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

// isGone reports whether a node is, or is removed together with, a declaration that does not exist.
func (p *pass) isGone(node ast.Node) bool {
	return slices.ContainsFunc(p.gone, func(s span) bool { return s.from <= node.Pos() && node.End() <= s.to })
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
