// Package edits applies markers to schemas: to the keywords of a type's or field's node, and
// to finished schemas at a path from there.
//
//	reader := &edits.Reader{Reporter: reporter, Table: table, Markers: parser}
//	list := reader.Own(pkg, set)               // edits of a finished schema
//	schema = edits.Apply(reporter, schema, list)
//
// It knows markers and schemas. It does not know how types become schemas, or which markers a
// package has.
//
// Edits are made of finished schemas, which are copied along the path from the node with the marker.
// They and the merge are independent of each other.
//
// Read the files in this order:
//
//   - keywords.go: controller-tools' markers change the keywords of a node, before the merge; only
//     here do the two meet
//   - edit.go: changes of finished schemas
//   - own.go: the edits of this project's markers
//   - fragment.go, descriptions.go: pieces of schemas in markers, and descriptions
//   - declarative.go: the edits of Kubernetes' declarative-validation tags
//   - fields.go, lists.go, formats.go: tags for fields that may be set, for elements of lists, and for formats
//   - celtags.go, ratchet.go: tags as CEL rules, and the conditions under which such a rule does not matter
package edits
