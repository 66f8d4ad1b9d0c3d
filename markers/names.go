package markers

// Names of markers that other packages look up.
const (
	// Our own markers.
	AtName                   = "schemagen:at"
	ConversionName           = "schemagen:conversion"
	DescriptionsName         = "schemagen:descriptions"
	EnableName               = "schemagen:enable"
	OmitName                 = "schemagen:omit"
	RecursionName            = "schemagen:recursion"
	SchemaName               = "schemagen:schema"
	TypeName                 = "schemagen:type"
	UnionsName               = "schemagen:unions"
	EnumName                 = "enum"
	UnionDiscriminatorName   = "unionDiscriminator"
	DiscriminatorName        = "discriminator"
	UnionDiscriminatedByName = "unionDiscriminatedBy"
	UnionMemberName          = "unionMember"
	UnionName                = "union"

	// Declarative-validation tags.
	TagEnumName               = "k8s:enum"
	TagEnumExcludeName        = "k8s:enumExclude"
	TagImmutableName          = "k8s:immutable"
	TagUniqueName             = "k8s:unique"
	TagUnionDiscriminatorName = "k8s:unionDiscriminator"
	TagUnionMemberName        = "k8s:unionMember"
	TagZeroOrOneOfMemberName  = "k8s:zeroOrOneOfMember"

	// controller-tools' markers.
	GroupName           = "groupName"
	VersionName         = "versionName"
	SkipName            = "kubebuilder:skip"
	StorageVersionName  = "kubebuilder:storageversion"
	ResourceName        = "kubebuilder:resource"
	MetadataName        = "kubebuilder:metadata"
	PrintColumnName     = "kubebuilder:printcolumn"
	SelectableFieldName = "kubebuilder:selectablefield"
	ScaleName           = "kubebuilder:subresource:scale"
	OptionalName        = "kubebuilder:validation:Optional"
	ValuesName          = "kubebuilder:validation:Enum"
	ItemValuesName      = "kubebuilder:validation:items:Enum"
	SchemaTypeName      = "kubebuilder:validation:Type"
	DefaultName         = "kubebuilder:default"
	NullableName        = "nullable"
	PlainDefaultName    = "default"
)
