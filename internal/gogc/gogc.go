// Package gogc sets the pace of the garbage collector before the packages of the
// API server are initialized: they allocate what they keep, and a collection among
// it takes a tenth of the time that the command needs to start. Packages are
// initialized in the order of their import paths, each behind what it imports; this
// one imports next to nothing and so is among the first.
package gogc

import "runtime/debug"

// percent is for a run that lives for milliseconds and allocates little more than
// it keeps; standard is what it is where GOGC does not say anything else.
const percent, standard = 400, 100

// Nothing that main calls is called early enough.
func init() {
	if old := debug.SetGCPercent(percent); old != standard {
		debug.SetGCPercent(old)
	}
}
