// Package markers finds the marker comments of a Go file, associates them with declarations,
// and parses them with a table of definitions.
//
// Names, argument grammar and meaning of markers come from the definitions of
// controller-tools, so that a marker has the effect its authors intended. This package adds
// collection, positions, and source order.
//
//	file := table.Collect(astFile)        // comments, per declaration, in order
//	file.Package, file.Type(spec), file.Fields(structType)
//	marker, err := table.Parse(comment, markers.Field)
//
// A marker that affects only the keywords of its own node is applied by [Marker.Apply].
//
// The package knows comments, Go syntax trees, and the keywords of a node. It does not know
// the schemas below a node or how schemas are merged: the generator implements all other
// markers.
package markers
