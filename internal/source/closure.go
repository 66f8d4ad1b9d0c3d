package source

import (
	"context"
	"go/parser"
	"go/token"
	"slices"
	"strconv"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// ReadClosure reads, through reader, the source files of packages and of everything that they
// import, except for the standard library.
func ReadClosure(ctx context.Context, reader *inputs.Reader, packages []*golist.Package) error {
	packages = slices.Clone(packages) // it becomes the list of packages to visit
	seen := map[*golist.Package]bool{}
	for len(packages) > 0 && ctx.Err() == nil {
		p := packages[len(packages)-1]
		packages = packages[:len(packages)-1]
		if seen[p] {
			continue
		}
		seen[p] = true
		for _, name := range p.Files {
			src, err := reader.ReadFile(name, nil)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
			if err != nil {
				continue // the file was recorded by ReadFile
			}
			for _, spec := range file.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					continue
				}
				if imported := p.Import(path); imported != nil && !imported.Standard {
					packages = append(packages, imported)
				}
			}
		}
	}
	return ctx.Err()
}
