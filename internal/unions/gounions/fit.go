package gounions

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// This file handles rules of a union that depend on the position of its struct in a
// definition. Where the struct occurs repeatedly, rules may exceed the cost limit, and the
// server may be unable to compare objects with their old version.

// occurrence is an occurrence of a union in the schema of one version.
type occurrence struct {
	path  []edits.Step
	union unions.Union
	// ruled is set if the node has the union's rules, and transition if these include the one
	// that reads oldSelf.
	ruled, transition bool
	// correlatable is set if the server can correlate the object with the old one.
	correlatable bool
	// repeated is set if the union is in a list or map, and unlimited if one of these has no
	// limit, so that only the minimum size of an element bounds their number.
	repeated, unlimited bool
	// plain is set if the rules are for a server before Kubernetes 1.28.
	plain bool
	// share is the highest cost of one of its rules as a fraction of the limit.
	share float64
}

// occurrences returns the unions of a schema and of all schemas below it.
func occurrences(schema *structural.Schema, plain bool) []*occurrence {
	var out []*occurrence
	var find func(s *structural.Schema, place occurrence)
	find = func(s *structural.Schema, place occurrence) {
		for _, u := range unions.Of(s) {
			p := place
			p.path = slices.Clone(place.path)
			p.union = u
			split := p.rules(unions.LowerOptions{})
			all := p.rules(unions.LowerOptions{Transition: true})
			p.ruled = len(split) > 0 && hasRule(s.XValidations, split[0])
			p.transition = len(all) > len(split) && hasRule(s.XValidations, all[len(all)-1])
			out = append(out, &p)
		}
		for step, child := range edits.Children(s) {
			inner := place
			inner.path = append(place.path, step)
			inner.correlatable = place.correlatable && step.Correlates(s)
			inner.repeated = place.repeated || step.Kind != edits.StepField
			inner.unlimited = place.unlimited || step.Kind == edits.StepItems && !hasMaxItems(s) || step.Kind == edits.StepValues && !hasMaxProperties(s)
			find(child, inner)
		}
	}
	find(schema, occurrence{correlatable: true, plain: plain})
	return out
}

func hasMaxItems(s *structural.Schema) bool { return s.ValueValidation != nil && s.MaxItems != nil }

func hasMaxProperties(s *structural.Schema) bool {
	return s.ValueValidation != nil && s.MaxProperties != nil
}

func hasRule(rules []structural.Rule, rule structural.Rule) bool {
	return slices.ContainsFunc(rules,
		func(r structural.Rule) bool { return r.Rule == rule.Rule && r.FieldPath == rule.FieldPath })
}

// rules returns the union's rules in the style that the estimate of the options selects.
// Lowering cannot fail here.
func (p *occurrence) rules(options unions.LowerOptions) []structural.Rule {
	options.Forms = []unions.Form{unions.FormCEL}
	options.Plain = p.plain
	out, _ := unions.Lower(p.union, options)
	return out.Rules
}

// String returns the path in the syntax of markers.
func (p *occurrence) String() string {
	var out strings.Builder
	for _, step := range p.path {
		out.WriteString(step.String())
	}
	return strings.TrimPrefix(out.String(), ".")
}

// Fit rewrites the unions of a definition as their positions require, and compares the
// unions of its versions.
func (all *Unions) Fit(ctx context.Context, crd *checks.Definition) error {
	if len(all.finished) == 0 || all.Reporter.List.HasErrors() {
		return nil
	}
	server := all.Server
	plain := server != nil && server.Before(28)
	versions := make([][]*occurrence, len(crd.Schemas))
	for i := range crd.Schemas {
		f := &unionFitter{all: all, crd: crd, version: i, server: server}
		repeated := false
		versions[i] = occurrences(crd.Schemas[i], plain)
		if !all.ruled {
			continue // equivalent hand-written rules are their author's responsibility
		}
		for _, p := range versions[i] {
			if !p.ruled {
				continue
			}
			f.occurrences = append(f.occurrences, p)
			repeated = repeated || p.repeated
			if p.transition && !p.correlatable {
				p.transition = false
				f.write(p, unions.Lowered{Rules: p.rules(unions.LowerOptions{})})
			}
		}
		if !repeated {
			continue // a rule that is evaluated once is far below all limits
		}
		if err := f.fit(ctx); err != nil {
			return err
		}
	}
	all.compare(crd, versions)
	return nil
}

// compare reports unions that differ between served versions: an object written through one
// of them silently loses what the other lacks.
func (all *Unions) compare(crd *checks.Definition, versions [][]*occurrence) {
	for later, found := range versions {
		for earlier := range later {
			if !crd.Object.Spec.Versions[later].Served || !crd.Object.Spec.Versions[earlier].Served {
				continue
			}
			for _, p := range found {
				index := slices.IndexFunc(versions[earlier], func(o *occurrence) bool {
					return o.String() == p.String() && o.union.Discriminator == p.union.Discriminator
				})
				if index < 0 {
					continue
				}
				if difference := unionDifference(versions[earlier][index].union, p.union); difference != "" {
					all.reportDifference(crd, earlier, later, versions[earlier][index], p, difference)
				}
			}
		}
	}
}

