package generator

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/markers"
)

// world is the Go source of one run. Packages are indexed and files are parsed
// when a type in them is asked for, not before.
type world struct {
	fset     *token.FileSet
	table    *markers.Table
	reporter *reporter
	options  *Options
	// roots are the packages that the run is about, by import path. They stand
	// for every import of that path, whichever module it is imported from.
	roots    map[string]*pkg
	packages map[*Package]*pkg
	// unionEnums are the places of the +enum markers that unions take.
	unionEnums map[token.Pos]bool
	// unions are those of the types whose schemas are finished, in the order of
	// their fields, with what the schemas say of them.
	unions map[*typeDecl][]*draftUnion
	// unionRules: one of them was written as rules.
	unionRules bool
	// server is the API server that has to accept the definitions, once asked for.
	server *apiserver.Target
	// localFiles are the files of the user's packages, while definitions are verified.
	localFiles map[string]bool
	// places are how many of the file set are given to files.
	places int
	buffer []byte
}

// pkg is one Go package with its lexical index.
type pkg struct {
	*Package
	world *world
	root  bool
	files []*file
	// hints says in which files something looks like the declaration of a type.
	// A hint is confirmed by parsing; what has no hint is not declared, or in a
	// file that is parsed already.
	hints map[string][]*file
	types map[string]*typeDecl
	facts *packageFacts
	// said are the options for the package, once asked for.
	said *PackageOptions
	// constants is the package reduced to them, once asked for.
	constants *constantScope
}

// file is one Go file of a package.
type file struct {
	pkg  *pkg
	name string

	// What a look at the bytes tells.
	unreadable        error
	mentionsKind      bool     // TypeMeta and ObjectMeta
	mentionsPackage   bool     // a marker that describes a package
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

	// params are the type parameters that an instance binds.
	params        map[string]typeArg
	instanceDepth int

	ast      *ast.File // nil before the file is parsed, and if it cannot be
	parsed   bool
	comments *markers.File
}

// packageMarkers are the markers whose presence in a file makes it worth
// parsing for what it says about its package.
var packageMarkers = [...]string{"+groupName", "+versionName", "+kubebuilder:skip", "+kubebuilder:validation:Optional", "+schemagen:"}

// of returns the world's view of a listed package. It does not read anything.
func (w *world) of(listed *Package) *pkg {
	if root, ok := w.roots[listed.Path]; ok {
		return root
	}
	if p, ok := w.packages[listed]; ok {
		return p
	}
	p := &pkg{Package: listed, world: w}
	w.packages[listed] = p
	return p
}

// local reports whether mistakes in the package are the user's to mend.
func (p *pkg) local() bool { return p.root || p.Local }

// index looks at the files of the package once, and parses those that declare types
// in ways which a look does not tell. Files that cannot be read are reported.
func (p *pkg) index() {
	if p.types != nil {
		return
	}
	p.world.look([]*pkg{p})
	p.types = map[string]*typeDecl{}
	for _, f := range p.files {
		if f.unreadable != nil {
			p.world.reporter.unreadable(p, f.name, f.unreadable)
			f.parsed = true
		} else if f.declaresOtherwise {
			f.parse()
		}
	}
}

// look reads the files of packages side by side, once, notes what their bytes tell,
// and gives each its places in the file set, which are the same in every run.
func (w *world) look(packages []*pkg) {
	var files []*file
	for _, p := range packages {
		if p.hints != nil {
			continue
		}
		p.hints = map[string][]*file{}
		for _, name := range p.Files {
			p.files = append(p.files, &file{pkg: p, name: name})
		}
		files = append(files, p.files...)
	}
	sideBySide(len(files), func() func(int) {
		var buffer []byte
		return func(i int) { buffer = files[i].look(buffer) }
	})
	for _, f := range files {
		f.base = w.reserve(f.size)
		for _, name := range f.hints {
			f.pkg.hints[name] = append(f.pkg.hints[name], f)
		}
	}
}

// look notes what the bytes of the file tell. It reads into the buffer, and returns
// one for the next file.
func (f *file) look(buffer []byte) []byte {
	src, err := f.pkg.world.options.Inputs.ReadFile(f.name, buffer)
	if err != nil {
		f.unreadable = err
		return buffer
	}
	f.size = len(src)
	f.mentionsKind = bytes.Contains(src, []byte("TypeMeta")) && bytes.Contains(src, []byte("ObjectMeta"))
	f.mentionsMarshal = bytes.Contains(src, []byte("MarshalJSON(")) || bytes.Contains(src, []byte("MarshalText("))
	for _, marker := range packageMarkers {
		f.mentionsPackage = f.mentionsPackage || bytes.Contains(src, []byte(marker))
	}
	f.declaresOtherwise = typeHints(src, func(name string) { f.hints = append(f.hints, name) })
	return src
}

