package generator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// This file is where the markers of unions become unions, and unions become rules
// of the schemas of their structs. What a union needs to know of its discriminator
// and members is read from the finished schema, whoever said it there.

// unionForms reads the forms in which a package or type wants unions written.
func (w *world) unionForms(p *pkg, m *markers.Marker, value markers.Unions) []unions.Form {
	forms, err := unions.ParseForms(strings.Join(value, ";"))
	if err == nil {
		err = writable(forms)
	}
	if err != nil {
		w.reporter.errorf(codeArguments, p, m.Pos, "", "+%s: %v", m.Name, err)
		return []unions.Form{unions.FormNone}
	}
	return forms
}

// CheckUnions says what is wrong with [Options.Unions].
func CheckUnions(text string) error {
	if text == "" {
		return nil
	}
	forms, err := unions.ParseForms(text)
	if err != nil {
		return err
	}
	return writable(forms)
}

// writable refuses forms that a CRD cannot carry.
func writable(forms []unions.Form) error {
	for _, form := range forms {
		if form == unions.FormExtension || form == unions.FormExtensionObject {
			return fmt.Errorf("%s is not written into CRDs: API servers do not know x-kubernetes-unions", form)
		}
	}
	return nil
}

// unionFormsOf returns the forms for a type; nil where nobody switched unions on.
func (b *builder) unionFormsOf(t *typeDecl) []unions.Form {
	if m := t.markers.get("schemagen:unions"); m != nil {
		return b.world.unionForms(t.pkg, m, m.Value.(markers.Unions))
	}
	if forms := t.pkg.describe().unions; forms != nil {
		return forms
	}
	return t.pkg.settings().unionForms()
}

// draftUnion is a union as the markers of a struct say it.
type draftUnion struct {
	union unions.Union
	// enum is the type of the discriminator, if it is marked as an enum: switching
	// unions on takes that, too.
	enum *typeDecl
	// discriminator is the field of the discriminator, if there is one; members
	// are those of the members, by index.
	discriminator *namedField
	members       []*namedField
	// sketched says that the structural-schema proposal's words are used: a
	// discriminator that is a plain string has the members' values.
	sketched bool
}

// unionEdits returns the edits that write the unions of a struct into its schema.
func (b *builder) unionEdits(t *typeDecl, fields []namedField) []*edit {
	if !t.pkg.local() {
		return nil // a package that this run does not generate has no unions
	}
	found := b.findUnions(t, fields)
	if len(found) == 0 {
		return nil
	}
	if t.generic != nil {
		b.unionProblem(t, found[0].union.Pos, "declare a struct of its own for each type argument", "generic type %s holds a union", t.generic)
		return nil
	}
	forms := b.unionFormsOf(t)
	if forms == nil {
		b.world.unionsOff(t, found[0].union.Pos)
	}
	var out []*edit
	for _, u := range found {
		out = append(out, &edit{pkg: t.pkg, pos: u.union.Pos, name: "unionDiscriminator", op: writeUnion{u, t, forms}})
	}
	return out
}

// keepUnion notes a union of a type with what its schema says of it. A type is
// finished once for each field that adds to it; the first says it.
func (w *world) keepUnion(t *typeDecl, u *draftUnion) {
	for _, known := range w.unions[t] {
		if known.union.Pos == u.union.Pos {
			return
		}
	}
	w.unions[t] = append(w.unions[t], u)
}

// unionsOff says once for a package that its unions are not enforced.
func (w *world) unionsOff(t *typeDecl, pos token.Pos) {
	facts := t.pkg.describe()
	if facts.unionsSaid || slices.ContainsFunc(facts.allow, func(name string) bool { return strings.HasPrefix(name, "union") }) {
		return
	}
	facts.unionsSaid = true
	w.reporter.add(codeUnionsOff, diag.Warning, t.pkg, pos,
		fmt.Sprintf("the unions of package %s are not enforced", t.pkg.Path),
		"beside the package clause write // +schemagen:unions=cel, or run with --unions=cel; objects that are stored with members which their discriminator does not select will be refused when the union changes: see docs/unions.md")
}

