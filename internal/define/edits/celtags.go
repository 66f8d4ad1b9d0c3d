package edits

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/structural"
)

// partsRule is a tag for values that no keyword can reach: the keys of a map, or some of
// the items of a list. It becomes one CEL rule.
type partsRule struct{ tag codetags.Tag }

func (op partsRule) Apply(e *Editor, s *structural.Schema) {
	if rule, ok := Condition(e, op.tag, "self", s); ok {
		AddRule(e, s, rule)
	}
}

// Condition returns the rule that a value of a schema satisfies a tag. value is its name in the rule.
// ok is false if there is no such rule, which has been reported.
func Condition(e *Editor, tag codetags.Tag, value string, s *structural.Schema) (rule structural.Rule, ok bool) {
	c := &celWriter{Editor: e}
	rule.Rule = c.expr(tag, value, s)
	rule.Message = c.message(tag)
	return rule, !c.failed
}

// celWriter translates tags to CEL.
type celWriter struct {
	*Editor
	depth  int
	failed bool
}

func (c *celWriter) fail(hint, format string, args ...any) string {
	if !c.failed {
		c.Errorf(c.Pos, hint, format, args...)
	}
	c.failed = true
	return "true"
}

// failAt is like fail for a property that a schema does not have.
func (c *celWriter) failAt(s *structural.Schema, name string) string {
	if !c.failed {
		c.missingField(s, name)
	}
	c.failed = true
	return "true"
}

// variable returns a name for the variable of a macro.
func (c *celWriter) variable() string {
	c.depth++
	if c.depth > 1 {
		return "x" + strconv.Itoa(c.depth)
	}
	return "x"
}

// expr returns an expression that is true if the value of another expression satisfies the
// tag.
func (c *celWriter) expr(tag codetags.Tag, value string, schema *structural.Schema) string {
	if tag.ValueType == codetags.ValueTypeTag && tag.ValueTag == nil {
		return c.fail("", "+%s needs a tag after the equals sign", tag.Name)
	}
	switch tag.Name {
	case markers.TagBetaName:
		return c.expr(*tag.ValueTag, value, schema)
	case markers.TagEachKeyName:
		if schema.AdditionalProperties == nil {
			return c.fail("", "must apply to a map, found %s", TypeOrNone(schema.Type))
		}
		key := c.variable()
		return fmt.Sprintf("%s.all(%s, %s)", value, key, c.expr(*tag.ValueTag, key, &structural.Schema{Generic: structural.Generic{Type: "string"}}))
	case markers.TagEachValName:
		x := c.variable()
		switch {
		case schema.Items != nil:
			return fmt.Sprintf("%s.all(%s, %s)", value, x, c.expr(*tag.ValueTag, x, schema.Items))
		case schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
			return fmt.Sprintf("%s.all(%s, %s)", value, x, c.expr(*tag.ValueTag, value+"["+x+"]", schema.AdditionalProperties.Schema))
		}
		return c.fail("", "must apply to a list or a map, found %s", TypeOrNone(schema.Type))
	case markers.TagItemName:
		return c.item(tag, value, schema)
	case markers.TagSubfieldName:
		arg, _ := tag.PositionalArg()
		property := schema.Property(arg.Value)
		name, ok := celtext.Name(arg.Value)
		if property == nil || !ok {
			return c.failAt(schema, arg.Value)
		}
		field := value + "." + name
		switch tag.ValueTag.Name {
		case markers.TagRequiredName:
			return "has(" + field + ")"
		case markers.TagForbiddenName:
			return "!has(" + field + ")"
		}
		return fmt.Sprintf("(!has(%s) || %s)", field, c.expr(*tag.ValueTag, field, property))
	case markers.TagMinLengthName, markers.TagMinItemsName, markers.TagMinPropertiesName:
		return ifText(schema, value, fmt.Sprintf("%s.size() >= %d", value, c.bound(tag, schema)))
	case markers.TagMaxLengthName, markers.TagMaxItemsName, markers.TagMaxPropertiesName:
		return ifText(schema, value, fmt.Sprintf("%s.size() <= %d", value, c.bound(tag, schema)))
	case markers.TagMaxBytesName:
		return ifText(schema, value, fmt.Sprintf("bytes(%s).size() <= %d", value, c.bound(tag, schema)))
	case markers.TagMinimumName:
		return fmt.Sprintf("%s >= %d", value, c.bound(tag, schema))
	case markers.TagMaximumName:
		return fmt.Sprintf("%s <= %d", value, c.bound(tag, schema))
	case markers.TagNeqName:
		return value + " != " + c.literal(tag.Value, schema.Type)
	case markers.TagFormatName:
		format, ok := findFormat(tag.Value)
		if !ok {
			return c.fail(formatHint(tag.Value), "unknown format %q", tag.Value)
		}
		return ifText(schema, value, format.celFor(value))
	}
	return c.fail("write the rule as +kubebuilder:validation:XValidation", "+%s cannot be nested in this tag in a CRD", tag.Name)
}

