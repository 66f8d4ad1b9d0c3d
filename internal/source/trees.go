package source

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/schemagen/schemagen/internal/ground/parallel"
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

// relevant returns the packages in which generators read declarations or markers, or in which a
// syntax error may hide what they would read. The packages must have been scanned. One becomes
// relevant when an import is resolved to it.
func relevant(packages []*Package) []*Package {
	matters := func(f *File) bool { return f.mayMatter || f.MentionsPackage }
	return slices.DeleteFunc(slices.Clone(packages), func(p *Package) bool {
		// A broken package clause leaves a package without a name.
		return !p.imported && p.Name != "" && !slices.ContainsFunc(p.Sources, matters)
	})
}

// Unparsed returns the user's files in the relevant packages that have not been parsed without
// errors. Those that do not seem to declare types are first: nothing else will parse them.
func Unparsed(packages []*Package) []*File {
	var out, typed []*File
	for _, p := range relevant(packages) {
		for _, f := range p.Sources {
			switch {
			case !f.local || f.unreadable != nil || f.sound:
			case len(f.hints) == 0:
				out = append(out, f)
			default:
				typed = append(typed, f)
			}
		}
	}
	return append(out, typed...)
}

// CheckRelevantSyntax is [Program.CheckSyntax] for the relevant packages.
func (prog *Program) CheckRelevantSyntax(packages []*Package) bool {
	var files []*File
	for _, p := range relevant(packages) {
		files = append(files, p.Sources...)
	}
	return prog.CheckSyntax(files)
}

// CheckSyntax parses, in parallel, those of the files that have not been parsed, and reports
// the ones that cannot be parsed. It returns whether all can. Syntax trees are not kept.
func (prog *Program) CheckSyntax(files []*File) bool {
	return prog.CheckSyntaxAhead(files, func() bool { return false })()
}

// CheckSyntaxAhead is like [Program.CheckSyntax] for a caller that goes on with other work,
// which takes one processor: it starts with the files, and finish does the rest on all
// processors and reports. Nothing more is parsed once stopped returns true.
func (prog *Program) CheckSyntaxAhead(files []*File, stopped func() bool) (finish func() bool) {
	errs := make([]error, len(files))
	var next atomic.Int64
	check := func(int) {
		var c content
		for i := int(next.Add(1)) - 1; i < len(files) && !stopped(); i = int(next.Add(1)) - 1 {
			errs[i] = prog.checkSyntax(files[i].text, &c)
		}
	}
	var ahead sync.WaitGroup
	var failure *parallel.Panic
	ahead.Go(func() { failure = parallel.Catch(func() { check(0) }) })
	return func() bool {
		parallel.Workers(runtime.GOMAXPROCS(0), func() func(int) { return check })
		ahead.Wait()
		failure.Raise()
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
}

// checkSyntax returns the error of reading or parsing the file.
func (shared *Files) checkSyntax(f *text, c *content) error {
	if f.unreadable != nil {
		return f.unreadable
	}
	f.parsing.Lock()
	defer f.parsing.Unlock()
	if f.sound || f.tree != nil || f.failed != nil {
		return f.failed
	}
	err := shared.read(f, c)
	if err == nil {
		if _, err = parser.ParseFile(newFileSetAt(f.base), f.Name, c.all, parser.SkipObjectResolution); err != nil {
			shared.inputs.Whole(f.Name)
		}
	}
	f.failed = err
	if err == nil {
		shared.keepSound(f)
	}
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
