package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/rules"
	"github.com/schemagen/schemagen/structural"
)

// MaskedRule is the code of rules that [Options.Masked] is about.
const MaskedRule diag.Code = "SG625"

// absentFields reports the rules of a version that fail for an object that the schema allows,
// because they read a field that it does not have. Only failures that the server's code confirms
// are reported.
func (c *checks) absentFields(ctx context.Context, version int) error {
	isError := func(r result) bool { return r.Severity == diag.Error }
	if c.Provenance().OnlySchemas || slices.ContainsFunc(c.list, isError) {
		return nil
	}
	spec := c.CRD.Spec
	name := spec.Versions[version].Name
	schema := c.Schemas[version]
	search := &rules.Search{
		Group: spec.Group, Version: name, Kind: spec.Names.Kind, Schema: schema, Masked: c.options.Masked, Unproved: &c.shared.unproved,
		Server: sync.OnceValues(func() (*apiserver.Kind, error) {
			return (&apiserver.Kinds{}).New(c.CRD, schema, name)
		}),
	}
	seen := map[*structural.Schema]bool{}
	var visit func(s *structural.Schema, edges []structural.Edge, path *structural.Path) error
	visit = func(s *structural.Schema, edges []structural.Edge, path *structural.Path) error {
		place := rules.Inside
		if len(edges) == 0 {
			place = rules.Root
		}
		unproved := c.shared.unproved.Of(s, place)
		if seen[s] || len(unproved.Rules) == 0 && !unproved.Below {
			return nil
		}
		seen[s] = true
		for i, rule := range s.XValidations {
			reads := unproved.Rules[i]
			if reads == nil {
				continue
			}
			failure, err := search.Failure(ctx, edges, s, rule, reads)
			if err != nil {
				return fmt.Errorf("verify %s: %w", c.CRD.Name, err)
			}
			if failure != nil {
				c.absentField(fmt.Sprintf("%s%s.x-kubernetes-validations[%d].rule", schemaPath(version), path, i), rule, failure)
			}
		}
		for edge, child := range s.Children() {
			if err := visit(child, append(slices.Clip(edges), edge), path.Edge(edge)); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(schema, nil, nil)
}

// absentField reports a failure of a rule.
func (c *checks) absentField(path string, rule structural.Rule, f *rules.Failure) {
	kind := absentField
	guard := strings.Join(notHas(f.Read.Guards), " || ")
	isElement := slices.Contains(f.Read.Steps, "[]")
	hint := fmt.Sprintf("if the rule is to hold without %s, begin it with %s ||", f.Read.Text, guard)
	switch {
	case !f.Accepts:
		kind = maskedMessage
		hint = fmt.Sprintf("write has(%s) && before the read: the server then refuses the object with the message of the rule", f.Read.Text)
	case isElement:
		hint = fmt.Sprintf("if the rule is to hold without %s, write %s || before the read", f.Read.Text, guard)
	}
	r := c.add(kind, path, hint, "this rule fails for %s, because %s is absent: the API server refuses it with %q",
		example(f), f.Read.Text, f.Detail)
	r.Line = f.Read.Line
	r.Column = f.Read.Column
	// A field of an element cannot be tested at the beginning of the rule.
	if f.Accepts && f.Skips && !isElement {
		r.Old = rule.Rule
		r.Meant = guard + " || " + operand(rule.Rule)
	}
}

// notHas returns the tests for the absence of fields.
func notHas(fields []string) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = "!has(" + f + ")"
	}
	return out
}

// operand returns a rule as the last operand of ||.
func operand(rule string) string {
	if strings.Contains(rule, "?") {
		return "(" + rule + ")"
	}
	return rule
}

// example describes the value for which a rule fails.
func example(f *rules.Failure) string {
	text := valueText(f.Value)
	if f.Old != nil {
		return "the update of " + valueText(f.Old) + " to " + text
	}
	return text
}

func valueText(value any) string {
	text, err := plainjson.Marshal(value)
	if err != nil {
		return "an object"
	}
	return shorten(string(text))
}
