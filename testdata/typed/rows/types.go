// Package rows has the unions of the cases on which all implementations agree, as
// Go types whose JSON is exactly that of the schemas there: discriminators and
// keys are pointers, lists and maps are left out only where they are nil, so that
// absence, the empty text and what is empty stay apart.
package rows

// +kubebuilder:validation:Enum=A;B;C
type Letter string

// +kubebuilder:validation:Enum=A;B;C;""
type LetterOrEmpty string

type Payload struct {
	// +optional
	X *int64 `json:"x,omitempty"`
}

// Required is the union of the cases: A selects a, B selects b, C nothing.
type Required struct {
	// +unionDiscriminator
	// +required
	Type *Letter `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

// Optional may have no discriminator, which none of its values stands for: only
// the structural-schema proposal's marker allows that.
type Optional struct {
	// +discriminator
	// +optional
	Type *Letter `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type OptionalOrEmpty struct {
	// +unionDiscriminator
	// +optional
	Type *LetterOrEmpty `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type RequiredOrEmpty struct {
	// +unionDiscriminator
	// +required
	Type *LetterOrEmpty `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type Defaulted struct {
	// +unionDiscriminator
	// +optional
	// +kubebuilder:default=B
	Type *Letter `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type OptionalMember struct {
	// +unionDiscriminator
	// +required
	Type *Letter `json:"type,omitempty"`
	// +unionMember=A,optional
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

// Places has the union at every kind of place.
type Places struct {
	// +optional
	Parent *Required `json:"parent,omitempty"`
	// +optional
	Map map[string]Required `json:"map,omitzero"`
	// +optional
	// +listType=map
	// +listMapKey=name
	ByName []PlacesItem `json:"byName,omitzero"`
	// +optional
	// +listType=map
	// +listMapKey=name
	// +listMapKey=port
	ByBoth []BothItem `json:"byBoth,omitzero"`
	// +optional
	// +listType=map
	// +listMapKey=name
	// +listMapKey=proto
	ByTexts []TextsItem `json:"byTexts,omitzero"`
	// +optional
	// +listType=atomic
	Atomic []Required `json:"atomic,omitzero"`
	// +optional
	Plain []Required `json:"plain,omitzero"`
	// +optional
	Outer *Outer `json:"outer,omitempty"`
	// +optional
	Note *string `json:"note,omitempty"`
}

type PlacesItem struct {
	Required `json:",inline"`
	// +optional
	// +kubebuilder:default=none
	Name *string `json:"name,omitempty"`
	// +optional
	Port *int64 `json:"port,omitempty"`
}

type BothItem struct {
	Required `json:",inline"`
	// +optional
	// +kubebuilder:default=none
	Name *string `json:"name,omitempty"`
	// +required
	Port *int64 `json:"port,omitempty"`
}

type TextsItem struct {
	Required `json:",inline"`
	// +required
	Name *string `json:"name,omitempty"`
	// +required
	Proto *string `json:"proto,omitempty"`
}

// Outer has a member with a union of its own.
type Outer struct {
	// +unionDiscriminator
	// +required
	Type *Letter `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Required `json:"a,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"b,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type MapsAndLists struct {
	// +optional
	Map map[string]Required `json:"map,omitzero"`
	// +optional
	// +listType=map
	// +listMapKey=name
	ByName []NamedItem `json:"byName,omitzero"`
	// +optional
	ByAll AllKeysList `json:"byAll,omitzero"`
	// +optional
	// +listType=map
	// +listMapKey=port
	ByPort []PortItem `json:"byPort,omitzero"`
	// +optional
	// +listType=atomic
	Atomic []Required `json:"atomic,omitzero"`
	// +optional
	Plain []Optional `json:"plain,omitzero"`
}

type NamedItem struct {
	Required `json:",inline"`
	// +required
	Name *string `json:"name,omitempty"`
}

// +listType=map
// +listMapKey=name
// +listMapKey=port
// +listMapKey=on
// +listMapKey=proto
type AllKeysList []AllKeysItem

type AllKeysItem struct {
	Optional `json:",inline"`
	// +required
	Name *string `json:"name,omitempty"`
	// +optional
	// +kubebuilder:default=80
	Port *int64 `json:"port,omitempty"`
	// +required
	On *bool `json:"on,omitempty"`
	// +optional
	// +kubebuilder:default=TCP
	Proto *string `json:"proto,omitempty"`
}

type PortItem struct {
	Defaulted `json:",inline"`
	// +optional
	// +kubebuilder:default=80
	Port *int64 `json:"port,omitempty"`
}

type Nested struct {
	// +optional
	Spec *Deep `json:"spec,omitempty"`
	// +optional
	Status map[string]Deep `json:"status,omitzero"`
}

// Deep has members with unions and lists of unions of their own.
type Deep struct {
	// +unionDiscriminator
	// +required
	Type *Letter `json:"type,omitempty"`
	// +unionMember
	// +optional
	A *Inner `json:"a,omitempty"`
	// +unionMember
	// +optional
	// +listType=map
	// +listMapKey=name
	B []InnerItem `json:"b,omitzero"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type Inner struct {
	Optional `json:",inline"`
	// +optional
	// +listType=map
	// +listMapKey=name
	List []NamedItem `json:"list,omitzero"`
	// +optional
	Map map[string]Defaulted `json:"map,omitzero"`
}

type InnerItem struct {
	Inner `json:",inline"`
	// +required
	Name *string `json:"name,omitempty"`
}

type InEachOther struct {
	// +optional
	Map map[string]map[string]AllKeysList `json:"map,omitzero"`
	// +optional
	// +listType=map
	// +listMapKey=name
	List []InItem `json:"list,omitzero"`
	// +optional
	// +listType=atomic
	Atomic []In `json:"atomic,omitzero"`
}

type In struct {
	// +optional
	// +listType=map
	// +listMapKey=name
	In []NamedItem `json:"in,omitzero"`
}

type InItem struct {
	In `json:",inline"`
	// +required
	Name *string `json:"name,omitempty"`
}

// Nullable reads null as absence.
type Nullable struct {
	// +optional
	// +nullable
	Parent *OptionalOrEmpty `json:"parent,omitempty"`
	// +optional
	Map map[string]*Required `json:"map,omitzero"`
	// +optional
	// +nullable
	// +listType=map
	// +listMapKey=name
	List []NamedItem `json:"list,omitzero"`
}

type OddNames struct {
	// +optional
	Map map[string]Odd `json:"a/b~c,omitzero"`
	// +optional
	// +listType=map
	// +listMapKey=na~me
	List []OddItem `json:"true,omitzero"`
}

// +kubebuilder:validation:Enum="it's";"x\"\\";"null"
type OddValue string

type Odd struct {
	// +discriminator
	// +optional
	In *OddValue `json:"in,omitempty"`
	// +unionMember="it's"
	// +optional
	Slash *Payload `json:"a/b,omitempty"`
	// +unionMember=x"\
	// +optional
	Dot *Payload `json:"a.b,omitempty"`
	// +unionMember="null",optional
	// +optional
	Score *Payload `json:"__x__,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type OddItem struct {
	Odd `json:",inline"`
	// +required
	Name *string `json:"na~me,omitempty"`
}

type UnreadableNames struct {
	// +optional
	Map map[string]Unreadable `json:"ü,omitzero"`
}

type Unreadable struct {
	// +unionDiscriminator
	// +optional
	// +kubebuilder:validation:Enum=A;B;""
	D *string `json:"a~D,omitempty"`
	// +unionMember
	// +optional
	A *Payload `json:"a~b,omitempty"`
	// +unionMember
	// +optional
	B *Payload `json:"ü x,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}

type TwoInOne struct {
	// +discriminator
	// +optional
	Type *Letter `json:"type,omitempty"`
	// +unionDiscriminator
	// +optional
	// +kubebuilder:default=B
	OtherType *Letter `json:"other-type,omitempty"`
	// +unionMember
	// +unionDiscriminatedBy=Type
	// +optional
	A *Payload `json:"a,omitempty"`
	// +unionMember
	// +unionDiscriminatedBy=Type
	// +optional
	B *Deep `json:"b,omitempty"`
	// +unionMember=A
	// +unionDiscriminatedBy=OtherType
	// +optional
	Namespace *Payload `json:"namespace,omitempty"`
	// +unionMember=B
	// +unionDiscriminatedBy=OtherType
	// +optional
	Function *Payload `json:"function,omitempty"`
	// +optional
	Other *string `json:"other,omitempty"`
}