// findUnions reads the markers of a struct's fields.
func (b *builder) findUnions(t *typeDecl, fields []namedField) []*draftUnion {
	var out []*draftUnion
	named := map[string]*draftUnion{} // Kubernetes' tags name their unions
	var native []*draftUnion
	for i := range fields {
		f := &fields[i]
		d := &draftUnion{union: unions.Union{Discriminator: f.name, GoName: f.field.label()}, discriminator: f}
		if m := f.field.markers.get("unionDiscriminator"); m != nil {
			d.union.Pos = m.Pos
			native = append(native, d)
		} else if m := f.field.markers.get("discriminator"); m != nil {
			d.union.Pos, d.sketched = m.Pos, true
			native = append(native, d)
		} else if m := f.field.markers.get("k8s:unionDiscriminator"); m != nil {
			d.union.Pos = m.Pos
			named[unionName(m)] = d
		} else {
			continue
		}
		d.enum = t.enumType(f.field, b.unionFormsOf(t) != nil)
		out = append(out, d)
	}
	for i := range fields {
		f := &fields[i]
		for _, m := range f.field.markers {
			member := unions.Member{Name: f.name, GoName: f.field.label(), Value: f.field.label(), Pos: m.Pos}
			var to *draftUnion
			switch value := m.Value.(type) {
			case markers.UnionMember:
				if value.Value != "" {
					member.Value = value.Value
				}
				member.Optional = value.Optional
				to = b.discriminatorOf(t, f, m, native)
			case markers.Declarative:
				if m.Name != "k8s:unionMember" && m.Name != "k8s:zeroOrOneOfMember" {
					continue
				}
				if arg, ok := value.NamedArg("memberName"); ok {
					member.Value = arg.Value
				}
				key := unionName(m)
				if to = named[key]; to == nil {
					to = &draftUnion{union: unions.Union{Pos: m.Pos, AtMostOne: m.Name == "k8s:zeroOrOneOfMember"}}
					named[key] = to
					out = append(out, to)
				}
				if m.Name == "k8s:zeroOrOneOfMember" {
					to.union.AtMostOne = true
				}
			default:
				continue
			}
			if to != nil {
				to.union.Members = append(to.union.Members, member)
				to.members = append(to.members, f)
			}
		}
	}
	return out
}

// enumType returns the type of a field if it is a string that is marked as an
// enum, whether the package switched that on or not.
func (t *typeDecl) enumType(f *fieldDecl, taken bool) *typeDecl {
	typ := f.typ
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	name, why := t.file.resolve(typ)
	if why != nil || name.decl == nil || !name.decl.isString() {
		return nil
	}
	for _, comment := range name.decl.file.comments.Type(name.decl.spec) {
		if comment.Text == "+enum" || comment.Text == "+k8s:enum" {
			if taken {
				t.pkg.world.unionEnums[comment.Pos] = true
			}
			return name.decl
		}
	}
	return nil
}

// unionName is the name that a tag gives its union.
func unionName(m *markers.Marker) string {
	tag, _ := m.Value.(markers.Declarative)
	arg, _ := tag.NamedArg("union")
	return arg.Value
}

// discriminatorOf returns the union that a member belongs to.
func (b *builder) discriminatorOf(t *typeDecl, f *namedField, m *markers.Marker, native []*draftUnion) *draftUnion {
	report := func(pos token.Pos, hint, format string, args ...any) {
		b.unionProblem(t, pos, hint, format, args...)
	}
	if f.field.markers.get("unionDiscriminator") != nil || f.field.markers.get("discriminator") != nil {
		report(m.Pos, "", "field %s is a discriminator and a member", f.field.label())
		return nil
	}
	by := f.field.markers.get("unionDiscriminatedBy")
	switch {
	case by != nil:
		name := string(by.Value.(markers.UnionDiscriminatedBy))
		for _, d := range native {
			if d.union.GoName == name {
				return d
			}
		}
		var names []string
		for _, d := range native {
			names = append(names, d.union.GoName)
		}
		report(by.Pos, didYouMean(name, names, "it wants the Go name of a field with +unionDiscriminator"), "there is no discriminator %s in %s", name, t)
	case len(native) == 0:
		report(m.Pos, "mark the field that selects it +unionDiscriminator", "the union of member %s has no discriminator", f.field.label())
	case len(native) > 1:
		report(m.Pos, "name it: +unionDiscriminatedBy="+native[0].union.GoName, "%s has %d discriminators, and member %s names none", t, len(native), f.field.label())
	default:
		return native[0]
	}
	return nil
}

// unionProblem reports what is wrong with a union: an error where unions are
// switched on.
func (b *builder) unionProblem(t *typeDecl, pos token.Pos, hint, format string, args ...any) {
	severity := diag.Error
	if forms := b.unionFormsOf(t); forms == nil || slices.Contains(forms, unions.FormNone) {
		severity = diag.Warning
	}
	b.reporter.add(codeUnion, severity, t.pkg, pos, fmt.Sprintf(format, args...), hint)
}

