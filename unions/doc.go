// Package unions is the model of unions (discriminated, as KEP-1027 "Union
// types" defines them, and undiscriminated, as Kubernetes' declarative
// validation does), and what is defined on it: the schema rules that enforce a
// union on an API server, and normalization and validation of unstructured
// objects.
//
// It knows structural schemas and decoded JSON. It does not know Go source,
// markers, where a union stands in a schema, or the API server's code: what rules
// cost comes in as a function.
//
//   - unions.go is the model.
//   - lower.go, rules.go and branches.go go from the model to a schema.
//   - recover.go and recoverbranches.go go from a schema back to the model.
//   - plan.go, normalize.go and validate.go apply the unions of a schema to
//     objects.
//   - policy.go has the API server do the same on updates.
//
// Three rules run through all of it. The discriminator is always respected, and
// never deduced from the members (KEP-1027, Normalization). A member is set if it
// is present and not null. Nothing but members of unions is ever changed.
package unions
