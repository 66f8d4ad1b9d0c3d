package fields

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// typeOf returns the type of a value as kubectl explain prints it.
func typeOf(s *structural.Schema) string {
	switch a := s.AdditionalProperties; {
	case s.XIntOrString:
		return "IntOrString"
	case s.Type == "array" && s.Items != nil:
		return "[]" + typeOf(s.Items)
	case a != nil && a.Schema != nil:
		return "map[string]" + typeOf(a.Schema)
	case s.Type == "object":
		return "Object"
	case s.Type == "":
		return "any"
	}
	return s.Type
}

// limits returns the restrictions of a value as text, without enum and rules, followed by
// those of the elements of a list or map.
func limits(schema *structural.Schema) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if schema.Nullable {
		add("may be null")
	}
	if schema.XEmbeddedResource {
		add("is a whole Kubernetes object")
	}
	if schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields {
		add("preserves unspecified fields")
	}
	switch schema.XListType {
	case "map":
		add("has one element for each %s", strings.Join(schema.XListMapKeys, " and "))
	case "set":
		add("has no duplicate elements")
	case "atomic":
		add("is replaced as a whole by server-side apply")
	}
	if schema.XMapType == "atomic" {
		add("is replaced as a whole by server-side apply")
	}
	if v := schema.ValueValidation; v != nil {
		out = append(out, limitsOf(v, schema.XIntOrString)...)
	}
	if element := elementOf(schema); element != nil {
		for _, limit := range limits(element) {
			add("each element %s", limit)
		}
	}
	return out
}

// enumOf returns the values of a schema's own enum, with the comments of their Go constants, unless
// the description lists them.
func enumOf(s *structural.Schema) (out []EnumValue) {
	if s.ValueValidation == nil || len(s.Enum) == 0 {
		return nil
	}
	var docs map[string]string
	if s.Origin.Constants != nil && !strings.Contains(s.Description, "Possible enum values:") {
		docs = s.Origin.Constants.ConstantDocs()
	}
	for _, value := range s.Enum {
		var text string // values of other types have no constants
		_ = json.Unmarshal(value.Raw, &text)
		out = append(out, EnumValue{Value: string(value.Raw), Description: docs[text]})
	}
	return out
}

// Fact is a line about a value.
type Fact struct {
	// Text comes before Code, such as "default:". It is the whole line if there is no code.
	Text string
	Code []string
	// Values are the values in Code that have a description.
	Values []EnumValue
}

// Line returns the fact as text.
func (f Fact) Line() string {
	if len(f.Code) == 0 {
		return f.Text
	}
	return f.Text + " " + strings.Join(f.Code, ", ")
}

// Facts returns what is known about the value: Enum, Default, Example, Limits and Member.
func (f *Field) Facts() []Fact {
	var out []Fact
	if len(f.Enum) > 0 {
		values := Fact{Text: "one of:"}
		if strings.HasPrefix(f.Type, "[]") || strings.HasPrefix(f.Type, "map[") {
			values.Text = "each element is one of:"
		}
		for _, v := range f.Enum {
			values.Code = append(values.Code, v.Value)
			if v.Description != "" {
				values.Values = append(values.Values, v)
			}
		}
		out = append(out, values)
	}
	if f.Default != "" {
		out = append(out, Fact{Text: "default:", Code: []string{f.Default}})
	}
	if f.Example != "" {
		out = append(out, Fact{Text: "example:", Code: []string{f.Example}})
	}
	for _, limit := range f.Limits {
		fact := Fact{Text: limit}
		if m := patternLimit().FindStringSubmatch(limit); m != nil {
			fact = Fact{Text: m[1], Code: []string{m[2]}}
		}
		out = append(out, fact)
	}
	if f.Member != "" {
		out = append(out, Fact{Text: f.Member})
	}
	return out
}

// patternLimit matches the limit with a pattern.
var patternLimit = lazyregexp.New(`^((?:each element )*matches) ((?s:.+))$`)

