// Package unions models unions, both discriminated (KEP-1027 "Union types") and
// undiscriminated (Kubernetes' declarative validation), and implements the
// operations defined on them: the schema rules that enforce a union on an API
// server, and normalization and validation of unstructured objects.
//
// It knows structural schemas and decoded JSON. It does not know Go source,
// markers, the position of a union in a schema, or the API server's code: the cost
// of rules is passed in as a function.
//
//   - unions.go is the model.
//   - lower.go, rules.go and branches.go convert the model to a schema.
//   - recover.go and recoverbranches.go recover the model from a schema.
//   - plan.go, normalize.go and validate.go apply the unions of a schema to
//     objects.
//   - policy.go makes the API server normalize on updates.
//
// Three principles hold throughout. The discriminator is always respected and never
// derived from the members (KEP-1027, Normalization). A member is set if it is
// present and not null. Only members of unions are ever changed.
package unions
