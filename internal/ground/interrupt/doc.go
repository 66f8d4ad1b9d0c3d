// Package interrupt ends a process that does not return soon after its context was cancelled. Loops over the
// user's input check their contexts, but code of the API server and of the YAML and CEL libraries that they call
// has none, and may take seconds for a large input.
//
// A process ends only where that is safe: not while files are replaced ([Hold]), and after temporary files have
// been removed ([Cleanup]). The context carries what is known about that. Without [Watch], the functions do
// nothing, so that tests and programs that use the packages as a library are never ended.
//
// The limit is 50 ms of CPU time after Ctrl-C.
package interrupt
