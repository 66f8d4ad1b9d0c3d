package suggest

import (
	"fmt"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
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
	r := &ruleEditor{schema: schema, own: own, fields: fields}
	meanings := rules.Meanings(schema, list)
	for _, meaning := range meanings {
		if meaning.Replacement != nil {
			r.add(meaning.Replacement.Markers)
		}
	}
	var out []Suggestion
	for _, meaning := range meanings {
		suggestion := Suggestion{Pos: s.Reporter.Position(t.Spec.Name.Pos()), Package: t.Pkg.Path, Type: t.Label()}
		for _, marker := range meaning.Markers {
			orderMembers(marker, fields)
		}
		if meaning.Near != nil {
			orderMembers(*meaning.Near, fields)
		}
		r.lineEditor = &lineEditor{suggester: s, t: t, out: &suggestion, several: len(r.selecting) > 1}
		if r.replace(meaning) || r.near(meaning) {
			out = append(out, suggestion)
		}
	}
	return out
}

// ruleEditor replaces rules of a struct by markers.
type ruleEditor struct {
	*lineEditor
	schema *structural.Schema
	// own are the markers of the rules, and fields those of the struct.
	own    []*markers.Marker
	fields []*unionField
	// selecting are the discriminators of unions, and modal those of modes.
	selecting, modal []string
}

