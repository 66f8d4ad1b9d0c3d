package golist

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// Package describes a Go package before any of its files is parsed.
type Package struct {
	// Path is the import path, and Name the name in the package clause.
	Path, Name string
	// Files are the absolute names of the Go files that the build constraints select,
	// sorted. They include cgo files, but not tests.
	Files []string
	// Local reports whether the package belongs to one of the user's modules: the main
	// module or a module of the workspace.
	Local bool
	// Standard reports whether the package is part of the standard library.
	Standard bool
	// Errors are the problems of the package itself that were found while listing it.
	Errors []Error
	// Import resolves an import path as written in a file of this package. It returns nil
	// if the package is not found.
	Import func(path string) *Package
	// Foreign reports whether an import path cannot be that of a package in the user's modules,
	// without looking for it. It may be nil.
	Foreign func(path string) bool
}

// Error is a problem of a package that was found while listing it. Pos is "file:line:col",
// "file:line", "-", or empty. Hint may be empty.
type Error struct {
	Pos  string
	Msg  string
	Hint string
}

// Lister finds packages. Its results are plain facts: paths, names and files.
type Lister interface {
	// List returns the packages that the patterns match in the module at dir, sorted by
	// path. It fails only if nothing can be listed at all; errors of single packages are in
	// [Package.Errors].
	List(ctx context.Context, dir string, patterns []string) ([]*Package, error)
}

// GoCommand is a [Lister] that runs the go command through go/packages.
type GoCommand struct {
	Inputs *inputs.Reader
	// Tags are the build tags.
	Tags []string
}

// commandFailed matches what go/packages writes before the message of the go command.
var commandFailed = lazyregexp.New(`^err: exit status \d+: stderr: `)

// List runs go list once for all patterns, without types, export data or cgo.
func (l GoCommand) List(ctx context.Context, dir string, patterns []string) ([]*Package, error) {
	l.Inputs.Unsure("the go command was run")
	config := &packages.Config{
		Context:    ctx,
		Dir:        dir,
		BuildFlags: []string{"-tags=" + strings.Join(l.Tags, ",")},
		Overlay:    l.Inputs.Overlay(),
		Mode:       packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
	}
	loaded, err := packages.Load(config, patterns...)
	if _, missing := exec.LookPath("go"); err != nil && missing != nil {
		return nil, fmt.Errorf("list packages in %s: the go command is not in PATH: install Go, or add its directory bin to PATH", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("list packages in %s: %s", dir, strings.TrimSpace(commandFailed().ReplaceAllString(err.Error(), "")))
	}
	known := map[*packages.Package]*Package{}
	var convert func(p *packages.Package) *Package
	convert = func(p *packages.Package) *Package {
		if out, ok := known[p]; ok {
			return out
		}
		out := &Package{
			Path:  p.PkgPath,
			Name:  p.Name,
			Files: p.GoFiles,
			Local: p.Module != nil && p.Module.Main, Standard: p.Module == nil,
			Import: func(path string) *Package {
				if imported, ok := p.Imports[path]; ok {
					return convert(imported)
				}
				return nil
			},
		}
		known[p] = out
		for _, e := range p.Errors {
			if e.Pos != "" && e.Pos != "-" && !filepath.IsAbs(e.Pos) {
				e.Pos = filepath.Join(dir, e.Pos)
			}
			// The go command omits files that it cannot read, but they still belong to the
			// package.
			if file := diag.ParsePosition(e.Pos).File; filepath.Dir(file) == p.Dir && filepath.Ext(file) == ".go" && !slices.Contains(out.Files, file) {
				out.Files = append(slices.Clip(out.Files), file)
			}
			out.Errors = append(out.Errors, Error{Pos: e.Pos, Msg: e.Msg})
		}
		return out
	}
	out := make([]*Package, 0, len(loaded))
	for _, p := range loaded {
		out = append(out, convert(p))
	}
	return out, nil
}
