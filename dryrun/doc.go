// Package dryrun predicts, without a server, what an API server would do with custom
// resources: what it drops and defaults, what it rejects, and which members of unions a
// policy clears, each with its position in the file.
//
// A [Trial] has the CRDs. [Trial.Try] tries an object of a file, [Kind.Sample] generates
// an example, and [Trial.ReadSuite] reads suites of cases that state what a server should
// store and reject; package crdtest runs them in Go tests.
//
// It knows objects and definitions, not where they are read from. The behavior of a server
// is implemented in package apiserver.
//
// Read the files in this order:
//
//   - trial.go: the CRDs of a trial, and what becomes of an object
//   - object.go: the objects of a file, with positions
//   - kind.go: what a version drops, defaults and rejects, with positions
//   - policy.go, storage.go: the admission policies that a trial follows, and objects that are stored
//     in another version
//   - yaml.go: objects as YAML, in the order of the manifest
//   - sample.go, samplerepair.go, samplechanges.go: an example is generated, and changed until a server accepts it
//   - suite.go, case.go, variants.go: suites, their cases, and the CRDs that a suite tests
//   - codes.go: the codes of the diagnostics
package dryrun
