// Package crdyaml writes definitions as YAML in one pass over the schema model. The bytes equal
// controller-gen's, which uses sigs.k8s.io/yaml.
//
// Documents with rare characters are rendered by the library instead.
//
// Read the files in this order:
//
//   - yaml.go: a document
//   - schema.go: schemas
//   - order.go: the order of properties: the natural one of their names, whatever that of the fields in
//     Go. The order of keywords is that of the calls in schema.go
//   - resolve.go, scalar.go, number.go: the style of scalars; package yamltext knows which words are text
//   - json.go: JSON values, such as defaults
package crdyaml
