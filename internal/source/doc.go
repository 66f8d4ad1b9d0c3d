// Package source is a model of the Go source of a run: packages, files, types, methods and
// constants, read on demand.
//
// A scan of each file finds the types that it seems to declare (scan.go), and a file is
// parsed when one of them is needed (parse.go). Names are resolved through imports and
// package scopes by Go's rules (imports.go, resolve.go), and methods by the rules of
// go/types (methods.go). Only constants are type-checked, on the part of a package that
// they depend on (constants.go, constantscope.go). An instance of a generic type is a
// declaration whose file binds the type parameters (instances.go).
//
// The package knows Go and which comments are markers. The interfaces in [Config] parse the
// markers and report errors.
package source
