package source

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"

	"github.com/schemagen/schemagen/internal/parallel"
)

// Tree returns the syntax tree of the file, which it parses if that was not done before. It
// neither reports errors nor registers the types of the file: see [File.Parse].
func (f *File) Tree() (*ast.File, error) { return f.Pkg.program.syntax(f.text, &f.Pkg.program.content) }

// Hinted returns the files that seem to declare a type with the name, followed by those with
// declarations that the scan cannot recognize. The package must have been scanned by
// [Program.Scan].
func (p *Package) Hinted(name string) []*File {
	hinted := p.hints[name]
	out := append(make([]*File, 0, len(hinted)), hinted...)
	for _, f := range p.Sources {
		if f.hintsIncomplete {
			out = append(out, f)
		}
	}
	return out
}

// CheckSyntax parses, in parallel, those of the files that have not been parsed, and reports
// the ones that cannot be parsed. It returns whether all can. Syntax trees are not kept.
func (prog *Program) CheckSyntax(files []*File) bool {
	errs := make([]error, len(files))
	parallel.Workers(len(files), func() func(int) {
		var c content
		return func(i int) { errs[i] = prog.checkSyntax(files[i].text, &c) }
	})
	sound := true
	for i, err := range errs {
		if err == nil {
			continue
		}
		sound = false
		if f := files[i]; !f.parsed {
			f.parsed = true
			f.report(err)
		}
	}
	return sound
}

// checkSyntax returns the error of reading or parsing the file.
func (shared *Files) checkSyntax(f *text, c *content) error {
	if f.unreadable != nil {
		return f.unreadable
	}
	if f.sound || f.tree != nil || f.failed != nil {
		return f.failed
	}
	err := shared.read(f, c)
	if err == nil {
		if _, err = parser.ParseFile(newFileSetAt(f.base), f.Name, c.all, parser.SkipObjectResolution); err != nil {
			shared.inputs.Whole(f.Name)
		}
	}
	f.failed, f.sound = err, err == nil
	return err
}

// report reports the error of reading or parsing the file.
func (f *File) report(err error) {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		// Later errors are usually consequences of the first.
		f.Pkg.program.problems.Syntax(f.Pkg, list[0])
		return
	}
	f.Pkg.program.problems.Unreadable(f.Pkg, f.Name, err)
}
