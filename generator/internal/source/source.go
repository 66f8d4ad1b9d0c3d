package source

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/golist"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/internal/parallel"
	"github.com/schemagen/schemagen/markers"
)

// Program is the Go source of one run. Packages are indexed and files are parsed
// when a type in them is asked for, not before.
type Program struct {
	// Fset has the positions of all files.
	Fset     *token.FileSet
	inputs   *inputs.Reader
	table    *markers.Table
	problems Problems
	markers  MarkerParser
	// roots are the packages that the run is about, by import path. They stand
	// for every import of that path, whichever module it is imported from.
	roots    map[string]*Package
	packages map[*golist.Package]*Package
	// places are how many of the file set are given to files.
	places int
	buffer []byte
}

// Config says how a program is read.
type Config struct {
	// Inputs reads the files; it may be nil.
	Inputs *inputs.Reader
	// Table finds the markers in comments.
	Table *markers.Table
	// Problems is told of files that cannot be read or parsed.
	Problems Problems
	// Markers parses the markers of types and fields.
	Markers MarkerParser
}

// Problems is told of mistakes in source files.
type Problems interface {
	// Unreadable is told of a file that cannot be read.
	Unreadable(p *Package, file string, err error)
	// Syntax is told of the first syntax error of a file.
	Syntax(p *Package, err *scanner.Error)
	// DeclaredTwice is told of the second declaration of a type.
	DeclaredTwice(first *Type, second *ast.TypeSpec)
}

// MarkerParser parses the comments at declarations.
type MarkerParser interface {
	// ParseMarkers returns the markers among the comments at a declaration in the package,
	// and the definitions of those whose arguments cannot be parsed.
	ParseMarkers(p *Package, comments []markers.Comment, target markers.Target) (Markers, Malformed)
	// Corrects reports whether a comment of the file is read with another text, so that
	// the bytes of the file do not tell which markers it has.
	Corrects(file string) bool
}

// Package is one Go package with its lexical index.
type Package struct {
	*golist.Package
	// Root reports whether the run is about the package.
	Root bool
	// Sources are its files. There are none before Look or Index.
	Sources []*File

	program *Program
	// hints says in which files something looks like the declaration of a type.
	// A hint is confirmed by parsing; what has no hint is not declared, or in a
	// file that is parsed already.
	hints map[string][]*File
	types map[string]*Type
	// constants is the package reduced to them, once asked for.
	constants *constantScope
}

// File is one Go file of a package.
type File struct {
	Pkg *Package
	// Name is the absolute name.
	Name string

	// MentionsKind reports whether the text has TypeMeta and ObjectMeta,
	// MentionsPackage whether it has a marker that describes a package.
	MentionsKind, MentionsPackage bool
	// Doubtful is what [markers.Table.Doubtful] says of a file of a root package.
	Doubtful bool
	// Syntax is the syntax tree, with the markers in its comments. Both are nil before
	// the file is parsed, and if it cannot be.
	Syntax   *ast.File
	Comments *markers.File
	// Params are the type parameters that an instance binds.
	Params map[string]TypeArgument

	// What a look at the bytes tells, besides.
	unreadable        error
	mentionsMarshal   bool     // MarshalJSON( or MarshalText(
	hints             []string // names of types that it seems to declare
	declaresOtherwise bool     // see typeHints
	// base and size are its places in the file set.
	base, size int
	// tree is the file as it was parsed, failed why it could not be.
	tree   *ast.File
	failed error

	// constants are the types that string constants seem to have, once asked for.
	constants map[string]bool

	instanceDepth int
	parsed        bool
}

// MetaV1Path is the import path of the package with the types that make a kind.
const MetaV1Path = "k8s.io/apimachinery/pkg/apis/meta/v1"

// packageMarkers are the markers whose presence in a file makes it worth
// parsing for what it says about its package.
var packageMarkers = [...]string{"+groupName", "+versionName", "+kubebuilder:skip", "+kubebuilder:validation:Optional", "+schemagen:"}

// New returns a program without packages.
func New(c Config) *Program {
	return &Program{
		Fset: token.NewFileSet(), inputs: c.Inputs, table: c.Table, problems: c.Problems, markers: c.Markers,
		roots: map[string]*Package{}, packages: map[*golist.Package]*Package{},
	}
}

// Packages returns the packages of the program that were asked for so far, in no order.
func (w *Program) Packages() iter.Seq[*Package] { return maps.Values(w.packages) }

// AddRoot adds a package that the run is about.
func (w *Program) AddRoot(listed *golist.Package) *Package {
	p := &Package{Package: listed, program: w, Root: true}
	w.roots[listed.Path] = p
	w.packages[listed] = p
	return p
}

