package verify

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/rules"
	"github.com/schemagen/schemagen/structural"
)

// Rules returns the kinds of findings that are off by default. They are looked for if [Options] names them.
func Rules() []*diag.Kind { return []*diag.Kind{maskedMessage, removable, leakyUnion} }

// isLookedFor reports whether the options name a kind of findings that is off by default.
func (c *checks) isLookedFor(kind *diag.Kind) bool {
	return slices.Contains(c.options.Rules, kind.Code)
}

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
		Group: spec.Group, Version: name, Kind: spec.Names.Kind, Schema: schema,
		Masked: c.isLookedFor(maskedMessage), Unproved: &c.shared.unproved, Server: c.served(c.CRD, schema, name),
	}
	if err := c.storedFields(ctx, version, search); err != nil {
		return err
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
				c.absentField(rulePath(schemaPath(version), path, i), rule, failure)
			}
		}
		for edge, child := range s.Children() {
			if err := visit(child, append(slices.Clip(edges), edge), path.Edge(edge)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(schema, nil, nil); err != nil || !c.isLookedFor(removable) {
		return err
	}
	return c.removables(ctx, version, search)
}

// served returns the server's handling of objects of a version, which is made when it is needed.
func (c *checks) served(
	definition *apiextensionsv1.CustomResourceDefinition, schema *structural.Schema, version string,
) func() (*apiserver.Kind, error) {
	return sync.OnceValues(func() (*apiserver.Kind, error) { return c.kinds.New(definition, schema, version) })
}

// storedFields reports the rules of a version that fail for updates of objects which were stored with the
// definition that this one replaces, because they read a field that was not required then.
func (c *checks) storedFields(ctx context.Context, version int, search *rules.Search) error {
	if c.Old == nil {
		return nil
	}
	old, err := (&crd.Definition{CRD: c.Old}).Completed()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(c.Old.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Name == search.Version
	})
	if i < 0 || old.Schemas[i] == nil {
		return nil
	}
	updates := *search
	updates.Stored = c.served(c.Old, old.Schemas[i], search.Version)
	unchanged := updates
	var visit func(s, stored *structural.Schema, edges []structural.Edge, path *structural.Path) error
	visit = func(s, stored *structural.Schema, edges []structural.Edge, path *structural.Path) error {
		place := rules.Inside
		if len(edges) == 0 {
			place = rules.Root
		}
		for i, rule := range s.XValidations {
			if reads := c.shared.unproved.Of(s, place).Rules[i]; reads != nil {
				continue
			}
			failure, err := updates.Failure(ctx, edges, s, rule, rules.StoredReads(rule, s, stored, place))
			if err == nil && failure == nil {
				failure, err = unchanged.Failure(ctx, edges, s, rule, rules.UnchangedReads(rule, stored, place))
			}
			if err != nil {
				return fmt.Errorf("verify %s: %w", c.CRD.Name, err)
			}
			if failure != nil {
				c.storedField(rulePath(schemaPath(version), path, i), failure)
			}
		}
		below := maps.Collect(stored.Children())
		for edge, child := range s.Children() {
			if err := visit(child, below[edge], append(slices.Clip(edges), edge), path.Edge(edge)); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(search.Schema, rules.Stored(search.Schema, old.Schemas[i]), nil, nil)
}

// storedField reports a failure of a rule for an object that was stored before.
func (c *checks) storedField(path string, f *rules.Failure) {
	object := example(f)
	words := "%s: the old object was stored before %s was required, and the API server refuses the update with %q"
	if f.Unchanged {
		object = valueText(f.Value)
		words = "%s, which was stored before %s was required: " +
			"the API server refuses updates that do not set it, even of labels, with %q"
	}
	guard := strings.Join(notHas(f.Read.Guards), " || ")
	r := c.add(absentField, path,
		fmt.Sprintf("as long as there are such objects, begin the rule with %s ||", guard),
		"this rule fails for "+words, object, f.Read.Text, f.Detail)
	r.Line = f.Read.Line
	r.Column = f.Read.Column
}

// removables reports the rules of a version that are to keep a value, which can be removed and be
// another one afterwards.
func (c *checks) removables(ctx context.Context, version int, search *rules.Search) error {
	var visit func(s *structural.Schema, edges []structural.Edge, path *structural.Path) error
	visit = func(s *structural.Schema, edges []structural.Edge, path *structural.Path) error {
		for edge, child := range s.Children() {
			below := append(slices.Clip(edges), edge)
			for i, rule := range child.XValidations {
				if edge.Keyword != "properties" {
					continue
				}
				removal, err := search.Removal(ctx, below, child, rule)
				if err != nil {
					return fmt.Errorf("verify %s: %w", c.CRD.Name, err)
				}
				if removal == nil {
					continue
				}
				name, _ := celtext.Name(edge.Property)
				c.add(removable, rulePath(schemaPath(version), path.Edge(edge), i),
					fmt.Sprintf("a rule of the parent is evaluated then, too: add has(self.%s) == has(oldSelf.%s)", name, name),
					"this rule does not keep %s: the API server accepts the update of %s that removes it, and then %s",
					edge.Property, valueText(removal.Old), valueText(removal.New))
			}
			if err := visit(child, below, path.Edge(edge)); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(search.Schema, nil, nil)
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
	switch {
	case !f.Accepts || !f.Skips:
		return
	case isElement:
		r.Meant = guardedElements(rule.Rule, f.Read.Guards[0], guard)
	default:
		r.Meant = guard + " || " + operand(rule.Rule)
	}
	if r.Meant == "" {
		return
	}
	r.Old = rule.Rule
	if !c.options.Generating { // only Go is fixed
		r.Hint = fmt.Sprintf("if the rule is to hold without %s, write: %s", f.Read.Text, strings.Join(strings.Fields(r.Meant), " "))
	}
}

// guardedElements returns a rule whose only macro all() skips the elements without a field, "" if it
// has no such macro.
func guardedElements(rule, field, guard string) string {
	variable, _, _ := strings.Cut(field, ".")
	start := regexp.MustCompile(`\.all\(\s*` + regexp.QuoteMeta(variable) + `\s*,\s*`).FindStringIndex(rule)
	isSimple := strings.Count(rule, variable+",") == 1 && !strings.Contains(rule, "?")
	if start == nil || !isSimple {
		return ""
	}
	return rule[:start[1]] + guard + " || " + rule[start[1]:]
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
