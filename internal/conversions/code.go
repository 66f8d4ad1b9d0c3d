package conversions

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/gotext"
)

// Files is the result of [Generate].
type Files struct {
	// Files have absolute names, one for each package with conversions.
	Files []define.File
	// Without are the directories of packages without conversions, sorted.
	Without []string
	// Policies protect what conversions keep: one for each version that is served and is not
	// the hub. Their names have no directory.
	Policies []define.File
	// Model is what the files were generated from.
	Model *Model
	// Conditions are, by name of the file, those of mutable code.
	Conditions map[string][]Condition
}

// Generate reads the packages and returns a file for each package with a version of a kind
// that has several. Diagnostics are about the user's source; if one of them is an error, there
// are no files. The error is as in [define.Make].
func Generate(ctx context.Context, options define.Options, conversions Options) (Files, diag.List, error) {
	return generate(ctx, options, conversions)
}

func generate(ctx context.Context, options define.Options, conversions Options) (Files, diag.List, error) {
	model, reporter, err := find(ctx, options, conversions)
	if err != nil {
		return Files{}, nil, err
	}
	out := Files{Model: model, Conditions: map[string][]Condition{}}
	if reporter.List.HasErrors() {
		return Files{}, reporter.List.Normalize(), ctx.Err()
	}
	for _, p := range model.roots {
		if ctx.Err() != nil {
			return Files{}, nil, ctx.Err()
		}
		dir := filepath.Dir(p.Files[0])
		if !model.converts(p) {
			out.Without = append(out.Without, dir)
			continue
		}
		f := newCodeFile(model, reporter, p, conversions)
		f.write()
		data, err := f.bytes(options.Header)
		if err != nil {
			return Files{}, nil, err
		}
		reporter.CheckImports(p, model.first(p), slices.Sorted(maps.Keys(f.imports)))
		name := filepath.Join(dir, FileName)
		out.Files = append(out.Files, define.File{Name: name, Data: data})
		if len(f.conditions) > 0 {
			out.Conditions[name] = f.conditions
		}
	}
	slices.Sort(out.Without)
	out.Policies = model.policies()
	if reporter.List.HasErrors() {
		out = Files{}
	}
	return out, reporter.List.Normalize(), ctx.Err()
}

// codeFile is the file of a package.
type codeFile struct {
	model    *Model
	reporter *report.Reporter
	pkg      *source.Package
	options  Options
	// imports are names of imported packages by path; taken are names of the package.
	imports map[string]string
	taken   map[string]bool
	// functions are the names of the functions of pairs, up and down.
	functions map[*Pair][2]string
	pending   []*Pair
	// helpers are functions that a type or a codec needs, by name, in order.
	helpers  []string
	helperOf map[string]string
	// converters convert a value from one type to another.
	converters []string
	support    map[string]bool
	// unnamed is set if the file has structs without a name.
	unnamed bool
	// conditions lists the file's conditions, if it is mutable.
	conditions []Condition
	// appended are types for which [codeFile.appends] is known.
	appended map[*Type]bool

	// done are functions, out is the one that is being written, and local are its names.
	done  []string
	out   bytes.Buffer
	local map[string]bool
}

func newCodeFile(m *Model, r *report.Reporter, p *source.Package, options Options) *codeFile {
	return &codeFile{
		model: m, reporter: r, pkg: p, options: options, imports: map[string]string{}, taken: m.names(p),
		functions: map[*Pair][2]string{}, helperOf: map[string]string{}, support: map[string]bool{}, appended: map[*Type]bool{},
	}
}

// converts reports whether a package has functions.
func (m *Model) converts(p *source.Package) bool {
	return slices.ContainsFunc(m.Kinds, func(kind *Kind) bool {
		hub := kind.Hub.Type.Decl.Pkg == p && !m.Options.Functions && !kind.Hub.written.hub
		return !kind.Equal && (hub ||
			slices.ContainsFunc(kind.Spokes, func(v *Version) bool { return v.Type.Decl.Pkg == p && !v.ByHand() }))
	})
}

