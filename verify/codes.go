package verify

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package, in the order of their codes.
var (
	refusedByServer = &diag.Kind{
		Code: "SG601", Title: "the API server refuses the CRD",
		Explanation: "The message is the server's own, from its code: the same as kubectl create would print. A hint names what makes a CEL rule too expensive. --skip-verify of schemagen crd writes the CRD all the same.",
		Bad:         "// +kubebuilder:validation:Pattern=`^[a-z`\nName string `json:\"name\"`",
		Good:        "// +kubebuilder:validation:Pattern=`^[a-z]+$`\nName string `json:\"name\"`",
	}
	serverWarning = &diag.Kind{
		Code: "SG602", Severity: diag.Warning, Title: "the API server warns, or drops a field",
		Explanation: "The server accepts the CRD and answers with this warning, or leaves out silently what it does not know.",
	}
	unknownToVersion = &diag.Kind{
		Code: "SG603", Title: "the stated Kubernetes version does not know this",
		Explanation: "--kube-version states a version that treats a field differently from the newest one. It is an error where that version refuses the CRD, and a warning where it drops the field. --skip-verify writes the CRD all the same.",
	}
	unknownAnswer = &diag.Kind{
		Code: "SG604", Title: "the API server's answer is not known",
		Explanation: "To find it out takes longer than any real server would be given. --skip-verify writes the CRD all the same.",
	}
	refusedOutsideSchemas = &diag.Kind{
		Code: "SG605", Severity: diag.Warning, Title: "the API server refuses what stands beside the schemas",
		Explanation: "The group's name, or the annotation api-approved.kubernetes.io that groups of Kubernetes need. While CRDs are generated it is a warning, because another step may add it; schemagen verify says SG601.",
	}
	discouragedByProposals = &diag.Kind{
		Code: "SG606", Severity: diag.Warning, Title: "the structural-schema proposals discourage this",
		Explanation: "The server accepts it. The proposals that define structural schemas and pruning do not, because tools that only know types and fields get it wrong.",
	}
	contradiction = &diag.Kind{
		Code: "SG607", Severity: diag.Warning, Title: "something in the schema can never hold",
		Explanation: "Bounds that exclude each other, values of an enum that other keywords refuse, branches of junctors that can never hold, required properties that nothing declares, patterns that clients read differently. No server says so.",
		Bad:         "// +kubebuilder:validation:Minimum=10\n// +kubebuilder:validation:Maximum=5\nReplicas int32 `json:\"replicas\"`",
		Good:        "// +kubebuilder:validation:Minimum=5\n// +kubebuilder:validation:Maximum=10\nReplicas int32 `json:\"replicas\"`",
	}
	noSuchPath = &diag.Kind{
		Code: "SG608", Severity: diag.Warning, Title: "a path that is not in the schema",
		Explanation: "A printer column or the scale subresource points to a field that the schema does not have, or that is of another type. The server accepts it, and prints nothing or fails later.",
	}
	tooLarge = &diag.Kind{
		Code: "SG609", Severity: diag.Warning, Title: "a CRD that is too large for some of its ways",
		Explanation: "kubectl apply keeps the object in an annotation of at most 262,144 bytes, Helm a release in a Secret of 1 MiB, etcd a request of 1.5 MiB. The hint names the parts with most of the bytes.",
	}
	malformedManifest = &diag.Kind{
		Code: "SG610", Title: "a manifest that cannot be read",
		Explanation: "The text is neither YAML nor JSON, a value is not of the type of its field, or the text is larger than schemagen reads.",
	}
	unknownOrDuplicateField = &diag.Kind{
		Code: "SG611", Title: "a field that the API server does not know, or that stands twice",
		Explanation: "Strict decoding, which kubectl asks for by default, refuses it. Without it the field is dropped, and of two the last one counts.",
	}
	droppedField = &diag.Kind{
		Code: "SG612", Severity: diag.Warning, Title: "a field that is dropped without a word",
		Explanation: "Below items and additionalProperties the API server does not see unknown and duplicate fields, and leaves them out.",
	}
	notACRD = &diag.Kind{
		Code: "SG613", Title: "a document that is no CRD of today",
		Explanation: "apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22, and an object needs an apiVersion and a kind.",
	}
	misfittingBound = &diag.Kind{
		Code: "SG614", Severity: diag.Warning, Title: "a bound that is not of its field's type",
		Explanation: "From Kubernetes 1.36 on the API server checks minimum, maximum and multipleOf against type and format whenever it validates a value, and refuses every value if one of them does not fit: 0.5 for an integer, 4294967295 for an int32. The largest and the smallest int64 do not fit either, because the server reads bounds as floats. Older servers ignore the bound or cut it off.",
	}
	idleKeyword = &diag.Kind{
		Code: "SG615", Severity: diag.Warning, Title: "a keyword without effect",
		Explanation: "exclusiveMinimum and exclusiveMaximum are switches that count only beside minimum and maximum. A keyword that restricts values of another type than the field's, such as maxLength of an integer, restricts nothing. The API server accepts both.",
		Bad:         "// +kubebuilder:validation:ExclusiveMinimum=true\nReplicas int32 `json:\"replicas\"`",
		Good:        "// +kubebuilder:validation:Minimum=0\n// +kubebuilder:validation:ExclusiveMinimum=true\nReplicas int32 `json:\"replicas\"`",
	}
	misleadingColumn = &diag.Kind{
		Code: "SG616", Severity: diag.Warning, Title: "a printer column that is not printed as it seems",
		Explanation: "The API server accepts a column whose JSONPath does not parse, and when it begins to serve the definition it leaves out that column and all after it. Two columns of one name are printed under one heading; kubectl writes headings in capitals.",
	}
	constantRule = &diag.Kind{
		Code: "SG617", Severity: diag.Warning, Title: "a CEL rule that always has the same result",
		Explanation: "A rule that is true whatever the value is refuses nothing. One that is false for every value that the rest of the schema allows, such as size(self) > 5 beside maxLength 5, refuses everything. The rule \"false\" of an optional field is a way to forbid the field, and is left alone.",
		Bad:         "// +kubebuilder:validation:XValidation:rule=\"size(self) >= 0\"\nName string `json:\"name\"`",
		Good:        "// +kubebuilder:validation:XValidation:rule=\"self != 'default'\"\nName string `json:\"name\"`",
	}
	refusedExample = &diag.Kind{
		Code: "SG618", Severity: diag.Warning, Title: "an example that the schema refuses",
		Explanation: "The value of example is not of the field's type, not in its enum, or outside of its pattern or bounds. No server looks at examples, but readers copy them.",
		Bad:         "// +kubebuilder:validation:Enum=small;large\n// +kubebuilder:example=medium\nSize string `json:\"size\"`",
		Good:        "// +kubebuilder:validation:Enum=small;large\n// +kubebuilder:example=small\nSize string `json:\"size\"`",
	}
	dearerRule = &diag.Kind{
		Code: "SG620", Severity: diag.Note, Title: "a newer API server refuses a rule for its cost",
		Explanation: "The server of --kube-version accepts the rule. Newer servers estimate more for one of its functions, and refuse it in a new CRD. It is said once for all CRDs of a run.",
	}
)

// Codes are the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		refusedByServer, serverWarning, unknownToVersion, unknownAnswer, refusedOutsideSchemas, discouragedByProposals,
		contradiction, noSuchPath, tooLarge, malformedManifest, unknownOrDuplicateField, droppedField, notACRD,
		misfittingBound, idleKeyword, misleadingColumn, constantRule, refusedExample, dearerRule,
	}
}
