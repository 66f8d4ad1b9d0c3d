// Package configgen has what the generators of configuration, rbac and webhook, have in
// common: it reads the markers that describe the root packages of a run, reports markers that
// cannot be parsed, and writes objects as YAML, as controller-tools does.
//
// The package does not know what the markers mean.
//
// Only files that mention a marker are parsed.
//
// Read the files in this order:
//
//   - read.go: the markers of root packages
//   - arguments.go: arguments as they are written
//   - suspicious.go, misplaced.go: arguments that are probably mistakes, and markers without effect
//   - kinds.go: the kinds that groups and resources are compared with
//   - write.go: objects as YAML
//   - codes.go: the codes of the diagnostics
package configgen
