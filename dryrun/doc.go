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
package dryrun
