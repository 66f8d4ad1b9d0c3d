package build

import (
	"context"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// This file is where definitions are proven against the API server's own rules
// before anything is written, with what is found at the line of Go that it
// comes from.

// verifies reports whether definitions are checked.
func (o *Options) verifies() bool { return o.Server != nil && !o.SkipVerify }

// verify reports what is wrong with the definitions, which are written as the
// files, by index. Where there are errors already there are no files, and what
// stands on their lines is left out: it is their echo.
func (w *Run) verify(ctx context.Context, crds []*Definition, files []File) error {
	if !w.options.verifies() || len(crds) == 0 {
		return nil
	}
	w.findLocalFiles() // subjects are asked for places side by side
	subjects := make([]*crd.Definition, len(crds))
	for i, c := range crds {
		subjects[i] = w.subject(c)
		if files != nil {
			subjects[i].Bytes = files[i].Data
		}
	}
	return w.verifySubjects(ctx, subjects)
}

// verifySubjects reports what is wrong with definitions, as verify does.
func (w *Run) verifySubjects(ctx context.Context, subjects []*crd.Definition) error {
	found, err := w.options.Server.Check(ctx, subjects)
	if err != nil {
		return err
	}
	type line struct {
		file string
		line int
	}
	blamed := map[line]bool{}
	for _, d := range w.Reporter.List {
		if d.Severity == diag.Error {
			blamed[line{d.Pos.File, d.Pos.Line}] = true
		}
	}
	for _, d := range w.withSwitch(found) {
		if !blamed[line{d.Pos.File, d.Pos.Line}] {
			w.Reporter.List = append(w.Reporter.List, d)
		}
	}
	return nil
}

// withSwitch adds to the first refusal how to write the definitions all the same.
func (w *Run) withSwitch(found diag.List) diag.List {
	if w.options.Final { // nothing is written
		return found
	}
	found = found.Normalize()
	for i := range found {
		if d := &found[i]; d.Severity == diag.Error {
			if d.Hint != "" {
				d.Hint += "; "
			}
			d.Hint += "--skip-verify writes what the API server refuses"
			break
		}
	}
	return found
}

// subject is the definition as the API server gets it.
func (w *Run) subject(c *Definition) *crd.Definition {
	return &crd.Definition{
		Build: c.complete, Schemas: c.Schemas, OnlySchemas: c.flawed, CheckSize: w.options.Final,
		Position:   func(path string) (diag.Position, []diag.Related) { return w.place(c, path) },
		Incomplete: c.incomplete(),
		TextPosition: func(path string, line, column int) (diag.Position, bool) {
			return w.inside(c, path, line, column)
		},
	}
}

// incomplete returns a function that reports whether a result is about what a mistake
// that was reported has taken out of a schema. It is nil where nothing is missing.
// What stands around a node depends on its shape, and what rules cost on its keywords.
func (crd *Definition) incomplete() func(path string, cost bool) bool {
	known := map[*structural.Schema]structural.Mistake{}
	var below func(s *structural.Schema) structural.Mistake
	below = func(s *structural.Schema) structural.Mistake {
		if s == nil {
			return structural.NoMistake
		}
		if gravest, ok := known[s]; ok {
			return gravest
		}
		gravest := max(s.Origin.Mistake, below(s.Items))
		if s.AdditionalProperties != nil {
			gravest = max(gravest, below(s.AdditionalProperties.Schema))
		}
		for _, p := range s.Properties {
			gravest = max(gravest, below(p.Schema))
		}
		known[s] = gravest
		return gravest
	}
	if !slices.ContainsFunc(crd.Schemas, func(s *structural.Schema) bool { return below(s) != structural.NoMistake }) {
		return nil
	}
	return func(path string, cost bool) bool {
		rest, ok := strings.CutPrefix(path, "spec.versions[")
		if !ok {
			return false
		}
		index, rest, _ := strings.Cut(rest, "]")
		i, err := strconv.Atoi(index)
		if err != nil || i >= len(crd.Schemas) || crd.Schemas[i] == nil {
			return false
		}
		if schema, ok := strings.CutPrefix(rest, ".schema.openAPIV3Schema"); ok {
			node := crd.Schemas[i].Innermost(schema)
			depends := structural.InShape
			if cost {
				depends = structural.InKeywords
			}
			return node.Origin.Mistake != structural.NoMistake || below(node) >= depends
		}
		return slices.ContainsFunc(crd.fieldPaths(i, rest), func(fields string) bool {
			var path strings.Builder
			for _, name := range strings.FieldsFunc(fields, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
				path.WriteString(".properties[" + name + "]")
			}
			return crd.Schemas[i].Innermost(path.String()).Origin.Mistake == structural.InShape
		})
	}
}

// fieldPaths returns the paths of fields that stand at a path beside the schema of
// a version.
func (crd *Definition) fieldPaths(i int, path string) []string {
	version := crd.Object.Spec.Versions[i]
	var out []string
	for n, column := range version.AdditionalPrinterColumns {
		if strings.HasPrefix(path, fmt.Sprintf(".additionalPrinterColumns[%d]", n)) {
			out = append(out, column.JSONPath)
		}
	}
	for n, field := range version.SelectableFields {
		if strings.HasPrefix(path, fmt.Sprintf(".selectableFields[%d]", n)) {
			out = append(out, field.JSONPath)
		}
	}
	if s := version.Subresources; s != nil && s.Scale != nil {
		switch path {
		case ".subresources.scale.specReplicasPath":
			out = append(out, s.Scale.SpecReplicasPath)
		case ".subresources.scale.statusReplicasPath":
			out = append(out, s.Scale.StatusReplicasPath)
		case ".subresources.scale.labelSelectorPath":
			if s.Scale.LabelSelectorPath != nil {
				out = append(out, *s.Scale.LabelSelectorPath)
			}
		}
	}
	return out
}

// complete is the definition with its schemas.
func (crd *Definition) complete() *apiextensionsv1.CustomResourceDefinition {
	object := crd.Object.DeepCopy()
	if crd.PreserveUnknownFields != nil {
		object.Spec.PreserveUnknownFields = *crd.PreserveUnknownFields
	}
	for i, schema := range crd.Schemas {
		object.Spec.Versions[i].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema.Props()}
	}
	return object
}

