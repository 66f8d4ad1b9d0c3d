package apiserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"k8s.io/utils/ptr"
)

// Rule is an entry of x-kubernetes-validations in a version of a CRD.
type Rule struct {
	// Version is the name of the version, and Path the rule's path in the given object:
	// "spec.versions[0].schema.openAPIV3Schema…x-kubernetes-validations[0]".
	Version, Path string
	Text          string
	// MessageText is the message expression, or empty.
	MessageText string
	// Skipped is set if the server does not evaluate the rule because of other errors in
	// the schema. The fields below are then unset.
	Skipped bool
	// Error and MessageError are compile errors, in the server's words.
	Error, MessageError string
	UsesOldSelf         bool
	// CallCost is the estimated maximum cost of one evaluation.
	CallCost uint64
	// MaxCardinality is the maximum number of times that the schema allows the rule's node
	// in an object, or nil if an enclosing list or map has no limit. Occurrences is the
	// server's multiplier: MaxCardinality, or else how often the node fits into a request.
	MaxCardinality *uint64
	Occurrences    uint64
	// Cost is CallCost times Occurrences. MessageCost is added to it in the total of the
	// schema.
	Cost, MessageCost uint64
	// Causes are what makes a rule that exceeds a limit expensive. They are nil if they were
	// not determined, and empty if no limit in the schema would change the cost.
	Causes []Cause
}

// RuleShare returns the cost as a fraction of the limit per rule. Above 1 the rule is
// rejected.
func (r Rule) RuleShare() float64 { return float64(r.Cost) / RuleCostLimit }

// MessageShare returns the cost of the message expression as a fraction of the limit per rule.
func (r Rule) MessageShare() float64 { return float64(r.MessageCost) / RuleCostLimit }

// highestCost returns the higher cost of those of the rule and its message.
func (r Rule) highestCost() uint64 { return max(r.Cost, r.MessageCost) }

// SchemaShare returns the cost, including that of the message, as a fraction of the limit
// for all rules of a schema.
func (r Rule) SchemaShare() float64 {
	return (float64(r.Cost) + float64(r.MessageCost)) / SchemaCostLimit
}

// Rules returns the rules of all versions, in the order of their paths, as the target
// compiles them in a new CRD.
func (t *Target) Rules(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) ([]Rule, error) {
	report, err := t.Check(ctx, crd, nil)
	return report.Rules, err
}

// AcceptedRules is like Rules for a CRD that the target accepts, which is not validated again.
func (t *Target) AcceptedRules(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) ([]Rule, error) {
	r, rejection, err := t.newRequest(crd, nil)
	if err != nil || rejection != nil {
		return nil, err
	}
	schemas, err := t.compileRules(ctx, r, answer{})
	if err != nil {
		return t.Rules(ctx, crd)
	}
	return t.rules(ctx, r, schemas)
}

// compiledSchema is a schema with the compilations of the rules that the server evaluates.
type compiledSchema struct {
	*ruleSchema
	results map[*node][]compilation
	kinds   map[*node]*apiservercel.DeclType
}

// compileRules compiles the rules that are not blocked by errors in the answer.
func (t *Target) compileRules(ctx context.Context, r *request, a answer) ([]*compiledSchema, error) {
	if len(r.schemas) == 0 {
		return nil, nil // nothing to compile, load or store
	}
	stored := storedExpressions(r.old)
	known := t.loadRules(r.given.Name)
	var out []*compiledSchema
	var jobs []*job
	var done []func()
	for _, s := range r.schemas {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := &compiledSchema{ruleSchema: s, results: map[*node][]compilation{}, kinds: map[*node]*apiservercel.DeclType{}}
		out = append(out, c)
		for _, n := range s.ruled {
			if a.blocks(s, n) {
				continue
			}
			kind, err := n.kind()
			if err != nil {
				return nil, err
			}
			if kind.failure != nil {
				c.results[n] = []compilation{{failure: kind.failure}}
				continue
			}
			kind.decl = t.withOldNameSizes(kind.decl, n.schema, n.parent == nil)
			j := &job{kind: kind.decl, expressions: stored.expressions(n), known: known}
			c.kinds[n] = kind.decl
			jobs = append(jobs, j)
			done = append(done, func() { c.results[n] = j.results })
		}
	}
	if err := t.compile(ctx, jobs); err != nil {
		return nil, err
	}
	for _, f := range done {
		f()
	}
	t.storeRules(r.given.Name, known, jobs)
	return out, nil
}

