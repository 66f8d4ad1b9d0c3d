// Package structural models the schema of a CustomResourceDefinition: the
// structural schema of the KEP "Vanilla CRD OpenAPI Subset: Structural Schemas",
// and the operations defined on it.
//
// It knows the shape of a schema, the position of every node in the source, and
// how a schema is rendered as JSONSchemaProps of apiextensions.k8s.io/v1. It
// does not know Go source, markers, or the API server's code.
//
// Invariants:
//
//   - A [Schema] holds everything that shapes values; a [ValueValidation] holds
//     only restrictions on them.
//   - Logical junctors contain [NestedValueValidation], a different type: parts
//     that are forbidden there are held in ForbiddenGenerics and
//     ForbiddenExtensions, so that they can be rejected and rendered.
//   - Property lists are ordered, and their names are unique.
//   - Nodes are shared between parents and are not modified once shared.
//   - An [Origin] is a token.Pos in the file set of the run, for Go and YAML
//     alike; it is resolved only when a diagnostic is printed.
package structural
