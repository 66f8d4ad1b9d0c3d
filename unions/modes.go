package unions

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/structural"
)

// Modes are the fields of an object that its modes allow. The value of a discriminator, a string
// or a boolean, is the mode. They come from Kubernetes' declarative validation
// (+k8s:modeDiscriminator, +k8s:ifMode). Unlike the members of a [Union], a field may be allowed in
// several modes, and a mode may allow several fields. The values of the discriminator need not be
// known: a mode that a field does not list forbids the field.
type Modes struct {
	// Discriminator is the JSON name of the field that has the mode. An absent string is "", and an
	// absent boolean false.
	Discriminator string
	// Boolean is set if the discriminator is a boolean. Its modes are "true" and "false".
	Boolean bool
	// Fields are the fields, in the order of their rules.
	Fields []ModeField
}

// ModeField is a field that some modes allow.
type ModeField struct {
	// Name is the JSON name of the field.
	Name string
	// Nonzero tests whether a value of the field is set, as written after it in a rule: ".size() > 0".
	// It is empty if every value is. See [Nonzero].
	Nonzero string
	// Allowed are the modes that allow the field, and Required those of them that require it. Both
	// are sorted.
	Allowed, Required []string
	// Checks are conditions for the value of the field. [ModesOf] does not return them.
	Checks []ModeCheck
	// Pos is the position of the field's first mode.
	Pos token.Pos
}

// ModeCheck is a condition for the value of a field in some modes. A field that is not set satisfies
// it.
type ModeCheck struct {
	// Modes are the modes, sorted.
	Modes []string
	// Rule is the condition: "self.name.size() <= 5". Message is for a value that does not satisfy it.
	Rule, Message string
}

// The tests of [Nonzero].
const (
	nonempty      = ".size() > 0"
	nonemptyText  = " != ''"
	nonzeroNumber = " != 0.0"
	nonzeroCount  = " != 0"
	isTrue        = " == true"
)

// Nonzero returns the test, as written after a value in a rule, that a value of a schema is set by
// the rules of Kubernetes' declarative validation: it is not the zero value of its Go type. The test
// is empty if every value is set, because the Go field is a pointer, or the schema excludes the zero
// value.
func Nonzero(s *structural.Schema) string {
	if s.Origin.Pointer {
		return ""
	}
	v := s.ValueValidation
	if v == nil {
		v = &structural.ValueValidation{}
	}
	lacks := func(zero string) bool {
		isZero := func(value structural.JSON) bool { return string(value.Raw) == zero }
		return len(v.Enum) > 0 && !slices.ContainsFunc(v.Enum, isZero)
	}
	positive := func(n *int64) bool { return n != nil && *n > 0 }
	isPositive := v.Minimum != nil && (*v.Minimum > 0 || *v.Minimum == 0 && v.ExclusiveMinimum)
	switch {
	case s.XIntOrString || positive(v.MinLength) || positive(v.MinItems) || positive(v.MinProperties) || isPositive:
		return ""
	case s.Type == "array", s.AdditionalProperties != nil:
		return nonempty
	case s.Type == "string" && !lacks(`""`) && !slices.Contains([]string{"byte", "date", "date-time", "duration"}, v.Format):
		return nonemptyText // an empty text has none of these formats
	case s.Type == "integer" && !lacks("0"):
		return nonzeroCount
	case s.Type == "number" && !lacks("0"):
		return nonzeroNumber
	case s.Type == "boolean" && !lacks("false"):
		return isTrue
	}
	return ""
}

// IsSet returns the condition of rules that a field is set, by its name in rules.
func IsSet(name, nonzero string) string {
	if nonzero == "" {
		return "has(" + name + ")"
	}
	return "(has(" + name + ") && " + name + nonzero + ")"
}

