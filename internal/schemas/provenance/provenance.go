// Package provenance has what the run that generates a definition knows of it beyond the
// definition itself, so that the checks of the same run cache results, share work, and do not
// repeat what was reported. Programs of other modules need none of it.
package provenance

import (
	"go/token"
	"sync/atomic"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// Record is what a run knows of a definition. The zero value is that of a definition from a file.
type Record struct {
	// Header is the definition without schemas; nil if it was not generated.
	Header *apiextensionsv1.CustomResourceDefinition
	// Resolve returns the source positions of nodes of the schemas, or is nil.
	Resolve func(token.Pos) diag.Position
	// BuildWith returns the definition with other schemas of the versions. If it is not nil, and
	// there is a Text or a Draft, nodes that occur repeatedly in several definitions, or in one, are
	// verified once.
	BuildWith func(schemas []*structural.Schema) *apiextensionsv1.CustomResourceDefinition
	// Text is the definition as it is written; results are cached under it, or under Draft for
	// one that is not written because of mistakes. If both are nil, nothing is cached.
	Text, Draft []byte
	// Undescribed, unless it is empty, identifies the definition apart from the texts of its
	// descriptions: results that do not depend on these are cached under it.
	Undescribed string
	// Incomplete reports whether a finding at a path follows from a mistake that was
	// already reported; cost is set if the finding is about the cost of CEL rules. Such
	// findings are dropped. If it is nil, none are.
	Incomplete func(path string, cost bool) bool
	// OnlySchemas drops findings outside the schemas, because that part is already known to
	// be wrong.
	OnlySchemas bool
	// Accepted, unless it is nil, is where a verifier notes that it accepts the definition, so
	// that other checks need not ask again.
	Accepted *Acceptance
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
