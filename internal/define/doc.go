// Package define is the core of the generator: it builds the definitions of the kinds in Go
// packages. It reads files but does not write any, and does not link code of the API server.
// Package generator exports the part of it that users of the module need.
//
// The flow of values, with one or two files for each step:
//
//	golist       patterns ─▶ packages and their files         (package golist)
//	source       files ─▶ declarations, on demand             (package source)
//	builder      declarations ─▶ drafts: nodes with references (schema.go, known.go; apply.go applies markers)
//	flattener    drafts ─▶ structural.Schema                  (flatten.go, merge.go)
//	definer      kinds ─▶ CRDs                                (kinds.go, conversion.go)
//	crdyaml      CRDs ─▶ bytes, in one pass                   (package crdyaml)
//	verify       CRDs ─▶ findings of the API server           (package checks; the interface Server is in server.go)
//
// Markers of this project change finished schemas (package edits). Compatibility with the
// output of controller-gen is confined to two places: the order of merging in merge.go, and
// the YAML style in package crdyaml.
package define
