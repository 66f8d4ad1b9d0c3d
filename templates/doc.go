// Package templates renders Go source from plain values.
//
// It knows the form of the generated union functions and of Go files. It does not know where
// the values come from: names, types and imports are resolved by the caller, and are strings
// here.
package templates