// first returns the position of the first kind of a package with functions.
func (m *Model) first(p *source.Package) token.Pos {
	pos := token.NoPos
	for _, kind := range m.Kinds {
		for _, v := range append([]*Version{kind.Hub}, kind.Spokes...) {
			if position := v.Type.Decl.Spec.Name.Pos(); v.Type.Decl.Pkg == p && (pos == token.NoPos || position < pos) {
				pos = position
			}
		}
	}
	return pos
}

// write writes the functions of the package.
func (f *codeFile) write() {
	for _, kind := range f.model.Kinds {
		if kind.Equal {
			continue
		}
		if kind.Hub.Type.Decl.Pkg == f.pkg && !f.options.Functions && !kind.Hub.written.hub {
			f.line("// Hub marks %s as the version that all others are converted to and from.", kind.Name)
			f.line("%s", gotext.Function("func (*"+kind.Name+") Hub()", ""))
			f.finish()
		}
		for _, spoke := range kind.Spokes {
			if spoke.Type.Decl.Pkg == f.pkg && !spoke.ByHand() {
				f.kind(kind, spoke)
			}
		}
	}
	for len(f.pending) > 0 {
		pair := f.pending[0]
		f.pending = f.pending[1:]
		f.pair(pair, ToHub())
		f.pair(pair, FromHub())
	}
}

// finish ends a function.
func (f *codeFile) finish() {
	f.done = append(f.done, f.out.String())
	f.out.Reset()
}

// bytes returns the file as gofmt writes it.
func (f *codeFile) bytes(header string) ([]byte, error) {
	functions, imports := supportFunctions(f.support, f.options)
	for _, importPath := range imports {
		name := path.Base(importPath)
		if importPath == source.MetaV1Path {
			name = "metav1"
		}
		f.imp(importPath, name)
	}
	code := slices.Concat(f.done, f.helpers)
	formatted := !f.options.Mutable && !f.unnamed // otherwise, lines depend on more than gotext knows
	body := ""
	if !formatted {
		body = strings.Join(code, "\n") + functions
	}
	if f.options.Mutable {
		body, f.conditions = mutable(body)
	}
	if len(f.conditions) > 0 {
		for _, name := range []string{"fmt", "os", "strconv", "sync"} {
			f.imp(name, name)
		}
		body += mutants
	}
	out, err := f.head(header)
	if formatted {
		out = append(gotext.Append(out, code...), functions...)
	} else if err == nil {
		out, err = format.Source(append(out, body...))
	}
	if err != nil {
		return nil, fmt.Errorf("format the conversions of %s: %w\n%s", f.pkg.Path, err, body)
	}
	return out, nil
}

// head returns the beginning of the file.
func (f *codeFile) head(header string) ([]byte, error) {
	var imports []gotext.Import
	for importPath, name := range f.imports {
		if name == path.Base(importPath) {
			name = ""
		}
		imports = append(imports, gotext.Import{Name: name, Path: importPath})
	}
	comments := gotext.Comments(f.options.BuildTag, strings.TrimRight(header, "\n"), "schemagen conversions")
	return gotext.FormatHead(gotext.Head(comments, f.pkg.Name, imports, func(importPath string) bool {
		first, _, _ := strings.Cut(importPath, "/")
		return !strings.Contains(first, ".")
	}))
}

func (f *codeFile) line(text string, args ...any) {
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	f.out.WriteString(text + "\n")
}

// imp returns the name of an import.
func (f *codeFile) imp(importPath, name string) string {
	if importPath == f.pkg.Path {
		return ""
	}
	if known, ok := f.imports[importPath]; ok {
		return known
	}
	f.imports[importPath] = f.unique(name)
	return f.imports[importPath]
}

