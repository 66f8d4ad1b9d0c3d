// Package losses adds to definitions what the conversions between their versions lose.
package losses

import (
	"context"
	"slices"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/define"
)

// Add adds to definitions that were generated from Go packages what the conversions of the
// packages lose. Kinds are left out whose conversions are not generated, or cannot be. The error
// is as in [define.Make].
func Add(ctx context.Context, options define.Options, definitions []*crd.Definition) error {
	if !slices.ContainsFunc(definitions, func(d *crd.Definition) bool { return len(d.CRD.Spec.Versions) > 1 }) {
		return nil
	}
	m, _, err := conversions.Find(ctx, options, conversions.Options{})
	if err != nil {
		return err
	}
	for _, kind := range m.Kinds {
		i := slices.IndexFunc(definitions, func(d *crd.Definition) bool { return d.CRD.Name == kind.Plural+"."+kind.Group })
		if i < 0 || !m.IsGenerated(kind) {
			continue
		}
		for _, spoke := range kind.Spokes {
			up := losses{direction: conversions.ToHub()}
			down := losses{direction: conversions.FromHub()}
			up.pair(spoke.Pair, "")
			down.pair(spoke.Pair, "")
			definitions[i].Conversions = append(definitions[i].Conversions,
				crd.Conversion{From: spoke.Name, To: kind.Hub.Name, Losses: up.found},
				crd.Conversion{From: kind.Hub.Name, To: spoke.Name, Losses: down.found})
		}
	}
	return nil
}

// losses collects the fields that one direction loses.
type losses struct {
	direction conversions.Direction
	found     []crd.Loss
	// within are the pairs that contain the current one.
	within []*conversions.Pair
}

// pair adds the losses of a pair of structs at a path in objects.
func (l *losses) pair(p *conversions.Pair, path string) {
	if slices.Contains(l.within, p) {
		return
	}
	l.within = append(l.within, p)
	for _, u := range p.Units {
		fate, _ := conversions.Sides(l.direction, u.Up, u.Down)
		if fate == conversions.Lossless {
			continue
		}
		fields, _ := u.Fields(l.direction)
		for _, f := range fields {
			if location := path + conversions.Path(f); len(f) > 0 && u.Loses(l.direction) {
				l.found = append(l.found, crd.Loss{Field: location, Whole: u.Rule == nil && !u.Presence() ||
					u.Hook != nil, Kept: fate == conversions.Kept, Reason: u.Reason})
			}
		}
		if u.Hook == nil {
			l.rule(u.Rule, path+conversions.Path(fields[0]))
		}
	}
	l.within = l.within[:len(l.within)-1]
}

// rule adds the losses of the structs below a rule.
func (l *losses) rule(r *conversions.Rule, path string) {
	for ; r != nil; r = r.Elem {
		switch side, _ := conversions.Sides(l.direction, r.Spoke, r.Hub); {
		case r.Pair != nil:
			l.pair(r.Pair, path)
		case side.Shape == conversions.List:
			path += "[*]"
		case side.Shape == conversions.Map:
			path += ".*"
		}
	}
}
