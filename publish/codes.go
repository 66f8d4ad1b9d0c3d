package publish

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package, in the order of their codes. Who reads files
// reports them, because only they know the places.
var (
	// ConflictingDefinitions are definitions that cannot be published together.
	ConflictingDefinitions = &diag.Kind{
		Code: "SG801", Title: "two definitions that cannot be published together",
		Explanation: "They claim the same kind, list kind or plural in one group version. A server serves the first and sets the condition NamesAccepted of the second to False.",
	}
	// UnpublishedSchema is a schema that is not published.
	UnpublishedSchema = &diag.Kind{
		Code: "SG802", Severity: diag.Warning, Title: "a schema that is not published",
		Explanation: "The API server publishes only structural schemas; of other kinds the documents have only the name, so kubectl explain knows no field and client-side validation accepts everything. The message says what is not structural.",
	}
	// NotInV2 is what OpenAPI v2 cannot say.
	NotInV2 = &diag.Kind{
		Code: "SG803", Severity: diag.Note, Title: "something that OpenAPI v2 does not say",
		Explanation: "OpenAPI v2 has neither logical junctors nor nullable, kubectl cannot read some of what is left, and kube-apiserver takes defaults out, so they are not there. The document of OpenAPI v3 has it all.",
	}
	// UnnamedDefinition is a definition without a name to publish it under.
	UnnamedDefinition = &diag.Kind{
		Code: "SG804", Title: "a definition without a name to publish it under",
		Explanation: "Group, version, kind and plural are parts of paths and of the names of definitions. The API server refuses a CRD in which one of them is missing or is no DNS name.",
	}
	// UnpublishedUnions is x-kubernetes-unions that is wrong or not published.
	UnpublishedUnions = &diag.Kind{
		Code: "SG805", Severity: diag.Warning, Title: "x-kubernetes-unions that is wrong or not published",
		Explanation: "It is an object with fieldMembers on a discriminator (KEP-1027), or a list of unions on an object (the structural-schema KEP). What is in neither form, inside of a logical junctor, empty, or a union without a discriminator is not published, with a warning. It is an error if it contradicts the schema or itself: a discriminator that is not a property of type string, a member that is not a property of the same object, a value that is not in the discriminator's enum, two members for one value or two values for one member, two definitions that differ.",
	}
)

// Codes are the kinds of diagnostics about published documents, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		ConflictingDefinitions, UnpublishedSchema, NotInV2, UnnamedDefinition, UnpublishedUnions,
	}
}
