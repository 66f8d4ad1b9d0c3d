package transitions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// This file handles rules that accept what an update leaves as it was. Where the server cannot
// find the old object, does not know such rules, or would refuse them for their cost, they lose
// that part, and the server accepts a violation only in an object that is entirely unchanged.

// Server is the part of an API server that rules depend on.
type Server interface {
	// Costs returns the estimated costs of the CEL rules of a definition, sorted by path.
	Costs(ctx context.Context, definition *apiextensionsv1.CustomResourceDefinition) ([]unions.RuleCost, error)
	// Before reports whether the server is older than Kubernetes 1.minor.
	Before(minor uint) bool
}

// FitRatchets weakens the rules of a definition that compare an object with its old version, as
// their positions require.
func (f *Fitter) FitRatchets(ctx context.Context, crd *checks.Definition) error {
	known := f.Server == nil || !f.Server.Before(30)
	repeated := false
	for i := range crd.Schemas {
		f.weaken(crd, i, func(p place) bool {
			keeps := known && p.correlatable
			repeated = repeated || keeps && p.repeated
			return !keeps
		})
	}
	if !repeated || f.Server == nil || f.Reporter.List.HasErrors() {
		return nil // a rule that is evaluated once is far below all limits
	}
	return f.fitCosts(ctx, crd)
}

// fitCosts weakens the rules that exceed the limit of a rule, and all repeated ones of a version
// that exceeds the limit of a schema.
func (f *Fitter) fitCosts(ctx context.Context, crd *checks.Definition) error {
	complete := crd.Complete()
	costs, err := f.Server.Costs(ctx, complete)
	if err != nil {
		return fmt.Errorf("estimating the rules of %s: %w", complete.Name, err)
	}
	for i := range crd.Schemas {
		total := 0.0
		var costly []string
		for _, r := range costs {
			if r.Version != complete.Spec.Versions[i].Name {
				continue
			}
			total += r.OfSchema
			if r.OfRule > 1 {
				costly = append(costly, r.Path)
			}
		}
		f.weaken(crd, i, func(p place) bool {
			rules := edits.ServerPath(i, p.path) + "." + keywords.Rules + "["
			isRule := func(path string) bool { return strings.HasPrefix(path, rules) }
			return p.repeated && total > 1 || slices.ContainsFunc(costly, isRule)
		})
	}
	return nil
}

// weaken weakens the rules of a version where that is necessary.
func (f *Fitter) weaken(crd *checks.Definition, version int, necessary func(place) bool) {
	r := &ratchets{necessary: necessary}
	r.walk(crd.Schemas[version], place{correlatable: true})
	if len(r.edits) > 0 {
		crd.Schemas[version] = edits.Apply(f.Reporter, crd.Schemas[version], r.edits)
	}
}

// place is the position of a node in a definition.
type place struct {
	path []edits.Step
	// correlatable is set if the server can find the node's old value, and repeated if the
	// node is in a list or map.
	correlatable, repeated bool
}

// ratchets collects the edits that weaken rules where that is necessary.
type ratchets struct {
	necessary func(place) bool
	edits     []*edits.Edit
}

// walk visits the nodes of a schema, whose paths share their memory.
func (r *ratchets) walk(s *structural.Schema, p place) {
	if slices.ContainsFunc(s.XValidations, isRatcheting) && r.necessary(p) {
		r.edits = append(r.edits, &edits.Edit{Path: slices.Clone(p.path), Op: weaken{}})
	}
	for step, child := range edits.Children(s) {
		r.walk(child, place{
			path:         append(p.path, step),
			correlatable: p.correlatable && step.Correlates(s),
			repeated:     p.repeated || step.Kind != edits.StepField,
		})
	}
}

func isRatcheting(rule structural.Rule) bool {
	_, ok := edits.WithoutRatcheting(rule)
	return ok
}

// weaken is the operation that removes the comparison with the old object from the rules of a
// node.
type weaken struct{}

func (weaken) Apply(_ *edits.Editor, s *structural.Schema) {
	s.XValidations = slices.Clone(s.XValidations)
	for i, rule := range s.XValidations {
		s.XValidations[i], _ = edits.WithoutRatcheting(rule)
	}
}
