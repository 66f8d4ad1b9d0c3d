// Package runcache caches runs: what they read, wrote and reported, so that a run is
// skipped if nothing has changed. Entries are files of a folder (cache.go), found by a key
// made from the whole request (key.go), for one build of the program (maker.go). The
// package knows bytes, records of package inputs, and diagnostics.
//
// If metadata alone can show that nothing has changed, it also stores how the process ends, for
// package earlyexit of the command.
package runcache
