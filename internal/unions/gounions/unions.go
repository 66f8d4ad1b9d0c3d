package gounions

import (
	"cmp"
	"context"
	"encoding/json"
	"go/token"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Unions holds the unions of a run.
type Unions struct {
	Reporter *report.Reporter
	Settings Settings
	// Table has the definitions of markers.
	Table *markers.Table
	// Server evaluates rules and estimates their costs; if it is nil, no union is written.
	Server Server
	// Extensions adds x-kubernetes-unions to schemas.
	Extensions bool
	// All adds x-kubernetes-unions also for unions that are not enabled, which nothing
	// enforces.
	All bool
	// IsConverted reports whether a webhook converts between the versions of a definition.
	IsConverted func(*checks.Definition) bool

	// finished are the unions of the types with finished schemas, in field order, completed
	// with information from the schemas.
	finished map[*source.Type][]*Marked
	// modes are the modes of these types.
	modes map[*source.Type][]*MarkedModes
	// enums are the positions of the +enum markers that take effect because of unions.
	enums map[token.Pos]bool
	// lackDiscriminators are the structs for which a missing discriminator has been reported,
	// off the packages for which it has been reported that unions are not enabled, with the
	// index of that diagnostic, and invalid those with another problem of a union.
	lackDiscriminators map[*source.Type]bool
	off                map[*source.Package]int
	invalid            map[*source.Package]bool
	// ruled is set once a union is written as rules.
	ruled bool
}

// Settings are the settings of packages that concern unions.
type Settings interface {
	// UnionForms returns the forms in which the unions of a type are written; nil if its
	// package does not enable unions.
	UnionForms(t *source.Type) []unions.Form
	// Enabled reports whether a feature is enabled for a package.
	Enabled(p *source.Package, feature string) bool
	// Allowed returns the markers that a package excludes from linting.
	Allowed(p *source.Package) []string
}

// Server is the part of an API server that unions use.
type Server interface {
	// Costs returns the estimated costs of the CEL rules of a definition, sorted by path.
	Costs(ctx context.Context, definition *apiextensionsv1.CustomResourceDefinition) ([]unions.RuleCost, error)
	// JudgeUnion compares handwritten rules in the schema of an object with a union; it returns nil if there
	// are none, or if it cannot tell.
	JudgeUnion(u *unions.Union, schema *structural.Schema) *unions.Judgement
	// Before reports whether the server is older than Kubernetes 1.minor.
	Before(minor uint) bool
}

// Of returns the unions of a type whose schema is finished.
func (all *Unions) Of(t *source.Type) []*Marked { return finishedOf(all.finished, t) }

// ModesOf returns the modes of a type whose schema is finished.
func (all *Unions) ModesOf(t *source.Type) []*MarkedModes { return finishedOf(all.modes, t) }

// finishedOf looks up a type. An unnamed struct has several: see [source.AnonymousStruct].
func finishedOf[E any](finished map[*source.Type][]E, t *source.Type) []E {
	if found, ok := finished[t]; ok {
		return found
	}
	for other, found := range finished { // at most one matches
		if other.Spec.Type == t.Spec.Type && other.File == t.File {
			return found
		}
	}
	return nil
}

// Uses reports whether the +enum marker at a position takes effect because of a union, although
// its package does not enable enums.
func (all *Unions) Uses(enum token.Pos) bool { return all.enums[enum] }

// Marked is a union as declared by the markers of a struct.
type Marked struct {
	// Union is the model of the union.
	Union unions.Union
	// enum is the type of the discriminator if it is marked as an enum. Enabling unions
	// enables this enum, too.
	enum *source.Type
	// Discriminator is the field of the discriminator, or nil; Members are the fields of the
	// members, by index.
	Discriminator *source.NamedField
	Members       []*source.NamedField
	// erased are the members that conditions on gates remove.
	erased []erasedPart
	// ambiguous is set if a member does not name its discriminator although there are
	// several.
	ambiguous bool
	// sketched is set if the markers of the structural-schema proposal are used: a
	// discriminator that is a plain string gets the members' values.
	sketched bool
}

// Edits returns the edits that add the unions of a struct to its schema.
func (all *Unions) Edits(t *source.Type, fields []source.NamedField) []*edits.Edit {
	if !t.Pkg.Local() {
		return nil // packages that this run does not generate have no unions
	}
	out := all.modeEdits(t, fields)
	var marked []source.NamedField
	for _, f := range fields {
		if f.Field.Markers.InUnion() {
			marked = append(marked, f)
		}
	}
	if len(marked) == 0 {
		return out // nil, as most structs
	}
	found := all.find(t, marked)
	if len(found) == 0 {
		return out
	}
	if t.Generic != nil {
		all.problem(t, found[0].Union.Pos, "declare a struct of its own for each type argument", "generic type %s holds a union", t.Generic)
		return out
	}
	forms := all.Settings.UnionForms(t)
	for _, u := range found {
		out = append(out, &edits.Edit{Pkg: t.Pkg, Pos: u.Union.Pos, Name: markers.UnionDiscriminatorName,
			Op: writeUnion{u, t, forms, all}})
	}
	return out
}

// keep records a union of a type. A type is finished once for each field that adds to it;
// only the first time counts.
func (all *Unions) keep(t *source.Type, u *Marked) {
	for _, known := range all.finished[t] {
		if known.Union.Pos == u.Union.Pos {
			return
		}
	}
	if all.finished == nil {
		all.finished = map[*source.Type][]*Marked{}
	}
	all.finished[t] = append(all.finished[t], u)
}

// reportOff reports, once per package, that unions are not enforced.
func (all *Unions) reportOff(t *source.Type, pos token.Pos) {
	if _, known := all.off[t.Pkg]; known || slices.ContainsFunc(all.Settings.Allowed(t.Pkg), func(name string) bool { return strings.HasPrefix(name, "union") }) {
		return
	}
	if all.off == nil {
		all.off = map[*source.Package]int{}
	}
	all.off[t.Pkg] = all.Reporter.Findings()
	all.Reporter.Report(report.UnionsDisabled, t.Pkg.At(pos), "write // +schemagen:unions=cel above the package clause, or set unions: cel in schemagen.yaml; objects that are stored with members which their discriminator does not select will be rejected when the union changes: see docs/unions.md",
		"no rule enforces this union, and package %s does not switch unions on", t.Pkg.Path)
}

// meant adds to the last diagnostic, which is about the marker of a type at a position, the
// fix that replaces the value of the marker.
func (all *Unions) meant(t *source.Type, pos token.Pos, value, meant string) {
	c, ok := markers.At(t.File.Syntax, pos)
	head, tail, found := strings.Cut(c.Text, "="+value)
	if ok && found && (tail == "" || tail[0] == ',') {
		offset := len(head) + len("=")
		all.Reporter.Fix(&all.Reporter.List[len(all.Reporter.List)-1], "write "+meant, &markers.Edit{Pos: c.PosAt(offset), End: c.PosAt(offset + len(value)), New: meant})
	}
}

// fixOff adds the fix that enables unions to the diagnostics about packages that do not.
// With a union that is invalid, that would be an error.
func (all *Unions) fixOff() {
	for p, i := range all.off {
		if !all.invalid[p] {
			all.Reporter.Fix(&all.Reporter.List[i], "write // +schemagen:unions=cel", report.PackageMarker(p, "+schemagen:unions=cel"))
		}
	}
}

// invalidIn records that a union of a package is invalid.
func (all *Unions) invalidIn(p *source.Package) {
	if all.invalid == nil {
		all.invalid = map[*source.Package]bool{}
	}
	all.invalid[p] = true
}

// find reads the markers of a struct's fields.
func (all *Unions) find(t *source.Type, fields []source.NamedField) []*Marked {
	var out []*Marked
	named := map[string]*Marked{} // by the union names in Kubernetes' tags
	var native []*Marked
	erased := all.erasedParts(t)
	for i := range fields {
		f := &fields[i]
		d := &Marked{Union: unions.Union{Discriminator: f.Name, GoName: f.Field.Label()}, Discriminator: f}
		if m := f.Field.Markers.Get(markers.UnionDiscriminatorName); m != nil {
			d.Union.Pos = m.Pos
			native = append(native, d)
		} else if m := f.Field.Markers.Get(markers.DiscriminatorName); m != nil {
			d.Union.Pos = m.Pos
			d.sketched = true
			native = append(native, d)
		} else if m := f.Field.Markers.Get(markers.TagUnionDiscriminatorName); m != nil {
			d.Union.Pos = m.Pos
			named[NameOf(m)] = d
		} else {
			continue
		}
		enum, marker := EnumTypeOf(t, f.Field)
		d.enum = enum
		if enum != nil && all.Settings.UnionForms(t) != nil {
			if all.enums == nil {
				all.enums = map[token.Pos]bool{}
			}
			all.enums[marker] = true
		}
		out = append(out, d)
	}
	for i := range fields {
		field := &fields[i]
		for _, marker := range field.Field.Markers {
			member := unions.Member{Name: field.Name, GoName: field.Field.Label(), Value: field.Field.Label(), Pos: marker.Pos}
			var target *Marked
			switch value := marker.Value.(type) {
			case markers.UnionMember:
				if value.Value != "" {
					member.Value = value.Value
				}
				member.Optional = value.Optional
				target = all.discriminatorOf(t, field, marker, native, erased)
			case markers.Declarative:
				if marker.Name != markers.TagUnionMemberName && marker.Name != markers.TagZeroOrOneOfMemberName {
					continue
				}
				if arg, ok := value.NamedArg("memberName"); ok {
					member.Value = arg.Value
				}
				key := NameOf(marker)
				target = named[key]
				if target == nil {
					if d := lostTagged(erased, key); d != nil {
						all.reportLost(t, member.GoName, marker.Pos, d)
						continue
					}
					target = &Marked{Union: unions.Union{Pos: marker.Pos, AtMostOne: marker.Name == markers.TagZeroOrOneOfMemberName}}
					named[key] = target
					out = append(out, target)
				}
				if marker.Name == markers.TagZeroOrOneOfMemberName {
					target.Union.AtMostOne = true
				}
			default:
				continue
			}
			if target != nil {
				target.Union.Members = append(target.Union.Members, member)
				target.Members = append(target.Members, field)
			}
		}
	}
	for _, part := range erased {
		target := named[part.union]
		if !part.tagged {
			i := slices.IndexFunc(native, func(d *Marked) bool { return part.union == "" || part.union == d.Union.GoName })
			if i < 0 {
				continue
			}
			target = native[i]
		}
		if target != nil && !part.discriminator {
			target.erased = append(target.erased, part)
		}
	}
	return out
}

// EnumTypeOf returns the type of a field if it is a string type marked as an enum, whether or
// not the package enables enums, and the position of the marker.
func EnumTypeOf(t *source.Type, f *source.Field) (*source.Type, token.Pos) {
	name, why := t.File.Resolve(source.Pointee(f.Type))
	if why != nil || name.Type == nil || !name.Type.IsString() {
		return nil, token.NoPos
	}
	for _, comment := range name.Type.File.Comments.Type(name.Type.Spec) {
		if comment.Text == "+"+markers.EnumName || comment.Text == "+"+markers.TagEnumName {
			return name.Type, comment.Pos
		}
	}
	return nil, token.NoPos
}

// NameOf returns the union name in a tag.
func NameOf(m *markers.Marker) string {
	tag, _ := m.Value.(markers.Declarative)
	if tag.Name == markers.TagModeDiscriminatorName {
		arg, _ := tag.NamedArg("modality")
		return modality + arg.Value
	}
	arg, _ := tag.NamedArg("union")
	return arg.Value
}

// discriminatorOf returns the union that a member belongs to.
func (all *Unions) discriminatorOf(t *source.Type, f *source.NamedField, m *markers.Marker, native []*Marked,
	erased []erasedPart) *Marked {
	report := func(pos token.Pos, hint, format string, args ...any) {
		all.problem(t, pos, hint, format, args...)
	}
	if f.Field.Markers.Get(markers.UnionDiscriminatorName) != nil || f.Field.Markers.Get(markers.DiscriminatorName) != nil {
		report(m.Pos, "", "field %s is a discriminator and a member", f.Field.Label())
		return nil
	}
	marker := f.Field.Markers.Get(markers.UnionDiscriminatedByName)
	switch {
	case marker != nil:
		name := string(marker.Value.(markers.UnionDiscriminatedBy))
		for _, d := range native {
			if d.Union.GoName == name {
				return d
			}
		}
		if d := lost(erased, name); d != nil {
			all.reportLost(t, f.Field.Label(), m.Pos, d)
			return nil
		}
		var names []string
		for _, d := range native {
			names = append(names, d.Union.GoName)
		}
		report(marker.Pos, words.DidYouMean(name, names, "give the Go name of a field with +unionDiscriminator"), "there is no discriminator %s in %s", name, t)
		if nearest, ok := words.OnlyNearest(name, names); ok {
			all.meant(t, marker.Pos, name, nearest)
		}
	case len(native) == 0 && lost(erased, "") != nil:
		all.reportLost(t, f.Field.Label(), m.Pos, lost(erased, ""))
	case len(native) == 0 && !all.lackDiscriminators[t]:
		if all.lackDiscriminators == nil {
			all.lackDiscriminators = map[*source.Type]bool{}
		}
		all.lackDiscriminators[t] = true // reported once for all members
		for _, field := range t.Fields() {
			if !field.JSON().IsSet || field.Malformed.Has(markers.UnionDiscriminatorName) ||
				field.Malformed.Has(markers.DiscriminatorName) {
				return nil // it may be the right one
			}
		}
		report(m.Pos, "mark the field that selects it +unionDiscriminator", "the union of member %s has no discriminator", f.Field.Label())
	case len(native) == 0 || native[0].ambiguous:
	case len(native) > 1:
		for _, d := range native {
			d.ambiguous = true
		}
		report(m.Pos, "name it: +unionDiscriminatedBy="+native[0].Union.GoName, "%s has %d discriminators, and member %s names none", t, len(native), f.Field.Label())
	default:
		return native[0]
	}
	return nil
}

// problem reports a problem with a union: an error if unions are enabled.
func (all *Unions) problem(t *source.Type, pos token.Pos, hint, format string, args ...any) {
	all.invalidIn(t.Pkg)
	all.Reporter.Report(report.InvalidUnion, t.Pkg.At(pos), hint, format, args...).Severity = all.severity(t)
}

// enabled reports whether the unions of a type are written.
func (all *Unions) enabled(t *source.Type) bool {
	forms := all.Settings.UnionForms(t)
	return forms != nil && !slices.Contains(forms, unions.FormNone)
}

// severity is how bad problems with the unions of a type are: an error if unions are enabled.
func (all *Unions) severity(t *source.Type) diag.Severity {
	if all.enabled(t) {
		return diag.Error
	}
	return diag.Warning
}

// writeUnion is the operation that adds a union to the schema of its struct.
type writeUnion struct {
	*Marked
	owner *source.Type // the struct
	forms []unions.Form
	all   *Unions
}

// Apply writes the union into the schema of its struct. There is no rule
//
//   - if the struct is in another module, generic, or has too few members: see Edits and find, which
//     then return no union;
//   - if a field that the union uses may be missing, or has a mistake, which was reported;
//   - if the union itself has a mistake: see readDiscriminator and checkMembers;
//   - if unions are not enabled for the package (UnionForms in internal/define/packageoptions.go), which
//     reportOff reports;
//   - if the run has no server, on which rules depend;
//   - if rules that people wrote enforce it: see enforcedByHand;
//   - if the package asks for other forms than rules, or rules cannot read a field: see
//     [unions.Lower].
//
// [Unions.Fit] later replaces rules that cost too much where the struct is used.
func (op writeUnion) Apply(editor *edits.Editor, schema *structural.Schema) {
	union := op.Union
	union.Members = slices.Clone(union.Members)
	enabled := op.all.enabled(op.owner)
	if op.forms == nil && len(union.Members) > 0 && !mentionsMember(&union, schema) && !addsJunctor(op.owner.Markers) {
		op.all.reportOff(op.owner, union.Pos)
	}
	failed := false
	problem := func(pos token.Pos, hint, format string, args ...any) {
		failed = true
		op.all.invalidIn(editor.Pkg)
		op.all.Reporter.Report(report.InvalidUnion, editor.Pkg.At(pos), hint, format, args...).Severity = op.all.severity(op.owner)
	}
	if op.ambiguous || schema.Origin.Mistake == notes.InShape {
		return // a field that it uses may be missing
	}
	if union.Discriminator != "" {
		op.readDiscriminator(&union, schema, problem)
		failed = op.reportValues(&union, schema) || failed
	}
	op.checkMembers(editor, &union, schema, problem)
	if failed {
		if i := schema.PropertyIndex(union.Discriminator); i >= 0 {
			d := *schema.Properties[i].Schema
			d.Origin.Mistake = max(d.Origin.Mistake, notes.InKeywords)
			schema.Properties[i].Schema = &d
		}
	}
	if failed || hasMistake(schema, union.Discriminator) {
		return
	}
	op.warnOfLock(&union)
	finished := *op.Marked
	finished.Union = union
	op.all.keep(op.owner, &finished)
	if !enabled && !op.all.All || slices.ContainsFunc(union.Members, func(m unions.Member) bool { return hasMistake(schema, m.Name) }) {
		return
	}
	if !enabled {
		lowered, err := unions.Lower(union, unions.LowerOptions{Forms: []unions.Form{unions.FormExtension}})
		if err != nil {
			editor.Errorf(union.Pos, "", "%v", err)
			return
		}
		op.setDiscriminator(union.Discriminator, schema, lowered)
		return
	}
	server := op.all.Server
	if server == nil {
		op.all.Reporter.Report(report.InvalidUnion, editor.Pkg.At(union.Pos), "set Options.Server", "unions are enabled, but no API server is given, on which their rules depend")
		return
	}
	forms := op.forms
	if op.all.Extensions {
		forms = append(slices.Clone(forms), unions.FormExtension)
	}
	options := unions.LowerOptions{Forms: forms,
		Transition: op.all.Settings.Enabled(editor.Pkg, markers.FeatureUnionTransition), Plain: server.Before(28)}
	lowered, err := unions.Lower(union, options)
	if err != nil {
		editor.Errorf(union.Pos, "", "%v", err)
		return
	}
	if len(lowered.Rules) > 0 && op.enforcedByHand(editor, &union, schema) {
		lowered.Rules = nil
	}
	if len(lowered.Rejected) > 0 {
		op.all.Reporter.Report(report.UnionInOtherForm, editor.Pkg.At(union.Pos), "give it a type, or another name",
			"the union of %s is written %s: CEL rules cannot read %s", cmp.Or(union.GoName, "the struct"), inWords(lowered.Style), lowered.Rejected[0].Name)
	}
	op.all.ruled = op.all.ruled || len(lowered.Rules) > 0
	for _, rule := range lowered.Rules {
		edits.AddRule(editor, schema, rule)
		schema.Origin.Keywords[len(schema.Origin.Keywords)-1].Pos = rulePos(&union, rule)
	}
	if len(lowered.OneOf) > 0 {
		edits.Conjoin(schema.Validation(), &structural.ValueValidation{OneOf: lowered.OneOf})
	}
	op.setDiscriminator(union.Discriminator, schema, lowered)
}

// setDiscriminator adds what a union adds to its discriminator.
func (op writeUnion) setDiscriminator(name string, s *structural.Schema, lowered unions.Lowered) {
	i := s.PropertyIndex(name)
	if i < 0 || len(lowered.Enum)+len(lowered.Members) == 0 {
		return
	}
	d := *s.Properties[i].Schema
	d.XUnionMembers = lowered.Members
	v := structural.ValueValidation{}
	if d.ValueValidation != nil {
		v = *d.ValueValidation
	}
	if len(v.Enum) == 0 && len(lowered.Enum) > 0 {
		v.Enum = lowered.Enum
		d.ValueValidation = &v
	}
	s.Properties[i].Schema = &d
}

// hasMistake reports whether an error in the source affects the schema of a property.
func hasMistake(s *structural.Schema, property string) bool {
	p := s.Property(property)
	return p != nil && p.Origin.Mistake != notes.NoMistake
}

// rulePos returns the position of the member that a rule is about, or else of the union.
func rulePos(u *unions.Union, rule structural.Rule) token.Pos {
	for _, m := range u.Members {
		if celtext.FieldPath(m.Name) == rule.FieldPath {
			return m.Pos
		}
	}
	return u.Pos
}

// readDiscriminator completes the discriminator with information from the schema.
func (op writeUnion) readDiscriminator(union *unions.Union, s *structural.Schema, report func(token.Pos, string, string, ...any)) {
	d := s.Property(union.Discriminator)
	if d == nil {
		return // it is not in the schema
	}
	if d.Origin.Mistake != notes.NoMistake {
		return
	}
	union.Required = s.Requires(union.Discriminator)
	if d.Type != "string" {
		report(union.Pos, "use a string type with an enum", "discriminator %s is not a string: its type is %s", union.GoName, edits.TypeOrNone(d.Type))
		return
	}
	if d.Nullable {
		report(union.Pos, "remove +nullable: an absent discriminator means the same", "discriminator %s is nullable", union.GoName)
	}
	if d.Default != nil {
		var value string
		if json.Unmarshal(d.Default.Raw, &value) == nil {
			union.Default = &value
		}
	}
	names := textsIn(d)
	if len(names) == 0 && op.enum != nil {
		all, _ := op.enum.Constants() // constants without a value are reported where enums are enabled
		for _, c := range all {
			if !c.Excluded && !slices.Contains(names, c.Value) {
				names = append(names, c.Value)
			}
		}
	}
	if len(names) == 0 && op.sketched {
		for _, m := range union.Members {
			names = append(names, m.Value)
		}
	}
	if len(names) == 0 {
		for _, m := range union.Members {
			names = append(names, m.Value)
		}
		report(union.Pos, "give its type +enum (with // +schemagen:enable=enum), or list its values: +kubebuilder:validation:Enum="+cmp.Or(strings.Join(names, ";"), "A;B"),
			"discriminator %s has no closed set of values", union.GoName)
		return
	}
	hasEmpty := slices.Contains(names, "")
	isPointer := op.Discriminator.Field.IsPointer() // a pointer distinguishes "" from absence
	omitted := op.Discriminator.Field.JSON().Omits()
	switch {
	case union.Default != nil:
		if union.Required || !omitted {
			report(union.Pos, "make it +optional, with omitempty", "discriminator %s has a default, so clients may omit it", union.GoName)
		}
	case hasEmpty && !isPointer && (union.Required || !omitted):
		report(union.Pos, "make it +optional, with omitempty, or remove the value \"\"", "discriminator %s has the value \"\", which means that it is absent", union.GoName)
	case !union.Required && !hasEmpty && !op.sketched:
		report(union.Pos, "make it required, give it a default, or give it the value \"\"", "discriminator %s may be absent, but none of its values means that", union.GoName)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		value := unions.Value{Name: name}
		if m := union.Selected(name); m >= 0 {
			value.Member = union.Members[m].Name
		}
		union.Values = append(union.Values, value)
	}
	if len(union.Members) == 0 && len(union.Values) < 2 {
		report(union.Pos, "mark its members +unionMember", "discriminator %s has neither members nor a second value", union.GoName)
	}
}

// textsIn returns the values of an enum that are strings.
func textsIn(s *structural.Schema) (out []string) {
	if s.ValueValidation == nil {
		return nil
	}
	for _, raw := range s.Enum {
		var value string
		if json.Unmarshal(raw.Raw, &value) == nil {
			out = append(out, value)
		}
	}
	return out
}

// addsJunctor reports whether one of the markers adds a logical junctor, which may enforce a
// union.
func addsJunctor(s source.Markers) bool {
	return slices.ContainsFunc(s, func(m *markers.Marker) bool {
		f, ok := m.Value.(markers.Fragment)
		return ok && slices.Contains([]string{"allOf", "anyOf", "oneOf", "not"}, f.Keyword)
	})
}
