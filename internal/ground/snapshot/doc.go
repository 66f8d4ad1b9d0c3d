// Package snapshot recognizes a process that would only repeat an earlier run, by metadata
// alone: it has the same command line, directory, environment and program ([Path]), and
// every fact that the earlier run depends on ([Fact]) still holds. It recognizes nothing
// whenever there is a doubt.
//
// It is used before most packages are initialized, so it imports only package os and what
// that imports. It does not know what a run does.
//
// Read the files in this order:
//
//   - snapshot.go: a process and what it depends on
//   - entry.go: the file that holds the facts, the text and the exit code of an earlier run
//   - fact.go: facts about files and variables
//   - stamp.go, stamp_unix.go, stamp_linux.go, stamp_darwin.go, stamp_other.go: the state of a file
//     without its content, by system
//   - sum.go: SHA-256, because package crypto imports more than package os
package snapshot
