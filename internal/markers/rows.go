package markers

import (
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// row describes a marker beyond what controller-tools knows: a marker that controller-tools
// does not define or, without a value, additional properties of one that it does. Its
// documentation and example are in reference.txtar.
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
	// slot is what the marker sets; by default its keyword or, if it is repeatable, nothing: see
	// [Table.Slots].
	slot string
	// ungated is how messages name a marker that cannot depend on gates; empty if it can.
	ungated string
	// onlyKinds is set if the marker describes only types that are kinds.
	onlyKinds bool
	// arguments are those with known values or with names of fields.
	arguments []argument
	// shape is what can follow the name of a marker of conversions.
	shape convertShape
	// generator is the generator of controller-tools that reads the marker; empty for crd. Only the
	// generator object has its definitions from here. separator separates the name from the
	// arguments: a colon if they are named.
	generator, separator string
}

// argument is an argument of a marker. The argument without a name is "".
type argument struct {
	name string
	// refers is what names in the value refer to.
	refers Reference
	// values are the values that it may have, or the usual ones if there are others.
	values []string
}

// Documentation returns the marker reference as a txtar archive, in reading order. Its
// sections are
//
//	# TITLE       a chapter and its introduction, as Markdown
//	+NAME         a marker: one property per line, then its effect, as
//	              Markdown; by default, the help of controller-tools
//	go            an example: fields, declarations, or a file
//	yaml          the output of the example: an excerpt of the definition
//	diagnostics   the diagnostics of the example
//
// A test of internal/passes writes the last two from actual output.
func Documentation() string { return documentation }

//go:embed reference.txtar
var documentation string

// parseFunc parses a marker, plus sign included, by its name. On failure offset is where the error
// is, in bytes.
type parseFunc func(text, name string) (value any, offset int, err error)

