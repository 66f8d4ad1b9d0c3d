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

// The limits of the estimated cost: of a rule, and of all rules of a schema.
const (
	RuleCostLimit   = validation.StaticEstimatedCostLimit
	SchemaCostLimit = validation.StaticEstimatedCRDCostLimit
)

// errors are what the server says of the compiled rules of a schema, in its
// words. freed says that the limits for single rules do not hold.
func (s *compiledSchema) errors(freed func() bool) field.ErrorList {
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
			errs = append(errs, n.ruleErrors(i, c, total, freed)...)
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

// The server's words for costs.
const (
	contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
	totalCost   = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
	ruleCost    = "estimated rule cost"
	messageCost = "estimated messageExpression cost"
)

// ruleErrors are what the server says of a compiled rule. It adds the cost to the
// total.
func (n *node) ruleErrors(i int, c compilation, total *validation.TotalCost, freed func() bool) field.ErrorList {
	var errs field.ErrorList
	at, rule := n.rulesPath().Index(i), n.schema.XValidations[i]
	cost := c.times(n.context.MaxCardinality)
	if cost > RuleCostLimit && !freed() {
		errs = append(errs, field.Forbidden(at.Child("rule"), overLimit(ruleCost, cost, RuleCostLimit)))
	}
	total.ObserveExpressionCost(at.Child("rule"), cost)
	if c.broken != nil {
		if c.broken.Type == apiservercel.ErrorTypeRequired {
			errs = append(errs, field.Required(at.Child("rule"), c.broken.Detail))
		} else {
			errs = append(errs, field.Invalid(at.Child("rule"), rule, c.broken.Detail))
		}
	}
	switch {
	case c.brokenMessage != nil:
		errs = append(errs, field.Invalid(at.Child("messageExpression"), rule, c.brokenMessage.Detail))
	case c.hasMessage:
		if c.messageCost > RuleCostLimit && !freed() {
			errs = append(errs, field.Forbidden(at.Child("messageExpression"), overLimit(messageCost, c.messageCost, RuleCostLimit)))
		}
		total.ObserveExpressionCost(at.Child("messageExpression"), c.messageCost)
	}
	switch {
	case c.usesOldSelf && n.uncorrelatable != nil:
		errs = append(errs, field.Invalid(at.Child("rule"), rule.Rule,
			fmt.Sprintf("oldSelf cannot be used on the uncorrelatable portion of the schema within %v", n.uncorrelatable)))
	case !c.usesOldSelf && rule.OptionalOldSelf != nil:
		errs = append(errs, field.Invalid(at.Child("optionalOldSelf"), *rule.OptionalOldSelf, "may not be set if oldSelf is not used in rule"))
	}
	return errs
}

// times is the cost of all evaluations in an object: as often as the schema lets
// the node occur, or else as often as it fits into a request.
func (c compilation) times(cardinality *uint64) uint64 {
	if cardinality == nil {
		return multiply(c.cost, c.occurrences)
	}
	return multiply(c.cost, *cardinality)
}

// multiply stops at the greatest number.
func multiply(a, b uint64) uint64 {
	if a != 0 && math.MaxUint64/a < b {
		return math.MaxUint64
	}
	return a * b
}

// overLimit is the server's message for a cost.
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

// isCELError recognizes the errors that the server makes of compiled rules.
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

// suppressesCost reports whether the limits for single rules do not hold: the
// schema of the version is the old one.
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
