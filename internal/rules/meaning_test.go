package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

const meaningSchema = `
type: object
required: [type]
properties:
  type: {type: string, enum: [A, B, C, None]}
  a: {type: object}
  b: {type: object}
  c: {type: object}
  d: {type: object}
  size: {type: string, maxLength: 3}
  open: {type: boolean}
  driver: {type: string, enum: ["", north, South, East]}
  north: {type: object}
  south: {type: object}
  east: {type: object}
  list: {type: array, items: {type: string}, maxItems: 3}
`

func (m Marker) String() string {
	var members []string
	for _, member := range m.Members {
		text := member.Name
		if member.Value != "" {
			text += "=" + member.Value
		}
		if member.Optional {
			text += ",optional"
		}
		members = append(members, text)
	}
	nonempty := ""
	if m.Nonempty {
		nonempty = "nonempty "
	}
	return fmt.Sprintf("%s%s(%s)", nonempty, []string{"exactly", "by " + m.Discriminator, "most", "least", "required", "requires", "mode " + m.Discriminator, "excludes"}[m.Kind], strings.Join(members, " "))
}

// TestWordsOfAbsence wants the words for a union to say which values count as absent.
func TestWordsOfAbsence(t *testing.T) {
	s := schemaOf(t, "{type: object, properties: {a: {type: string, nullable: true}, b: {type: string}}}")
	for rule, want := range map[string]string{
		"has(self.a) != has(self.b)":                 "exactly one of a, b, where null is none",
		"!has(self.b) || has(self.a)":                "b requires a, where null is none",
		"(self.?a.orValue('') == '') == has(self.b)": "exactly one of a, b, where an empty value is none",
	} {
		found := Meanings(s, rulesOf(rule))
		if len(found) != 1 || len(found[0].Markers) != 1 || found[0].Markers[0].Words() != want {
			t.Errorf("%s: %v, want %s", rule, found, want)
		}
	}
}

