// Package edits applies markers to schemas: to the keywords of a type's or field's node, and
// to finished schemas at a path from there.
//
//	reader := &edits.Reader{Reporter: reporter, Table: table, Markers: parser}
//	list := reader.Own(pkg, set)               // edits of a finished schema
//	schema = edits.Apply(reporter, schema, list)
//
// It knows markers and schemas. It does not know how types become schemas, or which markers a
// package has.
package edits
