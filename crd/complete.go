package crd

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// Check returns an error if there is nothing to get a CRD from.
func (d *Definition) Check() error {
	switch {
	case d == nil:
		return errors.New("the definition is nil: use New or Read of package crd")
	case d.CRD == nil && d.Build == nil:
		return errors.New("the definition has neither a CRD nor a function that builds one: use New or Read of package crd")
	}
	return nil
}

func noPosition(string) (diag.Position, []diag.Related) { return diag.Position{}, nil }

// Completed returns a copy of the definition with Schemas of its CRD, if it has none, and with a
// Position, which may know no positions. Only if there are neither a CRD nor Schemas, Build is
// called. It returns the error of Check, or one if there are fewer schemas than versions.
func (d *Definition) Completed() (*Definition, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	out := *d
	if out.Position == nil {
		out.Position = noPosition
	}
	object := out.CRD
	if object == nil && len(out.Schemas) == 0 {
		built, err := out.built()
		if err != nil {
			return nil, err
		}
		object = built
	}
	switch {
	case object == nil:
	case len(out.Schemas) == 0:
		out.Unsupported = nil
		for _, v := range object.Spec.Versions {
			var schema *structural.Schema
			var unsupported []structural.Unsupported
			if v.Schema != nil {
				schema, unsupported = structural.FromProps(v.Schema.OpenAPIV3Schema)
			}
			out.Schemas = append(out.Schemas, schema)
			out.Unsupported = append(out.Unsupported, unsupported)
		}
	case len(out.Schemas) < len(object.Spec.Versions):
		return nil, fmt.Errorf("%s has %d versions, but schemas of %d", object.Name, len(object.Spec.Versions), len(out.Schemas))
	}
	return &out, nil
}

// Object returns the complete CustomResourceDefinition, with apiVersion, kind, and the schemas of
// all versions, as a client sends it to an API server and envtest installs it. It is a copy. The
// error is that of Check.
func (d *Definition) Object() (*apiextensionsv1.CustomResourceDefinition, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	built, err := d.built()
	if err != nil {
		return nil, err
	}
	object := built.DeepCopy()
	object.TypeMeta = metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"}
	return object, nil
}

// built returns the CRD, whose definition passes Check.
func (d *Definition) built() (*apiextensionsv1.CustomResourceDefinition, error) {
	if d.CRD != nil {
		return d.CRD, nil
	}
	object := d.Build()
	if object == nil {
		return nil, errors.New("the definition's function Build returned nil")
	}
	return object, nil
}

// Schema returns the schema of a version, which must not be changed. It is nil if the definition
// does not have the version, or the version no schema.
func (d *Definition) Schema(version string) *structural.Schema {
	completed, err := d.Completed()
	if err != nil {
		return nil
	}
	object, err := completed.built()
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(object.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	if i < 0 || i >= len(completed.Schemas) {
		return nil
	}
	return completed.Schemas[i]
}

// Nodes iterates over the schemas of all versions, and over all schemas below them outside of
// allOf, anyOf, oneOf and not, each after those that contain it. The key is the path in the CRD, as
// API servers print it and Position takes it:
// "spec.versions[0].schema.openAPIV3Schema.properties[spec]".
func (d *Definition) Nodes() iter.Seq2[string, *structural.Schema] {
	return func(yield func(string, *structural.Schema) bool) {
		completed, err := d.Completed()
		if err != nil {
			return
		}
		for i, schema := range completed.Schemas {
			for path, node := range schema.All() {
				if !yield(fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema%s", i, path), node) {
					return
				}
			}
		}
	}
}
