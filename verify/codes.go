package verify

import "github.com/schemagen/schemagen/diag"

// The codes of this package.
const (
	codeRefused       diag.Code = "SG601"
	codeServerWarning diag.Code = "SG602"
	codeVersion       diag.Code = "SG603"
	codeUnknown       diag.Code = "SG604"
	codeOutside       diag.Code = "SG605"
	codeProposal      diag.Code = "SG606"
	codeContradiction diag.Code = "SG607"
	codeNoSuchPath    diag.Code = "SG608"
	codeSize          diag.Code = "SG609"
	codeMalformed     diag.Code = "SG610"
	codeStrict        diag.Code = "SG611"
	codeDropped       diag.Code = "SG612"
	codeNoCRD         diag.Code = "SG613"
)

// Codes documents every code that this package reports.
func Codes() []diag.CodeInfo {
	return []diag.CodeInfo{
		{Code: codeRefused, Severity: diag.Error, Title: "the API server refuses the CRD",
			Explanation: "The message is the server's own, from its code: the same as kubectl create would print. A hint names what makes a CEL rule too expensive."},
		{Code: codeServerWarning, Severity: diag.Warning, Title: "the API server warns, or drops a field",
			Explanation: "The server accepts the CRD and answers with this warning, or leaves out silently what it does not know."},
		{Code: codeVersion, Severity: diag.Error, Title: "the stated Kubernetes version does not know this",
			Explanation: "--kube-version states a version that treats a field differently from the newest one. It is an error where that version refuses the CRD, and a warning where it drops the field."},
		{Code: codeUnknown, Severity: diag.Error, Title: "the API server's answer is not known",
			Explanation: "To find it out takes longer than any real server would be given."},
		{Code: codeOutside, Severity: diag.Warning, Title: "the API server refuses what stands beside the schemas",
			Explanation: "The group's name, or the annotation api-approved.kubernetes.io that groups of Kubernetes need. While CRDs are generated it is a warning, because another step may add it; schemagen verify says SG601."},
		{Code: codeProposal, Severity: diag.Warning, Title: "the structural-schema proposals discourage this",
			Explanation: "The server accepts it. The proposals that define structural schemas and pruning do not, because tools that only know types and fields get it wrong."},
		{Code: codeContradiction, Severity: diag.Warning, Title: "something in the schema can never hold",
			Explanation: "Bounds that exclude each other, values of an enum that other keywords refuse, branches of junctors that can never hold, required properties that nothing declares, patterns that clients read differently. No server says so."},
		{Code: codeNoSuchPath, Severity: diag.Warning, Title: "a path that is not in the schema",
			Explanation: "A printer column or the scale subresource points to a field that the schema does not have, or that is of another type. The server accepts it, and prints nothing or fails later."},
		{Code: codeSize, Severity: diag.Warning, Title: "a CRD that is too large for some of its ways",
			Explanation: "kubectl apply keeps the object in an annotation of at most 262,144 bytes, Helm a release in a Secret of 1 MiB, etcd a request of 1.5 MiB. The hint names the parts with most of the bytes."},
		{Code: codeMalformed, Severity: diag.Error, Title: "a manifest that cannot be read",
			Explanation: "The text is neither YAML nor JSON, a value is not of the type of its field, or the text is larger than schemagen reads."},
		{Code: codeStrict, Severity: diag.Error, Title: "a field that the API server does not know, or that stands twice",
			Explanation: "Strict decoding, which kubectl asks for by default, refuses it. Without it the field is dropped, and of two the last one counts."},
		{Code: codeDropped, Severity: diag.Warning, Title: "a field that is dropped without a word",
			Explanation: "Below items and additionalProperties the API server does not see unknown and duplicate fields, and leaves them out."},
		{Code: codeNoCRD, Severity: diag.Error, Title: "a document that is no CRD of today",
			Explanation: "apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22, and an object needs an apiVersion and a kind."},
	}
}
