package checks

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/internal/schemas/provenance"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file validates definitions with the API server's own code before anything is written,
// and maps the results to lines of Go.

// Checker checks the definitions of a run.
type Checker struct {
	Program  *source.Program
	Reporter *report.Reporter
	// Server is the server that must accept the definitions; if it is nil, they are not
	// checked. If SkipVerify is set, the server is not used for this check.
	Server     Server
	SkipVerify bool
	// Final is set if nothing is added to the definitions after generation.
	Final bool
	// Explain replaces errors of the server that have a cause in the source; nil if none do.
	Explain func(diag.Diagnostic) diag.Diagnostic
	// Inputs reads the kustomizations that patch definitions written to OutputDir, which is
	// relative to Dir.
	Inputs         *inputs.Reader
	Dir, OutputDir string

	// metadata are the uses of ObjectMeta by the positions of their nodes.
	metadata map[token.Pos]*MetadataUse
	// convertibles caches the types that the functions of a package convert.
	convertibles map[*source.Package]map[string]bool
	// localFiles caches the files of the user's packages.
	localFiles map[string]bool
	// locator finds positions in the schemas of definitions.
	locator locate.Locator
	// patched are the answers of kustomizations, by the names of definitions.
	patched map[string]bool
}

// Server is the part of an API server that a [Checker] uses.
type Server interface {
	// Check returns the problems of the definitions.
	Check(ctx context.Context, definitions []*crd.Definition) (diag.List, error)
}

// Verifies reports whether definitions are checked.
func (c *Checker) Verifies() bool { return c.Server != nil && !c.SkipVerify }

// Verify reports problems with the definitions. If there are already errors, the definitions
// have no text, and diagnostics on the lines of these errors are omitted as consequences.
func (c *Checker) Verify(ctx context.Context, defs []*Definition) error {
	if !c.Verifies() || len(defs) == 0 {
		return nil
	}
	return c.VerifySubjects(ctx, c.Subjects(defs))
}

// VerifySubjects is [Checker.Verify] for definitions in the form of [Checker.Subjects].
func (c *Checker) VerifySubjects(ctx context.Context, subjects []*crd.Definition) error {
	if !c.Verifies() {
		return nil
	}
	c.FindLocalFiles() // subjects compute positions concurrently
	found, err := c.Server.Check(ctx, subjects)
	if err != nil {
		return err
	}
	type line struct {
		file string
		line int
	}
	blamed := map[line]bool{}
	for _, d := range c.Reporter.List {
		if d.Severity == diag.Error {
			blamed[line{d.Pos.File, d.Pos.Line}] = true
		}
	}
	for _, d := range found {
		if blamed[line{d.Pos.File, d.Pos.Line}] || strings.Contains(d.Message, uncompiled) {
			continue
		}
		d = c.explainDefault(d, subjects)
		if c.Explain != nil {
			d = c.Explain(d)
		}
		c.Reporter.List = append(c.Reporter.List, d)
	}
	return nil
}

// Subjects returns the definitions in the form that the API server takes.
func (c *Checker) Subjects(defs []*Definition) []*crd.Definition {
	out := make([]*crd.Definition, len(defs))
	fset := c.Reporter.Fset // which may be kept for longer than the rest
	resolve := func(pos token.Pos) diag.Position { return diag.PositionOf(fset, pos) }
	for i, d := range defs {
		out[i] = &crd.Definition{
			Build: d.Complete, Schemas: d.Schemas, CheckSize: c.Final,
			Position:    func(path string) (diag.Position, []diag.Related) { return c.Position(d, path) },
			Converted:   func() bool { return c.IsConverted(d) },
			Replacement: func(path, old, text string) (diag.Edit, bool) { return c.replacement(d, path, old, text) },
			TextPosition: func(path string, line, column int) (diag.Position, bool) {
				return c.inside(d, path, line, column)
			},
		}
		*out[i].Provenance() = provenance.Record{
			Header: d.Object, Resolve: resolve, BuildWith: d.With, Text: d.Text, Draft: d.Draft, Undescribed: d.Undescribed,
			Incomplete: d.incomplete(), OnlySchemas: d.Flawed, Accepted: &provenance.Acceptance{},
		}
	}
	return out
}