// add adds the discriminators of markers.
func (r *ruleEditor) add(list []rules.Marker) {
	for _, m := range list {
		switch {
		case m.Kind == rules.Discriminated && !slices.Contains(r.selecting, m.Discriminator):
			r.selecting = append(r.selecting, m.Discriminator)
		case m.Kind == rules.Modes && !slices.Contains(r.modal, m.Discriminator):
			r.modal = append(r.modal, m.Discriminator)
		}
	}
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
func (r *ruleEditor) replace(meaning rules.Meaning) bool {
	if meaning.Replacement == nil {
		return false
	}
	out := r.out
	for _, name := range meaning.Replacement.Bounded {
		if !r.bound(name) {
			return false
		}
	}
	var written []string
	isInUnion := false
	isTagged := false
	for _, marker := range meaning.Replacement.Markers {
		orderMembers(marker, r.fields)
		members := membersOf(marker, r.fields)
		isUnion := marker.Kind <= rules.AtMostOne
		switch {
		case members == nil || slices.ContainsFunc(members, func(f *unionField) bool { return f.shared }):
			return false
		case isUnion && isMarked(marker, members, r.fields):
			isInUnion = true
		case slices.ContainsFunc(members, func(f *unionField) bool { return f.role != roleNone }):
			return false
		case isDiscriminated(marker):
			isInUnion = true
			if !r.mark(marker, members, r.fields) {
				return false
			}
		case marker.Kind <= rules.AtLeastOne:
			written = append(written, oneOfMarker(marker))
		case marker.Kind == rules.Required:
			r.require(members[0], "")
		case marker.Kind == rules.Modes:
			isTagged = true
			if !r.tagModes(marker, members[0]) {
				return false
			}
		default:
			isTagged = true
			tag := markers.TagDependentRequiredName
			if marker.Kind == rules.Excludes {
				tag = markers.TagDependentForbiddenName
			}
			r.aboveField(members[0], fmt.Sprintf("+%s(%q)", tag, members[1].name), "")
		}
	}
	forms := r.Run.UnionForms(r.t)
	if isInUnion && forms != nil && !slices.Contains(forms, unions.FormCEL) && !slices.Contains(forms, unions.FormOneOf) {
		return false // the markers enforce nothing
	}
	for i, index := range meaning.Conditions {
		if i > 0 {
			written = nil
		}
		if !r.remove(r.own[index], written) {
			return false
		}
	}
	var texts []string
	for _, marker := range meaning.Markers {
		marker.Nonempty = marker.Nonempty && len(meaning.Replacement.Bounded) == 0
		texts = append(texts, marker.Words())
	}
	out.Meaning = strings.Join(texts, "; ")
	out.Proved = len(meaning.Replacement.Bounded) == 0
	out.Why = fmt.Sprintf("the rules accept %d of the %d combinations of what they read, and the markers accept the same", meaning.Accepting, meaning.Combinations)
	if !out.Proved {
		emptied := plainjson.Text(meaning.Replacement.Accepted)
		out.Why = fmt.Sprintf("the rules accept %s, which the minimum size would refuse", emptied)
	}
	if meaning.Near != nil {
		out.Notes = append(out.Notes, accepts(meaning))
	}
	if isInUnion {
		r.optInToUnions()
	}
	if isTagged && !r.Run.Enabled(r.t.Pkg, markers.FeatureK8s) {
		r.optIn("// +schemagen:enable=k8s",
			"tags of Kubernetes act in packages that enable them, and so do those that are there already")
	}
	slices.SortStableFunc(out.Edits, compareEdits)
	return true
}

// bound adds a minimum of one character, item or property to a field. It returns false if the field has one.
func (r *ruleEditor) bound(name string) bool {
	i := slices.IndexFunc(r.fields, func(f *unionField) bool { return f.name == name })
	schema := r.schema.Property(name)
	v := schema.ValueValidation
	if i < 0 || r.fields[i].shared || v != nil && (v.MinLength != nil || v.MinItems != nil || v.MinProperties != nil) {
		return false
	}
	minimums := map[string]string{"string": "MinLength", "array": "MinItems", "object": "MinProperties"}
	minimum := minimums[schema.Type]
	r.aboveField(r.fields[i], "+kubebuilder:validation:"+minimum+"=1", "an empty value would count as set")
	return true
}

// modeName matches the names of modes that tags have.
var modeName = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9_]*$`)

// hasMode reports whether a field has a tag for modes.
func hasMode(f *unionField) bool {
	return slices.ContainsFunc(f.comments, func(c markers.Comment) bool { return modeComment().MatchString(c.Text) })
}

// tagModes adds the tags for the modes of a field. It returns false if the generator would not accept them.
func (r *ruleEditor) tagModes(marker rules.Marker, f *unionField) bool {
	i := slices.IndexFunc(r.fields, func(d *unionField) bool { return d.name == marker.Discriminator })
	if i < 0 || r.fields[i].shared || r.fields[i].field.IsPointer() || slices.ContainsFunc(r.fields, hasMode) {
		return false
	}
	schema := r.schema.Property(f.name)
	isStruct := source.UnderlyingOf(r.t.File, f.field.Type).Kind == source.KindStruct
	if isStruct || schema.Default != nil || f.required && unions.Nonzero(schema) == "" {
		return false // it is always set
	}
	discriminator := "+" + markers.TagModeDiscriminatorName
	arguments := "(%[2]q)"
	if len(r.modal) > 1 {
		if !modeName().MatchString(marker.Discriminator) || marker.Discriminator == "default" {
			return false
		}
		discriminator += fmt.Sprintf("(modality: %q)", marker.Discriminator)
		arguments = "(modality: %[1]q, mode: %[2]q)"
	}
	r.aboveField(r.fields[i], discriminator, "")
	for _, m := range marker.Members {
		needs := markers.TagRequiredName
		if m.Optional {
			needs = markers.TagOptionalName
		}
		r.aboveField(f, "+"+markers.TagIfModeName+fmt.Sprintf(arguments, marker.Discriminator, m.Value)+"=+"+needs, "")
	}
	return true
}

// near completes the suggestion to look at rules that accept more than a marker of a near meaning, with the
// edits that replace them by it if that is possible: they tighten.
func (r *ruleEditor) near(meaning rules.Meaning) bool {
	if meaning.Near == nil {
		return false
	}
	members := membersOf(*meaning.Near, r.fields)
	if members == nil || slices.ContainsFunc(members, func(f *unionField) bool { return f.role != roleNone }) {
		return false // the union has rules of its own
	}
	empty := Suggestion{Pos: r.out.Pos, Package: r.out.Package, Type: r.out.Type}
	*r.out = empty
	tightened := rules.Meaning{Conditions: meaning.Conditions}
	if !meaning.Near.Nonempty {
		tightened.Replacement = &rules.Replacement{Markers: []rules.Marker{*meaning.Near}}
	}
	if !r.replace(tightened) {
		*r.out = empty
	}
	r.out.Proved = false
	r.out.Meaning = meaning.Near.Words()
	r.out.Why = accepts(meaning)
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

// orderMembers sorts the members of a marker as the fields of the struct, unless their order has a meaning.
func orderMembers(marker rules.Marker, fields []*unionField) {
	if marker.Kind == rules.Requires {
		return
	}
	index := func(m unions.Member) int {
		return slices.IndexFunc(fields, func(f *unionField) bool { return f.name == m.Name })
	}
	slices.SortStableFunc(marker.Members, func(a, b unions.Member) int { return index(a) - index(b) })
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
		if !slices.Contains(d.choices.values, m.Value) || f.shared || f.whyNotMember() != "" || d.whyNotMemberOf(f, m.Value) != "" {
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
