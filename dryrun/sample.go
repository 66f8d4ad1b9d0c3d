package dryrun

import (
	"context"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Sample is an object of a kind that was made up.
type Sample struct {
	// YAML is the object, nil if the kind cannot be served.
	YAML []byte
	// Findings are what the server refuses of it: no object that it takes was found.
	Findings diag.List
}

// Sample makes up an object: with what must be there, or, if full is set, with the
// fields that can be there together.
func (k *Kind) Sample(ctx context.Context, full bool) (*Sample, error) {
	server, err := k.server()
	if err != nil {
		return &Sample{Findings: diag.List{k.unserved(err)}}, nil
	}
	object, ok := unions.Sample(k.schema, full).(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object["apiVersion"], object["kind"] = k.Group+"/"+k.Version, k.Kind
	object["metadata"] = map[string]any{"name": "example"}
	if server.HasStatus() {
		delete(object, "status") // it is not written with the object
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
		out.Findings = append(out.Findings, objectRefused.At(pos, "no object that the server takes was found: write it by hand from this one", "%s: %v", what, e))
	}
	out.YAML, err = orderedYAML(func(*structural.ObjectPath) []string { return nil }, k.schema, r.best)
	return out, err
}