// Rules returns the rules that enforce the modes, for the object that has the fields. unreadable is
// the first field that no rule can access. Of the options only Plain matters.
func (m *Modes) Rules(options LowerOptions) (rules []structural.Rule, unreadable string) {
	discriminator, ok := celtext.Name(m.Discriminator)
	if !ok {
		return nil, m.Discriminator
	}
	for _, f := range m.Fields {
		name, ok := celtext.Name(f.Name)
		if !ok {
			return nil, f.Name
		}
		isSet := IsSet("self."+name, f.Nonzero)
		add := func(rule, message string, reason apiextensionsv1.FieldValueErrorReason) {
			path := celtext.FieldPath(f.Name)
			rules = append(rules, structural.Rule{Rule: rule, Message: message, Reason: &reason, FieldPath: path})
		}
		if len(f.Required) > 0 {
			add("!("+m.selects(discriminator, f.Required)+") || "+isSet, m.MustBeSet(f), apiextensionsv1.FieldValueRequired)
		}
		switch {
		case len(f.Allowed) == 0:
			add("!"+isSet, m.MustNotBeSet(f), apiextensionsv1.FieldValueForbidden)
		case !m.Boolean || len(f.Allowed) < 2:
			add("!"+isSet+" || ("+m.selects(discriminator, f.Allowed)+")", m.MustNotBeSet(f), apiextensionsv1.FieldValueForbidden)
		}
		for _, check := range f.Checks {
			message := fmt.Sprintf("%s when `%s` is %s", check.Message, m.Discriminator, m.oneOf(check.Modes))
			add("!("+m.selects(discriminator, check.Modes)+") || !"+isSet+" || "+check.Rule, message, apiextensionsv1.FieldValueInvalid)
		}
	}
	if options.Plain {
		rules = plain(rules)
	}
	return rules, ""
}

// selects returns the condition that the discriminator has one of the modes. Like the rules of
// unions, it tests for presence even if the discriminator is required: see [celNames.selects].
func (m *Modes) selects(name string, modes []string) string {
	name = "self." + name
	if m.Boolean {
		switch {
		case len(modes) == 2:
			return "true"
		case modes[0] == "true":
			return "has(" + name + ") && " + name
		}
		return "!has(" + name + ") || !" + name
	}
	guard := "has(" + name + ") && "
	if slices.Contains(modes, "") {
		guard = "!has(" + name + ") || "
	}
	if len(modes) == 1 {
		return guard + name + " == " + celtext.String(modes[0])
	}
	literals := make([]string, len(modes))
	for i, mode := range modes {
		literals[i] = celtext.String(mode)
	}
	return guard + name + " in [" + strings.Join(literals, ", ") + "]"
}

// MustBeSet returns the message for a field that the mode requires.
func (m *Modes) MustBeSet(f ModeField) string {
	return fmt.Sprintf("must be specified when `%s` is %s", m.Discriminator, m.oneOf(f.Required))
}

// MustNotBeSet returns the message for a field that the mode forbids.
func (m *Modes) MustNotBeSet(f ModeField) string {
	if len(f.Allowed) == 0 {
		return fmt.Sprintf("may not be specified for any `%s`", m.Discriminator)
	}
	return fmt.Sprintf("may only be specified when `%s` is %s", m.Discriminator, m.oneOf(f.Allowed))
}

func (m *Modes) oneOf(modes []string) string {
	quoted := make([]string, len(modes))
	for i, mode := range modes {
		quoted[i] = mode
		if !m.Boolean {
			quoted[i] = strconv.Quote(mode)
		}
	}
	if n := len(quoted); n > 1 {
		return strings.Join(quoted[:n-1], ", ") + " or " + quoted[n-1]
	}
	return quoted[0]
}

var (
	modesRegexp   = lazyregexp.New(`^!?has\(self\.(\w+)\) (?:&&|\|\|) (?:!?self\.\w+|self\.\w+ == '.*'|self\.\w+ in \['.*'\])$`)
	literalRegexp = lazyregexp.New(`'(?:[^'\\]|\\.)*'`)
)

// ModesOf returns the modes that rules of an object declare, as [Modes.Rules] writes them. Those
// that are a union, because each value of an enum allows one field of its own, are left to [Of].
func ModesOf(schema *structural.Schema) []Modes {
	return slices.DeleteFunc(modesIn(schema), func(m Modes) bool { return m.isUnion(schema) })
}

