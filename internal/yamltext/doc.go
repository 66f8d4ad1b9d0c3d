// Package yamltext knows YAML as people write it: what a word without quotes means to the API
// server (scalar.go), where comments begin (comments.go), and files that are written for
// schemagen, with diagnostics at their nodes (nodes.go).
package yamltext
