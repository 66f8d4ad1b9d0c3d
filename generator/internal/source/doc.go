// Package source is the Go source of a run: packages, files, types, methods and
// constants, read on demand.
//
// A look at the bytes of each file tells which types it seems to declare (look.go), and a
// file is parsed when one of them is asked for (parse.go). Names are resolved through
// imports and package scopes by Go's rules (imports.go, resolve.go), methods by go/types' (methods.go);
// nothing is type-checked but constants, on a package reduced to them (constants.go,
// constantscope.go). An instance of a generic type is a declaration whose file binds the
// type parameters (instances.go).
//
// It knows Go, and which comments are markers. What markers say, and what becomes of
// mistakes, is up to the interfaces in [Config].
package source
