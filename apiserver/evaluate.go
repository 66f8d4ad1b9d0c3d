package apiserver

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Outcome is what a rule says of an object: it holds, it does not, or it cannot
// be evaluated.
type Outcome struct {
	Refused bool
	// Failure is the evaluator's error, or empty. The server refuses the object
	// then, with this instead of the rule's message.
	Failure string
}

// Evaluator evaluates rules as the server does for an object that is created.
type Evaluator struct {
	schema    *structuralschema.Structural
	validator *cel.Validator
	rules     int
}

// NewEvaluator returns the evaluator of rules on objects of the schema, whose own
// rules do not count. The error is about a schema that is not structural.
func NewEvaluator(schema *apiextensionsv1.JSONSchemaProps, rules []string) (*Evaluator, error) {
	structural, err := structuralOf(schema)
	if err != nil {
		return nil, err
	}
	removeRules(structural)
	for i, rule := range rules {
		// The message tells which rule it was, and that it was evaluated.
		structural.XValidations = append(structural.XValidations, apiextensionsv1.ValidationRule{Rule: rule, Message: markOf(i)})
	}
	return &Evaluator{structural, cel.NewValidator(structural, false, celconfig.PerCallLimit), len(rules)}, nil
}

// structuralOf is a schema as the server's code reads it.
func structuralOf(schema *apiextensionsv1.JSONSchemaProps) (*structuralschema.Structural, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, &internal, nil); err != nil {
		return nil, err
	}
	return structuralschema.NewStructural(&internal)
}

func markOf(rule int) string { return fmt.Sprintf("\x00%d\x00", rule) }

// removeRules removes the rules of the schema and of all below it.
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

// Evaluate returns the outcome of each rule for an object.
func (e *Evaluator) Evaluate(ctx context.Context, object map[string]any) []Outcome {
	out := make([]Outcome, e.rules)
	errs, _ := e.validator.Validate(ctx, nil, e.schema, object, nil, celconfig.RuntimeCELCostBudget)
	for _, err := range errs {
		known := false
		for i := range out {
			switch {
			case err.Detail == markOf(i):
				out[i].Refused, known = true, true
			case strings.Contains(err.Detail, markOf(i)):
				failure, _, _ := strings.Cut(err.Detail, " evaluating rule: ")
				out[i].Failure, known = failure, true
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