// ifText restricts a condition on strings to strings, if the value may also be a number, for
// which it could not be evaluated.
func ifText(s *structural.Schema, value, condition string) string {
	if !s.XIntOrString {
		return condition
	}
	return "(type(" + value + ") != string || " + condition + ")"
}

// item returns the expression for the items of a list that have the given keys.
func (c *celWriter) item(tag codetags.Tag, value string, s *structural.Schema) string {
	if s.Items == nil {
		return c.fail("", "must apply to a list, found %s", TypeOrNone(s.Type))
	}
	x := c.variable()
	var other []string
	for _, arg := range tag.Args {
		key := s.Items.Property(arg.Name)
		name, ok := celtext.Name(arg.Name)
		if key == nil || !ok {
			return c.failAt(s.Items, arg.Name)
		}
		// Even a required key may be absent in objects stored before it was required.
		other = append(other, fmt.Sprintf("!has(%[1]s.%[2]s) || %[1]s.%[2]s != %[3]s", x, name, c.literal(arg.Value, key.Type)))
	}
	if len(other) == 0 {
		return c.fail("as in +k8s:item(type: \"Ready\")=+k8s:…", "needs the keys of the item in parentheses")
	}
	return fmt.Sprintf("%s.all(%s, %s || %s)", value, x, strings.Join(other, " || "), c.expr(*tag.ValueTag, x, s.Items))
}

// bound returns the bound of a tag.
func (c *celWriter) bound(tag codetags.Tag, s *structural.Schema) int64 {
	n, ok := validation{tag}.limit(c.Editor, s)
	c.failed = c.failed || !ok
	return n
}

// message returns the rule's message for a tag.
func (c *celWriter) message(tag codetags.Tag) string {
	switch tag.Name {
	case markers.TagBetaName:
		return c.message(*tag.ValueTag)
	case markers.TagEachKeyName:
		return "each key " + c.message(*tag.ValueTag)
	case markers.TagEachValName:
		return "each value " + c.message(*tag.ValueTag)
	case markers.TagItemName:
		return "the item with " + itemName(tag) + " " + c.message(*tag.ValueTag)
	case markers.TagSubfieldName:
		arg, _ := tag.PositionalArg()
		switch tag.ValueTag.Name {
		case markers.TagRequiredName:
			return "must have " + arg.Value
		case markers.TagForbiddenName:
			return "may not have " + arg.Value
		}
		return "has " + arg.Value + " that " + c.message(*tag.ValueTag)
	case markers.TagMinLengthName:
		return "must be at least " + tag.Value + " characters long"
	case markers.TagMaxLengthName:
		return "may not be longer than " + tag.Value + " characters"
	case markers.TagMaxBytesName:
		return "may not be more than " + tag.Value + " bytes"
	case markers.TagMinItemsName, markers.TagMinPropertiesName:
		return "must have at least " + tag.Value + " items"
	case markers.TagMaxItemsName, markers.TagMaxPropertiesName:
		return "may not have more than " + tag.Value + " items"
	case markers.TagMinimumName:
		return "must be greater than or equal to " + tag.Value
	case markers.TagMaximumName:
		return "must be less than or equal to " + tag.Value
	case markers.TagNeqName:
		return "must not be equal to " + tag.Value
	case markers.TagFormatName:
		return "must be a " + tag.Value
	case markers.TagImmutableName:
		return "is immutable"
	case markers.TagUpdateName:
		return "cannot be modified"
	}
	return "must satisfy " + tag.Name
}

// celFor returns the format of a string as CEL.
func (f stringFormat) celFor(value string) string {
	if f.cel != "" {
		return fmt.Sprintf(f.cel, value)
	}
	var parts []string
	for _, pattern := range f.patterns {
		parts = append(parts, fmt.Sprintf("%s.matches(r'%s')", value, pattern))
	}
	for _, pattern := range f.unlike {
		parts = append(parts, fmt.Sprintf("!%s.matches(r'%s')", value, pattern))
	}
	if f.maxLength > 0 {
		parts = append(parts, fmt.Sprintf("%s.size() <= %d", value, f.maxLength))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " && ") + ")"
}

// literal returns a value as a CEL literal of a schema type.
func (e *Editor) literal(text, schemaType string) string {
	ok := true
	switch schemaType {
	case "integer":
		_, err := strconv.ParseInt(text, 10, 64)
		ok = err == nil
	case "boolean":
		ok = text == "true" || text == "false"
	case "number":
		_, err := strconv.ParseFloat(text, 64)
		ok = err == nil
	default:
		return celtext.String(text)
	}
	if !ok {
		e.Errorf(e.Pos, "", "%q is not a valid %s", text, schemaType)
		return "false"
	}
	return text
}
