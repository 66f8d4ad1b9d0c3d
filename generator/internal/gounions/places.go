package gounions

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/checks"
	"github.com/schemagen/schemagen/generator/internal/edits"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// This file is about what the rules of a union depend on beyond its struct: the
// place of the struct in a definition. There it may occur so often that its rules
// are above the limit of their cost, and there objects may not be comparable with
// what they were.

// unionPlace is a union in the schema of one version.
type unionPlace struct {
	path  []edits.Step
	union unions.Union
	// ruled: the node has the rules of the union; transition: also the one that
	// reads oldSelf.
	ruled, transition bool
	// correlatable: the server can compare the object with what it was.
	correlatable bool
	// repeated: it is in a list or a map; unlimited: one of them has no limit, so that
	// the least size of an element bounds how many there can be.
	repeated, unlimited bool
	// plain: rules are for a server before Kubernetes 1.28.
	plain bool
	// share is the greatest part of a limit that one of its rules takes.
	share float64
}

// unionPlaces returns the unions of a schema and of all below it.
func unionPlaces(s *structural.Schema, plain bool) []*unionPlace {
	var out []*unionPlace
	var find func(s *structural.Schema, at unionPlace)
	find = func(s *structural.Schema, at unionPlace) {
		for _, u := range unions.Of(s) {
			p := at
			p.path, p.union = slices.Clone(at.path), u
			split := p.rules(unions.LowerOptions{})
			all := p.rules(unions.LowerOptions{Transition: true})
			p.ruled = len(split) > 0 && hasRule(s.XValidations, split[0])
			p.transition = len(all) > len(split) && hasRule(s.XValidations, all[len(all)-1])
			out = append(out, &p)
		}
		into := func(child *structural.Schema, step edits.Step, correlatable bool) {
			below := at
			below.path = append(at.path, step)
			below.correlatable = at.correlatable && correlatable && s.XMapType != "atomic"
			below.repeated = at.repeated || step.Kind != edits.StepField
			below.unlimited = at.unlimited || step.Kind == edits.StepItems && !hasMaxItems(s) || step.Kind == edits.StepValues && !hasMaxProperties(s)
			find(child, below)
		}
		for _, p := range s.Properties {
			into(p.Schema, edits.Step{Kind: edits.StepField, Name: p.Name}, true)
		}
		if s.Items != nil {
			into(s.Items, edits.Step{Kind: edits.StepItems}, s.XListType == "map")
		}
		if a := s.AdditionalProperties; a != nil && a.Schema != nil {
			into(a.Schema, edits.Step{Kind: edits.StepValues}, true)
		}
	}
	find(s, unionPlace{correlatable: true, plain: plain})
	return out
}

func hasMaxItems(s *structural.Schema) bool { return s.ValueValidation != nil && s.MaxItems != nil }

func hasMaxProperties(s *structural.Schema) bool {
	return s.ValueValidation != nil && s.MaxProperties != nil
}

func hasRule(rules []structural.Rule, rule structural.Rule) bool {
	return slices.ContainsFunc(rules, func(r structural.Rule) bool { return r.Rule == rule.Rule && r.FieldPath == rule.FieldPath })
}

// rules are the rules of the union in the style that the estimate of the options
// takes, which cannot fail here.
func (p *unionPlace) rules(options unions.LowerOptions) []structural.Rule {
	options.Forms, options.Plain = []unions.Form{unions.FormCEL}, p.plain
	out, _ := unions.Lower(p.union, options)
	return out.Rules
}

// String is the path as markers write it.
func (p *unionPlace) String() string {
	var out strings.Builder
	for _, step := range p.path {
		switch step.Kind {
		case edits.StepField:
			out.WriteString("." + step.Name)
		case edits.StepItems:
			out.WriteString("[*]")
		default:
			out.WriteString("{*}")
		}
	}
	return strings.TrimPrefix(out.String(), ".")
}

// Place writes the unions of a definition as its places allow, and compares
// those of its versions.
func (all *Unions) Place(ctx context.Context, crd *checks.Definition) error {
	if len(all.finished) == 0 || all.Reporter.List.HasErrors() {
		return nil
	}
	server := all.Server
	plain := server != nil && server.Before(28)
	versions := make([][]*unionPlace, len(crd.Schemas))
	for i := range crd.Schemas {
		f := &unionFitter{all: all, crd: crd, version: i, server: server}
		repeated := false
		versions[i] = unionPlaces(crd.Schemas[i], plain)
		if !all.ruled {
			continue // whoever wrote rules that say the same has to mend them
		}
		for _, p := range versions[i] {
			if !p.ruled {
				continue
			}
			f.places = append(f.places, p)
			repeated = repeated || p.repeated
			if p.transition && !p.correlatable {
				p.transition = false
				f.write(p, unions.Lowered{Rules: p.rules(unions.LowerOptions{})})
			}
		}
		if !repeated {
			continue // a rule that is evaluated once is far below every limit
		}
		if err := f.fit(ctx); err != nil {
			return err
		}
	}
	all.compare(crd, versions)
	return nil
}

