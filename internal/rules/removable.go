package rules

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Removal is an immutable value that can be removed, and then be another one, proved by the server's
// own code.
type Removal struct{ Old, New any }

// immutable matches messages of rules that are to keep a value as it was written first.
var immutable = lazyregexp.New(`(?i)\bimmutable\b|\bonce set\b|\bcan(not|'t) be changed\b`)

// Removal returns how a value escapes from a rule that is to keep it: the server does not evaluate rules
// about updates of what is removed, or new. It returns nil if the rule is not of that kind, or if no such
// value was found.
func (s *Search) Removal(ctx context.Context, edges []structural.Edge, node *structural.Schema,
	rule structural.Rule) (*Removal, error) {
	if ptr.Deref(rule.OptionalOldSelf, false) || !immutable().MatchString(rule.Message) || !apiserver.UsesOldSelf(rule.Rule) {
		return nil, nil
	}
	a := Reads(rule, node, Inside)
	if a == nil {
		return nil, nil
	}
	if len(edges) == 1 && edges[0].Property == "status" { // only controllers write it
		return nil, nil
	}
	kind, err := s.Server()
	if err != nil {
		return nil, nil // it would not serve the version, which is reported
	}
	t, err := s.Unproved.trial(a, node, rule, len(edges) == 0)
	if err != nil {
		return nil, err
	}
	evaluations, proofs := 0, 0
	for chosen := range assignments(t.parts(), nil) {
		evaluations++
		if evaluations > maxEvaluations || proofs == maxProofs || ctx.Err() != nil {
			break
		}
		f, outcome := t.evaluate(ctx, chosen, nil)
		if outcome != (unions.Outcome{Rejected: true}) {
			continue
		}
		proofs++
		if ok, err := s.escapes(ctx, kind, edges, f); ok || err != nil {
			return &Removal{f.old, f.value}, err
		}
	}
	return nil, nil
}

// escapes reports whether the server refuses a change of a value, but not its removal, nor the new value
// after that.
func (s *Search) escapes(ctx context.Context, kind *apiserver.Kind, edges []structural.Edge, f failing) (bool, error) {
	with := func(value any) map[string]any { return s.complete(place(s.Schema, s.minimal(), edges, value)) }
	without := func() map[string]any { return s.complete(remove(with(f.old), edges)) }
	changed, isStored, err := s.update(ctx, kind, edges, with(f.old), with(f.value))
	if err != nil || !isStored || len(changed) == 0 {
		return false, err
	}
	removed, _, err := s.update(ctx, kind, edges, with(f.old), without())
	if err != nil || len(removed) > 0 {
		return false, err
	}
	set, isStored, err := s.update(ctx, kind, edges, without(), with(f.value))
	return isStored && len(set) == 0, err
}

// remove returns an object without the property to which edges lead.
func remove(object any, edges []structural.Edge) any {
	object = runtime.DeepCopyJSONValue(object)
	part := object
	for i, edge := range edges {
		switch value := part.(type) {
		case []any:
			part = value[0]
		case map[string]any:
			name := edge.Property
			if edge.Keyword != "properties" {
				name = entryName
			}
			if i == len(edges)-1 {
				delete(value, name)
			}
			part = value[name]
		}
	}
	return object
}