// countOf returns a number of things, in the singular or the plural.
func countOf(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func limitsOf(validation *structural.ValueValidation, intOrString bool) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if validation.Format != "" {
		add("has the format %s", validation.Format)
	}
	count := func(least, most *int64, unit string) {
		switch {
		case least != nil && most != nil && *least == *most:
			add("has exactly %s", countOf(*least, unit))
		case least != nil && most != nil:
			add("has %d to %s", *least, countOf(*most, unit))
		case least != nil:
			add("has at least %s", countOf(*least, unit))
		case most != nil:
			add("has at most %s", countOf(*most, unit))
		}
	}
	count(validation.MinLength, validation.MaxLength, "character")
	count(validation.MinItems, validation.MaxItems, "element")
	count(validation.MinProperties, validation.MaxProperties, "key")
	bound := func(n *float64, exclusive bool, than, orEqual string) {
		switch {
		case n != nil && exclusive:
			add("is %s %s", than, number(*n))
		case n != nil:
			add("is %s %s", orEqual, number(*n))
		}
	}
	bound(validation.Minimum, validation.ExclusiveMinimum, "greater than", "at least")
	bound(validation.Maximum, validation.ExclusiveMaximum, "less than", "at most")
	if validation.MultipleOf != nil {
		add("is a multiple of %s", number(*validation.MultipleOf))
	}
	if validation.Pattern != "" {
		add("matches %s", validation.Pattern)
	}
	if validation.UniqueItems {
		add("has no duplicate elements")
	}
	for _, junctor := range []struct {
		quantifier string
		of         []structural.NestedValueValidation
	}{{"all", validation.AllOf}, {"at least one", validation.AnyOf}, {"exactly one", validation.OneOf}} {
		branches := junctor.of
		if intOrString { // implied by the type
			if IsTypes(branches) {
				continue
			}
			branches = slices.DeleteFunc(slices.Clone(branches),
				func(n structural.NestedValueValidation) bool { return IsTypes(n.AnyOf) && len(n.AnyOf) > 0 })
		}
		if len(branches) > 0 {
			add("satisfies %s of: %s", junctor.quantifier, alternatives(branches))
		}
	}
	if validation.Not != nil {
		add("does not satisfy: %s", alternative(validation.Not))
	}
	return out
}

// IsTypes reports whether the alternatives are only those of int-or-string, in either of
// the positions that the server accepts.
func IsTypes(list []structural.NestedValueValidation) bool {
	for i := range list {
		n := &list[i]
		if n.ForbiddenGenerics.Type == "" && (len(n.AnyOf) == 0 || !IsTypes(n.AnyOf)) {
			return false
		}
	}
	return true
}

func alternatives(list []structural.NestedValueValidation) string {
	var out []string
	for i := range list {
		out = append(out, alternative(&list[i]))
	}
	return strings.Join(out, "; ")
}

// alternative returns the schema in a logical junctor as text.
func alternative(n *structural.NestedValueValidation) string {
	var out []string
	if n.ForbiddenGenerics.Type != "" {
		out = append(out, "is of type "+n.ForbiddenGenerics.Type)
	}
	if len(n.Required) > 0 {
		out = append(out, "has "+strings.Join(n.Required, ", "))
	}
	if len(n.Enum) > 0 {
		var values []string
		for _, value := range n.Enum {
			values = append(values, string(value.Raw))
		}
		out = append(out, "is one of "+strings.Join(values, ", "))
	}
	out = append(out, limitsOf(&n.ValueValidation, false)...)
	for _, p := range n.Properties {
		out = append(out, p.Name+" "+alternative(p.Schema))
	}
	if n.Items != nil {
		out = append(out, "each element "+alternative(n.Items))
	}
	if len(out) == 0 {
		return "anything"
	}
	return "(" + strings.Join(out, " and ") + ")"
}

