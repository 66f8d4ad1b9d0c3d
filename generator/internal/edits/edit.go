package edits

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// This file is where finished schemas are changed from the point of their use:
// by the words of this project, and by Kubernetes' declarative-validation tags.
// What an edit changes is copied along the path from the node that carries it,
// since schemas of types are shared.

// Edit is one change of the finished schema of a node, or of one below it.
type Edit struct {
	// Pkg is the package that asks for the edit, and Pos is where.
	Pkg *source.Package
	Pos token.Pos
	// Name is the marker's, for messages.
	Name string
	// Path leads from the node to the one that is changed.
	Path []Step
	// above says that the edit is one of the object that has the field.
	above bool
	Op    Operation
}

// Operation is what an edit does to its node, which is a copy.
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
	StepEach                   // the elements or the values, whichever there are
)

// Step is a step from a node to one of its children.
type Step struct {
	Kind StepKind
	// Name is the name of a property.
	Name string
	pos  token.Pos
}

// Reporter takes findings about markers.
type Reporter interface {
	// BadArguments reports arguments of a marker that mean nothing.
	BadArguments(at source.Origin, hint, format string, args ...any) *diag.Diagnostic
	// Meant adds the edit that corrects a misspelt word, at a position, to a finding.
	Meant(d *diag.Diagnostic, pos token.Pos, word string, known []string)
	// DoesNotFit reports a marker that does not fit its node.
	DoesNotFit(at source.Origin, hint, format string, args ...any)
	// Findings is the number of findings so far.
	Findings() int
	// MistakeSince is what a node lacks whose markers were read since there were n findings.
	MistakeSince(n int) structural.Mistake
}

// Editor applies one edit.
type Editor struct {
	*Edit
	Reporter
}

// Errorf reports that the marker of the edit does not fit.
func (e *Editor) Errorf(pos token.Pos, hint, format string, args ...any) {
	e.DoesNotFit(e.Pkg.At(pos), hint, "+%s: %s", e.Name, fmt.Sprintf(format, args...))
}

// Apply returns the schema with the edits applied in order.
func Apply(r Reporter, s *structural.Schema, edits []*Edit) *structural.Schema {
	for _, one := range edits {
		s = (&Editor{one, r}).at(s, one.Path)
	}
	return s
}

// at returns a copy of the schema in which the node at the path is changed.
func (e *Editor) at(s *structural.Schema, path []Step) *structural.Schema {
	out := *s
	if len(path) == 0 {
		if s.ValueValidation != nil {
			values := *s.ValueValidation
			out.ValueValidation = &values
		}
		out.Properties = slices.Clip(slices.Clone(s.Properties))
		out.Origin.Keywords = slices.Clip(s.Origin.Keywords)
		before := e.Findings()
		e.Op.Apply(e, &out)
		out.Origin.Mistake = max(out.Origin.Mistake, e.MistakeSince(before))
		return &out
	}
	step := path[0]
	switch {
	case step.Kind == StepField:
		i := s.PropertyIndex(step.Name)
		if i < 0 {
			e.Errorf(step.pos, fieldHint(s, step.Name), "there is no field %s here", step.Name)
			return s
		}
		out.Properties = slices.Clone(s.Properties)
		out.Properties[i].Schema = e.at(s.Properties[i].Schema, path[1:])
	case step.Kind != StepValues && s.Items != nil:
		out.Items = e.at(s.Items, path[1:])
	case step.Kind != StepItems && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		out.AdditionalProperties = &structural.SchemaOrBool{Schema: e.at(s.AdditionalProperties.Schema, path[1:])}
	case step.Kind == StepItems:
		e.Errorf(step.pos, "", "this is no list: its type is %s", TypeOrNone(s.Type))
		return s
	case step.Kind == StepValues:
		e.Errorf(step.pos, "", "this is no map: its type is %s", TypeOrNone(s.Type))
		return s
	default:
		e.Errorf(step.pos, "", "this is neither a list nor a map: its type is %s", TypeOrNone(s.Type))
		return s
	}
	return &out
}

// fieldHint names the field that was probably meant, or else what there is.
func fieldHint(s *structural.Schema, name string) string {
	var names []string
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	otherwise := "it has " + strings.Join(names, ", ")
	if len(names) == 0 {
		otherwise = "it has no fields: its type is " + TypeOrNone(s.Type)
	}
	return diag.DidYouMean(name, names, otherwise)
}

// parsePath reads the argument of +schemagen:at: .field for a property, [*] for
// the elements of a list, {*} for the values of a map. On failure the offset is
// that of the mistake.
func parsePath(text string, at func(int) token.Pos) (path []Step, offset int, err error) {
	for i := 0; i < len(text); {
		rest := text[i:]
		step := Step{pos: at(i)}
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
			step.pos = at(i + 1)
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

// The operations of this project's words.
type (
	// SetMarkers applies markers as before the merge.
	SetMarkers struct{ Set source.Markers }
	// ExtendSchema adds a piece of schema.
	ExtendSchema struct{ Fragment *structural.Schema }
	// replaceSchema puts a piece of schema in place of the node's.
	replaceSchema struct{ fragment *structural.Schema }
	// applyMarker applies a marker of ours to the keywords of the node.
	applyMarker struct{ marker *markers.Marker }
	// omitField removes a property.
	omitField struct{ name string }
	// requireField makes a property required or optional.
	requireField struct {
		name     string
		required bool
	}
	// NumberBounds bounds a number, unless it is bounded more strictly.
	NumberBounds struct{ Minimum, Maximum *float64 }
	// limitDescriptions applies a policy to all descriptions below the node.
	limitDescriptions struct{ policy DescriptionPolicy }
)

func (op SetMarkers) Apply(e *Editor, s *structural.Schema) {
	ApplyMarkers(e, s.Keywords(), false, e.Pkg, op.Set, func(*apiextensionsv1.JSONSchemaProps) error {
		return errors.New("must be set on a type, not a field")
	})
}

func (op ExtendSchema) Apply(e *Editor, s *structural.Schema) { e.extend(s, op.Fragment) }

func (op replaceSchema) Apply(_ *Editor, s *structural.Schema) {
	description, origin := s.Description, s.Origin
	*s = *op.fragment
	if s.Description == "" {
		s.Description = description
	}
	s.Origin.Pos = origin.Pos
}

func (op applyMarker) Apply(e *Editor, s *structural.Schema) {
	op.marker.Apply(s.Keywords(), misfits(e, e.Pkg, op.marker))
}

func (op omitField) Apply(e *Editor, s *structural.Schema) {
	i := s.PropertyIndex(op.name)
	if i < 0 {
		e.Errorf(e.Pos, fieldHint(s, op.name), "there is no field %s here", op.name)
		return
	}
	s.Properties = slices.Delete(s.Properties, i, i+1)
	setRequired(s, op.name, false)
}

func (op requireField) Apply(e *Editor, s *structural.Schema) {
	if s.PropertyIndex(op.name) < 0 {
		e.Errorf(e.Pos, fieldHint(s, op.name), "there is no field %s here", op.name)
		return
	}
	setRequired(s, op.name, op.required)
}

func setRequired(s *structural.Schema, name string, is bool) {
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
		s.Properties[i].Schema = op.policy.below(p.Schema)
	}
	if s.Items != nil {
		s.Items = op.policy.below(s.Items)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		s.AdditionalProperties = &structural.SchemaOrBool{Schema: op.policy.below(a.Schema)}
	}
}
