package gateway

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Gate is the gate that is on in the channel experimental and off in the channel standard, the
// two that tags name.
const Gate = "experimental"

// Gates are the gates of a run.
type Gates interface {
	// IsOn reports whether a gate is on, and whether it is known.
	IsOn(gate string) (on, known bool)
}

// Tags applies tags to schemas. Schemas that share nodes still do afterwards.
type Tags struct {
	Prefix   string
	Gates    Gates
	Reporter *report.Reporter
	Program  *source.Program
	Table    *markers.Table
	// MaxDescription is the maximum length of descriptions in bytes; negative means no limit.
	MaxDescription int

	applied  map[*structural.Schema]*structural.Schema
	comments map[*source.File][]*ast.Comment
	// on is whether the gate is on; nil before a tag is found.
	on *bool
}

// Kind returns the schema of a kind with the tags applied to the schemas below it. The description
// of the kind stays as it is, as in Gateway API.
func (t *Tags) Kind(s *structural.Schema, kind *source.Type) *structural.Schema {
	if t.hides(s) {
		t.report(s, t.start(Gate), "mark the kind +schemagen:when("+Gate+"), or leave it out of a channel by kinds", "%s is for fields and their types, not for kinds", t.start(Gate))
	}
	t.Reporter.Enter(kind.Pkg.At(kind.Spec.Name.Pos()), "")
	defer t.Reporter.Leave()
	out := *t.apply(s)
	out.Description = edits.Truncate(written(s.Description), t.MaxDescription)
	return &out
}

// start returns the tag with a name.
func (t *Tags) start(name string) string { return "<" + t.Prefix + ":" + name + ">" }

// end returns the end of a block with a name.
func (t *Tags) end(name string) string { return "</" + t.Prefix + ":" + name + ">" }

// apply returns the schema with the tags applied.
func (t *Tags) apply(schema *structural.Schema) *structural.Schema {
	if schema == nil {
		return nil
	}
	if out, ok := t.applied[schema]; ok {
		return out
	}
	out := *schema
	start := t.Reporter.Findings()
	t.validations(&out, t.tags(schema))
	out.Description = edits.Truncate(t.text(schema), t.MaxDescription)
	out.Properties = nil
	for _, p := range schema.Properties {
		if t.hides(p.Schema) && !t.gateIsOn(p.Schema, t.start(Gate)) {
			edits.SetRequired(&out, p.Name, false)
			absent := notes.Absent{Name: p.Name, Condition: Gate, Pos: t.find(p.Schema, t.start(Gate))}
			out.Origin.Absent = append(slices.Clip(out.Origin.Absent), absent)
			continue
		}
		if required, ok := t.requires(p.Schema); ok {
			edits.SetRequired(&out, p.Name, required)
		}
		out.Properties = append(out.Properties, structural.Property{Name: p.Name, Schema: t.apply(p.Schema)})
	}
	out.Items = t.apply(out.Items)
	if a := schema.AdditionalProperties; a != nil && a.Schema != nil {
		out.AdditionalProperties = &structural.SchemaOrBool{Schema: t.apply(a.Schema)}
	}
	out.Origin.Mistake = max(out.Origin.Mistake, t.Reporter.MistakeSince(start))
	if t.applied == nil {
		t.applied = map[*structural.Schema]*structural.Schema{}
	}
	t.applied[schema] = &out
	return &out
}

// hides reports whether a node exists only where the gate is on: its description has the tag, or
// its elements' description, without which a list or map has no use.
func (t *Tags) hides(s *structural.Schema) bool {
	for s != nil {
		if strings.Contains(s.Description, t.start(Gate)) {
			return true
		}
		next := s.Items
		if s.AdditionalProperties != nil {
			next = s.AdditionalProperties.Schema
		}
		s = next
	}
	return false
}

// holds reports whether the validation in a tag of a node applies.
func (t *Tags) holds(s *structural.Schema, tag tag) bool {
	return t.gateIsOn(s, tag.text) == (tag.channel == experimental)
}