// unionDifference describes the difference between two versions of a union; empty if objects
// cannot lose anything.
func unionDifference(a, b unions.Union) string {
	for _, v := range slices.Concat(a.Values, b.Values) {
		if a.HasValue(v.Name) != b.HasValue(v.Name) {
			return fmt.Sprintf("value %q is only in one of them", v.Name)
		}
		if i, j := a.Selected(v.Name),
			b.Selected(v.Name); (i < 0) != (j < 0) || i >= 0 && a.Members[i].Name != b.Members[j].Name {
			return fmt.Sprintf("value %q does not select the same member", v.Name)
		}
	}
	for _, m := range slices.Concat(a.Members, b.Members) {
		same := func(o unions.Member) bool { return o.Name == m.Name }
		if !slices.ContainsFunc(a.Members, same) || !slices.ContainsFunc(b.Members, same) {
			return fmt.Sprintf("member %s is only in one of them", m.Name)
		}
	}
	return ""
}

// reportDifference reports a difference: a warning if a webhook converts the kind, because then the
// webhook is responsible, else an error.
func (all *Unions) reportDifference(crd *checks.Definition, earlier, later int, old, new *occurrence, difference string) {
	hint := "give the versions the same union, serve only one of them, or convert with a webhook: see docs/unions.md"
	const converted = "the conversion webhook must keep what the other version lacks"
	converts := all.IsConverted(crd)
	if converts {
		hint = converted
	}
	names := crd.Object.Spec.Versions
	d := report.UnionsDiffer.At(all.Reporter.Position(new.union.Pos), hint, "versions %s and %s of %s have different unions at %s: %s",
		names[earlier].Name, names[later].Name, crd.Object.Spec.Names.Kind, cmp.Or(new.String(), "the root"), difference)
	if converts {
		d.Severity = diag.Warning
	}
	all.Reporter.Add(d.With(diag.Related{Pos: all.Reporter.Position(old.union.Pos), Message: "version " + names[earlier].Name}))
}

// unionFitter rewrites the unions of one version in cheaper styles.
type unionFitter struct {
	all         *Unions
	crd         *checks.Definition
	version     int
	occurrences []*occurrence
	server      Server
}

// write replaces the rules of the union by other rules, or by a oneOf.
func (f *unionFitter) write(p *occurrence, lowered unions.Lowered) {
	replace := &edits.Edit{Path: p.path, Op: replaceUnion{p, lowered}}
	f.crd.Schemas[f.version] = edits.Apply(f.all.Reporter, f.crd.Schemas[f.version], []*edits.Edit{replace})
}

// replaceUnion is the operation that rewrites a union of a node.
type replaceUnion struct {
	occurrence *occurrence
	to         unions.Lowered
}

func (op replaceUnion) Apply(_ *edits.Editor, schema *structural.Schema) {
	rules := schema.XValidations
	schema.XValidations = nil
	var origins []structural.KeywordOrigin
	n := 0 // rules visited so far, to match origins to rules
	for _, k := range schema.Origin.Keywords {
		if k.Keyword != keywords.Rules {
			origins = append(origins, k)
			continue
		}
		if n < len(rules) && !op.isUnionRule(rules[n]) {
			origins = append(origins, k)
		}
		n++
	}
	offset := -1
	for _, rule := range rules {
		if !op.isUnionRule(rule) {
			schema.XValidations = append(schema.XValidations, rule)
			continue
		}
		if offset < 0 {
			offset = len(schema.XValidations)
			schema.XValidations = append(schema.XValidations, op.to.Rules...)
		}
	}
	for _, rule := range op.to.Rules {
		origins = append(origins, structural.KeywordOrigin{Keyword: keywords.Rules, Pos: rulePos(&op.occurrence.union, rule)})
	}
	schema.Origin.Keywords = origins
	if len(op.to.OneOf) > 0 {
		edits.Conjoin(schema.Validation(), &structural.ValueValidation{OneOf: op.to.OneOf})
	}
}

// isUnionRule reports whether a rule belongs to the union, in any style.
func (op replaceUnion) isUnionRule(rule structural.Rule) bool {
	return hasRule(op.occurrence.rules(unions.LowerOptions{Transition: true}), rule) ||
		hasRule(op.occurrence.rules(unions.LowerOptions{Transition: true, Estimate: rejectSplit()}), rule)
}

// rejectSplit returns an estimate that forces the compact style.
func rejectSplit() unions.Estimate {
	called := false
	return func([]structural.Rule) (unions.Cost, error) {
		cost := unions.Cost{}
		if !called {
			cost.Total = math.Inf(1)
		}
		called = true
		return cost, nil
	}
}

