// Package golist finds Go packages and the files that the build constraints select, without
// parsing them.
//
// Roots turns the patterns of a command line into one listing for each module. Modules, the
// default Lister, reads go.mod, go.work, vendor directories and the module cache itself. A
// listing that it cannot complete with certainty is left to another Lister, usually
// GoCommand, which runs the go command through go/packages.
//
// The package implements rules of the go command. It does not know what a package declares.
//
// [Order] is controller-gen's order of packages, for generators in which the last package to write
// a file wins.
package golist
