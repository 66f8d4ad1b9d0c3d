package dryrun

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics of this package, in the order of their codes.
var (
	objectRejected = &diag.Kind{
		Code: "SG701", Title: "the API server rejects the object",
		Explanation: "The message is the server's own, from its code. The related position is the rule or the field of the schema that rejects it.",
		Bad: `
$ schemagen try -f widget.yaml ./v1
-- v1/types.go --
// +kubebuilder:validation:Minimum=1
Size int32 ´json:"size"´
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: 0}`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: 1}`,
	}
	droppedField = &diag.Kind{
		Code: "SG702", Severity: diag.Warning, Title: "a field that is not stored",
		Explanation: "The API server prunes what the schema does not specify, and null if the field is not nullable. Without a conversion webhook, the storage version prunes, too, and an update through another version removes what that version does not have. By default, kubectl and schemagen try ask for strict validation, and an object with an unknown field is rejected instead.",
		Bad: `
$ schemagen try -f widget.yaml ./v1
-- v1/types.go --
Name string ´json:"name,omitempty"´
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {nmae: b}`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {name: b}`,
	}
	defaulted = &diag.Kind{
		Code: "SG703", Severity: diag.Note, Title: "a field that gets its default",
		Explanation: "The API server adds the defaults of the schema to objects in requests and to stored objects.",
		Bad: `
$ schemagen try -f widget.yaml ./v1
-- v1/types.go --
// +kubebuilder:default=1
Size int32 ´json:"size,omitempty"´
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {}`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: 1}`,
	}
	cleared = &diag.Kind{
		Code: "SG704", Severity: diag.Note, Title: "a union member that a policy clears",
		Explanation: "The discriminator has changed and selects another member. The server itself clears nothing: that is done by the MutatingAdmissionPolicy that schemagen unions writes. try follows the policies in --policy, in the file of the CRD and beside it, and in outputs.policies of schemagen.yaml; with --unions none, it follows none. It is an error if the API server rejects such a policy, or if the policy has something that schemagen unions does not write. See docs/unions.md.",
		Bad: `
$ schemagen try -f widget.yaml ./v1 --old stored.yaml --unions cel --policy policy.yaml
-- v1/types.go --
// +unionDiscriminator
// +kubebuilder:validation:Enum=Text;File
// +required
Type string ´json:"type,omitempty"´
// +unionMember
Text *string ´json:"text,omitempty"´
// +unionMember
File *string ´json:"file,omitempty"´
-- policy.yaml --
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: unions.v1.widgets.example.com}
spec:
  failurePolicy: Ignore
  matchConstraints:
    resourceRules:
    - {apiGroups: [example.com], apiVersions: [v1], operations: [UPDATE], resources: [widgets]}
  mutations:
  - patchType: JSONPatch
    jsonPatch:
      expression: |-
        object.spec.type != 'Text' && has(object.spec.text) && oldObject.spec.type != object.spec.type ?
        [JSONPatch{op: "remove", path: "/spec/text"}] : []
-- stored.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {type: Text, text: hello}
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {type: File, file: hello.txt, text: hello}`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {type: File, file: hello.txt}`,
	}
	objectWarning = &diag.Kind{
		Code: "SG705", Severity: diag.Warning, Title: "the API server warns about the object",
		Explanation: "The object is stored. Usually an unchanged part violates a rule, which the server tolerates.",
		Bad: `
$ schemagen try -f widget.yaml ./v1 --old stored.yaml
-- v1/types.go --
// +kubebuilder:validation:XValidation:rule="self > 0"
Size int32  ´json:"size"´
Name string ´json:"name"´
-- stored.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: 0, name: b}
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: 0, name: c}`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: 1, name: c}`,
	}
	noKind = &diag.Kind{
		Code: "SG706", Title: "an object without a CRD",
		Explanation: "None of the known CRDs serves the object's version and kind. For files found in a directory it is a note, because they may contain objects of other kinds, unless the group has a kind with a similar name.",
		Bad: `
