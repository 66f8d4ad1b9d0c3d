// Package changetable reads the table in testdata/changes for tests: pairs of definitions
// with an object that was stored under the old one, and the response of a real API server
// when the new one replaced it.
package changetable
