// Package typegen generates Go types from definitions: for each version of a group a package
// with markers, from which package generator generates the same definitions again. Generate
// proves that before it returns them.
//
// The package knows definitions and Go source. It writes no files.
//
// Read the files in this order:
//
//   - typegen.go: [Generate] and its options
//   - plan.go: versions are grouped into packages; names that Go cannot have are refused
//   - model.go, gotype.go: occurrences of objects and enums become types
//   - merge.go: equal types become one
//   - names.go, paths.go, words.go: a type is named by the shortest unique suffix of its path
//   - markers.go, objectmarkers.go: keywords become markers
//   - comment.go: descriptions become comments
//   - known.go, imports.go: schemas of well-known types, and of packages that the user names
//   - files.go: the files
//   - proof.go: the definitions that the files give are compared; a node that does not come back is
//     kept as it is by +schemagen:schema in the next round
//   - existing.go: files that were generated before, edited or not
//   - codes.go: the codes of the diagnostics
package typegen
