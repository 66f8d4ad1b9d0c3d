package crd

import (
	"go/token"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural/manifest"
)

// File is a file of YAML or JSON with objects, or a part of one.
type File struct {
	// Name is the name of the file in positions.
	Name string
	// Data is the text.
	Data []byte
	// Before is the number of lines of the file before Data.
	Before int
	// Mixed is set if the file was found in a directory: it may hold anything, so that
	// text that is no object is no problem.
	Mixed bool
}

// Read reads all objects of the file, with what is wrong with its text. The function
// resolves their positions.
func (f File) Read() ([]*manifest.Manifest, []manifest.Problem, func(token.Pos) diag.Position) {
	fset := token.NewFileSet()
	manifests, problems := manifest.Read(fset, f.Name, f.Data)
	if f.Mixed {
		problems = slices.DeleteFunc(problems, func(p manifest.Problem) bool { return p.Kind == manifest.NoObject })
	}
	before := f.Before // positions outlive the text
	return manifests, problems, func(pos token.Pos) diag.Position {
		out := diag.PositionOf(fset, pos)
		if out.Line > 0 {
			out.Line += before
		}
		return out
	}
}
