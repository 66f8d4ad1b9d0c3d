// Package crd defines a CustomResourceDefinition as packages exchange it: the object, its
// schemas in the model of package structural, and the source position of each part.
//
// [New] takes an object in memory, [Read] a file, and [Parse] its text; package generator returns
// definitions of Go packages. [Definition.Object] is what a client sends to an API server,
// [Definition.Schema] the schema of a version, and [Definition.Nodes] has all schemas with their paths:
//
//	definitions, err := crd.Read("config/crd/bases/example.com_widgets.yaml")
//
// It knows neither how a definition is generated nor how an API server judges it: package verify
// does, and package compare compares two.
//
// Read the files in this order:
//
//   - crd.go, complete.go: a definition, and its parts
//   - read.go, file.go: definitions of objects and files
//   - generated.go: a generated definition before it is written
//   - request.go: what a server does with objects
//   - versions.go: what objects lose in another version
package crd