func number(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

// Selections returns the members that the values of a discriminator select.
func Selections(u unions.Union) []structural.UnionMember {
	var out []structural.UnionMember
	for _, v := range u.Values {
		member := structural.UnionMember{Value: v.Name}
		if index := u.Selected(v.Name); index >= 0 {
			member.Name = u.Members[index].Name
			member.Optional = u.Members[index].Optional
		}
		out = append(out, member)
	}
	return out
}

// OneLine returns a text with a space in place of each run of white space.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// DescribeUnion describes which members may be set.
func DescribeUnion(u unions.Union) Union {
	out := Union{Discriminator: u.Discriminator}
	if u.Discriminator == "" {
		out.Text = u.MustHaveMember()
		for _, m := range u.Members {
			out.Values = append(out.Values, UnionValue{Member: m.Name})
		}
		return out
	}
	out.Text = u.Discriminator + " selects the member that is set"
	for _, v := range Selections(u) {
		out.Values = append(out.Values, UnionValue{Value: v.Value, Member: v.Name, Optional: v.Optional})
	}
	return out
}

// Presence returns when a field of an object may be set, or what its values decide about the fields
// around it, by the unions and modes of the object.
func Presence(object *structural.Schema, name string) string {
	var out []string
	for _, u := range slices.Concat(unions.Of(object), unions.Counted(object)) {
		index := slices.IndexFunc(u.Members, func(m unions.Member) bool { return m.Name == name })
		switch {
		case index < 0:
		case u.Discriminator == "":
			out = append(out, "the object "+u.MustHaveMember())
		case u.Members[index].Optional:
			out = append(out, fmt.Sprintf("may be set only when %s is %q", u.Discriminator, u.Members[index].Value))
		default:
			out = append(out, fmt.Sprintf("must be set when %s is %q, and only then", u.Discriminator, u.Members[index].Value))
		}
	}
	for _, m := range unions.ModesOf(object) {
		if m.Discriminator == name {
			out = append(out, effects(m)...)
		}
		for _, f := range m.Fields {
			if f.Name != name {
				continue
			}
			if len(f.Required) > 0 {
				out = append(out, m.MustBeSet(f))
			}
			out = append(out, m.MustNotBeSet(f))
		}
	}
	return strings.Join(out, "; ")
}

// effects returns, for each mode, the fields that it requires, allows and forbids.
func effects(m unions.Modes) (out []string) {
	var modes []string
	for _, f := range m.Fields {
		modes = append(modes, f.Allowed...)
	}
	slices.Sort(modes)
	for _, mode := range slices.Compact(modes) {
		var required, allowed, forbidden []string
		for _, f := range m.Fields {
			switch {
			case slices.Contains(f.Required, mode):
				required = append(required, f.Name)
			case slices.Contains(f.Allowed, mode):
				allowed = append(allowed, f.Name)
			default:
				forbidden = append(forbidden, f.Name)
			}
		}
		var parts []string
		for _, part := range []struct {
			verb  string
			names []string
		}{{"requires", required}, {"allows", allowed}, {"forbids", forbidden}} {
			if len(part.names) > 0 {
				parts = append(parts, part.verb+" "+strings.Join(part.names, ", "))
			}
		}
		if !m.Boolean {
			mode = strconv.Quote(mode)
		}
		out = append(out, mode+" "+strings.Join(parts, ", "))
	}
	return out
}

// IsUnionRule reports whether a rule enforces a union.
func IsUnionRule(list []unions.Union, rule structural.Rule) bool {
	for _, u := range list {
		if u.Discriminator == "" && rule.Message == u.MustHaveMember() {
			return true
		}
		for _, m := range u.Members {
			if rule.Message == u.MustBeSet(m) || rule.Message == u.MustNotBeSet(m) {
				return true
			}
		}
	}
	return false
}

var oldSelfRegexp = lazyregexp.New(`\boldSelf\b`)

// DescribeRule describes a rule by its message, or else as a requirement.
func DescribeRule(rule structural.Rule) Rule {
	text := strings.TrimSpace(rule.Message)
	switch {
	case text != "":
	case rule.MessageExpression != "":
		text = "must hold; the message is " + rule.MessageExpression
	default:
		text = "must hold"
	}
	if rule.FieldPath != "" {
		text = rule.FieldPath + ": " + text
	}
	if oldSelfRegexp().MatchString(rule.Rule) && !ptr.Deref(rule.OptionalOldSelf, false) {
		text = "on update: " + text
	}
	return Rule{Text: text, Rule: strings.TrimSpace(rule.Rule)}
}
