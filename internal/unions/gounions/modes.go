package gounions

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"

	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// This file adds the rules of Kubernetes' tags for modes: a field that is marked
// +k8s:modeDiscriminator decides which fields with +k8s:ifMode may be set.

// modeGroup is a discriminator with the fields that depend on it. The tags name a group, or none if
// the struct has only one.
type modeGroup struct {
	name          string
	discriminator *source.NamedField
	marker        *markers.Marker // of the discriminator
	tags          []modeTag
}

// modeTag is +k8s:ifMode on a field.
type modeTag struct {
	field  *source.NamedField
	marker *markers.Marker
	mode   string
	// payload is the tag after the equals sign, without a name if it is only observed, not enforced.
	payload markers.Declarative
	// isAlpha is set if all of it is only observed.
	isAlpha bool
}

// MarkedModes are modes as declared by the markers of a struct.
type MarkedModes struct {
	unions.Modes
	// Field is the Go field of the discriminator. Tagged are the Go fields of Fields, by index.
	Field  *source.NamedField
	Tagged []*source.NamedField
	// pos is the position of the discriminator's marker.
	pos token.Pos
}

// Union returns the union that the modes are by the rules of a schema, or nil: each value of an enum
// allows one field of its own.
func (m *MarkedModes) Union(s *structural.Schema) *Marked {
	for _, u := range unions.Of(s) {
		if u.Discriminator != m.Discriminator || len(u.Members) != len(m.Fields) {
			continue
		}
		out := &Marked{Union: u, Discriminator: m.Field}
		out.Union.GoName = m.Field.Field.Label()
		for _, member := range u.Members {
			i := slices.IndexFunc(m.Tagged, func(f *source.NamedField) bool { return f.Name == member.Name })
			if i < 0 {
				return nil // there is a union of the same discriminator
			}
			out.Members = append(out.Members, m.Tagged[i])
		}
		return out
	}
	return nil
}

// modality precedes the name of a group where names of unions are keys, too.
const modality = "modality "

