// Package verify finds what is wrong with a CustomResourceDefinition: what the API server
// rejects, in its own words; what the proposals that define structural schemas discourage;
// and what neither reports because it is valid but can never be satisfied.
//
//	verify.go   checks one CRD and returns diagnostics with positions
//	correct.go  corrects what the server rejects, to find all errors at once
//	newer.go    rules that only newer servers reject
//	cost.go     errors about the cost of rules
//	paths.go    paths of printer columns and of the scale subresource that do not exist
//	columns.go  paths of printer columns that never have a value
//	condition.go  the condition NonStructuralSchema, and what is refused beside it
//	size.go     which parts of a large CRD take the most bytes
//	codes.go    the codes of the diagnostics
//
// It knows CRDs and positions, not where a CRD came from: Go source and YAML files are both
// a [crd.Definition].
package verify
