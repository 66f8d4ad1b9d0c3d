package suggest

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file finds structs that look like unions but are not, or not completely, marked as
// such. What counts as evidence is in evidence.go, the lines to write are in edits.go.

// Suggestion is a union that a struct seems to be, and what must be added for the generator
// to enforce it.
type Suggestion struct {
	// Pos is the position of the struct's name.
	Pos diag.Position
	// Package is the import path of the struct, and Type its Go name.
	Package, Type string
	// Discriminator is the Go name of the field that selects a member; empty for a union
	// without a discriminator.
	Discriminator string
	// Members are all members in source order, including those already marked.
	Members []Member
	// Empty are the values of the discriminator without a member, in order of declaration.
	Empty []string
	// AtMostOne is set for a union without a discriminator that allows no member to be set.
	AtMostOne bool
	// Marked is set if part of the union is already marked.
	Marked bool
	// Meaning is what hand-written rules of the struct mean, and Proved is set if the edits replace
	// them by markers that accept the same objects.
	Meaning string
	Proved  bool
	// Why is the evidence, as a clause without a final period.
	Why string
	// Edits are the edits to make, ordered by file and line.
	Edits []Edit
	// OptIn enables what the markers need for the package; there is none if it is enabled. It is not
	// one of the edits, because it tightens validation of the API.
	OptIn []Edit
	// Notes are decisions and changes that are left to the author.
	Notes []string
}

// IsReplacement reports whether the suggestion is about rules that people wrote.
func (s Suggestion) IsReplacement() bool { return s.Meaning != "" }

// Member is one member of a suggested union.
type Member struct {
	// Field is the Go name.
	Field string
	// Value is the discriminator value that selects the member; empty without a
	// discriminator.
	Value string
	// Optional is set if the member may be absent although it is selected.
	Optional bool
	// Marked is set if the source already has the marker.
	Marked bool
}

// Unions returns the structs in the packages that look like unions but are not, or not
// completely, marked as such, sorted by position. It considers every struct declared in the
// packages of [define.Source.Patterns], whether or not a kind uses it. Set
// [define.Language.Unions] to enable unions for the run; otherwise the packages must
// enable them. Nothing is written. Diagnostics are about source that cannot be read or
// markers that cannot be parsed; the error is as for [define.Make].
//
// The evidence is names and documentation, as in the section of KEP-1027 on the migration of
// existing unions. An author has to decide whether a suggestion is right.
func Unions(ctx context.Context, options define.Options) ([]Suggestion, diag.List, error) {
	options.Gates = []string{"*"} // all fields
	return suggestUnions(ctx, options)
}