// writeUnion writes a union into the schema of its struct.
type writeUnion struct {
	*draftUnion
	owner *typeDecl // the struct
	forms []unions.Form
}

func (op writeUnion) apply(e *editor, s *structural.Schema) {
	u := op.union
	u.Members = slices.Clone(u.Members)
	severity := diag.Error
	if op.forms == nil || slices.Contains(op.forms, unions.FormNone) {
		severity = diag.Warning
	}
	failed := false
	report := func(pos token.Pos, hint, format string, args ...any) {
		failed = true
		e.builder.reporter.add(codeUnion, severity, e.pkg, pos, fmt.Sprintf(format, args...), hint)
	}
	if u.Discriminator != "" {
		op.readDiscriminator(&u, s, report)
	}
	op.checkMembers(e, &u, s, report)
	if failed {
		return
	}
	finished := *op.draftUnion
	finished.union = u
	e.builder.world.keepUnion(op.owner, &finished)
	if severity == diag.Warning {
		return
	}
	target, err := e.builder.world.target()
	if err != nil {
		e.errorf(u.Pos, "", "%v", err)
		return
	}
	forms := op.forms
	if e.builder.options.extensions {
		forms = append(slices.Clone(forms), unions.FormExtension)
	}
	options := unions.LowerOptions{Forms: forms, Transition: e.pkg.enabled(markers.FeatureUnionTransition), Plain: target.Before(28)}
	lowered, err := unions.Lower(u, options)
	if err != nil {
		e.errorf(u.Pos, "", "%v", err)
		return
	}
	if len(lowered.Rules) > 0 && op.saidByHand(e, &u, s) {
		lowered.Rules = nil
	}
	if len(lowered.Rejected) > 0 {
		e.builder.reporter.add(codeUnionCost, diag.Warning, e.pkg, u.Pos,
			fmt.Sprintf("the union of %s is written %s: CEL rules cannot read %s", cmp.Or(u.GoName, "the struct"), inWords(lowered.Style), lowered.Rejected[0].Name),
			"give it a type, or another name")
	}
	e.builder.world.unionRules = e.builder.world.unionRules || len(lowered.Rules) > 0
	for _, rule := range lowered.Rules {
		addRule(e, s, rule)
		s.Origin.Keywords[len(s.Origin.Keywords)-1].Pos = placeOfRule(&u, rule)
	}
	if len(lowered.OneOf) > 0 {
		conjoin(values(s), &structural.ValueValidation{OneOf: lowered.OneOf})
	}
	if i := propertyIndex(s, u.Discriminator); i >= 0 && len(lowered.Enum) > 0 {
		d := *s.Properties[i].Schema
		d.XUnionMembers = lowered.Members
		v := structural.ValueValidation{}
		if d.ValueValidation != nil {
			v = *d.ValueValidation
		}
		if len(v.Enum) == 0 {
			v.Enum = lowered.Enum
			d.ValueValidation = &v
		}
		s.Properties[i].Schema = &d
	}
}

// placeOfRule is the place of the member that a rule is about, or else of the
// union.
func placeOfRule(u *unions.Union, rule structural.Rule) token.Pos {
	for _, m := range u.Members {
		if structural.RuleFieldPath(m.Name) == rule.FieldPath {
			return m.Pos
		}
	}
	return u.Pos
}

// saidByHand reports whether rules that stand in the schema already refuse what
// the union refuses and nothing else. Those that do not are warned of.
func (op writeUnion) saidByHand(e *editor, u *unions.Union, s *structural.Schema) bool {
	rules := u.ByHand(s)
	if len(rules) == 0 {
		return false
	}
	var texts []string
	for _, i := range rules {
		texts = append(texts, s.XValidations[i].Rule)
	}
	evaluator, err := apiserver.NewEvaluator(s.Props(), texts)
	if err != nil {
		return false // the schema is not structural, which verification says
	}
	judged := u.Judge(s, rules, func(object map[string]any) []unions.Outcome {
		var out []unions.Outcome
		for _, o := range evaluator.Evaluate(context.Background(), object) {
			out = append(out, unions.Outcome(o))
		}
		return out
	})
	name := "the union of " + u.GoName
	if u.Discriminator == "" {
		name = "the union"
	}
	warn := func(rule int, hint, format string, args ...any) {
		places := s.Locate(fmt.Sprintf(".x-kubernetes-validations[%d]", rule))
		pos := places[len(places)-1]
		if !pos.IsValid() {
			pos = u.Pos
		}
		e.builder.reporter.add(codeUnionRules, diag.Warning, e.pkg, pos, fmt.Sprintf(format, args...), hint)
	}
	const remove = "remove the rule: the union has rules of its own"
	switch {
	case judged.Fails != nil:
		warn(judged.FailsRule, remove, "the rule fails on %s instead of saying its message: %s", unions.Text(judged.Fails), judged.Failure)
	case judged.Slips != nil:
		warn(rules[0], remove, "the hand-written rules for %s accept %s", name, unions.Text(judged.Slips))
	}
	for _, rule := range judged.OneMessage {
		warn(rule, remove, "the rule refuses both a member that is missing and one that is not selected, with one message")
	}
	if judged.Same && len(judged.NoPlace) > 0 {
		warn(judged.NoPlace[0], "remove the hand-written rules, or give them a fieldPath", "the hand-written rules for %s say what its markers say, but not at which field", name)
	}
	return judged.Same
}

