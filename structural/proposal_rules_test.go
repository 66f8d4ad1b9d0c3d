package structural

// authority tells who enforces a rule.
type authority string

// Authorities, strongest first.
const (
	// byCheck rules are enforced by [Check]: the server's ValidateStructural.
	byCheck authority = "check"
	// byServer rules are enforced by [CheckProposals] with the messages of the
	// server's validation of whole CRDs.
	byServer authority = "server"
	// byProposal rules are enforced by [CheckProposals] only; the server does not.
	byProposal authority = "proposal"
)

// ruleInfo documents one rule on schemas.
type ruleInfo struct {
	Name string
	By   authority
	// Source is the document and section that defines the rule.
	Source string
	// Text states the rule.
	Text string
}

const (
	structuralKEP = "KEP Structural Schemas, "
	pruningKEP    = "KEP Pruning for Custom Resources, "
	fieldDocs     = "apiextensions.k8s.io/v1, JSONSchemaProps, "
)

// rules returns every rule on schemas, with its source: those of the proposals, and
// those of the server that go beyond them.
func rules() []ruleInfo {
	return []ruleInfo{
		{"structurality", byCheck, structuralKEP + "Formal Definition, rule 1 and consequence 1",
			"Junctors contain nothing that shapes values: no type, additionalProperties, default, title, description, nullable, and no x-kubernetes-* extension."},
		{"completeness", byCheck, structuralKEP + "Formal Definition, rule 2",
			"Every field, element and map value has a type outside of junctors, and whatever the junctors of the root mention is specified outside of them."},
		{"embedded-resource", byCheck, structuralKEP + "Formal Definition, rule 3 (RawExtension)",
			"An embedded resource has type object, and either properties or preserved unknown fields; its kind and apiVersion are strings, its metadata is an object."},
		{"int-or-string", byCheck, structuralKEP + "Formal Definition, rule 4 (IntOrString)",
			"Types occur inside junctors only in the two int-or-string patterns; an int-or-string is not an embedded resource and does not preserve unknown fields."},
		{"root-metadata", byCheck, structuralKEP + "Metadata, restriction 1",
			"metadata at the root specifies its type and the properties name and generateName, and nothing else."},
		{"junctor-metadata", byCheck, structuralKEP + "Metadata, restriction 2; the server goes beyond it",
			"metadata is not specified inside junctors. The proposal exempts embedded resources, the server does not."},
		{"root-object", byCheck, "apiextensions-apiserver, ValidateStructural",
			"The root is an object without additionalProperties."},
		{"pattern", byCheck, "apiextensions-apiserver, ValidateStructural",
			"A pattern is a valid Go regular expression."},

		{rulePreserve, byServer, structuralKEP + "Formal Definition, Extensions.XPreserveUnknownFields",
			"x-kubernetes-preserve-unknown-fields is true or undefined."},
		{ruleTypeNames, byServer, structuralKEP + "Formal Definition, Generic.Type",
			"A type is array, boolean, integer, number, object or string."},
		{ruleMapType, byServer, fieldDocs + "x-kubernetes-map-type",
			"x-kubernetes-map-type is atomic or granular, and set only on objects."},
		{ruleListType, byServer, fieldDocs + "x-kubernetes-list-type",
			"x-kubernetes-list-type is atomic, set or map, and set only on arrays; the elements of a set are atomic, those of a map are objects, and neither are nullable."},
		{ruleListMapKeys, byServer, fieldDocs + "x-kubernetes-list-map-keys",
			"The keys of a list of type map are distinct scalar properties of its elements, required or defaulted, and not nullable."},
		{ruleStructOrMap, byServer, pruningKEP + "Polymorphic Fields",
			"A node does not have both properties and additionalProperties."},
		{ruleMetadataDefault, byServer, structuralKEP + "Metadata, restriction 1",
			"Neither apiVersion, kind and metadata of the root nor a map in the metadata of an embedded resource contain defaults."},
		{ruleMetadataEmbedded, byServer, "apiextensions-apiserver, ValidateCustomResourceDefinition",
			"apiVersion, kind and metadata do not contain an embedded resource."},

		{rulePair, byProposal, structuralKEP + "Formal Definition, rules 1 and 4",
			"The two int-or-string patterns occur only together with x-kubernetes-int-or-string: true."},
		{ruleBelowRoot, byProposal, structuralKEP + "Formal Definition, rule 2",
			"Whatever a junctor below the root mentions is specified outside of it. The server checks only the junctors of the root, and prunes the field."},
		{ruleJunctorGenerics, byProposal, structuralKEP + "Formal Definition, consequence 1",
			"Junctors contain neither default: null nor additionalProperties: false."},
		{ruleEmbeddedMetadata, byProposal, structuralKEP + "Metadata, note at the end",
			"metadata of an embedded resource specifies only restrictions beyond the metadata that every object has."},
		{rulePolymorphism, byProposal, pruningKEP + "Restriction 1 on Object Polymorphism",
			"No JSON path has properties in one place and additionalProperties or patternProperties in the same or another, junctors included."},
		{ruleReadOnly, byProposal, structuralKEP + "Formal Definition, Generic.ReadOnly and consequence 1",
			"readOnly is used only outside junctors. apiextensions.k8s.io/v1 has no such field."},
		{ruleUnionFields, byProposal, structuralKEP + "Formal Definition, type Union",
			"A union without a discriminator has no fields; with one, its values are those of the discriminator's enum."},
		{ruleUnionProperties, byProposal, structuralKEP + "Formal Definition, rule 2 and type Union",
			"The discriminator of a union is a property of type string, its members are properties of the same object."},
		{ruleUnionPlace, byProposal, structuralKEP + "Formal Definition, rule 1 and consequence 1",
			"x-kubernetes-unions is set on an object, or in KEP-1027's form on a property, and not inside junctors."},
	}
}
