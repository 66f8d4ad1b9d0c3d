package apiserver

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// NewEvaluator returns a function that evaluates rules on objects of the schema as the
// server does when an object is created. The schema's own rules are ignored. It returns an
// error if the schema is not structural.
func NewEvaluator(schema *apiextensionsv1.JSONSchemaProps, rules []string) (unions.Evaluate, error) {
	given, err := structuralOf(schema)
	if err != nil {
		return nil, err
	}
	removeRules(given)
	for i, rule := range rules {
		// The message identifies the rule, and shows that it was evaluated.
		given.XValidations = append(given.XValidations, apiextensionsv1.ValidationRule{Rule: rule, Message: markOf(i)})
	}
	validator := cel.NewValidator(given, false, celconfig.PerCallLimit)
	return func(object map[string]any) []unions.Outcome {
		errs, _ := validator.Validate(context.Background(), nil, given, object, nil, celconfig.RuntimeCELCostBudget)
		return outcomesOf(errs, len(rules))
	}, nil
}

// RuleEvaluator evaluates one rule on values of its schema.
type RuleEvaluator struct {
	validator *cel.Validator
	schema    *structuralschema.Structural
}

// NewRuleEvaluator returns the evaluator of a rule of a schema. isRoot is set if the schema is that
// of whole objects. It returns an error if the schema is not structural.
func NewRuleEvaluator(s *structural.Schema, rule structural.Rule, isRoot bool) (*RuleEvaluator, error) {
	given, err := structuralOf(s.Props())
	if err != nil {
		return nil, err
	}
	removeRules(given)
	rule.Message = markOf(0)
	rule.MessageExpression = ""
	given.XValidations = append(given.XValidations, rule)
	return &RuleEvaluator{cel.NewValidator(given, isRoot, celconfig.PerCallLimit), given}, nil
}

// Evaluate returns the outcome of the rule for a value; old is the value before an update, nil if
// there is none.
func (r *RuleEvaluator) Evaluate(ctx context.Context, value, old any) unions.Outcome {
	errs, _ := r.validator.Validate(ctx, nil, r.schema, value, old, celconfig.RuntimeCELCostBudget)
	return outcomesOf(errs, 1)[0]
}

// structuralOf converts a schema to the server's model.
func structuralOf(schema *apiextensionsv1.JSONSchemaProps) (*structuralschema.Structural, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, &internal, nil); err != nil {
		return nil, err
	}
	return structuralschema.NewStructural(&internal)
}

func markOf(rule int) string { return fmt.Sprintf("\x00%d\x00", rule) }

// removeRules removes all rules of the schema.
func removeRules(s *structuralschema.Structural) {
	s.XValidations = nil
	if s.Items != nil {
		removeRules(s.Items)
	}
	for name, property := range s.Properties {
		removeRules(&property)
		s.Properties[name] = property
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		removeRules(s.AdditionalProperties.Structural)
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