// std returns a name of a package of the standard library.
func (f *codeFile) std(importPath, name string) string {
	return f.imp(importPath, path.Base(importPath)) + "." + name
}

// text returns a type as it is written in the file.
func (f *codeFile) text(t *Type) string {
	switch {
	case t.Decl != nil:
		name := t.Decl.Spec.Name.Name
		if t.Decl.Pkg != f.pkg && !ast.IsExported(name) {
			f.reporter.Report(noRule, t.Decl.Pkg.At(t.Decl.Spec.Name.Pos()), "export it", "the conversions of package %s would have to name the type %s, which is not exported", f.pkg.Path, t.Label())
			return "any"
		}
		var arguments []string
		for _, argument := range f.model.types.Arguments(t.Decl) {
			arguments = append(arguments, f.text(argument))
		}
		if len(arguments) > 0 {
			name += "[" + strings.Join(arguments, ", ") + "]"
		}
		if q := f.imp(t.Decl.Pkg.Path, importName(t.Decl.Pkg)); q != "" {
			return q + "." + name
		}
		return name
	case t.Shape == Pointer:
		return "*" + f.text(t.Elem)
	case t.Shape == List:
		return "[]" + f.text(t.Elem)
	case t.Shape == Map:
		return "map[" + f.text(t.Key) + "]" + f.text(t.Elem)
	case t.Shape == Bytes:
		return "[]byte"
	case t.Elem != nil:
		return fmt.Sprintf("[%d]%s", t.Length, f.text(t.Elem))
	case len(t.Members) > 0:
		f.unnamed = true
		var fields []string
		for _, m := range t.Members {
			fields = append(fields, strings.TrimSpace(m.Name+" "+f.text(m.Type)+" "+m.Tag))
		}
		return "struct{ " + strings.Join(fields, "; ") + " }"
	case t.ID == "struct{}":
		return t.ID
	}
	return t.Basic
}

// importName returns the name that a package is imported by.
func importName(p *source.Package) string {
	if p.Path == source.MetaV1Path {
		return "metav1"
	}
	if p.Path == "k8s.io/api/core/v1" {
		return "corev1"
	}
	return p.Name
}

// unique returns a name that the package does not have.
func (f *codeFile) unique(name string) string {
	unique := gotext.Unique(name, func(name string) bool { return f.taken[name] })
	f.taken[unique] = true
	return unique
}

// use marks a function of the support code as used, and returns its name.
func (f *codeFile) use(name string) string {
	f.support[name] = true
	return name
}

// names returns the functions of a pair, which will be written.
func (f *codeFile) names(p *Pair) (d, down string) {
	if names, ok := f.functions[p]; ok {
		return names[0], names[1]
	}
	spoke := f.instanceName(p.Spoke)
	hub := f.instanceName(p.Hub)
	if p.Spoke.Decl.Pkg != f.pkg {
		spoke = upperFirst(p.Spoke.Decl.Pkg.Name) + spoke
	}
	other := upperFirst(p.Hub.Decl.Pkg.Name)
	if spoke != hub {
		other += hub
	}
	names := [2]string{f.unique("convert" + spoke + "To" + other), f.unique("convert" + spoke + "From" + other)}
	f.functions[p] = names
	f.pending = append(f.pending, p)
	return names[0], names[1]
}

// function returns the function of a pair for a direction.
func (f *codeFile) function(p *Pair, way Direction) string {
	up, down := f.names(p)
	name, _ := Sides(way, up, down)
	return name
}

// pure returns a function of a pair without what is kept: func(in *A, out *B).
func (f *codeFile) pure(p *Pair, way Direction) string {
	if !p.Loses && !p.meta {
		return f.function(p, way)
	}
	sourceType, target := p.sides(way)
	return gotext.Function(fmt.Sprintf("func(in *%s, out *%s)", f.text(sourceType), f.text(target)), f.call(p, way, "in", "out", "meta", "conversionKept{}"))
}

