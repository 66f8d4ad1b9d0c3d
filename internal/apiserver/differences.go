package apiserver

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// The first minor versions that behave like the linked library.
const (
	messageExpressionMinor  = 27
	reasonMinor             = 28 // and fieldPath
	unchangedCostMinor      = 29
	optionalOldSelfMinor    = 30
	selectableFieldsMinor   = 31
	caBundleMinor           = 31
	formatWarningMinor      = 34
	typedFormatWarningMinor = 36
	numberFormatMinor       = 36
	setWarningMinor         = 37

	// Costs of rules.
	presenceMinor          = 28
	freePresenceMinor      = 29
	enumSizeMinor          = 29
	comprehensionSizeMinor = 30
	quantityCostMinor      = 30
	urlSizeMinor           = 32 // and the cost of comparing values of Kubernetes' CEL libraries
	localSizeMinor         = 33
	intOrStringSizeMinor   = 34
	globalMatchesMinor     = 37
	nameSizeMinor          = 37
)

// Difference is one way in which servers older than a version differ from the linked
// library.
type Difference struct {
	// Since is the first version that behaves like the linked library, for example "1.31".
	Since string
	// Subject is what differs, and Before the behavior of older servers.
	Subject, Before string
	// Emulated reports whether an older target behaves like the older server. If not, it
	// behaves like the linked library.
	Emulated bool
}

// Differences lists how servers since 1.25 differ from the linked library. The rows follow
// the sources of both versions: apiextensions-apiserver's
// pkg/apis/apiextensions/validation, pkg/registry/customresourcedefinition,
// pkg/apiserver/{schema/cel,validation} and pkg/features, and apiserver's
// pkg/cel/{environment,common,library}.
//
// New rules may use everything that a server up to 1.27 supports; later servers only allow
// what the version before them also supports.
func Differences() []Difference {
	since := func(minor int) string { return fmt.Sprintf("1.%d", minor) }
	return []Difference{
		{since(messageExpressionMinor), "x-kubernetes-validations[].messageExpression", "an unknown field: rejected, or dropped where field validation is not strict", true},
		{since(reasonMinor), "x-kubernetes-validations[].reason and fieldPath", "unknown fields: rejected, or dropped where field validation is not strict", true},
		{since(optionalOldSelfMinor), "x-kubernetes-validations[].optionalOldSelf", "1.29 drops it (feature gate CRDValidationRatcheting); before that an unknown field", true},
		{since(selectableFieldsMinor), "spec.versions[].selectableFields", "1.30 drops them (feature gate CustomResourceFieldSelectors); before that an unknown field", true},

		{"1.29", "rules: optional types, quantity, comparison of different number types", "compile errors", true},
		{"1.30", "rules: sets, format and quote for strings; messages for invalid literal patterns, durations and timestamps", "compile errors; different messages", true},
		{"1.31", "rules: ip, cidr", "compile errors", true},
		{"1.32", "rules: named formats; fields whose names are CEL keywords, unescaped", "compile errors", true},
		{"1.33", "rules: comprehensions with two variables", "compile errors", true},
		{"1.34", "rules: semver", "compile errors", true},
		{"1.35", "rules: distinct, flatten, range, reverse, slice, sort, sortBy of lists", "compile errors", true},

		{since(unchangedCostMinor), "updates: the limit per rule is suppressed in a version whose schema is unchanged", "it is not suppressed", true},
		{since(caBundleMinor), "updates: the CA bundle of a conversion webhook is checked", "it is not checked", true},
		{"1.35", "updates: more than 8 selectable fields are accepted if unchanged", "they are rejected", false},

		{since(formatWarningMinor), "warnings of unrecognized formats", "none", true},
		{since(typedFormatWarningMinor), "warnings of formats on values other than strings", "none; 1.34.0 warns about all of them, including int32", true},
		{since(numberFormatMinor), "formats of numbers (int32, int64, float) bound defaults", "they do not; 1.5 is not an integer, but is reported once", true},
		{since(numberFormatMinor), "formats of numbers bound values of objects", "they do not", false},
		{"1.35", "formats k8s-short-name and k8s-long-name", "not checked in objects; 1.34 warns about them", true},
		{since(setWarningMinor), "warnings of sets of objects and arrays", "none", true},

		{since(freePresenceMinor), "cost of has()", "1.28 adds 1; before that it is free", true},
		{since(enumSizeMinor), "cost of strings with an enum", "estimated as if without the enum, unless maxLength is set", true},
		{since(quantityCostMinor), "cost of quantity and isQuantity", "a call costs 1 regardless of the length of the string", true},
		{since(comprehensionSizeMinor), "cost of the results of filter and map", "estimated as if they had no maximum size", true},
		{since(urlSizeMinor), "cost of comparing URLs, quantities, IPs and CIDRs", "estimated as if they had no maximum size", true},
		{since(localSizeMinor), "cost of variables, of elements of computed lists and maps, of optional values and of dyn()", "estimated as if they had no maximum size, or no size at all", true},
		{since(intOrStringSizeMinor), "cost of x-kubernetes-int-or-string with maxLength", "estimated as if without maxLength", true},
		{since(nameSizeMinor), "cost of metadata.name and metadata.generateName", "estimated as if they had no maximum length", true},
		{since(globalMatchesMinor), "cost of the global call matches(string, pattern)", "a call costs 1 regardless of the length of the string; string.matches(pattern) costs the same everywhere", true},

		{"1.32", "rules: format of a string that is not a literal", "its compiler panics", false},

		{"1.33", "the message about a stored version that is missing from spec.versions", "must appear in spec.versions", false},
		{"1.34", "some messages about rules and selectable fields", "they start with the name of the field", false},
	}
}

