// Package peerversions knows how the output of controller-gen changed from release to release: the
// table of changes, and whether the changes since a release explain how one of its files differs
// from that of a later release. The table is measured: testdata/versions.tsv counts the
// differences between releases for real projects. The package does not read source; what a marker
// means is not known here, only what its meaning changed in a file.
//
// Read the files in this order:
//
//   - explain.go: [Explain] compares a file of an older release with schemagen's, object by object;
//     each change rewrites what it explains
//   - changes.go: the table of changes
//   - crd.go, rbac.go, webhook.go, golang.go: the changes of each generator
//   - parse.go: files as objects
package peerversions
