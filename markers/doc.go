// Package markers finds the marker comments of a Go file, says which
// declaration each belongs to, and parses them by the table of definitions.
//
// The vocabulary is controller-tools' own: names, argument grammar and meaning
// of a marker come from its definitions, so that a marker does what its
// authors defined. This package owns what surrounds them: collection,
// positions, and source order.
//
//	file := table.Collect(astFile)        // comments, per declaration, in order
//	file.Package, file.Type(spec), file.Fields(structType)
//	marker, err := table.Parse(comment, markers.Field)
//
// [Table.Reference] describes every marker of the table, with an example and what
// comes of it, for people.
//
// It knows comments and Go syntax trees. It does not know schemas: a parsed
// marker's Value is upstream's, and its meaning for a schema is the
// generator's business.
package markers
