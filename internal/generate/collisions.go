package generate

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
)

// written is an output file with the generator that writes it and, for Go code, the directory
// of the package that it is written for.
type written struct {
	output.File
	generator, packageDir string
}

// collisions reports files that several generators write, or one generator for several
// packages. Paths may be relative to dir.
func collisions(dir string, files []written) (out diag.List) {
	byPath := slices.Clone(files)
	for i, f := range byPath {
		if !filepath.IsAbs(f.Path) {
			byPath[i].Path = filepath.Join(dir, f.Path)
		}
	}
	slices.SortStableFunc(byPath, func(a, b written) int { return strings.Compare(a.Path, b.Path) })
	for len(byPath) > 0 {
		first := byPath[0]
		var writers []string
		hint := "without an output rule for " + first.generator + ", each file is written next to its package"
		for len(byPath) > 0 && byPath[0].Path == first.Path {
			f := byPath[0]
			byPath = byPath[1:]
			if f.generator != first.generator {
				hint = "give each generator a directory of its own, with output:" + f.generator + ":dir=…"
			}
			writer := f.generator
			if f.packageDir != "" {
				writer += " for " + screen.Relative(dir, f.packageDir, 0)
			}
			if !slices.Contains(writers, writer) {
				writers = append(writers, writer)
			}
		}
		if len(writers) > 1 {
			out = append(out, fileWrittenTwice.At(diag.Position{}, hint, "%s is written by %s", screen.Relative(dir, first.Path, 0), strings.Join(writers, " and by ")))
		}
	}
	return out
}
