// Package convertprove proves generated conversions with objects that the API server would
// accept, by its schemas and CEL rules: samples of the project and of the schemas, and random
// edits of them that stay valid.
//
// The conversions are what would be generated now, whatever is on disk. They run in a process of
// their own; this one makes the values and judges them.
//
// Read the files in this order:
//
//   - prove.go: [Run]; each spoke and its hub, with the server of each version
//   - edit.go, scalar.go: valid objects, edited at random, and values with which conversions go wrong
//   - history.go: many objects at a time are converted, and the laws checked
//   - paths.go: where two objects differ, whatever the keys of maps
//   - shrink.go: the smallest object that breaks a law
//   - mutants.go: the generated tests run without each marked condition of the generated code
//   - codes.go: the codes of the diagnostics
package convertprove
