// Package api has unions of every shape. Its functions are generated, run, and
// compared with what the runtime says of the same objects.
//
// +groupName=typed.test
// +versionName=v1
// +schemagen:enable=k8s
package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec"`
}

type Spec struct {
	Value Plain `json:"value"`
	// +optional
	Plain *Plain `json:"plain,omitempty"`
	// +optional
	Optional *Optional `json:"optional,omitempty"`
	// +optional
	Defaulted *Defaulted `json:"defaulted,omitempty"`
	// +optional
	Pointers *Pointers `json:"pointers,omitempty"`
	// +optional
	Kinds *Kinds `json:"kinds,omitempty"`
	// +optional
	Two *Two `json:"two,omitempty"`
	// +optional
	Embeds *Embeds `json:"embeds,omitempty"`
	// +optional
	Exactly *Exactly `json:"exactly,omitempty"`
	// +optional
	AtMost *AtMost `json:"atMost,omitempty"`
	// +optional
	Nested *Nested `json:"nested,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Keyed []Item `json:"keyed,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=name
	// +listMapKey=port
	TwoKeys []*Port `json:"twoKeys,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Outer []Outer `json:"outer,omitempty"`
	// +optional
	Atomic []Plain `json:"atomic,omitempty"`
	// +optional
	Map map[string]Plain `json:"map,omitempty"`
	// +optional
	MapOfPointers map[string]*Optional `json:"mapOfPointers,omitempty"`
	// +optional
	MapOfKeyed map[string]Items `json:"mapOfKeyed,omitempty"`
	// +optional
	MapOfMaps map[string]map[string]Plain `json:"mapOfMaps,omitempty"`
	// +optional
	PointerToKeyed *Items `json:"pointerToKeyed,omitempty"`
	// +optional
	Lists [][]Plain `json:"lists,omitempty"`
	// +optional
	Box     *Box[Plain] `json:"box,omitempty"`
	Unnamed struct {
		Plain `json:",inline"`
		Inner Plain `json:"inner"`
		// +optional
		More *Optional `json:"more,omitempty"`
	} `json:"unnamed"`
	// +optional
	Defined *Defined `json:"defined,omitempty"`
	// +optional
	Ten *Ten `json:"ten,omitempty"`
	// +optional
	Moded *Moded `json:"moded,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=name
	KeyedModes []NamedModes `json:"keyedModes,omitempty"`
}

// +enum
type Letter string

const (
	A Letter = "A"
	B Letter = "B"
	C Letter = "C"
)

