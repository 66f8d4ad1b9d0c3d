// Package verify says what is wrong with a CustomResourceDefinition: what the
// API server would answer, in its own words; what the proposals that define
// structural schemas discourage; and what neither ever says, because it is no
// mistake but can never hold.
//
//	verify.go   one CRD: all checks, as diagnostics with places
//	paths.go    paths of printer columns, scale and selectable fields
//	size.go     where the bytes of a large CRD go
//	codes.go    the codes of the diagnostics
//
// It knows CRDs and places. It does not know where a CRD came from: Go source
// and YAML files are both a [crd.Definition].
package verify