// nodeKind is the type of a node, or the reason why it has none.
type nodeKind struct {
	decl    *apiservercel.DeclType
	failure error
}

// kind computes the type of the node with the server's code. It is not safe for concurrent
// use, because nodes share types with their children.
func (n *node) kind() (out nodeKind, err error) {
	err = guard(func() error {
		info, err := n.context.TypeInfo()
		switch {
		case err != nil:
			out.failure = fmt.Errorf("internal error: failed to construct type information for x-kubernetes-validations rules: %s", err)
		case info == nil:
			out.failure = fmt.Errorf("internal error: failed to retrieve type information for x-kubernetes-validations")
		default:
			out.decl = info.DeclType
		}
		return nil
	})
	return out, err
}

// storedTexts are the expressions of the old object.
type storedTexts struct{ rules, messages map[string]bool }

func storedExpressions(old *apiextensions.CustomResourceDefinition) storedTexts {
	out := storedTexts{map[string]bool{}, map[string]bool{}}
	if old == nil {
		return out
	}
	validation.HasSchemaWith(&old.Spec, func(s *apiextensions.JSONSchemaProps) bool {
		return validation.SchemaHas(s, func(s *apiextensions.JSONSchemaProps) bool {
			for _, rule := range s.XValidations {
				out.rules[rule.Rule] = true
				if rule.MessageExpression != "" {
					out.messages[rule.MessageExpression] = true
				}
			}
			return false
		})
	})
	return out
}

// expressions returns the rules of a node as passed to the compiler.
func (s storedTexts) expressions(n *node) []expression {
	var out []expression
	for _, rule := range n.schema.XValidations {
		out = append(out, expression{
			rule: rule.Rule, message: rule.MessageExpression,
			optional:   ptr.Deref(rule.OptionalOldSelf, false),
			storedRule: s.rules[rule.Rule], storedMessage: s.messages[rule.MessageExpression],
		})
	}
	return out
}

// has reports whether the version uses the schema.
func (s *ruleSchema) has(version int) bool { return slices.Contains(s.versions, version) }

// rules describes all rules of all versions.
func (t *Target) rules(ctx context.Context, r *request, schemas []*compiledSchema) ([]Rule, error) {
	described := make([][]Rule, len(schemas))
	for i, s := range schemas {
		var err error
		described[i], err = t.describe(ctx, s)
		if err != nil {
			return nil, err
		}
	}
	var out []Rule
	for i, v := range r.crd.Spec.Versions {
		root := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
		for index, s := range schemas {
			if !s.has(i) {
				continue
			}
			for _, rule := range described[index] {
				rule.Version = v.Name
				rule.Path = root + rule.Path
				rule.Causes = slices.Clone(rule.Causes)
				for c := range rule.Causes {
					rule.Causes[c].Path = root + rule.Causes[c].Path
				}
				out = append(out, rule)
			}
		}
	}
	return out, nil
}

// describe describes the rules of a schema. Paths are relative to its root.
func (t *Target) describe(ctx context.Context, s *compiledSchema) ([]Rule, error) {
	var out []Rule
	root := s.root.path.String()
	for _, n := range s.ruled {
		suffix := strings.TrimPrefix(n.rulesPath().String(), root)
		results := s.results[n]
		for i, rule := range n.schema.XValidations {
			d := Rule{
				Path: fmt.Sprintf("%s[%d]", suffix, i), Text: rule.Rule, MessageText: rule.MessageExpression,
				MaxCardinality: n.context.MaxCardinality,
			}
			switch {
			case len(results) == 0:
				d.Skipped = true
			case results[0].failure != nil:
				d.Error = results[0].failure.Error()
			default:
				d.fill(results[i])
			}
			out = append(out, d)
		}
	}
	return out, t.explain(ctx, s, out)
}

// fill sets the results of the compiler.
func (r *Rule) fill(c compilation) {
	if c.ruleError != nil {
		r.Error = c.ruleError.Detail
	}
	if c.messageError != nil {
		r.MessageError = c.messageError.Detail
	}
	r.UsesOldSelf = c.usesOldSelf
	r.CallCost = c.cost
	r.MessageCost = c.messageCost
	r.Occurrences = c.occurrences
	if r.MaxCardinality != nil {
		r.Occurrences = *r.MaxCardinality
	}
	r.Cost = c.times(r.MaxCardinality)
}