// TestMeanings has rules that people write, and the markers for them.
func TestMeanings(t *testing.T) {
	for _, c := range []struct {
		rules []string
		want  string
	}{
		{[]string{"(has(self.a)?1:0)+(has(self.b)?1:0) == 1"}, "exactly(a b)"},
		{[]string{"has(self.a) != has(self.b)"}, "exactly(a b)"},
		{[]string{"has(self.a) || has(self.b)", "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1"}, "exactly(a b)"},
		{[]string{"!(has(self.a) && has(self.b))"}, "most(a b)"},
		{[]string{"!has(self.c) || !has(self.a) && !has(self.b)", "!has(self.a) || !has(self.b)"}, "most(a b c)"},
		{[]string{"has(self.a) || has(self.b) || has(self.c)"}, "least(a b c)"},
		{[]string{"[has(self.a), has(self.b), has(self.c)].exists_one(x, x)", "!has(self.d) || !has(self.c)"}, "exactly(a b c) most(c d)"},
		{[]string{"self.type == 'A' ? has(self.a) : !has(self.a)"}, `by type(a=A) near by type(a=A b=B c=C), accepts {"a":{},"b":{},"type":"A"}`},
		{[]string{"self.type == 'A' || !has(self.a)"}, `by type(a=A,optional) near by type(a=A,optional b=B c=C), accepts {"b":{},"type":"A"}`},
		{[]string{"(self.type == 'A') == has(self.a) && (self.type == 'B') == has(self.b)"}, `by type(a=A b=B) near by type(a=A b=B c=C), accepts {"a":{},"c":{},"type":"A"}`},
		{[]string{"has(self.a) == (self.type == 'A')", "has(self.c) != has(self.d)"}, `by type(a=A) near by type(a=A b=B), accepts {"a":{},"b":{},"type":"A"}; exactly(c d)`},
		{[]string{"!has(self.a) || has(self.b)"}, "requires(a b)"},
		{[]string{"has(self.a) == has(self.b)"}, "requires(a b) requires(b a)"},
		{[]string{"self.type == 'A' && has(self.a) || has(self.a) && has(self.b)", "self.type in ['A', 'B', 'C', 'None']"}, "required(a) mode type(b=A,optional b=B b=C b=None)"},
		{[]string{"self.type != 'A' && self.type != 'B' || has(self.a)"}, "mode type(a=A a=B a=C,optional a=None,optional)"},
		{[]string{"self.type in ['A', 'B'] == has(self.a)"}, "mode type(a=A a=B)"},
		{[]string{"(has(self.size) && self.size == 'L') == has(self.a)"}, "mode size(a=L)"},
		{[]string{"!has(self.a) || !has(self.size) || self.size != 'L'"}, ""}, // there may be any other size
		{[]string{"has(self.size) && self.size != '' || !has(self.a)"}, "nonempty requires(a size)"},
		{[]string{"self.open ? has(self.a) : !has(self.a)"}, "mode open(a=true) required(open)"},
		{[]string{"has(self.open) && self.open || !has(self.a)"}, "nonempty requires(a open)"},
		{[]string{"(has(self.list) && self.list.size() > 0) != (has(self.size) && self.size != '')"}, "nonempty exactly(list size)"},
		{[]string{"!has(self.a) || !has(self.list) || self.list == []"}, "nonempty most(a list)"},
		{[]string{"has(self.list) && self.list.size() > 1 || !has(self.a)"}, ""}, // one item is not empty
		{[]string{"has(self.driver) && self.driver == 'north' || !has(self.a)"},
			`mode driver(a=north,optional) near by driver(a=north,optional north=north south=South east=East), accepts {"north":{},"type":"A"}`},
		// Almost.
		{[]string{"has(self.a) != has(self.b) != has(self.c)"}, `near exactly(a b c), accepts {"a":{},"b":{},"c":{},"type":"A"}`},
		{[]string{"self.type != 'A' || has(self.a)"}, `mode type(a=A a=B,optional a=C,optional a=None,optional) near by type(a=A), accepts {"a":{},"type":"B"}`},
		{[]string{"(self.type == 'A') == has(self.a)", "self.type != 'B' || has(self.b)"}, `by type(a=A) mode type(b=A,optional b=B b=C,optional b=None,optional) near by type(a=A b=B), accepts {"a":{},"b":{},"type":"A"}`},
		{[]string{"!(has(self.a) && has(self.b))", "!(has(self.b) && has(self.c))", "!(has(self.a) && has(self.b) && has(self.c))"}, `most(a b) most(b c) near most(a b c), accepts {"a":{},"c":{},"type":"A"}`},
		// Unions that are wrong as people write them: an XOR of three, a pair that is checked twice instead of
		// another one, a member that is only required, or that no rule reads.
		{[]string{"has(self.a) != has(self.b) != has(self.d)"}, `near exactly(a b d), accepts {"a":{},"b":{},"d":{},"type":"A"}`},
		{[]string{"(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1", "(has(self.b) ? 1 : 0) + (has(self.d) ? 1 : 0) <= 1", "(has(self.d) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1"},
			`most(a b) most(b d) near most(a b d), accepts {"a":{},"d":{},"type":"A"}`},
		{[]string{"has(self.driver) && self.driver == 'north' ? has(self.north) : !has(self.north)"},
			`mode driver(north=north) near by driver(north=north south=South east=East), accepts {"south":{},"type":"A"}`},
		{[]string{"self.type == 'A' ? has(self.a) : !has(self.a)", "self.type == 'B' ? has(self.b) : true"},
			`by type(a=A) mode type(b=A,optional b=B b=C,optional b=None,optional) near by type(a=A b=B), accepts {"a":{},"b":{},"type":"A"}`},
		// There is no marker, or nothing to say.
		{[]string{"[has(self.a), has(self.b), has(self.c)].filter(x, x).size() <= 2"}, ""},
		{[]string{"has(self.a) || !has(self.a)"}, ""},
		{[]string{"has(self.a) && !has(self.a)"}, ""},
	} {
		if got := meaningsText(Meanings(schemaOf(t, meaningSchema), rulesOf(c.rules...))); got != c.want {
			t.Errorf("%q: %s, want %s", c.rules, got, c.want)
		}
	}
}