// incomplete returns a function that reports whether a result may be a consequence of a
// reported error that left a schema incomplete; cost is set for results about rule costs. It
// is nil if all schemas are complete. Validation around a node depends on its shape, and rule
// costs also depend on its keywords.
func (d *Definition) incomplete() func(path string, cost bool) bool {
	known := map[*structural.Schema]notes.Mistake{}
	var child func(s *structural.Schema) notes.Mistake
	child = func(s *structural.Schema) notes.Mistake {
		if s == nil {
			return notes.NoMistake
		}
		if worst, ok := known[s]; ok {
			return worst
		}
		worst := max(s.Origin.Mistake, child(s.Items))
		if s.AdditionalProperties != nil {
			worst = max(worst, child(s.AdditionalProperties.Schema))
		}
		for _, p := range s.Properties {
			worst = max(worst, child(p.Schema))
		}
		known[s] = worst
		return worst
	}
	if !slices.ContainsFunc(d.Schemas, func(s *structural.Schema) bool { return child(s) != notes.NoMistake }) {
		return nil
	}
	return func(path string, cost bool) bool {
		rest, ok := strings.CutPrefix(path, "spec.versions[")
		if !ok {
			return false
		}
		index, rest, _ := strings.Cut(rest, "]")
		i, err := strconv.Atoi(index)
		if err != nil || i >= len(d.Schemas) || d.Schemas[i] == nil {
			return false
		}
		if schema, ok := strings.CutPrefix(rest, ".schema.openAPIV3Schema"); ok {
			node := locate.Innermost(d.Schemas[i], schema)
			depends := notes.InShape
			if cost {
				depends = notes.InKeywords
			}
			return node.Origin.Mistake != notes.NoMistake || child(node) >= depends
		}
		return slices.ContainsFunc(d.fieldPaths(i, rest), func(fields string) bool {
			var path strings.Builder
			for _, name := range strings.FieldsFunc(fields, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
				path.WriteString(".properties[" + name + "]")
			}
			return locate.Innermost(d.Schemas[i], path.String()).Origin.Mistake == notes.InShape
		})
	}
}

