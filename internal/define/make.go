package define

import (
	"bytes"
	"context"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/structural"
)

// GeneratedCRD is a definition that a run has generated, with its file.
type GeneratedCRD struct {
	File       File
	definition *checks.Definition
	checker    *checks.Checker
}

// HasSpecOf reports whether the specification of a definition is the same as that of another one
// with the same name.
func (m *GeneratedCRD) HasSpecOf(other *GeneratedCRD) bool {
	return m.File.Name == other.File.Name && bytes.Equal(m.File.spec(), other.File.spec())
}

// Make reads the packages that the options name and returns the definitions of their kinds,
// sorted by kind. If a diagnostic is an error, no definitions are returned.
func Make(ctx context.Context, options Options) ([]*GeneratedCRD, diag.List, error) {
	made, found, _, err := makeRun(ctx, options, nil)
	return made, found, err
}

// makeRun is [Make] that also returns the run. unverified is called with the findings that are known
// before the definitions are verified; it may be nil.
func makeRun(ctx context.Context, options Options, unverified func(diag.List)) ([]*GeneratedCRD, diag.List, *Run, error) {
	all, files, run, err := generate(ctx, options, rerun{}, unverified)
	if err != nil {
		return nil, nil, nil, err
	}
	found, err := run.foldConsequences(ctx, run.Reporter.List.Normalize())
	if err != nil {
		return nil, nil, nil, err
	}
	run.Checker.FindLocalFiles()
	var out []*GeneratedCRD
	for i, d := range all {
		out = append(out, &GeneratedCRD{files[i], d, run.Checker})
	}
	return out, found, run, ctx.Err()
}

// Object returns the definition without the schemas of its versions.
func (m *GeneratedCRD) Object() *apiextensionsv1.CustomResourceDefinition { return m.definition.Object }

// Definition returns the definition with its positions. Its CRD is built when it is needed.
func (m *GeneratedCRD) Definition() *crd.Definition {
	return m.checker.Subjects([]*checks.Definition{m.definition})[0]
}

// Described returns the definition with its positions. Its object has no schemas.
func (m *GeneratedCRD) Described() *crd.Definition {
	out := m.Definition()
	out.CRD = m.definition.Object
	return out
}

// Schema returns the schema of a version, or nil if the definition does not have the
// version.
func (m *GeneratedCRD) Schema(version string) *structural.Schema {
	return m.definition.SchemaOf(version)
}

// Position returns the position in the Go source of a path in the definition: the innermost
// one in the user's packages, or that of the kind.
func (m *GeneratedCRD) Position(path string) diag.Position {
	pos, _ := m.checker.Position(m.definition, path)
	return pos
}
