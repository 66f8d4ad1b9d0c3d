// Package edits changes schemas as markers say: the keywords of a node that a type or a
// field is, and finished schemas at a path from there.
//
//	reader := &edits.Reader{Reporter: reporter, Table: table, Markers: parser}
//	list := reader.Own(pkg, set)               // what markers do to a finished schema
//	schema = edits.Apply(reporter, schema, list)
//
// It knows markers and schemas. It does not know how types become schemas, or which
// markers a package has.
package edits
