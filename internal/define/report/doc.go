// Package report collects diagnostics about the source of a run, and defines the generator's
// kinds of diagnostics. It resolves positions, and reports an error in a dependency at the
// user's field that leads there. It does not know what is valid.
package report
