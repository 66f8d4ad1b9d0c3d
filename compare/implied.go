package compare

import (
	"math"
	"reflect"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// This file finds out which conditions hold for every value that a schema accepts. Finite sets of
// values are validated with the server's code; otherwise the conditions are compared one by one.

// holds reports whether every value that the old schema accepts satisfies some value validations
// of the new one, named by their fields in the model. It does not find all such validations.
func (c *comparer) holds(p nodePair, fields []string) bool {
	condition, ok := validations(p.new, fields)
	return ok && c.satisfied(p, p.new.Type, condition)
}

// satisfied is [comparer.holds] for a condition on values of a type: that of the node or, for
// what is in a logical junctor, the empty string.
func (c *comparer) satisfied(p nodePair, kind string, condition *structural.ValueValidation) bool {
	return c.acceptedBy(p.old, p.new).satisfy(kind, nested(condition))
}

// hasNoEffect reports whether some value validations restrict no value in either schema.
func (c *comparer) hasNoEffect(p nodePair, fields []string) bool {
	oldValueValidation, ok := validations(p.old, fields)
	newValueValidation, also := validations(p.new, fields)
	if !ok || !also {
		return false
	}
	return c.unrestricted(p.old).satisfy(p.old.Type, nested(oldValueValidation)) &&
		c.unrestricted(p.new).satisfy(p.new.Type, nested(newValueValidation))
}

func nested(v *structural.ValueValidation) *structural.NestedValueValidation {
	return &structural.NestedValueValidation{ValueValidation: *v}
}

// unrestricted returns what is known about all values of the type of a node.
func (c *comparer) unrestricted(s *structural.Schema) *accepted {
	all := &structural.Schema{Generic: s.Generic, Extensions: s.Extensions}
	all.AdditionalProperties = &structural.SchemaOrBool{Bool: true}
	return c.acceptedBy(all, all)
}

// validations returns some value validations of a node. ok is false if a field is not one.
func validations(s *structural.Schema, fields []string) (out *structural.ValueValidation, ok bool) {
	out = &structural.ValueValidation{}
	for _, name := range fields {
		target := reflect.ValueOf(out).Elem().FieldByName(name)
		if !target.IsValid() {
			return nil, false
		}
		target.Set(reflect.ValueOf(s.ValueValidation).Elem().FieldByName(name))
	}
	return out, true
}

// accepted is what is known about the values that the old schema of a node accepts, as the new
// one sees them: after it has set its defaults. A default of the node itself is not considered,
// because the server validates it with the new schema.
type accepted struct {
	target   *apiserver.Target
	old, new *structural.Schema
	// conditions come from the node and from its allOf.
	conditions []structural.ValueValidation
	// inBranch is set if the conditions come from one branch of several. They are not distinguished
	// any further, which would take exponential time.
	inBranch bool
}

// mostBranches is how many branches are distinguished at most, because each is compared with all
// branches of the condition.
const mostBranches = 100

func (c *comparer) acceptedBy(old, new *structural.Schema) *accepted {
	a := &accepted{target: c.target, old: old, new: new}
	if old.ValueValidation != nil {
		a.add(old.Type, *old.ValueValidation)
	}
	return a
}

// add adds a condition and its parts.
func (a *accepted) add(kind string, v structural.ValueValidation) {
	if v.Format != "" && a.target.IgnoresFormat(kind, v.Format) {
		v.Format = ""
	}
	a.conditions = append(a.conditions, v)
	for i := range v.AllOf {
		a.add("", v.AllOf[i].ValueValidation)
	}
}

// satisfy reports whether all values satisfy a condition on values of a type.
func (a *accepted) satisfy(kind string, n *structural.NestedValueValidation) bool {
	if a.inBranch {
		return a.satisfyEach(kind, n)
	}
	return a.satisfyEach(kind, n) || a.satisfyAll(kind, n) || a.satisfyByBranch(kind, n)
}

// satisfyAll validates all values with the server's code, if they are few.
func (a *accepted) satisfyAll(kind string, n *structural.NestedValueValidation) bool {
	values, few := a.values()
	if !few {
		return false
	}
	s := &structural.Schema{ValueValidation: &n.ValueValidation}
	s.Type = kind
	s.Nullable = a.new.Nullable
	if kind == "" {
		s.ValueValidation = &structural.ValueValidation{AllOf: []structural.NestedValueValidation{*n}}
	}
	check, err := apiserver.NewValueCheck(s.Props())
	return err == nil && !slices.ContainsFunc(values, func(value any) bool { return !check(value) })
}

// satisfyByBranch distinguishes by the branches of anyOf or oneOf, one of which every value
// satisfies.
func (a *accepted) satisfyByBranch(kind string, n *structural.NestedValueValidation) bool {
	for _, v := range a.conditions {
		for _, branches := range [][]structural.NestedValueValidation{v.AnyOf, v.OneOf} {
			outside := func(branch structural.NestedValueValidation) bool {
				extended := *a
				extended.inBranch = true
				extended.conditions = slices.Clip(a.conditions)
				extended.add("", branch.ValueValidation)
				return !extended.satisfyEach(kind, n)
			}
			if len(branches) > 0 && len(branches) <= mostBranches && !slices.ContainsFunc(branches, outside) {
				return true
			}
		}
	}
	return false
}

// satisfyEach reports whether all values satisfy each part of a condition.
func (a *accepted) satisfyEach(kind string, n *structural.NestedValueValidation) bool {
	isPlain := reflect.ValueOf(n.ForbiddenGenerics).IsZero() && reflect.ValueOf(n.ForbiddenExtensions).IsZero()
	if !isPlain || n.AdditionalProperties != nil {
		return false
	}
	for k := range keywords.Table() {
		restricts := k.Class == keywords.ClassValue || k.Class == keywords.ClassJunctor
		if restricts && k.IsSet(keywords.PartsOfNested(n)) && !a.satisfyKeyword(k, kind, &n.ValueValidation) {
			return false
		}
	}
	for _, p := range n.Properties {
		if child, present := a.field(p.Name); present && (child == nil || !child.satisfy("", p.Schema)) {
			return false
		}
	}
	return n.Items == nil || a.isNever("array")
}

// field returns what is known about the values of a field; nil means nothing. present is false if
// no value has the field.
func (a *accepted) field(name string) (child *accepted, present bool) {
	oldSchema := a.old.Property(name)
	newSchema := a.new.Property(name)
	switch {
	case a.isNever("object"):
		return nil, false
	case oldSchema == nil:
		return nil, !a.isClosed() || newSchema != nil && newSchema.Default != nil
	case newSchema != nil && newSchema.Default != nil && !same(oldSchema.Default, newSchema.Default):
		return nil, true
	case newSchema == nil:
		newSchema = oldSchema
	}
	return (&comparer{definition: &definition{target: a.target}}).acceptedBy(oldSchema, newSchema), true
}

// isNever reports whether no value has one of the types number, string, array and object.
func (a *accepted) isNever(kind string) bool {
	types := typesOf(a.old)
	if types == nil || kind == "number" && slices.Contains(types, "integer") {
		return false
	}
	return !slices.Contains(types, kind)
}

// isClosed reports whether all values are objects with no other fields than the specified ones.
func (a *accepted) isClosed() bool {
	return a.old.Type == "object" && a.old.AdditionalProperties == nil && !keepsUnknown(a.old) && !a.old.XEmbeddedResource
}

// satisfyKeyword reports whether all values satisfy a keyword of a condition.
func (a *accepted) satisfyKeyword(k *keywords.Keyword, kind string, validation *structural.ValueValidation) bool {
	if k.Restricts != "" && a.isNever(k.Restricts) {
		return true
	}
	if a.refusesAll(k, kind, validation) || k.Name == "enum" && a.old.Nullable {
		return false // an enum in allOf accepts null, one in the node does not
	}
	if slices.ContainsFunc(a.conditions, func(known structural.ValueValidation) bool { return states(k, &known, validation) }) {
		return true
	}
	all := func(branch structural.NestedValueValidation) bool { return a.satisfy("", &branch) }
	switch k.Name {
	case "exclusiveMaximum", "exclusiveMinimum":
		return true // a part of the bound
	case "maximum", "minimum":
		return a.satisfyBound(k.Name, validation)
	case "multipleOf":
		return a.satisfyMultiple(kind, *validation.MultipleOf)
	case "maxLength", "maxItems", "maxProperties":
		_, high := a.sizes(k.Restricts)
		return high <= **k.Value(keywords.Parts{ValueValidation: validation}).(**int64)
	case "minLength", "minItems", "minProperties":
		low, _ := a.sizes(k.Restricts)
		return low >= **k.Value(keywords.Parts{ValueValidation: validation}).(**int64)
	case "enum":
		return slices.ContainsFunc(a.conditions, func(known structural.ValueValidation) bool {
			return len(known.Enum) > 0 && len(withoutKeys(known.Enum, validation.Enum, canonical)) == 0
		})
	case "pattern":
		return matchesAll(validation.Pattern)
	case "format":
		return a.satisfyFormat(kind, validation.Format)
	case "required":
		return !slices.ContainsFunc(validation.Required, func(name string) bool { return !a.requires(name) })
	case "allOf":
		return !slices.ContainsFunc(validation.AllOf, func(branch structural.NestedValueValidation) bool { return !all(branch) })
	case "anyOf":
		return slices.ContainsFunc(validation.AnyOf, all)
	}
	return false
}

// refusesAll reports whether a keyword does not fit the type, because of which the server refuses
// every number.
func (a *accepted) refusesAll(k *keywords.Keyword, kind string, v *structural.ValueValidation) bool {
	value, ok := k.Value(keywords.Parts{ValueValidation: v}).(**float64)
	if !ok || kind != "integer" {
		return false
	}
	most := float64(maxExact)
	if a.new.ValueValidation != nil && a.new.Format == "int32" {
		most = math.MaxInt32
	}
	return **value != math.Trunc(**value) || math.Abs(**value) > most && **value != -most-1
}

// states reports whether a condition has the same keyword.
func states(k *keywords.Keyword, known, v *structural.ValueValidation) bool {
	switch k.Name {
	case "maximum":
		return known.Maximum != nil && *known.Maximum == *v.Maximum && known.ExclusiveMaximum == v.ExclusiveMaximum
	case "minimum":
		return known.Minimum != nil && *known.Minimum == *v.Minimum && known.ExclusiveMinimum == v.ExclusiveMinimum
	case "exclusiveMaximum", "exclusiveMinimum", "format":
		return false
	case "pattern":
		return known.Pattern != "" && simplified(known.Pattern) == simplified(v.Pattern)
	}
	value := func(v *structural.ValueValidation) reflect.Value {
		return reflect.ValueOf(k.Value(keywords.Parts{ValueValidation: v})).Elem()
	}
	isSet := k.IsSet(keywords.Parts{Generic: &structural.Generic{}, Extensions: &structural.Extensions{},
		ValueValidation: known})
	return isSet && sameValue(value(known), value(v))
}

// maxExact is the largest integer up to which a float64 represents every integer.
const maxExact = 1 << 53

// numbers returns bounds of all numbers. Fractions are rounded outwards, because the server
// truncates them for integers.
func (a *accepted) numbers() (low, high float64) {
	low = math.Inf(-1)
	high = math.Inf(1)
	isWhole := a.old.Type == "integer" || a.old.XIntOrString
	for _, v := range a.conditions {
		if v.Format == "int32" && a.old.Type == "integer" {
			low = max(low, math.MinInt32)
			high = min(high, math.MaxInt32)
		}
		if v.Minimum != nil && math.Abs(*v.Minimum) < maxExact {
			bound := math.Floor(*v.Minimum)
			if v.ExclusiveMinimum && bound == *v.Minimum && isWhole {
				bound++
			}
			low = max(low, bound)
		}
		if v.Maximum != nil && math.Abs(*v.Maximum) < maxExact {
			bound := math.Ceil(*v.Maximum)
			if v.ExclusiveMaximum && bound == *v.Maximum && isWhole {
				bound--
			}
			high = min(high, bound)
		}
	}
	return low, high
}

// satisfyBound reports whether all numbers are within a bound.
func (a *accepted) satisfyBound(keyword string, v *structural.ValueValidation) bool {
	low, high := a.numbers()
	bound := v.Minimum
	exclusive := v.ExclusiveMinimum
	if keyword == "maximum" {
		bound = v.Maximum
		exclusive = v.ExclusiveMaximum
	}
	switch {
	case exclusive && *bound != math.Trunc(*bound):
		return false
	case keyword == "maximum":
		return high < *bound || high == *bound && !exclusive
	}
	return low > *bound || low == *bound && !exclusive
}

// satisfyMultiple reports whether all numbers are multiples of a factor.
func (a *accepted) satisfyMultiple(kind string, factor float64) bool {
	isMultiple := func(known float64) bool {
		return known == math.Trunc(known) && math.Mod(known, factor) == 0
	}
	if factor != math.Trunc(factor) || factor < 1 || factor > math.MaxInt32 {
		return false
	}
	if factor == 1 && kind == "integer" && a.old.Type == "integer" {
		return true
	}
	return slices.ContainsFunc(a.conditions, func(v structural.ValueValidation) bool {
		return v.MultipleOf != nil && isMultiple(*v.MultipleOf)
	})
}

// sizes returns the least and the most characters, elements or fields of all values.
func (a *accepted) sizes(kind string) (low, high int64) {
	high = math.MaxInt64
	limit := func(least, most *int64) {
		if least != nil {
			low = max(low, *least)
		}
		if most != nil {
			high = min(high, *most)
		}
	}
	for _, v := range a.conditions {
		switch kind {
		case "string":
			limit(v.MinLength, v.MaxLength)
		case "array":
			limit(v.MinItems, v.MaxItems)
		case "object":
			limit(v.MinProperties, v.MaxProperties)
		}
	}
	if kind != "object" || !a.isClosed() {
		return low, high
	}
	var required, specified int64
	for _, p := range a.old.Properties {
		specified++
		if a.requires(p.Name) {
			required++
		}
	}
	for _, p := range a.new.Properties {
		if p.Schema.Default != nil && a.old.Property(p.Name) == nil {
			specified++
			high++ // a field that is added to every value
		}
	}
	return max(low, required), min(high, specified)
}

// requires reports whether every value has a field.
func (a *accepted) requires(name string) bool {
	return slices.ContainsFunc(a.conditions, func(v structural.ValueValidation) bool {
		return slices.Contains(v.Required, name)
	})
}

// formatsWithin has the formats whose values have another format, too.
var formatsWithin = [...][2]string{
	{"uuid3", "uuid"}, {"uuid4", "uuid"}, {"uuid5", "uuid"}, {"isbn10", "isbn"}, {"isbn13", "isbn"},
	{"k8sshortname", "k8slongname"}, {"ipv4", "k8slongname"},
}

// satisfyFormat reports whether all values have a format. The server ignores dashes in names.
func (a *accepted) satisfyFormat(kind, format string) bool {
	name := strings.ReplaceAll(format, "-", "")
	hasFormat := slices.ContainsFunc(a.conditions, func(v structural.ValueValidation) bool {
		known := strings.ReplaceAll(v.Format, "-", "")
		return known == name || slices.Contains(formatsWithin[:], [2]string{known, name})
	})
	switch {
	case a.target.IgnoresFormat(kind, format), a.old.Type == "array":
		return true
	case kind == "" && a.old.Type != "string":
		return false // without a type, a format refuses other values than strings and lists
	}
	return hasFormat || format == "int64" || format == "double" || format == "password"
}

// mostValues is how many values are validated at most.
const mostValues = 1000

// values returns all values; few is false if they are too many. Enums of numbers are not sets of
// values: the server converts a number to the type of the enum's values before it compares them.
func (a *accepted) values() (out []any, few bool) {
	switch a.old.Type {
	case "boolean":
		out = []any{true, false}
		few = true
	case "integer":
		low, high := a.numbers()
		few = high-low <= mostValues
		for n := low; few && n <= high; n++ {
			out = append(out, int64(n), n)
		}
	case "string":
		for _, v := range a.conditions {
			if len(v.Enum) > 0 && len(v.Enum) <= mostValues {
				out = stringsOf(v.Enum)
				few = true
				break
			}
		}
	}
	if a.old.Nullable && a.new.Nullable {
		out = append(out, nil)
	}
	alone := &structural.Schema{Generic: a.old.Generic, ValueValidation: a.old.ValueValidation}
	check, err := apiserver.NewValueCheck(alone.Props())
	if err != nil || !few {
		return nil, false
	}
	return slices.DeleteFunc(out, func(value any) bool { return !check(value) }), true
}

// stringsOf returns the strings in an enum.
func stringsOf(enum []structural.JSON) (out []any) {
	for _, value := range enum {
		if text, ok := decoded(value).(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// simplified returns a pattern in a normal form, so that patterns with the same form match the
// same strings.
func simplified(pattern string) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return pattern
	}
	return parsed.Simplify().String()
}

// matchesAll reports whether a pattern is known to match every string: it matches the empty
// string, and nothing in it depends on the position.
func matchesAll(pattern string) bool {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false
	}
	var mayBeEmpty func(r *syntax.Regexp) bool
	mayBeEmpty = func(r *syntax.Regexp) bool {
		all := func() bool {
			return !slices.ContainsFunc(r.Sub, func(sub *syntax.Regexp) bool { return !mayBeEmpty(sub) })
		}
		switch r.Op {
		case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
			return true
		case syntax.OpRepeat:
			return r.Min == 0 || all()
		case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
			return all()
		case syntax.OpAlternate:
			return slices.ContainsFunc(r.Sub, mayBeEmpty)
		}
		return false
	}
	return mayBeEmpty(parsed)
}
