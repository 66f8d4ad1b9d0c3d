package markers

import (
	"fmt"
	"reflect"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// row describes a marker beyond what controller-tools knows: a marker that controller-tools
// does not define or, without a value, additional properties of one that it does. Its
// documentation and example are in markers/reference.txtar.
type row struct {
	name string
	// targets are what the marker describes. A marker without targets describes constants,
	// which the generator reads; the definitions of controller-tools have their own.
	targets []Target
	// value is the zero value of the type that the marker is parsed to.
	value any
	// parse parses the marker; nil means controller-tools' grammar for the type of value.
	parse parseFunc
	// feature is the feature that a package must enable for the marker to take effect; empty
	// if it needs none.
	feature string
	// repeatable markers accumulate; otherwise one marker overrides the rest.
	repeatable bool
	// shared names are also used by other tools, so a near miss is not an error.
	shared bool
	// presence is whether the marker makes a field required or optional.
	presence Presence
	// stage is when the marker acts on the keywords of its own node, and apply is how.
	// Markers without apply are implemented in the generator.
	stage Stage
	apply applyFunc
	// unsupported is why a declarative-validation tag has no meaning in a CRD; empty if it has
	// one.
	unsupported string
}

// parseFunc parses a marker, plus sign included, by its name. On failure offset is that of
// the error in bytes.
type parseFunc func(text, name string) (value any, offset int, err error)

// rows returns all rows. Where controller-tools also defines a name for a target, its
// definition takes precedence.
func rows() []row {
	pkg, typ, field, both := []Target{Package}, []Target{Type}, []Target{Field}, []Target{Type, Field}
	tag := func(name string, targets []Target, unsupported string) row {
		return row{name: name, targets: targets, value: Declarative{}, parse: parseDeclarative, feature: FeatureK8s, repeatable: true, unsupported: unsupported}
	}
	const (
		test  = "it is only for tests of validation-gen"
		modes = "modes are not translated: write the rule as +kubebuilder:validation:XValidation"
	)
	convert := func(name string, targets []Target) row {
		return row{name: ConvertPrefix + name, targets: targets, value: Convert{}, parse: parseConvert, repeatable: true}
	}
	return []row{
		// Markers that this project adds.
		{name: EnableName, targets: pkg, value: Enable(nil), repeatable: true},
		{name: AllowName, targets: pkg, value: Allow(nil), repeatable: true},
		{name: UnionsName, targets: []Target{Package, Type}, value: Unions(nil)},
		{name: ConversionName, targets: []Target{Package, Type}, value: Conversion{}},
		{name: TypeName, targets: pkg, value: Tag{}, parse: parseTag, repeatable: true},
		{name: DescriptionsName, targets: []Target{Package, Field}, value: Tag{}, parse: parseTag, repeatable: true},
		{name: AtName, targets: both, value: Tag{}, parse: parseTag, repeatable: true},
		{name: OmitName, targets: field, value: Omit{}},
		{name: ReadOnlyName, targets: field, value: ReadOnly(""), parse: parseReadOnly},
		{name: "schemagen:unset", targets: both, value: Unset(nil), repeatable: true, stage: AfterMerge, apply: on(Unset.apply)},
		{name: "schemagen:text", targets: both, value: Text(""), stage: AfterMerge, apply: on(Text.apply)},
		{name: RecursionName, targets: typ, value: Recursion{}},
		{name: AllowChangeName, targets: both, value: AllowChange{}, repeatable: true},
		{name: SchemaName, targets: both, value: Fragment{}, parse: parseFragment},
		{name: WhenName, targets: []Target{Package, Type, Field}, value: When{}, parse: parseWhen, repeatable: true},
		{name: DocName, targets: both, value: DocBlock{}, parse: parseDocBlock, repeatable: true},
		{name: DocEndName, targets: both, value: DocEnd{}, repeatable: true},
		{name: EnumValuesName, targets: both, value: EnumValues(nil), repeatable: true, stage: BeforeMerge, apply: on(EnumValues.apply)},
		{name: "schemagen:additionalProperties", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:allOf", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:anyOf", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:items", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:not", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:oneOf", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:properties", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},

		// Markers of schemagen conversions. They do not affect schemas.
		convert("annotation", typ),
		{name: ConvertPrefix + "at", targets: field, value: Tag{}, parse: parseTag, repeatable: true},
		convert("drop", field),
		convert("func", both),
		convert("guard", field),
		convert("hub", typ),
		convert("hubOnly", both),
		convert("keep", field),
		convert("key", field),
		convert("label", typ),
		convert("metadata", field),
		convert("set", both),
		convert("storeAs", typ),
		convert("to", field),
		convert("union", both),
		convert("values", field),

		{name: EnumName, targets: typ, value: Enum{}, feature: FeatureEnum, shared: true},

		// OpenShift's markers with gates.
		{name: FeatureGateName, targets: both, value: FeatureGate(nil), feature: FeatureOpenShift, repeatable: true},
		{name: FeatureGateEnumName, targets: both, value: FeatureGateEnum{}, feature: FeatureOpenShift, repeatable: true},
		{name: FeatureGateMaxItemsName, targets: both, value: FeatureGateMaxItems{}, feature: FeatureOpenShift, repeatable: true},
		{name: FeatureGateXValidationName, targets: both, value: FeatureGateXValidation{}, feature: FeatureOpenShift, repeatable: true},

		// Unions, as KEP-1027 and the structural-schema proposal write them. They are enabled
		// by +schemagen:unions.
		{name: UnionDiscriminatorName, targets: field, value: UnionDiscriminator{}},
		{name: DiscriminatorName, targets: field, value: UnionDiscriminator{}},
		{name: UnionDiscriminatedByName, targets: field, value: UnionDiscriminatedBy("")},
		{name: UnionMemberName, targets: field, value: UnionMember{}, parse: parseUnionMember, repeatable: true},
		{name: UnionName, targets: field, value: UnionMember{}, parse: parseUnionMember, repeatable: true, shared: true},

		// The structural-schema proposal's sketches of markers (section "Litmus Test Examples").
		{name: "kubebuilder:additionalProperties", targets: both, value: Fragment{}, parse: parseSketch(sketchBranch), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:allOf", targets: both, value: Fragment{}, parse: parseSketch(sketchBranches), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:anyOf", targets: both, value: Fragment{}, parse: parseSketch(sketchBranches), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:maximum", targets: both, value: Fragment{}, parse: parseSketch(sketchValue), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:minimum", targets: both, value: Fragment{}, parse: parseSketch(sketchValue), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:oneOf", targets: both, value: Fragment{}, parse: parseSketch(sketchBranches), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:pattern", targets: both, value: Fragment{}, parse: parseSketch(sketchValue), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:properties", targets: both, value: Fragment{}, parse: parseSketch(sketchProperty), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:type", targets: both, value: Fragment{}, parse: parseSketch(sketchValue), feature: FeatureKEP, repeatable: true},

		// Kubernetes' declarative-validation tags (KEP-5073), as of validation-gen v0.37.
		// Those of unions are enabled by +schemagen:unions.
		tag("k8s:alpha", both, "what it marks is only observed, not enforced"),
		tag(TagBetaName, both, ""),
		tag("k8s:customUnique", both, "it refers to hand-written Go code"),
		tag("k8s:customValidation", both, "it calls hand-written Go code"),
		tag(TagDependentForbiddenName, field, ""),
		tag(TagDependentRequiredName, field, ""),
		tag(TagEachKeyName, both, ""),
		tag(TagEachValName, both, ""),
		tag(TagEnumName, typ, ""),
		tag(TagEnumExcludeName, nil, ""), // on constants, read by the generator
		tag(TagForbiddenName, field, ""),
		tag(TagFormatName, both, ""),
		{name: TagIfDisabledName, targets: both, value: When{}, parse: parseOption, feature: FeatureK8s, repeatable: true},
		{name: TagIfEnabledName, targets: both, value: When{}, parse: parseOption, feature: FeatureK8s, repeatable: true},
		tag("k8s:ifMode", field, modes),
		tag(TagImmutableName, both, ""),
		tag(TagItemName, both, ""),
		tag(TagListMapKeyName, both, ""),
		tag(TagListTypeName, both, ""),
		tag(TagMaxBytesName, both, ""),
		tag(TagMaxItemsName, both, ""),
		tag(TagMaxLengthName, both, ""),
		tag(TagMaxPropertiesName, both, ""),
		tag(TagMaximumName, both, ""),
		tag(TagMinItemsName, both, ""),
		tag(TagMinLengthName, both, ""),
		tag(TagMinPropertiesName, both, ""),
		tag(TagMinimumName, both, ""),
		tag("k8s:modeDiscriminator", field, modes),
		tag(TagMonotonicName, both, ""),
		tag(TagNeqName, both, ""),
		tag("k8s:opaqueType", both, "a CRD describes every type in full"),
		tag(TagOptionalName, field, ""),
		tag(TagRequiredName, field, ""),
		tag(TagSubfieldName, both, ""),
		{name: TagUnionDiscriminatorName, targets: field, value: Declarative{}, parse: parseDeclarative, repeatable: true},
		{name: TagUnionMemberName, targets: field, value: Declarative{}, parse: parseDeclarative, repeatable: true},
		tag(TagUniqueName, both, ""),
		tag(TagUpdateName, field, ""),
		tag("k8s:validateError", both, test),
		tag("k8s:validateFalse", both, test),
		tag("k8s:validateTrue", both, test),
		tag("k8s:validateTrueAlpha", both, test),
		tag("k8s:validateTrueBeta", both, test),
		{name: TagZeroOrOneOfMemberName, targets: field, value: Declarative{}, parse: parseDeclarative, repeatable: true},

		// Markers of controller-tools.
		{name: TagListMapKeyName, repeatable: true},
		{name: TagOptionalName, presence: Optional},
		{name: TagRequiredName, presence: Required},
		{name: MetadataName, repeatable: true},
		{name: PrintColumnName, repeatable: true},
		{name: SelectableFieldName, repeatable: true},
		{name: "kubebuilder:validation:AtLeastOneOf", repeatable: true},
		{name: "kubebuilder:validation:AtMostOneOf", repeatable: true},
		{name: "kubebuilder:validation:ExactlyOneOf", repeatable: true},
		{name: OptionalName, presence: KubebuilderOptional},
		{name: "kubebuilder:validation:Required", presence: KubebuilderRequired},
		{name: "kubebuilder:validation:XValidation", repeatable: true},
		{name: "kubebuilder:validation:items:XValidation", repeatable: true},
		{name: "listMapKey", repeatable: true},
		{name: "optional", presence: Optional},
		{name: "required", presence: Required},
	}
}

// definition returns the definition of a row for a target.
func (r *row) definition(target Target) (*Definition, error) {
	if r.parse != nil {
		return &Definition{&markers.Definition{Name: r.name, Target: target, Output: reflect.TypeOf(r.value)}, r}, nil
	}
	def, err := markers.MakeDefinition(r.name, target, r.value)
	if err != nil {
		return nil, fmt.Errorf("marker %s: %w", r.name, err)
	}
	return &Definition{def, r}, nil
}
