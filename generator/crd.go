package generator

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// CRD is one CustomResourceDefinition, ready to be rendered.
type CRD struct {
	// Object is the definition; its versions carry no schema.
	Object *apiextensionsv1.CustomResourceDefinition
	// Schemas are the schemas of Object.Spec.Versions, by index. nil means that
	// the version has none.
	Schemas []*structural.Schema
	// PreserveUnknownFields is spec.preserveUnknownFields where it is not nil;
	// the field of Object cannot say false.
	PreserveUnknownFields *bool

	// flawed: what stands beside the schemas has errors already.
	flawed bool
	// conversion is the marker that says how versions are converted; nil if none does.
	conversion *markers.Marker
	// roots are the root types of Object.Spec.Versions, by index.
	roots []*typeDecl
}

// FileName is the name of the file that the definition is written to.
func (c *CRD) FileName() string {
	return c.Object.Spec.Group + "_" + c.Object.Spec.Names.Plural + ".yaml"
}