// read returns the bytes of a file; they are valid until the next call.
func (w *world) read(name string) ([]byte, error) {
	src, err := w.options.Inputs.ReadFile(name, w.buffer)
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
		string(before) == string(byteOrderMark)
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

// parseAhead parses, side by side, what will be asked for of packages with kinds:
// the files that declare types, or say something about their package, and those of
// the types that make a kind.
func (w *world) parseAhead(packages []*pkg) {
	w.look(packages)
	var meta *pkg
	var files []*file
	for _, p := range packages {
		if !slices.ContainsFunc(p.files, func(f *file) bool { return f.mentionsKind }) {
			continue
		}
		if meta == nil {
			meta = p.imports(metav1Path)
		}
		for _, f := range p.files {
			if f.unreadable == nil && (len(f.hints) > 0 || f.mentionsPackage) {
				files = append(files, f)
			}
		}
	}
	if meta != nil && !meta.root {
		w.look([]*pkg{meta})
		for _, f := range meta.files {
			if slices.Contains(f.hints, "ObjectMeta") || slices.Contains(f.hints, "Time") {
				files = append(files, f)
			}
		}
	}
	sideBySide(len(files), func() func(int) {
		var buffer []byte
		return func(i int) { files[i].syntax(&buffer) }
	})
}

// reserve gives a file of a size its places in the file set of the run, which it can
// then be added to at any time. It returns the first.
func (w *world) reserve(size int) (base int) {
	base = 1 + w.places
	w.places += size + 1
	return base
}

// setFrom returns a file set of its own, in which the next file begins at the base.
func setFrom(base int) *token.FileSet {
	set := token.NewFileSet()
	if base > set.Base() {
		set.AddFile("", set.Base(), base-set.Base()-1)
	}
	return set
}

// syntax parses the file once, and knows nothing else of the world but the file
// set: it may be called side by side for different files. It reads into the buffer.
func (f *file) syntax(buffer *[]byte) (*ast.File, error) {
	if f.tree != nil || f.failed != nil {
		return f.tree, f.failed
	}
	w := f.pkg.world
	src, err := w.options.Inputs.ReadFile(f.name, *buffer)
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
	f.tree, f.failed = parser.ParseFile(own, f.name, src, parser.ParseComments|parser.SkipObjectResolution)
	w.fset.AddExistingFiles(own.File(token.Pos(f.base)))
	return f.tree, f.failed
}

// parse parses the file once, and registers the types that it declares. Syntax
// errors are reported.
func (f *file) parse() {
	if f.parsed {
		return
	}
	f.parsed = true
	w := f.pkg.world
	parsed, err := f.syntax(&w.buffer)
	if err != nil {
		var list scanner.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			// What follows the first error is usually its echo.
			w.reporter.syntax(f.pkg, list[0])
		} else {
			w.reporter.unreadable(f.pkg, f.name, err)
		}
		return
	}
	f.ast = parsed
	f.comments = w.table.Collect(parsed)
	for _, decl := range parsed.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.TypeSpec)
			if first, ok := f.pkg.types[spec.Name.Name]; ok {
				w.reporter.twice(first, spec)
				continue
			}
			f.pkg.types[spec.Name.Name] = &typeDecl{pkg: f.pkg, file: f, gen: gen, spec: spec}
		}
	}
}

// lookup returns the declaration of a type in the package, or nil.
func (p *pkg) lookup(name string) *typeDecl {
	p.index()
	if t, ok := p.types[name]; ok && len(p.hints[name]) < 2 {
		return t
	}
	// Every file that seems to declare it: a second declaration is an error.
	for _, f := range p.hints[name] {
		f.parse()
	}
	return p.types[name]
}

// imported returns the package that a qualifier in the file stands for. The
// path is set where an import fits, even if its package could not be found.
func (f *file) imported(name string) (p *pkg, importPath string) {
	var unnamed []string
	for _, spec := range f.ast.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name == nil {
			unnamed = append(unnamed, imp)
		} else if spec.Name.Name == name {
			return f.pkg.imports(imp), imp
		}
	}
	// An import without a name goes by the name in the package clause. Those
	// whose path looks like it are asked first.
	for _, looksLikeIt := range []bool{true, false} {
		for _, imp := range unnamed {
			if (guessName(imp) == name) != looksLikeIt {
				continue
			}
			if p := f.pkg.imports(imp); p != nil && p.Name == name {
				return p, imp
			} else if p == nil && looksLikeIt {
				importPath = imp
			}
		}
	}
	return nil, importPath
}

// imports returns the package of an import path, or nil if it was not found.
func (p *pkg) imports(importPath string) *pkg {
	if listed := p.Import(importPath); listed != nil && listed.Name != "" {
		return p.world.of(listed)
	}
	return nil
}

// dotImports returns the packages whose names the file uses unqualified.
func (f *file) dotImports() []*pkg {
	var out []*pkg
	for _, spec := range f.ast.Imports {
		if spec.Name == nil || spec.Name.Name != "." {
			continue
		}
		if imp, err := strconv.Unquote(spec.Path.Value); err == nil {
			if p := f.pkg.imports(imp); p != nil {
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

// excludedHint says in which file of the package a type is declared that this
// run does not see.
func (f *file) excludedHint(expr ast.Expr) string {
	name, p := "", f.pkg
	switch expr := expr.(type) {
	case *ast.Ident:
		name = expr.Name
	case *ast.SelectorExpr:
		qualifier, ok := expr.X.(*ast.Ident)
		if !ok {
			return ""
		}
		name = expr.Sel.Name
		if p, _ = f.imported(qualifier.Name); p == nil {
			return ""
		}
	}
	if len(p.Files) == 0 {
		return ""
	}
	dir := filepath.Dir(p.Files[0])
	entries, err := f.pkg.world.options.Inputs.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, entry := range entries {
		file := filepath.Join(dir, entry.Name())
		if !strings.HasSuffix(file, ".go") || slices.Contains(p.Files, file) {
			continue
		}
		src, err := f.pkg.world.options.Inputs.ReadFile(file, nil)
		if err != nil {
			continue
		}
		declared := false
		typeHints(src, func(hint string) { declared = declared || hint == name })
		switch {
		case declared && strings.HasSuffix(file, "_test.go"):
			return "it is declared in " + entry.Name() + ", a test file"
		case declared:
			return "it is declared in " + entry.Name() + ", which the build constraints of this run leave out: see --tags, GOOS and GOARCH"
		}
	}
	return ""
}
