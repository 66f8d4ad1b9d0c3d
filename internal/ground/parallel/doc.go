// Package parallel runs loops on all processors.
//
// Errors are returned in the order of the loop. A panic in a goroutine is raised again where the
// loop was called, so that the command can report it as a bug.
package parallel
