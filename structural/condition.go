package structural

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// CheckedVersion is one version of a CRD with the result of checking its schema.
// For a version without a schema, Violations and Unsupported are empty.
type CheckedVersion struct {
	Name string
	// Violations is the result of [Check].
	Violations []Violation
	// Unsupported are the keywords that a structural schema cannot hold.
	Unsupported []Unsupported
}

// NonStructuralSchema returns the condition of that type for a CRD (KEP
// "Structural Schemas", API Compatibility Plan), as the server's controller
// writes it: with status True, reason Violations and all violations as its
// message. It returns nil if there are no violations; an existing condition must
// then be removed. The versions are in the order of the CRD.
//
// If the model cannot hold a schema, the schema cannot be checked: the status is
// Unknown, and the message names the first such keyword.
func NonStructuralSchema(preserveUnknownFields bool,
	versions []CheckedVersion) *apiextensionsv1.CustomResourceDefinitionCondition {
	condition := &apiextensionsv1.CustomResourceDefinitionCondition{
		Type:   apiextensionsv1.NonStructuralSchema,
		Status: apiextensionsv1.ConditionUnknown,
	}
	var messages []string
	if preserveUnknownFields {
		messages = append(messages, "spec.preserveUnknownFields: Invalid value: true: must be false")
	}
	for i, version := range versions {
		if len(version.Unsupported) > 0 {
			condition.Reason = "StructuralError"
			condition.Message = fmt.Sprintf("failed to check validation schema for version %s: %s", version.Name, version.Unsupported[0].message())
			return condition
		}
		path := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
		var own []string
		for _, v := range version.Violations {
			own = append(own, v.At(path))
		}
		slices.Sort(own)
		messages = append(messages, own...)
	}
	if len(messages) == 0 {
		return nil
	}
	condition.Status = apiextensionsv1.ConditionTrue
	condition.Reason = "Violations"
	condition.Message = aggregate(messages)
	return condition
}

// ProposedMessage is the message of the condition in the wording of the KEP, for example
// ".properties[foo].items.properties[bar].type must be non-empty". The KEP has one
// schema; if there are several versions, each message begins with the name of its version.
func ProposedMessage(preserveUnknownFields bool, versions []CheckedVersion) string {
	var messages []string
	if preserveUnknownFields {
		messages = append(messages, ".spec.preserveUnknownFields must be false")
	}
	for _, version := range versions {
		prefix := ""
		if len(versions) > 1 {
			prefix = version.Name + ": "
		}
		var own []string
		for _, v := range version.Violations {
			own = append(own, prefix+v.proposed())
		}
		slices.Sort(own)
		messages = append(messages, own...)
	}
	return aggregate(messages)
}

// String returns what is unsupported: a keyword, or one with its value.
func (u Unsupported) String() string {
	if u.Keyword == preserve {
		return preserve + ": false"
	}
	return u.Keyword
}

// message is the server's error for a keyword that it does not support.
func (u Unsupported) message() string {
	switch u.Keyword {
	case "items":
		return "OpenAPIV3Schema 'items' must be a schema, but is an array"
	case preserve:
		return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
	case "$schema":
		return "OpenAPIV3Schema 'schema' is not supported"
	}
	return fmt.Sprintf("OpenAPIV3Schema '%s' is not supported", u.Keyword)
}

// aggregate joins errors as the server does: without brackets if there is only
// one, and without duplicates.
func aggregate(messages []string) string {
	var distinct []string
	seen := map[string]bool{}
	for _, message := range messages {
		if !seen[message] {
			seen[message] = true
			distinct = append(distinct, message)
		}
	}
	if len(distinct) == 1 {
		return distinct[0]
	}
	return "[" + strings.Join(distinct, ", ") + "]"
}
