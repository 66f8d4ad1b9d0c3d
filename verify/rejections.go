package verify

import "github.com/schemagen/schemagen/diag"

// causesOfRejection lists common reasons of the API server to reject a CRD, by its messages.
var causesOfRejection = [...]diag.Cause{{
	Message:     "must be a valid regular expression, but isn't",
	Explanation: "The server compiles patterns with Go's package regexp, which has no lookahead and no back references.",
	Bad: `
// +kubebuilder:validation:Pattern=´^(?!kube-)[a-z-]+$´
Name string ´json:"name"´`,
	Good: `
// +kubebuilder:validation:XValidation:rule="!self.startsWith('kube-')"
// +kubebuilder:validation:Pattern=´^[a-z-]+$´
// +kubebuilder:validation:MaxLength=63
Name string ´json:"name"´`,
}, {
	Message:     "in body must be of type",
	Explanation: "A default has to be a valid value of its field. The server checks it with the whole schema: type, bounds, pattern, enum and CEL rules.",
	Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      replicas: {type: integer, default: "3"}`,
	Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      replicas: {type: integer, default: 3}`,
}, {
	Message:     "must not be empty for specified object fields",
	Explanation: "Every node of a structural schema has a type, unless it is x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields.",
	Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    properties:
      name: {type: string}`,
	Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      name: {type: string}`,
}, {
	Message:     "must be empty to be structural",
	Explanation: "Below allOf, anyOf, oneOf and not, a schema only restricts values. It may not have a type, a default, a description or additionalProperties.",
	Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      name: {type: string}
    anyOf:
    - type: object
      required: [name]
    - maxProperties: 0`,
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
    - required: [name]
    - maxProperties: 0`,
}, {
	Message:     "Syntax error:",
	Explanation: "A CEL rule does not parse. CEL compares with == and combines with && and ||; strings may have single quotes.",
	Bad: `
// +kubebuilder:validation:XValidation:rule="self.minimum <= self.maximum and self.minimum > 0"
type Spec struct {
	Minimum int32 ´json:"minimum"´
	Maximum int32 ´json:"maximum"´
}`,
	Good: `
// +kubebuilder:validation:XValidation:rule="self.minimum <= self.maximum && self.minimum > 0"
type Spec struct {
	Minimum int32 ´json:"minimum"´
	Maximum int32 ´json:"maximum"´
}`,
}, {
	Message:     "undefined field",
	Explanation: "A CEL rule reads a field that its schema does not have. Rules use JSON names, and self is the value with the rule: a rule of a struct reads the struct's own fields.",
	Bad: `
// +kubebuilder:validation:XValidation:rule="self.Minimum <= self.maximum"
type Spec struct {
	Minimum int32 ´json:"minimum"´
	Maximum int32 ´json:"maximum"´
}`,
	Good: `
// +kubebuilder:validation:XValidation:rule="self.minimum <= self.maximum"
type Spec struct {
	Minimum int32 ´json:"minimum"´
	Maximum int32 ´json:"maximum"´
}`,
}, {
	Message:     "undeclared reference to",
	Explanation: "A CEL rule uses a name or a function that does not exist. Fields are read through self, and the length of a string or a list is size(self).",
	Bad: `
// +kubebuilder:validation:MaxItems=9
// +kubebuilder:validation:XValidation:rule="length(self) != 2"
Names []string ´json:"names"´`,
	Good: `
// +kubebuilder:validation:MaxItems=9
// +kubebuilder:validation:XValidation:rule="size(self) != 2"
Names []string ´json:"names"´`,
}, {
	Message:     "found no matching overload for",
	Explanation: "A CEL rule combines values whose types do not fit. CEL converts nothing by itself: write int(x), string(x) or double(x). An int-or-string needs type(x) first.",
	Bad: `
// +kubebuilder:validation:XValidation:rule="self == 'auto' || self > 0"
Size int32 ´json:"size"´`,
	Good: `
// +kubebuilder:validation:XValidation:rule="self == -1 || self > 0"
Size int32 ´json:"size"´`,
}, {
	Message:     "cel expression must evaluate to a bool",
	Explanation: "The value of a CEL rule decides whether the object is valid, so it has to be true or false. The text belongs in message or messageExpression.",
	Bad: `
// +kubebuilder:validation:XValidation:rule="self % 2"
Size int32 ´json:"size"´`,
	Good: `
// +kubebuilder:validation:XValidation:rule="self % 2 == 0"
Size int32 ´json:"size"´`,
}, {
	Message:     "estimated rule cost exceeds budget",
	Explanation: "The server estimates the worst case of a CEL rule from the limits of the schema. Set MaxItems, MaxProperties or MaxLength for the values that it iterates over or compares; schemagen verify --costs prints the estimates.",
	Bad: `
// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a == b))"
Names []string ´json:"names"´`,
	Good: `
// +kubebuilder:validation:MaxItems=20
// +kubebuilder:validation:items:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a == b))"
Names []string ´json:"names"´`,
}, {
	Message:     "oldSelf cannot be used on the uncorrelatable portion of the schema",
	Explanation: "A transition rule needs the old value. The server cannot find the old element of a list without keys: make it a map list, or put the rule at the list.",
	Bad: `
// +kubebuilder:validation:MaxItems=9
Disks []Disk ´json:"disks"´
}

type Disk struct {
	Name string ´json:"name"´
	// +kubebuilder:validation:XValidation:rule="self >= oldSelf"
	Size int32 ´json:"size"´`,
	Good: `
// +listType=map
// +listMapKey=name
// +kubebuilder:validation:MaxItems=9
Disks []Disk ´json:"disks"´
}

type Disk struct {
	Name string ´json:"name"´
	// +kubebuilder:validation:XValidation:rule="self >= oldSelf"
	Size int32 ´json:"size"´`,
}, {
	Message:     "must have a default or be a required property",
	Explanation: "Each element of a map list needs its keys, because the server finds elements by them.",
	Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      properties:
        name: {type: string}`,
	Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      required: [name]
      properties:
        name: {type: string}`,
}, {
	Message:     "entries must all be names of item properties",
	Explanation: "A key of a map list is a field of its elements, by its JSON name.",
	Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [title]
    items:
      type: object
      required: [name]
      properties:
        name: {type: string}`,
	Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      required: [name]
      properties:
        name: {type: string}`,
}, {
	Message:     "uniqueItems cannot be set to true",
	Explanation: "Comparing all elements is too slow for the server. A list of scalars can be a set, which has the same effect.",
	Bad: `
// +kubebuilder:validation:UniqueItems=true
Names []string ´json:"names"´`,
	Good: `
// +listType=set
Names []string ´json:"names"´`,
}, {
	Message:     "additionalProperties and properties are mutual exclusive",
	Explanation: "An object has either named fields or arbitrary keys. Put the map into a field of its own.",
	Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      name: {type: string}
    additionalProperties: {type: string}`,
	Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      name: {type: string}
      labels:
        type: object
        additionalProperties: {type: string}`,
}, {
	Message:     "must be a simple json path starting with .",
	Explanation: "A printer column, a scale path or a selectable field is a path of fields, with a dot before each.",
	Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: spec.size}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}`,
	Good: `
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}`,
}, {
	Message:     "must be spec.names.plural+",
	Explanation: "The name of a CRD is the plural of its kind, a dot and its group.",
	Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widget.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}`,
	Good: `
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}`,
}, {
	Message:     "a DNS-1035 label must consist of lower case alphanumeric characters",
	Explanation: "Plurals, short names and versions are parts of URLs: lower-case letters, digits and hyphens, and a letter first.",
	Bad: `
// +kubebuilder:resource:shortName=w_1
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	Good: `
// +kubebuilder:resource:shortName=w1
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
}}