// place returns the place in the Go source of a path in a definition: the
// innermost one in the user's own packages, with what it leads to.
func (w *Run) place(crd *Definition, path string) (diag.Position, []diag.Related) {
	places := w.placesOf(crd, path)
	if name := argumentOf(path); name != "" {
		last := len(places) - 1
		if m, ok := w.markerAt(places[last]); ok {
			if pos, ok := m.Argument(name); ok {
				places[last] = pos
			}
		}
	}
	var related []diag.Related
	for i := len(places) - 1; i >= 0; i-- {
		if !places[i].IsValid() {
			continue
		}
		pos := w.Reporter.Position(places[i])
		if w.localFiles[pos.File] || i == 0 {
			return pos, related
		}
		if related == nil {
			related = []diag.Related{{Pos: pos, Message: "found here"}}
		}
	}
	return diag.Position{}, nil
}

// placesOf returns the places on the way to a path in a definition, outermost
// first.
func (w *Run) placesOf(crd *Definition, path string) []token.Pos {
	places := []token.Pos{crd.Roots[0].Spec.Name.Pos()}
	if rest, ok := strings.CutPrefix(path, "spec.versions["); ok {
		index, rest, _ := strings.Cut(rest, "]")
		if i, err := strconv.Atoi(index); err == nil && i < len(crd.Roots) {
			places = append(places, crd.versionPlaces(i, rest)...)
		}
	} else if strings.HasPrefix(path, "spec.names") || strings.HasPrefix(path, "spec.scope") {
		places = append(places, markerPlace(crd.Roots, "kubebuilder:resource", 0))
	} else if strings.HasPrefix(path, "spec.conversion") && crd.conversion != nil {
		places = append(places, crd.conversion.Pos)
	} else if strings.HasPrefix(path, "metadata.annotations") || strings.HasPrefix(path, "metadata.labels") {
		places = append(places, markerPlace(crd.Roots, "kubebuilder:metadata", 0))
	}
	return places
}

