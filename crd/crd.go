// Package crd is a CustomResourceDefinition as packages hand it to each other: the
// object, its schemas in the model of package structural, and where in the source each
// part of it comes from.
//
// It knows neither how a definition is generated nor what an API server says of it. Go
// source and YAML files both give a [Definition].
package crd

import (
	"go/token"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/structural/manifest"
)

// Definition is a CustomResourceDefinition with positions.
type Definition struct {
	// CRD is the definition with its schemas. If it is nil, Build returns it: a large
	// definition need not be held in memory longer than it is used.
	CRD   *apiextensionsv1.CustomResourceDefinition
	Build func() *apiextensionsv1.CustomResourceDefinition
	// Bytes are the definition as it is written. Results about it are remembered under
	// them; if they are nil, nothing is remembered.
	Bytes []byte
	// Old is the definition that this one replaces, nil where it is created.
	Old *apiextensionsv1.CustomResourceDefinition
	// Schemas are the schemas of the versions, by index. Unheld is what the model cannot
	// hold of them; it may be shorter.
	Schemas []*structural.Schema
	Unheld  [][]structural.Unsupported
	// Place returns the position of a path in the CRD, for example
	// "spec.versions[0].schema.openAPIV3Schema.properties[a].type", and further
	// positions that belong to it.
	Place func(path string) (diag.Position, []diag.Related)
	// Inside returns the position of a character of the text at a path; line and column
	// count from one. If it is nil, positions end at texts.
	Inside func(path string, line, column int) (diag.Position, bool)
	// Incomplete reports whether a finding at a path follows from a mistake that has been
	// reported already; cost reports whether the finding is about what CEL rules cost.
	// Such findings are left out. If it is nil, there are none.
	Incomplete func(path string, cost bool) bool
	// OnlySchemas is set if what is around the schemas is known to be wrong already.
	OnlySchemas bool
	// Measure is set if the size of the definition is checked, too.
	Measure bool
}

// FromManifest returns the CRD of a document, whose positions the function resolves. It is
// nil if the document has no CRD.
func FromManifest(m *manifest.Manifest, position func(token.Pos) diag.Position) *Definition {
	if m.CRD == nil {
		return nil
	}
	return &Definition{
		CRD: m.CRD, Schemas: m.Schemas, Unheld: m.Unsupported, Measure: true,
		Place: func(path string) (diag.Position, []diag.Related) {
			return position(m.Position(path)), nil
		},
	}
}
