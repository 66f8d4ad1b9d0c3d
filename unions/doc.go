// Package unions models unions, both discriminated (KEP-1027 "Union types") and
// undiscriminated (Kubernetes' declarative validation), and implements the
// operations defined on them: the schema rules that enforce a union on an API
// server, and normalization and validation of unstructured objects.
//
// It knows structural schemas and decoded JSON. It does not know Go source,
// markers, the position of a union in a schema, or the API server's code: the cost
// of rules is passed in as a function. Package gounions of internal/unions finds unions
// in Go source, and decides whether their rules are written.
//
// Three principles hold throughout. The discriminator is always respected and never
// derived from the members (KEP-1027, Normalization). A member is set if it is
// present and not null. Only members of unions are ever changed.
//
// Read the files in this order:
//
//   - unions.go: the model
//   - lower.go: the model becomes part of a schema, in the first form whose rules fit the cost limit
//   - rules.go, branches.go: the CEL rules, and the oneOf form
//   - recover.go, recoverbranches.go, withoutrules.go: the model is recovered from a schema
//   - modes.go: fields that depend on the value of a discriminator, of which several may be set
//   - evaluate.go: the outcome of rules for an object
//   - plan.go, normalize.go, validate.go: the unions of a schema are applied to objects
//   - policy.go: an admission policy makes the API server normalize on updates
//   - sample.go, samplepattern.go: sample values of a schema
package unions
