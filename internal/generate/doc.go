// Package generate runs the CRD generator: its input is one value ([Request]), and the files to
// write and the findings are another ([Result]). It knows no flags, and writes no files. All
// fields of a [Request] are the key in the run cache. The other generators have packages of their
// own, see package commandline.
//
// Read the files in this order:
//
//   - request.go: a request, its result, and [Run]
//   - project.go: the request for all that a project has
//   - ways.go: how a request differs from that of the project
//   - channels.go, joined.go: the channels of a run, and definitions that are the same in all of them
//   - install.go: CRDs in kustomizations and Helm charts
//   - companions.go, schemapatch.go: the other generators of a command line
//   - documents.go: documents about the definitions
//   - collisions.go: files that two generators would write
//   - stale.go, declared.go: files whose kinds no longer exist, and whether a kind is declared elsewhere
//   - gofiles.go: what generators of Go files and policies have in common
//   - functions.go, conversions.go: functions for unions, conversions, and policies, as results
//   - staleunions.go, staleconversions.go: stale files of these
//   - stalecompanions.go: stale files of rbac, webhook and object
//   - reported.go, codes.go: the codes that a run reports
package generate