// fit rewrites unions whose rules are too expensive: the most expensive first, so that as few
// as possible change.
func (f *unionFitter) fit(ctx context.Context) error {
	rules, err := f.rules(ctx)
	if err != nil {
		return err
	}
	ours := 0.0
	rest := 0.0
	for _, r := range rules {
		p := f.occurrenceOf(r)
		if p == nil {
			rest += r.OfSchema
			continue
		}
		ours += r.OfSchema
		p.share = max(p.share, r.OfRule)
	}
	// Rewriting unions cannot help if other rules alone exceed the limit.
	tooMuch := rest <= 1 && ours+rest > 1
	if !tooMuch && !slices.ContainsFunc(f.occurrences, func(p *occurrence) bool { return p.share > 1 }) {
		return nil
	}
	slices.SortStableFunc(f.occurrences, func(a, b *occurrence) int { return cmp.Compare(b.share, a.share) })
	for _, p := range f.occurrences {
		lowered, err := unions.Lower(p.union, unions.LowerOptions{
			Forms: []unions.Form{unions.FormCEL}, Transition: p.transition, Plain: p.plain,
			Estimate: func(rules []structural.Rule) (unions.Cost, error) { return f.estimate(ctx, p, rules, rest <= 1) },
		})
		if err != nil {
			return err
		}
		if lowered.Style != unions.StyleSplit {
			f.write(p, lowered)
			f.warn(p, lowered)
		}
	}
	return nil
}

// rules returns the version's rules with their costs.
func (f *unionFitter) rules(ctx context.Context) ([]unions.RuleCost, error) {
	crd := f.crd.Complete()
	costs, err := f.server.Costs(ctx, crd)
	if err != nil {
		return nil, fmt.Errorf("estimating the rules of %s: %w", crd.Name, err)
	}
	return slices.DeleteFunc(costs, func(r unions.RuleCost) bool { return r.Version != crd.Spec.Versions[f.version].Name }), nil
}

// occurrenceOf returns the union that a rule belongs to, or nil.
func (f *unionFitter) occurrenceOf(r unions.RuleCost) *occurrence {
	for _, p := range f.occurrences {
		if !strings.HasPrefix(r.Path, edits.ServerPath(f.version, p.path)+"."+keywords.Rules+"[") {
			continue
		}
		for _, rule := range p.rules(unions.LowerOptions{Transition: p.transition}) {
			if rule.Rule == r.Rule {
				return p
			}
		}
	}
	return nil
}

// estimate returns the cost of the definition with the union's rules replaced by rules. The
// total is included only if total is set.
func (f *unionFitter) estimate(ctx context.Context, p *occurrence, rules []structural.Rule, total bool) (unions.Cost, error) {
	oldSchema := f.crd.Schemas[f.version]
	defer func() { f.crd.Schemas[f.version] = oldSchema }()
	f.write(p, unions.Lowered{Rules: rules})
	all, err := f.rules(ctx)
	if err != nil {
		return unions.Cost{}, err
	}
	var cost unions.Cost
	prefix := edits.ServerPath(f.version, p.path) + "." + keywords.Rules + "["
	for _, r := range all {
		if total {
			cost.Total += r.OfSchema
		}
		if strings.HasPrefix(r.Path, prefix) &&
			slices.ContainsFunc(rules, func(rule structural.Rule) bool { return rule.Rule == r.Rule }) {
			cost.Rules = append(cost.Rules, r.OfRule)
		}
	}
	return cost, nil
}

// inWords describes a style in words.
func inWords(style unions.Style) string {
	switch style {
	case unions.StyleSplit:
		return "with two rules for each member"
	case unions.StyleCompact:
		return "with one rule for each member"
	default:
		return "as a oneOf, whose errors do not say what is wrong"
	}
}

// warn reports that a union is written in a cheaper style than requested, and why.
func (f *unionFitter) warn(p *occurrence, lowered unions.Lowered) {
	root := f.crd.Roots[f.version]
	var costs []string
	for _, r := range lowered.Rejected {
		if r.Name != "" {
			continue
		}
		if share := slices.Max(r.Cost.Rules); share > 1 {
			costs = append(costs, fmt.Sprintf("%s a rule would cost %.3g times its limit", inWords(r.Style), share))
		} else {
			costs = append(costs, fmt.Sprintf("%s all rules would cost %.3g times their limit", inWords(r.Style), r.Cost.Total))
		}
	}
	hint := "limit the lists and maps around it: +kubebuilder:validation:MaxItems, MaxProperties"
	switch {
	case !p.unlimited:
		hint = "lower the limits of the lists and maps around it: +kubebuilder:validation:MaxItems, MaxProperties"
	case !p.union.Required:
		hint = "make the discriminator required, so that fewer elements fit into a request, or " + hint
	}
	f.all.Reporter.Report(report.UnionInOtherForm, root.Pkg.At(p.union.Pos), hint,
		"the union of %s at %v is written %s; %s", p.union.Discriminator, p, inWords(lowered.Style), strings.Join(costs, ", and "))
}