// call returns a call of the function of a pair for a direction.
func (f *codeFile) call(p *Pair, way Direction, input, out, meta, kept string) string {
	arguments := []string{input, out}
	if p.meta {
		arguments = append(arguments, meta)
	}
	if p.Loses {
		arguments = append(arguments, kept)
	}
	return f.function(p, way) + "(" + strings.Join(arguments, ", ") + ")"
}

func (p *Pair) sides(way Direction) (sourceType, target *Type) { return Sides(way, p.Spoke, p.Hub) }

func (r *Rule) sides(way Direction) (sourceType, target *Type) { return Sides(way, r.Spoke, r.Hub) }

// kind writes the functions or methods of a kind.
func (f *codeFile) kind(kind *Kind, spoke *Version) {
	hub := f.text(kind.Hub.Type)
	name := spoke.Type.Decl.Spec.Name.Name
	if f.options.Functions {
		ctx := f.std("context", "Context")
		if up := "Convert" + name + "ToHub"; !spoke.written.up {
			f.line("// %s converts in to %s, in the hub's version.", up, hub)
			f.line("func %s(_ %s, in *%s, out *%s) error {", f.unique(up), ctx, name, hub)
			f.root(kind, spoke, ToHub())
		}
		if down := "Convert" + name + "FromHub"; !spoke.written.down {
			f.line("// %s converts from %s, the hub's version, to out.", down, hub)
			f.line("func %s(_ %s, in *%s, out *%s) error {", f.unique(down), ctx, hub, name)
			f.root(kind, spoke, FromHub())
		}
		return
	}
	conversion := f.imp(hubPath, "conversion")
	if !spoke.written.up {
		f.line("// ConvertTo converts the object to the hub, a *%s.", hub)
		f.line("func (in *%s) ConvertTo(hub %s.Hub) error {", name, conversion)
		f.line("out := hub.(*%s)", hub)
		f.root(kind, spoke, ToHub())
	}
	if !spoke.written.down {
		f.line("// ConvertFrom converts the object from the hub, a *%s.", hub)
		f.line("func (out *%s) ConvertFrom(hub %s.Hub) error {", name, conversion)
		f.line("in := hub.(*%s)", hub)
		f.root(kind, spoke, FromHub())
	}
}

// root writes the body of a function for a kind.
func (f *codeFile) root(kind *Kind, spoke *Version, way Direction) {
	_, target := spoke.Pair.sides(way)
	object := fmt.Sprintf("*out = %s{TypeMeta: out.TypeMeta, ObjectMeta: in.ObjectMeta}", f.text(target))
	if !spoke.Pair.Loses {
		f.line("%s", object)
		f.line("%s", f.call(spoke.Pair, way, "in", "out", "&in.ObjectMeta", ""))
		f.removeStores(kind)
		f.line("return nil\n}")
		f.finish()
		return
	}
	f.use("conversionAnnotation")
	own, other := Sides(way, spoke.Name, kind.Hub.Name)
	step := fmt.Sprintf("spoke: %q, hub: %q, from: %q", spoke.Name, kind.Hub.Name, own)
	var pass []string
	for _, v := range kind.Spokes {
		if v != spoke {
			pass = append(pass, strconv.Quote(v.Name))
		}
	}
	if len(pass) > 0 {
		step += ", pass: []string{" + strings.Join(pass, ", ") + "}"
	}
	f.line("annotation := %s(in.Annotations, %q)", f.use("readConversion"), crd.ConversionAnnotation(kind.Group))
	if way.isUp() {
		f.line("if err := annotation.tooLarge(%q, %q); err != nil {\nreturn err\n}", spoke.Name, kind.Hub.Name)
	}
	f.line("%s", object)
	kept := fmt.Sprintf("annotation.of(%q)", other)
	if stores := f.stores(kind, other); len(stores) > 0 {
		kept = "kept"
		f.line("kept := annotation.of(%q)\nif kept.isNone() {\nkept = %s(in.Annotations, %s)\n}", other, f.use("conversionStored"), strings.Join(stores, ", "))
	}
	f.line("lost := %s", f.call(spoke.Pair, way, "in", "out", "&in.ObjectMeta", kept))
	f.removeStores(kind)
	mode := f.use("conversionFails")
	if !way.isUp() && !spoke.Storage {
		mode = f.use("conversionShortens")
	}
	f.line("return annotation.write(&out.ObjectMeta, lost, %s{%s, over: %s})\n}", f.use("conversionStep"), step, mode)
	f.finish()
}

