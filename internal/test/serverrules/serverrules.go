// Package serverrules evaluates CEL rules with the whole of the API server's validator, for tests of what evaluates
// them with a part of it.
package serverrules

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/schemagen/schemagen/unions"
)

// Evaluate returns the outcome of each rule for a value, and the value before an update; nil if there is none.
type Evaluate func(value, old any) []unions.Outcome

// Of returns a function that evaluates rules on values of a schema, whose own rules are ignored. The values are whole
// objects if isRoot is set.
func Of(t testing.TB, schema *apiextensionsv1.JSONSchemaProps, isRoot bool, rules ...apiextensionsv1.ValidationRule) Evaluate {
	t.Helper()
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, &internal, nil); err != nil {
		t.Fatal(err)
	}
	given, err := structuralschema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	Remove(given)
	for i, rule := range rules {
		// The message identifies the rule, and shows that it was evaluated.
		rule.Message = markOf(i)
		rule.MessageExpression = ""
		given.XValidations = append(given.XValidations, rule)
	}
	validator := cel.NewValidator(given, isRoot, celconfig.PerCallLimit)
	return func(value, old any) []unions.Outcome {
		errs, _ := validator.Validate(context.Background(), nil, given, value, old, celconfig.RuntimeCELCostBudget)
		return outcomesOf(errs, len(rules))
	}
}

// Texts returns rules that have nothing but a text.
func Texts(texts ...string) []apiextensionsv1.ValidationRule {
	var out []apiextensionsv1.ValidationRule
	for _, text := range texts {
		out = append(out, apiextensionsv1.ValidationRule{Rule: text})
	}
	return out
}

func markOf(rule int) string { return fmt.Sprintf("\x00%d\x00", rule) }

// Remove removes all rules of a schema.
func Remove(s *structuralschema.Structural) {
	s.XValidations = nil
	if s.Items != nil {
		Remove(s.Items)
	}
	for name, property := range s.Properties {
		Remove(&property)
		s.Properties[name] = property
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		Remove(s.AdditionalProperties.Structural)
	}
}

// outcomesOf returns the outcome of each of n rules.
func outcomesOf(errs field.ErrorList, n int) []unions.Outcome {
	out := make([]unions.Outcome, n)
	for _, err := range errs {
		known := false
		for i := range out {
			switch {
			case err.Detail == markOf(i):
				out[i].Rejected = true
				known = true
			case strings.Contains(err.Detail, markOf(i)):
				failure, _, _ := strings.Cut(err.Detail, " evaluating rule: ")
				out[i].Failure = failure
				known = true
			}
		}
		if !known { // a rule does not compile
			for i := range out {
				out[i].Failure = err.Detail
			}
		}
	}
	return out
}
