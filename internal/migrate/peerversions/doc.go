// Package peerversions has the table of what changed in the output of controller-gen from release to
// release. The package does not read source; what a marker means is not known here, only what its
// meaning changed in a file.
package peerversions
