package generator

import (
	"context"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/structural"
)

// VersionAnnotation is the annotation of a CRD with the tool and version that wrote it. The
// key is controller-gen's, so that a migration changes only the value.
const VersionAnnotation = define.VersionAnnotation

// Codes returns the kinds of diagnostics that the generator reports itself, sorted by code.
// Those of a [Server] are not among them.
func Codes() []*diag.Kind {
	return slices.Concat(passes.Codes(), configgen.Codes())
}

// Rules returns the kinds of diagnostics about API conventions, sorted by code. They are
// reported only if [Language] names them.
func Rules() []*diag.Kind { return passes.Rules() }

// Run reads the packages that the options name and generates the
// CustomResourceDefinitions of their kinds.
//
// Diagnostics are about the source of the packages. If one of them is an error, the result
// has no CRDs. The error is for everything else: an option has a value that is not valid, the
// packages cannot be listed, or the context has ended.
func Run(ctx context.Context, options Options) (*Result, diag.List, error) {
	if err := options.check(); err != nil {
		return nil, nil, err
	}
	made, found, err := define.Make(ctx, options.internal())
	if err != nil {
		return nil, found, err
	}
	result := &Result{}
	for _, m := range made {
		result.crds = append(result.crds, &CRD{m})
	}
	return result, found, nil
}

// Result is the result of [Run].
type Result struct{ crds []*CRD }

// CRDs returns the CRDs, sorted by kind.
func (r *Result) CRDs() []*CRD { return slices.Clone(r.crds) }

// CRD is a generated CustomResourceDefinition. [Run] returns it; a literal has no content.
type CRD struct{ made *define.GeneratedCRD }

// FileName returns the base name of the file that the CRD is usually written to:
// "example.com_widgets.yaml".
func (c *CRD) FileName() string {
	if c.made == nil {
		return ""
	}
	return c.made.File.Name
}

// Object returns the complete definition, with apiVersion, kind and the schemas of all versions, as
// a client sends it to an API server and envtest installs it. It is a copy. YAML has keywords that
// the type cannot hold, such as x-kubernetes-unions.
func (c *CRD) Object() *apiextensionsv1.CustomResourceDefinition {
	if c.made == nil {
		return nil
	}
	return c.Definition().Build()
}

// Definition returns the definition with its positions in Go, as packages verify, compare, dryrun
// and apidocs take it.
func (c *CRD) Definition() *crd.Definition {
	if c.made == nil {
		return &crd.Definition{}
	}
	return c.made.Definition()
}

// YAML returns the text of the file, which must not be modified.
func (c *CRD) YAML() []byte {
	if c.made == nil {
		return nil
	}
	return c.made.File.Data
}

// Schema returns the schema of a version, which must not be modified. It is nil if the CRD
// does not have the version.
func (c *CRD) Schema(version string) *structural.Schema {
	if c.made == nil {
		return nil
	}
	return c.made.Schema(version)
}

// Position returns the position in the Go source of a path in the CRD, as API servers
// print it: "spec.versions[0].schema.openAPIV3Schema.properties[spec]". It is the innermost
// position in the packages of the run that the path leads to, and that of the kind if
// there is no other.
func (c *CRD) Position(path string) diag.Position {
	if c.made == nil {
		return diag.Position{}
	}
	return c.made.Position(path)
}
