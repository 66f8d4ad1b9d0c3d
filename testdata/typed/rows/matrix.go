package rows

// The types of this file are the unions of the version-skew matrix, as the first
// version of their API has them, and, with an N, the second.

// +kubebuilder:validation:Enum=A;B
type V1 string

// +kubebuilder:validation:Enum=A;B;""
type V1OrEmpty string

// +kubebuilder:validation:Enum=A;B;N
type V2 string

// +kubebuilder:validation:Enum=A;B;N;""
type V2OrEmpty string

type MatrixRequired struct {
	// +unionDiscriminator
	// +required
	Type *V1 `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type MatrixRequiredN struct {
	// +unionDiscriminator
	// +required
	Type *V2 `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +unionMember
	// +optional
	N *Payload `json:"n,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type MatrixOptional struct {
	// +unionDiscriminator
	// +optional
	Type *V1OrEmpty `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type MatrixOptionalN struct {
	// +unionDiscriminator
	// +optional
	Type *V2OrEmpty `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +unionMember
	// +optional
	N *Payload `json:"n,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type MatrixExactlyOne struct {
	// +k8s:unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +k8s:unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type MatrixExactlyOneN struct {
	// +k8s:unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +k8s:unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +k8s:unionMember
	// +optional
	N *Payload `json:"n,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type MatrixAtMostOne struct {
	// +k8s:zeroOrOneOfMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +k8s:zeroOrOneOfMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type MatrixAtMostOneN struct {
	// +k8s:zeroOrOneOfMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +k8s:zeroOrOneOfMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +k8s:zeroOrOneOfMember
	// +optional
	N *Payload `json:"n,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type MatrixOptionalMemberN struct {
	// +unionDiscriminator
	// +required
	Type *V2 `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +unionMember=N,optional
	// +optional
	N *Payload `json:"n,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}
