package golist

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/inputs"
)

// Package is what is known of a Go package before any of its files is parsed.
type Package struct {
	// Path is the import path, Name the name in the package clause.
	Path, Name string
	// Files are the absolute names of the Go files that the build constraints
	// select, cgo files included, tests excluded, sorted.
	Files []string
	// Local reports whether the package belongs to a module of the user's: the
	// main module, or one of the workspace.
	Local bool
	// Standard reports whether it is the standard library's.
	Standard bool
	// Errors are what the listing has to say about the package itself.
	Errors []Error
	// Import returns the package that an import path, as written in a file of
	// this package, stands for, or nil.
	Import func(path string) *Package
}

// Error is a problem of a package that the listing found. Pos is "file:line:col",
// "file:line", "-", or empty.
type Error struct {
	Pos string
	Msg string
}

// Lister finds packages. Its answers are plain facts: paths, names, files.
type Lister interface {
	// List returns the packages that the patterns match in the module at dir,
	// sorted by path. It fails only if it can say nothing at all.
	List(ctx context.Context, dir string, patterns []string) ([]*Package, error)
}

// GoCommand asks the go command through go/packages.
type GoCommand struct {
	Inputs *inputs.Reader
	// Tags are the build tags.
	Tags []string
}

// List runs one go list over all patterns: no types, no export data, no cgo.
func (l GoCommand) List(ctx context.Context, dir string, patterns []string) ([]*Package, error) {
	l.Inputs.Unsure("the go command was asked")
	config := &packages.Config{
		Context:    ctx,
		Dir:        dir,
		BuildFlags: []string{"-tags=" + strings.Join(l.Tags, ",")},
		Overlay:    l.Inputs.Overlay(),
		Mode:       packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
	}
	loaded, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, fmt.Errorf("list packages in %s: %w", dir, err)
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
			// A file that the go command cannot read is left out of the list;
			// it belongs to the package all the same.
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
