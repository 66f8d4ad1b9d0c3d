// Package contradictions finds what the API server accepts in a schema although no value can satisfy it, or
// although it does not mean what it seems to mean.
package contradictions
