package contradictions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
)

// Contradiction is a part of a schema that the server accepts although no value
// can satisfy it, or that does not mean what it seems to mean.
type Contradiction struct {
	Kind Kind
	// Path is the path in the schema.
	Path *structural.Path
	Pos  token.Pos
	// Related is the position of the conflicting keyword, if there is one.
	Related token.Pos
	// First is the path of what a Repeated rule repeats, otherwise nil.
	First *structural.Path
	// Message describes the problem, Hint the fix.
	Message, Hint string
}

// Kind is the kind of a contradiction.
type Kind int

const (
	// Never means that no value satisfies it, or that other tools interpret it differently.
	Never Kind = iota
	// Misfit is a bound that does not fit the type of its value.
	Misfit
	// Idle is a keyword that has no effect.
	Idle
	// Example is an example that the schema rejects.
	Example
	// Repeated is a rule that occurs twice in a list whose elements the server identifies by
	// their rules: the definition can be created, but not applied by the server.
	Repeated
	// Unmergeable is a list that server-side apply cannot merge: any object with an element is refused.
	Unmergeable
)

// Find returns the problems of an otherwise structural schema that
// prevent values from being set: bounds that exclude each other, enum values that
// other keywords reject, branches of junctors that never match, required
// properties that are not declared, and patterns that clients interpret
// differently. Keywords of allOf count as the node's own.
func Find(s *structural.Schema) []Contradiction {
	if s == nil {
		return nil
	}
	c := &finder{patterns: map[string]*regexp.Regexp{}}
	c.node(s, nil)
	return c.found
}

type finder struct {
	found    []Contradiction
	patterns map[string]*regexp.Regexp
	// properties finds those of large schemas.
	properties locate.Locator
}