// gateIsOn reports whether the gate is on, on which a tag of a node depends.
func (t *Tags) gateIsOn(s *structural.Schema, tag string) bool {
	if t.on == nil {
		enabled, known := t.Gates.IsOn(Gate)
		t.on = &enabled
		if !known {
			pos := t.find(s, tag)
			t.Reporter.Report(report.UnknownGate, t.packageAt(pos).At(pos), "declare it in schemagen.yaml: the feature gateway needs it", "unknown gate %q", Gate)
		}
	}
	return *t.on
}

// validations applies the tags that validate a node.
func (t *Tags) validations(schema *structural.Schema, tags []tag) {
	if schema.ValueValidation != nil {
		values := *schema.ValueValidation
		schema.ValueValidation = &values
	}
	set := map[string]bool{}
	opposite := map[string]string{"Optional": "Required", "Required": "Optional"}
	for _, tag := range tags {
		if tag.keyword == addresses {
			t.addresses(schema, tag)
			continue
		}
		if !t.holds(schema, tag) {
			continue
		}
		switch tag.keyword {
		case "XValidation":
			schema.XValidations = append(slices.Clip(schema.XValidations), structural.Rule{Rule: tag.rule, Message: tag.message})
			t.set(schema, keywords.Rules, tag)
		case "Pattern":
			if schema.ValueValidation != nil && schema.Pattern != "" {
				t.report(schema, tag.text, "keep one of them", "%s: there is another pattern: %s", tag.name(), schema.Pattern)
			}
			schema.Validation().Pattern = tag.value
			t.set(schema, "pattern", tag)
		case "Enum":
			if set[tag.keyword] {
				t.report(schema, tag.text, "keep one of them", "%s: there is another one for this channel", tag.name())
			}
			schema.Validation().Enum = nil
			for value := range strings.SplitSeq(tag.value, ";") {
				schema.Enum = append(schema.Enum, structural.JSON{Raw: []byte(plainjson.Text(value))})
			}
			t.set(schema, "enum", tag)
		case "Optional", "Required":
			if set[opposite[tag.keyword]] {
				t.report(schema, tag.text, "keep one of them", "%s: the field is also %s", tag.name(), opposite[tag.keyword])
			}
		default:
			t.mark(schema, tag)
		}
		set[tag.keyword] = true
	}
}

// mark applies a tag that stands for a marker to a node.
func (t *Tags) mark(s *structural.Schema, tag tag) {
	pos := t.find(s, tag.text)
	// Positions after "validation:" are those in the tag.
	start := pos + token.Pos(strings.Index(tag.text, ":validation:")-strings.Index(prefixOfMarkers, ":validation:"))
	c := markers.Comment{Text: tag.marker, Pos: start}
	m, err := t.Table.Parse(c, markers.Field)
	if m == nil && err == nil {
		m, err = t.Table.Parse(c, markers.Type)
	}
	if err != nil {
		t.report(s, tag.text, "", "%s: %v", tag.name(), err)
		return
	}
	edit := &edits.Edit{Pkg: t.packageAt(pos), Pos: pos, Name: m.Name, Op: edits.SetMarkers{Set: source.Markers{m}}}
	*s = *edits.Apply(t.Reporter, s, []*edits.Edit{edit})
}

// set records which tag sets a keyword of a node.
func (t *Tags) set(s *structural.Schema, keyword string, tag tag) {
	s.Origin.Keywords = append(slices.Clip(s.Origin.Keywords),
		structural.KeywordOrigin{Keyword: keyword, Pos: t.find(s, tag.text)})
}

// requires returns whether tags make a field required; ok is false if there are none.
func (t *Tags) requires(s *structural.Schema) (required, ok bool) {
	for _, tag := range t.read(s.Description, func(string, string, string) {}) {
		if (tag.keyword == "Optional" || tag.keyword == "Required") && t.holds(s, tag) {
			required = tag.keyword == "Required"
			ok = true
		}
	}
	return required, ok
}

