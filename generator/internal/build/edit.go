package build

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// This file is where finished schemas are changed from the point of their use:
// by the words of this project, and by Kubernetes' declarative-validation tags.
// What an edit changes is copied along the path from the node that carries it,
// since schemas of types are shared.

// edit is one change of the finished schema of a node, or of one below it.
type edit struct {
	pkg *source.Package
	pos token.Pos
	// name is the marker's, for messages.
	name string
	// path leads from the node to the one that is changed.
	path []pathStep
	// above says that the edit is one of the object that has the field.
	above bool
	op    operation
}

// operation is what an edit does to its node, which is a copy.
type operation interface {
	apply(e *editor, s *structural.Schema)
}

// stepKind is a kind of step from a node to one of its children.
type stepKind int

const (
	stepField  stepKind = iota // a property, by its name
	stepItems                  // the elements of an array
	stepValues                 // the values of a map
	stepEach                   // the elements or the values, whichever there are
)

type pathStep struct {
	kind stepKind
	name string
	pos  token.Pos
}

// editor applies one edit.
type editor struct {
	*edit
	builder *Builder
}

func (e *editor) errorf(pos token.Pos, hint, format string, args ...any) {
	e.builder.Reporter.Report(markerDoesNotFit, e.pkg.At(pos), hint, "+%s: %s", e.name, fmt.Sprintf(format, args...))
}

// edited returns the schema with the edits applied in order.
func (fl *Flattener) edited(s *structural.Schema, edits []*edit) *structural.Schema {
	for _, one := range edits {
		e := &editor{edit: one, builder: fl.builder}
		s = e.at(s, one.path)
	}
	return s
}

// at returns a copy of the schema in which the node at the path is changed.
func (e *editor) at(s *structural.Schema, path []pathStep) *structural.Schema {
	out := *s
	if len(path) == 0 {
		if s.ValueValidation != nil {
			values := *s.ValueValidation
			out.ValueValidation = &values
		}
		out.Properties = slices.Clip(slices.Clone(s.Properties))
		out.Origin.Keywords = slices.Clip(s.Origin.Keywords)
		before := len(e.builder.Reporter.List)
		e.op.apply(e, &out)
		out.Origin.Mistake = max(out.Origin.Mistake, e.builder.Reporter.mistakeSince(before))
		return &out
	}
	step := path[0]
	switch {
	case step.kind == stepField:
		i := PropertyIndex(s, step.name)
		if i < 0 {
			e.errorf(step.pos, fieldHint(s, step.name), "there is no field %s here", step.name)
			return s
		}
		out.Properties = slices.Clone(s.Properties)
		out.Properties[i].Schema = e.at(s.Properties[i].Schema, path[1:])
	case step.kind != stepValues && s.Items != nil:
		out.Items = e.at(s.Items, path[1:])
	case step.kind != stepItems && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		out.AdditionalProperties = &structural.SchemaOrBool{Schema: e.at(s.AdditionalProperties.Schema, path[1:])}
	case step.kind == stepItems:
		e.errorf(step.pos, "", "this is no list: its type is %s", typeOrNone(s.Type))
		return s
	case step.kind == stepValues:
		e.errorf(step.pos, "", "this is no map: its type is %s", typeOrNone(s.Type))
		return s
	default:
		e.errorf(step.pos, "", "this is neither a list nor a map: its type is %s", typeOrNone(s.Type))
		return s
	}
	return &out
}

// PropertyIndex returns the index of a property of a schema, or -1.
func PropertyIndex(s *structural.Schema, name string) int {
	return slices.IndexFunc(s.Properties, func(p structural.Property) bool { return p.Name == name })
}

// fieldHint names the field that was probably meant, or else what there is.
func fieldHint(s *structural.Schema, name string) string {
	var names []string
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	otherwise := "it has " + strings.Join(names, ", ")
	if len(names) == 0 {
		otherwise = "it has no fields: its type is " + typeOrNone(s.Type)
	}
	return diag.DidYouMean(name, names, otherwise)
}

