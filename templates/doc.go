// Package templates writes Go source from plain values.
//
// It knows what the generated functions for unions look like and how Go files
// are formatted. It does not know where the values come from: names, types and
// imports are resolved before, and are texts here.
package templates