// TestLastField wants a union to lack the only object that is not a member of it. No value of its discriminator is
// for that object, so that it may be set with all of them.
func TestLastField(t *testing.T) {
	const fields = `
type: object
required: [form]
properties:
  form: {type: string, enum: [Round, Square, Flat]}
  round: {type: object}
  square: {type: object}
  flat: {type: object}
`
	var union []string
	for _, value := range []string{"Round", "Square", "Flat"} {
		union = append(union, fmt.Sprintf("(self.form == '%s') == has(self.%s)", value, strings.ToLower(value)))
	}
	for _, c := range []struct{ more, want string }{
		{"  hollow: {type: object}", `{"form":"Round","hollow":{},"round":{}}`},
		{"  name: {type: string}", "null"},
		{"  hollow: {type: object}\n  inner: {type: object}", "null"},
		{"  hollow: {type: object, default: {}}", "null"},
	} {
		s := schemaOf(t, fields+c.more)
		found := Meanings(s, rulesOf(union...))
		if len(found) != 1 || plainjson.Text(found[0].Accepted) != c.want {
			t.Errorf("%s: %v", c.more, found)
		}
		read := append(slices.Clip(union), "!has(self.hollow) || self.hollow == oldSelf.hollow")
		if found := Meanings(s, rulesOf(read...)); len(found) != 1 || found[0].Near != nil {
			t.Errorf("%s: %v, although a rule reads it", c.more, found)
		}
	}
}

func meaningsText(list []Meaning) string {
	var texts []string
	for _, m := range list {
		text := strings.Trim(fmt.Sprint(m.Markers), "[]")
		if m.Near != nil {
			text += fmt.Sprintf(" near %v, accepts %s", *m.Near, plainjson.Text(m.Accepted))
		}
		texts = append(texts, strings.TrimSpace(text))
	}
	return strings.Join(texts, "; ")
}

// TestMeaningOfJunctors has logical junctors that people write, also beside rules, and the markers for them.
func TestMeaningOfJunctors(t *testing.T) {
	for _, c := range []struct {
		junctors string
		rules    []string
		want     string
	}{
		{"oneOf: [{required: [a]}, {required: [b]}]", nil, "exactly(a b)"},
		{"oneOf: [{required: [a]}, {required: [b]}, {not: {anyOf: [{required: [a]}, {required: [b]}]}}]", nil, "most(a b)"},
		{"not: {required: [a, b]}", nil, "most(a b)"},
		{"anyOf: [{required: [a]}, {required: [b]}]", nil, "least(a b)"},
		{"allOf: [{not: {required: [a, b]}}, {anyOf: [{required: [a]}, {required: [b]}]}]", nil, "exactly(a b)"},
		{"anyOf: [{required: [a]}, {required: [b]}]", []string{"!(has(self.a) && has(self.b))"}, "exactly(a b)"},
		{"anyOf: [{not: {required: [a]}}, {required: [b]}]", nil, "requires(a b)"},
		{"oneOf: [{properties: {type: {enum: [A]}}, required: [a]}, {properties: {type: {enum: [B]}}, required: [b]}, {properties: {type: {enum: [C, None]}}}]",
			[]string{"!has(self.a) || self.type == 'A'", "!has(self.b) || self.type == 'B'"}, `by type(a=A b=B) near by type(a=A b=B c=C), accepts {"b":{},"c":{},"type":"B"}`},
		{"oneOf: [{properties: {size: {minLength: 1}}, required: [size]}, {properties: {list: {minItems: 1}}, required: [list]}]", nil, "nonempty exactly(list size)"},
		{"oneOf: [{properties: {open: {enum: [true]}}, required: [open, a]}, {not: {anyOf: [{properties: {open: {enum: [true]}}, required: [open]}, {required: [a]}]}}]", nil, "mode open(a=true)"},
		// These cannot be read exactly.
		{"oneOf: [{properties: {size: {pattern: '^a'}}, required: [size]}, {required: [a]}]", nil, ""},
		{"oneOf: [{required: [a]}, {required: [unknown]}]", nil, ""},
		{"anyOf: [{minProperties: 2}, {required: [a]}]", nil, ""},
		{"anyOf: [{properties: {list: {items: {enum: [a]}}}}, {required: [a]}]", nil, ""},
	} {
		s := schemaOf(t, meaningSchema+c.junctors+"\n")
		got := meaningsText(Meanings(s, append(rulesOf(c.rules...), ConditionsOf(s)...)))
		if got != c.want {
			t.Errorf("%s and %q: %s, want %s", c.junctors, c.rules, got, c.want)
		}
	}
}

