// Package crdyaml writes definitions as YAML: the bytes that controller-gen writes, by
// sigs.k8s.io/yaml, in one pass from the schema model (yaml.go, schema.go).
//
// The order of keys is in order.go, the style of scalars in resolve.go, scalar.go and
// number.go, and JSON values, such as defaults, in json.go. Documents with rare characters
// go through the library instead.
package crdyaml
