package convertrun

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	// Kept is the annotation with what the conversion kept.
	Kept Kept
	// Findings have the position of the object that was converted.
	Findings diag.List
}

// Kept is the annotation in which a conversion keeps what a version lacks.
type Kept struct {
	// Bytes is the length of the annotation, 0 if there is none.
	Bytes int
	// Paths are those of the values, below the name of the version that has them.
	Paths map[string][]string
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
	for n, answer := range answers {
		i := asked[n]
		if out[i], err = t.try(ctx, objects[i], results[i], answer); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// try tries a converted object as if it were written in the other version.
func (t *Trial) try(ctx context.Context, given *dryrun.Object, result *dryrun.Result, answer Answer) (*Converted, error) {
	if answer.Error != "" {
		return &Converted{Findings: diag.List{t.failed(given, answer)}}, nil
	}
	object, err := decode(answer.Object, result.Stored)
	if err != nil {
		return nil, err
	}
	out := &Converted{}
	if out.YAML, err = yaml.Marshal(object); err != nil {
		return nil, err
	}
	out.Kept = keptIn(strip(object, result.Kind.Group))
	text, err := yaml.Marshal(object)
	if err != nil {
		return nil, err
	}
	read, _ := dryrun.ReadObjects(crd.File{Data: text})
	if len(read) != 1 {
		return nil, fmt.Errorf("%s: the converted object cannot be read", given.Pos)
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
		invalid := conversions.Invalid(given.Pos, result.Kind.Version, t.To, found.Message)
		invalid.Related = found.Related
		out.Findings = append(out.Findings, invalid)
	}
	return out, nil
}

// keptIn returns what is in an annotation. One that is malformed has no paths.
func keptIn(annotation string) Kept {
	kept := Kept{Bytes: len(annotation), Paths: map[string][]string{}}
	versions := map[string]map[string]any{}
	if json.Unmarshal([]byte(annotation), &versions) != nil {
		return kept
	}
	for version, tree := range versions {
		if kept.Paths[version] = leaves(nil, "", tree); tree["#over"] != nil {
			kept.Paths[version] = []string{fmt.Sprintf("%v bytes do not fit", tree["#over"])}
		}
	}
	return kept
}

// leaves appends the paths of the values in a tree, in order. Names that begin with # are not
// fields: they say something about the value that has them.
func leaves(paths []string, path string, tree map[string]any) []string {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if strings.HasPrefix(name, "#") {
			return append(paths, strings.TrimPrefix(path, "."))
		}
		below, ok := tree[name].(map[string]any)
		if !ok || len(below) == 0 {
			paths = append(paths, strings.TrimPrefix(path+"."+name, "."))
			continue
		}
		paths = leaves(paths, path+"."+name, below)
	}
	return paths
}

// String describes what is kept, "" if nothing is.
func (k Kept) String() string {
	if k.Bytes == 0 {
		return ""
	}
	out := fmt.Sprintf("keeps %d bytes", k.Bytes)
	for _, version := range slices.Sorted(maps.Keys(k.Paths)) {
		out += "; " + version + ": " + strings.Join(k.Paths[version], ", ")
	}
	return diag.Line(out)
}

// Close removes what was built.
func (t *Trial) Close() error {
	if t.converter == nil {
		return nil
	}
	return t.converter.Close()
}
