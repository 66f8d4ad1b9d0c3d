package convertprove

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/convertrun"
	"github.com/schemagen/schemagen/internal/conversions/written"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/interrupt"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/terminal/consent"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Run proves generated conversions.
type Run struct {
	Generated conversions.Files
	// Definitions define the kinds.
	Definitions []*crd.Definition
	// Samples have objects to begin with.
	Samples []definitions.Source
	// Dir is the working directory, and Tags are the build tags of the packages.
	Dir  string
	Tags []string
	// Consent allows to build and run the code of the packages.
	Consent consent.Consent
	// Cases is the number of histories for each version that is not the hub.
	Cases int
	// Stdout gets a line for each of these versions.
	Stdout io.Writer
}

// subject is a version that is converted to the hub.
type subject struct {
	kind      written.Kind
	converter *convertrun.Converter
	versions  [2]*version // the spoke and the hub
	drops     [2][]string // their paths that are documented to be lost
	pos       diag.Position
}

const spokeSide, hubSide = 0, 1

// version is a version of a kind, as a server would serve it.
type version struct {
	name   string
	server *apiserver.Kind
	schema *structural.Schema
	// transitions is set if rules compare an object with what it was.
	transitions bool
	// durations are the paths of texts that Go has to decode as durations.
	durations []string
	// seeds are valid objects. Those from files come first.
	seeds []map[string]any
	files int
}

// ProveProject runs histories of all kinds, with the definitions that the options generate, and with samples
// from a directory, if it is not empty. It returns what [Run.Prove] does.
func (r *Run) ProveProject(ctx context.Context, options define.Options, samples string) (diag.List, error) {
	var err error
	if samples != "" {
		r.Samples, err = definitions.FindObjects("-f", []string{filepath.Join(r.Dir, samples)})
		if err != nil {
			return nil, err
		}
	}
	made, findings, err := define.Definitions(ctx, options)
	if err != nil {
		return nil, err
	}
	if findings.HasErrors() {
		return definitions.WithoutIgnored(nil, findings), nil
	}
	r.Definitions = made
	return r.Prove(ctx)
}

// Prove runs histories of all kinds. The error is set if the conversions cannot be built or run,
// or if the context ends; the findings are those until then.
func (r *Run) Prove(ctx context.Context) (diag.List, error) {
	// An interrupted run reports what it has found. The hold lasts until that is printed.
	interrupt.Hold(ctx)
	kinds := kindsOf(r.Generated.Model)
	if len(kinds) == 0 {
		return nil, nil
	}
	files := map[string][]byte{}
	for _, f := range r.Generated.Files {
		files[f.Name] = f.Data
	}
	if err := r.Consent.RequireCode(convertrun.Packages(kinds)); err != nil { // before the progress is shown
		return nil, err
	}
	progress.Start(ctx, "building", "the conversions", 0)
	converter, err := convertrun.Build(ctx, r.code(files), kinds)
	if err != nil {
		return nil, err
	}
	defer converter.Close()
	objects, findings, err := r.samples()
	if err != nil {
		return nil, err
	}
	for _, kind := range r.Generated.Model.Kinds {
		index := slices.IndexFunc(kinds, func(k written.Kind) bool { return k.Group == kind.Group && k.Name == kind.Name })
		if index < 0 {
			continue
		}
		for _, spoke := range kind.Spokes {
			s := &subject{kind: kinds[index], converter: converter, drops: dropsOf(spoke.Pair)}
			s.pos = r.Generated.Model.Run.Reporter.Position(spoke.Type.Decl.Spec.Name.Pos())
			for side, v := range []*conversions.Version{spoke, kind.Hub} {
				s.versions[side], err = r.version(ctx, kind, v, objects)
				if err != nil {
					return findings, err
				}
			}
			found, err := s.prove(ctx, r.Cases)
			findings = append(findings, found...)
			if err != nil {
				return findings, err
			}
			if r.Stdout != nil {
				fmt.Fprintf(r.Stdout, "%s.%s: %s to %s and back: %d histories, from %d samples, %d of them in files\n", kind.Name, kind.Group, spoke.Name, kind.Hub.Name,
					r.Cases, len(s.versions[0].seeds)+len(s.versions[1].seeds), s.versions[0].files+s.versions[1].files)
			}
		}
	}
	return findings, ctx.Err()
}

func (r *Run) code(files map[string][]byte) convertrun.Code {
	return convertrun.Code{Dir: r.Dir, Tags: r.Tags, Files: files, Consent: &r.Consent}
}

// kindsOf returns the kinds of a model that have conversions.
func kindsOf(m *conversions.Model) (out []written.Kind) {
	versionOf := func(v *conversions.Version) written.Version {
		return written.Version{Name: v.Name, Package: v.Type.Decl.Pkg.Path, Type: v.Type.Decl.Spec.Name.Name}
	}
	for _, k := range m.Kinds {
		if k.Equal {
			continue
		}
		kind := written.Kind{Group: k.Group, Name: k.Name, Hub: versionOf(k.Hub), Dir: dirOf(k.Hub.Type.Decl.Pkg.Files[0])}
		for _, s := range k.Spokes {
			spoke := written.Spoke{Version: versionOf(s)}
			if m.Options.Functions {
				spoke.Up = "Convert" + spoke.Type + "ToHub"
				spoke.Down = "Convert" + spoke.Type + "FromHub"
			}
			kind.Spokes = append(kind.Spokes, spoke)
		}
		out = append(out, kind)
	}
	return out
}