// parsePath reads the argument of +schemagen:at: .field for a property, [*] for
// the elements of a list, {*} for the values of a map. On failure the offset is
// that of the mistake.
func parsePath(text string, at func(int) token.Pos) (path []pathStep, offset int, err error) {
	for i := 0; i < len(text); {
		rest := text[i:]
		step := pathStep{pos: at(i)}
		switch {
		case strings.HasPrefix(rest, "[*]"):
			step.kind = stepItems
			i += 3
		case strings.HasPrefix(rest, "{*}"):
			step.kind = stepValues
			i += 3
		case rest[0] == '.':
			name := rest[1:]
			if end := strings.IndexAny(name, ".[{"); end >= 0 {
				name = name[:end]
			}
			if name == "" {
				return nil, i, fmt.Errorf("expected the name of a field")
			}
			step.name = name
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
	// setMarkers applies markers of controller-tools.
	setMarkers struct{ set source.Markers }
	// extendSchema adds a piece of schema.
	extendSchema struct{ fragment *structural.Schema }
	// replaceSchema puts a piece of schema in place of the node's.
	replaceSchema struct{ fragment *structural.Schema }
	// unsetKeywords removes keywords.
	unsetKeywords struct{ keywords markers.Unset }
	// omitField removes a property.
	omitField struct{ name string }
	// requireField makes a property required or optional.
	requireField struct {
		name     string
		required bool
	}
	// numberBounds bounds a number, unless it is bounded more strictly.
	numberBounds struct{ minimum, maximum *float64 }
	// checkUnsigned warns of an unsigned integer that may be negative.
	checkUnsigned struct{ name string }
	// checkQuoted warns of a field whose JSON is a string, by its json option, but
	// whose schema is not.
	checkQuoted struct{ field string }
	// limitDescriptions applies a policy to all descriptions below the node.
	limitDescriptions struct{ policy descriptionPolicy }
)

func (op setMarkers) apply(e *editor, s *structural.Schema) {
	e.builder.applyTo(schemaKeywords(s), e.pkg, op.set, nil)
}

func (op extendSchema) apply(e *editor, s *structural.Schema) { e.extend(s, op.fragment) }

func (op replaceSchema) apply(_ *editor, s *structural.Schema) {
	description, origin := s.Description, s.Origin
	*s = *op.fragment
	if s.Description == "" {
		s.Description = description
	}
	s.Origin.Pos = origin.Pos
}

func (op unsetKeywords) apply(e *editor, s *structural.Schema) {
	props := schemaKeywords(s).props()
	for _, keyword := range op.keywords {
		if !structural.ClearKeyword(props, keyword) {
			e.errorf(e.pos, diag.DidYouMean(keyword, structural.Keywords(), ""), "the schema has no keyword %s to unset here", keyword)
		}
		s.Origin.Keywords = slices.DeleteFunc(slices.Clone(s.Origin.Keywords), func(k structural.KeywordOrigin) bool { return k.Keyword == keyword })
	}
	schemaKeywords(s).take(props)
}

func (op omitField) apply(e *editor, s *structural.Schema) {
	i := PropertyIndex(s, op.name)
	if i < 0 {
		e.errorf(e.pos, fieldHint(s, op.name), "there is no field %s here", op.name)
		return
	}
	s.Properties = slices.Delete(s.Properties, i, i+1)
	setRequired(s, op.name, false)
}

func (op requireField) apply(e *editor, s *structural.Schema) {
	if PropertyIndex(s, op.name) < 0 {
		e.errorf(e.pos, fieldHint(s, op.name), "there is no field %s here", op.name)
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
	values(s).Required = required
}

func (op numberBounds) apply(_ *editor, s *structural.Schema) {
	if op.minimum != nil {
		tighten(&values(s).Minimum, *op.minimum, true)
	}
	if op.maximum != nil {
		tighten(&values(s).Maximum, *op.maximum, false)
	}
}

func (op checkUnsigned) apply(e *editor, s *structural.Schema) {
	if s.Origin.Mistake == structural.NoMistake && s.Type == "integer" && (s.ValueValidation == nil || s.Minimum == nil && len(s.Enum) == 0 && len(s.AllOf) == 0) {
		e.builder.Reporter.Report(unsignedWithoutMinimum, e.pkg.At(e.pos), "write +kubebuilder:validation:Minimum=0, or // +schemagen:enable=unsigned beside the package clause",
			"%s has no minimum: the API server takes negative numbers, which Go cannot decode", op.name)
	}
}

func (op checkQuoted) apply(e *editor, s *structural.Schema) {
	if s.Origin.Mistake != structural.NoMistake || s.Type == "" || s.Type == "string" || s.XIntOrString {
		return
	}
	e.builder.Reporter.Report(quotedField, e.pkg.At(e.pos), "remove the json option \"string\", or write // +schemagen:enable=string-option beside the package clause",
		"field %s is written as a string in JSON, but its schema says %s", op.field, s.Type)
}

func (op limitDescriptions) apply(_ *editor, s *structural.Schema) {
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

// values returns the value validation of a schema for writing.
func values(s *structural.Schema) *structural.ValueValidation {
	if s.ValueValidation == nil {
		s.ValueValidation = &structural.ValueValidation{}
	}
	return s.ValueValidation
}
