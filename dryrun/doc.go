// Package dryrun says what an API server would store of custom resources, without one:
// what it drops and defaults, what it refuses and which members of unions a policy
// clears, each with the position in the file.
//
// A [Trial] has the CRDs. [Trial.Try] tries an object of a file, [Kind.Sample] makes one
// up, and [Trial.ReadSuite] reads suites of cases that say what a server should store and
// refuse; package crdtest runs those in Go tests.
//
// It knows objects and definitions, not where they are read from. What a server does is
// in package apiserver.
package dryrun
