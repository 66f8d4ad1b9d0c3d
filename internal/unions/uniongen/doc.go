// Package uniongen generates Go functions that normalize and validate the unions of types,
// and admission policies that normalize them on the API server. It knows Go types and the
// finished schemas; the text of the functions is in package templates.
//
// An element of a keyed list is skipped without a search if the element at the same position has
// the same key and discriminators, and paths are built only for errors, so validating a valid object
// does not allocate. Packages that do not mention a union are not parsed.
//
// Read the files in this order:
//
//   - uniongen.go: [Generate] and its options
//   - graph.go: struct types and the references between them, with finished schemas
//   - file.go: the functions of a package
//   - model.go, render.go: the values that the template reads, and the file that it becomes
//   - lists.go, accessors.go: keyed lists, and methods for members
//   - text.go: names of types in the generated file
//   - policies.go: admission policies
package uniongen