// fieldPaths returns the paths of the fields referred to at a path outside the schema of a
// version.
func (d *Definition) fieldPaths(i int, path string) []string {
	version := d.Object.Spec.Versions[i]
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

// Complete returns the definition with its schemas.
func (d *Definition) Complete() *apiextensionsv1.CustomResourceDefinition { return d.With(d.Schemas) }

// with returns the definition with the given schemas.
// With returns the definition with other schemas of its versions, by index.
func (d *Definition) With(schemas []*structural.Schema) *apiextensionsv1.CustomResourceDefinition {
	return d.rendered(schemas, (*structural.Schema).Props)
}

// Shared returns the definition with its schemas, rendered by props: it must not be changed.
func (d *Definition) Shared(props *structural.SharedProps) *apiextensionsv1.CustomResourceDefinition {
	return d.rendered(d.Schemas, props.Of)
}

func (d *Definition) rendered(schemas []*structural.Schema,
	render func(*structural.Schema) *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.CustomResourceDefinition {
	object := d.Object.DeepCopy()
	if d.PreserveUnknownFields != nil {
		object.Spec.PreserveUnknownFields = *d.PreserveUnknownFields
	}
	for i, schema := range schemas {
		object.Spec.Versions[i].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: render(schema)}
	}
	return object
}

// Position returns the position in the Go source of a path in a definition: the innermost one
// in the user's own packages, with related positions further in.
func (c *Checker) Position(d *Definition, path string) (diag.Position, []diag.Related) {
	positions := c.positionsOf(d, path)
	if name := argumentOf(path); name != "" {
		last := len(positions) - 1
		if m, ok := c.markerAt(positions[last]); ok {
			if pos, ok := m.Argument(name); ok {
				positions[last] = pos
			}
		}
	}
	var related []diag.Related
	for i := len(positions) - 1; i >= 0; i-- {
		if !positions[i].IsValid() {
			continue
		}
		pos := c.Reporter.Position(positions[i])
		if c.localFiles[pos.File] || i == 0 {
			return pos, related
		}
		if related == nil {
			related = []diag.Related{{Pos: pos, Message: "found here"}}
		}
	}
	return diag.Position{}, nil
}

// positionsOf returns the positions on the way to a path in a definition, outermost first.
func (c *Checker) positionsOf(d *Definition, path string) []token.Pos {
	positions := []token.Pos{d.Roots[0].Spec.Name.Pos()}
	if rest, ok := strings.CutPrefix(path, "spec.versions["); ok {
		index, rest, _ := strings.Cut(rest, "]")
		if i, err := strconv.Atoi(index); err == nil && i < len(d.Roots) {
			positions = append(positions, c.versionPositions(d, i, rest)...)
		}
	} else if strings.HasPrefix(path, "spec.names") || strings.HasPrefix(path, "spec.scope") {
		positions = append(positions, lastMarker(d.Roots, markers.ResourceName, path))
	} else if strings.HasPrefix(path, "spec.conversion") && d.Conversion != nil {
		positions = append(positions, d.Conversion.Pos)
	} else if strings.HasPrefix(path, "metadata.annotations") || strings.HasPrefix(path, "metadata.labels") {
		positions = append(positions, markerPosition(d.Roots, markers.MetadataName, 0))
	}
	return positions
}

// argumentOf returns the marker argument that sets the value at a path; empty if there is
// none.
func argumentOf(path string) string {
	location := ""
	last := path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		location = path[:i]
		last = path[i+1:]
	}
	last, _, _ = strings.Cut(last, "[")
	switch {
	case strings.Contains(location, ".x-kubernetes-validations["):
		return last
	case strings.Contains(location, ".additionalPrinterColumns["), strings.Contains(location, ".selectableFields["):
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

// Marker returns the marker comment in the user's source that sets the value at a path.
func (c *Checker) Marker(d *Definition, path string) (markers.Comment, bool) {
	m, ok := c.marker(d, path)
	return m, ok && c.localFiles[c.Reporter.Position(m.Pos).File]
}

func (c *Checker) marker(d *Definition, path string) (markers.Comment, bool) {
	positions := c.positionsOf(d, path)
	return c.markerAt(positions[len(positions)-1])
}

// markerAt returns the marker comment at a position.
func (c *Checker) markerAt(pos token.Pos) (markers.Comment, bool) {
	if !pos.IsValid() {
		return markers.Comment{}, false
	}
	for p := range c.Program.Packages() {
		for _, f := range p.Sources {
			if f.Syntax != nil && f.Syntax.FileStart <= pos && pos < f.Syntax.FileEnd {
				return markers.At(f.Syntax, pos)
			}
		}
	}
	return markers.Comment{}, false
}

// replacement returns the edit that replaces a text in the user's marker that sets the value
// at a path. The marker has to have the text once: as a word, not as a part of one.
func (c *Checker) replacement(d *Definition, path, old, text string) (edit diag.Edit, ok bool) {
	m, ok := c.marker(d, path)
	if !ok {
		return diag.Edit{}, false
	}
	word := regexp.MustCompile(`(?:^|[^\pL\pN_])(` + regexp.QuoteMeta(old) + `)(?:[^\pL\pN_]|$)`)
	location := word.FindAllStringSubmatchIndex(m.Text, 2)
	if len(location) != 1 {
		return diag.Edit{}, false
	}
	edit = diag.Edit{Pos: c.Reporter.Position(m.PosAt(location[0][2])),
		End: c.Reporter.Position(m.PosAt(location[0][3])), New: text}
	return edit, c.localFiles[edit.Pos.File] && edit.Pos.Line == edit.End.Line
}

// inside returns the position of a character in a rule, for errors of the CEL compiler. ok is
// false for rules in other packages.
func (c *Checker) inside(d *Definition, path string, line, column int) (diag.Position, bool) {
	m, ok := c.marker(d, path)
	if !ok {
		return diag.Position{}, false
	}
	pos, ok := m.ArgumentPosAt(argumentOf(path), line, column)
	position := c.Reporter.Position(pos)
	return position, ok && c.localFiles[position.File]
}

// versionPositions returns the positions on the way to a path in a version.
func (c *Checker) versionPositions(d *Definition, i int, rest string) []token.Pos {
	root := d.Roots[i]
	out := []token.Pos{root.Spec.Name.Pos()}
	if schema, ok := strings.CutPrefix(rest, ".schema.openAPIV3Schema"); ok {
		return append(out, c.locator.Locate(d.Schemas[i], schema)...)
	}
	for _, part := range []struct{ path, marker string }{
		{".additionalPrinterColumns[", markers.PrintColumnName},
		{".selectableFields[", markers.SelectableFieldName},
	} {
		if rest, ok := strings.CutPrefix(rest, part.path); ok {
			index, _, _ := strings.Cut(rest, "]")
			n, _ := strconv.Atoi(index) // the server always writes numbers
			return append(out, markerPosition([]*source.Type{root}, part.marker, n))
		}
	}
	if strings.HasPrefix(rest, ".subresources.scale") {
		return append(out, lastMarker([]*source.Type{root}, markers.ScaleName, rest))
	}
	return out
}

// markerPosition returns the position of the n-th marker of a name on the types, or NoPos.
func markerPosition(types []*source.Type, name string, n int) token.Pos {
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

// lastMarker returns the position of the marker that sets the value at a path: of the markers of
// a name on the first type with such markers, the last one with the argument, or else the last.
func lastMarker(types []*source.Type, name, path string) token.Pos {
	var last, shared token.Pos
	for _, t := range types {
		for _, m := range t.Markers {
			if m.Name != name {
				continue
			}
			last = m.Pos
			if _, ok := m.Argument(argumentOf(path)); ok {
				shared = m.Pos
			}
		}
		if last.IsValid() {
			break
		}
	}
	return cmp.Or(shared, last)
}

// FindLocalFiles records the files of the user's packages.
func (c *Checker) FindLocalFiles() {
	c.localFiles = map[string]bool{}
	for p := range c.Program.Packages() {
		if p.Local() {
			for _, f := range p.Sources {
				c.localFiles[f.Name] = true
			}
		}
	}
}
