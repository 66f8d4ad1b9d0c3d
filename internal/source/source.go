package source

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/unseen"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// Files are the source files of a run, each read and parsed at most once, on demand. Several
// programs, one for each generator of the run, may share them.
type Files struct {
	// Fset has the positions of all files.
	Fset   *token.FileSet
	inputs *inputs.Reader
	table  *markers.Table
	// texts are the files of a package, in the order of its Files.
	texts map[*golist.Package][]*text
	// reserved is the number of positions in the file set that are reserved for files.
	reserved int
	content  content
	// kept are the texts of earlier runs; nil if no run will follow. See [Files.Again].
	kept *keptTexts
}

// NewFiles returns files that are read by reader, which may be nil. table finds the markers in
// their comments.
func NewFiles(reader *inputs.Reader, table *markers.Table) *Files {
	return &Files{Fset: token.NewFileSet(), inputs: reader, table: table, texts: map[*golist.Package][]*text{}}
}

// Program is the Go source as one generator of a run reads it. Packages are indexed, and
// files parsed, on demand.
type Program struct {
	*Files
	problems Problems
	markers  MarkerParser
	eraser   Eraser
	dir      string
	patterns []string
	// roots are the root packages of the run, keyed by import path. They are used for every
	// import of that path, whichever module imports it.
	roots    map[string]*Package
	packages map[*golist.Package]*Package
}

// Config configures a [Program].
type Config struct {
	// Files are the files that the program reads.
	Files *Files
	// Problems receives errors of files that cannot be read or parsed.
	Problems Problems
	// Markers parses the markers of types and fields.
	Markers MarkerParser
	// Eraser applies the conditions in the user's files. If it is nil, they have no effect.
	Eraser Eraser
	// Dir and Patterns select the root packages. They are needed only for InOrder.
	Dir      string
	Patterns []string
}

// Problems receives errors in source files.
type Problems interface {
	// Unreadable is called for a file that cannot be read.
	Unreadable(p *Package, file string, err error)
	// Syntax is called with the first syntax error of a file.
	Syntax(p *Package, err *scanner.Error)
	// Redeclared is called for the second declaration of a type.
	Redeclared(first *Type, second *ast.TypeSpec)
}

// Eraser applies conditions on gates to files.
type Eraser interface {
	// Erase returns the file as if the lines whose conditions do not hold had not been written,
	// and conditions that hold had been removed from their lines. It does not modify the tree,
	// and positions in the result are those in the file. It sets f.Erased and f.NoKinds.
	Erase(f *File, tree *ast.File) *ast.File
}

// Erased is a declaration or a marker that a condition removes, or a field that a condition
// behind +schemagen:at removes from one use of its type.
type Erased struct {
	// Name is the name of a type or constant, or TYPE.FIELD. It is empty for anything else.
	Name string
	// Condition is the text of the condition, and Pos the position of its marker; for a marker
	// that is removed, its own.
	Condition string
	Pos       token.Pos
	// Node is the field, the specification, or the name in the package clause that is removed;
	// nil for a marker and behind +schemagen:at. Struct is the struct type of a field, as it is
	// in the tree without the field.
	Node   ast.Node
	Struct *ast.StructType
	// Comments are the markers at the declaration, or the marker that is removed.
	Comments []markers.Comment
}

// Gated is one of OpenShift's markers with gates.
type Gated struct {
	Pos token.Pos
	// Gates are the gates of which one has to be on or, with several names, all of them.
	Gates [][]string
	// Exists is set if the type itself depends on them.
	Exists bool
}

// ErasedAt returns what the condition at a position removes, or nil.
func (p *Package) ErasedAt(pos token.Pos) *Erased {
	for _, f := range p.Sources {
		for i := range f.Erased {
			if f.Erased[i].Pos == pos {
				return &f.Erased[i]
			}
		}
	}
	return nil
}

// ErasedType returns the type with a name, qualified or not, and its file, if a condition removes
// it, and nil otherwise. The name must have been resolved.
func (f *File) ErasedType(expr ast.Expr) (*File, *Erased) {
	p := f.Pkg
	name := expr
	if sel, ok := expr.(*ast.SelectorExpr); ok {
		if qualifier, ok := sel.X.(*ast.Ident); ok {
			p, _ = f.Imported(qualifier.Name)
		}
		name = sel.Sel
	}
	if p == nil {
		return nil, nil
	}
	for _, f := range p.Sources {
		for i := range f.Erased {
			if f.Erased[i].Name == ExprName(name) {
				return f, &f.Erased[i]
			}
		}
	}
	return nil, nil
}