// of returns the program's view of a listed package. It does not read anything.
func (w *Program) of(listed *golist.Package) *Package {
	if root, ok := w.roots[listed.Path]; ok {
		return root
	}
	if p, ok := w.packages[listed]; ok {
		return p
	}
	p := &Package{Package: listed, program: w}
	w.packages[listed] = p
	return p
}

// Local reports whether mistakes in the package are the user's to correct.
func (p *Package) Local() bool { return p.Root || p.Package.Local }

// Origin is where a finding is.
type Origin struct {
	Pos token.Pos
	// Place is used if Pos is not valid: some files cannot be parsed.
	Place diag.Position
	// Package is the import path of the package; empty where there is none.
	Package string
	// Foreign is set if the package is not the user's.
	Foreign bool
}

// At returns the origin of a position in the package, which may be nil.
func (p *Package) At(pos token.Pos) Origin {
	if p == nil {
		return Origin{Pos: pos}
	}
	return Origin{Pos: pos, Package: p.Path, Foreign: !p.Local()}
}

// In is like [Package.At] for a position in a file that is not parsed.
func (p *Package) In(place diag.Position) Origin {
	at := p.At(token.NoPos)
	at.Place = place
	return at
}

// Index looks at the files of the package once, and parses those that declare types
// in ways which a look does not tell. Files that cannot be read are reported.
func (p *Package) Index() {
	if p.types != nil {
		return
	}
	p.program.Look([]*Package{p})
	p.types = map[string]*Type{}
	for _, f := range p.Sources {
		if f.unreadable != nil {
			p.program.problems.Unreadable(p, f.Name, f.unreadable)
			f.parsed = true
		} else if f.declaresOtherwise {
			f.Parse()
		}
	}
}

// Look reads the files of packages in parallel, once, notes what their bytes tell,
// and gives each its places in the file set, which are the same in every run.
func (w *Program) Look(packages []*Package) {
	var files []*File
	for _, p := range packages {
		if p.hints != nil {
			continue
		}
		p.hints = map[string][]*File{}
		for _, name := range p.Files {
			p.Sources = append(p.Sources, &File{Pkg: p, Name: name})
		}
		files = append(files, p.Sources...)
	}
	parallel.Workers(len(files), func() func(int) {
		var buffer []byte
		return func(i int) { buffer = files[i].look(buffer) }
	})
	for _, f := range files {
		f.base = w.reserve(f.size)
		for _, name := range f.hints {
			f.Pkg.hints[name] = append(f.Pkg.hints[name], f)
		}
	}
}

// look notes what the bytes of the file tell. It reads into the buffer, and returns
// one for the next file.
func (f *File) look(buffer []byte) []byte {
	src, err := f.Pkg.program.inputs.ReadFile(f.Name, buffer)
	if err != nil {
		f.unreadable = err
		return buffer
	}
	f.size = len(src)
	f.MentionsKind = bytes.Contains(src, []byte("TypeMeta")) && bytes.Contains(src, []byte("ObjectMeta"))
	f.mentionsMarshal = bytes.Contains(src, []byte("MarshalJSON(")) || bytes.Contains(src, []byte("MarshalText("))
	f.MentionsPackage = f.Pkg.program.markers.Corrects(f.Name)
	for _, marker := range packageMarkers {
		f.MentionsPackage = f.MentionsPackage || bytes.Contains(src, []byte(marker))
	}
	f.Doubtful = f.Pkg.Root && f.Pkg.program.table.Doubtful(src)
	f.declaresOtherwise = typeHints(src, func(name string) { f.hints = append(f.hints, name) })
	return src
}

// Read returns the bytes of a file; they are valid until the next call.
func (w *Program) Read(name string) ([]byte, error) {
	src, err := w.inputs.ReadFile(name, w.buffer)
	if cap(src) > cap(w.buffer) {
		w.buffer = src
	}
	return src, err
}

// typeHints calls hint for each name that stands behind the word type where a
// declaration can begin, and reports whether a declaration is written in another
// way: in a group, or with a comment behind the word.
func typeHints(src []byte, hint func(string)) (others bool) {
	for offset := 0; ; {
		i := bytes.Index(src[offset:], []byte("type"))
		if i < 0 {
			return others
		}
		start := offset + i
		offset = start + len("type")
		if !startsDeclaration(src[:start]) || offset == len(src) {
			continue
		}
		rest := bytes.TrimLeft(src[offset:], " \t\r\n")
		if name := identifier(rest); name == "" {
			others = others || bytes.HasPrefix(rest, []byte("(")) || bytes.HasPrefix(rest, []byte("/"))
		} else if len(rest) < len(src[offset:]) { // else it is a longer word
			hint(name)
		}
	}
}