// TestMeaningOfLargeUnions wants unions with many members to be found, though their tables have many rows.
func TestMeaningOfLargeUnions(t *testing.T) {
	const members = 11
	schema := "type: object\nrequired: [type]\nproperties:\n"
	var values, texts, want []string
	for i := range members {
		letter := string(rune('a' + i))
		values = append(values, strings.ToUpper(letter))
		schema += "  " + letter + ": {type: object}\n"
		texts = append(texts, fmt.Sprintf("(self.type == '%s') == has(self.%s)", values[i], letter))
		want = append(want, letter+"="+values[i])
	}
	schema += "  type: {type: string, enum: [" + strings.Join(values, ", ") + "]}\n"
	got := Meanings(schemaOf(t, schema), rulesOf(texts...))
	if len(got) != 1 || fmt.Sprint(got[0].Markers) != "[by type("+strings.Join(want, " ")+")]" {
		t.Errorf("%v", got)
	}
}

// TestMeaningOfCounts wants rules that count many fields to be found, however they count.
func TestMeaningOfCounts(t *testing.T) {
	schema := "type: object\nproperties:\n"
	var conditions, numbers, names []string
	for i := range 15 {
		names = append(names, fmt.Sprintf("f%02d", i))
		schema += "  " + names[i] + ": {type: object}\n"
		conditions = append(conditions, "has(self."+names[i]+")")
		numbers = append(numbers, "("+conditions[i]+" ? 1 : 0)")
	}
	list := "[" + strings.Join(conditions, ", ") + "]"
	members := "(" + strings.Join(names, " ") + ")"
	for rule, want := range map[string]string{
		strings.Join(numbers, " + ") + " <= 1":        "most" + members,
		"1 == " + strings.Join(numbers, " + "):        "exactly" + members,
		list + ".exists_one(isSet, isSet)":            "exactly" + members,
		list + ".filter(isSet, isSet).size() < 2":     "most" + members,
		strings.Join(conditions, " || "):              "least" + members,
		list + ".exists(i, isSet, isSet && i != 3)":   "", // the order matters, so that there are too many combinations
		strings.Join(conditions, " != "):              "",
		"!" + conditions[0] + " || " + conditions[14]: "requires(f00 f14)",
	} {
		if got := meaningsText(Meanings(schemaOf(t, schema), rulesOf(rule))); got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
}

// TestMeaningOfEmptyMode has a discriminator with an empty value that no rule names, so that it is in one class with
// the other values that no rule names.
func TestMeaningOfEmptyMode(t *testing.T) {
	const spec = `
type: object
properties:
  mode: {type: string, enum: ["", None, Only, Open]}
  a: {type: object}
`
	want := "mode mode(a,optional a=Only,optional)"
	if got := meaningsText(Meanings(schemaOf(t, spec), rulesOf("!has(self.a) || !has(self.mode) || !(self.mode in ['Open', 'None'])"))); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestReplacements has rules, the markers that are written for them, and the fields that then need a minimum.
func TestReplacements(t *testing.T) {
	const spec = `
type: object
required: [type, count]
properties:
  type: {type: string, enum: [A, B, C, None]}
  a: {type: object}
  b: {type: object}
  text: {type: string, maxLength: 9}
  name: {type: string, minLength: 1, maxLength: 9}
  list: {type: array, items: {type: string}, maxItems: 3}
  keys: {type: object, additionalProperties: {type: string}}
  open: {type: boolean}
  shut: {type: boolean}
  count: {type: integer, minimum: 0, maximum: 9}
  maybe: {type: boolean, nullable: true}
`
	const setText = "has(self.text) && self.text != ''"
	const setList = "has(self.list) && self.list.size() > 0"
	for _, c := range []struct {
		rules []string
		want  string
	}{
		{[]string{"has(self.a) != has(self.b)"}, "exactly(a b)"},
		{[]string{"has(self.text) != has(self.list)"}, "exactly(list text)"},
		{[]string{"!has(self.a) || has(self.b)"}, "requires(a b)"},
		{[]string{"!has(self.a) || has(self.name)"}, "requires(a name)"},
		// A tag takes the empty text for none, and so does this rule, but not that one.
		{[]string{"!has(self.a) || " + setText}, "nonempty requires(a text)"},
		{[]string{"!has(self.a) || has(self.text)"}, `requires(a text), with text bounded, not {"count":1,"text":"","type":"A"}`},
		{[]string{"!(has(self.open) && self.open) || " + setText}, "nonempty requires(open text)"},
		{[]string{"!has(self.open) || has(self.a)"}, ""}, // no minimum refuses false
		{[]string{"!(has(self.maybe) && self.maybe) || has(self.a)"}, ""},
		{[]string{"!has(self.a) || self.count > 0"}, "nonempty requires(a count)"},
		{[]string{"!(has(self.open) && self.open && has(self.shut) && self.shut)"}, "excludes(open shut)"},
		{[]string{"!has(self.a) || !(" + setList + ")", "!has(self.a) || !(" + setText + ")", "!(" + setText + ") || !(" + setList + ")"}, "excludes(a list) excludes(a text) excludes(list text)"},
		{[]string{"(" + setText + ") != (" + setList + ")"}, `nonempty exactly(list text), with list, text bounded, not {"count":1,"list":["example"],"text":"","type":"A"}`},
		{[]string{"(" + setText + ") || has(self.keys) && self.keys.size() > 0"}, `nonempty least(keys text), with keys, text bounded, not {"count":1,"keys":{"k":"example"},"text":"","type":"A"}`},
		// A boolean decides about a member. Nothing counts only those that are true.
		{[]string{"has(self.open) && self.open || has(self.a)"}, "mode open(a=false a=true,optional)"},
		{[]string{"(has(self.open) && self.open) != has(self.a)"}, "mode open(a=false)"},
		{[]string{"has(self.open) && self.open || has(self.shut) && self.shut"}, ""},
		{[]string{"has(self.a)"}, "required(a)"},
		{[]string{"self.type in ['A', 'B'] == has(self.a)"}, "mode type(a=A a=B)"},
		{[]string{"(self.type == 'A') == has(self.a)", "self.type in ['A', 'B'] || !has(self.b)"}, "mode type(a=A) mode type(b=A,optional b=B,optional)"},
		{[]string{"self.type == 'A' || !has(self.text)"}, "by type(text=A,optional)"},
		{[]string{"self.type in ['A', 'B'] || !has(self.text)"}, `mode type(text=A,optional text=B,optional), with text bounded, not {"count":1,"text":"","type":"A"}`},
		{[]string{"has(self.a) != has(self.b) || self.type == 'A'"}, ""},
		{[]string{"self.type != 'A' || has(self.a)"}, ""}, // it is almost a union
	} {
		s := schemaOf(t, spec)
		var texts []string
		for _, m := range Meanings(s, rulesOf(c.rules...)) {
			if m.Replacement == nil {
				continue
			}
			text := strings.Trim(fmt.Sprint(m.Replacement.Markers), "[]")
			if len(m.Replacement.Bounded) > 0 {
				text += fmt.Sprintf(", with %s bounded, not %s", strings.Join(m.Replacement.Bounded, ", "), plainjson.Text(m.Replacement.Accepted))
			}
			texts = append(texts, text)
			m.Replacement.check(t, s, rulesOf(c.rules...))
		}
		if got := strings.Join(texts, "; "); got != c.want {
			t.Errorf("%q: %s, want %s", c.rules, got, c.want)
		}
	}
}

// check wants the rules that are written for a replacement to have the answers of others, if the fields that need a
// minimum have one. Without it, they have others.
func (r *Replacement) check(t *testing.T, s *structural.Schema, own []Condition) {
	t.Helper()
	bounded := *s
	bounded.Properties = slices.Clone(s.Properties)
	for i, p := range bounded.Properties {
		if !slices.Contains(r.Bounded, p.Name) {
			continue
		}
		field := *p.Schema
		v := structural.ValueValidation{}
		if field.ValueValidation != nil {
			v = *field.ValueValidation
		}
		v.MinLength, v.MinItems, v.MinProperties = new(int64(1)), new(int64(1)), new(int64(1))
		field.ValueValidation = &v
		bounded.Properties[i].Schema = &field
	}
	var written []Condition
	for _, m := range r.Markers {
		written = append(written, m.rules(t, &bounded)...)
	}
	if !CompareAnswers(&bounded, own, written).Same {
		t.Errorf("%v: %v has other answers:\n%v", own, r.Markers, written)
	}
}

// rules returns the rules that are written for a marker of a schema.
func (m Marker) rules(t *testing.T, s *structural.Schema) []Condition {
	t.Helper()
	var names, set []string
	for _, member := range m.Members {
		names = append(names, member.Name)
		set = append(set, unions.IsSet("self."+member.Name, unions.Nonzero(property(s, member.Name).Schema)))
	}
	switch m.Kind {
	case Required:
		return rulesOf("has(self." + names[0] + ")")
	case Requires:
		return rulesOf("!" + set[0] + " || " + set[1])
	case Excludes:
		return rulesOf("!" + set[0] + " || !" + set[1])
	case Modes:
		field := unions.ModeField{Name: names[0], Nonzero: unions.Nonzero(property(s, names[0]).Schema)}
		for _, member := range m.Members {
			field.Allowed = append(field.Allowed, member.Value)
			if !member.Optional {
				field.Required = append(field.Required, member.Value)
			}
		}
		isBoolean := property(s, m.Discriminator).Schema.Type == "boolean"
		modes := unions.Modes{Discriminator: m.Discriminator, Boolean: isBoolean, Fields: []unions.ModeField{field}}
		written, _ := modes.Rules(unions.LowerOptions{})
		return RuleConditions(written)
	}
	var written apiextensionsv1.JSONSchemaProps
	var err error
	switch m.Kind {
	case ExactlyOne:
		err = crdmarkers.ExactlyOneOf(names).ApplyToSchema(nil, &written)
	case AtMostOne:
		err = crdmarkers.AtMostOneOf(names).ApplyToSchema(nil, &written)
	case AtLeastOne:
		err = crdmarkers.AtLeastOneOf(names).ApplyToSchema(nil, &written)
	case Discriminated:
		d := property(s, m.Discriminator).Schema
		var values []string
		for _, allowed := range enumOf(d) {
			var value string
			if err := json.Unmarshal(allowed.Raw, &value); err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
		u := unions.New(m.Discriminator, values, m.Members...)
		u.Required = s.Requires(m.Discriminator)
		lowered, lowerErr := unions.Lower(u, unions.LowerOptions{Forms: []unions.Form{unions.FormCEL}})
		if lowerErr != nil {
			t.Fatal(lowerErr)
		}
		return RuleConditions(lowered.Rules)
	}
	if err != nil {
		t.Fatal(err)
	}
	return RuleConditions(written.XValidations)
}

// TestMeaningOfMarkers wants the rules that are written for random markers to mean these markers.
func TestMeaningOfMarkers(t *testing.T) {
	s := schemaOf(t, strings.Replace(meaningSchema, "[A, B, C, None]", "[First, Second, Third, None]", 1))
	seen := map[Kind]int{}
	for i := range *pairs / 10 {
		r := rand.New(rand.NewPCG(uint64(i), 43))
		names := []string{"a", "b", "c", "d"}
		values := []string{"First", "Second", "Third", "None"}
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		m := Marker{Kind: Kind(r.IntN(4))}
		least := 2
		if m.Kind == Discriminated {
			m.Discriminator = "type"
			least = 1
		}
		names = names[:least+r.IntN(len(names)+1-least)]
		slices.Sort(names)
		for k, name := range names {
			member := unions.Member{Name: name}
			if m.Kind == Discriminated {
				member.Value = values[k]
				member.Optional = r.IntN(3) == 0
			}
			m.Members = append(m.Members, member)
		}
		seen[m.Kind]++
		got := Meanings(s, m.rules(t, s))
		if len(got) != 1 || got[0].Near != nil || fmt.Sprint(got[0].Markers) != fmt.Sprint([]Marker{m}) {
			t.Fatalf("seed %d: the rules of %v mean %v", i, m, got)
		}
	}
	if len(seen) != 4 {
		t.Errorf("not all kinds of markers: %v", seen)
	}
	recordLaw(t, "markers", fmt.Sprintf("The rules written for %d random markers (seeds from 0, 43) mean these markers, %s: %d exactly, %d at most and %d at least one of, %d discriminated.\n",
		*pairs/10, time.Now().UTC().Format(time.DateOnly), seen[ExactlyOne], seen[AtMostOne], seen[AtLeastOne], seen[Discriminated]))
}

// presence writes a random rule about one of two fields, in a form that markers may have the meaning of.
func (r *author) presence() string {
	value := r.one("self.kind == 'A'", "self.kind in ['A', 'C']", "self.kind != 'B'", "self.?mode.orValue('') == ''", "has(self.mode)", "self.open",
		"has(self.mode) && self.mode in ['Open', 'None']", "self.?mode.orValue('Only') == 'Only'", "self.?open.orValue(false)", "has(self.other)")
	if r.IntN(3) == 0 {
		value = "!(" + value + ")"
	}
	field := r.one("has(self.a)", "has(self.b)", "has(self.a) && self.a != ''", "has(self.b) && size(self.b) > 0")
	return r.one(
		fmt.Sprintf("(%s) == (%s)", value, field), fmt.Sprintf("!(%s) || (%s)", value, field), fmt.Sprintf("!(%s) || (%s)", field, value),
		fmt.Sprintf("(%s) ? (%s) : true", value, field), fmt.Sprintf("(%s) != (%s)", field, r.one("has(self.other)", "has(self.b)")),
		fmt.Sprintf("!(%s) || !(%s)", field, value))
}

// presenceObjects returns an object for each combination of values of the fields that [author.presence] reads.
func presenceObjects() []map[string]any {
	none := struct{}{}
	values := map[string][]any{
		"kind": {"A", "B", "C"}, "mode": {none, "", "None", "Only", "Open"}, "open": {none, false, true},
		"a": {none, "", "x"}, "b": {none, []any{}, []any{"x"}}, "other": {none, nil, map[string]any{}},
	}
	objects := []map[string]any{{}}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var longer []map[string]any
		for _, object := range objects {
			for _, value := range values[name] {
				object = maps.Clone(object)
				object[name] = value
				if value == any(none) {
					delete(object, name)
				}
				longer = append(longer, object)
			}
		}
		objects = longer
	}
	return objects
}

// presenceSchema returns a schema of these objects.
func presenceSchema(t *testing.T, r *author) *structural.Schema {
	t.Helper()
	enum := r.one(`["", None, Only, Open]`, `[None, Only, Open, ""]`, `[Open, None, Only, ""]`)
	return schemaOf(t, `
type: object
required: [kind]
properties:
  kind: {type: string, enum: [A, B, C]}
  mode: {type: string, enum: `+enum+`}
  open: {type: boolean}
  a: {type: string, maxLength: 3}
  b: {type: array, items: {type: string}, maxItems: 3}
  other: {type: object, nullable: true}
`)
}

// TestAnswersImply wants what [CompareAnswers] says of single conditions to be true for the server's answers.
func TestAnswersImply(t *testing.T) {
	objects := presenceObjects()
	implied, kept := 0, 0
	for i := range *pairs / 400 {
		r := &author{Rand: rand.New(rand.NewPCG(uint64(i), 46))}
		s := presenceSchema(t, r)
		var old, new []string
		for range 1 + r.IntN(3) {
			old = append(old, r.presence())
			new = append(new, r.one(r.presence(), "("+old[0]+") || "+r.presence(), "("+old[0]+") && ("+r.presence()+")"))
		}
		answers := CompareAnswers(s, rulesOf(old...), rulesOf(new...))
		implied += len(answers.Implied)
		kept += len(answers.Kept)
		outcomes := serverOf(t, s, rulesOf(slices.Concat(old, new)...))
		for _, object := range objects {
			before, after := outcomes(object)[:len(old)], outcomes(object)[len(old):]
			for _, k := range answers.Implied {
				if one := after[k : k+1]; isAccepted(before) && !isAccepted(one) || hasFailure(one) && !hasFailure(before) {
					t.Fatalf("seed %d: %v do not imply %s, see %v", i, old, new[k], object)
				}
			}
			for _, k := range answers.Kept {
				if isAccepted(after) && !isAccepted(before[k:k+1]) {
					t.Fatalf("seed %d: %v do not imply %s, see %v", i, new, old[k], object)
				}
			}
		}
	}
	if implied == 0 || kept == 0 {
		t.Errorf("%d new rules are implied, and %d old ones are kept", implied, kept)
	}
	t.Logf("%d new rules are implied, and %d old ones are kept", implied, kept)
}

// TestMeaningAnswers wants random rules, and the rules that are written for what they mean, to have the same answers of
// the server, for each object with each value of the fields.
func TestMeaningAnswers(t *testing.T) {
	objects := presenceObjects()
	kinds := map[Kind]int{}
	meant := 0
	near := 0
	for i := range *pairs / 40 {
		r := &author{Rand: rand.New(rand.NewPCG(uint64(i), 45))}
		s := presenceSchema(t, r)
		var texts []string
		for range 1 + r.IntN(3) {
			texts = append(texts, r.presence())
		}
		for _, found := range Meanings(s, rulesOf(texts...)) {
			var old, written []Condition
			for _, index := range found.Conditions {
				old = append(old, Condition{Rule: structural.Rule{Rule: texts[index]}})
			}
			isWritten := found.Replacement != nil && len(found.Replacement.Bounded) == 0
			before := serverOf(t, s, old)
			for _, m := range found.Markers {
				kinds[m.Kind]++
			}
			if found.Near != nil {
				near++
				refuses := serverOf(t, s, found.Near.rules(t, s))
				if !isAccepted(before(found.Accepted)) || isAccepted(refuses(found.Accepted)) {
					t.Fatalf("seed %d: %v does not tell %v from %v", i, found.Accepted, texts, found.Near)
				}
			}
			if !isWritten {
				continue
			}
			for _, m := range found.Replacement.Markers {
				written = append(written, m.rules(t, s)...)
			}
			meant++
			after := serverOf(t, s, written)
			for _, object := range objects {
				if isAccepted(before(object)) != isAccepted(after(object)) {
					t.Fatalf("seed %d: %v are replaced by %v, which have another answer for %v", i, texts, found.Replacement.Markers, object)
				}
			}
		}
	}
	recordLaw(t, "replacements", fmt.Sprintf("Of %d random sets of rules (seeds from 0, 45), %d are replaced by markers whose rules have the server's answers for all %d objects, and %d are near a union that refuses the object shown, %s.\n",
		*pairs/40, meant, len(objects), near, time.Now().UTC().Format(time.DateOnly)))
	if meant*10 < *pairs/40 || near == 0 || len(kinds) < 7 {
		t.Errorf("too little happens: %d sets are replaced, %d near, of kinds %v", meant, near, kinds)
	}
}

// TestMeaningOfModes wants the rules that are written for random modes of a field to mean these modes, also if
// the discriminator is optional, and other values are possible.
func TestMeaningOfModes(t *testing.T) {
	s := schemaOf(t, strings.Replace(meaningSchema, "[A, B, C, None]", "[First, Second, Third, None]", 1))
	seen := map[Kind]int{}
	for i := range *pairs / 10 {
		r := rand.New(rand.NewPCG(uint64(i), 44))
		m := Marker{Kind: Modes, Discriminator: "type"}
		values := []string{"First", "None", "Second", "Third"}
		if r.IntN(2) == 0 {
			m.Discriminator = "size"
			values = []string{"L", "M", "S"}
		}
		field := unions.ModeField{Name: "a"}
		for _, value := range values {
			member := unions.Member{Name: "a", Value: value, Optional: r.IntN(2) == 0}
			if r.IntN(3) == 0 {
				continue
			}
			m.Members = append(m.Members, member)
			field.Allowed = append(field.Allowed, value)
			if !member.Optional {
				field.Required = append(field.Required, value)
			}
		}
		hasAll := m.Discriminator == "type" && len(field.Allowed) == len(values) && slices.Contains([]int{0, len(values)}, len(field.Required))
		if len(field.Allowed) == 0 || hasAll {
			continue // it is forbidden, optional or required whatever the mode is
		}
		if m.Discriminator == "type" && len(m.Members) == 1 {
			m.Kind = Discriminated // the same
		}
		modes := unions.Modes{Discriminator: m.Discriminator, Fields: []unions.ModeField{field}}
		written, _ := modes.Rules(unions.LowerOptions{})
		got := Meanings(s, RuleConditions(written))
		if len(got) != 1 || len(got[0].Markers) != 1 {
			t.Fatalf("seed %d: the rules of %v mean %v", i, m, got)
		}
		found := got[0].Markers[0]
		slices.SortFunc(found.Members, func(a, b unions.Member) int { return strings.Compare(a.Value, b.Value) })
		if found.String() != m.String() {
			t.Fatalf("seed %d: the rules of %v mean %v", i, m, found)
		}
		seen[m.Kind]++
	}
	if len(seen) != 2 {
		t.Errorf("not all kinds of modes: %v", seen)
	}
	recordLaw(t, "modes", fmt.Sprintf("The rules written for %d random modes of a field (seeds from 0, 44) mean these modes, %s: %d modes and %d unions; the other fields were required, optional or forbidden in all modes.\n",
		*pairs/10, time.Now().UTC().Format(time.DateOnly), seen[Modes], seen[Discriminated]))
}
