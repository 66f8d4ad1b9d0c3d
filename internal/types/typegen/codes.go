package typegen

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package, in the order of their codes.
var (
	notExpressible = &diag.Kind{
		Code: "SG411", Title: "a definition cannot be written as Go types",
		Explanation: "schemagen types writes only Go types from which the same definition is generated. What neither Go types and markers nor +schemagen:schema can express is refused at its position.",
		Bad: `
$ schemagen types crd.yaml -o v2
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  ratio: {type: number}`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  ratio: {type: string}`,
	}
	clashingKinds = &diag.Kind{
		Code: "SG413", Title: "kinds that cannot be Go types of one group",
		Explanation: "Each kind is a struct with its name, and has a list type with List after it. If two kinds of a group are called Job and JobList, or two different definitions have the same kind, there is no name left for one of them, whatever their versions. Neither is there if two kinds have the same plural. Groups, and structs inside of kinds, get names and directories that are unique.",
		Bad: `
$ schemagen types crd.yaml old.yaml -o v2
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
-- old.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
description: Widget is a thing.`,
		Good: "$ schemagen types crd.yaml -o v2",
	}
	noModule = &diag.Kind{
		Code: "SG414", Title: "Go types without a module that they can be in",
		Explanation: "schemagen types writes into a Go module that requires k8s.io/apimachinery: its versions of the packages of Kubernetes determine the Go types. In a new module, run go get k8s.io/apimachinery, and go get k8s.io/api for types such as corev1.PodTemplateSpec.",
		Bad: `
$ schemagen types crd.yaml -o new/v2
-- new/go.mod --
module example.com/new

go 1.26.0
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object`,
		Good: `
-- new/go.mod --
module example.com/new

go 1.26.0

require k8s.io/apimachinery v0.37.2`,
	}
	editedFile = &diag.Kind{
		Code: "SG514", Title: "Go types that people have edited",
		Explanation: "schemagen types would overwrite a file that it did not write, or that has been edited since: the digest in its first line is not that of the other lines. Nothing is written without --overwrite; with --check and --diff it is a warning. It is a note, and the file is kept, if types would only write again what was edited. It is also a warning if types no longer writes the file.",
		Bad: `
$ schemagen types crd.yaml -o v1
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
-- v1/doc.go --
// Package v1 is mine.
package v1`,
		Good: "$ schemagen types crd.yaml -o v1 --overwrite",
	}
)

// Codes returns the kinds of diagnostics that the package reports, in the order of their codes.
func Codes() []*diag.Kind { return []*diag.Kind{notExpressible, clashingKinds, noModule, editedFile} }
