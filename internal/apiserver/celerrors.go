package apiserver

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// The limits of the estimated cost per rule and per schema.
const (
	RuleCostLimit   = validation.StaticEstimatedCostLimit
	SchemaCostLimit = validation.StaticEstimatedCRDCostLimit
)

// errors returns the server's errors about the compiled rules of a schema, in its words.
// suppressed reports whether the limits per rule are suppressed.
func (s *compiledSchema) errors(suppressed func() bool) field.ErrorList {
	var errs field.ErrorList
	total := s.root.context.TotalCost
	for _, n := range s.ruled {
		results := s.results[n]
		if len(results) == 0 {
			continue
		}
		if failure := results[0].failure; failure != nil {
			errs = append(errs, field.InternalError(n.rulesPath(), failure))
			continue
		}
		for i, c := range results {
			errs = append(errs, n.ruleErrors(i, c, total, suppressed)...)
		}
	}
	if total.Total <= SchemaCostLimit {
		return errs
	}
	for _, expensive := range total.MostExpensive {
		errs = append(errs, field.Forbidden(expensive.Path, contributed))
	}
	return append(errs, field.Forbidden(s.root.path, overLimit(totalCost, total.Total, SchemaCostLimit)))
}

// Messages of the server about costs.
const (
	contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
	totalCost   = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
	ruleCost    = "estimated rule cost"
	messageCost = "estimated messageExpression cost"
)

// ruleErrors returns the server's errors about a compiled rule and adds its cost to the
// total.
func (n *node) ruleErrors(i int, c compilation, total *validation.TotalCost, suppressed func() bool) field.ErrorList {
	var errs field.ErrorList
	path := n.rulesPath().Index(i)
	rule := n.schema.XValidations[i]
	cost := c.times(n.context.MaxCardinality)
	if cost > RuleCostLimit && !suppressed() {
		errs = append(errs, field.Forbidden(path.Child("rule"), overLimit(ruleCost, cost, RuleCostLimit)))
	}
	total.ObserveExpressionCost(path.Child("rule"), cost)
	if c.ruleError != nil {
		if c.ruleError.Type == apiservercel.ErrorTypeRequired {
			errs = append(errs, field.Required(path.Child("rule"), c.ruleError.Detail))
		} else {
			errs = append(errs, field.Invalid(path.Child("rule"), rule, c.ruleError.Detail))
		}
	}
	switch {
	case c.messageError != nil:
		errs = append(errs, field.Invalid(path.Child("messageExpression"), rule, c.messageError.Detail))
	case c.hasMessage:
		if c.messageCost > RuleCostLimit && !suppressed() {
			errs = append(errs, field.Forbidden(path.Child("messageExpression"), overLimit(messageCost, c.messageCost, RuleCostLimit)))
		}
		total.ObserveExpressionCost(path.Child("messageExpression"), c.messageCost)
	}
	switch {
	case c.usesOldSelf && n.uncorrelatable != nil:
		errs = append(errs, field.Invalid(path.Child("rule"), rule.Rule,
			fmt.Sprintf("oldSelf cannot be used on the uncorrelatable portion of the schema within %v", n.uncorrelatable)))
	case !c.usesOldSelf && rule.OptionalOldSelf != nil:
		errs = append(errs, field.Invalid(path.Child("optionalOldSelf"), *rule.OptionalOldSelf, "may not be set if oldSelf is not used in rule"))
	}
	return errs
}

// times returns the cost of all evaluations in an object. If the schema does not bound how
// often the node occurs, it is how often it fits into a request.
func (c compilation) times(cardinality *uint64) uint64 {
	if cardinality == nil {
		return multiply(c.cost, c.occurrences)
	}
	return multiply(c.cost, *cardinality)
}

// multiply saturates at the largest uint64.
func multiply(a, b uint64) uint64 {
	if a != 0 && math.MaxUint64/a < b {
		return math.MaxUint64
	}
	return a * b
}

// overLimit returns the server's message about a cost.
func overLimit(name string, cost, limit uint64) string {
	factor := float64(cost) / float64(limit)
	text := fmt.Sprintf("%.1fx", factor)
	switch {
	case factor > 100:
		text = "more than 100x"
	case factor < 1.5:
		text = fmt.Sprintf("%fx", factor)
	}
	return fmt.Sprintf("%s exceeds budget by factor of %s (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)", name, text)
}

// isCELError reports whether the server derives the error from compiled rules.
func isCELError(e *field.Error) bool {
	switch {
	case e.Type == field.ErrorTypeForbidden:
		return e.Detail == contributed || strings.HasPrefix(e.Detail, totalCost+" exceeds") ||
			strings.HasPrefix(e.Detail, ruleCost+" exceeds") || strings.HasPrefix(e.Detail, messageCost+" exceeds")
	case e.Type == field.ErrorTypeInternal:
		return strings.HasSuffix(e.Field, ".x-kubernetes-validations")
	case e.Type != field.ErrorTypeInvalid || !strings.Contains(e.Field, ".x-kubernetes-validations["):
		return false
	}
	if _, ok := e.BadValue.(apiextensions.ValidationRule); ok {
		return true
	}
	return strings.HasSuffix(e.Field, "].optionalOldSelf") || strings.HasPrefix(e.Detail, "oldSelf cannot be used on")
}

// suppressesCost returns a function that reports whether the limits per rule are
// suppressed, because the schema of the version is unchanged.
func (t *Target) suppressesCost(r *request, s *ruleSchema) func() bool {
	return sync.OnceValue(func() bool { return t.isUnchanged(r, s) })
}

func (t *Target) isUnchanged(r *request, s *ruleSchema) bool {
	if r.old == nil || t.Before(unchangedCostMinor) {
		return false
	}
	schema, err := apiextensions.GetSchemaForVersion(r.crd, s.version)
	if err != nil {
		return false
	}
	old, err := apiextensions.GetSchemaForVersion(r.old, s.version)
	return err == nil && apiequality.Semantic.DeepEqual(schema, old)
}
