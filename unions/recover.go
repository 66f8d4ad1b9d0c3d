package unions

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// Of returns the unions of an object: those that x-kubernetes-unions on its
// properties says, then those that the rules of the cel form say, those that the
// branches of the oneOf form say, and those that x-kubernetes-unions on the
// object says, which can say least. A discriminator has one union; the first
// says it.
func Of(s *structural.Schema) []Union {
	var out []Union
	add := func(u Union) {
		if u.Discriminator == "" || !slices.ContainsFunc(out, func(o Union) bool { return o.Discriminator == u.Discriminator }) {
			out = append(out, u)
		}
	}
	for _, p := range s.Properties {
		if len(p.Schema.XUnionMembers) == 0 {
			continue
		}
		var values []string
		var members []Member
		for _, m := range p.Schema.XUnionMembers {
			values = append(values, m.Value)
			if m.Name != "" {
				members = append(members, Member{Name: m.Name, Value: m.Value, Optional: m.Optional})
			}
		}
		add(withFacts(s, p.Name, values, members))
	}
	for _, u := range fromRules(s) {
		add(u)
	}
	for _, u := range fromBranches(s) {
		add(u)
	}
	for _, u := range s.XUnions {
		if u.Discriminator == "" {
			continue // there are no fields without a discriminator
		}
		var values []string
		var members []Member
		for _, f := range u.Fields {
			values = append(values, f.Value)
			members = append(members, Member{Name: f.Name, Value: f.Value})
		}
		add(withFacts(s, u.Discriminator, values, members))
	}
	return out
}

// withFacts puts the members in the order of the fields, and adds what the schema
// says about the discriminator. Its enum is the set of its values; without one,
// the members' values are.
func withFacts(s *structural.Schema, discriminator string, values []string, members []Member) Union {
	d := propertyOf(s, discriminator)
	if enum := stringsOf(d); len(enum) > 0 {
		values = enum
	}
	fieldOf := func(m Member) int {
		return slices.IndexFunc(s.Properties, func(p structural.Property) bool { return p.Name == m.Name })
	}
	slices.SortStableFunc(members, func(a, b Member) int { return fieldOf(a) - fieldOf(b) })
	for i, m := range members {
		if at := fieldOf(m); at >= 0 {
			members[i].Pos = s.Properties[at].Schema.Origin.Pos
		}
	}
	u := New(discriminator, values, members...)
	u.Required = s.ValueValidation != nil && slices.Contains(s.Required, discriminator)
	u.Pos = s.Origin.Pos
	if d != nil {
		u.Pos = d.Origin.Pos
		if text, ok := stringOf(d.Default); ok {
			u.Default = &text
		}
	}
	return u
}

func propertyOf(s *structural.Schema, name string) *structural.Schema {
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// stringsOf are the values of an enum that are strings.
func stringsOf(s *structural.Schema) []string {
	if s == nil || s.ValueValidation == nil {
		return nil
	}
	var out []string
	for _, value := range s.Enum {
		if text, ok := stringOf(&value); ok {
			out = append(out, text)
		}
	}
	return out
}

func stringOf(value *structural.JSON) (string, bool) {
	if value == nil {
		return "", false
	}
	var text *string
	if json.Unmarshal(value.Raw, &text) != nil || text == nil {
		return "", false
	}
	return *text, true
}

const selectsText = `(?:has\(self\.(\w+)\) && )?self\.(\w+) == ('.*')`

// The rules of the cel form. A name and a literal are read as they were written:
// by comparison with those of the properties and values that the schema has.
var (
	rulesRegexp = [...]*regexp.Regexp{
		regexp.MustCompile(`^!\(` + selectsText + `\) \|\| has\(self\.(\w+)\)$`),
		regexp.MustCompile(`^!has\(self\.(\w+)\) \|\| \(` + selectsText + `\)$`),
		regexp.MustCompile(`^has\(self\.(\w+)\) == \(` + selectsText + `\)$`),
	}
	countRegexp = regexp.MustCompile(`^(\(has\(self\.\w+\) \? 1 : 0\)(?: \+ \(has\(self\.\w+\) \? 1 : 0\))*) (==|<=) 1$`)
	termRegexp  = regexp.MustCompile(`\(has\(self\.(\w+)\) \? 1 : 0\)`)
)

// side is which directions of one member the rules have.
type side struct {
	discriminator, member, value string
	required, forbidden          bool
}

// fromRules reads the unions back from the rules of the cel form. Members of
// which the forbidden side is missing are none: such rules are not ours.
func fromRules(s *structural.Schema) []Union {
	if len(s.XValidations) == 0 {
		return nil
	}
	plain := plainNames(s)
	var sides []side
	var counted []Union
	for _, rule := range s.XValidations {
		if found := countRegexp.FindStringSubmatch(rule.Rule); found != nil && rule.FieldPath == "" {
			if u, ok := countedUnion(s, plain, found); ok {
				counted = append(counted, u)
			}
			continue
		}
		read, ok := readSide(s, plain, rule.Rule)
		if !ok {
			continue
		}
		at := slices.IndexFunc(sides, func(known side) bool {
			return known.discriminator == read.discriminator && known.member == read.member && known.value == read.value
		})
		if at < 0 {
			sides = append(sides, read)
			continue
		}
		sides[at].required = sides[at].required || read.required
		sides[at].forbidden = sides[at].forbidden || read.forbidden
	}
	var out []Union
	var done []string
	for _, first := range sides {
		if slices.Contains(done, first.discriminator) {
			continue
		}
		done = append(done, first.discriminator)
		var members []Member
		for _, m := range sides {
			if m.discriminator == first.discriminator && m.forbidden {
				members = append(members, Member{Name: m.member, Value: m.value, Optional: !m.required})
			}
		}
		if len(members) > 0 {
			out = append(out, withFacts(s, first.discriminator, nil, members))
		}
	}
	return append(out, counted...)
}

// plainNames are the names of the properties by what rules write for them.
func plainNames(s *structural.Schema) map[string]string {
	plain := map[string]string{}
	for _, p := range s.Properties {
		if escaped, ok := structural.CELName(p.Name); ok {
			plain[escaped] = p.Name
		}
	}
	return plain
}

// readSide reads one rule of a discriminated union.
func readSide(s *structural.Schema, plain map[string]string, text string) (side, bool) {
	for i, expression := range rulesRegexp {
		found := expression.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		guard, discriminator, literal, member := found[1], found[2], found[3], found[4]
		if i > 0 {
			member, guard, discriminator, literal = found[1], found[2], found[3], found[4]
		}
		d, isProperty := plain[discriminator]
		m, isMember := plain[member]
		if !isProperty || !isMember || guard != "" && guard != discriminator {
			return side{}, false
		}
		for _, value := range stringsOf(propertyOf(s, d)) {
			if structural.CELString(value) == literal {
				return side{discriminator: d, member: m, value: value, required: i != 1, forbidden: i != 0}, true
			}
		}
		return side{}, false
	}
	return side{}, false
}

// countedUnion reads the rule of an undiscriminated union.
func countedUnion(s *structural.Schema, plain map[string]string, found []string) (Union, bool) {
	u := Union{AtMostOne: found[2] == "<=", Pos: s.Origin.Pos}
	for term := range strings.SplitSeq(found[1], " + ") {
		name, ok := plain[termRegexp.FindStringSubmatch(term)[1]]
		if !ok {
			return Union{}, false
		}
		u.Members = append(u.Members, Member{Name: name})
	}
	return u, true
}
