// Package checks reports problems with finished definitions: what an API server reports, at
// the corresponding line of Go (verify.go), and what it drops from objects silently, in
// metadata (lostmetadata.go) and between versions (versions.go). It does not know how
// definitions are generated.
package checks