// startsDeclaration reports whether a declaration can begin behind the text: at
// the start of a line, behind a semicolon or a comment.
func startsDeclaration(before []byte) bool {
	before = bytes.TrimRight(before, " \t\r")
	n := len(before)
	return n == 0 || before[n-1] == '\n' || before[n-1] == ';' || bytes.HasSuffix(before, []byte("*/")) ||
		string(before) == "\uFEFF"
}

func identifier(src []byte) string {
	n := 0
	for n < len(src) {
		r, size := utf8.DecodeRune(src[n:])
		if r != '_' && !unicode.IsLetter(r) && (n == 0 || !unicode.IsDigit(r)) {
			break
		}
		n += size
	}
	return string(src[:n])
}

// ParseAhead parses, in parallel, what will be asked for of packages with kinds:
// the files that declare types, or say something about their package, and those of
// the types that make a kind. It ends early if the run is stopped.
func (w *Program) ParseAhead(packages []*Package, stopped func() bool) {
	w.Look(packages)
	var meta *Package
	var files []*File
	for _, p := range packages {
		if !slices.ContainsFunc(p.Sources, func(f *File) bool { return f.MentionsKind }) {
			continue
		}
		if meta == nil {
			meta = p.Imported(MetaV1Path)
		}
		for _, f := range p.Sources {
			if f.unreadable == nil && (len(f.hints) > 0 || f.MentionsPackage) {
				files = append(files, f)
			}
		}
	}
	if meta != nil && !meta.Root {
		w.Look([]*Package{meta})
		for _, f := range meta.Sources {
			if slices.Contains(f.hints, "ObjectMeta") || slices.Contains(f.hints, "Time") {
				files = append(files, f)
			}
		}
	}
	parallel.Workers(len(files), func() func(int) {
		var buffer []byte
		return func(i int) {
			if !stopped() {
				files[i].syntax(&buffer)
			}
		}
	})
}

// Trees parses, in parallel, those of the files that are not parsed yet, and calls use
// for each file with its index and syntax tree. Those that cannot be parsed are left
// out, and not reported; the types of the others are not entered.
func (w *Program) Trees(files []*File, use func(i int, tree *ast.File)) {
	parallel.Workers(len(files), func() func(int) {
		var buffer []byte
		return func(i int) {
			if tree, err := files[i].syntax(&buffer); err == nil {
				use(i, tree)
			}
		}
	})
}

// reserve gives a file of a size its places in the file set of the run, which it can
// then be added to at any time. It returns the first.
func (w *Program) reserve(size int) (base int) {
	base = 1 + w.places
	w.places += size + 1
	return base
}

// AddFile adds a file that is not of Go to the file set.
func (w *Program) AddFile(name string, data []byte) *token.File {
	f := setFrom(w.reserve(len(data))).AddFile(name, -1, len(data))
	f.SetLinesForContent(data)
	w.Fset.AddExistingFiles(f)
	return f
}

// EmptyPackage returns a package of the user's with nothing in it, for markers that
// stand elsewhere.
func (w *Program) EmptyPackage() *Package {
	return &Package{Package: &golist.Package{Local: true}, program: w, hints: map[string][]*File{}, types: map[string]*Type{}}
}

// setFrom returns a file set of its own, in which the next file begins at the base.
func setFrom(base int) *token.FileSet {
	set := token.NewFileSet()
	if base > set.Base() {
		set.AddFile("", set.Base(), base-set.Base()-1)
	}
	return set
}

// syntax parses the file once, and knows nothing else of the program but the file
// set: it may be called in parallel for different files. It reads into the buffer.
func (f *File) syntax(buffer *[]byte) (*ast.File, error) {
	if f.tree != nil || f.failed != nil {
		return f.tree, f.failed
	}
	w := f.Pkg.program
	src, err := w.inputs.ReadFile(f.Name, *buffer)
	if cap(src) > cap(*buffer) {
		*buffer = src
	}
	if err == nil && len(src) != f.size {
		err = errors.New("it changed while it was read")
	}
	if err != nil {
		f.failed = err
		return nil, err
	}
	own := setFrom(f.base)
	f.tree, f.failed = parser.ParseFile(own, f.Name, src, parser.ParseComments|parser.SkipObjectResolution)
	w.Fset.AddExistingFiles(own.File(token.Pos(f.base)))
	return f.tree, f.failed
}

