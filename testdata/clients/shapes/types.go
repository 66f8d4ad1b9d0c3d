// Package shapes has fields of every shape that encoding/json treats in its own way. What the
// analysis of package clients says about them is compared with compiled code.
//
// +groupName=clients.test
// +versionName=v1
package shapes

import (
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// +kubebuilder:subresource:status
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec,omitempty"`
	Status Status `json:"status,omitempty"`
}

type Status struct {
	// +optional
	// +kubebuilder:validation:Enum=A;B
	Phase string   `json:"phase"`
	Names []string `json:"names"`
	Size  int32    `json:"size"`
}

type Spec struct {
	Embedded         `json:",inline"`
	*EmbeddedPointer `json:",inline"`
	NamedEmbedded    `json:"namedEmbedded"`

	Hidden *string `json:"hidden,omitempty"`

	Basics  Basics           `json:"basics"`
	Omitted OmittedBasics    `json:"omitted"`
	Known   KnownTypes       `json:"known"`
	Bounded Bounded          `json:"bounded"`
	Lists   Lists            `json:"lists"`
	Structs Structs          `json:"structs"`
	Loose   Loose            `json:"loose"`
	Box     Box[Basics]      `json:"box"`
	Boxes   []Box[Omitted]   `json:"boxes,omitempty"`
	ByName  map[string]Named `json:"byName,omitempty"`
	Tree    *Tree            `json:"tree,omitempty"`
}

type Embedded struct {
	Inline string `json:"inline"`
	// Hidden is hidden by a field with the same name.
	Hidden string `json:"hidden"`
}

type EmbeddedPointer struct {
	Far  string  `json:"far"`
	Near *string `json:"near,omitempty"`
}

type NamedEmbedded struct {
	Below int32 `json:"below"`
}

type Omitted = OmittedBasics

type Basics struct {
	// +kubebuilder:default=true
	Bool bool `json:"bool"`
	// +kubebuilder:default=3
	Int32 int32 `json:"int32"`
	// +kubebuilder:default=3
	Int64 *int64 `json:"int64"`
	// +kubebuilder:validation:Minimum=0
	Uint8 uint8 `json:"uint8"`
	// +kubebuilder:default=a
	String string `json:"string"`
	// +optional
	// +kubebuilder:validation:MinLength=1
	NotEmpty string `json:"notEmpty"`
	Bytes    []byte `json:"bytes"`
	// +kubebuilder:validation:Type=number
	Ratio float64 `json:"ratio"`
	// +kubebuilder:validation:Type=number
	Small float32 `json:"small"`
	// +kubebuilder:validation:Type=string
	Quoted int64 `json:"quoted,string"`
	// +kubebuilder:validation:Type=string
	QuotedPointer *bool `json:"quotedPointer,omitempty,string"`
	// +kubebuilder:validation:Type=string
	Mistyped int32 `json:"mistyped"`
}

type OmittedBasics struct {
	// +kubebuilder:default=true
	Bool bool `json:"bool,omitempty"`
	// +kubebuilder:default=3
	Int32 int32 `json:"int32,omitzero"`
	// +kubebuilder:default=3
	Int64 *int64 `json:"int64,omitempty"`
	// +required
	Uint8 uint8 `json:"uint8,omitempty"`
	// +kubebuilder:default=a
	String string `json:"string,omitempty"`
	// +kubebuilder:default=""
	Same string `json:"same,omitempty"`
	// +kubebuilder:default="YQ=="
	Bytes []byte `json:"bytes,omitempty"`
	// +nullable
	// +kubebuilder:default=a
	Null *string `json:"null,omitempty"`
	// +nullable
	// +kubebuilder:default=a
	NullSent *string `json:"nullSent"`
}

