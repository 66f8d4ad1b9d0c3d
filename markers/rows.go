package markers

import (
	"fmt"
	"reflect"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// row is what this package knows of a marker beyond controller-tools: a marker that
// controller-tools does not define or, without a value, more about one that it does.
// Documentation and an example of each are in reference.txtar.
type row struct {
	name string
	// targets are what the marker describes. A marker without any describes constants,
	// which package generator reads; controller-tools' definitions have their own.
	targets []Target
	// value is the zero value of the type that the marker is parsed to.
	value any
	// parse reads the marker; nil means controller-tools' grammar for the type of value.
	parse parseFunc
	// feature is what a package has to enable before the marker has a meaning; empty
	// if it needs none.
	feature string
	// repeatable markers add up; of the others one overrides the rest.
	repeatable bool
	// shared names are words of other tools, too, so that a near miss is not a mistake.
	shared bool
	// presence is what the marker says of the presence of a field, if anything.
	presence Presence
	// stage is when the marker acts on the keywords of its own node, and apply is how.
	// Package generator knows what markers do that have no apply.
	stage Stage
	apply applyFunc
	// without is why a declarative-validation tag has no meaning in a CRD; empty if it
	// has one.
	without string
}

// parseFunc reads a marker of a name, plus sign included. If it fails, the offset is that
// of the mistake.
type parseFunc func(text, name string) (value any, offset int, err error)

// rows are all rows. Where controller-tools defines a name for a target, too, its
// definition counts.
func rows() []row {
	pkg, typ, field, both := []Target{Package}, []Target{Type}, []Target{Field}, []Target{Type, Field}
	tag := func(name string, targets []Target, without string) row {
		return row{name: name, targets: targets, value: Declarative{}, parse: parseDeclarative, feature: FeatureK8s, repeatable: true, without: without}
	}
	const (
		test   = "it only tests validation-gen"
		option = "a CRD does not know the options of an API server"
		modes  = "modes are not translated: write the rule as +kubebuilder:validation:XValidation"
	)
	return []row{
		// What this project adds.
		{name: EnableName, targets: pkg, value: Enable(nil), repeatable: true},
		{name: "schemagen:allow", targets: pkg, value: Allow(nil), repeatable: true},
		{name: UnionsName, targets: []Target{Package, Type}, value: Unions(nil)},
		{name: ConversionName, targets: []Target{Package, Type}, value: Conversion{}},
		{name: TypeName, targets: pkg, value: Tag{}, parse: parseTag, repeatable: true},
		{name: DescriptionsName, targets: []Target{Package, Field}, value: Tag{}, parse: parseTag, repeatable: true},
		{name: AtName, targets: both, value: Tag{}, parse: parseTag, repeatable: true},
		{name: OmitName, targets: field, value: Omit{}},
		{name: "schemagen:unset", targets: both, value: Unset(nil), repeatable: true, stage: AfterMerge, apply: on(Unset.apply)},
		{name: RecursionName, targets: typ, value: Recursion{}},
		{name: "schemagen:allowChange", targets: both, value: AllowChange{}, repeatable: true},
		{name: SchemaName, targets: both, value: Fragment{}, parse: parseFragment},
		{name: "schemagen:additionalProperties", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:allOf", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:anyOf", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:items", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:not", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:oneOf", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:properties", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},

		{name: EnumName, targets: typ, value: Enum{}, feature: FeatureEnum, shared: true},

		// Unions, as KEP-1027 and the structural-schema proposal write them. What enables
		// them is +schemagen:unions.
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

		// Kubernetes' declarative-validation tags (KEP-5073): all that validation-gen v0.37
		// has. What enables those of unions is +schemagen:unions.
		tag("k8s:alpha", both, "what it marks is only observed, not enforced"),
		tag("k8s:beta", both, ""),
		tag("k8s:customUnique", both, "it announces hand-written Go code"),
		tag("k8s:customValidation", both, "it calls hand-written Go code"),
		tag("k8s:dependentForbidden", field, ""),
		tag("k8s:dependentRequired", field, ""),
		tag("k8s:eachKey", both, ""),
		tag("k8s:eachVal", both, ""),
		tag(TagEnumName, typ, ""),
		tag(TagEnumExcludeName, nil, ""), // on constants: package generator reads it
		tag("k8s:forbidden", field, ""),
		tag("k8s:format", both, ""),
		tag("k8s:ifDisabled", both, option),
		tag("k8s:ifEnabled", both, option),
		tag("k8s:ifMode", field, modes),
		tag(TagImmutableName, both, ""),
		tag("k8s:item", both, ""),
		tag("k8s:listMapKey", both, ""),
		tag("k8s:listType", both, ""),
		tag("k8s:maxBytes", both, ""),
		tag("k8s:maxItems", both, ""),
		tag("k8s:maxLength", both, ""),
		tag("k8s:maxProperties", both, ""),
		tag("k8s:maximum", both, ""),
		tag("k8s:minItems", both, ""),
		tag("k8s:minLength", both, ""),
		tag("k8s:minProperties", both, ""),
		tag("k8s:minimum", both, ""),
		tag("k8s:modeDiscriminator", field, modes),
		tag("k8s:monotonic", both, ""),
		tag("k8s:neq", both, ""),
		tag("k8s:opaqueType", both, "a CRD describes every type in full"),
		tag("k8s:optional", field, ""),
		tag("k8s:required", field, ""),
		tag("k8s:subfield", both, ""),
		{name: TagUnionDiscriminatorName, targets: field, value: Declarative{}, parse: parseDeclarative, repeatable: true},
		{name: TagUnionMemberName, targets: field, value: Declarative{}, parse: parseDeclarative, repeatable: true},
		tag(TagUniqueName, both, ""),
		tag("k8s:update", field, ""),
		tag("k8s:validateError", both, test),
		tag("k8s:validateFalse", both, test),
		tag("k8s:validateTrue", both, test),
		tag("k8s:validateTrueAlpha", both, test),
		tag("k8s:validateTrueBeta", both, test),
		{name: TagZeroOrOneOfMemberName, targets: field, value: Declarative{}, parse: parseDeclarative, repeatable: true},

		// controller-tools' own.
		{name: "k8s:listMapKey", repeatable: true},
		{name: "k8s:optional", presence: Optional},
		{name: "k8s:required", presence: Required},
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

// definition returns what a row defines for a target.
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
