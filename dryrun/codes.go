package dryrun

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics of this package, in the order of their codes.
var (
	objectRefused = &diag.Kind{
		Code: "SG701", Title: "the API server rejects the object",
		Explanation: "The message is the server's own, from its code. The related position is the rule or the field of the schema that rejects it.",
	}
	droppedField = &diag.Kind{
		Code: "SG702", Severity: diag.Warning, Title: "a field that is not stored",
		Explanation: "The API server prunes what the schema does not specify, and null if the field is not nullable. With kubectl's strict validation an unknown field is rejected instead.",
	}
	defaulted = &diag.Kind{
		Code: "SG703", Severity: diag.Note, Title: "a field that gets its default",
		Explanation: "The API server adds the defaults of the schema to objects in requests and to stored objects.",
	}
	cleared = &diag.Kind{
		Code: "SG704", Severity: diag.Note, Title: "a union member that is cleared",
		Explanation: "The discriminator has changed and selects another member. The server itself clears nothing: that is done by the MutatingAdmissionPolicy that schemagen unions --policy generates, or by a webhook with the generated functions; see docs/unions.md.",
	}
	objectWarning = &diag.Kind{
		Code: "SG705", Severity: diag.Warning, Title: "the API server warns about the object",
		Explanation: "The object is stored. Usually an unchanged part violates a rule, which the server tolerates.",
	}
	noKind = &diag.Kind{
		Code: "SG706", Title: "an object without a CRD",
		Explanation: "None of the known CRDs serves the object's version and kind. For files found in a directory it is a note: they may contain objects of other kinds.",
	}
	caseFails = &diag.Kind{
		Code: "SG707", Title: "a case of a test suite fails",
		Explanation: "The stored object differs from the expected one, or the object is rejected, is not rejected, or is rejected for another reason. The position is that of the first difference, of the first error, or of the expected error.",
	}
	wrongSuite = &diag.Kind{
		Code: "SG708", Fixes: true, Title: "a test suite that cannot be run",
		Explanation: "A key is unknown, something is missing, or the CRD is unknown. docs/try.md describes the format. A note is about a part of openshift's suites that schemagen test ignores.",
	}
	notStored = &diag.Kind{
		Code: "SG709", Severity: diag.Warning, Title: "an object that is not among the stored ones",
		Explanation: "--old has no object of the same group, kind, namespace and name, so the object is treated as new. It is an error if --old has one whose metadata cannot have been stored by a server.",
	}
	unchecked = &diag.Kind{
		Code: "SG710", Severity: diag.Warning, Title: "a rule that the API server did not evaluate",
		Explanation: "After errors of some kinds the API server does not evaluate the CEL rules of the schema. This rule is violated as well and will be the next error.",
	}
	refusedCRD = &diag.Kind{
		Code: "SG711", Severity: diag.Warning, Title: "objects of a CRD that the API server rejects",
		Explanation: "The CRD cannot be created as it is; objects are tried with it anyway. schemagen verify reports all of its errors.",
	}
	ignoredField = &diag.Kind{
		Code: "SG712", Severity: diag.Note, Title: "a field that the request does not write",
		Explanation: "The API server ignores the field: the status, which is written through its subresource (--subresource status), or metadata that only the server writes.",
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{objectRefused, droppedField, defaulted, cleared, objectWarning, noKind, caseFails, wrongSuite, notStored, unchecked, refusedCRD, ignoredField}
}
