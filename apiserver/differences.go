package apiserver

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// The versions since which servers do what the linked library does.
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

	// What rules cost.
	presenceMinor          = 28
	freePresenceMinor      = 29
	enumSizeMinor          = 29
	comprehensionSizeMinor = 30
	quantityCostMinor      = 30
	urlSizeMinor           = 32 // and the cost of comparing what Kubernetes' libraries make
	localSizeMinor         = 33
	intOrStringSizeMinor   = 34
	globalMatchesMinor     = 37
	nameSizeMinor          = 37
)

// Difference is one way in which servers before a version differ from the linked
// library.
type Difference struct {
	// Since is the first version that does what the linked library does: "1.31".
	Since string
	// Subject is what differs, and Before what older servers do with it.
	Subject, Before string
	// Followed: a target before the version does the same. Otherwise the linked
	// library's answer stands.
	Followed bool
}

// Differences lists how older servers, from 1.25 on, differ from the linked
// library. A row is there because the sources of both sides say so:
// apiextensions-apiserver's pkg/apis/apiextensions/validation,
// pkg/registry/customresourcedefinition, pkg/apiserver/{schema/cel,validation} and
// pkg/features, and apiserver's pkg/cel/{environment,common,library}.
//
// For new rules, a server up to 1.27 has all that it knows; a later one only what
// the version before it has too.
func Differences() []Difference {
	since := func(minor int) string { return fmt.Sprintf("1.%d", minor) }
	return []Difference{
		{since(messageExpressionMinor), "x-kubernetes-validations[].messageExpression", "an unknown field: refused, or dropped where field validation is not strict", true},
		{since(reasonMinor), "x-kubernetes-validations[].reason and fieldPath", "unknown fields: refused, or dropped where field validation is not strict", true},
		{since(optionalOldSelfMinor), "x-kubernetes-validations[].optionalOldSelf", "1.29 drops it (feature gate CRDValidationRatcheting); before that an unknown field", true},
		{since(selectableFieldsMinor), "spec.versions[].selectableFields", "1.30 drops them (feature gate CustomResourceFieldSelectors); before that an unknown field", true},

		{"1.29", "rules: optional types, quantity, comparison of different number types", "compile errors", true},
		{"1.30", "rules: sets, format and quote for strings; the words for wrong literal patterns, durations and timestamps", "compile errors; other words", true},
		{"1.31", "rules: ip, cidr", "compile errors", true},
		{"1.32", "rules: named formats; fields whose names are CEL keywords, unescaped", "compile errors", true},
		{"1.33", "rules: comprehensions with two variables", "compile errors", true},
		{"1.34", "rules: semver", "compile errors", true},
		{"1.35", "rules: distinct, flatten, range, reverse, slice, sort, sortBy of lists", "compile errors", true},

		{since(unchangedCostMinor), "updates: limits for single rules do not hold in a version whose schema is unchanged", "they hold", true},
		{since(caBundleMinor), "updates: the CA bundle of a conversion webhook is checked", "it is not checked", true},
		{"1.35", "updates: more than 8 selectable fields may stay if unchanged", "they are refused", false},

		{since(formatWarningMinor), "warnings of unrecognized formats", "none", true},
		{since(typedFormatWarningMinor), "warnings of formats on values other than strings", "none; 1.34.0 warns of all of them, int32 too", true},
		{since(numberFormatMinor), "formats of numbers (int32, int64, float) bound defaults", "they do not; 1.5 is no integer, but is said once", true},
		{since(numberFormatMinor), "formats of numbers bound values of objects", "they do not", false},
		{"1.35", "formats k8s-short-name and k8s-long-name", "not checked in objects; 1.34 warns of them", true},
		{since(setWarningMinor), "warnings of sets of objects and arrays", "none", true},

		{since(freePresenceMinor), "cost of has()", "1.28 adds 1; before that it is nothing", true},
		{since(enumSizeMinor), "cost of strings with an enum", "estimated as if without, unless maxLength is there", true},
		{since(quantityCostMinor), "cost of quantity and isQuantity", "a call costs 1, however long the string", true},
		{since(comprehensionSizeMinor), "cost of what filter and map return", "estimated as if it had no greatest size", true},
		{since(urlSizeMinor), "cost of comparing URLs, quantities, IPs and CIDRs", "estimated as if they had no greatest size", true},
		{since(localSizeMinor), "cost of variables, of elements of computed lists and maps, of optional values and of dyn()", "estimated as if they had no greatest size, or none at all", true},
		{since(intOrStringSizeMinor), "cost of x-kubernetes-int-or-string with maxLength", "estimated as if without", true},
		{since(nameSizeMinor), "cost of metadata.name and metadata.generateName", "estimated as if they had no greatest length", true},
		{since(globalMatchesMinor), "cost of the global call matches(string, pattern)", "a call costs 1, however long the string; string.matches(pattern) costs the same everywhere", true},

		{"1.32", "rules: format of a string that is not written out", "its compiler panics", false},

		{"1.33", "the message for a stored version that is missing from spec.versions", "must appear in spec.versions", false},
		{"1.34", "some messages for rules and selectable fields", "the name of the field stands before them", false},
	}
}

// versionFindings are what the target does with fields that it does not know, or
// that are not turned on in it.
func (t *Target) versionFindings(r *request) []Finding {
	if !t.Before(selectableFieldsMinor) {
		return nil
	}
	var out []Finding
	add := func(path, field string, known, on uint) {
		if !t.Before(on) {
			return
		}
		f := Finding{Source: Version, Path: path, Places: []string{path}}
		if t.Before(known) {
			f.Detail = fmt.Sprintf("Kubernetes %s does not know the field %s, which came with 1.%d, and refuses it", t.Version(), field, known)
		} else {
			f.Detail = fmt.Sprintf("Kubernetes %s drops the field %s, which came into force with 1.%d", t.Version(), field, on)
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
		eachRule(v.Schema.OpenAPIV3Schema, r.surveys[i].rules, func(at place, n int, rule apiextensionsv1.ValidationRule) {
			path := fmt.Sprintf("%s.x-kubernetes-validations[%d].", at.below(path+".schema.openAPIV3Schema"), n)
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

// eachRule calls f for the rules at places of a schema.
func eachRule(s *apiextensionsv1.JSONSchemaProps, places []place, f func(at place, i int, rule apiextensionsv1.ValidationRule)) {
	for _, at := range places {
		n := s
		for _, step := range at {
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
			f(at, i, rule)
		}
	}
}
