// Package structural is the model of a CustomResourceDefinition's schema: the
// structural schema of the KEP "Vanilla CRD OpenAPI Subset: Structural
// Schemas", and what is defined on it.
//
// It knows the shape of a schema, the place that every node comes from, and
// how a schema is rendered as JSONSchemaProps of apiextensions.k8s.io/v1. It
// does not know Go source, markers, or the API server's code.
//
// Invariants:
//
//   - A [Schema] holds everything that shapes values; a [ValueValidation] holds
//     only what restricts them.
//   - Inside of a logical junctor stands a [NestedValueValidation], a different
//     type: what is forbidden there sits in ForbiddenGenerics and
//     ForbiddenExtensions, where it can be refused and rendered.
//   - Property lists are ordered, and names in them are unique.
//   - Nodes are shared between parents and are not changed once shared.
//   - An [Origin] names a place by its token.Pos in the file set of the run, for
//     Go and YAML alike; it is resolved only when a diagnostic is printed.
package structural
