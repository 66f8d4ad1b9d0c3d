package dryrun

import (
	"context"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Sample is a generated example of a kind.
type Sample struct {
	// YAML is the object, nil if the kind cannot be served.
	YAML []byte
	// Findings are the errors of the server, if no valid object was found.
	Findings diag.List
}

// Sampler generates examples of many definitions. What their schemas share in memory is prepared
// once. The zero value is ready to use, and safe for concurrent use.
type Sampler struct{ shared apiserver.Kinds }

// Sample generates an example of a version of a definition, as [Kind.Sample] does. It returns nil if
// the version does not exist, or is not served.
func (s *Sampler) Sample(ctx context.Context, d *crd.Definition, version string, full bool) (*Sample, error) {
	d, err := d.Completed()
	if err != nil {
		return nil, err
	}
	if d.CRD == nil {
		d.CRD = d.Build()
	}
	for i, v := range d.CRD.Spec.Versions {
		if v.Name == version && v.Served {
			return newKind(d, i, &s.shared).Sample(ctx, full)
		}
	}
	return nil, nil
}

// Sample generates an example: with required fields only or, if full is set, with all
// fields that can be set together.
func (k *Kind) Sample(ctx context.Context, full bool) (*Sample, error) {
	if k.server == nil {
		return nil, errNoTrial
	}
	server, err := k.server()
	if err != nil {
		return &Sample{Findings: diag.List{k.unserved(err)}}, nil
	}
	object, ok := unions.Sample(k.schema, full).(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object["apiVersion"] = k.Group + "/" + k.Version
	object["kind"] = k.Kind
	object["metadata"] = map[string]any{"name": "example"}
	if server.HasStatus() {
		delete(object, "status") // it is not written together with the object
	}
	r := &repairer{kind: k, server: server, full: full, triesLeft: maxRepairs}
	if err := r.repair(ctx, object); err != nil {
		return nil, err
	}
	out := &Sample{}
	what := "the minimal sample"
	if full {
		what = "the full sample"
	}
	for _, e := range r.answer.Errors {
		pos := k.blame(e)
		if pos.Line == 0 {
			pos = k.position("")
		}
		out.Findings = append(out.Findings, objectRejected.At(pos, "no valid object was found: complete this one by hand", "%s: %v", what, e))
	}
	out.YAML, err = orderedYAML(headFirst, k.schema, r.best)
	return out, err
}

// headFirst returns the fields that every object has, which a schema need not have.
func headFirst(path *structural.ObjectPath) []string {
	if path == nil {
		return []string{"apiVersion", "kind", "metadata"}
	}
	return nil
}