// Parse parses the file once, and registers the types that it declares. Syntax
// errors are reported.
func (f *File) Parse() {
	if f.parsed {
		return
	}
	f.parsed = true
	w := f.Pkg.program
	parsed, err := f.syntax(&w.buffer)
	if err != nil {
		var list scanner.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			// What follows the first error is usually its echo.
			w.problems.Syntax(f.Pkg, list[0])
		} else {
			w.problems.Unreadable(f.Pkg, f.Name, err)
		}
		return
	}
	f.Syntax = parsed
	f.Comments = w.table.Collect(parsed)
	for _, decl := range parsed.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.TypeSpec)
			if first, ok := f.Pkg.types[spec.Name.Name]; ok {
				w.problems.DeclaredTwice(first, spec)
				continue
			}
			f.Pkg.types[spec.Name.Name] = &Type{Pkg: f.Pkg, File: f, Decl: gen, Spec: spec}
		}
	}
}

// Lookup returns the declaration of a type in the package, or nil.
func (p *Package) Lookup(name string) *Type {
	p.Index()
	if t, ok := p.types[name]; ok && len(p.hints[name]) < 2 {
		return t
	}
	// Every file that seems to declare it: a second declaration is an error.
	for _, f := range p.hints[name] {
		f.Parse()
	}
	return p.types[name]
}

// ParseTypes parses every file that seems to declare a type.
func (p *Package) ParseTypes() {
	for _, name := range slices.Sorted(maps.Keys(p.hints)) {
		p.Lookup(name)
	}
}

// Imported returns the package that a qualifier in the file stands for. The
// path is set where an import fits, even if its package could not be found.
func (f *File) Imported(name string) (p *Package, importPath string) {
	var unnamed []string
	for _, spec := range f.Syntax.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name == nil {
			unnamed = append(unnamed, imp)
		} else if spec.Name.Name == name {
			return f.Pkg.Imported(imp), imp
		}
	}
	// An import without a name goes by the name in the package clause. Those
	// whose path looks like it are asked first.
	for _, looksLikeIt := range []bool{true, false} {
		for _, imp := range unnamed {
			if (guessName(imp) == name) != looksLikeIt {
				continue
			}
			if p := f.Pkg.Imported(imp); p != nil && p.Name == name {
				return p, imp
			} else if p == nil && looksLikeIt {
				importPath = imp
			}
		}
	}
	if importPath == "" {
		// A package that cannot be found may have any name.
		missing := slices.DeleteFunc(unnamed, func(imp string) bool { return f.Pkg.Imported(imp) != nil })
		if len(missing) == 1 {
			importPath = missing[0]
		}
	}
	return nil, importPath
}

// Imported returns the package of an import path, or nil if it was not found.
func (p *Package) Imported(importPath string) *Package {
	if listed := p.Import(importPath); listed != nil && listed.Name != "" {
		return p.program.of(listed)
	}
	return nil
}

// dotImports returns the packages whose names the file uses unqualified.
func (f *File) dotImports() []*Package {
	var out []*Package
	for _, spec := range f.Syntax.Imports {
		if spec.Name == nil || spec.Name.Name != "." {
			continue
		}
		if imp, err := strconv.Unquote(spec.Path.Value); err == nil {
			if p := f.Pkg.Imported(imp); p != nil {
				out = append(out, p)
			}
		}
	}
	return out
}

// guessName guesses the name of a package that could not be found.
func guessName(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(importPath))
	}
	base, _, _ = strings.Cut(base, ".")
	return strings.TrimPrefix(base, "go-")
}

// Excluded returns the base name of a file of the package that declares a type but is
// not among its files: a test, or one that the build constraints leave out.
func (f *File) Excluded(expr ast.Expr) string {
	name, p := "", f.Pkg
	switch expr := expr.(type) {
	case *ast.Ident:
		name = expr.Name
	case *ast.SelectorExpr:
		qualifier, ok := expr.X.(*ast.Ident)
		if !ok {
			return ""
		}
		name = expr.Sel.Name
		if p, _ = f.Imported(qualifier.Name); p == nil {
			return ""
		}
	}
	if len(p.Files) == 0 {
		return ""
	}
	dir := filepath.Dir(p.Files[0])
	entries, err := f.Pkg.program.inputs.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, entry := range entries {
		file := filepath.Join(dir, entry.Name())
		if !strings.HasSuffix(file, ".go") || slices.Contains(p.Files, file) {
			continue
		}
		src, err := f.Pkg.program.inputs.ReadFile(file, nil)
		if err != nil {
			continue
		}
		declared := false
		typeHints(src, func(hint string) { declared = declared || hint == name })
		if declared {
			return entry.Name()
		}
	}
	return ""
}

// Mentions reports whether a file of the package is as is says. What cannot be
// read is reported when the package is indexed.
func (p *Package) Mentions(is func(src []byte) bool) bool {
	return slices.ContainsFunc(p.Files, func(name string) bool {
		src, err := p.program.Read(name)
		return err == nil && is(src)
	})
}
