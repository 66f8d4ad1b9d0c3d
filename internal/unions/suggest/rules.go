package suggest

import (
	"fmt"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/rules"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// This file suggests markers for rules that people wrote, by what the rules mean.

// ruled returns the suggestions for the rules of a struct.
func (s *suggester) ruled(t *source.Type, fields []*unionField) []Suggestion {
	var own []*markers.Marker
	var list []rules.Condition
	for _, m := range t.Markers {
		if rule, ok := m.Value.(crdmarkers.XValidation); ok {
			own = append(own, m)
			written := structural.Rule{Rule: rule.Rule, OptionalOldSelf: rule.OptionalOldSelf}
			list = append(list, rules.Condition{Rule: written})
		}
	}
	if len(list) == 0 {
		return nil
	}
	schema := s.schemaOf(t)
	if schema.Origin.Mistake != notes.NoMistake {
		return nil
	}
	meanings := rules.Meanings(schema, list)
	discriminated := 0
	for _, meaning := range meanings {
		if slices.ContainsFunc(meaning.Markers, isDiscriminated) {
			discriminated++
		}
	}
	var out []Suggestion
	for _, meaning := range meanings {
		suggestion := Suggestion{Pos: s.Reporter.Position(t.Spec.Name.Pos()), Package: t.Pkg.Path, Type: t.Label()}
		for _, marker := range meaning.Markers {
			orderMembers(marker.Members, fields)
		}
		if meaning.Near != nil {
			orderMembers(meaning.Near.Members, fields)
		}
		e := &lineEditor{suggester: s, t: t, out: &suggestion, several: discriminated > 1}
		if e.replace(meaning, own, fields) || e.near(meaning, own, fields) {
			out = append(out, suggestion)
		}
	}
	return out
}

func isDiscriminated(m rules.Marker) bool { return m.Kind == rules.Discriminated }

// schemaOf returns the schema of a struct. What is wrong with it is reported when it is generated.
func (s *suggester) schemaOf(t *source.Type) *structural.Schema {
	known := s.Reporter.List
	schema := s.flattener.ForPackage(t.Pkg).Root(t)
	s.Reporter.List = known
	return schema
}

// replace completes the suggestion to replace rules by markers of the same meaning. It returns false if there
// are none, if they cannot be written, or if they contradict those of the fields.
func (e *lineEditor) replace(meaning rules.Meaning, own []*markers.Marker, fields []*unionField) bool {
	out := e.out
	isInUnion := slices.ContainsFunc(meaning.Markers, isDiscriminated)
	isUnwritten := func(m rules.Marker) bool { return m.Kind > rules.AtLeastOne || m.Nonempty }
	if len(meaning.Markers) == 0 || isInUnion && len(meaning.Markers) > 1 || slices.ContainsFunc(meaning.Markers, isUnwritten) {
		return false
	}
	var texts, written []string
	for _, marker := range meaning.Markers {
		members := membersOf(marker, fields)
		if members == nil {
			return false
		}
		texts = append(texts, marker.Words())
		switch {
		case isMarked(marker, members, fields):
			isInUnion = true
		case slices.ContainsFunc(members, func(f *unionField) bool { return f.role != roleNone }):
			return false
		case !isDiscriminated(marker):
			written = append(written, oneOfMarker(marker))
		case !e.mark(marker, members, fields):
			return false
		}
	}
	forms := e.Run.UnionForms(e.t)
	if isInUnion && forms != nil && !slices.Contains(forms, unions.FormCEL) && !slices.Contains(forms, unions.FormOneOf) {
		return false // the markers enforce nothing
	}
	for i, index := range meaning.Conditions {
		if i > 0 {
			written = nil
		}
		if !e.remove(own[index], written) {
			return false
		}
	}
	out.Meaning = strings.Join(texts, "; ")
	out.Proved = true
	out.Why = fmt.Sprintf("the rules accept %d of the %d combinations of what they read, and the markers accept the same", meaning.Accepting, meaning.Combinations)
	if meaning.Near != nil {
		out.Notes = append(out.Notes, accepts(meaning))
	}
	if isInUnion {
		e.finish()
	}
	slices.SortStableFunc(out.Edits, compareEdits)
	return true
}

// near completes the suggestion to look at rules that accept more than a marker of a near meaning, with the
// edits that replace them by it if that is possible: they tighten.
func (e *lineEditor) near(meaning rules.Meaning, own []*markers.Marker, fields []*unionField) bool {
	if meaning.Near == nil {
		return false
	}
	members := membersOf(*meaning.Near, fields)
	if members == nil || slices.ContainsFunc(members, func(f *unionField) bool { return f.role != roleNone }) {
		return false // the union has rules of its own
	}
	empty := *e.out
	empty.Edits = nil
	*e.out = empty
	tightened := rules.Meaning{Conditions: meaning.Conditions, Markers: []rules.Marker{*meaning.Near}}
	if !e.replace(tightened, own, fields) {
		*e.out = empty
	}
	e.out.Proved = false
	e.out.Meaning = meaning.Near.Words()
	e.out.Why = accepts(meaning)
	return true
}

// accepts says what the rules accept beyond a marker of a near meaning.
func accepts(meaning rules.Meaning) string {
	written := "a union"
	if !isDiscriminated(*meaning.Near) && !meaning.Near.Nonempty {
		written = "// " + oneOfMarker(*meaning.Near)
	}
	return fmt.Sprintf("the rules accept %s, which %s would refuse", plainjson.Text(meaning.Accepted), written)
}

// membersOf returns the fields of a marker; nil if one of them is not a field of the struct itself.
func membersOf(marker rules.Marker, fields []*unionField) []*unionField {
	var out []*unionField
	for _, m := range marker.Members {
		i := slices.IndexFunc(fields, func(f *unionField) bool { return f.name == m.Name })
		if i < 0 {
			return nil
		}
		out = append(out, fields[i])
	}
	return out
}

// orderMembers sorts members as the fields of the struct.
func orderMembers(members []unions.Member, fields []*unionField) {
	index := func(m unions.Member) int {
		return slices.IndexFunc(fields, func(f *unionField) bool { return f.name == m.Name })
	}
	slices.SortStableFunc(members, func(a, b unions.Member) int { return index(a) - index(b) })
}

// oneOfMarker returns controller-gen's marker for a meaning without a discriminator.
func oneOfMarker(m rules.Marker) string {
	var names []string
	for _, member := range m.Members {
		names = append(names, member.Name)
	}
	name := map[rules.Kind]string{rules.ExactlyOne: "ExactlyOneOf", rules.AtMostOne: "AtMostOneOf", rules.AtLeastOne: "AtLeastOneOf"}[m.Kind]
	return "+kubebuilder:validation:" + name + "=" + strings.Join(names, ";")
}

// isMarked reports whether the fields of a struct have markers of the same meaning.
func isMarked(marker rules.Marker, members, fields []*unionField) bool {
	for _, f := range fields {
		i := slices.Index(members, f)
		var isExpected bool
		switch {
		case f.role == roleDiscriminator:
			isExpected = f.native && f.name == marker.Discriminator
		case i < 0:
			isExpected = f.role == roleNone && f.name != marker.Discriminator
		case f.role != roleMember || f.marker == nil:
		case isDiscriminated(marker):
			given, _ := f.specified()
			isExpected = f.native && valueOr(given, f) == marker.Members[i].Value && given.Optional == marker.Members[i].Optional
		default:
			tag := map[rules.Kind]string{rules.ExactlyOne: markers.TagUnionMemberName, rules.AtMostOne: markers.TagZeroOrOneOfMemberName}[marker.Kind]
			isExpected = f.marker.Name == tag && f.field.IsPointer() && sameUnion(f, members[0])
		}
		if !isExpected {
			return false
		}
	}
	return true
}

func sameUnion(a, b *unionField) bool {
	_, unionOfA := a.specified()
	if b.marker == nil {
		return false
	}
	_, unionOfB := b.specified()
	return unionOfA == unionOfB
}

// mark adds the markers of a discriminator and its members. It returns false if the generator would
// not accept them.
func (e *lineEditor) mark(marker rules.Marker, members, fields []*unionField) bool {
	i := slices.IndexFunc(fields, func(f *unionField) bool { return f.name == marker.Discriminator })
	if i < 0 {
		return false
	}
	d := &candidate{unionField: fields[i], choices: e.choicesOf(e.t, fields[i])}
	hasDefault := d.defaultValue() != ""
	isOther := d.role != roleNone && !(d.role == roleDiscriminator && d.native)
	if d.shared || isOther || !d.choices.closed || slices.Contains(d.choices.values, "") || d.required == hasDefault || hasDefault && !d.omits {
		return false
	}
	out := e.out
	out.Discriminator = d.field.Label()
	out.Marked = d.role != roleNone
	if d.role == roleNone {
		e.aboveField(d.unionField, "+unionDiscriminator", "")
	}
	for i, m := range marker.Members {
		f := members[i]
		if f.shared || f.whyNotMember() != "" || d.whyNotMemberOf(f, m.Value) != "" {
			return false
		}
		out.Members = append(out.Members, Member{Field: f.field.Label(), Value: m.Value, Optional: m.Optional})
		e.aboveField(f, memberMarker(m, f), "")
		if e.several || d.hasRival(fields) {
			e.aboveField(f, "+unionDiscriminatedBy="+d.field.Label(), "the struct has several discriminators")
		}
	}
	for _, value := range d.choices.values {
		if !slices.ContainsFunc(marker.Members, func(m unions.Member) bool { return m.Value == value }) {
			out.Empty = append(out.Empty, value)
		}
	}
	return true
}

// memberMarker returns the marker of a member.
func memberMarker(m unions.Member, f *unionField) string {
	text := "+unionMember"
	if m.Value != f.field.Label() {
		text += "=" + m.Value
	}
	if m.Optional {
		text += ",optional"
	}
	return text
}

// valueOr returns the value of a marked member, which is by default the name of the field.
func valueOr(given markers.UnionMember, f *unionField) string {
	if given.Value == "" {
		return f.field.Label()
	}
	return given.Value
}

// remove removes the marker of a rule, and writes others in its place. It returns false if the marker is
// not a line of its own.
func (e *lineEditor) remove(marker *markers.Marker, written []string) bool {
	position := e.Reporter.Position(marker.Pos)
	line := e.line(position)
	indent, text, ok := strings.Cut(line, "//")
	if !ok || strings.TrimSpace(indent) != "" || strings.TrimSpace(text) != marker.Text {
		return false
	}
	edit := Edit{File: position.File, Line: position.Line, Subject: e.t.Label()}
	for _, text := range written[:max(0, len(written)-1)] {
		edit.Text = indent + "// " + text
		e.out.Edits = append(e.out.Edits, edit)
	}
	edit.Old = line
	edit.Text = ""
	if len(written) > 0 {
		edit.Text = indent + "// " + written[len(written)-1]
	}
	e.out.Edits = append(e.out.Edits, edit)
	return true
}