// rows returns all rows. Where controller-tools also defines a name for a target, its
// definition takes precedence.
func rows() []row {
	pkg := []Target{Package}
	typ := []Target{Type}
	field := []Target{Field}
	both := []Target{Type, Field}
	tag := func(name string, targets []Target, unsupported string) row {
		return row{name: name, targets: targets, value: Declarative{}, parse: parseDeclarative, feature: FeatureK8s,
			repeatable: true, unsupported: unsupported}
	}
	// one is for tags of which a declaration has one, and with for those with an argument.
	one := func(name string, targets []Target, unsupported string) row {
		r := tag(name, targets, unsupported)
		r.slot = strings.TrimPrefix(name, "k8s:")
		return r
	}
	with := func(r row, arguments ...argument) row {
		r.arguments = arguments
		return r
	}
	const test = "it is only for tests of validation-gen"
	// convert is for markers of schemagen conversions, which do not affect schemas.
	convert := func(r row) row {
		r.name = ConvertPrefix + r.name
		r.ungated = strings.TrimSuffix(ConvertPrefix, ":")
		r.repeatable = true
		if r.value == nil {
			r.value = Convert{}
			r.parse = r.shape.parse
		}
		return r
	}
	types := []string{"array", "boolean", "integer", "number", "object", "string"}
	formats := []string{
		"bsonobjectid", "byte", "cidr", "creditcard", "date", "date-time", "double", "duration", "email", "float", "hexcolor", "hostname",
		"int32", "int64", "ipv4", "ipv6", "isbn", "isbn10", "isbn13", "mac", "password", "rgbcolor", "ssn", "uri", "uuid", "uuid3", "uuid4", "uuid5",
	}
	reasons := []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}
	lists := []string{"atomic", "map", "set"}
	maps := []string{"atomic", "granular"}
	return []row{
		// Markers that this project adds.
		{name: EnableName, targets: pkg, value: Enable(nil), repeatable: true, ungated: EnableName, arguments: []argument{{"", NoReference, Features()}}},
		{name: AllowName, targets: pkg, value: Allow(nil), repeatable: true, ungated: AllowName},
		{name: UnionsName, targets: []Target{Package, Type}, value: Unions(nil), arguments: []argument{{"", NoReference, []string{"cel", "none", "oneOf"}}}},
		{name: ConversionName, targets: []Target{Package, Type}, value: Conversion{}, onlyKinds: true,
			arguments: []argument{{"strategy", NoReference, []string{"None", "Webhook"}}}},
		{name: TypeName, targets: pkg, value: Tag{}, parse: parseTag, repeatable: true, slot: TypeName},
		{name: DescriptionsName, targets: []Target{Package, Field}, value: Tag{}, parse: parseTag, repeatable: true,
			slot: DescriptionsName},
		{name: AtName, targets: both, value: Tag{}, parse: parseTag, repeatable: true, slot: AtName, arguments: []argument{{"", Path, nil}}},
		{name: OmitName, targets: field, value: Omit{}},
		{name: ReadOnlyName, targets: field, value: ReadOnly(""), parse: parseReadOnly},
		{name: "schemagen:unset", targets: both, value: Unset(nil), repeatable: true, stage: AfterMerge, apply: on(Unset.apply)},
		{name: "schemagen:text", targets: both, value: Text(""), stage: AfterMerge, apply: on(Text.apply)},
		{name: RecursionName, targets: typ, value: Recursion{}},
		{name: ExactlyOneOfName, targets: typ, value: AllFields{}, arguments: []argument{{"except", FieldNames, nil}}},
		{name: AtMostOneOfName, targets: typ, value: AllFields{}, arguments: []argument{{"except", FieldNames, nil}}},
		{name: AtLeastOneOfName, targets: typ, value: AllFields{}, arguments: []argument{{"except", FieldNames, nil}}},
		{name: AllowChangeName, targets: both, value: AllowChange{}, repeatable: true, ungated: AllowChangeName},
		{name: SchemaName, targets: both, value: Fragment{}, parse: parseFragment},
		{name: WhenName, targets: []Target{Package, Type, Field}, value: When{}, parse: parseWhen, repeatable: true},
		{name: DocName, targets: both, value: DocBlock{}, parse: parseDocBlock, repeatable: true, ungated: DocName},
		{name: DocEndName, targets: both, value: DocEnd{}, repeatable: true},
		{name: EnumValuesName, targets: both, value: EnumValues(nil), repeatable: true, stage: BeforeMerge,
			apply: on(EnumValues.apply)},
		{name: "schemagen:additionalProperties", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:allOf", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:anyOf", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:items", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:not", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:oneOf", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},
		{name: "schemagen:properties", targets: both, value: Fragment{}, parse: parseFragment, repeatable: true},

		// Markers of schemagen conversions.
		convert(row{name: "annotation", targets: typ, shape: convertShape{value: "=KEY", arguments: []string{"to"}}, arguments: []argument{{"to", HubPaths, nil}}}),
		convert(row{name: "at", targets: field, value: Tag{}, parse: parseTag, arguments: []argument{{"", ValuePaths, nil}}}),
		convert(row{name: "drop", targets: field, shape: convertShape{arguments: []string{"reason"}, excludes: []string{"drop", "keep"}}}),
		convert(row{name: "func", targets: both, shape: convertShape{value: "=Name", arguments: []string{"fields", "to"}, excludes: []string{"to", "keep", "drop", "metadata", "values"}},
			arguments: []argument{{"to", HubPaths, nil}, {"fields", StructPaths, nil}}}),
		convert(row{name: "guard", targets: field, shape: convertShape{value: "=.field", excludes: []string{"guard"}}, arguments: []argument{{"", HubPaths, nil}}}),
		convert(row{name: "hub", targets: typ}),
		convert(row{name: "hubOnly", targets: both, shape: convertShape{value: "=.field", arguments: []string{"secret", "drop", "reason", "guard"}},
			arguments: []argument{{"", HubPaths, nil}, {"guard", HubPaths, nil}}}),
		convert(row{name: "keep", targets: field, shape: convertShape{excludes: []string{"keep", "to"}}}),
		convert(row{name: "key", targets: field, shape: convertShape{value: "=.name", excludes: []string{"key"}}, arguments: []argument{{"", ValuePaths, nil}}}),
		convert(row{name: "label", targets: typ, shape: convertShape{value: "=KEY", arguments: []string{"to"}}, arguments: []argument{{"to", HubPaths, nil}}}),
		convert(row{name: "metadata", targets: field, shape: convertShape{value: "=namespace", excludes: []string{"metadata", "to", "keep", "drop"}},
			arguments: []argument{{"", NoReference, []string{"name", "namespace"}}}}),
		convert(row{name: "set", targets: both, shape: convertShape{value: "=.field", arguments: []string{"value"}}, arguments: []argument{{"", HubPaths, nil}}}),
		convert(row{name: "storeAs", targets: typ, shape: convertShape{value: "=KEY", arguments: []string{"field", "version"}}, arguments: []argument{{"field", StructPaths, nil}}}),
		convert(row{name: "to", targets: field, shape: convertShape{value: "=.field", arguments: []string{"as", "key"}, excludes: []string{"to"}},
			arguments: []argument{{"", HubPaths, nil}, {"as", NoReference, ConvertCodecs()}}}),
		convert(row{name: "union", targets: both, shape: convertShape{value: "=.field"}, arguments: []argument{{"", HubPaths, nil}}}),
		convert(row{name: "values", targets: field, shape: convertShape{value: "={Old: New}", excludes: []string{"values", "keep"}}}),

		{name: EnumName, targets: typ, value: Enum{}, feature: FeatureEnum, shared: true},

		// OpenShift's markers with gates.
		{name: FeatureGateName, targets: both, value: FeatureGate(nil), feature: FeatureOpenShift, repeatable: true,
			ungated: FeatureGateName},
		{name: FeatureGateEnumName, targets: both, value: FeatureGateEnum{}, feature: FeatureOpenShift, repeatable: true, slot: "enum", ungated: FeatureGateEnumName},
		{name: FeatureGateMaxItemsName, targets: both, value: FeatureGateMaxItems{}, feature: FeatureOpenShift, repeatable: true, slot: "maxItems", ungated: FeatureGateMaxItemsName},
		{name: FeatureGateXValidationName, targets: both, value: FeatureGateXValidation{},
			feature: FeatureOpenShift, repeatable: true, ungated: FeatureGateXValidationName},

		// Unions, as KEP-1027 and the structural-schema proposal write them. They are enabled
		// by +schemagen:unions.
		{name: UnionDiscriminatorName, targets: field, value: UnionDiscriminator{}},
		{name: DiscriminatorName, targets: field, value: UnionDiscriminator{}, slot: UnionDiscriminatorName},
		{name: UnionDiscriminatedByName, targets: field, value: UnionDiscriminatedBy(""), arguments: []argument{{"", Discriminator, nil}}},
		{name: UnionMemberName, targets: field, value: UnionMember{}, parse: parseUnionMember, repeatable: true,
			slot: UnionMemberName},
		{name: UnionName, targets: field, value: UnionMember{}, parse: parseUnionMember, repeatable: true,
			shared: true, slot: UnionMemberName},

		// The structural-schema proposal's sketches of markers (section "Litmus Test Examples").
		{name: "kubebuilder:additionalProperties", targets: both, value: Fragment{}, parse: parseSketch(sketchBranch), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:allOf", targets: both, value: Fragment{}, parse: parseSketch(sketchBranches), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:anyOf", targets: both, value: Fragment{}, parse: parseSketch(sketchBranches), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:maximum", targets: both, value: Fragment{}, parse: parseSketch(sketchValue), feature: FeatureKEP, repeatable: true, slot: "maximum"},
		{name: "kubebuilder:minimum", targets: both, value: Fragment{}, parse: parseSketch(sketchValue), feature: FeatureKEP, repeatable: true, slot: "minimum"},
		{name: "kubebuilder:oneOf", targets: both, value: Fragment{}, parse: parseSketch(sketchBranches), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:pattern", targets: both, value: Fragment{}, parse: parseSketch(sketchValue), feature: FeatureKEP, repeatable: true, slot: "pattern"},
		{name: "kubebuilder:properties", targets: both, value: Fragment{}, parse: parseSketch(sketchProperty), feature: FeatureKEP, repeatable: true},
		{name: "kubebuilder:type", targets: both, value: Fragment{}, parse: parseSketch(sketchValue), feature: FeatureKEP, repeatable: true, slot: "type"},

		// Kubernetes' declarative-validation tags (KEP-5073), as of validation-gen v0.37.
		// Those of unions are enabled by +schemagen:unions.
		tag(TagAlphaName, both, "what it marks is only observed, not enforced"),
		tag(TagBetaName, both, ""),
		tag("k8s:customUnique", both, "it refers to hand-written Go code"),
		tag("k8s:customValidation", both, "it calls hand-written Go code"),
		with(tag(TagDependentForbiddenName, field, ""), argument{"", Sibling, nil}),
		with(tag(TagDependentRequiredName, field, ""), argument{"", Sibling, nil}),
		tag(TagEachKeyName, both, ""),
		tag(TagEachValName, both, ""),
		one(TagEnumName, typ, ""),
		tag(TagEnumExcludeName, nil, ""), // on constants, read by the generator
		one(TagForbiddenName, field, ""),
		one(TagFormatName, both, ""),
		{name: TagIfDisabledName, targets: both, value: When{}, parse: parseOption, feature: FeatureK8s, repeatable: true},
		{name: TagIfEnabledName, targets: both, value: When{}, parse: parseOption, feature: FeatureK8s, repeatable: true},
		tag(TagIfModeName, field, ""),
		one(TagImmutableName, both, ""),
		tag(TagItemName, both, ""),
		with(tag(TagListMapKeyName, both, ""), argument{"", ItemField, nil}),
		with(one(TagListTypeName, both, ""), argument{"", NoReference, lists}),
		one(TagMaxBytesName, both, ""),
		one(TagMaxItemsName, both, ""),
		one(TagMaxLengthName, both, ""),
		one(TagMaxPropertiesName, both, ""),
		one(TagMaximumName, both, ""),
		one(TagMinItemsName, both, ""),
		one(TagMinLengthName, both, ""),
		one(TagMinPropertiesName, both, ""),
		one(TagMinimumName, both, ""),
		one(TagModeDiscriminatorName, field, ""),
		one(TagMonotonicName, both, ""),
		tag(TagNeqName, both, ""),
		one("k8s:opaqueType", both, "a CRD describes every type in full"),
		tag(TagOptionalName, field, ""),
		tag(TagRequiredName, field, ""),
		with(tag(TagSubfieldName, both, ""), argument{"", FieldName, nil}),
		{name: TagUnionDiscriminatorName, targets: field, value: Declarative{}, parse: parseDeclarative,
			repeatable: true, slot: UnionDiscriminatorName},
		{name: TagUnionMemberName, targets: field, value: Declarative{}, parse: parseDeclarative, repeatable: true,
			slot: UnionMemberName},
		one(TagUniqueName, both, ""),
		one(TagUpdateName, field, ""),
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
		{name: GroupName, ungated: GroupName},
		{name: VersionName, ungated: VersionName},
		{name: SkipName, ungated: SkipName},
		{name: MetadataName, repeatable: true, slot: "metadata"},
		{name: PrintColumnName, repeatable: true, slot: "printcolumn", arguments: []argument{
			{"JSONPath", Path, nil},
			{"type", NoReference, []string{"boolean", "date", "integer", "number", "string"}},
			{"format", NoReference, []string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}},
		}},
		{name: PreserveUnknownFieldsName, slot: "preserveUnknownFields"},
		{name: ResourceName, arguments: []argument{{"scope", NoReference, []string{"Cluster", "Namespaced"}}}},
		{name: ScaleName, arguments: []argument{{"specpath", Path, nil}, {"statuspath", Path, nil}, {"selectorpath", Path, nil}}},
		{name: SelectableFieldName, repeatable: true, arguments: []argument{{"JSONPath", Path, nil}}},
		{name: "kubebuilder:validation:AtLeastOneOf", repeatable: true, arguments: []argument{{"", FieldNames, nil}}},
		{name: "kubebuilder:validation:AtMostOneOf", repeatable: true, arguments: []argument{{"", FieldNames, nil}}},
		{name: "kubebuilder:validation:ExactlyOneOf", repeatable: true, arguments: []argument{{"", FieldNames, nil}}},
		{name: "kubebuilder:validation:Format", arguments: []argument{{"", NoReference, formats}}},
		{name: OptionalName, presence: KubebuilderOptional},
		{name: "kubebuilder:validation:Required", presence: KubebuilderRequired},
		{name: SchemaTypeName, arguments: []argument{{"", NoReference, types}}},
		{name: "kubebuilder:validation:XEmbeddedResource", slot: "embeddedResource"},
		{name: "kubebuilder:validation:XPreserveUnknownFields", slot: "preserveUnknownFields"},
		{name: "kubebuilder:validation:XValidation", repeatable: true, arguments: []argument{
			{"rule", Rule, nil}, {"messageExpression", Rule, nil}, {"fieldPath", Path, nil}, {"reason", NoReference, reasons},
		}},
		{name: "kubebuilder:validation:items:Format", arguments: []argument{{"", NoReference, formats}}},
		{name: "kubebuilder:validation:items:Type", arguments: []argument{{"", NoReference, types}}},
		{name: "kubebuilder:validation:items:XValidation", repeatable: true, arguments: []argument{
			{"rule", ItemRule, nil}, {"messageExpression", ItemRule, nil}, {"reason", NoReference, reasons},
		}},
		{name: "listMapKey", repeatable: true, arguments: []argument{{"", ItemField, nil}}},
		{name: "listType", arguments: []argument{{"", NoReference, lists}}},
		{name: "mapType", arguments: []argument{{"", NoReference, maps}}},
		{name: PlainOptionalName, presence: Optional},
		{name: PlainRequiredName, presence: Required},
		{name: "structType", arguments: []argument{{"", NoReference, maps}}},

		// Markers of controller-tools' other generators.
		{name: ApplyName, generator: "applyconfiguration", separator: "=", ungated: "kubebuilder:ac"},
		{name: ApplyOutputName, generator: "applyconfiguration", separator: "=", ungated: "kubebuilder:ac"},
		{name: ObjectName, targets: []Target{Package, Type}, value: false, generator: "object", separator: "=", ungated: "kubebuilder:object"},
		{name: ObjectRootName, targets: typ, value: false, generator: "object", separator: "=", ungated: "kubebuilder:object"},
		{name: DeepCopyName, targets: []Target{Package, Type}, value: markers.RawArguments(nil), generator: "object", separator: "=", ungated: DeepCopyName},
		{name: DeepCopyInterfacesName, targets: typ, value: "", generator: "object", separator: "=", ungated: DeepCopyName},
		{name: RBACName, generator: "rbac", separator: ":", ungated: RBACName},
		{name: WebhookName, generator: "webhook", separator: ":", ungated: WebhookName},
		{name: WebhookConfigurationName, generator: "webhook", separator: ":"},
	}
}

// rowIndex has the rows in the forms in which they are looked up.
type rowIndex struct {
	rows []row
	// byName has the first row of each name.
	byName map[string]*row
	// generators are the markers of other generators, and ungated the names of markers that
	// cannot depend on gates, in the order of the rows.
	generators []*row
	ungated    []string
}

// known has all rows.
var known = sync.OnceValue(func() *rowIndex {
	v := &rowIndex{rows: rows(), byName: map[string]*row{}, ungated: []string{"genclient"}}
	for i := range v.rows {
		r := &v.rows[i]
		if v.byName[r.name] == nil {
			v.byName[r.name] = r
		}
		if r.generator != "" {
			v.generators = append(v.generators, r)
		}
		if r.ungated != "" && !slices.Contains(v.ungated, r.ungated) {
			v.ungated = append(v.ungated, r.ungated)
		}
	}
	return v
})

// rowNamed returns the row of a marker, or nil.
func rowNamed(name string) *row { return known().byName[name] }

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
