package source

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"

	"github.com/schemagen/schemagen/internal/ground/parallel"
)

// ParseAhead parses, in parallel, the files that packages with kinds will need: files that declare
// types or describe their package, and files that declare the metadata types of a kind. It returns
// early once stopped returns true.
func (prog *Program) ParseAhead(packages []*Package, stopped func() bool) {
	prog.Scan(packages)
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
		prog.Scan([]*Package{meta})
		for _, f := range meta.Sources {
			if slices.Contains(f.hints, "ObjectMeta") || slices.Contains(f.hints, "Time") {
				files = append(files, f)
			}
		}
	}
	parallel.Workers(len(files), func() func(int) {
		var c content
		return func(i int) {
			if !stopped() {
				prog.syntax(files[i].text, &c)
			}
		}
	})
}

// Trees parses, in parallel, those of the files that have not been parsed, and calls use
// with the index and syntax tree of each file. Files that cannot be parsed are skipped
// without a report. The types of newly parsed files are not registered.
func (prog *Program) Trees(files []*File, use func(i int, tree *ast.File)) {
	parallel.Workers(len(files), func() func(int) {
		var c content
		return func(i int) {
			if tree, err := prog.syntax(files[i].text, &c); err == nil {
				use(i, tree)
			}
		}
	})
}

// reserve reserves positions in the file set of the run for a file of size bytes, and
// returns the first. The file can be added at any time.
func (files *Files) reserve(size int) (base int) {
	base = 1 + files.reserved
	files.reserved += size + 1
	return base
}

// newFileSetAt returns a file set whose next file starts at base.
func newFileSetAt(base int) *token.FileSet {
	set := token.NewFileSet()
	if base > set.Base() {
		set.AddFile("", set.Base(), base-set.Base()-1)
	}
	return set
}

// syntax parses a file once. It may be called in parallel for different files.
func (files *Files) syntax(f *text, c *content) (*ast.File, error) {
	f.parsing.Lock()
	defer f.parsing.Unlock()
	if f.tree != nil || f.failed != nil {
		return f.tree, f.failed
	}
	err := files.read(f, c)
	if err == nil && (len(c.all) != f.size || files.kept.changed(f, c.all)) {
		err = errors.New("it changed while it was read")
	}
	if err != nil {
		f.failed = err
		return nil, err
	}
	own := newFileSetAt(f.base)
	f.tree, f.failed = parser.ParseFile(own, f.Name, c.all, parser.ParseComments|parser.SkipObjectResolution)
	f.file = own.File(token.Pos(f.base))
	files.Fset.AddExistingFiles(f.file)
	if f.failed != nil {
		files.inputs.Whole(f.Name)
	} else {
		f.omit(c.omitted())
		files.keepSound(f)
	}
	return f.tree, f.failed
}

// Parse parses the file once and registers the types that it declares. It reports syntax
// errors.
func (f *File) Parse() {
	if f.parsed {
		return
	}
	f.parsed = true
	prog := f.Pkg.program
	parsed, err := prog.syntax(f.text, &prog.content)
	if err != nil {
		f.report(err)
		return
	}
	f.Syntax = parsed
	f.Written = prog.table.Collect(parsed)
	f.Comments = f.Written
	if (f.mentionsGates || prog.markers.Corrects(f.Name)) && prog.eraser != nil && f.Pkg.Local() {
		parsed = prog.eraser.Erase(f, parsed)
		f.Syntax = parsed
		f.Comments = prog.table.Collect(parsed)
	}
	for _, decl := range parsed.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.TypeSpec)
			if first, ok := f.Pkg.types[spec.Name.Name]; ok {
				prog.problems.Redeclared(first, spec)
				continue
			}
			f.Pkg.types[spec.Name.Name] = &Type{Pkg: f.Pkg, File: f, Decl: gen, Spec: spec}
		}
	}
}

// ParseTypes parses all files that seem to declare types.
func (p *Package) ParseTypes() {
	for _, name := range slices.Sorted(maps.Keys(p.hints)) {
		p.Lookup(name)
	}
}
