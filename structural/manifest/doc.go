// Package manifest reads files of YAML and JSON with the position of everything
// in them: the objects, and CustomResourceDefinitions with their schemas.
//
// It reads what the API server would read. A fast reader takes the plain style of
// YAML in which generators write. Everything else goes through two libraries: the
// one that the server decodes with, and its successor, which knows positions. All
// build the same tree. The package reports what is wrong with the form of a file,
// in the server's words, and does not judge what the objects say.
package manifest
