// Package clients finds what clients written in Go cannot say: it compares what package
// encoding/json makes of the types of a kind with what the API server accepts and stores.
//
//	goType                        a type as encoding/json sees it
//	decode, encode                a value of a type from JSON and back
//	crd.Handle                    what the API server does with an object
//	[Checker.Check]               goes through the structs of each kind
//	asks                          what is asked about each field, one function for each code
//
// For each field of the user's structs, the smallest object that has it goes through the types
// and through the server. Every finding names that object. What a type with methods of its own
// marshals is not known, unless it is one of Kubernetes' types ([Known]); nothing is reported
// about it. The package neither reads files nor knows how definitions are generated.
//
// Read the files in this order:
//
//   - pass.go, clients.go: the pass of a run, and the check of each kind
//   - gotypes.go: types and their fields as encoding/json sees them
//   - known.go: Kubernetes' types, as they are compiled here
//   - value.go: values of a type, from JSON and back
//   - unset.go, trips.go: what is asked about each field
//   - codes.go: the codes of the diagnostics
package clients