// compare reports unions that differ between served versions: an object
// that is written through one of them loses what it lacks, and nobody is told.
func (all *Unions) compare(crd *checks.Definition, versions [][]*unionPlace) {
	for later, places := range versions {
		for earlier := range later {
			if !crd.Object.Spec.Versions[later].Served || !crd.Object.Spec.Versions[earlier].Served {
				continue
			}
			for _, p := range places {
				at := slices.IndexFunc(versions[earlier], func(o *unionPlace) bool {
					return o.String() == p.String() && o.union.Discriminator == p.union.Discriminator
				})
				if at < 0 {
					continue
				}
				if difference := unionDifference(versions[earlier][at].union, p.union); difference != "" {
					all.differ(crd, earlier, later, versions[earlier][at], p, difference)
				}
			}
		}
	}
}

// unionDifference says in what two versions of a union differ; empty if in
// nothing that an object could lose.
func unionDifference(a, b unions.Union) string {
	for _, v := range slices.Concat(a.Values, b.Values) {
		if a.HasValue(v.Name) != b.HasValue(v.Name) {
			return fmt.Sprintf("value %q is only in one of them", v.Name)
		}
		if i, j := a.Selected(v.Name), b.Selected(v.Name); (i < 0) != (j < 0) || i >= 0 && a.Members[i].Name != b.Members[j].Name {
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

// differ reports a difference. Types that are made to be converted are: with
// a webhook, which says what becomes of it.
func (all *Unions) differ(crd *checks.Definition, earlier, later int, old, new *unionPlace, difference string) {
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

// unionFitter writes the unions of one version in cheaper styles.
type unionFitter struct {
	all     *Unions
	crd     *checks.Definition
	version int
	places  []*unionPlace
	server  Server
}

// write puts other rules, or a oneOf, in the place of those that the union has.
func (f *unionFitter) write(p *unionPlace, to unions.Lowered) {
	replace := &edits.Edit{Path: p.path, Op: replaceUnion{p, to}}
	f.crd.Schemas[f.version] = edits.Apply(f.all.Reporter, f.crd.Schemas[f.version], []*edits.Edit{replace})
}

// replaceUnion writes a union of a node in another way.
type replaceUnion struct {
	place *unionPlace
	to    unions.Lowered
}

func (op replaceUnion) Apply(_ *edits.Editor, s *structural.Schema) {
	rules := s.XValidations
	s.XValidations = nil
	var origins []structural.KeywordOrigin
	n := 0 // rules seen, by which origins are counted
	for _, k := range s.Origin.Keywords {
		if k.Keyword != structural.RulesKeyword {
			origins = append(origins, k)
			continue
		}
		if n < len(rules) && !op.isOurs(rules[n]) {
			origins = append(origins, k)
		}
		n++
	}
	at := -1
	for _, rule := range rules {
		if !op.isOurs(rule) {
			s.XValidations = append(s.XValidations, rule)
			continue
		}
		if at < 0 {
			at = len(s.XValidations)
			s.XValidations = append(s.XValidations, op.to.Rules...)
		}
	}
	for _, rule := range op.to.Rules {
		origins = append(origins, structural.KeywordOrigin{Keyword: structural.RulesKeyword, Pos: placeOfRule(&op.place.union, rule)})
	}
	s.Origin.Keywords = origins
	if len(op.to.OneOf) > 0 {
		edits.Conjoin(s.Validation(), &structural.ValueValidation{OneOf: op.to.OneOf})
	}
}

// isOurs reports whether a rule is one of the union's, in whichever style.
func (op replaceUnion) isOurs(rule structural.Rule) bool {
	return hasRule(op.place.rules(unions.LowerOptions{Transition: true}), rule) ||
		hasRule(op.place.rules(unions.LowerOptions{Transition: true, Estimate: refuseSplit()}), rule)
}

// refuseSplit is an estimate by which rules are written compact.
func refuseSplit() unions.Estimate {
	asked := false
	return func([]structural.Rule) (unions.Cost, error) {
		cost := unions.Cost{}
		if !asked {
			cost.Total = math.Inf(1)
		}
		asked = true
		return cost, nil
	}
}

// fit writes unions whose rules are too costly more cheaply: the costliest first,
// so that the others may stay as they are.
func (f *unionFitter) fit(ctx context.Context) error {
	rules, err := f.rules(ctx)
	if err != nil {
		return err
	}
	ours, others := 0.0, 0.0
	for _, r := range rules {
		p := f.placeOf(r)
		if p == nil {
			others += r.OfSchema
			continue
		}
		ours += r.OfSchema
		p.share = max(p.share, r.OfRule)
	}
	// What others cost above the limit is theirs to mend.
	tooMuch := others <= 1 && ours+others > 1
	if !tooMuch && !slices.ContainsFunc(f.places, func(p *unionPlace) bool { return p.share > 1 }) {
		return nil
	}
	slices.SortStableFunc(f.places, func(a, b *unionPlace) int { return cmp.Compare(b.share, a.share) })
	for _, p := range f.places {
		to, err := unions.Lower(p.union, unions.LowerOptions{
			Forms: []unions.Form{unions.FormCEL}, Transition: p.transition, Plain: p.plain,
			Estimate: func(rules []structural.Rule) (unions.Cost, error) { return f.estimate(ctx, p, rules, others <= 1) },
		})
		if err != nil {
			return err
		}
		if to.Style != unions.StyleSplit {
			f.write(p, to)
			f.warn(p, to)
		}
	}
	return nil
}

// rules returns the rules of the version with their cost.
func (f *unionFitter) rules(ctx context.Context) ([]unions.RuleCost, error) {
	crd := f.crd.Complete()
	costs, err := f.server.Costs(ctx, crd)
	if err != nil {
		return nil, fmt.Errorf("estimating the rules of %s: %w", crd.Name, err)
	}
	return slices.DeleteFunc(costs, func(r unions.RuleCost) bool { return r.Version != crd.Spec.Versions[f.version].Name }), nil
}

// serverPath is the path of a node as the server prints it.
func (f *unionFitter) serverPath(path []edits.Step) string {
	var out strings.Builder
	fmt.Fprintf(&out, "spec.versions[%d].schema.openAPIV3Schema", f.version)
	for _, step := range path {
		switch step.Kind {
		case edits.StepField:
			fmt.Fprintf(&out, ".properties[%s]", step.Name)
		case edits.StepItems:
			out.WriteString(".items")
		default:
			out.WriteString(".additionalProperties")
		}
	}
	return out.String()
}

// placeOf returns the union that a rule belongs to, or nil.
func (f *unionFitter) placeOf(r unions.RuleCost) *unionPlace {
	for _, p := range f.places {
		if !strings.HasPrefix(r.Path, f.serverPath(p.path)+"."+structural.RulesKeyword+"[") {
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

// estimate is what the definition costs with the rules in the place of those
// that the union has. The total is left out where others are above it already.
func (f *unionFitter) estimate(ctx context.Context, p *unionPlace, rules []structural.Rule, total bool) (unions.Cost, error) {
	before := f.crd.Schemas[f.version]
	defer func() { f.crd.Schemas[f.version] = before }()
	f.write(p, unions.Lowered{Rules: rules})
	all, err := f.rules(ctx)
	if err != nil {
		return unions.Cost{}, err
	}
	var cost unions.Cost
	prefix := f.serverPath(p.path) + "." + structural.RulesKeyword + "["
	for _, r := range all {
		if total {
			cost.Total += r.OfSchema
		}
		if strings.HasPrefix(r.Path, prefix) && slices.ContainsFunc(rules, func(rule structural.Rule) bool { return rule.Rule == r.Rule }) {
			cost.Rules = append(cost.Rules, r.OfRule)
		}
	}
	return cost, nil
}

// inWords is a style in words.
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

// warn says that a union is written more cheaply than it was asked for, and why.
func (f *unionFitter) warn(p *unionPlace, to unions.Lowered) {
	root := f.crd.Roots[f.version]
	var costs []string
	for _, r := range to.Rejected {
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
	f.all.Reporter.Report(report.UnionWrittenOtherwise, root.Pkg.At(p.union.Pos), hint,
		"at %v the union of %s is written %s; %s", p, p.union.Discriminator, inWords(to.Style), strings.Join(costs, ", and "))
}
