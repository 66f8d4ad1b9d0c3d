package convertrun

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
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
// version, or of any version if the annotation is to be removed, and nil for all others. It may be
// called concurrently.
func (t *Trial) Convert(ctx context.Context, objects []*dryrun.Object, results []*dryrun.Result) ([]*Converted, error) {
	out := make([]*Converted, len(objects))
	var requests []Request
	var asked []int
	for i, object := range objects {
		result := results[i]
		if result.Action != dryrun.Created && result.Action != dryrun.Updated || result.Kind.Version == t.To && !t.Strip {
			continue
		}
		request, problem, err := t.request(object, result.Stored)
		switch {
		case err != nil:
			return nil, err
		case problem != nil:
			out[i] = &Converted{Findings: diag.List{*problem}}
		default:
			requests = append(requests, request)
			asked = append(asked, i)
		}
	}
	if len(requests) == 0 {
		return out, nil
	}
	t.build.Do(func() { t.converter, t.err = Build(ctx, t.code(), t.Kinds) })
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
			out[i] = &Converted{Findings: diag.List{t.failed(objects[i], answer)}}
			continue
		}
		c := &conversion{request: requests[n], object: objects[i], given: results[i].Stored}
		c.result, err = decode(answer.Object, c.given)
		if err != nil {
			return nil, err
		}
		out[i], err = t.try(ctx, c, answer)
		if err != nil {
			return nil, err
		}
		asked[len(done)] = i
		done = append(done, c)
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
	object, err := decode(answer.Object, c.given)
	if err != nil {
		return nil, err
	}
	out.Kept = len(strip(object, c.request.Group))
	if t.Strip {
		out.Kept = 0
		strip(c.result, c.request.Group)
	}
	out.YAML, err = yaml.Marshal(c.result)
	if err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		return nil, err
	}
	read, _ := dryrun.ReadObjects(crd.File{Data: text})
	if len(read) != 1 {
		return nil, fmt.Errorf("%s: the converted object cannot be read", c.object.Pos)
	}
	server := *t.Server
	server.Stored = nil
	server.Subresource = ""
	tried, err := server.Try(ctx, read[0])
	if err != nil {
		return nil, err
	}
	for _, found := range tried.Findings {
		if found.Severity != diag.Error || strings.HasPrefix(found.Message, "some validation rules were not checked") {
			continue // the server does not tell those who read the object, and the errors say the rest
		}
		steps := stepsIn(object, found.Path)
		invalid := conversions.Invalid(c.object.Position(pathOf(t.source(c, steps))), c.request.From, t.To, found.Message)
		invalid.Related = found.Related
		declared := t.declared(c, steps)
		if inGo := func(d diag.Related) bool { return strings.HasSuffix(d.Pos.File, ".go") }; declared.Line > 0 && !slices.ContainsFunc(found.Related, inGo) {
			invalid.Related = []diag.Related{{Pos: declared, Message: "rejected here"}}
		}
		out.Findings = append(out.Findings, invalid)
	}
	return out, nil
}

// pathOf returns the path with steps from an object to a value.
func pathOf(steps []structural.Step) (path *structural.ObjectPath) {
	for _, step := range steps {
		if step.Index >= 0 {
			path = path.Element(step.Index)
		} else {
			path = path.Field(step.Field)
		}
	}
	return path
}

// stepsIn returns the steps to a value of an object, of which the server prints the path. If the
// object does not have the value, they lead to the innermost one on the path that it has, or to a
// field that is missing there.
func stepsIn(object any, path string) []structural.Step {
	steps, found := locate.Steps(object, path)
	innermost, _ := locate.ValueAt(object, steps[:found])
	if _, isMap := innermost.(map[string]any); isMap && found == len(steps)-1 {
		return steps
	}
	return steps[:found]
}

// Close removes what was built.
func (t *Trial) Close() error {
	if t.converter == nil {
		return nil
	}
	return t.converter.Close()
}
