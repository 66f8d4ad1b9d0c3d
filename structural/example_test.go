package structural_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/structural"
)

func Example() {
	schema, _ := structural.FromProps(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"size": {Type: "integer", Default: &apiextensionsv1.JSON{Raw: []byte("3")}}, "spec": {},
	}})
	for path, node := range schema.All() {
		fmt.Printf("%q %q\n", path, node.Type)
	}
	for _, violation := range structural.Check(schema) {
		fmt.Println(violation)
	}
	object := map[string]any{"colour": "red"}
	for _, path := range structural.Prune(schema, object, false) {
		fmt.Println(path, "is dropped")
	}
	structural.Default(schema, object)
	fmt.Println(object)
	// Output:
	// "" "object"
	// ".properties[size]" "integer"
	// ".properties[spec]" ""
	// .properties[spec].type: Required value: must not be empty for specified object fields
	// colour is dropped
	// map[size:3]
}
