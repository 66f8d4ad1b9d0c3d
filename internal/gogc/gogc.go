// Package gogc configures the garbage collector before the packages of the API server are
// initialized: what they allocate stays alive, and a collection meanwhile takes a tenth of
// the command's start-up time. Packages are initialized in the order of their import paths,
// after their imports; this one imports next to nothing and is among the first.
package gogc

import "runtime/debug"

// percent suits a run that takes milliseconds and allocates little more than it keeps;
// standard is the default of GOGC.
const percent, standard = 400, 100

// Code called from main would run too late.
func init() {
	if old := debug.SetGCPercent(percent); old != standard {
		debug.SetGCPercent(old)
	}
}
