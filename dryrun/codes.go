package dryrun

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package, in the order of their codes.
var (
	objectRefused = &diag.Kind{
		Code: "SG701", Title: "the API server refuses the object",
		Explanation: "The message is the server's own, from its code. The related place is the rule or the field of the schema that refuses it.",
	}
	droppedField = &diag.Kind{
		Code: "SG702", Severity: diag.Warning, Title: "a field that is not stored",
		Explanation: "The API server prunes what the schema does not specify, and null where it is not nullable. With kubectl's strict validation an unknown field is refused instead.",
	}
	defaulted = &diag.Kind{
		Code: "SG703", Severity: diag.Note, Title: "a field that gets its default",
		Explanation: "The API server puts the defaults of the schema into objects that it is given and into those that it has stored.",
	}
	cleared = &diag.Kind{
		Code: "SG704", Severity: diag.Note, Title: "a union member that is cleared",
		Explanation: "The discriminator has changed, and selects another member. The server itself clears nothing: a MutatingAdmissionPolicy that schemagen unions --policy writes does, or a webhook with the functions that it writes; see docs/unions.md.",
	}
	objectWarning = &diag.Kind{
		Code: "SG705", Severity: diag.Warning, Title: "the API server warns of the object",
		Explanation: "The object is stored. Most often a rule is violated by what has not changed, which the server lets be.",
	}
	noKind = &diag.Kind{
		Code: "SG706", Title: "an object without a CRD",
		Explanation: "None of the CRDs that are known serves the version of the object's kind. Of files that are met in a directory it is a note: they may be objects of other kinds.",
	}
	caseFails = &diag.Kind{
		Code: "SG707", Title: "a case of a test suite fails",
		Explanation: "The object is stored otherwise than the case expects, or is refused, or is not refused, or for another reason. The place is that of the first difference, of the first error, or of the expected error.",
	}
	wrongSuite = &diag.Kind{
		Code: "SG708", Fixes: true, Title: "a test suite that cannot be run",
		Explanation: "A key is unknown, something is missing, or the CRD is not known. docs/try.md describes the format. A note is about what openshift's suites have and schemagen test does not need.",
	}
	notStored = &diag.Kind{
		Code: "SG709", Severity: diag.Warning, Title: "an object that is not among the stored ones",
		Explanation: "--old has no object of the same group, kind, namespace and name, so that the object is tried as one that is created. It is an error if it has one whose metadata no server can have stored.",
	}
	unchecked = &diag.Kind{
		Code: "SG710", Severity: diag.Warning, Title: "a rule that the API server has not got to",
		Explanation: "With errors of some kinds the API server does not evaluate the CEL rules of the schema. This one is violated, too, and would be the next error.",
	}
	refusedCRD = &diag.Kind{
		Code: "SG711", Severity: diag.Warning, Title: "objects of a CRD that the API server refuses",
		Explanation: "The CRD cannot be created as it is; objects are tried with it all the same. schemagen verify says all that is wrong with it.",
	}
	ignoredField = &diag.Kind{
		Code: "SG712", Severity: diag.Note, Title: "a field that the request does not write",
		Explanation: "The API server reads the field and stores nothing of it: the status, which is written through its subresource (--subresource status), and metadata that only the server writes.",
	}
)

// Codes are the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{objectRefused, droppedField, defaulted, cleared, objectWarning, noKind, caseFails, wrongSuite, notStored, unchecked, refusedCRD, ignoredField}
}
