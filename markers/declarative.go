package markers

import "slices"

// DeclarativeTag is one of Kubernetes' declarative-validation tags
// (validation-gen, KEP-5073) and what it means for a CRD.
type DeclarativeTag struct {
	Name    string
	Targets []Target
	// Without says why the tag has no meaning in a CRD; empty if it has one.
	Without string
}

// DeclarativeTags are all tags of validation-gen v0.37, by name.
func DeclarativeTags() []DeclarativeTag {
	both := []Target{Type, Field}
	field := []Target{Field}
	test := "it only tests validation-gen"
	option := "a CRD does not know the options of an API server"
	return []DeclarativeTag{
		{"k8s:alpha", both, "what it marks is only observed, not enforced"},
		{"k8s:beta", both, ""},
		{"k8s:customUnique", both, "it announces hand-written Go code"},
		{"k8s:customValidation", both, "it calls hand-written Go code"},
		{"k8s:dependentForbidden", field, ""},
		{"k8s:dependentRequired", field, ""},
		{"k8s:eachKey", both, ""},
		{"k8s:eachVal", both, ""},
		{"k8s:enum", []Target{Type}, ""},
		{"k8s:enumExclude", nil, ""}, // on constants: see the generator's constants
		{"k8s:forbidden", field, ""},
		{"k8s:format", both, ""},
		{"k8s:ifDisabled", both, option},
		{"k8s:ifEnabled", both, option},
		{"k8s:ifMode", field, "modes are not translated: write the rule as +kubebuilder:validation:XValidation"},
		{"k8s:immutable", both, ""},
		{"k8s:item", both, ""},
		{"k8s:listMapKey", both, ""},
		{"k8s:listType", both, ""},
		{"k8s:maxBytes", both, ""},
		{"k8s:maxItems", both, ""},
		{"k8s:maxLength", both, ""},
		{"k8s:maxProperties", both, ""},
		{"k8s:maximum", both, ""},
		{"k8s:minItems", both, ""},
		{"k8s:minLength", both, ""},
		{"k8s:minProperties", both, ""},
		{"k8s:minimum", both, ""},
		{"k8s:modeDiscriminator", field, "modes are not translated: write the rule as +kubebuilder:validation:XValidation"},
		{"k8s:monotonic", both, ""},
		{"k8s:neq", both, ""},
		{"k8s:opaqueType", both, "a CRD describes every type in full"},
		{"k8s:optional", field, ""},
		{"k8s:required", field, ""},
		{"k8s:subfield", both, ""},
		{"k8s:unionDiscriminator", field, ""},
		{"k8s:unionMember", field, ""},
		{"k8s:unique", both, ""},
		{"k8s:update", field, ""},
		{"k8s:validateError", both, test},
		{"k8s:validateFalse", both, test},
		{"k8s:validateTrue", both, test},
		{"k8s:validateTrueAlpha", both, test},
		{"k8s:validateTrueBeta", both, test},
		{"k8s:zeroOrOneOfMember", field, ""},
	}
}

// FindDeclarative returns the tag of a name.
func FindDeclarative(name string) (DeclarativeTag, bool) {
	tags := DeclarativeTags()
	i := slices.IndexFunc(tags, func(t DeclarativeTag) bool { return t.Name == name })
	if i < 0 {
		return DeclarativeTag{}, false
	}
	return tags[i], true
}
