package crd

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// Check returns an error if there is nothing to get a CRD from.
func (d *Definition) Check() error {
	switch {
	case d == nil:
		return errors.New("a definition is nil")
	case d.CRD == nil && d.Build == nil:
		return errors.New("a definition has neither a CRD nor a function that builds one")
	}
	return nil
}

// Completed returns a copy of the definition with Schemas of its CRD, if it has none, and with a
// Position, which may know no positions. Only if there are neither a CRD nor Schemas, Build is
// called. It returns the error of Check, or one if there are fewer schemas than versions.
func (d *Definition) Completed() (*Definition, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	out := *d
	if out.Position == nil {
		out.Position = func(string) (diag.Position, []diag.Related) { return diag.Position{}, nil }
	}
	object := out.CRD
	if object == nil && len(out.Schemas) == 0 {
		object = out.Build()
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

// Acceptance notes which API server accepts the creation of a definition. The zero value notes
// none. It is safe for concurrent use.
type Acceptance struct{ version atomic.Pointer[string] }

// Set notes the version of Kubernetes whose API server accepts the definition; empty if it does
// not. It has no effect if a is nil.
func (a *Acceptance) Set(version string) {
	if a != nil {
		a.version.Store(&version)
	}
}

// By reports whether the API server of a version was the last one to accept the definition.
func (a *Acceptance) By(version string) bool {
	if a == nil {
		return false
	}
	noted := a.version.Load()
	return noted != nil && *noted == version && version != ""
}
