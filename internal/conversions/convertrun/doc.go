// Package convertrun converts objects offline, with the conversions of the user's own packages,
// whether schemagen or people have written them. Its parts:
//
//	kinds     []written.Kind: Go types of the versions, and how they are converted
//	program   kinds ─▶ the source of a program                                (program.go)
//	build     source ─▶ *Converter: a compiled program                        (convertrun.go)
//	convert   []Request ─▶ []Answer, through standard input and output
//
// The program exists only in an overlay of the go command and in a temporary directory:
// nothing is written into the user's module.
//
// Read the files in this order:
//
//   - objects.go: what converts objects, and to which version
//   - program.go: the source of a program (engine.txt has its constant part)
//   - convertrun.go: the program is built and run, with all objects at once
//   - temporary.go: temporary files of the go command
//   - values.go: results are converted back, to find what is kept, lost or set
//   - counterpart.go: the value, and the Go field, that an error of a result is about
//   - trial.go: converted objects of schemagen try
//   - test.go: compiled tests of packages
//   - codes.go: the codes of the diagnostics
package convertrun
