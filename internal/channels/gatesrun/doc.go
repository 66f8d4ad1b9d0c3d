// Package gatesrun answers questions about the gates of Go packages: what each holds
// (report.go), what turning one on changes and what becomes of stored objects (moves.go), and
// what the source is without it (graduate.go). It combines what package gatedsource finds in
// the text of files with definitions for sets of gates. It knows no flags, and writes no files.
package gatesrun
