// Package gatedsource finds the conditions of +schemagen:when, +schemagen:doc, Kubernetes' tags and
// OpenShift's markers in the text of a Go file, and writes the file as it is if a gate is taken for on or off:
//
//	file, err := gatedsource.Parse(table, name, data, features)
//	file.Uses                              // what depends on conditions, in source order
//	result, err := file.With("Burst", true)
//	result.Text                            // only lines that depend on the gate differ
//	result.Removed                         // the lines of declarations that are gone
//
// Decls, Blocks and Reader find declarations and their conditions. The generator erases source by
// them, too (package erasure), so both read the same. The package knows no other file: neither the
// types that a declaration refers to nor the code that uses it.
//
// Read the files in this order:
//
//   - source.go: a file, what it uses, and the file for a gate
//   - declarations.go: declarations with their extents
//   - blocks.go: the blocks of doc comments that a gate decides
//   - conditional.go: the markers at a declaration that have conditions
//   - tags.go, openshift.go: Kubernetes' tags, and OpenShift's markers
//   - with.go: the lines that differ if a gate is taken for on or off
package gatedsource
