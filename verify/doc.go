// Package verify finds what is wrong with a CustomResourceDefinition: what the API server
// rejects, in its own words; what the proposals that define structural schemas discourage;
// and what neither reports because it is valid but can never be satisfied.
//
// It knows CRDs and positions, not where a CRD came from: Go source and YAML files are both
// a [crd.Definition]. It implements the interface Server of package generator.
//
// Read the files in this order:
//
//   - verify.go: checks one CRD and returns diagnostics with positions
//   - manifest.go: the CRDs of a file, and the problems in its text
//   - correct.go: corrects what the server rejects in a copy and validates again, to find all errors at once
//   - cause.go, default.go, escape.go: positions in rules, values in defaults, names that rules have to escape
//   - costfindings.go: errors about the cost of rules, which package apiserver estimates
//   - absent.go: rules that fail for objects without a field, which package rules finds
//   - unions.go: the unions that rules enforce, and what they accept besides
//   - newer.go: rules that only newer servers reject
//   - paths.go, columns.go: paths of printer columns and of the scale subresource that do not exist,
//     or never have a value
//   - versions.go: versions that the server converts itself although their schemas differ
//   - condition.go: the condition NonStructuralSchema, and what is refused beside it
//   - size.go: which parts of a large CRD take the most bytes
//   - shared.go: definitions of which the server is asked about parts
//   - handle.go: what the server does with objects, kept by the definition
//   - codes.go, rejections.go: the codes of the diagnostics, and the causes of rejections by the server
package verify
