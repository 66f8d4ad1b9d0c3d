package publish_test

import (
	"fmt"
	"log"

	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/structural"
)

func Example() {
	resources := []*publish.Resource{{
		Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets",
		Schema: &structural.Schema{Generic: structural.Generic{Type: "object"}},
	}}
	files, err := publish.JSONSchemas(resources, publish.JSONSchemaOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range files {
		fmt.Println(file.Path)
	}
	// Output:
	// example.com/widget_v1.json
	// all.json
	// catalog.json
}