// addresses adds what validateIPAddress stands for to the elements of a list: if their type is
// IPAddress, their value is an address.
func (t *Tags) addresses(schema *structural.Schema, tag tag) {
	if schema.Items == nil {
		t.report(schema, tag.text, "", "%s is for lists, found %s", tag.text, edits.TypeOrNone(schema.Type))
		return
	}
	nested := func(values structural.ValueValidation) structural.NestedValueValidation {
		return structural.NestedValueValidation{ValueValidation: values}
	}
	property := func(name string, values structural.ValueValidation) structural.NestedProperty {
		return structural.NestedProperty{Name: name, Schema: new(nested(values))}
	}
	isAddress := structural.ValueValidation{Enum: []structural.JSON{{Raw: []byte(`"IPAddress"`)}}}
	address := structural.ValueValidation{AnyOf: []structural.NestedValueValidation{
		nested(structural.ValueValidation{Format: "ipv4"}), nested(structural.ValueValidation{Format: "ipv6"}),
	}}
	items := *schema.Items
	values := structural.ValueValidation{}
	if items.ValueValidation != nil {
		values = *items.ValueValidation
	}
	values.OneOf = []structural.NestedValueValidation{
		{Properties: []structural.NestedProperty{property("type", isAddress), property("value", address)}},
		{Properties: []structural.NestedProperty{property("type", structural.ValueValidation{Not: new(nested(isAddress))})}},
	}
	items.ValueValidation = &values
	t.set(&items, "oneOf", tag)
	schema.Items = &items
}

// report reports a tag of a node.
func (t *Tags) report(s *structural.Schema, tag, hint, format string, args ...any) {
	pos := t.find(s, tag)
	t.Reporter.Report(report.InvalidCondition, t.packageAt(pos).At(pos), hint, format, args...)
}

// packageAt returns the package with a position in a parsed file, or nil.
func (t *Tags) packageAt(pos token.Pos) *source.Package {
	for p := range t.Program.Packages() {
		if slices.ContainsFunc(p.Sources, func(f *source.File) bool { return contains(f, pos) }) {
			return p
		}
	}
	return nil
}

// find returns the position of a tag in a comment: the nearest one above the node in its file
// or, for the description of a type, the first one in any file. It is the node's position if there
// is none.
func (t *Tags) find(s *structural.Schema, tag string) token.Pos {
	first := token.NoPos
	nearest := token.NoPos
	packages := slices.SortedFunc(t.Program.Packages(),
		func(a, b *source.Package) int { return strings.Compare(a.Path, b.Path) })
	for _, p := range packages {
		for _, f := range p.Sources {
			for _, c := range t.commentsOf(f) {
				offset := strings.Index(c.Text, tag)
				if offset < 0 {
					continue
				}
				pos := c.Pos() + token.Pos(offset)
				first = cmp.Or(first, pos)
				if pos < s.Origin.Pos && contains(f, s.Origin.Pos) {
					nearest = pos
				}
			}
		}
	}
	return cmp.Or(nearest, first, s.Origin.Pos)
}

// commentsOf returns the comments of a file that may have tags.
func (t *Tags) commentsOf(f *source.File) []*ast.Comment {
	if found, ok := t.comments[f]; ok || f.Syntax == nil {
		return found
	}
	var found []*ast.Comment
	for _, group := range f.Syntax.Comments {
		for _, c := range group.List {
			if strings.Contains(c.Text, t.Prefix+":") {
				found = append(found, c)
			}
		}
	}
	if t.comments == nil {
		t.comments = map[*source.File][]*ast.Comment{}
	}
	t.comments[f] = found
	return found
}

// contains reports whether a file was parsed and has a position.
func contains(f *source.File, pos token.Pos) bool {
	return f.Syntax != nil && f.Syntax.FileStart <= pos && pos <= f.Syntax.FileEnd
}
