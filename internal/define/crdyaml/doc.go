// Package crdyaml writes definitions as YAML in one pass over the schema model (yaml.go,
// schema.go). The bytes are those of controller-gen, which uses sigs.k8s.io/yaml.
//
// The order of keys is in order.go, the style of scalars in resolve.go, scalar.go and
// number.go, and JSON values, such as defaults, in json.go. Documents with rare characters
// are rendered by the library instead.
package crdyaml
