package edits

import (
	"github.com/schemagen/schemagen/structural"
)

// stringFormat is a value of +k8s:format as expressed in a CRD. Patterns and lengths are
// exact in every version of the API server; of the OpenAPI formats with the same names, only
// two exist, and only in newer versions.
type stringFormat struct {
	name string
	// patterns must all match, and unlike must not.
	patterns []string
	unlike   []string
	// maxLength is in characters; 0 means none. The patterns allow only ASCII.
	maxLength int64
	// formats are OpenAPI formats, at least one of which must hold.
	formats []string
	// cel is the rule for a value that keywords cannot reach, with %s for the value; empty if
	// the patterns are sufficient.
	cel string
}

const (
	labelPattern       = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
	subdomainPattern   = labelPattern + `(\.` + labelPattern + `)*`
	caselessPattern    = `[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?`
	qualifiedPattern   = `[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?`
	cIdentifierPattern = `[A-Za-z_][A-Za-z0-9_]{0,31}`
)

// stringFormats returns the formats of validation-gen v0.37 as defined in
// k8s.io/apimachinery/pkg/api/validate, strfmt.go.
func stringFormats() []stringFormat {
	return []stringFormat{
		{name: "k8s-extended-resource-name",
			patterns: []string{`^` + subdomainPattern + `/` + qualifiedPattern + `$`, `^[^/]{1,244}/[^/]{1,63}$`},
			unlike:   []string{`kubernetes\.io/`, `^requests\.`}},
		{name: "k8s-ip", formats: []string{"ipv4", "ipv6"}, cel: "isIP(%s)"},
		{name: "k8s-label-key", patterns: []string{`^(` + subdomainPattern + `/)?` + qualifiedPattern + `$`, `^([^/]{1,253}/)?[^/]{1,63}$`}},
		{name: "k8s-label-value", patterns: []string{`^(` + qualifiedPattern + `)?$`}, maxLength: 63},
		{name: "k8s-long-name", patterns: []string{`^` + subdomainPattern + `$`}, maxLength: 253},
		{name: "k8s-long-name-caseless", patterns: []string{`^` + caselessPattern + `(\.` + caselessPattern + `)*$`}, maxLength: 253},
		{name: "k8s-path-segment-name", patterns: []string{`^(\.{0,2}[^/%.][^/%]*|\.{3,}[^/%]*)?$`}},
		{name: "k8s-prefixed-label-key", patterns: []string{`^` + subdomainPattern + `/` + qualifiedPattern + `$`, `^[^/]{1,253}/[^/]{1,63}$`}},
		{name: "k8s-resource-fully-qualified-name", patterns: []string{`^` + subdomainPattern + `/` + cIdentifierPattern + `$`, `^[^/]{1,63}/`}},
		{name: "k8s-resource-pool-name", patterns: []string{`^` + subdomainPattern + `(/` + subdomainPattern + `)*$`}, maxLength: 253},
		{name: "k8s-short-name", patterns: []string{`^` + labelPattern + `$`}, maxLength: 63},
		{name: "k8s-uuid", patterns: []string{`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`}},
	}
}

func findFormat(name string) (stringFormat, bool) {
	for _, f := range stringFormats() {
		if f.name == name {
			return f, true
		}
	}
	return stringFormat{}, false
}

func formatNames() []string {
	var out []string
	for _, f := range stringFormats() {
		out = append(out, f.name)
	}
	return out
}

// restrict adds the format to the value validation of a string.
func (f stringFormat) restrict(v *structural.ValueValidation) {
	for _, pattern := range f.patterns {
		if v.Pattern == "" {
			v.Pattern = pattern
		} else if v.Pattern != pattern {
			Conjoin(v, &structural.ValueValidation{AllOf: nestedValues(structural.ValueValidation{Pattern: pattern})})
		}
	}
	if f.maxLength > 0 {
		tighten(&v.MaxLength, f.maxLength, false)
	}
	if len(f.unlike) > 0 {
		not := structural.NestedValueValidation{}
		for _, pattern := range f.unlike {
			not.AnyOf = append(not.AnyOf, nestedValues(structural.ValueValidation{Pattern: pattern})...)
		}
		Conjoin(v, &structural.ValueValidation{Not: &not})
	}
	if len(f.formats) > 0 {
		var branches []structural.NestedValueValidation
		for _, format := range f.formats {
			branches = append(branches, nestedValues(structural.ValueValidation{Format: format})...)
		}
		Conjoin(v, &structural.ValueValidation{AnyOf: branches})
	}
}

func nestedValues(v structural.ValueValidation) []structural.NestedValueValidation {
	return []structural.NestedValueValidation{{ValueValidation: v}}
}

// tighten sets a bound unless the existing one is stricter.
func tighten[T int64 | float64](bound **T, value T, lower bool) {
	if *bound == nil || lower && **bound < value || !lower && **bound > value {
		*bound = &value
	}
}
