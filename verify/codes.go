package verify

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package, in the order of their codes.
var (
	unmergeableSet = &diag.Kind{
		Code: "SG278", Severity: diag.Warning, Title: "a set of lists or objects, which server-side apply refuses",
		Explanation: "The API server accepts +listType=set for lists of lists, and for lists of objects with +mapType=atomic. But server-side apply only knows sets of strings, numbers and booleans: it fails for every object with an element in such a list, and for other writes the server forgets which client owns which fields.",
		Bad: `
// +listType=set
Ranges [][]int32 ´json:"ranges"´`,
		Good: `
// +listType=atomic
Ranges [][]int32 ´json:"ranges"´`,
	}
	rejectedByServer = &diag.Kind{
		Code: "SG601", Fixes: true, Title: "the API server rejects the CRD",
		Explanation: "The message comes from the server's own code and is the one that kubectl create prints. Common messages are listed below. schemagen crd --skip-verify writes the CRD anyway.",
		Causes:      causesOfRejection[:],
		Bad: `
// +kubebuilder:validation:Pattern=´^[a-z´
Name string ´json:"name"´`,
		Good: `
// +kubebuilder:validation:Pattern=´^[a-z]+$´
Name string ´json:"name"´`,
	}
	serverWarning = &diag.Kind{
		Code: "SG602", Severity: diag.Warning, Title: "the API server warns, or drops a field",
		Explanation: "The server accepts the CRD and returns this warning, or silently drops a field that it does not know.",
		Bad: `
// +kubebuilder:validation:Format=nonsense
Name string ´json:"name"´`,
		Good: `
// +kubebuilder:validation:Format=hostname
Name string ´json:"name"´`,
	}
	unknownToVersion = &diag.Kind{
		Code: "SG603", Title: "the selected Kubernetes version does not support this",
		Explanation: "--kube-version selects a version that treats a field differently from the newest one: an error if that version rejects the CRD, a warning if it drops the field. --skip-verify writes the CRD anyway.",
		Bad: `
$ schemagen crd ./... --kube-version 1.26
-- v1/types.go --
// +kubebuilder:validation:XValidation:rule="self.size() < 9",messageExpression="'not ' + self"
Name string ´json:"name"´`,
		Good: "$ schemagen crd ./... --kube-version 1.27",
	}
	unknownAnswer = &diag.Kind{
		Code: "SG604", Title: "the API server's response could not be determined",
		Explanation: "Validation takes longer than a request to a real server may, or the server's code panics. --skip-verify writes the CRD anyway.",
		Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      labels: {type: object, additionalProperties: true}
      size: {type: string, maxLength: 10}
    x-kubernetes-validations:
    - rule: "!has(self.size) || self.size.matches('^[SML]$')"
      fieldPath: .labels.size.name`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      labels: {type: object, additionalProperties: true}
      size: {type: string, maxLength: 10}
    x-kubernetes-validations:
    - rule: "!has(self.size) || self.size.matches('^[SML]$')"
      fieldPath: .size`,
	}
	rejectedOutsideSchemas = &diag.Kind{
		Code: "SG605", Severity: diag.Warning, Title: "the API server rejects the CRD outside its schemas",
		Explanation: "The group name is invalid, or the annotation api-approved.kubernetes.io, which Kubernetes groups require, is missing. During generation this is a warning, because another build step may add it; schemagen verify reports SG601.",
		Bad: `
// +groupName=widgets.k8s.io
package v1

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec Spec ´json:"spec"´
}

type Spec struct {
	Name string ´json:"name"´
}`,
		Good: `
// +groupName=widgets.k8s.io
package v1

// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=https://github.com/kubernetes/enhancements/pull/1111"
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec Spec ´json:"spec"´
}

type Spec struct {
	Name string ´json:"name"´
}`,
	}
	discouragedByProposals = &diag.Kind{
		Code: "SG606", Severity: diag.Warning, Title: "the structural-schema proposals discourage this",
		Explanation: "The server accepts it. The proposals that define structural schemas and pruning discourage it, because tools that only know types and fields handle it incorrectly.",
		Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      a: {type: string}
    anyOf:
    - required: [a]
    - required: [b]
      properties: {b: {minLength: 1}}`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      a: {type: string}
      b: {type: string}
    anyOf:
    - required: [a]
    - required: [b]
      properties: {b: {minLength: 1}}`,
	}
	contradiction = &diag.Kind{
		Code: "SG607", Severity: diag.Warning, Title: "part of the schema can never be satisfied",
		Explanation: "Examples are bounds that exclude each other, enum values that other keywords reject, branches of logical junctors that nothing satisfies, required properties that are not declared, and patterns that clients interpret differently. The API server does not report any of these.",
		Bad: `
// +kubebuilder:validation:Minimum=10
// +kubebuilder:validation:Maximum=5
Replicas int32 ´json:"replicas"´`,
		Good: `
// +kubebuilder:validation:Minimum=5
// +kubebuilder:validation:Maximum=10
Replicas int32 ´json:"replicas"´`,
	}
	noSuchPath = &diag.Kind{
		Code: "SG608", Severity: diag.Warning, Fixes: true, Title: "a path does not exist in the schema",
		Explanation: "A printer column or the scale subresource refers to a field that the schema does not have or that has another type. The server splits the paths of the scale subresource at dots, so they cannot lead through lists. It accepts the CRD, and later prints nothing or fails.",
		Bad: `
// +kubebuilder:printcolumn:name=Name,type=string,JSONPath=.spec.nmae
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec Spec ´json:"spec"´
}

type Spec struct {
	Name string ´json:"name"´
}`,
		Good: `
// +kubebuilder:printcolumn:name=Name,type=string,JSONPath=.spec.name
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec Spec ´json:"spec"´
}

type Spec struct {
	Name string ´json:"name"´
}`,
	}
	tooLarge = &diag.Kind{
		Code: "SG609", Severity: diag.Warning, Title: "the CRD is too large for some ways of installing it",
		Explanation: "kubectl apply stores the object in an annotation of at most 262,144 bytes, Helm stores a release in a Secret of at most 1 MiB, and etcd accepts requests of at most 1.5 MiB. The hint lists the largest parts.",
		Bad: `
$ schemagen verify ./v1
-- v1/types.go --
Template corev1.PodSpec ´json:"template"´`,
		Good: `
-- schemagen.yaml --
crd:
  maxDescLen: 0`,
	}
	malformedManifest = &diag.Kind{
		Code: "SG610", Title: "a manifest cannot be read",
		Explanation: "The text is neither YAML nor JSON, a value does not have the type of its field, or the text exceeds the size that schemagen reads.",
		Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
required: spec`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
required: [spec]
properties: {spec: {type: object}}`,
	}
	unknownOrDuplicateField = &diag.Kind{
		Code: "SG611", Title: "a field is unknown to the API server, or duplicated",
		Explanation: "Strict decoding, which kubectl requests by default, rejects it. Without strict decoding, an unknown field is dropped, and the last of duplicate fields wins.",
		Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  size: {type: integer, minimun: 1}`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  size: {type: integer, minimum: 1}`,
	}
	droppedField = &diag.Kind{
		Code: "SG612", Severity: diag.Warning, Title: "a field is silently dropped",
		Explanation: "Below items and additionalProperties, the API server does not detect unknown and duplicate fields, and drops them.",
		Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  sizes:
    type: array
    items: {type: integer, minimun: 1}`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  sizes:
    type: array
    items: {type: integer, minimum: 1}`,
	}
	notACRD = &diag.Kind{
		Code: "SG613", Title: "a document is not an apiextensions.k8s.io/v1 CRD",
		Explanation: "apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22. Every object needs an apiVersion and a kind.",
		Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  version: v1`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object`,
	}
	misfittingBound = &diag.Kind{
		Code: "SG614", Severity: diag.Warning, Title: "a bound does not fit the type of its field",
		Explanation: "Since Kubernetes 1.36, the API server checks minimum, maximum and multipleOf against type and format whenever it validates a value, and rejects every value if one of them does not fit, such as 0.5 for an integer or 4294967295 for an int32. The largest and smallest int64 do not fit either, because the server reads bounds as floats. Older servers ignore or truncate the bound.",
		Bad: `
// +kubebuilder:validation:Maximum=4294967295
Replicas int32 ´json:"replicas"´`,
		Good: `
// +kubebuilder:validation:Maximum=2147483647
Replicas int32 ´json:"replicas"´`,
	}
	idleKeyword = &diag.Kind{
		Code: "SG615", Severity: diag.Warning, Title: "a keyword has no effect",
		Explanation: "exclusiveMinimum and exclusiveMaximum are booleans that modify minimum and maximum and mean nothing without them. A keyword for values of another type than the field's, such as maxLength on an integer, restricts nothing. The API server accepts both.",
		Bad: `
// +kubebuilder:validation:ExclusiveMinimum=true
Replicas int32 ´json:"replicas"´`,
		Good: `
// +kubebuilder:validation:Minimum=0
// +kubebuilder:validation:ExclusiveMinimum=true
Replicas int32 ´json:"replicas"´`,
	}
	misleadingColumn = &diag.Kind{
		Code: "SG616", Severity: diag.Warning, Title: "a printer column is not printed as declared",
		Explanation: "The API server accepts a column whose JSONPath does not parse, but when it serves the resource it omits that column and all columns after it. It prints nothing in a column whose filters compare values of different types or with a value that the schema does not allow, or whose indices and slices select no element. Columns of the same name are printed under the same heading; kubectl prints headings in capitals.",
		Bad: `
// +kubebuilder:printcolumn:name=Name,type=string,JSONPath=´.spec[name´
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec Spec ´json:"spec"´
}

type Spec struct {
	Name string ´json:"name"´
}`,
		Good: `
// +kubebuilder:printcolumn:name=Name,type=string,JSONPath=.spec.name
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec Spec ´json:"spec"´
}

type Spec struct {
	Name string ´json:"name"´
}`,
	}
	constantRule = &diag.Kind{
		Code: "SG617", Severity: diag.Warning, Title: "a CEL rule always has the same result",
		Explanation: "A rule that is true for every value rejects nothing. A rule that is false for every value that the rest of the schema allows, such as size(self) > 5 with maxLength 5, rejects everything. The rule \"false\" on an optional field, a way to forbid the field, is not reported.",
		Bad: `
// +kubebuilder:validation:XValidation:rule="size(self) >= 0"
Name string ´json:"name"´`,
		Good: `
// +kubebuilder:validation:XValidation:rule="self != 'default'"
Name string ´json:"name"´`,
	}
	rejectedExample = &diag.Kind{
		Code: "SG618", Severity: diag.Warning, Title: "the schema rejects an example",
		Explanation: "The value of example does not have the field's type, is not in its enum, or violates its pattern or bounds. The API server ignores examples, but readers copy them.",
		Bad: `
// +kubebuilder:validation:Enum=small;large
// +kubebuilder:example=medium
Size string ´json:"size"´`,
		Good: `
// +kubebuilder:validation:Enum=small;large
// +kubebuilder:example=small
Size string ´json:"size"´`,
	}
	rejectedByNewer = &diag.Kind{
		Code: "SG620", Severity: diag.Note, Title: "a newer API server rejects a rule for its cost",
		Explanation: "The server of --kube-version accepts the rule. Newer servers estimate a higher cost for one of its functions and reject it in a new CRD. It is reported once per run.",
		Bad: `
$ schemagen verify crd.yaml --kube-version 1.31
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  names:
    type: array
    items:
      type: string
      x-kubernetes-validations: [{rule: "matches(self, '^[a-z]+$')"}]`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  names:
    type: array
    maxItems: 100
    items:
      type: string
      maxLength: 63
      x-kubernetes-validations: [{rule: "matches(self, '^[a-z]+$')"}]`,
	}
	nonStructural = &diag.Kind{
		Code: "SG621", Severity: diag.Warning, Title: "the API server accepts a schema that is not structural, because it replaces one",
		Explanation: "A server rejects such a schema in a new definition. In an update it is accepted if the stored definition was not structural either; the server sets the condition NonStructuralSchema, does not publish the schema, and refuses pruning, defaults and conversion by a webhook. schemagen verify --condition prints the condition and all answers.",
		Bad: `
$ schemagen verify crd.yaml --old old
-- old/crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  preserveUnknownFields: true
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size: {minimum: 1}
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  preserveUnknownFields: true
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size: {minimum: 2}`,
		Good: `
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size: {type: integer, minimum: 2}`,
	}
	repeatedRule = &diag.Kind{
		Code: "SG622", Severity: diag.Warning, Title: "a CEL rule is repeated in a list",
		Explanation: "The API server takes the rules of a list for a map with the rule as key. It accepts a new CRD with two equal rules, also if their messages differ, but kubectl apply --server-side, and tools that apply in the same way, fail with \"duplicate entries for key\".",
		Bad: `
type Spec struct {
	// +kubebuilder:validation:XValidation:rule="self != 'default'"
	Name Name ´json:"name"´
}

// +kubebuilder:validation:XValidation:rule="self != 'default'",message="choose a name"
type Name string`,
		Good: `
type Spec struct {
	Name Name ´json:"name"´
}

// +kubebuilder:validation:XValidation:rule="self != 'default'",message="choose a name"
type Name string`,
	}
	convertedKey = &diag.Kind{
		Code: "SG623", Severity: diag.Warning, Title: "a key that YAML does not read as its text",
		Explanation: "In YAML 1.1, which kubectl and the API server read, y, yes and on without quotes are true, n, no and off are false, and 0x10 is 16. As a key, such a word is the name of another field: true, false or 16.",
		Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  y: {type: integer}`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  "y": {type: integer}`,
	}
	absentField = &diag.Kind{
		Code: "SG624", Severity: diag.Warning, Fixes: true, Title: "a CEL rule that reads an absent field",
		Explanation: "A rule that reads a field which an object does not have fails, and the API server refuses the object with \"no such key\", not with the message of the rule. It is reported for a field that the schema does not require, if there is an object that the server refuses for this reason only, and that the rule would accept with the zero value of Go in place of the field: the rule is probably meant to accept it. The fix begins the rule, or what all() demands of an element, with a test; it is offered where the rule accepts the zero value whatever the other fields are. A read is no mistake where the field is required or has a default, or where has() was tested, in either operand of && and ||. With verify --old, a rule is also reported if it reads a field that the old definition did not require: objects that were stored with it can lack the field in oldSelf, and in self when an update does not touch them. The API server then ignores that a required field is missing, but not that a rule fails.",
		Bad: `
// +kubebuilder:validation:XValidation:rule="self.mode != 'None'",message="None is reserved"
type Spec struct {
	// +optional
	Mode string ´json:"mode,omitempty"´
}`,
		Good: `
// +kubebuilder:validation:XValidation:rule="!has(self.mode) || self.mode != 'None'",message="None is reserved"
type Spec struct {
	// +optional
	Mode string ´json:"mode,omitempty"´
}`,
	}
	maskedMessage = &diag.Kind{
		Code: "SG625", Severity: diag.Warning, Off: true, Title: "a CEL rule that refuses an object with \"no such key\"",
		Explanation: "As SG624, but the rule would also refuse the object with the zero value of Go in place of the field. The object is refused for the right reason, with a message that does not say why.",
		Bad: `
// +kubebuilder:validation:XValidation:rule="self.mode == 'Auto'",message="choose Auto"
type Spec struct {
	// +optional
	Mode string ´json:"mode,omitempty"´
}`,
		Good: `
// +kubebuilder:validation:XValidation:rule="has(self.mode) && self.mode == 'Auto'",message="choose Auto"
type Spec struct {
	// +optional
	Mode string ´json:"mode,omitempty"´
}`,
	}
	removable = &diag.Kind{
		Code: "SG626", Severity: diag.Warning, Off: true, Title: "an immutable field that can be removed",
		Explanation: "The API server evaluates a rule about oldSelf only if the field exists before and after the update. If the field is optional, one update can remove it, and another one can set it to any value. It is reported for rules whose message says that the field is immutable, or cannot be changed once set, if the server's own code refuses the change, and accepts both updates.",
		Bad: `
type Spec struct {
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="class is immutable"
	// +optional
	Class string ´json:"class,omitempty"´
}`,
		Good: `
// +kubebuilder:validation:XValidation:rule="has(self.class) == has(oldSelf.class)",message="class is immutable"
type Spec struct {
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="class is immutable"
	// +optional
	Class string ´json:"class,omitempty"´
}`,
	}
	leakyUnion = &diag.Kind{
		Code: "SG627", Severity: diag.Warning, Off: true, Title: "hand-written rules that are almost a union",
		Explanation: "The rules and logical junctors of an object are evaluated, with the server's code, for every combination of the values that they tell apart. They refuse nearly what a union of the fields would refuse, but accept one object more: of three fields, a != b != c also accepts all three; a rule for each of two pairs leaves the third pair; a member may be required with its value, and not forbidden with others; or no rule reads a field that is named as a value of the discriminator, or that is the only one without a value. schemagen verify --unions also prints the unions that rules enforce.",
		Bad: `
// +kubebuilder:validation:XValidation:rule="has(self.a) != has(self.b) != has(self.c)"
type Spec struct {
	// +optional
	A *string ´json:"a,omitempty"´
	// +optional
	B *string ´json:"b,omitempty"´
	// +optional
	C *string ´json:"c,omitempty"´
}`,
		Good: `
// +kubebuilder:validation:ExactlyOneOf=a;b;c
type Spec struct {
	// +optional
	A *string ´json:"a,omitempty"´
	// +optional
	B *string ´json:"b,omitempty"´
	// +optional
	C *string ´json:"c,omitempty"´
}`,
	}
	enforcedUnion = &diag.Kind{
		Code: "SG628", Severity: diag.Note, Title: "a union that rules enforce",
		Explanation: "schemagen verify --unions evaluates the rules and logical junctors of each object, with the server's code, for every combination of the values that they tell apart, and prints the unions that accept the same objects.",
		Bad: `
$ schemagen verify crd.yaml --unions
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              inch: {type: integer}
              metric: {type: integer}
            x-kubernetes-validations:
            - rule: has(self.inch) != has(self.metric)
`,
		Good: `
$ schemagen verify crd.yaml
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              inch: {type: integer}
              metric: {type: integer}
            x-kubernetes-validations:
            - rule: has(self.inch) != has(self.metric)
`,
	}
)

// lossyVersions is after the others because of its code.
var lossyVersions = &diag.Kind{
	Code: "SG944", Severity: diag.Warning, Title: "versions of a CRD that lose fields of each other",
	Explanation: "Without a conversion webhook, the API server converts an object by replacing its apiVersion, and drops every field that the schema of the other version does not have: fields that only a served version has are never stored, and fields that only the storage version has are removed by every update through another version, even of a label. It is not reported if a kustomization in the directory of the file, above it, in a sibling directory default, or in config/crd adds a webhook. If something else adds the webhook, write # schemagen:ignore SG944 with the reason. For Go types, schemagen crd reports SG930.",
	Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {width: {type: integer}}}}}}`,
	Good: `
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}`,
}

// Codes returns the kinds of diagnostics that this package reports, in the order of their
// codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		unmergeableSet,
		rejectedByServer, serverWarning, unknownToVersion, unknownAnswer, rejectedOutsideSchemas, discouragedByProposals,
		contradiction, noSuchPath, tooLarge, malformedManifest, unknownOrDuplicateField, droppedField, notACRD,
		misfittingBound, idleKeyword, misleadingColumn, constantRule, rejectedExample, rejectedByNewer, nonStructural,
		repeatedRule, convertedKey, absentField, maskedMessage, removable, leakyUnion, enforcedUnion, lossyVersions,
	}
}
