package crd

import (
	"go/token"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural/manifest"
)

// File is a YAML or JSON file of objects, or a part of one.
type File struct {
	// Name is the file name used in positions.
	Name string
	// Data is the content.
	Data []byte
	// LineOffset is the number of lines in the file that precede Data.
	LineOffset int
	// Mixed is set if the file was found in a directory. Such a file may contain anything,
	// so documents that are not objects are not reported, and patches of definitions are not
	// read.
	Mixed bool
}

// Read returns the objects of the file, the problems found in its text, and a function that
// resolves positions of both.
func (f File) Read() ([]*manifest.Manifest, []manifest.Problem, func(token.Pos) diag.Position) {
	fset := token.NewFileSet()
	manifests, problems := manifest.Read(fset, f.Name, f.Data)
	if f.Mixed {
		manifests = slices.DeleteFunc(manifests, isPatch)
		problems = slices.DeleteFunc(problems, func(p manifest.Problem) bool { return p.Kind == manifest.NoObject })
	}
	start := f.LineOffset // so that the closure does not keep Data alive
	return manifests, problems, func(pos token.Pos) diag.Position {
		out := diag.PositionOf(fset, pos)
		if out.Line > 0 {
			out.Line += start
		}
		return out
	}
}

// isPatch reports whether a definition has a name but none for its kind: it is kustomize's
// strategic merge patch of one.
func isPatch(m *manifest.Manifest) bool {
	if m.CRD == nil {
		return false
	}
	spec := m.CRD.Spec
	return m.CRD.Name != "" && spec.Group == "" && spec.Names.Kind == "" && spec.Names.Plural == ""
}
