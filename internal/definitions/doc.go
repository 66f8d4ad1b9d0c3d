// Package definitions reads CustomResourceDefinitions from wherever they are: files and
// directories, standard input, commits of a git repository, and Go packages, whose
// definitions a function makes that the program brings. It also reads the comments that
// take findings back, or allow changes.
//
//	sources.go    which files and packages names stand for
//	chunks.go     files with any number of objects, some documents at a time
//	reader.go     definitions of all of them
//	commits.go    definitions of commits
//	verify.go     whether a server accepts those of files
//	published.go  served versions, with what keeps them from being published
//	ignores.go    comments that ignore findings
//	waivers.go    comments that allow changes
//
// It knows files, not flags, and what a definition is, not what it is read for.
package definitions
