// Package source is a model of the Go source of a run: packages, files, types, methods and
// constants, read on demand. A file is read and parsed at most once for all generators of a run
// ([Files]), and each generator has a [Program] with what it has found out.
//
// The package knows Go and which comments are markers. The interfaces in [Config] parse the
// markers and report errors.
//
// Read the files in this order:
//
//   - source.go: files, programs and packages
//   - read.go: the content of a file, without the functions that no generator reads
//   - scan.go: the bytes of each file are scanned for the types that it seems to declare
//   - derived.go: what the scan found is kept for later runs
//   - parse.go, trees.go: a file is parsed when one of them is needed; if it is not there, the whole package is
//   - decl.go: types, fields, and the markers of each
//   - exprs.go: the parts of type expressions
//   - json.go: json tags, and the fields that encoding/json writes for a struct
//   - imports.go, resolve.go: names are resolved through imports and package scopes by Go's rules
//   - instances.go: an instance of a generic type is a declaration whose file binds the type parameters
//   - methods.go: methods, by the rules of go/types
//   - constants.go, constantscope.go, literals.go: constants are type-checked, on the part of a
//     package that they depend on, unless they are literals
//   - functions.go: functions by name, in an index without syntax trees
//   - declared.go: all declarations of a directory, regardless of build constraints
//   - closure.go: the files of everything that packages import
//   - again.go: texts and trees that an editor's next run may use again
//   - output.go: files to write, and [Unsure], the error of a generator that cannot be certain of
//     controller-gen's output
package source