// modalityRegexp matches the names of groups.
var modalityRegexp = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9_]*$`)

// modeEdits returns the edits that add the rules for modes to the schema of a struct.
func (all *Unions) modeEdits(t *source.Type, fields []source.NamedField) []*edits.Edit {
	var groups []*modeGroup
	group := func(name string) *modeGroup {
		for _, g := range groups {
			if g.name == name {
				return g
			}
		}
		groups = append(groups, &modeGroup{name: name})
		return groups[len(groups)-1]
	}
	problem := func(m *markers.Marker, hint, format string, args ...any) {
		all.Reporter.BadArguments(t.Pkg.At(m.Pos), hint, "+%s: %s", m.Name, fmt.Sprintf(format, args...))
	}
	for i := range fields {
		field := &fields[i]
		for _, m := range field.Field.Markers {
			declarative, ok := m.Value.(markers.Declarative)
			if !ok {
				continue
			}
			tag, isAlpha := edits.WithoutLevels(declarative.Tag)
			if tag.Name != markers.TagModeDiscriminatorName && tag.Name != markers.TagIfModeName {
				continue
			}
			name, isNamed := tag.NamedArg("modality")
			if isNamed && (name.Value == "default" || !modalityRegexp().MatchString(name.Value)) {
				problem(m, "a name consists of letters, digits and underscores, and is not default", "modality %q is not a name", name.Value)
				continue
			}
			g := group(name.Value)
			if tag.Name == markers.TagModeDiscriminatorName {
				if g.discriminator != nil {
					problem(m, "give each a name, as in +k8s:modeDiscriminator(modality: \"a\")", "%s and %s are discriminators of the same modes", g.discriminator.Field.Label(), field.Field.Label())
					continue
				}
				g.discriminator = field
				g.marker = m
				continue
			}
			mode, ok := tag.NamedArg("mode")
			if !ok {
				mode, ok = tag.PositionalArg()
			}
			if !ok || tag.ValueTag == nil {
				problem(m, "as in +k8s:ifMode(\"A\")=+k8s:required", "needs a mode in parentheses, and a tag after the equals sign")
				continue
			}
			found := modeTag{field: field, marker: m, mode: mode.Value, isAlpha: isAlpha}
			if payload, isObserved := edits.WithoutLevels(*tag.ValueTag); !isAlpha && !isObserved {
				found.payload.Tag = payload
			}
			g.tags = append(g.tags, found)
		}
	}
	var out []*edits.Edit
	for _, g := range groups {
		switch {
		case g.discriminator == nil && len(g.tags) > 0:
			all.lacksDiscriminator(t, g)
		case len(g.tags) > 0:
			op := writeModes{g, t, all}
			out = append(out, &edits.Edit{Pkg: t.Pkg, Pos: g.marker.Pos, Name: g.marker.Name, Op: op})
		}
	}
	return out
}

// lacksDiscriminator reports modes without a discriminator.
func (all *Unions) lacksDiscriminator(t *source.Type, g *modeGroup) {
	at := t.Pkg.At(g.tags[0].marker.Pos)
	name := g.tags[0].marker.Name
	if d := lostTagged(all.erasedParts(t), modality+g.name); d != nil {
		all.Reporter.TagNeedsErased(at, name, d.name, d.Condition, d.Pos)
		return
	}
	marker := "+" + markers.TagModeDiscriminatorName
	if g.name != "" {
		marker += "(modality: " + strconv.Quote(g.name) + ")"
	}
	all.Reporter.DoesNotFit(at, "mark the field that has the mode "+marker, "+%s: there is no discriminator in %s", name, t)
}

// writeModes is the operation that adds the rules for modes to the schema of their struct.
type writeModes struct {
	*modeGroup
	owner *source.Type // the struct
	all   *Unions
}

func (op writeModes) Apply(editor *edits.Editor, schema *structural.Schema) {
	i := schema.PropertyIndex(op.discriminator.Name)
	if i < 0 || schema.Origin.Mistake == notes.InShape || hasMistake(schema, op.discriminator.Name) {
		return // reported
	}
	discriminator := schema.Properties[i].Schema
	modes := &MarkedModes{Field: op.discriminator, pos: op.marker.Pos}
	modes.Discriminator = op.discriminator.Name
	modes.Boolean = discriminator.Type == "boolean"
	switch {
	case op.discriminator.Field.IsPointer():
		editor.Errorf(editor.Pos, "remove the star", "a discriminator cannot be a pointer")
		return
	case discriminator.Type != "string" && !modes.Boolean:
		editor.Errorf(editor.Pos, "", "must apply to a string or a boolean, found %s", edits.TypeOrNone(discriminator.Type))
		return
	}
	for i := range op.tags {
		first := &op.tags[i]
		if slices.ContainsFunc(op.tags[:i], func(tag modeTag) bool { return tag.field == first.field }) {
			continue
		}
		tags := slices.DeleteFunc(slices.Clone(op.tags[i:]), func(tag modeTag) bool { return tag.field != first.field })
		if !slices.ContainsFunc(tags, func(tag modeTag) bool { return !tag.isAlpha }) {
			continue // nothing is enforced
		}
		if f, ok := op.modeField(editor, schema, discriminator, tags); ok {
			modes.Fields = append(modes.Fields, f)
			modes.Tagged = append(modes.Tagged, first.field)
		}
	}
	op.all.keepModes(op.owner, modes)
	server := op.all.Server
	rules, unreadable := modes.Rules(unions.LowerOptions{Plain: server != nil && server.Before(28)})
	if unreadable != "" {
		editor.Errorf(editor.Pos, "rename the field", "CEL cannot read a field named %q", unreadable)
	}
	for _, rule := range rules {
		edits.AddRule(editor, schema, rule)
		added := &schema.Origin.Keywords[len(schema.Origin.Keywords)-1]
		for _, f := range modes.Fields {
			if celtext.FieldPath(f.Name) == rule.FieldPath {
				added.Pos = f.Pos
			}
		}
	}
}

// keepModes records modes of a type: see [Unions.keep].
func (all *Unions) keepModes(t *source.Type, m *MarkedModes) {
	if slices.ContainsFunc(all.modes[t], func(known *MarkedModes) bool { return known.pos == m.pos }) {
		return
	}
	if all.modes == nil {
		all.modes = map[*source.Type][]*MarkedModes{}
	}
	all.modes[t] = append(all.modes[t], m)
}

// modeField returns in which modes a field may be set. ok is false if there is an error.
func (op writeModes) modeField(editor *edits.Editor, schema, discriminator *structural.Schema,
	tags []modeTag) (out unions.ModeField, ok bool) {
	field := tags[0].field
	i := schema.PropertyIndex(field.Name)
	if i < 0 || hasMistake(schema, field.Name) {
		return out, false // reported
	}
	s := schema.Properties[i].Schema
	first := tags[0].marker
	at := &edits.Editor{Edit: &edits.Edit{Pkg: editor.Pkg, Pos: first.Pos, Name: first.Name}, Reporter: editor.Reporter}
	out = unions.ModeField{Name: field.Name, Nonzero: unions.Nonzero(s), Pos: at.Pos}
	isStruct := source.UnderlyingOf(op.owner.File, field.Field.Type).Kind == source.KindStruct
	switch {
	case isStruct:
		at.Errorf(at.Pos, "use a pointer", "field %s is a struct, so it is always set", field.Field.Label())
		return out, false
	case out.Nonzero == "" && schema.Requires(field.Name):
		at.Errorf(at.Pos, "make it +optional, with omitempty", "field %s is required, so it is always set", field.Field.Label())
		return out, false
	case s.Default != nil:
		at.Errorf(at.Pos, "remove the default", "field %s has a default, so it is always set", field.Field.Label())
		return out, false
	}
	var forbidden []string
	for _, tag := range tags {
		at.Pos = tag.marker.Pos
		if !op.isMode(at, discriminator, tag.mode) {
			return out, false
		}
		switch tag.payload.Name {
		case "", markers.TagOptionalName:
			out.Allowed = append(out.Allowed, tag.mode)
		case markers.TagRequiredName:
			out.Allowed = append(out.Allowed, tag.mode)
			out.Required = append(out.Required, tag.mode)
		case markers.TagForbiddenName:
			forbidden = append(forbidden, tag.mode)
		default:
			out.Allowed = append(out.Allowed, tag.mode)
			if !op.addCheck(at, &out, tag, s) {
				return out, false
			}
		}
	}
	for _, mode := range forbidden {
		if slices.Contains(out.Required, mode) {
			at.Errorf(at.Pos, "", "mode %q both requires and forbids field %s", mode, field.Field.Label())
			return out, false
		}
	}
	slices.Sort(out.Allowed)
	slices.Sort(out.Required)
	out.Allowed = slices.DeleteFunc(slices.Compact(out.Allowed), func(mode string) bool {
		return slices.Contains(forbidden, mode)
	})
	out.Required = slices.Compact(out.Required)
	return out, true
}

// addCheck adds the condition of a tag for the value of a field in a mode. It returns false after an
// error.
func (op writeModes) addCheck(editor *edits.Editor, out *unions.ModeField, tag modeTag, s *structural.Schema) bool {
	for nested := &tag.payload.Tag; nested != nil; nested = nested.ValueTag {
		switch unsupported, known := op.all.Table.Declarative(nested.Name); {
		case !known:
			editor.Errorf(editor.Pos, "", "unknown tag +%s", nested.Name)
			return false
		case unsupported != "":
			return true // reported by lint
		}
	}
	name, _ := celtext.Name(out.Name) // one that CEL cannot read is reported later
	rule, ok := edits.Condition(editor, tag.payload.Tag, "self."+name, s)
	i := slices.IndexFunc(out.Checks, func(c unions.ModeCheck) bool { return c.Rule == rule.Rule })
	if i < 0 {
		i = len(out.Checks)
		out.Checks = append(out.Checks, unions.ModeCheck{Rule: rule.Rule, Message: rule.Message})
	}
	modes := append(out.Checks[i].Modes, tag.mode)
	slices.Sort(modes)
	out.Checks[i].Modes = slices.Compact(modes)
	return ok
}

// isMode reports whether the discriminator can have a mode, and reports one that it cannot have.
func (op writeModes) isMode(editor *edits.Editor, discriminator *structural.Schema, mode string) bool {
	known := []string{"false", "true"}
	if discriminator.Type == "string" {
		known = textsIn(discriminator)
	}
	if len(known) == 0 || slices.Contains(known, mode) || mode == "" && discriminator.Type == "string" && discriminator.Default == nil {
		return true
	}
	editor.Errorf(editor.Pos, words.DidYouMean(mode, known, fmt.Sprintf("its values are %q", known)), "%q is not a value of %s", mode, op.discriminator.Field.Label())
	return false
}