// readDiscriminator fills in what the schema knows of the discriminator.
func (op writeUnion) readDiscriminator(u *unions.Union, s *structural.Schema, report func(token.Pos, string, string, ...any)) {
	i := propertyIndex(s, u.Discriminator)
	if i < 0 {
		return // it is left out of the schema
	}
	d := s.Properties[i].Schema
	u.Required = s.ValueValidation != nil && slices.Contains(s.Required, u.Discriminator)
	if d.Type != "string" {
		report(u.Pos, "use a string type with an enum", "discriminator %s is no string: its type is %s", u.GoName, typeOrNone(d.Type))
		return
	}
	if d.Nullable {
		report(u.Pos, "remove +nullable: an absent discriminator says the same", "discriminator %s is nullable", u.GoName)
	}
	if d.Default != nil {
		var value string
		if json.Unmarshal(d.Default.Raw, &value) == nil {
			u.Default = &value
		}
	}
	var names []string
	if d.ValueValidation != nil {
		for _, raw := range d.Enum {
			var value string
			if json.Unmarshal(raw.Raw, &value) == nil {
				names = append(names, value)
			}
		}
	}
	if len(names) == 0 && op.enum != nil {
		all, _ := op.enum.constants() // what has no value is reported where enums are switched on
		for _, c := range all {
			if !c.excluded && !slices.Contains(names, c.value) {
				names = append(names, c.value)
			}
		}
	}
	if len(names) == 0 && op.sketched {
		for _, m := range u.Members {
			names = append(names, m.Value)
		}
	}
	if len(names) == 0 {
		report(u.Pos, "give its type +enum (with // +schemagen:enable=enum), or the field +kubebuilder:validation:Enum=A;B", "discriminator %s has no closed set of values", u.GoName)
		return
	}
	hasEmpty := slices.Contains(names, "")
	_, isPointer := op.discriminator.field.typ.(*ast.StarExpr) // which tells "" from absence
	omitted := op.discriminator.field.omits("omitempty") || op.discriminator.field.omits("omitzero")
	switch {
	case u.Default != nil:
		if u.Required || !omitted {
			report(u.Pos, "make it +optional, with omitempty", "discriminator %s has a default, so that clients may leave it out", u.GoName)
		}
	case hasEmpty && !isPointer && (u.Required || !omitted):
		report(u.Pos, "make it +optional, with omitempty, or remove the value \"\"", "discriminator %s has the value \"\", which stands for its absence", u.GoName)
	case !u.Required && !hasEmpty && !op.sketched:
		report(u.Pos, "make it required, give it a default, or give it the value \"\"", "discriminator %s may be absent, which none of its values stands for", u.GoName)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		value := unions.Value{Name: name}
		if m := u.Selected(name); m >= 0 {
			value.Member = u.Members[m].Name
		}
		u.Values = append(u.Values, value)
	}
	if len(u.Members) == 0 && len(u.Values) < 2 {
		report(u.Pos, "mark its members +unionMember", "discriminator %s has neither members nor a second value", u.GoName)
	}
}

// isUnion reports whether the markers of a field make it part of a union.
func (s markerSet) isUnion() bool {
	return slices.ContainsFunc(s, func(m *markers.Marker) bool {
		switch value := m.Value.(type) {
		case markers.UnionDiscriminator, markers.UnionMember:
			return true
		case markers.Declarative:
			return strings.HasPrefix(value.Name, "k8s:union") || value.Name == "k8s:zeroOrOneOfMember"
		}
		return false
	})
}
