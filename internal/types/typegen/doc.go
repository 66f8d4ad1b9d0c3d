// Package typegen generates Go types from definitions: for each version of a group a package
// with markers, from which package generator generates the same definitions again. Generate
// proves that before it returns them.
//
//   - plan.go groups the versions into packages, and refuses names that Go cannot have;
//   - occurrences of objects and enums become types (model.go, gotype.go), equal ones a
//     single type (merge.go), which is named by the shortest unique suffix of its path
//     (names.go, paths.go, words.go);
//   - keywords become markers (markers.go, objectmarkers.go), descriptions become comments
//     (comment.go), and some schemas are those of well-known types of the user's module
//     (known.go);
//   - files.go writes the files, and proof.go compares the definitions that they give. A
//     node that does not come back is kept as it is by +schemagen:schema;
//   - existing.go recognizes files that were generated before, edited or not.
//
// The package knows definitions and Go source. It writes no files.
package typegen