// pair writes the function of a pair for a direction.
func (f *codeFile) pair(pair *Pair, way Direction) {
	f.local = map[string]bool{"j": true, "in": true, "out": true, "kept": true, "lost": true, "meta": true}
	sourceType, target := pair.sides(way)
	name := f.function(pair, way)
	label := func(t *Type) string {
		if t.Decl.Generic != nil { // its label has the import paths of its arguments
			return f.text(t)
		}
		return t.Label()
	}
	f.line("// %s converts a %s to %s:", name, label(sourceType), label(target))
	f.line("//")
	var rows [][3]string
	for _, u := range pair.Units {
		rows = append(rows, u.row(way))
	}
	widths := [2]int{}
	for _, row := range rows {
		widths[0], widths[1] = max(widths[0], len(row[0])), max(widths[1], len(row[1]))
	}
	for _, row := range rows {
		f.line("//\t%-*s  %-*s  %s", widths[0], row[0], widths[1], row[1], row[2])
	}
	signature := fmt.Sprintf("func %s(in *%s, out *%s", name, f.text(sourceType), f.text(target))
	if pair.Loses {
		f.use("conversionLost")
	}
	if pair.meta {
		signature += ", meta " + f.metadataType()
	}
	if !pair.Loses {
		f.line("%s) {", signature)
	} else {
		f.line("%s, kept conversionKept) (lost conversionLost) {", signature)
	}
	inside := pair.inside(way)
	for _, u := range slices.SortedStableFunc(slices.Values(pair.Units), func(a, b *Unit) int {
		return cmp.Or(cmp.Compare(a.phase(way), b.phase(way)), cmp.Compare(inside[a], inside[b]))
	}) {
		f.unit(pair, u, way)
	}
	if pair.Loses {
		f.line("return lost")
	}
	f.line("}")
	f.finish()
}

// row returns the line about a unit in a comment: paths, rule, and what is lost.
func (u *Unit) row(way Direction) [3]string {
	spoke, hub := u.paths()
	origin, target := Sides(way, spoke, hub)
	what := u.fate(way)
	rule := "only there"
	if u.Rule != nil {
		rule = u.Rule.Name
	}
	if u.Derived != nil {
		rule = u.Derived.Name
	}
	if u.set {
		rule = "presence"
	}
	text := what.String()
	if what == Dropped && u.Reason != "" {
		text += ": " + u.Reason
	}
	return [3]string{origin + " → " + target, rule, text}
}

// Fields returns the paths of the fields of the source, and of the target.
func (u *Unit) Fields(way Direction) (source, target [][]*Field) {
	if u.Hook != nil {
		return Sides(way, u.Hook.Fields, u.Hook.Targets)
	}
	return Sides(way, [][]*Field{u.Spoke}, [][]*Field{u.Hub})
}

// paths returns the fields of each side as text.
func (u *Unit) paths() (spoke, hub string) {
	text := func(paths [][]*Field) string {
		var out []string
		for _, path := range paths {
			if len(path) > 0 {
				out = append(out, dotted(path))
			}
		}
		return cmp.Or(strings.Join(out, " "), "(none)")
	}
	spokePaths, hubPaths := u.Fields(ToHub())
	return text(spokePaths), text(hubPaths)
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

func lowerFirst(s string) string {
	r := []rune(s)
	for i := range r {
		if i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}