// Plain is the union of the cases: A selects a, B selects b, C nothing.
type Plain struct {
	// +unionDiscriminator
	Type Letter `json:"type"`
	// +unionMember=A
	// +optional
	First *Payload `json:"a,omitempty"`
	// +unionMember=B
	// +optional
	Second *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type Payload struct {
	// +optional
	X *int32 `json:"x,omitempty"`
}

type Defined Plain

// Optional has an optional discriminator, the empty text among its values, and an
// optional member.
type Optional struct {
	// +unionDiscriminator
	// +optional
	// +kubebuilder:validation:Enum=B;"";A;C
	Type string `json:"type,omitempty"`
	// +unionMember=A,optional
	// +optional
	First *Payload `json:"a,omitempty"`
	// +unionMember=B
	// +optional
	Second *Payload `json:"b,omitempty"`
}

type Defaulted struct {
	// +unionDiscriminator
	// +optional
	// +kubebuilder:default=B
	Type Letter `json:"type,omitempty"`
	// +unionMember=A
	// +optional
	First *Payload `json:"a,omitempty"`
	// +unionMember=B
	// +optional
	Second *Payload `json:"b,omitempty"`
}

type Pointers struct {
	// +unionDiscriminator
	PRequired *WithEmpty `json:"pRequired"`
	// +unionDiscriminator
	// +optional
	POptional *WithEmpty `json:"pOptional,omitempty"`
	// +unionDiscriminator
	// +optional
	// +kubebuilder:default=B
	PDefaulted *Letter `json:"pDefaulted,omitempty"`
	// +unionMember=A
	// +unionDiscriminatedBy=PRequired
	// +optional
	RA *int `json:"ra,omitempty"`
	// +unionMember=B
	// +unionDiscriminatedBy=PRequired
	// +optional
	RB *int `json:"rb,omitempty"`
	// +unionMember=A
	// +unionDiscriminatedBy=POptional
	// +optional
	OA *int `json:"oa,omitempty"`
	// +unionMember=B
	// +unionDiscriminatedBy=POptional
	// +optional
	OB *int `json:"ob,omitempty"`
	// +unionMember=A
	// +unionDiscriminatedBy=PDefaulted
	// +optional
	DA *int `json:"da,omitempty"`
	// +unionMember=B
	// +unionDiscriminatedBy=PDefaulted
	// +optional
	DB *int `json:"db,omitempty"`
}

// +kubebuilder:validation:Enum="";A;B
type WithEmpty string

// Kinds has members of every kind.
type Kinds struct {
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=Pointer;Slice;Map;Bytes;Text;Named;Number;Bool;Struct;Maybe;None
	Kind string `json:"kind"`
	// +unionMember
	// +optional
	Pointer *string `json:"pointer,omitempty"`
	// +unionMember
	// +optional
	// +kubebuilder:validation:MinItems=1
	Slice []string `json:"slice,omitempty"`
	// +unionMember
	// +optional
	// +kubebuilder:validation:MinProperties=1
	Map map[string]string `json:"map,omitempty"`
	// +unionMember
	// +optional
	// +kubebuilder:validation:MinLength=1
	Bytes []byte `json:"bytes,omitempty"`
	// +unionMember
	// +optional
	// +kubebuilder:validation:MinLength=1
	Text string `json:"text,omitempty"`
	// +unionMember
	// +optional
	Named Word `json:"named,omitempty"`
	// +unionMember
	// +optional
	// +kubebuilder:validation:Minimum=1
	Number int64 `json:"number,omitempty"`
	// +unionMember
	// +optional
	// +kubebuilder:validation:Enum=true
	Bool bool `json:"bool,omitempty"`
	// +unionMember
	// +optional
	Struct Named `json:"struct,omitzero"`
	// +unionMember=Maybe,optional
	// +optional
	Maybe *bool `json:"maybe,omitempty"`
}

// +kubebuilder:validation:Enum=x;y
type Word string

type Named struct {
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

type Two struct {
	// +unionDiscriminator
	First Letter `json:"first"`
	// +unionDiscriminator
	Second Letter `json:"second"`
	// +unionMember=A
	// +unionDiscriminatedBy=First
	// +optional
	FA *int `json:"fa,omitempty"`
	// +unionMember=A
	// +unionDiscriminatedBy=Second
	// +optional
	SA *int `json:"sa,omitempty"`
	// +unionMember=B
	// +unionDiscriminatedBy=First
	// +optional
	FB *int `json:"fb,omitempty"`
}

// Embeds has the union of Plain, and another one behind a pointer.
type Embeds struct {
	Plain `json:",inline"`
	*More `json:",inline"`
	// +optional
	Own string `json:"own,omitempty"`
}

type More struct {
	// +unionDiscriminator
	More Letter `json:"more"`
	// +unionMember=A
	// +optional
	MA *int `json:"ma,omitempty"`
	// +unionMember=B
	// +optional
	MB *int `json:"mb,omitempty"`
}

type Exactly struct {
	// +k8s:unionMember
	// +optional
	X *int `json:"x,omitempty"`
	// +k8s:unionMember
	// +optional
	// +kubebuilder:validation:MinLength=1
	Y string `json:"y,omitempty"`
}

type AtMost struct {
	// +k8s:zeroOrOneOfMember
	// +optional
	X *int `json:"x,omitempty"`
	// +k8s:zeroOrOneOfMember
	// +optional
	Y *int `json:"y,omitempty"`
	// +k8s:zeroOrOneOfMember
	// +optional
	Z *int `json:"z,omitempty"`
}

// Nested has members with unions of their own.
type Nested struct {
	// +unionDiscriminator
	Type Letter `json:"type"`
	// +unionMember=A
	// +optional
	First *Plain `json:"a,omitempty"`
	// +unionMember=B
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +listType=map
	// +listMapKey=name
	Second []Item `json:"b,omitempty"`
}

type Item struct {
	Name  string `json:"name"`
	Plain `json:",inline"`
}

// +listType=map
// +listMapKey=name
type Items []Item

type Port struct {
	// +optional
	// +kubebuilder:default=none
	Name *string `json:"name,omitempty"`
	Key  `json:",inline"`
	// +optional
	Union *Optional `json:"union,omitempty"`
}

type Key struct {
	// +optional
	// +kubebuilder:default=80
	// +kubebuilder:validation:Minimum=1
	Port int32 `json:"port,omitempty"`
}

type Outer struct {
	Name  string `json:"name"`
	Union Plain  `json:"union"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Inner []Item `json:"inner,omitempty"`
	// +optional
	Map map[string]Plain `json:"map,omitempty"`
	// +optional
	Embeds *Embeds `json:"embeds,omitempty"`
}

type Box[T any] struct {
	Value T `json:"value"`
}

// Ten is a union of ten members.
type Ten struct {
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=M0;M1;M2;M3;M4;M5;M6;M7;M8;M9
	Type string `json:"type"`
	// +unionMember
	// +optional
	M0 *Payload `json:"m0,omitempty"`
	// +unionMember
	// +optional
	M1 *Payload `json:"m1,omitempty"`
	// +unionMember
	// +optional
	M2 *Payload `json:"m2,omitempty"`
	// +unionMember
	// +optional
	M3 *Payload `json:"m3,omitempty"`
	// +unionMember
	// +optional
	M4 *Payload `json:"m4,omitempty"`
	// +unionMember
	// +optional
	M5 *Payload `json:"m5,omitempty"`
	// +unionMember
	// +optional
	M6 *Payload `json:"m6,omitempty"`
	// +unionMember
	// +optional
	M7 *Payload `json:"m7,omitempty"`
	// +unionMember
	// +optional
	M8 *Payload `json:"m8,omitempty"`
	// +unionMember
	// +optional
	M9 *Payload `json:"m9,omitempty"`
}

// Moded has fields with modes of a text, one with a default, and a boolean.
type Moded struct {
	// +k8s:modeDiscriminator
	// +optional
	Mode string `json:"mode,omitempty"`
	// +k8s:modeDiscriminator(modality: "defaulted")
	// +optional
	// +kubebuilder:default=x
	Defaulted string `json:"defaulted,omitempty"`
	// +k8s:modeDiscriminator(modality: "flag")
	Flag bool `json:"flag"`
	// +k8s:ifMode("x")=+k8s:required
	// +k8s:ifMode("y")=+k8s:optional
	Text string `json:"text,omitempty"`
	// +k8s:ifMode("")=+k8s:required
	// +k8s:ifMode("x")=+k8s:required
	List []string `json:"list,omitempty"`
	// +k8s:ifMode("y")=+k8s:required
	Map map[string]string `json:"map,omitempty"`
	// +k8s:ifMode("x")=+k8s:forbidden
	// +k8s:ifMode("y")=+k8s:optional
	Other *string `json:"other,omitempty"`
	// +k8s:ifMode(modality: "defaulted", mode: "x")=+k8s:required
	// +kubebuilder:validation:Minimum=0
	Number int32 `json:"number,omitempty"`
	// +k8s:ifMode(modality: "defaulted", mode: "y")=+k8s:optional
	Bytes []byte `json:"bytes,omitempty"`
	// +k8s:ifMode(modality: "flag", mode: "true")=+k8s:required
	Bool *bool `json:"bool,omitempty"`
	// +k8s:ifMode(modality: "flag", mode: "false")=+k8s:required
	// +k8s:ifMode(modality: "flag", mode: "true")=+k8s:optional
	Inner *Plain `json:"inner,omitempty"`
}

type NamedModes struct {
	Name  string `json:"name"`
	Moded `json:",inline"`
	// +optional
	Strict *Strict `json:"strict,omitempty"`
}

// Strict has modes that are a union.
type Strict struct {
	// +k8s:modeDiscriminator
	// +kubebuilder:validation:Enum=A;B;C
	Kind Letter `json:"kind"`
	// +k8s:ifMode("A")=+k8s:required
	First *Payload `json:"a,omitempty"`
	// +k8s:ifMode("B")=+k8s:optional
	Second *Payload `json:"b,omitempty"`
}
