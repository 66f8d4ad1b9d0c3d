package unions_test

import (
	"fmt"
	"log"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

func Example() {
	text := &structural.Schema{Generic: structural.Generic{Type: "string"}}
	schema := &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{
		{Name: "type", Schema: &structural.Schema{Generic: structural.Generic{Type: "string"}}},
		{Name: "git", Schema: text}, {Name: "oci", Schema: text},
	}}
	// In a schema of a CRD, the union is already there.
	union := unions.New("type", []string{"Git", "OCI"}, unions.Member{Name: "git", Value: "Git"}, unions.Member{Name: "oci", Value: "OCI"})
	lowered, err := unions.Lower(union, unions.LowerOptions{Forms: []unions.Form{unions.FormCEL}})
	if err != nil {
		log.Fatal(err)
	}
	schema.XValidations = lowered.Rules
	schema.Properties[0].Schema.ValueValidation = &structural.ValueValidation{Enum: lowered.Enum}

	stored := map[string]any{"type": "Git", "git": "a"}
	update := map[string]any{"type": "OCI", "git": "a", "oci": "b"}
	fmt.Println(unions.Normalize(schema, stored, update), update)
	fmt.Println(unions.Validate(schema, nil, map[string]any{"type": "OCI"}).ToAggregate())
	// Output:
	// true map[oci:b type:OCI]
	// oci: Required value: must be specified when `type` is "OCI"
}