// samples returns the objects in files.
func (r *Run) samples() (objects []*dryrun.Object, findings diag.List, err error) {
	for _, source := range r.Samples {
		for file, err := range source.Chunks(nil) {
			if err != nil {
				return nil, nil, err
			}
			read, found := dryrun.ReadObjects(file)
			objects = append(objects, read...)
			findings = append(findings, found...)
		}
	}
	return objects, findings, nil
}

// version prepares a version of a kind and its seeds.
func (r *Run) version(ctx context.Context, kind *conversions.Kind, convertedVersion *conversions.Version,
	objects []*dryrun.Object) (*version, error) {
	name := convertedVersion.Name
	out := &version{name: name, durations: r.Generated.Model.Durations(convertedVersion.Type)}
	for _, d := range r.Definitions {
		object := d.CRD
		if object == nil {
			object = d.Build()
		}
		if object.Spec.Group != kind.Group || object.Spec.Names.Kind != kind.Name {
			continue
		}
		for i, v := range object.Spec.Versions {
			if v.Name == name {
				var err error
				out.server, err = apiserver.NewKind(object, name)
				if err != nil {
					return nil, err
				}
				out.schema = d.Schemas[i]
				out.transitions = hasTransitions(out.schema)
			}
		}
		if out.server == nil {
			continue
		}
		for _, o := range objects {
			if o.APIVersion == kind.Group+"/"+name && o.Kind == kind.Name {
				if err := out.addSeed(ctx, kind, o.Value); err != nil {
					return nil, err
				}
			}
		}
		out.files = len(out.seeds)
		for _, full := range []bool{false, true} {
			value, _ := unions.Sample(out.schema, full).(map[string]any)
			if err := out.addSeed(ctx, kind, value); err != nil {
				return nil, err
			}
		}
	}
	if out.server == nil {
		return nil, fmt.Errorf("there is no definition of version %s of %s", name, kind.Name)
	}
	return out, nil
}

// hasTransitions reports whether rules of a schema compare values with what they were.
func hasTransitions(s *structural.Schema) bool {
	isTransition := func(r apiextensionsv1.ValidationRule) bool { return strings.Contains(r.Rule, "oldSelf") }
	return s.Contains(func(s *structural.Schema) bool { return slices.ContainsFunc(s.XValidations, isTransition) })
}

func (v *version) addSeed(ctx context.Context, kind *conversions.Kind, value map[string]any) error {
	object := runtime.DeepCopyJSON(value)
	if object == nil {
		object = map[string]any{}
	}
	object["apiVersion"] = kind.Group + "/" + v.name
	object["kind"] = kind.Name
	object["metadata"] = map[string]any{"name": "example", "namespace": "example"}
	v.fitDurations(object)
	stored, problems, err := v.judge(ctx, object)
	if err == nil && len(problems) == 0 {
		v.seeds = append(v.seeds, stored)
	}
	return err
}

// problem is a reason why a server would not store an object.
type problem struct{ path, text string }

// nestedPath matches the path in an error that is reported for the whole object.
var nestedPath = lazyregexp.New(` in (\S+)$`)

func problemOf(e *field.Error) problem {
	if e.Field != "<nil>" {
		return problem{e.Field, e.Error()}
	}
	out := problem{text: e.Detail}
	if m := nestedPath().FindStringSubmatch(e.Detail); m != nil {
		out.path = m[1]
	}
	return out
}

// judge returns what a server would store for an object with its status, or why it would not.
func (v *version) judge(ctx context.Context, object map[string]any) (stored map[string]any, problems []problem, err error) {
	a, err := v.server.Create(ctx, object)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range a.Errors {
		problems = append(problems, problemOf(e))
	}
	if status, ok := object["status"]; ok && v.server.HasStatus() && len(problems) == 0 {
		whole := runtime.DeepCopyJSON(a.Object)
		whole["status"] = status
		b, err := v.server.UpdateStatus(ctx, whole, a.Object)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range b.Errors {
			problems = append(problems, problemOf(e))
		}
		a = b
	}
	return a.Object, problems, nil
}

// dropsOf returns the paths below a pair, of either version, that are documented to be lost.
func dropsOf(pair *conversions.Pair) (out [2][]string) {
	var visit func(p *conversions.Pair, paths [2]string, depth int)
	visit = func(p *conversions.Pair, paths [2]string, depth int) {
		if depth > 12 {
			return
		}
		for _, u := range p.Units {
			sides := [2][][]*conversions.Field{{u.Spoke}, {u.Hub}}
			if u.Hook != nil {
				sides = [2][][]*conversions.Field{u.Hook.Fields, u.Hook.Targets}
			}
			if u.Up == conversions.Dropped || u.Down == conversions.Dropped {
				for side, list := range sides {
					for _, fields := range list {
						if len(fields) > 0 {
							out[side] = append(out[side], paths[side]+conversions.Path(fields))
						}
					}
				}
				continue
			}
			for rule := u.Rule; rule != nil; rule = rule.Elem {
				if rule.Pair != nil {
					visit(rule.Pair, [2]string{
						paths[0] + conversions.Path(u.Spoke) + indices(u.Rule,
							func(r *conversions.Rule) *conversions.Type { return r.Spoke }),
						paths[1] + conversions.Path(u.Hub) + indices(u.Rule,
							func(r *conversions.Rule) *conversions.Type { return r.Hub }),
					}, depth+1)
				}
			}
		}
	}
	visit(pair, [2]string{}, 0)
	return out
}

// indices returns the part of a path that leads from a field to the structs in it.
func indices(r *conversions.Rule, side func(*conversions.Rule) *conversions.Type) (out string) {
	for ; r != nil; r = r.Elem {
		if shape := side(r).Shape; shape == conversions.List || shape == conversions.Map {
			out += "[]"
		}
	}
	return out
}
