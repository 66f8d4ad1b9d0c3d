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
// A marker that acts on the keywords of its own node alone knows how: [Marker.Apply].
//
// It knows comments, Go syntax trees, and the keywords of a node. It does not know the
// schemas below a node or how schemas are merged: what other markers do is the
// generator's business.
package markers
