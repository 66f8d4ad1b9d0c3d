package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// presenceMarker matches a marker that makes a field optional or required.
var presenceMarker = regexp.MustCompile(`(?m)^//\s*\+(kubebuilder:validation:|k8s:)?([Oo]ptional|[Rr]equired)\b`)

// schemaless matches the marker of a field whose type kube-api-linter does not look at.
var schemaless = regexp.MustCompile(`(?m)^//\s*\+kubebuilder:validation:Schemaless`)

// hasDefault matches a marker with a default.
var hasDefault = regexp.MustCompile(`(?m)^//\s*\+(kubebuilder:|k8s:)?default\b`)

func said(messages []string, parts ...string) bool {
	return slices.ContainsFunc(messages, func(m string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(m, part) })
	})
}

// presenceName matches the name of such a marker in a message.
var presenceName = regexp.MustCompile(`\+(kubebuilder:validation:|k8s:)?([Oo]ptional|[Rr]equired)\b`)

// isMisplaced reports whether a finding is about a marker that has no effect where it is.
func isMisplaced(raw rawFinding) bool { return raw.Code == "SG302" || raw.Code == "SG304" }

// classOfStruct returns why an object of a struct need not be empty, by the fields and types of
// the packages.
func classOfStruct(f *goField, fields map[string][]*goField) string {
	name := strings.TrimLeft(f.typ, "[]*")
	if strings.Contains(name, ".") {
		return "a type of another package"
	}
	var of []*goField // the struct and its fields
	for _, all := range fields {
		for _, field := range all {
			if field.owner == name && path.Dir(field.file) == path.Dir(f.file) {
				of = append(of, field)
			}
		}
	}
	has := func(is func(*goField) bool) bool { return slices.ContainsFunc(of, is) }
	named := slices.IndexFunc(of, func(f *goField) bool { return f.isType && !strings.HasPrefix(f.typ, "struct") })
	switch {
	case named >= 0:
		return classOfStruct(&goField{file: f.file, typ: of[named].typ}, fields)
	case !has(func(f *goField) bool { return f.isType }):
		return "" // it is declared nowhere
	case has(func(f *goField) bool { return f.encodes }):
		return "a struct that encodes itself"
	case !has(func(f *goField) bool { return !f.isType }):
		return "a struct without fields"
	case structRules.MatchString(f.doc) || has(func(f *goField) bool { return f.isType && structRules.MatchString(f.doc) }):
		return "a marker of the struct refuses an empty object"
	case has(func(f *goField) bool {
		return f.reached && !strings.Contains(f.options, "omit") && !presenceMarker.MatchString(f.doc)
	}):
		return "a field of the struct is required by its json tag, without a marker"
	case has(func(f *goField) bool { return f.embedded }):
		return "the struct embeds another one"
	case has(func(f *goField) bool { return f.reached && strings.Contains(f.doc, "+union") }):
		return "the struct is a union"
	}
	return ""
}

// structRules matches markers of a struct, or of a field with one, that refuse an empty object.
var structRules = regexp.MustCompile(`(?m)^//\s*\+kubebuilder:validation:(items:)?(MinProperties|ExactlyOneOf|AtLeastOneOf|XValidation)`)

// classOfTheirs returns why only kube-api-linter reports a field, or "" if no class fits.
func classOfTheirs(rule string, f *goField, messages []string, ours conventionFindings, fields map[string][]*goField) string {
	marked := presenceMarker.MatchString(f.doc)
	switch {
	case !f.isType && !f.reached && !f.embedded:
		return "the field is in no definition"
	case f.embedded:
		return "an embedded field"
	case rule == "minlength" && ours["arrayofstruct"][f] != nil:
		return "elements of a list, which SG260 reports"
	case rule == "arrayofstruct", rule == "minlength" && said(messages, "must have either a required field"):
		return classOfStruct(f, fields)
	case rule == "conditions" && said(messages, "patchStrategy", "patchMergeKey", "incorrect tags"):
		return "patch strategies and protobuf tags, which have no effect on custom resources"
	case rule == "defaults" && said(messages, "should use +default marker"):
		return "the other name of the marker, +kubebuilder:default"
	case rule == "duplicatemarkers" || rule == "uniquemarkers":
		return classOfRepeated(f)
	case rule == "integers" && f.isType:
		return "reported at the type; here, at its fields"
	case (rule == "maxlength" || rule == "minlength") && strings.Contains(f.doc, "validation:Format="):
		return "a format that bounds the length"
	case rule == "nonullable" && f.isType:
		return "the marker at a type, where it has no effect, which SG302 reports"
	case rule == "nomaps":
		return "a map of strings with named types"
	case rule == "optionalfields" && said(messages, "does not need to be a pointer"):
		return "a needless pointer, which does no harm"
	case (rule == "optionalfields" || rule == "requiredfields") && hasDefault.MatchString(f.doc):
		return "its default is reported instead, by SG252 or SG253"
	case (rule == "optionalfields" || rule == "requiredfields") && said(messages, "but the validation is not complete"):
		return "a pattern, a format or an enum refuses the zero value"
	case rule == "optionalorrequired" && ours["defaults"][f] != nil:
		return "its default is reported instead, by SG253"
	case rule == "ssatags" && ours["conditions"][f] != nil:
		return "conditions, which SG261 reports"
	case rule == "statusoptional" && !marked && strings.Contains(f.options, "omit"):
		return "omitempty makes it optional; SG251 reports that it has no marker"
	}
	return ""
}

// classOfRepeated returns why a marker that kube-api-linter sees repeatedly is not reported.
func classOfRepeated(f *goField) string {
	repeated := false
	seen := map[string]bool{}
	for line := range strings.Lines(f.doc) {
		marker, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(line, "//")), "+")
		if ok && seen[marker] && (strings.Contains(marker, ":") || presenceName.MatchString("+"+marker)) {
			return ""
		}
		repeated = repeated || ok && seen[marker]
		seen[marker] = seen[marker] || ok
	}
	if repeated {
		return "a marker of another tool"
	}
	return "its type has the marker, too: both apply"
}

// classOfOurs returns why only schemagen reports a field, or "" if no class fits.
func classOfOurs(rule string, f *goField, messages []string) string {
	switch {
	case rule == "statussubresource":
		return "a kind without +kubebuilder:object:root"
	case schemaless.MatchString(f.doc):
		return "a field with +kubebuilder:validation:Schemaless, whose schema comes from other markers"
	case (rule == "optionalfields" || rule == "requiredfields") && !presenceMarker.MatchString(f.doc):
		return "without a marker, the schema says whether the field is required"
	case rule == "optionalfields" && said(messages, `to "",`) && strings.Contains(f.doc, `Enum={"",`):
		return "an enum with the empty string"
	case (rule == "maxlength" || rule == "minlength") && said(messages, "number of properties"):
		return "maps"
	case rule == "minlength" && said(messages, "an element of"):
		return "elements of lists"
	case strings.Contains(f.typ, "."):
		return "a type of another package"
	}
	return ""
}
