package generator

import (
	"context"
	"go/parser"
	"go/token"
	"strconv"
)

// NoteClosure reads, through the options' Inputs, the source of the packages that
// the patterns name and of all that they import, but for the standard library,
// which the toolchain's version tells. It is for callers that hand the packages to
// something else, and want to know later whether it would see the same. The
// patterns must be ones that a run has listed without findings.
func NoteClosure(ctx context.Context, options Options) error {
	listed, err := listRoots(ctx, options.Inputs, options.lister(nil), options.Dir, options.Patterns, &reporter{fset: token.NewFileSet()})
	if err != nil {
		return err
	}
	seen := map[*Package]bool{}
	for len(listed) > 0 && ctx.Err() == nil {
		p := listed[len(listed)-1]
		listed = listed[:len(listed)-1]
		if seen[p] {
			continue
		}
		seen[p] = true
		for _, name := range p.Files {
			src, err := options.Inputs.ReadFile(name, nil)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
			if err != nil {
				continue // it is noted
			}
			for _, spec := range file.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					continue
				}
				if imported := p.Import(path); imported != nil && !imported.Standard {
					listed = append(listed, imported)
				}
			}
		}
	}
	return ctx.Err()
}
