// Package cli adds to cobra what all commands of schemagen share: help with groups of
// commands and flags, errors that show how a command is used, and the arguments of a command
// line before it is known which command they are for. It knows no particular command.
//
// Read the files in this order:
//
//   - help.go: groups of commands and flags
//   - execute.go, errors.go: how a command is executed, and its errors
//   - arguments.go, values.go: arguments of a command line, and values of flags
//   - completion.go, version.go: completion in shells, and versions of builds
package cli
