package dryrun

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics of this package, in the order of their codes.
var (
	objectRejected = &diag.Kind{
		Code: "SG701", Title: "the API server rejects the object",
		Explanation: "The message is the server's own, from its code. The related position is the rule or the field of the schema that rejects it.",
		Bad:         "$ schemagen try -f widget.yaml --crd ./v1\n-- v1/types.go --\n// +kubebuilder:validation:Minimum=1\nSize int32 `json:\"size\"`\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 0}",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}",
	}
	droppedField = &diag.Kind{
		Code: "SG702", Severity: diag.Warning, Title: "a field that is not stored",
		Explanation: "The API server prunes what the schema does not specify, and null if the field is not nullable. Without a conversion webhook, the storage version prunes, too, and an update through another version removes what that version does not have. With kubectl's strict validation an unknown field is rejected instead.",
		Bad:         "$ schemagen try -f widget.yaml --crd ./v1\n-- v1/types.go --\nName string `json:\"name,omitempty\"`\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {nmae: b}",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {name: b}",
	}
	defaulted = &diag.Kind{
		Code: "SG703", Severity: diag.Note, Title: "a field that gets its default",
		Explanation: "The API server adds the defaults of the schema to objects in requests and to stored objects.",
		Bad:         "$ schemagen try -f widget.yaml --crd ./v1\n-- v1/types.go --\n// +kubebuilder:default=1\nSize int32 `json:\"size,omitempty\"`\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {}",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}",
	}
	cleared = &diag.Kind{
		Code: "SG704", Severity: diag.Note, Title: "a union member that a policy clears",
		Explanation: "The discriminator has changed and selects another member. The server itself clears nothing: that is done by the MutatingAdmissionPolicy that schemagen unions --policy writes. try follows the policies in --policy, in the file of the CRD and beside it, and in outputs.policies of schemagen.yaml; with --unions none, it follows none. It is an error if the API server rejects such a policy, or if the policy has something that schemagen unions does not write. See docs/unions.md.",
		Bad:         "$ schemagen try -f widget.yaml --crd ./v1 --old stored.yaml --unions cel --policy policy.yaml\n-- v1/types.go --\n// +unionDiscriminator\n// +kubebuilder:validation:Enum=Text;File\n// +required\nType string `json:\"type,omitempty\"`\n// +unionMember\nText *string `json:\"text,omitempty\"`\n// +unionMember\nFile *string `json:\"file,omitempty\"`\n-- policy.yaml --\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: unions.v1.widgets.example.com}\nspec:\n  failurePolicy: Ignore\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [example.com], apiVersions: [v1], operations: [UPDATE], resources: [widgets]}\n  mutations:\n  - patchType: JSONPatch\n    jsonPatch:\n      expression: |-\n        object.spec.type != 'Text' && has(object.spec.text) && oldObject.spec.type != object.spec.type ?\n        [JSONPatch{op: \"remove\", path: \"/spec/text\"}] : []\n-- stored.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {type: Text, text: hello}\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {type: File, file: hello.txt, text: hello}",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {type: File, file: hello.txt}",
	}
	objectWarning = &diag.Kind{
		Code: "SG705", Severity: diag.Warning, Title: "the API server warns about the object",
		Explanation: "The object is stored. Usually an unchanged part violates a rule, which the server tolerates.",
		Bad:         "$ schemagen try -f widget.yaml --crd ./v1 --old stored.yaml\n-- v1/types.go --\n// +kubebuilder:validation:XValidation:rule=\"self > 0\"\nSize int32  `json:\"size\"`\nName string `json:\"name\"`\n-- stored.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 0, name: b}\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 0, name: c}",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1, name: c}",
	}
	noKind = &diag.Kind{
		Code: "SG706", Title: "an object without a CRD",
		Explanation: "None of the known CRDs serves the object's version and kind. For files found in a directory it is a note: they may contain objects of other kinds.",
		Bad:         "$ schemagen try -f widget.yaml --crd ./v1\n-- v1/types.go --\nName string `json:\"name\"`\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Wigdet\nmetadata: {name: a}\nspec: {name: b}",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {name: b}",
	}
	caseFails = &diag.Kind{
		Code: "SG707", Title: "a case of a test suite fails",
		Explanation: "The stored object differs from the expected one, or the object is rejected, is not rejected, or is rejected for another reason. The position is that of the first difference, of the first error, or of the expected error.",
		Bad:         "$ schemagen test widget.testsuite.yaml --crd ./v1\n-- v1/types.go --\n// +kubebuilder:default=3\nSize int32 `json:\"size,omitempty\"`\n-- widget.testsuite.yaml --\napiVersion: apiextensions.k8s.io/v1\nname: Widget\ncrdName: widgets.example.com\ntests:\n  onCreate:\n  - name: Should have a size\n    initial: |\n      apiVersion: example.com/v1\n      kind: Widget\n      spec: {}\n    expected: |\n      apiVersion: example.com/v1\n      kind: Widget\n      spec: {size: 1}",
		Good:        "-- widget.testsuite.yaml --\napiVersion: apiextensions.k8s.io/v1\nname: Widget\ncrdName: widgets.example.com\ntests:\n  onCreate:\n  - name: Should have a size\n    initial: |\n      apiVersion: example.com/v1\n      kind: Widget\n      spec: {}\n    expected: |\n      apiVersion: example.com/v1\n      kind: Widget\n      spec: {size: 3}",
	}
	wrongSuite = &diag.Kind{
		Code: "SG708", Fixes: true, Title: "a test suite that cannot be run",
		Explanation: "A key is unknown, something is missing, or the CRD is unknown. docs/try.md describes the format. A note is about a part of openshift's suites that schemagen test ignores.",
		Bad:         "$ schemagen test widget.testsuite.yaml --crd ./v1\n-- v1/types.go --\n// +kubebuilder:default=3\nSize int32 `json:\"size,omitempty\"`\n-- widget.testsuite.yaml --\napiVersion: apiextensions.k8s.io/v1\nname: Widget\ncrdName: widgets.example.com\ntests:\n  onCreate:\n  - name: Should have a size\n    initial: |\n      apiVersion: example.com/v1\n      kind: Widget\n      spec: {}\n    expect: |\n      apiVersion: example.com/v1\n      kind: Widget\n      spec: {size: 3}",
		Good:        "-- widget.testsuite.yaml --\napiVersion: apiextensions.k8s.io/v1\nname: Widget\ncrdName: widgets.example.com\ntests:\n  onCreate:\n  - name: Should have a size\n    initial: |\n      apiVersion: example.com/v1\n      kind: Widget\n      spec: {}\n    expected: |\n      apiVersion: example.com/v1\n      kind: Widget\n      spec: {size: 3}",
	}
	notStored = &diag.Kind{
		Code: "SG709", Severity: diag.Warning, Title: "an object that is not among the stored ones",
		Explanation: "--old has no object of the same group, kind, namespace and name, so the object is treated as new. It is an error if --old has one whose metadata cannot have been stored by a server.",
		Bad:         "$ schemagen try -f widget.yaml --crd ./v1 --old stored.yaml\n-- v1/types.go --\nName string `json:\"name\"`\n-- stored.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: b}\nspec: {name: b}\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {name: c}",
		Good:        "-- stored.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {name: b}",
	}
	unchecked = &diag.Kind{
		Code: "SG710", Severity: diag.Warning, Title: "a rule that the API server did not evaluate",
		Explanation: "After errors of some kinds the API server does not evaluate the CEL rules of the schema. This rule is violated as well and will be the next error.",
		Bad:         "$ schemagen try -f widget.yaml --crd ./v1\n-- v1/types.go --\n// +kubebuilder:validation:Enum=small;large\nSize string `json:\"size\"`\n// +kubebuilder:validation:XValidation:rule=\"self == '*' || isURL(self)\",message=\"must be a URL\"\nURL string `json:\"url\"`\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: medium, url: b}",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: large, url: \"*\"}",
	}
	rejectedCRD = &diag.Kind{
		Code: "SG711", Severity: diag.Warning, Title: "objects of a CRD that the API server rejects",
		Explanation: "The CRD cannot be created as it is; objects are tried with it anyway. schemagen verify reports all of its errors.",
		Bad:         "$ schemagen try -f widget.yaml --crd crd.yaml\n-- crd.yaml --\n# spec.versions[0].schema.openAPIV3Schema\ntype: object\nproperties:\n  spec:\n    type: object\n    default: {}\n    properties:\n      name: {type: string, default: 1}\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {name: b}",
		Good:        "-- crd.yaml --\n# spec.versions[0].schema.openAPIV3Schema\ntype: object\nproperties:\n  spec:\n    type: object\n    default: {}\n    properties:\n      name: {type: string, default: \"1\"}",
	}
	ignoredField = &diag.Kind{
		Code: "SG712", Severity: diag.Note, Title: "a field that the request does not write",
		Explanation: "The API server ignores the field: the status, which is written through its subresource (--subresource status), or metadata that only the server writes.",
		Bad:         "$ schemagen try -f widget.yaml --crd ./v1\n-- v1/types.go --\n// +kubebuilder:subresource:status\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec   Spec   `json:\"spec\"`\n\tStatus Status `json:\"status,omitempty\"`\n}\n\ntype Spec struct {\n\tName string `json:\"name\"`\n}\n\ntype Status struct {\n\tReady bool `json:\"ready\"`\n}\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {name: b}\nstatus: {ready: true}",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {name: b}",
	}
	prunedOtherwise = &diag.Kind{
		Code: "SG713", Severity: diag.Note, Title: "the API server prunes otherwise than proposed",
		Explanation: "try --pruning=proposal drops what the skeleton of the schema does not specify, by the enhancement proposal \"Pruning for Custom Resources\". The API server drops what its structural schema does not specify: fields inside logical junctors and patternProperties specify nothing for it, and additionalProperties: false specifies everything.",
		Bad:         "$ schemagen try -f widget.yaml --crd crd.yaml --pruning=proposal\n-- crd.yaml --\n# spec.versions[0].schema.openAPIV3Schema\ntype: object\nproperties:\n  spec:\n    type: object\n    anyOf:\n    - properties: {name: {minLength: 1}}\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {name: b}",
		Good:        "-- crd.yaml --\n# spec.versions[0].schema.openAPIV3Schema\ntype: object\nproperties:\n  spec:\n    type: object\n    properties:\n      name: {type: string}\n    anyOf:\n    - properties: {name: {minLength: 1}}",
	}
	exported = &diag.Kind{
		Code: "SG929", Severity: diag.Warning, Title: "a manifest with what a conversion kept",
		Explanation: "The annotation GROUP/conversion has what another version of the object says and this one cannot. It belongs to the object that it was read from: in another object, or after the stored object has changed, it brings back old values. schemagen convert --strip removes it. An update that leaves the annotation as it is stored is not reported.",
		Bad:         "$ schemagen try -f widget.yaml --crd ./v1\n-- v1/types.go --\nName string `json:\"name\"`\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\n  annotations:\n    example.com/conversion: '{\"v2\":{\"spec\":{\"size\":3}}}'\nspec: {name: b}",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {name: b}",
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{objectRejected, droppedField, defaulted, cleared, objectWarning, noKind, caseFails,
		wrongSuite, notStored, unchecked, rejectedCRD, ignoredField, prunedOtherwise, exported}
}