type KnownTypes struct {
	Time metav1.Time `json:"time,omitempty"`
	// +optional
	TimeZero metav1.Time      `json:"timeZero,omitzero"`
	TimePtr  *metav1.Time     `json:"timePtr,omitempty"`
	Micro    metav1.MicroTime `json:"micro,omitempty"`
	Duration metav1.Duration  `json:"duration"`
	// +optional
	DurationPtr *metav1.Duration  `json:"durationPtr,omitempty"`
	Quantity    resource.Quantity `json:"quantity"`
	// +kubebuilder:default="1"
	QuantityZero resource.Quantity `json:"quantityZero,omitzero"`
	// +kubebuilder:default="1"
	QuantityPtr *resource.Quantity `json:"quantityPtr,omitzero"`
	Port        intstr.IntOrString `json:"port"`
	// +kubebuilder:default="http"
	PortPtr *intstr.IntOrString `json:"portPtr,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	Raw runtime.RawExtension `json:"raw,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	JSON apiextensionsv1.JSON `json:"json,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	Message json.RawMessage `json:"message,omitempty"`
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Own Own `json:"own,omitempty"`
}

// Own has a method whose effect nobody knows without running it.
type Own struct {
	Text string `json:"text"`
}

func (o Own) MarshalJSON() ([]byte, error) { return json.Marshal(o.Text) }

func (o *Own) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &o.Text) }

type Bounded struct {
	// +kubebuilder:validation:Minimum=-2147483648
	// +kubebuilder:validation:Maximum=2147483647
	Int32 int32 `json:"int32"`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf"
	Immutable resource.Quantity `json:"immutable"`
	// +kubebuilder:validation:XValidation:rule="duration(self) <= duration('1h') && self.endsWith('s') && !self.contains('m')"
	Seconds metav1.Duration `json:"seconds"`
	// +kubebuilder:validation:XValidation:rule="self > 0"
	// +optional
	Positive int64 `json:"positive"`
}

type Lists struct {
	Required []string `json:"required"`
	// +required
	RequiredOmitted []string `json:"requiredOmitted,omitempty"`
	// +kubebuilder:validation:MinItems=1
	NotEmpty []string `json:"notEmpty"`
	// +kubebuilder:default={"a"}
	Defaulted []string `json:"defaulted,omitempty"`
	// +kubebuilder:default={"a"}
	DefaultedSent []string `json:"defaultedSent"`
	// +kubebuilder:default={"a"}
	DefaultedZero []string          `json:"defaultedZero,omitzero"`
	Map           map[string]string `json:"map"`
	// +kubebuilder:default={a: b}
	MapDefaulted map[string]string  `json:"mapDefaulted,omitempty"`
	Sizes        []int32            `json:"sizes,omitempty"`
	ByName       map[string]*int32  `json:"byName,omitempty"`
	Times        []metav1.Time      `json:"times,omitempty"`
	Quantities   map[string]Amount  `json:"quantities,omitempty"`
	Deep         map[string][]Named `json:"deep,omitempty"`
}

type Amount = resource.Quantity

type Structs struct {
	// +optional
	Sent Named `json:"sent,omitempty"`
	// +optional
	Zero Named `json:"zero,omitzero"`
	// +optional
	Pointer *Named `json:"pointer,omitempty"`
	// +optional
	Loose Optional `json:"loose,omitempty"`
	// +kubebuilder:default={size: 3}
	Defaulted Optional `json:"defaulted,omitempty"`
	// +kubebuilder:default={}
	Below Optional `json:"below,omitempty"`
	// +optional
	Anonymous struct {
		// +kubebuilder:validation:Enum=A;B
		Mode string `json:"mode"`
	} `json:"anonymous,omitempty"`
}

type Named struct {
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

type Optional struct {
	// +optional
	Size int64 `json:"size,omitempty"`
}

type Loose struct {
	// +kubebuilder:pruning:PreserveUnknownFields
	Config Config `json:"config"`
	// +schemagen:schema={type: object, additionalProperties: {type: string}}
	Strings Optional `json:"strings,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	Anything Config `json:"anything,omitempty"`
}

type Config struct {
	Name string `json:"name"`
}

type Box[T any] struct {
	Value T   `json:"value"`
	List  []T `json:"list,omitempty"`
}

// +schemagen:recursion:depth=2
type Tree struct {
	Name     string `json:"name"`
	Children []Tree `json:"children,omitempty"`
}

// Opaque is a kind with a method whose effect is not known.
type Opaque struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	// +kubebuilder:validation:Enum=A;B
	Mode string `json:"mode"`
}

func (o Opaque) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }
