// Package build is the core of the generator: it goes from packages to the definitions of
// their kinds. It reads files, but writes none, and links no code of the API server. What
// users of the module see of it is in package generator.
//
// The flow of values, a file or two for each step:
//
//	golist       patterns ─▶ packages and their files         (package golist)
//	source       files ─▶ declarations, on demand             (package source)
//	builder      declarations ─▶ drafts: nodes with references (schema.go, known.go; markers meet schemas in apply.go)
//	flattener    drafts ─▶ structural.Schema                  (flatten.go, merge.go)
//	definer      kinds ─▶ CRDs                                (kinds.go, conversion.go)
//	crdyaml      CRDs ─▶ bytes, in one pass                   (package crdyaml)
//	verify       CRDs ─▶ what the API server says of them     (package checks; the interface Server is in server.go)
//
// Finished schemas are changed by the words of this project (edit.go, own.go,
// declarative.go). What the bytes need of controller-gen's history lives in two places: the order of
// merging in merge.go, and the YAML style in package
// crdyaml.
package build
