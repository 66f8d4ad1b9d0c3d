// Package manifest reads YAML and JSON files with the positions of everything in
// them: objects, and CustomResourceDefinitions with their schemas.
//
// It accepts the same input as the API server. A fast parser handles the plain
// style of YAML that generators write. Everything else goes through two libraries:
// the one that the server decodes with, and its successor, which records positions.
// All of them build the same tree. The package reports errors in the form of a
// file, with the server's wording; it does not judge the content of objects.
package manifest