func (c *finder) add(path *structural.Path, pos, related token.Pos, hint, format string, args ...any) {
	c.found = append(c.found, Contradiction{Path: path, Pos: pos, Related: related,
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (c *finder) addKind(kind Kind, path *structural.Path, pos token.Pos, hint, format string, args ...any) {
	c.add(path, pos, token.NoPos, hint, format, args...)
	c.found[len(c.found)-1].Kind = kind
}

func (c *finder) node(s *structural.Schema, path *structural.Path) {
	c.example(s, path)
	c.repeated(s.XValidations, path)
	c.set(s, path)
	if s.ValueValidation != nil {
		l := limitsOf(s)
		for _, clash := range l.clashes() {
			c.add(path.Child(clash.keyword), clash.pos, clash.other, "", "%s", clash.text)
		}
		c.numbers(s, path)
		c.idle(s, path)
		c.enum(s, l, path)
		c.required(s, path)
		c.junctors(s, l, path)
		c.pattern(s, path)
		structural.EachNested(s.ValueValidation, path, c.repeatedIn)
	}
	for edge, child := range s.Children() {
		c.node(child, path.Edge(edge))
	}
}

// set reports a set whose elements are not scalars. The server refuses such a set only if its elements
// are not atomic, but server-side apply compares elements of sets as scalars, and fails for all others.
func (c *finder) set(s *structural.Schema, path *structural.Path) {
	if s.XListType != "set" || s.Items == nil {
		return
	}
	elements := "lists"
	hint := "use atomic"
	switch items := s.Items; {
	case items.Type == "array" && (items.XListType == "" || items.XListType == "atomic"):
	case items.Type == "object" && items.XMapType == "atomic":
		elements = "objects"
		hint = "use atomic, or map with the fields that identify an element as keys"
	default:
		return
	}
	c.addKind(Unmergeable, path.Child("x-kubernetes-list-type"), token.NoPos, hint,
		"this is a set of %s, so kubectl apply --server-side fails for every object with an element in it", elements)
}

// repeated reports rules that occur twice in a list.
func (c *finder) repeated(rules []structural.Rule, path *structural.Path) {
	for i := range rules {
		if first := slices.IndexFunc(rules[:i], func(r structural.Rule) bool { return r.Rule == rules[i].Rule }); first >= 0 {
			c.addKind(Repeated, path.Index("x-kubernetes-validations", i).Child("rule"), token.NoPos, "remove one of them: rules with different messages are the same rule",
				"rules %d and %d of this list are the same, so kubectl apply --server-side fails for this CRD", first, i)
			c.found[len(c.found)-1].First = path.Index("x-kubernetes-validations", first).Child("rule")
		}
	}
}

// repeatedIn reports rules that occur twice in a list of a logical junctor.
func (c *finder) repeatedIn(n *structural.NestedValueValidation, path *structural.Path) {
	c.repeated(n.ForbiddenExtensions.XValidations, path)
	structural.EachNested(&n.ValueValidation, path, c.repeatedIn)
	for _, p := range n.Properties {
		c.repeatedIn(p.Schema, path.Property(p.Name))
	}
	if n.Items != nil {
		c.repeatedIn(n.Items, path.Child("items"))
	}
}

// bound is one limit of a value, with its position.
type bound struct {
	value     float64
	set       bool
	exclusive bool
	pos       token.Pos
}

// span is a pair of limits for one aspect of a value.
type span struct {
	low, high bound
}

// limits are the bounds of a node, including those in allOf.
type limits struct {
	number, length, items, properties span
	// multiples are the values of multipleOf, and typ is the type of the values.
	multiples []bound
	typ       string
}

// spanNames returns the keywords of each span, lower bound first.
func spanNames() [4][2]string {
	return [4][2]string{{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}}
}

func (l *limits) spans() [4]*span { return [4]*span{&l.number, &l.length, &l.items, &l.properties} }

func limitsOf(s *structural.Schema) *limits {
	l := &limits{typ: s.Type}
	l.add(s.ValueValidation, s.Origin)
	return l
}

// add tightens the limits with those of v.
func (l *limits) add(validation *structural.ValueValidation, origin structural.Origin) {
	if validation.Minimum != nil {
		l.number.low.raise(bound{*validation.Minimum, true, validation.ExclusiveMinimum, origin.Of("minimum")})
	}
	if validation.Maximum != nil {
		l.number.high.lower(bound{*validation.Maximum, true, validation.ExclusiveMaximum, origin.Of("maximum")})
	}
	if validation.MultipleOf != nil {
		l.multiples = append(slices.Clip(l.multiples), bound{value: *validation.MultipleOf, pos: origin.Of("multipleOf")})
	}
	counts := [3][2]*int64{{validation.MinLength, validation.MaxLength}, {validation.MinItems, validation.MaxItems}, {validation.MinProperties, validation.MaxProperties}}
	for i, pair := range counts {
		names := spanNames()[i+1]
		if pair[0] != nil {
			l.spans()[i+1].low.raise(bound{value: float64(*pair[0]), set: true, pos: origin.Of(names[0])})
		}
		if pair[1] != nil {
			l.spans()[i+1].high.lower(bound{value: float64(*pair[1]), set: true, pos: origin.Of(names[1])})
		}
	}
	for i := range validation.AllOf {
		n := &validation.AllOf[i]
		at := n.Origin
		if !at.Pos.IsValid() {
			at = origin
		}
		l.add(&n.ValueValidation, at)
	}
}

func (b *bound) raise(other bound) {
	if !b.set || other.value > b.value || other.value == b.value && other.exclusive {
		*b = other
	}
}

func (b *bound) lower(other bound) {
	if !b.set || other.value < b.value || other.value == b.value && other.exclusive {
		*b = other
	}
}

// clash is a pair of limits that exclude each other.
type clash struct {
	keyword, text string
	pos, other    token.Pos
}

func (l *limits) clashes() []clash {
	var out []clash
	for i, s := range l.spans() {
		if isCount := i > 0; isCount && s.high.set && s.high.value < 0 && (!s.low.set || s.low.value <= s.high.value) {
			name := spanNames()[i][1]
			out = append(out, clash{name, fmt.Sprintf("%s %s is negative: no value is allowed", name, number(s.high.value)), s.high.pos, token.NoPos})
		}
		if !s.low.set || !s.high.set || s.low.value < s.high.value || s.low.value == s.high.value &&
			!s.low.exclusive && !s.high.exclusive {
			continue
		}
		names := spanNames()[i]
		text := fmt.Sprintf("%s %s is greater than %s %s: no value is allowed", names[0], number(s.low.value), names[1], number(s.high.value))
		if s.low.value == s.high.value {
			text = fmt.Sprintf("%s and %s are both %s, and one of them is exclusive: no value is allowed", names[0], names[1], number(s.low.value))
		}
		out = append(out, clash{names[0], text, s.low.pos, s.high.pos})
	}
	if len(out) == 0 {
		if clash := l.noNumber(); clash != nil {
			out = append(out, *clash)
		}
	}
	return out
}

func number(f float64) string {
	text, err := plainjson.Marshal(f)
	if err != nil {
		return fmt.Sprint(f)
	}
	return string(text)
}

// enum checks the values of an enum against the other keywords of the node.
func (c *finder) enum(s *structural.Schema, l *limits, path *structural.Path) {
	seen := map[string]bool{}
	for i, value := range s.Enum {
		text := string(bytes.TrimSpace(value.Raw))
		if seen[text] {
			c.add(path.Index("enum", i), s.Origin.Of("enum"), token.NoPos, "remove one of them", "duplicate enum value %s", text)
		}
		seen[text] = true
		if why := c.rejects(s, l, value); why != "" {
			c.add(path.Index("enum", i), s.Origin.Of("enum"), token.NoPos, "", "enum value %s can never be used: %s", text, why)
		}
	}
}

// decode returns a JSON value; a number as json.Number.
func decode(raw []byte) (v any, err error) {
	var number json.Number
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] != '"' && json.Unmarshal(raw, &number) == nil && number != "" {
		return number, nil
	}
	err = json.Unmarshal(raw, &v)
	return v, err
}

// rejects returns the reason for which a node rejects a value, or "" if it accepts it.
func (c *finder) rejects(schema *structural.Schema, l *limits, value structural.JSON) string {
	v, err := decode(value.Raw)
	if err != nil {
		return "it is not JSON"
	}
	is := typeOf(v)
	switch {
	case v == nil && schema.Nullable:
		return ""
	case schema.XIntOrString && (is == "integer" || is == "string"):
	case schema.Type != "" && schema.Type != is && !(schema.Type == "number" && is == "integer"):
		return fmt.Sprintf("it is %s, but the type is %s", article(is), schema.Type)
	}
	switch v := v.(type) {
	case string:
		if n := float64(utf8.RuneCountInString(v)); !l.length.holds(n) {
			return fmt.Sprintf("its length %s %s", number(n), l.length.describe("Length"))
		}
		if schema.Pattern != "" && schema.Type == "string" {
			if re := c.compile(schema.Pattern); re != nil && !re.MatchString(v) {
				return "it does not match the pattern " + schema.Pattern
			}
		}
	case json.Number:
		f, err := v.Float64()
		if err == nil && !l.number.holds(f) {
			return "it " + l.number.describe("imum")
		}
		for _, m := range l.multiples {
			if err == nil && m.value > 0 && math.Abs(f/m.value-math.Round(f/m.value)) > 1e-9 {
				return "it is not a multiple of " + number(m.value)
			}
		}
	}
	return ""
}

func (s span) holds(f float64) bool {
	return !(s.low.set && (f < s.low.value || f == s.low.value && s.low.exclusive)) &&
		!(s.high.set && (f > s.high.value || f == s.high.value && s.high.exclusive))
}

func (s span) describe(noun string) string {
	var parts []string
	if s.low.set {
		parts = append(parts, "min"+noun+" "+number(s.low.value))
	}
	if s.high.set {
		parts = append(parts, "max"+noun+" "+number(s.high.value))
	}
	return "is outside " + strings.Join(parts, ", ")
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if f, err := v.Float64(); err == nil && f == math.Trunc(f) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func article(noun string) string {
	if strings.IndexByte("aeiou", noun[0]) >= 0 {
		return "an " + noun
	}
	if noun == "null" {
		return noun
	}
	return "a " + noun
}

// required checks that required properties can be set.
func (c *finder) required(s *structural.Schema, path *structural.Path) {
	if s.XPreserveUnknownFields != nil || s.AdditionalProperties != nil || s.Type != "object" {
		return
	}
	declared := make(map[string]bool, len(s.Properties))
	for _, p := range s.Properties {
		declared[p.Name] = true
	}
	for i, name := range s.Required {
		if name == "" {
			continue // it comes from a marker on an embedded struct, which is reported there
		}
		if isOfEveryObject(name) && (path == nil || s.XEmbeddedResource) || declared[name] {
			continue
		}
		c.add(path.Index("required", i), s.Origin.Of("required"), token.NoPos, "declare the property or do not require it",
			"property %q is required but not declared: the API server prunes it, so no object is valid", name)
	}
}

// isOfEveryObject reports whether every object has a property of that name.
func isOfEveryObject(name string) bool {
	return name == "metadata" || name == "kind" || name == "apiVersion"
}

// junctors checks the branches of junctors.
func (c *finder) junctors(schema *structural.Schema, l *limits, path *structural.Path) {
	for _, junctor := range []struct {
		keyword string
		list    []structural.NestedValueValidation
	}{{"anyOf", schema.AnyOf}, {"oneOf", schema.OneOf}} {
		for i := range junctor.list {
			branch := &junctor.list[i]
			location := path.Index(junctor.keyword, i)
			pos := branch.Origin.Pos
			if !pos.IsValid() {
				pos = schema.Origin.Of(junctor.keyword)
			}
			if why := c.unsatisfiable(schema, l, branch); why != "" {
				c.add(location, pos, token.NoPos, "", "this branch of %s never matches: %s", junctor.keyword, why)
				continue
			}
			for j := range i {
				if junctor.keyword == "oneOf" && reflect.DeepEqual(junctor.list[j].Props(), branch.Props()) {
					c.add(location, pos, token.NoPos, "remove one of them, or use anyOf", "branches %d and %d of oneOf are equal: a value matches both or neither", j, i)
				}
			}
		}
	}
	if schema.Not != nil && reflect.DeepEqual(*schema.Not.Props(), *(&structural.NestedValueValidation{}).Props()) {
		c.add(path.Child("not"), schema.Origin.Of("not"), token.NoPos, "", "an empty not rejects every value")
	}
}

// unsatisfiable returns the reason for which a branch can never match in the node that it
// belongs to, or "" if it can.
func (c *finder) unsatisfiable(s *structural.Schema, l *limits, branch *structural.NestedValueValidation) string {
	joint := *l
	joint.add(&branch.ValueValidation, branch.Origin)
	if clashes := joint.clashes(); len(clashes) > len(l.clashes()) {
		return clashes[len(clashes)-1].text
	}
	if len(s.Enum) > 0 && len(branch.Enum) > 0 && disjoint(s.Enum, branch.Enum) {
		return "its enum has no value in common with the enum of the node"
	}
	if not := branch.Not; not != nil && len(not.Required) == 1 && reflect.DeepEqual(not.ValueValidation,
		structural.ValueValidation{Required: not.Required}) && len(not.Properties) == 0 {
		if name := not.Required[0]; slices.Contains(s.Required, name) || slices.Contains(branch.Required, name) {
			return "it forbids " + name + ", which is required"
		}
	}
	for _, p := range branch.Properties {
		declared := c.properties.Property(s, p.Name)
		required := slices.Contains(s.Required, p.Name) || slices.Contains(branch.Required, p.Name)
		if declared == nil || declared.ValueValidation == nil || !required {
			continue
		}
		if why := c.unsatisfiable(declared, limitsOf(declared), p.Schema); why != "" {
			return p.Name + ": " + why
		}
	}
	return ""
}

func disjoint(a, b []structural.JSON) bool {
	for _, x := range a {
		for _, y := range b {
			if bytes.Equal(bytes.TrimSpace(x.Raw), bytes.TrimSpace(y.Raw)) {
				return false
			}
		}
	}
	return true
}

func (c *finder) compile(pattern string) *regexp.Regexp {
	re, ok := c.patterns[pattern]
	if !ok {
		re, _ = regexp.Compile(pattern) // nil if invalid, which the server rejects
		c.patterns[pattern] = re
	}
	return re
}

// pattern reports regular expressions that have a different meaning in ECMA 262,
// the dialect of JSON Schema, which editors and client libraries use.
func (c *finder) pattern(s *structural.Schema, path *structural.Path) {
	if what, instead := foreignSyntax(s.Pattern); what != "" && c.compile(s.Pattern) != nil {
		c.add(path.Child("pattern"), s.Origin.Of("pattern"), token.NoPos, instead, "%s in the pattern is specific to Go: clients that follow ECMA 262 read it differently", what)
	}
}

// foreignSyntax returns the first part of a regular expression that is specific to
// Go, and a hint how to replace it.
func foreignSyntax(pattern string) (what, instead string) {
	class := false
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			switch rest[1] {
			case 'A':
				return `\A`, "write ^"
			case 'z':
				return `\z`, "write $"
			case 'Q':
				return `\Q`, "escape each character"
			case 'a':
				return `\a`, `write \x07`
			case 'C':
				return `\C`, ""
			}
			i++
		case class && strings.HasPrefix(rest, "[:"):
			end := strings.Index(rest, ":]")
			if end > 0 {
				return rest[:end+2], "write the characters, as in [a-z]"
			}
		case rest[0] == '[':
			class = true
		case rest[0] == ']':
			class = false
		case !class && strings.HasPrefix(rest, "(?") && len(rest) > 2 && rest[2] != ':' && rest[2] != '<':
			end := strings.IndexAny(rest, ":)>")
			return rest[:max(end, 0)+1], "write both cases of each letter or a plain group"
		}
	}
	return "", ""
}
