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
// The package knows comments, Go syntax trees, and the keywords of a node. It does not know
// the schemas below a node or how schemas are merged: the generator implements all other
// markers.
//
// Read the files in this order:
//
//   - collect.go: marker comments, and the declaration that each describes
//   - table.go: definitions by target and name, and parsing
//   - rows.go: the table of our own markers and of Kubernetes' tags, and facts about controller-tools' markers
//     and those of its other generators
//   - apply.go: a marker that affects only the keywords of its own node is applied by [Marker.Apply],
//     before or after the merge
//   - names.go: names of markers that other packages look up
//   - own.go, convert.go, when.go, openshift.go, sketch.go: values of parsed markers: ours, those of
//     conversions, conditions on gates, OpenShift's, schemas in the proposal's syntax
//   - slots.go: markers of a declaration that are alternatives
//   - values.go, vocabulary.go: arguments of markers, and markers of other generators
//   - arguments.go: positions of arguments
//   - lint.go, gofmt.go: markers without effect, and markers that gofmt would change
//   - repair.go, edits.go: what was probably meant, and the edits that write it
package markers