$ schemagen try -f widget.yaml ./v1
-- v1/types.go --
Name string ´json:"name"´
-- widget.yaml --
apiVersion: example.com/v1
kind: Wigdet
metadata: {name: a}
spec: {name: b}`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {name: b}`,
	}
	caseFails = &diag.Kind{
		Code: "SG707", Title: "a case of a test suite fails",
		Explanation: "The stored object differs from the expected one, or the object is rejected, is not rejected, or is rejected for another reason. The position is that of the first difference, of the first error, or of the expected error.",
		Bad: `
$ schemagen test ./v1 -f widget.testsuite.yaml
-- v1/types.go --
// +kubebuilder:default=3
Size int32 ´json:"size,omitempty"´
-- widget.testsuite.yaml --
apiVersion: apiextensions.k8s.io/v1
name: Widget
crdName: widgets.example.com
tests:
  onCreate:
  - name: Should have a size
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {}
    expected: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 1}`,
		Good: `
-- widget.testsuite.yaml --
apiVersion: apiextensions.k8s.io/v1
name: Widget
crdName: widgets.example.com
tests:
  onCreate:
  - name: Should have a size
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {}
    expected: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 3}`,
	}
	wrongSuite = &diag.Kind{
		Code: "SG708", Fixes: true, Title: "a test suite that cannot be run",
		Explanation: "A key is unknown, something is missing, or the CRD is unknown. docs/try.md describes the format. A note is about a part of openshift's suites that schemagen test ignores.",
		Bad: `
$ schemagen test ./v1 -f widget.testsuite.yaml
-- v1/types.go --
// +kubebuilder:default=3
Size int32 ´json:"size,omitempty"´
-- widget.testsuite.yaml --
apiVersion: apiextensions.k8s.io/v1
name: Widget
crdName: widgets.example.com
tests:
  onCreate:
  - name: Should have a size
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {}
    expect: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 3}`,
		Good: `
-- widget.testsuite.yaml --
apiVersion: apiextensions.k8s.io/v1
name: Widget
crdName: widgets.example.com
tests:
  onCreate:
  - name: Should have a size
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {}
    expected: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 3}`,
	}
	notStored = &diag.Kind{
		Code: "SG709", Severity: diag.Warning, Title: "an object that is not among the stored ones",
		Explanation: "--old has no object of the same group, kind, namespace and name, so the object is treated as new. It is an error if --old has one whose metadata cannot have been stored by a server.",
		Bad: `
$ schemagen try -f widget.yaml ./v1 --old stored.yaml
-- v1/types.go --
Name string ´json:"name"´
-- stored.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: b}
spec: {name: b}
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {name: c}`,
		Good: `
-- stored.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {name: b}`,
	}
	unchecked = &diag.Kind{
		Code: "SG710", Severity: diag.Warning, Title: "a rule that the API server did not evaluate",
		Explanation: "After errors of some kinds the API server does not evaluate the CEL rules of the schema. This rule is violated as well and will be the next error.",
		Bad: `
$ schemagen try -f widget.yaml ./v1
-- v1/types.go --
// +kubebuilder:validation:Enum=small;large
Size string ´json:"size"´
// +kubebuilder:validation:XValidation:rule="self == '*' || isURL(self)",message="must be a URL"
URL string ´json:"url"´
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: medium, url: b}`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: large, url: "*"}`,
	}
	rejectedCRD = &diag.Kind{
		Code: "SG711", Severity: diag.Warning, Title: "objects of a CRD that the API server rejects",
		Explanation: "The CRD cannot be created as it is; objects are tried with it anyway. schemagen verify reports all of its errors.",
		Bad: `
$ schemagen try -f widget.yaml crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    default: {}
    properties:
      name: {type: string, default: 1}
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {name: b}`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    default: {}
    properties:
      name: {type: string, default: "1"}`,
	}
	ignoredField = &diag.Kind{
		Code: "SG712", Severity: diag.Note, Title: "a field that the request does not write",
		Explanation: "The API server ignores the field: the status, which is written through its subresource (--subresource status), or metadata that only the server writes.",
		Bad: `
$ schemagen try -f widget.yaml ./v1
-- v1/types.go --
// +kubebuilder:subresource:status
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec   Spec   ´json:"spec"´
	Status Status ´json:"status,omitempty"´
}

type Spec struct {
	Name string ´json:"name"´
}

type Status struct {
	Ready bool ´json:"ready"´
}
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {name: b}
status: {ready: true}`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {name: b}`,
	}
	prunedOtherwise = &diag.Kind{
		Code: "SG713", Severity: diag.Note, Title: "the API server prunes otherwise than proposed",
		Explanation: "try --pruning=proposal drops what the skeleton of the schema does not specify, by the enhancement proposal \"Pruning for Custom Resources\". The API server drops what its structural schema does not specify: fields inside logical junctors and patternProperties specify nothing for it, and additionalProperties: false specifies everything.",
		Bad: `
$ schemagen try -f widget.yaml crd.yaml --pruning=proposal
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    anyOf:
    - properties: {name: {minLength: 1}}
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {name: b}`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      name: {type: string}
    anyOf:
    - properties: {name: {minLength: 1}}`,
	}
	exported = &diag.Kind{
		Code: "SG929", Severity: diag.Warning, Title: "a manifest with what a conversion kept",
		Explanation: "The annotation GROUP/conversion has what another version of the object says and this one cannot. It belongs to the object that it was read from: in another object, or after the stored object has changed, it brings back old values. schemagen try --to VERSION --strip removes it. An update that leaves the annotation as it is stored is not reported.",
		Bad: `
$ schemagen try -f widget.yaml ./v1
-- v1/types.go --
Name string ´json:"name"´
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata:
  name: a
  annotations:
    example.com/conversion: '{"v2":{"spec":{"size":3}}}'
spec: {name: b}`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {name: b}`,
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{objectRejected, droppedField, defaulted, cleared, objectWarning, noKind, caseFails,
		wrongSuite, notStored, unchecked, rejectedCRD, ignoredField, prunedOtherwise, exported}
}
