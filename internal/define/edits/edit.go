package edits

import (
	"errors"
	"fmt"
	"go/token"
	"iter"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file edits finished schemas where they are used, for this project's own markers and
// for Kubernetes' declarative-validation tags. Schemas of types are shared, so an edit copies
// the nodes along its path.

// Edit is a change to the finished schema of a node, or of a node below it.
type Edit struct {
	// Pkg is the package that contains the marker, and Pos its position.
	Pkg *source.Package
	Pos token.Pos
	// Name is the name of the marker, for messages.
	Name string
	// Path leads from the node to the one that is edited.
	Path []Step
	// above is set if the edit applies to the object that has the field.
	above bool
	Op    Operation
}

// Operation is the change that an edit makes to a copy of its node.
type Operation interface {
	Apply(e *Editor, s *structural.Schema)
}

// StepKind is a kind of step from a node to one of its children.
type StepKind int

// The kinds of steps.
const (
	StepField  StepKind = iota // a property, by its name
	StepItems                  // the elements of an array
	StepValues                 // the values of a map
	StepEach                   // the elements or the values, whichever exist
)

// Step is a step from a node to one of its children.
type Step struct {
	Kind StepKind
	// Name is the property name of a StepField.
	Name string
	pos  token.Pos
}

// String returns the step in the syntax of markers. It is empty for the zero value.
func (s Step) String() string {
	switch {
	case s.Kind == StepItems:
		return "[*]"
	case s.Kind != StepField:
		return "{*}"
	case s.Name == "":
		return ""
	}
	return "." + s.Name
}

// Children iterates over the nodes directly below a node, with the steps that lead to them.
func Children(s *structural.Schema) iter.Seq2[Step, *structural.Schema] {
	return func(yield func(Step, *structural.Schema) bool) {
		for edge, child := range s.Children() {
			step := Step{Name: edge.Property}
			switch edge.Keyword {
			case "items":
				step.Kind = StepItems
			case "additionalProperties":
				step.Kind = StepValues
			}
			if !yield(step, child) {
				return
			}
		}
	}
}

// Correlates reports whether the server finds the old value of the node that the step leads to if it
// finds that of the parent.
func (s Step) Correlates(parent *structural.Schema) bool {
	return parent.XMapType != "atomic" && (s.Kind != StepItems || parent.XListType == "map")
}

// ServerPath returns the path from the root of a definition to a node of a version, in the
// server's syntax.
func ServerPath(version int, path []Step) string {
	var out strings.Builder
	fmt.Fprintf(&out, "spec.versions[%d].schema.openAPIV3Schema", version)
	for _, step := range path {
		switch step.Kind {
		case StepField:
			fmt.Fprintf(&out, ".properties[%s]", step.Name)
		case StepItems:
			out.WriteString(".items")
		default:
			out.WriteString(".additionalProperties")
		}
	}
	return out.String()
}

// Reporter reports problems with markers.
type Reporter interface {
	// BadArguments reports invalid arguments of a marker.
	BadArguments(at source.Origin, hint, format string, args ...any) *diag.Diagnostic
	// Meant adds to a diagnostic the edit that corrects a misspelled word at a position.
	Meant(d *diag.Diagnostic, pos token.Pos, word string, known []string)
	// DoesNotFit reports a marker that does not apply to its node.
	DoesNotFit(at source.Origin, hint, format string, args ...any)
	// TagNeedsErased reports a marker that needs a field which a condition removes.
	TagNeedsErased(at source.Origin, marker, field, condition string, erased token.Pos)
	// Findings returns the number of diagnostics so far.
	Findings() int
	// MistakeSince returns the mistake to record for a node: InKeywords if an error has been
	// reported since there were n diagnostics, else NoMistake.
	MistakeSince(n int) notes.Mistake
}

// Editor applies one edit.
type Editor struct {
	*Edit
	Reporter
	// inKind is set if the path begins at an object of a kind.
	inKind bool
}

// Errorf reports that the marker of the edit does not apply to its node.
func (e *Editor) Errorf(pos token.Pos, hint, format string, args ...any) {
	e.DoesNotFit(e.Pkg.At(pos), hint, "+%s: %s", e.Name, fmt.Sprintf(format, args...))
}

// missingField reports that a schema does not have a property that the marker of the edit names.
func (e *Editor) missingField(s *structural.Schema, name string) {
	if absent := s.Origin.Lacks(name); absent != nil {
		e.TagNeedsErased(e.Pkg.At(e.Pos), e.Name, name, absent.Condition, absent.Pos)
	} else {
		e.Errorf(e.Pos, fieldHint(s, name), "unknown field %q", name)
	}
}

// Apply returns the schema with the edits applied in order, except that what identifies the
// elements of a list comes first: the edits of a list may be in any order.
func Apply(r Reporter, s *structural.Schema, edits []*Edit) *structural.Schema {
	for _, first := range []bool{true, false} {
		for _, one := range edits {
			if _, identifies := one.Op.(identify); identifies == first {
				s = (&Editor{Edit: one, Reporter: r}).at(s, one.Path)
			}
		}
	}
	return s
}

// at returns a copy of the schema with the edit applied to the node at the path.
func (e *Editor) at(schema *structural.Schema, path []Step) *structural.Schema {
	out := *schema
	if len(path) == 0 {
		if schema.ValueValidation != nil {
			values := *schema.ValueValidation
			out.ValueValidation = &values
		}
		out.Properties = slices.Clip(slices.Clone(schema.Properties))
		out.Origin.Keywords = slices.Clip(schema.Origin.Keywords)
		start := e.Findings()
		e.Op.Apply(e, &out)
		out.Origin.Mistake = max(out.Origin.Mistake, e.MistakeSince(start))
		return &out
	}
	step := path[0]
	switch {
	case step.Kind == StepField:
		if len(path) == len(e.Path) {
			e.inKind = schema.PropertyIndex("kind") >= 0
		}
		out.Properties = slices.Clone(schema.Properties)
		if e.restrictsNames(schema, path) {
			out.Properties = append(out.Properties, structural.Property{Name: step.Name, Schema: &structural.Schema{Generic: structural.Generic{Type: "string"}, Origin: structural.Origin{Pos: schema.Origin.Pos}}})
		}
		i := out.PropertyIndex(step.Name)
		if i < 0 && schema.Origin.Lacks(step.Name) != nil {
			return schema
		}
		if i < 0 {
			e.Errorf(step.pos, fieldHint(schema, step.Name), "unknown field %s", step.Name)
			return schema
		}
		out.Properties[i].Schema = e.at(out.Properties[i].Schema, path[1:])
	case step.Kind != StepValues && schema.Items != nil:
		out.Items = e.at(schema.Items, path[1:])
	case step.Kind != StepItems && schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
		out.AdditionalProperties = &structural.SchemaOrBool{Schema: e.at(schema.AdditionalProperties.Schema, path[1:])}
	case step.Kind == StepItems:
		e.Errorf(step.pos, "", "[*] must apply to a list, found %s", TypeOrNone(schema.Type))
		return schema
	case step.Kind == StepValues:
		e.Errorf(step.pos, "", "{*} must apply to a map, found %s", TypeOrNone(schema.Type))
		return schema
	default:
		e.Errorf(step.pos, "", "must apply to a list or a map, found %s", TypeOrNone(schema.Type))
		return schema
	}
	return &out
}

// restrictsNames reports whether the path goes on with the name or generateName of a kind's
// metadata, the only fields of it that a schema may have. The metadata has no others.
func (e *Editor) restrictsNames(s *structural.Schema, path []Step) bool {
	return e.inKind && len(path) == len(e.Path)-1 && e.Path[0].Name == "metadata" && (path[0].Name == "name" || path[0].Name == "generateName") &&
		s.Type == "object" && s.PropertyIndex(path[0].Name) < 0
}

// fieldHint suggests the field that was probably meant, or lists the existing ones.
func fieldHint(s *structural.Schema, name string) string {
	var names []string
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	otherwise := "the fields are " + strings.Join(names, ", ")
	if len(names) == 0 {
		otherwise = "its type has no fields: " + TypeOrNone(s.Type)
	}
	return words.DidYouMean(name, names, otherwise)
}

// parsePath parses the argument of +schemagen:at: .field for a property, [*] for the elements
// of a list, {*} for the values of a map. On failure offset is the position of the error in
// bytes.
func parsePath(text string, pos func(int) token.Pos) (path []Step, offset int, err error) {
	for i := 0; i < len(text); {
		rest := text[i:]
		step := Step{pos: pos(i)}
		switch {
		case strings.HasPrefix(rest, "[*]"):
			step.Kind = StepItems
			i += 3
		case strings.HasPrefix(rest, "{*}"):
			step.Kind = StepValues
			i += 3
		case rest[0] == '.':
			name := rest[1:]
			if end := strings.IndexAny(name, ".[{"); end >= 0 {
				name = name[:end]
			}
			if name == "" {
				return nil, i, fmt.Errorf("expected the name of a field")
			}
			step.Name = name
			step.pos = pos(i + 1)
			i += 1 + len(name)
		default:
			return nil, i, fmt.Errorf("expected .field, [*] for the elements of a list, or {*} for the values of a map")
		}
		path = append(path, step)
	}
	if len(path) == 0 {
		return nil, 0, fmt.Errorf("needs a path: .field, [*] for the elements of a list, {*} for the values of a map")
	}
	return path, 0, nil
}

// The operations of this project's own markers.
type (
	// SetMarkers applies markers as they are applied before the merge.
	SetMarkers struct{ Set source.Markers }
	// ExtendSchema adds a piece of schema.
	ExtendSchema struct{ Fragment *structural.Schema }
	// replaceSchema replaces the node by a piece of schema.
	replaceSchema struct{ fragment *structural.Schema }
	// applyMarker applies one of our markers to the keywords of the node.
	applyMarker struct{ marker *markers.Marker }
	// omitField removes a property.
	omitField struct{ name string }
	// requireField makes a property required or optional.
	requireField struct {
		name     string
		required bool
	}
	// markReadOnly marks the node of a field as read-only. What that takes depends on where
	// the field is in a definition.
	markReadOnly struct{ notes.ReadOnly }
	// NumberBounds bounds a number, unless it already has stricter bounds.
	NumberBounds struct{ Minimum, Maximum *float64 }
	// limitDescriptions applies a policy to all descriptions below the node, by a function that
	// is nil if the policy needs none.
	limitDescriptions struct {
		policy  DescriptionPolicy
		shorten func(s *structural.Schema, by func(string) string) string
	}
)

func (op SetMarkers) Apply(e *Editor, s *structural.Schema) {
	ApplyMarkers(e, keywords.Of(s), false, e.Pkg, op.Set, func(*apiextensionsv1.JSONSchemaProps) error {
		return errors.New("must be set on a type, not a field")
	})
}

func (op ExtendSchema) Apply(e *Editor, s *structural.Schema) { e.extend(s, op.Fragment) }

func (op replaceSchema) Apply(_ *Editor, s *structural.Schema) {
	description := s.Description
	origin := s.Origin
	*s = *op.fragment
	if s.Description == "" {
		s.Description = description
	}
	s.Origin.Pos = origin.Pos
	s.Origin.ReadOnly = origin.ReadOnly
}

func (op applyMarker) Apply(e *Editor, s *structural.Schema) {
	op.marker.Apply(keywords.Of(s), misfits(e, e.Pkg, op.marker))
}

func (op markReadOnly) Apply(_ *Editor, s *structural.Schema) { s.Origin.ReadOnly = &op.ReadOnly }

func (op omitField) Apply(e *Editor, s *structural.Schema) {
	if e.unknownField(s, op.name) {
		return
	}
	i := s.PropertyIndex(op.name)
	s.Properties = slices.Delete(s.Properties, i, i+1)
	SetRequired(s, op.name, false)
	if erased := e.Pkg.ErasedAt(e.Pos); erased != nil {
		s.Origin.Absent = append(slices.Clip(s.Origin.Absent),
			notes.Absent{Name: op.name, Condition: erased.Condition, Pos: erased.Pos})
	}
}

func (op requireField) Apply(e *Editor, s *structural.Schema) {
	if !e.unknownField(s, op.name) {
		SetRequired(s, op.name, op.required)
	}
}

// unknownField reports whether a schema does not have a property. That is a mistake unless a
// condition removes the property.
func (e *Editor) unknownField(s *structural.Schema, name string) bool {
	if s.PropertyIndex(name) >= 0 {
		return false
	}
	if s.Origin.Lacks(name) == nil {
		e.Errorf(e.Pos, fieldHint(s, name), "unknown field %s", name)
	}
	return true
}

// SetRequired makes a property of a schema that no other one shares required or optional.
func SetRequired(s *structural.Schema, name string, is bool) {
	var required []string
	if s.ValueValidation != nil {
		required = slices.Clone(s.Required)
	}
	required = slices.DeleteFunc(required, func(other string) bool { return other == name })
	if is {
		required = append(required, name)
		slices.Sort(required)
	}
	if len(required) == 0 {
		required = nil
	}
	if required == nil && s.ValueValidation == nil {
		return
	}
	s.Validation().Required = required
}

func (op NumberBounds) Apply(_ *Editor, s *structural.Schema) {
	if op.Minimum != nil {
		tighten(&s.Validation().Minimum, *op.Minimum, true)
	}
	if op.Maximum != nil {
		tighten(&s.Validation().Maximum, *op.Maximum, false)
	}
}

func (op limitDescriptions) Apply(_ *Editor, s *structural.Schema) {
	for i, p := range s.Properties {
		s.Properties[i].Schema = op.below(p.Schema)
	}
	if s.Items != nil {
		s.Items = op.below(s.Items)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		s.AdditionalProperties = &structural.SchemaOrBool{Schema: op.below(a.Schema)}
	}
}