// ErasedFields returns the fields that conditions remove from a struct type.
func (t *Type) ErasedFields() (out []Erased) {
	for _, erased := range t.File.Erased {
		if erased.Struct != nil && erased.Struct == t.Spec.Type {
			out = append(out, erased)
		}
	}
	return out
}

// MarkerParser parses the comments of declarations.
type MarkerParser interface {
	// ParseMarkers returns the markers in the comments of a declaration in the package, and
	// the definitions of markers whose arguments cannot be parsed.
	ParseMarkers(p *Package, comments []markers.Comment, target markers.Target) (Markers, Malformed)
	// Corrects reports whether the text of a comment in the file is replaced when it is
	// parsed, so that the content of the file does not tell which markers it has.
	Corrects(file string) bool
}

// Package is a Go package with an index of its types.
type Package struct {
	*golist.Package
	// Root reports whether the package is a root package of the run.
	Root bool
	// Sources are the files of the package, set by [Program.Scan] or [Package.Index].
	Sources []*File

	program *Program
	// hints are, for each name, the files that seem to declare a type of that name. A hint
	// is confirmed by parsing the file; a name without a hint is not declared, or is in a
	// file that has already been parsed.
	hints map[string][]*File
	types map[string]*Type
	// imported is set once an import has been resolved to the package.
	imported bool
	// constants is created on the first use by constantScope.
	constants *constantScope
	// functions is created on the first use by functionIndex.
	functions *functionIndex
}

// File is a Go file of a package.
type File struct {
	*text
	Pkg *Package

	// MentionsPackage reports whether the file has a marker that describes a package, or its
	// text is replaced by one.
	MentionsPackage bool
	// Syntax is the syntax tree and Comments are the markers in its comments. Both are nil
	// before the file is parsed, and if it cannot be parsed. What an [Eraser] removes is in
	// neither of them; Written has the markers as they are in the file.
	Syntax            *ast.File
	Comments, Written *markers.File
	// Erased is what conditions remove. Held has the declarations and markers whose conditions
	// hold. NoKinds is set if the condition at the package clause does not hold.
	Erased, Held []Erased
	NoKinds      bool
	// Gated are OpenShift's markers with gates, by the name of the type whose declaration has
	// them.
	Gated map[string][]Gated
	// Params are the type parameters that an instance binds, by name.
	Params map[string]TypeArgument

	// constants are the names of types that string constants seem to have, set on first
	// use.
	constants map[string]bool
	// imported is the result of imports.
	imported []*ast.ImportSpec

	instanceDepth int
	parsed        bool
}

// text is the content of a file, which is the same for all programs that share it.
type text struct {
	textKey
	// MentionsKind reports whether the content contains TypeMeta and ObjectMeta.
	MentionsKind bool
	// MentionsDeepCopy reports whether the content contains DeepCopy, and MentionsObject
	// whether that of a file of a root package contains a marker of the generator object.
	MentionsDeepCopy, MentionsObject bool
	// MentionsApply reports whether the content of a file of a root package contains a marker
	// of the generator applyconfiguration.
	MentionsApply bool
	// MentionsConfig reports whether the content of a file of a root package contains the
	// name of a marker of the generators rbac and webhook.
	MentionsConfig bool
	// SuspectMarkers is the result of [markers.Table.SuspectMarkers] for a file of a root package.
	SuspectMarkers bool

	// functions are what package unseen found when it searched a content with this many bytes.
	// searching guards both.
	searching       sync.Mutex
	functions       []unseen.Span
	searched        int
	unreadable      error
	mayMatter       bool     // of a root package, see mayMatter, or it cannot be read
	mentionsGates   bool     // the content contains a marker that depends on gates
	mentionsPackage bool     // the content contains a marker that describes a package
	mentionsMarshal bool     // the content contains MarshalJSON( or MarshalText(
	mentionsIsZero  bool     // the content contains IsZero(
	hasConstants    bool     // the file seems to declare constants
	hints           []string // names of types that the file seems to declare
	hintsIncomplete bool     // see typeHints
	// base is the first position of the file in the file set, size its length in bytes, and
	// room the number of positions from base that no other file has.
	base, size, room int
	digest           digest // of the content, if there are kept texts
	// modified is when the file was modified, if there are kept texts and it is not the user's.
	modified time.Time
	// tree is the result of parsing the file, file its positions, and failed the error. sound is
	// set if the file was parsed without errors, even if its tree was not kept. parsing guards all of
	// them while files are parsed.
	parsing sync.Mutex
	tree    *ast.File
	file    *token.File
	failed  error
	sound   bool
	// omitted are the functions that package unseen leaves out of the tree of a user's file.
	// Using them makes the result of the run depend on all of the file: see
	// [File.allFunctions].
	omitted []*ast.FuncDecl
}

