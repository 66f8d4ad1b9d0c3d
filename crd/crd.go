package crd

import (
	"go/token"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/schemas/provenance"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/structural/manifest"
)

// Definition is a CustomResourceDefinition with positions.
type Definition struct {
	// CRD is the definition with its schemas. If it is nil, Build returns it, so that a
	// large definition is held in memory only while it is used.
	CRD   *apiextensionsv1.CustomResourceDefinition
	Build func() *apiextensionsv1.CustomResourceDefinition
	// Old is the definition that this one replaces, or nil if it is created.
	Old *apiextensionsv1.CustomResourceDefinition
	// Schemas are the schemas of the versions, by index. Unsupported lists, also by index,
	// what the model cannot represent; it may be shorter.
	Schemas     []*structural.Schema
	Unsupported [][]structural.Unsupported
	// Position returns the source position of a path in the CRD, for example
	// "spec.versions[0].schema.openAPIV3Schema.properties[a].type", and related positions.
	Position func(path string) (diag.Position, []diag.Related)
	// TextPosition returns the position of a character of the text at a path; line and
	// column are 1-based. If it is nil, a diagnostic has the position of the whole text.
	TextPosition func(path string, line, column int) (diag.Position, bool)
	// Replacement returns the edit that replaces a text in the source of the value at a path.
	// ok is false if the value does not have the text exactly once. If it is nil, findings have
	// no fixes.
	Replacement func(path, old, text string) (edit diag.Edit, ok bool)
	// CheckSize enables the check of the definition's size.
	CheckSize bool
	// Converted reports whether something outside of the definition adds a webhook that converts
	// between its versions, such as a kustomization beside its file. If it is nil, nothing does.
	// For generated definitions, it must not be called concurrently, also not for several.
	Converted func() bool
	// Conversions are those between versions, if they are generated from Go types; nil if
	// they are unknown.
	Conversions []Conversion

	provenance provenance.Record
}

// Provenance returns what only schemagen's own packages know of a definition, and may set.
func (d *Definition) Provenance() *provenance.Record {
	if d == nil {
		return &provenance.Record{}
	}
	return &d.provenance
}

// Conversion is how objects of one version are converted to another one.
type Conversion struct {
	From, To string
	// Losses are the fields of From that may have values which To cannot express.
	Losses []Loss
}

// Loss is a field of which a conversion may lose values.
type Loss struct {
	// Field is the path in objects, for example ".spec.ports[*].name".
	Field string
	// Whole is set if all below the field is lost with it.
	Whole bool
	// Kept is set if an annotation keeps what is lost. Otherwise Reason is why it is dropped.
	Kept   bool
	Reason string
}

// ConversionAnnotation returns the name of the annotation in which conversions between the
// versions of a group's kinds keep what a version lacks.
func ConversionAnnotation(group string) string { return group + "/conversion" }

// FromManifest returns the CRD of a YAML or JSON document, or nil if the document is not a
// CRD. position resolves the positions of the document.
func FromManifest(m *manifest.Manifest, position func(token.Pos) diag.Position) *Definition {
	if m == nil || m.CRD == nil {
		return nil
	}
	if position == nil {
		position = func(token.Pos) diag.Position { return diag.Position{} }
	}
	return &Definition{
		CRD: m.CRD, Schemas: m.Schemas, Unsupported: m.Unsupported, CheckSize: true,
		Position: func(path string) (diag.Position, []diag.Related) {
			return position(m.Position(path)), nil
		},
	}
}
