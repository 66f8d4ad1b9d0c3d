// Package suggest finds structs that look like unions but are not, or not completely, marked
// as such, and the lines to add. Evidence is names, documentation and markers, or the meaning of hand-written
// rules.
//
// Read the files in this order:
//
//   - suggest.go: suggestions for the structs of packages
//   - fields.go, status.go: fields that may be part of a union, and structs of a status, which are not
//   - evidence.go, words.go: what makes a struct look like a union, in names and in documentation
//   - rules.go: structs with rules that markers can replace
//   - edits.go: the lines to add
//   - text.go: suggestions as text
package suggest