// MetaV1Path is the import path of the package that declares TypeMeta and ObjectMeta.
const MetaV1Path = "k8s.io/apimachinery/pkg/apis/meta/v1"

// New returns a program without packages.
func New(c Config) *Program {
	return &Program{
		Files: c.Files, problems: c.Problems, markers: c.Markers, eraser: c.Eraser, dir: c.Dir, patterns: c.Patterns,
		roots: map[string]*Package{}, packages: map[*golist.Package]*Package{},
	}
}

// Packages returns the packages of the program that have been used so far, in unspecified
// order.
func (prog *Program) Packages() iter.Seq[*Package] { return maps.Values(prog.packages) }

// AddRoot adds a root package of the run.
func (prog *Program) AddRoot(listed *golist.Package) *Package {
	p := &Package{Package: listed, program: prog, Root: true}
	prog.roots[listed.Path] = p
	prog.packages[listed] = p
	return p
}

// InOrder returns the root packages in the order in which controller-gen processes them, see
// [golist.Order].
func (prog *Program) InOrder(roots []*Package) (ordered []*Package, ok bool) {
	listed := make([]*golist.Package, len(roots))
	for i, root := range roots {
		listed[i] = root.Package
	}
	listed, ok = golist.Order(prog.inputs, prog.dir, prog.patterns, listed)
	for _, p := range listed {
		ordered = append(ordered, prog.packageFor(p))
	}
	return ordered, ok
}

// packageFor returns the program's package for a listed package, without reading it.
func (prog *Program) packageFor(listed *golist.Package) *Package {
	if root, ok := prog.roots[listed.Path]; ok {
		return root
	}
	if p, ok := prog.packages[listed]; ok {
		return p
	}
	p := &Package{Package: listed, program: prog}
	prog.packages[listed] = p
	return p
}

// MentionsGates reports whether the file may have conditions on gates.
func (f *File) MentionsGates() bool { return f.mentionsGates }

// ParseGated parses the files of the user's packages that mention gates, also if nothing else
// needs them.
func (prog *Program) ParseGated() {
	packages := slices.SortedFunc(prog.Packages(), func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	for _, p := range packages {
		for _, f := range p.Sources {
			if p.Local() && f.mentionsGates {
				f.Parse()
			}
		}
	}
}

// NoKinds reports whether the condition beside the package clause does not hold, so that the
// package has no kinds. Its files have to be parsed as far as their package clauses need it.
func (p *Package) NoKinds() bool {
	return slices.ContainsFunc(p.Sources, func(f *File) bool { return f.NoKinds })
}

// Local reports whether the package is the user's, so that its mistakes are the user's to
// fix.
func (p *Package) Local() bool { return p.Root || p.Package.Local }

// Origin is the position of a finding.
type Origin struct {
	Pos token.Pos
	// Position is used if Pos is invalid, for example because the file cannot be parsed.
	Position diag.Position
	// Package is the import path of the package, or empty if there is none.
	Package string
	// Foreign is set if the package is not the user's.
	Foreign bool
}

// At returns the origin for a position in the package. p may be nil.
func (p *Package) At(pos token.Pos) Origin {
	if p == nil {
		return Origin{Pos: pos}
	}
	return Origin{Pos: pos, Package: p.Path, Foreign: !p.Local()}
}

// AtPosition is like [Package.At] for a position in a file that was not parsed.
func (p *Package) AtPosition(position diag.Position) Origin {
	origin := p.At(token.NoPos)
	origin.Position = position
	return origin
}

// AddFile adds a non-Go file to the file set.
func (files *Files) AddFile(name string, data []byte) *token.File {
	f := newFileSetAt(files.reserve(len(data))).AddFile(name, -1, len(data))
	f.SetLinesForContent(data)
	files.Fset.AddExistingFiles(f)
	return f
}

// EmptyPackage returns an empty local package, for markers that are not in Go source.
func (prog *Program) EmptyPackage() *Package {
	return &Package{Package: &golist.Package{Local: true}, program: prog, hints: map[string][]*File{},
		types: map[string]*Type{}}
}

// Lookup returns the declaration of a type in the package, or nil.
func (p *Package) Lookup(name string) *Type {
	p.Index()
	if t, ok := p.types[name]; ok && len(p.hints[name]) < 2 {
		return t
	}
	// Parse every file that seems to declare the type: a second declaration is an error.
	for _, f := range p.hints[name] {
		f.Parse()
	}
	return p.types[name]
}
