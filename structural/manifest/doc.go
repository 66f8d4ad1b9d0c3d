// Package manifest reads YAML and JSON files with the positions of everything in
// them: objects, and CustomResourceDefinitions with their schemas.
//
// It accepts the same input as the API server. A fast parser handles the plain
// style of YAML that generators write. Everything else goes through two libraries:
// the one that the server decodes with, and its successor, which records positions.
// All of them build the same tree. The package reports errors in the form of a
// file, with the server's wording; it does not judge the content of objects.
//
// Read the files in this order:
//
//   - manifest.go: the objects of a file, and the problems in its text
//   - tree.go, build.go: the tree of values of a document, and how it is built
//   - index.go, frame.go: the keys of large mappings, and paths in a tree
//   - block.go, quoted.go, scalar.go: the fast parser, and scalars
//   - library.go, error.go: the parser for everything else, and the positions in its errors
//   - json.go: the parser for JSON
//   - decode.go: a tree as the API's types, with the server's errors
//   - source.go: a tree as positions and key order for package structural
//   - object.go, position.go: values and positions by the server's paths
package manifest