// versionFindings returns findings about fields that the target does not know, or that are
// not enabled in it.
func (t *Target) versionFindings(r *request) []Finding {
	if !t.Before(selectableFieldsMinor) {
		return nil
	}
	var out []Finding
	add := func(path, field string, known, enabledSince uint) {
		if !t.Before(enabledSince) {
			return
		}
		f := Finding{Source: Version, Path: path, Paths: []string{path}}
		if t.Before(known) {
			f.Detail = fmt.Sprintf("Kubernetes %s does not support the field %s, added in 1.%d, and rejects it", t.Version(), field, known)
		} else {
			f.Detail = fmt.Sprintf("Kubernetes %s drops the field %s, which is enabled since 1.%d", t.Version(), field, enabledSince)
			f.Warning = true
		}
		out = append(out, f)
	}
	for i, v := range r.given.Spec.Versions {
		path := fmt.Sprintf("spec.versions[%d]", i)
		if len(v.SelectableFields) > 0 && !selects(r.old) {
			add(path+".selectableFields", "selectableFields", selectableFieldsMinor-1, selectableFieldsMinor)
		}
		if v.Schema == nil {
			continue
		}
		eachRule(v.Schema.OpenAPIV3Schema, r.surveys[i].rules, func(at nodePath, n int, rule apiextensionsv1.ValidationRule) {
			path := fmt.Sprintf("%s.x-kubernetes-validations[%d].", at.fieldPath(path+".schema.openAPIV3Schema"), n)
			if rule.MessageExpression != "" {
				add(path+"messageExpression", "messageExpression", messageExpressionMinor, messageExpressionMinor)
			}
			if rule.Reason != nil {
				add(path+"reason", "reason", reasonMinor, reasonMinor)
			}
			if rule.FieldPath != "" {
				add(path+"fieldPath", "fieldPath", reasonMinor, reasonMinor)
			}
			if rule.OptionalOldSelf != nil && !r.keepsOptional {
				add(path+"optionalOldSelf", "optionalOldSelf", optionalOldSelfMinor-1, optionalOldSelfMinor)
			}
		})
	}
	return out
}

// eachRule calls f for each rule of the nodes.
func eachRule(s *apiextensionsv1.JSONSchemaProps, paths []nodePath,
	f func(path nodePath, i int, rule apiextensionsv1.ValidationRule)) {
	for _, path := range paths {
		n := s
		for _, step := range path {
			switch {
			case step.keyword == "properties":
				child := n.Properties[step.name]
				n = &child
			case step.keyword == "additionalProperties":
				n = n.AdditionalProperties.Schema
			case step.index >= 0:
				n = &n.Items.JSONSchemas[step.index]
			default:
				n = n.Items.Schema
			}
		}
		for i, rule := range n.XValidations {
			f(path, i, rule)
		}
	}
}
