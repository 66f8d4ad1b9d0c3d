package convertrun

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/written"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/terminal/consent"
	"github.com/schemagen/schemagen/structural"
)

// Target is a version that objects are converted to, and what can convert them.
type Target struct {
	// Kinds can be converted. They are sorted by group and name.
	Kinds []written.Kind
	// Dir is the working directory.
	Dir string
	// Tags are the build tags with which the packages were read.
	Tags []string
	// To is the version to convert to.
	To string
	// Strip removes the annotation in which conversions keep what a version lacks.
	Strip bool
	// Consent allows to build and run the code of the packages.
	Consent consent.Consent

	// model has the units of generated conversions.
	model *conversions.Model
}

// Find finds what the packages can convert, and asks for the consent to run it. Findings are about the
// packages; if one of them is an error, nothing can be converted. The error is as in [define.Make], or that
// there is no consent.
func (t *Target) Find(ctx context.Context, options define.Options) (findings diag.List, err error) {
	t.Dir = options.Dir
	t.Tags = options.Tags
	t.Kinds, findings, err = written.Kinds(ctx, options)
	if err != nil {
		return nil, err
	}
	t.model, _, err = conversions.Find(ctx, options, conversions.Options{})
	if err == nil && len(t.Kinds) > 0 && !findings.HasErrors() {
		err = t.Consent.RequireCode(Packages(t.Kinds))
	}
	return findings, err
}

func (t *Target) code() Code { return Code{Dir: t.Dir, Tags: t.Tags, Consent: &t.Consent} }

// request returns what to ask for an object with a value, or why it cannot be converted.
func (t *Target) request(object *dryrun.Object, value map[string]any) (r Request, problem *diag.Diagnostic, err error) {
	refuse := func(hint, format string, args ...any) (Request, *diag.Diagnostic, error) {
		d := notConverted.At(object.Pos, hint, format, args...)
		return Request{}, &d, nil
	}
	group, version, _ := strings.Cut(object.APIVersion, "/")
	index := slices.IndexFunc(t.Kinds, func(k written.Kind) bool { return k.Group == group && k.Name == object.Kind })
	if index < 0 {
		return refuse("name the packages with its versions", "the packages do not convert %s of %s", screen.Line(object.Kind), screen.Line(object.APIVersion))
	}
	versions := versionsOf(t.Kinds[index])
	for _, v := range []string{version, t.To} {
		if !slices.Contains(versions, v) {
			return refuse("", "%s has no conversion of version %s: there are %s", object.Kind, screen.Line(v), strings.Join(versions, ", "))
		}
	}
	text, err := json.Marshal(value)
	return Request{Group: group, Kind: object.Kind, From: version, To: t.To, Object: text}, nil, err
}

// failed returns the finding for an object that the conversion refuses.
func (t *Target) failed(object *dryrun.Object, answer Answer) diag.Diagnostic {
	problem := screen.Line(answer.Error)
	if len(answer.Path) == 0 {
		return notConverted.At(object.Pos, "", "cannot be written as %s: %s", t.To, problem)
	}
	var path *structural.ObjectPath
	for _, step := range answer.Path {
		switch step := step.(type) {
		case string:
			path = path.Field(step)
		case float64:
			path = path.Element(int(step))
		}
	}
	return notConverted.At(object.Position(path), typeHint(answer.Error), "cannot be written as %s: %s: %s", t.To, path, problem)
}

// DurationPattern matches the texts that Go decodes as a duration, unless they overflow.
const DurationPattern = `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|[uµμ]s|ms|s|m|h))+)$`

// typeHint returns what helps against an error of decoding a field whose value the schema accepts.
func typeHint(problem string) string {
	if strings.Contains(problem, "time: ") && strings.Contains(problem, " duration ") {
		return "let the schema refuse it: write above the field: // +kubebuilder:validation:Pattern=`" + DurationPattern + "`"
	}
	return "give the field a type that decodes what its schema allows, or let the schema refuse the value: write +kubebuilder:validation:Pattern, or a minimum and a maximum, above the field"
}

// versionsOf returns the names of the versions that can be converted, the hub first.
func versionsOf(k written.Kind) []string {
	out := []string{k.Hub.Name}
	for _, s := range k.Spokes {
		out = append(out, s.Name)
	}
	return out
}

// decode returns the object of an answer. As on a server, conversions change no other metadata
// than labels and annotations.
func decode(answer []byte, given map[string]any) (map[string]any, error) {
	converted, err := decodeJSON(answer)
	if err != nil {
		return nil, err
	}
	old, _ := given["metadata"].(map[string]any)
	current, _ := converted["metadata"].(map[string]any)
	metadata := maps.Clone(old)
	if metadata == nil {
		metadata = map[string]any{}
	}
	for _, name := range []string{"labels", "annotations"} {
		values, _ := current[name].(map[string]any)
		metadata[name] = values
		if len(values) == 0 {
			delete(metadata, name)
		}
	}
	converted["metadata"] = metadata
	return converted, nil
}

// decodeJSON decodes an object, whose numbers may be large.
func decodeJSON(text []byte) (object map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return object, decoder.Decode(&object)
}

// strip removes the annotation in which conversions keep what a version lacks, and returns its
// value.
func strip(object map[string]any, group string) string {
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	name := crd.ConversionAnnotation(group)
	value, _ := annotations[name].(string)
	if delete(annotations, name); len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	return value
}
