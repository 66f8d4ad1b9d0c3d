package source

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"iter"
	"maps"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/golist"
	"github.com/schemagen/schemagen/internal/inputs"
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
