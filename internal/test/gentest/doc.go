// Package gentest sets up the test cases of the generator, lists their packages, and compares
// their output with expectations. It knows files, but not definitions.
package gentest
