package clients

import (
	"context"
	"slices"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/crdyaml"
)

// Pass reports what Go clients of the definitions cannot say, if the rules of a run ask for it. It
// needs a server.
type Pass struct{}

// Begin implements [define.Pass].
func (Pass) Begin(run *define.Run) any { return pass{run} }

type pass struct{ run *define.Run }

// Check implements [define.Checker].
func (p pass) Check(ctx context.Context, definitions []*checks.Definition) error {
	if p.run.Options.Server == nil {
		return nil
	}
	handler := p.run.Options.Server.Handler()
	c := &Checker{Reporter: p.run.Reporter, Codes: p.run.Options.Rules,
		Handler: func(d *checks.Definition, version int) (crd.Handle, error) {
			// Another run may have asked about a definition with the same text.
			definition := &crd.Definition{Build: d.Complete, Schemas: d.Schemas}
			known := definition.Provenance()
			known.BuildWith = d.With
			if !p.run.Hides() && !d.Flawed && !slices.Contains(d.Schemas, nil) {
				text, _, err := crdyaml.Append(nil, &d.Generated)
				if err != nil {
					return nil, err
				}
				known.Text = text
			}
			return handler(definition, d.Object.Spec.Versions[version].Name)
		}}
	return c.Check(ctx, definitions)
}
