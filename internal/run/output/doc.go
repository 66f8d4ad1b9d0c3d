// Package output is the only writer of files of users: either all files of a change are
// written or none, or it only reports what would change. A [Writer] knows where the files
// may be, a [Change] is one that has been checked. The package knows paths and bytes, not
// what the files contain, except for comments that mark generated files.
//
// If a process is killed while it renames files, every file is complete, but some are old and some
// new; the next run updates them all.
//
// Read the files in this order:
//
//   - writer.go: where the files of a command may be
//   - commit.go: a change is checked and written, all files or none
//   - folders.go: directories stay open from the check to the last rename
//   - generated.go: files that other programs generate are refused
//   - paths.go: paths and symbolic links
//   - system.go, links_unix.go, links_other.go: the rules of operating systems
//   - diff.go: a change as a diff
//   - codes.go: the codes of the diagnostics
package output