func suggestUnions(ctx context.Context, options define.Options) ([]Suggestion, diag.List, error) {
	roots, b, err := define.Open(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	r := b.Reporter
	s := &suggester{Builder: b, flattener: define.NewFlattener(b), sources: map[string][]string{},
		declaring: map[*source.Package]bool{}}
	s.findStatuses(roots)
	var out []Suggestion
	for _, p := range roots {
		for _, t := range structsOf(p) {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			out = append(out, s.suggest(t)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line)
	})
	return out, r.List.Normalize(), nil
}

// structsOf returns the struct types that the package declares, ordered by file and line.
// Generic types, which cannot have unions, and generated files are left out.
func structsOf(p *source.Package) []*source.Type {
	p.ParseTypes()
	var out []*source.Type
	for _, f := range p.Sources {
		if f.Syntax == nil || ast.IsGenerated(f.Syntax) {
			continue
		}
		for _, t := range f.Types() {
			if _, ok := t.Spec.Type.(*ast.StructType); ok && t.Spec.TypeParams.NumFields() == 0 {
				out = append(out, t)
			}
		}
	}
	return out
}

// suggester suggests unions, struct by struct.
type suggester struct {
	*define.Builder
	flattener *define.Flattener
	// sources caches the lines of files to be edited, by file name.
	sources map[string][]string
	// declaring tells which packages have a struct with the marker of a discriminator.
	declaring map[*source.Package]bool
	// statuses are the structs with the fields of a status.
	statuses map[*source.Type]bool
}

// candidate is a field that may be a discriminator, with the members that it may select.
type candidate struct {
	*unionField
	choices choices
	matches []match
	// doubtful are matches without supporting evidence.
	doubtful []match
	// strong is the number of matches that are evidence on their own.
	strong int
	why    string
}

// match is a member of a candidate.
type match struct {
	field *unionField
	value string
}

// suggest returns the unions that a struct seems to be.
func (s *suggester) suggest(t *source.Type) []Suggestion {
	t.Load()
	fields, rest := s.unionFields(t)
	ruled := s.ruled(t, fields)
	if slices.ContainsFunc(ruled, func(r Suggestion) bool { return r.Proved }) {
		return ruled
	}
	var out []Suggestion
	found := s.discriminators(t, fields, rest)
	for _, c := range found {
		if suggestion, lacks := s.discriminated(t, fields, c, found); lacks {
			out = append(out, suggestion)
		}
	}
	if len(found) == 0 && rest == 0 && !hasOneOf(t) {
		if suggestion, lacks := s.undiscriminated(t, fields); lacks {
			out = append(out, suggestion)
		}
	}
	if len(out) == 0 {
		return ruled
	}
	for _, r := range ruled {
		out[0].Notes = append(out[0].Notes, r.Why)
	}
	return out
}

// hasRival reports whether a field other than c is also marked as a discriminator.
func (c *candidate) hasRival(fields []*unionField) bool {
	return slices.ContainsFunc(fields, func(f *unionField) bool {
		return f.role == roleDiscriminator && f.native && f != c.unionField
	})
}

// hasOneOf reports whether controller-gen's markers already express a union without a
// discriminator.
func hasOneOf(t *source.Type) bool {
	return slices.ContainsFunc(t.Markers, func(m *markers.Marker) bool {
		switch m.Value.(type) {
		case crdmarkers.ExactlyOneOf, crdmarkers.AtMostOneOf:
			return true
		}
		return false
	})
}

// discriminators returns the candidates with sufficient evidence.
func (s *suggester) discriminators(t *source.Type, fields []*unionField, rest int) []*candidate {
	if !slices.ContainsFunc(fields, func(f *unionField) bool { return f.whyNotMember() == "" }) {
		return nil
	}
	if slices.ContainsFunc(fields, func(f *unionField) bool { return f.role == roleMember && !f.native }) &&
		!slices.ContainsFunc(fields, func(f *unionField) bool { return f.role == roleDiscriminator && !f.native }) {
		return nil // a union without a discriminator
	}
	var found []*candidate
	for _, f := range fields {
		if f.role == roleMember || f.role == roleDiscriminator && f.marker == nil ||
			f.field.Markers.Get(markers.NullableName) != nil || f.role == roleNone && f.observed() ||
			hasMode(f) && s.Run.Enabled(t.Pkg, markers.FeatureK8s) {
			continue
		}
		c := &candidate{unionField: f, choices: s.choicesOf(t, f)}
		if len(c.choices.values) < 2 {
			continue
		}
		c.match(fields)
		if c.hasEvidence(t, len(fields)+rest) {
			found = append(found, c)
		}
	}
	return undisputed(found)
}

// undisputed removes candidates that share a member with another one that has equal or better
// evidence. If both are equal, both are removed.
func undisputed(found []*candidate) []*candidate {
	var out []*candidate
	for _, c := range found {
		if !slices.ContainsFunc(found, func(o *candidate) bool { return o != c && o.shares(c) && c.yieldsTo(o) }) {
			out = append(out, c)
		}
	}
	return out
}

func (c *candidate) yieldsTo(other *candidate) bool {
	if c.role != other.role {
		return other.role == roleDiscriminator
	}
	return other.strong >= c.strong
}

func (c *candidate) shares(other *candidate) bool {
	return slices.ContainsFunc(c.matches, func(m match) bool {
		return slices.ContainsFunc(other.matches, func(o match) bool { return o.field == m.field })
	})
}

// discriminated returns the suggestion for one of the discriminators that were found. lacks is false
// if the union is completely marked.
func (s *suggester) discriminated(t *source.Type, fields []*unionField, c *candidate,
	found []*candidate) (out Suggestion, lacks bool) {
	out = Suggestion{Pos: s.Reporter.Position(t.Spec.Name.Pos()), Package: t.Pkg.Path, Type: t.Label(),
		Discriminator: c.field.Label(), Why: c.why}
	out.Marked = c.role == roleDiscriminator
	lacks = !out.Marked
	taken := map[string]bool{}
	e := &lineEditor{suggester: s, t: t, out: &out, several: len(found) > 1 || c.hasRival(fields)}
	standing := e.discriminator(c)
	for _, f := range fields {
		i := slices.IndexFunc(c.matches, func(m match) bool { return m.field == f })
		if i < 0 {
			continue
		}
		m := c.matches[i]
		taken[m.value] = true
		member := Member{Field: f.field.Label(), Value: m.value, Marked: f.role == roleMember}
		if member.Marked {
			out.Marked = true
			given, _ := f.specified()
			member.Optional = given.Optional
		}
		lacks = e.member(c, f, &member, standing) || lacks
		out.Members = append(out.Members, member)
	}
	for _, value := range c.choices.values {
		if !taken[value] {
			out.Empty = append(out.Empty, value)
		}
	}
	isForbidding := len(out.Empty) > 0 && needsMember(t, c.matches)
	if !lacks || isForbidding || s.statuses[t] && c.needsFields(standing, out.Members) {
		return Suggestion{}, false
	}
	for _, f := range fields {
		if f == c.unionField || f.role != roleNone {
			continue
		}
		for _, value := range out.Empty {
			if why := cmp.Or(f.whyNotMember(), c.whyNotMemberOf(f, value)); why != "" && sameName(value, f) {
				out.Notes = append(out.Notes, fmt.Sprintf("%s is named as %q, but cannot be its member as declared: %s", f.field.Label(), value, why))
			}
		}
		s.unlisted(t, c, f, &out)
	}
	for _, m := range c.doubtful {
		out.Notes = append(out.Notes, fmt.Sprintf("%s may be the member of %q: mark it if it is", m.field.field.Label(), m.value))
	}
	var members []*unionField
	for _, m := range c.matches {
		members = append(members, m.field)
	}
	e.ownRules(members)
	e.finish()
	return out, true
}

// needsMember reports whether a marker of the struct requires one of the fields of matches, so that a union of them
// would forbid each value of the discriminator that has no member.
func needsMember(t *source.Type, matches []match) bool {
	isMember := func(name string) bool {
		return slices.ContainsFunc(matches, func(m match) bool { return m.field.name == name })
	}
	return slices.ContainsFunc(t.Markers, func(m *markers.Marker) bool {
		oneOf, ok := m.Value.(crdmarkers.ExactlyOneOf)
		return ok && !slices.ContainsFunc(oneOf, func(name string) bool { return !isMember(name) })
	})
}

// unlisted adds a note about a field whose name matches a constant that the enum marker of
// the discriminator does not list.
func (s *suggester) unlisted(t *source.Type, c *candidate, f *unionField, out *Suggestion) {
	if c.choices.typ != nil || slices.ContainsFunc(c.matches, func(m match) bool { return m.field == f }) {
		return
	}
	name, why := t.File.Resolve(c.field.Type)
	if why != nil || name.Type == nil {
		return
	}
	all, _ := name.Type.Constants()
	for _, constant := range all {
		if !slices.Contains(c.choices.values, constant.Value) && sameName(constant.Value, f) {
			out.Notes = append(out.Notes, fmt.Sprintf("%s is not a member: the enum of %s does not list %q", f.field.Label(), c.field.Label(), constant.Value))
		}
	}
}

// undiscriminated returns the suggestion for a struct whose documentation says that one of
// its fields is set.
func (s *suggester) undiscriminated(t *source.Type, fields []*unionField) (out Suggestion, lacks bool) {
	if len(fields) < 2 {
		return out, false
	}
	atMostOne, why := documentedOneOf(t.Doc, fields)
	if why == "" {
		return out, false
	}
	for _, f := range fields {
		if !f.field.IsPointer() || f.whyNotMember() != "" || f.role == roleDiscriminator || f.role == roleMember && f.native {
			return out, false
		}
	}
	out = Suggestion{Pos: s.Reporter.Position(t.Spec.Name.Pos()), Package: t.Pkg.Path, Type: t.Label(),
		AtMostOne: atMostOne, Why: why}
	tag := "+k8s:unionMember"
	if atMostOne {
		tag = "+k8s:zeroOrOneOfMember"
	}
	if i := slices.IndexFunc(fields, func(f *unionField) bool { return f.role == roleMember }); i >= 0 {
		tag = fields[i].text
		out.Marked = true // the remaining members are marked in the same way
		out.AtMostOne = strings.Contains(tag, markers.TagZeroOrOneOfMemberName)
	}
	if s.statuses[t] && !out.AtMostOne {
		return Suggestion{}, false
	}
	e := &lineEditor{suggester: s, t: t, out: &out}
	for _, f := range fields {
		member := Member{Field: f.field.Label(), Marked: f.role == roleMember}
		out.Members = append(out.Members, member)
		if !member.Marked {
			lacks = true
			e.aboveField(f, tag, "")
		}
	}
	if !lacks {
		return Suggestion{}, false
	}
	e.ownRules(fields)
	e.finish()
	return out, true
}
