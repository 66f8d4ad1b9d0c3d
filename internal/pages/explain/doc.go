// Package explain explains the fields of custom resources in text, Markdown and JSON, and
// documents kinds in Markdown (docs.go).
package explain
