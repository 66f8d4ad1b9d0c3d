package apiserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// rulesHold reports whether all rules are true for the parts of defaults to which they
// apply. If it returns false, that is not certain, and the server has to be asked: it takes
// longer, because it prepares to compile each node's rules for the complete type.
func (t *Target) rulesHold(ctx context.Context, s *ruleSchema) bool {
	// the server evaluates each rule twice
	d := defaultRules{ctx: ctx, rules: t.defaultRules(), held: &t.heldRules, budget: celconfig.RuntimeCELCostBudget / 2}
	held := false
	err := guard(func() error {
		held = d.holdBelow(s.root)
		return nil
	})
	return held && err == nil
}

// newDefaultRules returns the library in which the server compiles rules for defaults.
func newDefaultRules() *ruleLibrary {
	rules := newRuleLibrary(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).StoredExpressionsEnv())
	rules.keywords = true
	return rules
}

// defaultRules evaluates the rules that apply to parts of defaults.
type defaultRules struct {
	ctx   context.Context
	rules *ruleLibrary
	held  *sync.Map
	// budget is what the evaluation may still cost.
	budget int64
}

// holdBelow reports whether the rules hold for all defaults at and below a node.
func (d *defaultRules) holdBelow(n *node) bool {
	if n.schema.Default != nil && !d.hold(n, any(*n.schema.Default)) {
		return false
	}
	for _, c := range n.children {
		if !d.holdBelow(c) {
			return false
		}
	}
	return true
}

// hold reports whether the rules at and below a node hold for its value in a default.
func (d *defaultRules) hold(n *node, value any) bool {
	switch {
	case value == nil:
		return true
	case n.parent == nil || n.schema.XEmbeddedResource: // the server adds metadata to its type
		return false
	case !d.holdAt(n, value):
		return false
	}
	for _, c := range n.children {
		for _, part := range c.partsOf(value) {
			if !d.hold(c, part) {
				return false
			}
		}
	}
	return true
}

// partsOf returns the values of the node in a value of its parent.
func (n *node) partsOf(parent any) (out []any) {
	switch parent := parent.(type) {
	case []any:
		if n.step.keyword == "items" {
			return parent
		}
	case map[string]any:
		for name, part := range parent {
			if n.step.keyword == "additionalProperties" || n.step.keyword == "properties" && n.step.name == name {
				out = append(out, part)
			}
		}
	}
	return out
}

// heldKey is what the result of a rule for a value, and its cost, depend on.
type heldKey struct {
	cacheKey
	value [sha256.Size]byte
}

// holdAt reports whether the node's own rules hold for a value.
func (d *defaultRules) holdAt(n *node, value any) bool {
	if len(n.schema.XValidations) == 0 {
		return true
	}
	kind, err := n.kind()
	if err != nil || kind.decl == nil {
		return false
	}
	// Versions, kinds and channels often repeat a default, and a default those below it.
	text, err := json.Marshal([]any{narrowed(n.schema, []any{value}), value})
	if err != nil {
		return false
	}
	digest := sha256.Sum256(text)
	distinct := !hasFloat(value) // as JSON, 1.0 is equal to 1
	var self map[string]any
	for _, rule := range n.schema.XValidations {
		words := wordsOf(rule.Rule)
		key := heldKey{cacheKey{fingerprintOf(kind.decl, words), expression{rule: rule.Rule}}, digest}
		if cost, ok := d.held.Load(key); ok && distinct && cost.(int64) <= d.budget {
			d.budget -= cost.(int64)
			continue
		}
		if self == nil {
			schema, err := structuralschema.NewStructural(n.schema)
			if err != nil {
				return false
			}
			self = map[string]any{cel.ScopedVarName: cel.UnstructuredToVal(value, schema)}
		}
		start := d.budget
		if !d.holds(rule.Rule, reduced(kind.decl, words), self) {
			return false
		}
		if distinct {
			d.held.Store(key, start-d.budget)
		}
	}
	return true
}

// narrowed returns the part of a schema that determines how the server presents values of it to
// rules: it has neither descriptions, nor rules, nor properties that all of the values lack.
func narrowed(s *apiextensions.JSONSchemaProps, values []any) *apiextensions.JSONSchemaProps {
	out := *s
	out.Description = ""
	out.XValidations = nil
	out.Properties = nil
	var items, additional []any
	properties := map[string][]any{}
	for _, value := range values {
		switch value := value.(type) {
		case []any:
			items = append(items, value...)
		case map[string]any:
			for name, part := range value {
				if _, ok := s.Properties[name]; ok {
					properties[name] = append(properties[name], part)
				} else {
					additional = append(additional, part)
				}
			}
		}
	}
	for name, parts := range properties {
		if out.Properties == nil {
			out.Properties = map[string]apiextensions.JSONSchemaProps{}
		}
		child := s.Properties[name]
		out.Properties[name] = *narrowed(&child, parts)
	}
	if s.Items != nil && s.Items.Schema != nil {
		out.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: narrowed(s.Items.Schema, items)}
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		out.AdditionalProperties = &apiextensions.JSONSchemaPropsOrBool{Allows: a.Allows, Schema: narrowed(a.Schema, additional)}
	}
	return &out
}

// hasFloat reports whether a JSON value contains a number with a fraction or an exponent.
func hasFloat(value any) bool {
	switch value := value.(type) {
	case float64:
		return true
	case []any:
		return slices.ContainsFunc(value, hasFloat)
	case map[string]any:
		for _, part := range value {
			if hasFloat(part) {
				return true
			}
		}
	}
	return false
}

// holds reports whether a rule is true.
func (d *defaultRules) holds(rule string, kind *apiservercel.DeclType, variables map[string]any) bool {
	scope, err := d.rules.scope(kind, false)
	if err != nil {
		return false
	}
	defer d.rules.release(scope)
	checked, issues := scope.Compile(rule)
	if issues != nil || checked.OutputType() != celgo.BoolType || usesOldSelf(checked) {
		return false
	}
	program, err := scope.program(checked, kind)
	if err != nil {
		return false
	}
	result, details, err := program.ContextEval(d.ctx, variables)
	if err != nil || details.ActualCost() == nil || *details.ActualCost() > uint64(d.budget) {
		return false
	}
	d.budget -= int64(*details.ActualCost())
	return result == types.True
}
