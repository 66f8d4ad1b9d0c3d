package conversions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
)

// AddLosses adds to definitions that were generated from Go packages what the conversions of the
// packages lose. Kinds are left out whose conversions are not generated, or cannot be. The error
// is as in [generator.Run].
func AddLosses(ctx context.Context, options generator.Options, definitions []*crd.Definition) error {
	if !slices.ContainsFunc(definitions, func(d *crd.Definition) bool { return len(d.CRD.Spec.Versions) > 1 }) {
		return nil
	}
	m, _, err := Find(ctx, options, Options{})
	if err != nil {
		return err
	}
	for _, kind := range m.Kinds {
		i := slices.IndexFunc(definitions, func(d *crd.Definition) bool { return d.CRD.Name == kind.Plural+"."+kind.Group })
		if i < 0 || kind.incomplete || !m.isGenerated(kind) {
			continue
		}
		for _, spoke := range kind.Spokes {
			up, down := losses{up: true}, losses{}
			up.pair(spoke.Pair, "")
			down.pair(spoke.Pair, "")
			definitions[i].Conversions = append(definitions[i].Conversions,
				crd.Conversion{From: spoke.Name, To: kind.Hub.Name, Losses: up.found},
				crd.Conversion{From: kind.Hub.Name, To: spoke.Name, Losses: down.found})
		}
	}
	return nil
}

// isGenerated reports whether conversions of a kind seem to be generated: a spoke's package has
// their file, or a type has markers for them.
func (m *Model) isGenerated(kind *Kind) bool {
	for _, spoke := range kind.Spokes {
		dir := filepath.Dir(spoke.Type.Decl.Pkg.Files[0])
		if _, err := m.inputs.Stat(filepath.Join(dir, FileName)); err == nil {
			return true
		}
	}
	marked := func(list source.Markers) bool {
		return slices.ContainsFunc(list, func(m *markers.Marker) bool { return strings.HasPrefix(m.Name, markers.ConvertPrefix) })
	}
	return slices.ContainsFunc(m.Pairs, func(p *Pair) bool {
		return p.ofKind == kind && (marked(p.Spoke.Decl.Markers) || marked(p.Hub.Decl.Markers) ||
			slices.ContainsFunc(p.Spoke.Fields, func(f *Field) bool { return marked(f.Source.Markers) }))
	})
}

// losses collects the fields that one direction loses.
type losses struct {
	up    bool
	found []crd.Loss
	// within are the pairs that contain the current one.
	within []*Pair
}

// pair adds the losses of a pair of structs at a path in objects.
func (l *losses) pair(p *Pair, path string) {
	if slices.Contains(l.within, p) {
		return
	}
	l.within = append(l.within, p)
	for _, u := range p.Units {
		fate := u.fate(l.up)
		if fate == Lossless {
			continue
		}
		fields := u.Side(l.up)
		for _, f := range fields {
			if at := path + dotted(f); len(f) > 0 && (u.Rule == nil || u.Rule.loses(l.up, false)) {
				l.found = append(l.found, crd.Loss{Field: at, Whole: u.Rule == nil && !u.set || u.Hook != nil, Kept: fate == Kept, Reason: u.Reason})
			}
		}
		l.rule(u.Rule, path+dotted(fields[0]))
	}
	l.within = l.within[:len(l.within)-1]
}

// rule adds the losses of the structs below a rule.
func (l *losses) rule(r *Rule, path string) {
	for ; r != nil && r.op != opHook; r = r.Elem {
		side := r.Hub
		if l.up {
			side = r.Spoke
		}
		switch {
		case r.op == opStruct:
			l.pair(r.Pair, path)
		case side.Shape == List:
			path += "[*]"
		case side.Shape == Map:
			path += ".*"
		}
	}
}
