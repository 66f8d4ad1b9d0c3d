package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/structural"
)

// Generated is a CustomResourceDefinition with its schemas in the model of package
// structural, ready to be written.
type Generated struct {
	// Object is the definition; its versions have no schema.
	Object *apiextensionsv1.CustomResourceDefinition
	// Schemas are the schemas of Object.Spec.Versions, by index. A nil entry means that the
	// version has no schema.
	Schemas []*structural.Schema
	// PreserveUnknownFields is spec.preserveUnknownFields if it is not nil; the field of
	// Object omits false.
	PreserveUnknownFields *bool
}

// Schema returns the schema of a version, by index, or nil if it has none.
func (g *Generated) Schema(version int) *structural.Schema {
	if 0 <= version && version < len(g.Schemas) {
		return g.Schemas[version]
	}
	return nil
}
