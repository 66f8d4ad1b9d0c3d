package convertrun

import (
	"context"
	"fmt"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/generator/conversions"
)

// Trial converts objects that a server would store, and tries what becomes of them in the other
// version.
type Trial struct {
	Target
	Server *dryrun.Trial

	build     sync.Once
	converter *Converter
	err       error
}

// Converted is an object in the other version.
type Converted struct {
	YAML []byte
	// Kept is the length of the annotation with what the conversion kept.
	Kept int
	// Findings have the position of the object that was converted.
	Findings diag.List
}

// Convert returns an object for each result with which a server accepted an object of another
// version, and nil for all others. It may be called concurrently.
func (t *Trial) Convert(ctx context.Context, objects []*dryrun.Object, results []*dryrun.Result) ([]*Converted, error) {
	out := make([]*Converted, len(objects))
	var requests []Request
	var asked []int
	for i, object := range objects {
		result := results[i]
		if result.Action != dryrun.Created && result.Action != dryrun.Updated || result.Kind.Version == t.To {
			continue
		}
		request, problem, err := t.request(object, result.Stored)
		switch {
		case err != nil:
			return nil, err
		case problem != nil:
			out[i] = &Converted{Findings: diag.List{*problem}}
		default:
			requests, asked = append(requests, request), append(asked, i)
		}
	}
	if len(requests) == 0 {
		return out, nil
	}
	t.build.Do(func() { t.converter, t.err = Build(ctx, t.Dir, t.Tags, t.Kinds) })
	if t.err != nil {
		return nil, t.err
	}
	answers, err := t.converter.Convert(ctx, requests)
	if err != nil {
		return nil, err
	}
	var done []*conversion
	for n, answer := range answers {
		i := asked[n]
		if answer.Error != "" {
			out[i] = &Converted{Findings: diag.List{t.failed(objects[i], answer, true)}}
			continue
		}
		c := &conversion{request: requests[n], object: objects[i], given: results[i].Stored}
		if c.result, err = decode(answer.Object, c.given); err != nil {
			return nil, err
		}
		if out[i], err = t.try(ctx, c, answer); err != nil {
			return nil, err
		}
		asked[len(done)], done = i, append(done, c)
	}
	if err := t.values(ctx, t.converter, done); err != nil {
		return nil, err
	}
	for n, c := range done {
		out[asked[n]].Findings = append(out[asked[n]].Findings, c.findings...)
	}
	return out, nil
}

// try tries a converted object as if it were written in the other version.
func (t *Trial) try(ctx context.Context, c *conversion, answer Answer) (out *Converted, err error) {
	out = &Converted{}
	if out.YAML, err = yaml.Marshal(c.result); err != nil {
		return nil, err
	}
	object, err := decode(answer.Object, c.given)
	if err != nil {
		return nil, err
	}
	out.Kept = len(strip(object, c.request.Group))
	text, err := yaml.Marshal(object)
	if err != nil {
		return nil, err
	}
	read, _ := dryrun.ReadObjects(crd.File{Data: text})
	if len(read) != 1 {
		return nil, fmt.Errorf("%s: the converted object cannot be read", c.object.Pos)
	}
	server := *t.Server
	server.Stored, server.Subresource = nil, ""
	tried, err := server.Try(ctx, read[0])
	if err != nil {
		return nil, err
	}
	for _, found := range tried.Findings {
		if found.Severity != diag.Error {
			continue // the server does not tell those who read the object
		}
		invalid := conversions.Invalid(c.object.Pos, c.request.From, t.To, found.Message)
		invalid.Related = found.Related
		out.Findings = append(out.Findings, invalid)
	}
	return out, nil
}

// Close removes what was built.
func (t *Trial) Close() error {
	if t.converter == nil {
		return nil
	}
	return t.converter.Close()
}