// argumentOf returns the argument of a marker that says what is at a path; empty
// if none does.
func argumentOf(path string) string {
	at, last := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		at, last = path[:i], path[i+1:]
	}
	last, _, _ = strings.Cut(last, "[")
	switch {
	case strings.Contains(at, ".x-kubernetes-validations["):
		return last
	case strings.Contains(at, ".additionalPrinterColumns["), strings.Contains(at, ".selectableFields["):
		if strings.EqualFold(last, "jsonPath") {
			return "JSONPath"
		}
		return last
	}
	switch last {
	case "plural":
		return "path"
	case "scope", "singular", "categories":
		return last
	case "shortNames":
		return "shortName"
	case "specReplicasPath":
		return "specpath"
	case "statusReplicasPath":
		return "statuspath"
	case "labelSelectorPath":
		return "selectorpath"
	}
	return ""
}

// markerAt returns the marker comment at a place.
func (w *Run) markerAt(pos token.Pos) (markers.Comment, bool) {
	if !pos.IsValid() {
		return markers.Comment{}, false
	}
	for p := range w.Packages() {
		for _, f := range p.Sources {
			if f.Syntax != nil && f.Syntax.FileStart <= pos && pos < f.Syntax.FileEnd {
				return markers.At(f.Syntax, pos)
			}
		}
	}
	return markers.Comment{}, false
}

// inside returns the place of a character of a rule: where the compiler reports a
// mistake. Rules of other packages are left to place.
func (w *Run) inside(crd *Definition, path string, line, column int) (diag.Position, bool) {
	places := w.placesOf(crd, path)
	m, ok := w.markerAt(places[len(places)-1])
	if !ok {
		return diag.Position{}, false
	}
	pos, ok := m.Inside(argumentOf(path), line, column)
	at := w.Reporter.Position(pos)
	return at, ok && w.localFiles[at.File]
}

// versionPlaces returns the places on the way to a path in a version.
func (crd *Definition) versionPlaces(i int, rest string) []token.Pos {
	root := crd.Roots[i]
	out := []token.Pos{root.Spec.Name.Pos()}
	if schema, ok := strings.CutPrefix(rest, ".schema.openAPIV3Schema"); ok {
		return append(out, crd.Schemas[i].Locate(schema)...)
	}
	for _, part := range []struct{ path, marker string }{
		{".additionalPrinterColumns[", "kubebuilder:printcolumn"},
		{".selectableFields[", "kubebuilder:selectablefield"},
	} {
		if rest, ok := strings.CutPrefix(rest, part.path); ok {
			index, _, _ := strings.Cut(rest, "]")
			n, _ := strconv.Atoi(index) // the server writes numbers
			return append(out, markerPlace([]*source.Type{root}, part.marker, n))
		}
	}
	if strings.HasPrefix(rest, ".subresources.scale") {
		return append(out, markerPlace([]*source.Type{root}, "kubebuilder:subresource:scale", 0))
	}
	return out
}

// markerPlace returns the place of the n-th marker of a name on the types, or
// NoPos.
func markerPlace(types []*source.Type, name string, n int) token.Pos {
	for _, t := range types {
		for _, m := range t.Markers {
			if m.Name != name {
				continue
			}
			if n == 0 {
				return m.Pos
			}
			n--
		}
	}
	return token.NoPos
}

// findLocalFiles notes the files of the user's packages.
func (w *Run) findLocalFiles() {
	w.localFiles = map[string]bool{}
	for p := range w.Packages() {
		if p.Local() {
			for _, f := range p.Sources {
				w.localFiles[f.Name] = true
			}
		}
	}
}
