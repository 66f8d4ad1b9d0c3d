package build

import (
	"context"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/checks"
	"github.com/schemagen/schemagen/structural"
)

// Made is a definition made by a run, with its file.
type Made struct {
	File       File
	definition *checks.Definition
	checker    *checks.Checker
}

// Make reads the packages that the options name and returns the definitions of their kinds,
// sorted by kind. If a diagnostic is an error, no definitions are returned.
func Make(ctx context.Context, options Options) ([]*Made, diag.List, error) {
	all, files, w, err := generate(ctx, &options)
	if err != nil {
		return nil, nil, err
	}
	found, err := w.foldConsequences(ctx, w.Reporter.List.Normalize())
	if err != nil {
		return nil, nil, err
	}
	w.Checker.FindLocalFiles()
	var out []*Made
	for i, d := range all {
		out = append(out, &Made{files[i], d, w.Checker})
	}
	return out, found, ctx.Err()
}

// Schema returns the schema of a version, or nil if the definition does not have the
// version.
func (m *Made) Schema(version string) *structural.Schema { return m.definition.SchemaOf(version) }

// Position returns the position in the Go source of a path in the definition: the innermost
// one in the user's packages, or that of the kind.
func (m *Made) Position(path string) diag.Position {
	pos, _ := m.checker.Position(m.definition, path)
	return pos
}
