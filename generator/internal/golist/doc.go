// Package golist finds Go packages and the files that the build constraints select,
// without parsing them.
//
// Roots turns the patterns of a command line into one listing for each module.
// Modules, the usual Lister, reads go.mod, go.work, vendor and the module cache
// itself. What it cannot answer with certainty it leaves to another Lister, usually
// GoCommand, which asks the go command through go/packages.
//
// It knows the rules of the go command, and nothing of what a package declares.
package golist
