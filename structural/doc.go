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
//
// Read the files in this order. The model:
//
//   - schema.go: nodes, properties, validations, and the origin of each
//   - props.go, decode.go: schemas to JSONSchemaProps and back
//   - path.go: paths of nodes
//   - children.go: iteration over the nodes below a node
//   - named.go: properties by name
//   - union.go: x-kubernetes-unions
//
// Rules for schemas:
//
//   - check.go: what makes a schema not structural, in the words of the server's ValidateStructural
//   - proposal.go: rules of the proposals that the server does not enforce
//   - proposal_metadata.go, proposal_polymorphism.go, proposal_topology.go: those by subject
//   - proposal_union.go: those for unions
//   - condition.go: the condition NonStructuralSchema
//
// Operations on objects:
//
//   - objectpath.go: paths of values
//   - prune.go, default.go, prunedefaults.go: pruning and defaulting, and pruning of the defaults themselves
//   - lost.go: what one schema keeps of objects and another one drops
//
// Operations of the proposals on schemas:
//
//   - skeleton.go: the skeleton that prunes
//   - unfold.go, unfold_union.go, weaken.go: extensions as plain OpenAPI, and schemas without value validations
package structural
