package publish

import "github.com/schemagen/schemagen/diag"

// The codes of this package. Who reads files reports them, because only they know
// the places.
const (
	CodeConflict     diag.Code = "SG801"
	CodeNotPublished diag.Code = "SG802"
	CodeLost         diag.Code = "SG803"
	CodeName         diag.Code = "SG804"
	CodeUnions       diag.Code = "SG805"
)

// Codes documents every code that is reported about published documents.
func Codes() []diag.CodeInfo {
	return []diag.CodeInfo{
		{Code: CodeConflict, Severity: diag.Error, Title: "two definitions that cannot be published together",
			Explanation: "They claim the same kind, list kind or plural in one group version. A server serves the first and sets the condition NamesAccepted of the second to False."},
		{Code: CodeNotPublished, Severity: diag.Warning, Title: "a schema that is not published",
			Explanation: "The API server publishes only structural schemas; of other kinds the documents have only the name, so kubectl explain knows no field and client-side validation accepts everything. The message says what is not structural."},
		{Code: CodeLost, Severity: diag.Note, Title: "something that OpenAPI v2 does not say",
			Explanation: "OpenAPI v2 has neither logical junctors nor nullable, kubectl cannot read some of what is left, and kube-apiserver takes defaults out, so they are not there. The document of OpenAPI v3 has it all."},
		{Code: CodeName, Severity: diag.Error, Title: "a definition without a name to publish it under",
			Explanation: "Group, version, kind and plural are parts of paths and of the names of definitions. The API server refuses a CRD in which one of them is missing or is no DNS name."},
		{Code: CodeUnions, Severity: diag.Warning, Title: "x-kubernetes-unions that is in neither form",
			Explanation: "It is an object with fieldMembers on a discriminator (KEP-1027), or a list of unions on an object (the structural-schema KEP). Otherwise it is not published."},
	}
}
