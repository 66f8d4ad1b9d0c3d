package generator

import (
	"context"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/build"
	"github.com/schemagen/schemagen/generator/internal/checks"
	"github.com/schemagen/schemagen/generator/internal/report"
)

// VersionAnnotation says which tool and version wrote a definition. The key is
// controller-gen's, so that a migration changes one value.
const VersionAnnotation = build.VersionAnnotation

// FileName is the name of the file of the definition of a resource.
func FileName(group, plural string) string { return checks.FileName(group, plural) }

// File is one generated file.
type File = build.File

// Codes returns the kinds of diagnostics of the generator, sorted by their codes.
func Codes() []*diag.Kind { return report.Codes() }

// Definitions reads the packages and returns the definitions of their kinds with
// their positions in the source, checked as [Run] checks them, for packages that compare
// or publish definitions. There are none if a diagnostic is an error.
func Definitions(ctx context.Context, options Options) ([]*crd.Definition, diag.List, error) {
	return build.Definitions(ctx, options)
}

// Misspelt looks for markers of the options' generators that are misspelt, for runs
// that do not generate definitions.
func Misspelt(ctx context.Context, options Options) (diag.List, error) {
	return build.Misspelt(ctx, options)
}

// Listing is how the packages of a run are found.
type Listing = build.Listing

// List finds the packages and reads nothing of them. Diagnostics are about
// patterns and packages that cannot be found.
func List(ctx context.Context, options Options) (Listing, diag.List, error) {
	return build.List(ctx, options)
}

// NoteClosure reads, through the options' Inputs, the source of the packages that
// the patterns name and of all that they import, but for the standard library,
// which the toolchain's version tells. It is for callers that hand the packages to
// something else, and want to know later whether it would see the same. The
// patterns must be ones that a run has listed without findings.
func NoteClosure(ctx context.Context, options Options) error {
	return build.NoteClosure(ctx, options)
}

// SwaggerTypes are types of one package, by their names in Go.
type SwaggerTypes = build.SwaggerTypes

// Swagger returns an OpenAPI v2 document as JSON that defines the types, which are
// kinds, and all that they refer to. It is what applyconfiguration-gen of code-generator
// reads.
func Swagger(ctx context.Context, options Options, types SwaggerTypes) ([]byte, diag.List, error) {
	return build.Swagger(ctx, options, types)
}