// isUnion reports whether the discriminator has an enum, no mode allows several fields, and no field
// several modes.
func (m *Modes) isUnion(schema *structural.Schema) bool {
	for i, f := range m.Fields {
		isOther := func(other ModeField) bool { return slices.Equal(other.Allowed, f.Allowed) }
		if f.Nonzero != "" || len(f.Allowed) != 1 || slices.ContainsFunc(m.Fields[:i], isOther) {
			return false
		}
	}
	return len(stringsOf(schema.Property(m.Discriminator))) > 0
}

func modesIn(schema *structural.Schema) (out []Modes) {
	if len(schema.XValidations) == 0 {
		return nil
	}
	plain := plainNames(schema)
	for _, rule := range schema.XValidations {
		i := slices.IndexFunc(schema.Properties, func(p structural.Property) bool {
			return celtext.FieldPath(p.Name) == rule.FieldPath
		})
		if i < 0 {
			continue
		}
		found, condition, required := modeRule(schema.Properties[i].Name, rule.Rule)
		m, modes, ok := readModes(schema, plain, condition)
		if !ok {
			continue
		}
		k := slices.IndexFunc(out, func(known Modes) bool { return known.Discriminator == m.Discriminator })
		if k < 0 {
			k = len(out)
			out = append(out, m)
		}
		f := slices.IndexFunc(out[k].Fields, func(known ModeField) bool { return known.Name == found.Name })
		if f < 0 {
			f = len(out[k].Fields)
			found.Pos = schema.Properties[i].Schema.Origin.Pos
			out[k].Fields = append(out[k].Fields, found)
		}
		if required {
			out[k].Fields[f].Required = modes
		} else {
			out[k].Fields[f].Allowed = modes
		}
	}
	for i := range out {
		for f := range out[i].Fields {
			if field := &out[i].Fields[f]; len(field.Allowed) == 0 && out[i].Boolean {
				field.Allowed = []string{"false", "true"}
			}
		}
		out[i].Fields = slices.DeleteFunc(out[i].Fields, func(f ModeField) bool { return len(f.Allowed) == 0 })
	}
	return slices.DeleteFunc(out, func(m Modes) bool { return len(m.Fields) == 0 })
}

// modeRule splits a rule about a field into its test and the condition that the mode satisfies. The
// condition is empty if it is another rule.
func modeRule(field, rule string) (out ModeField, condition string, required bool) {
	name, ok := celtext.Name(field)
	for _, nonzero := range []string{"", nonempty, nonemptyText, nonzeroNumber, nonzeroCount, isTrue} {
		isSet := IsSet("self."+name, nonzero)
		out = ModeField{Name: field, Nonzero: nonzero}
		if rest, found := strings.CutPrefix(rule, "!"+isSet+" || ("); found && ok {
			condition, _ = strings.CutSuffix(rest, ")")
			return out, condition, false
		}
		if rest, found := strings.CutSuffix(rule, ") || "+isSet); found && ok {
			condition, _ = strings.CutPrefix(rest, "!(")
			return out, condition, true
		}
	}
	return out, "", false
}

// readModes reads a condition that [Modes.selects] writes.
func readModes(schema *structural.Schema, plain map[string]string, condition string) (m Modes, modes []string, ok bool) {
	found := modesRegexp().FindStringSubmatch(condition)
	if found == nil || plain[found[1]] == "" {
		return m, nil, false
	}
	m.Discriminator = plain[found[1]]
	m.Boolean = schema.Property(m.Discriminator).Type == "boolean"
	for _, literal := range literalRegexp().FindAllString(condition, -1) {
		text := strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\n`, "\n", `\r`, "\r", `\t`, "\t").Replace(literal[1 : len(literal)-1])
		modes = append(modes, text)
	}
	if m.Boolean {
		modes = []string{strconv.FormatBool(condition[0] != '!')}
	}
	return m, modes, len(modes) > 0 && m.selects(found[1], modes) == condition
}
