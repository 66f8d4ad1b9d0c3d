package convertrun

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/generator/conversions"
	"github.com/schemagen/schemagen/generator/conversions/written"
	"github.com/schemagen/schemagen/internal/definitions"
)

// Objects are read from files and converted.
type Objects struct {
	// Kinds are those that can be converted, sorted by group and name.
	Kinds []written.Kind
	// Dir is the working directory.
	Dir string
	// Tags are the build tags with which the packages were read.
	Tags []string
	// To is the version to convert to.
	To string
	// Strip removes the annotation in which conversions keep what a version lacks.
	Strip bool
	// Stdin is read as "-", and objects are written to Stdout as YAML documents.
	Stdin  io.Reader
	Stdout io.Writer
}

// Convert converts the objects in the files. If a finding is an error, nothing is written. The
// error is set if a file cannot be read or the packages cannot be built.
func (o *Objects) Convert(ctx context.Context, sources []definitions.Source) (diag.List, error) {
	var findings diag.List
	var objects []*dryrun.Object
	var requests []Request
	for _, source := range sources {
		for file, err := range source.Chunks(o.Stdin) {
			if err != nil {
				return nil, err
			}
			read, found := dryrun.ReadObjects(file)
			findings = append(findings, found...)
			for _, object := range read {
				request, problem, err := o.request(object)
				switch {
				case err != nil:
					return nil, err
				case problem != nil:
					findings = append(findings, *problem)
				default:
					objects, requests = append(objects, object), append(requests, request)
				}
			}
		}
	}
	if len(requests) == 0 || findings.HasErrors() {
		return findings, ctx.Err()
	}
	converter, err := Build(ctx, o.Dir, o.Tags, o.Kinds)
	if err != nil {
		return nil, err
	}
	defer converter.Close()
	answers, err := converter.Convert(ctx, requests)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i, answer := range answers {
		if answer.Error != "" {
			findings = append(findings, notConverted.At(objects[i].Pos, "", "cannot be written as %s: %s", o.To, diag.Line(answer.Error)))
			continue
		}
		text, err := o.yaml(answer.Object, objects[i], requests[i].Group)
		if err != nil {
			return nil, err
		}
		out.WriteString("---\n")
		out.Write(text)
	}
	if !findings.HasErrors() {
		_, err = out.WriteTo(o.Stdout)
	}
	return findings, err
}

// request returns what to ask for an object, or why it cannot be converted.
func (o *Objects) request(object *dryrun.Object) (r Request, problem *diag.Diagnostic, err error) {
	refuse := func(hint, format string, args ...any) (Request, *diag.Diagnostic, error) {
		d := notConverted.At(object.Pos, hint, format, args...)
		return Request{}, &d, nil
	}
	group, version, _ := strings.Cut(object.APIVersion, "/")
	at := slices.IndexFunc(o.Kinds, func(k written.Kind) bool { return k.Group == group && k.Name == object.Kind })
	if at < 0 {
		return refuse("name the packages with its versions", "the packages do not convert %s of %s", diag.Line(object.Kind), diag.Line(object.APIVersion))
	}
	versions := versionsOf(o.Kinds[at])
	for _, v := range []string{version, o.To} {
		if !slices.Contains(versions, v) {
			return refuse("", "%s has no conversion of version %s: there are %s", object.Kind, diag.Line(v), strings.Join(versions, ", "))
		}
	}
	text, err := json.Marshal(object.Value)
	return Request{group, object.Kind, version, o.To, text}, nil, err
}

// versionsOf returns the names of the versions that can be converted, the hub first.
func versionsOf(k written.Kind) []string {
	out := []string{k.Hub.Name}
	for _, s := range k.Spokes {
		out = append(out, s.Name)
	}
	return out
}

// yaml renders an answer. As on a server, conversions change no other metadata than labels and
// annotations.
func (o *Objects) yaml(answer []byte, given *dryrun.Object, group string) ([]byte, error) {
	var converted map[string]any
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	if err := decoder.Decode(&converted); err != nil {
		return nil, fmt.Errorf("%s: %w", given.Pos, err)
	}
	before, _ := given.Value["metadata"].(map[string]any)
	after, _ := converted["metadata"].(map[string]any)
	metadata := maps.Clone(before)
	if metadata == nil {
		metadata = map[string]any{}
	}
	for _, name := range []string{"labels", "annotations"} {
		values, _ := after[name].(map[string]any)
		if name == "annotations" && o.Strip {
			delete(values, conversions.Annotation(group))
		}
		if metadata[name] = values; len(values) == 0 {
			delete(metadata, name)
		}
	}
	converted["metadata"] = metadata
	text, err := json.Marshal(converted)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(text)
}
