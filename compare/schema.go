package compare

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// place is one place in both schemas of a version.
type place struct {
	old, new *structural.Schema
	// oldPath and newPath are the place in each schema. field is the place in objects.
	oldPath, newPath *structural.Path
	field            string
	// correlated: the server finds the stored value of a value, and lets it be what it
	// was (CorrelatedObject of k8s.io/apiserver, pkg/cel/common/equality.go).
	correlated bool
	// required: the object that the place is a field of had to have it.
	required bool
	// ruled: a CEL rule of the new schema stands at the place or above.
	ruled bool
	// discriminator: the place is one of a union in both schemas.
	discriminator bool
}

// composite reports whether a value holds others: what is wrong with it as a whole is
// checked again when one of them changes.
func (p place) composite() bool {
	s := p.new
	return s.Type == "object" || s.Type == "array" || len(s.Properties) > 0 || s.Items != nil || s.AdditionalProperties != nil || keepsUnknown(s)
}

func keepsUnknown(s *structural.Schema) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// schemas compares two schemas of one version.
type schemas struct {
	*definition
	// table explains differences.
	table            []keyword
	version          string
	oldBase, newBase string
	// documented counts what only describes; documentedAt is the first such place.
	documented   int
	documentedAt place
}

// add notes a change at a keyword of a place; without a keyword, at the place.
func (c *schemas) add(p place, keyword string, change Change) {
	change.Version = c.version
	change.Field = p.field
	if keyword != "" {
		keyword = "." + keyword
	}
	if p.old != nil {
		change.OldPath = c.oldBase + p.oldPath.String() + keyword
	}
	if p.new != nil {
		change.NewPath = c.newBase + p.newPath.String() + keyword
	}
	c.definition.add(change)
}

// loosen notes a change after which every value that was accepted still is.
func (c *schemas) loosen(p place, keyword string, change Change) {
	change.Category = Safe
	c.add(p, keyword, change)
}

// tighten notes that values may be refused that were accepted. The category is a matter
// of what the server ratchets.
func (c *schemas) tighten(p place, keyword string, change Change) {
	change.Category = BreaksStored
	switch {
	case !c.ratchets:
		change.Reason += "; this version of Kubernetes refuses every update of a stored object with such a value"
	case !p.correlated:
		change.Reason += "; below a list without keys, a stored object with such a value cannot be updated anywhere in that list"
	case p.composite():
		change.Reason += "; in a stored object where it is so, nothing inside of it can be updated before it is mended"
	default:
		change.Category = BreaksClients
		change.Reason += "; stored values stay as long as they do not change"
	}
	c.add(p, keyword, change)
}

// keyword explains differences of one or several fields of the model.
type keyword struct {
	// fields are the names of the fields of [structural.Schema] and its parts.
	fields []string
	// explain notes the changes that the difference of one of the fields makes. It
	// reports whether it understands the difference.
	explain func(c *schemas, p place) bool
}

// keywords are all explanations, in the order of their changes.
func keywords() []keyword {
	return []keyword{
		{[]string{"Type", "XIntOrString"}, (*schemas).types},
		{[]string{"XPreserveUnknownFields"}, (*schemas).unknownFields},
		{[]string{"XEmbeddedResource"}, (*schemas).embedded},
		{[]string{"Nullable"}, (*schemas).nullable},
		{[]string{"Default"}, (*schemas).defaults},
		{[]string{"Required"}, (*schemas).requirements},
		{[]string{"Enum"}, (*schemas).enum},
		{[]string{"Maximum", "ExclusiveMaximum"}, (*schemas).maximum},
		{[]string{"Minimum", "ExclusiveMinimum"}, (*schemas).minimum},
		{[]string{"MultipleOf"}, (*schemas).multipleOf},
		limit("maxLength", "texts longer than %s are refused"),
		limit("minLength", "texts shorter than %s are refused"),
		text("pattern", "texts that do not match are refused"),
		{[]string{"Format"}, (*schemas).format},
		limit("maxItems", "lists of more than %s elements are refused"),
		limit("minItems", "lists of fewer than %s elements are refused"),
		limit("maxProperties", "objects with more than %s fields are refused"),
		limit("minProperties", "objects with fewer than %s fields are refused"),
		{[]string{"AllOf"}, (*schemas).allOf},
		{[]string{"AnyOf"}, (*schemas).anyOf},
		{[]string{"OneOf"}, (*schemas).oneOf},
		{[]string{"Not"}, (*schemas).not},
		{[]string{"XListType", "XListMapKeys"}, (*schemas).listType},
		{[]string{"XMapType"}, (*schemas).mapType},
		{[]string{"XValidations"}, (*schemas).rules},
		{[]string{"Title", "Description", "ExternalDocs", "Example", "XUnions", "XUnionMembers"}, (*schemas).documentation},
	}
}

// schema compares two nodes and what is below them.
func (c *schemas) schema(p place) {
	discriminators := c.unions(p)
	p.ruled = p.ruled || len(p.new.XValidations) > 0
	p.old, p.new = meaning(p.old), meaning(p.new)
	differing := differences(p.old, p.new)
	before := len(c.changes)
	for _, k := range c.table {
		var mine []string
		for _, field := range k.fields {
			if i := slices.Index(differing, field); i >= 0 {
				mine = append(mine, field)
				differing = slices.Delete(differing, i, i+1)
			}
		}
		if len(mine) > 0 && !k.explain(c, p) {
			c.notUnderstood(p, mine)
		}
	}
	c.notUnderstood(p, differing)
	for _, change := range c.changes[before:] {
		if change.Kind == TypeChanged && change.Field == p.field {
			return // what is below is of another type
		}
	}
	c.structure(p, discriminators)
}

// notUnderstood notes differences that nothing explains.
func (c *schemas) notUnderstood(p place, fields []string) {
	for _, field := range fields {
		c.add(p, keywordName(field), Change{
			Kind: NotUnderstood, Category: BreaksStored,
			Reason: keywordName(field) + " was changed, and what follows of that is not known",
		})
	}
}

// keywordName is the JSON name of a field of the model.
func keywordName(field string) string {
	for k := range structural.Table() {
		if k.Field == field {
			return k.Name
		}
	}
	return "x-kubernetes-unions" // XUnions and XUnionMembers, which are not in JSONSchemaProps
}

// meaning is a node without what means nothing by itself: what unions consist of, which
// are compared as such, and other spellings of the same.
func meaning(s *structural.Schema) *structural.Schema {
	out := *s
	out.XValidations = unions.WithoutRules(s)
	out.ValueValidation = &structural.ValueValidation{}
	if v := unions.WithoutBranches(s); v != nil {
		*out.ValueValidation = *v
	}
	if out.XIntOrString && saysIntOrString(out.AnyOf) {
		out.AnyOf = nil
	}
	if out.XListType == "atomic" {
		out.XListType = ""
	}
	if out.XMapType == "granular" {
		out.XMapType = ""
	}
	return &out
}

// saysIntOrString reports whether branches are those that the KEP "Structural Schemas"
// puts beside x-kubernetes-int-or-string.
func saysIntOrString(branches []structural.NestedValueValidation) bool {
	want := []structural.NestedValueValidation{
		{ForbiddenGenerics: structural.Generic{Type: "integer"}}, {ForbiddenGenerics: structural.Generic{Type: "string"}},
	}
	return same(branches, want)
}

// walkedFields of a node are walked down, and not compared by themselves.
var walkedFields = [...]string{"Properties", "Items", "AdditionalProperties", "Origin"}

// differences are the names of the fields in which two nodes differ, children apart.
func differences(a, b *structural.Schema) []string {
	var out []string
	var visit func(a, b reflect.Value)
	visit = func(a, b reflect.Value) {
		for i := range a.NumField() {
			field := a.Type().Field(i)
			x, y := a.Field(i), b.Field(i)
			switch {
			case field.Anonymous && x.Kind() == reflect.Pointer:
				visit(x.Elem(), y.Elem()) // meaning has set both
			case field.Anonymous:
				visit(x, y)
			case slices.Contains(walkedFields[:], field.Name):
			case !sameValue(x, y):
				out = append(out, field.Name)
			}
		}
	}
	visit(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
	return out
}

// structure compares the fields, elements and values of objects, lists and maps.
func (c *schemas) structure(p place, discriminators []string) {
	if structureOf(p.old) != structureOf(p.new) {
		c.otherStructure(p)
		return
	}
	for _, f := range p.old.Properties {
		if propertyOf(p.new, f.Name) == nil {
			c.fieldRemoved(p, f)
		}
	}
	for _, f := range p.new.Properties {
		old := propertyOf(p.old, f.Name)
		if old == nil {
			c.fieldAdded(p, f)
			continue
		}
		c.schema(place{
			old: old, new: f.Schema, oldPath: p.oldPath.Property(f.Name), newPath: p.newPath.Property(f.Name), field: p.field + fieldStep(f.Name),
			correlated: p.correlated, ruled: p.ruled, required: slices.Contains(p.old.Required, f.Name), discriminator: slices.Contains(discriminators, f.Name),
		})
	}
	if p.old.Items != nil {
		c.schema(place{
			old: p.old.Items, new: p.new.Items, oldPath: p.oldPath.Child("items"), newPath: p.newPath.Child("items"), field: p.field + "[*]",
			correlated: p.correlated && p.new.XListType == "map", ruled: p.ruled, required: true,
		})
	}
	if a := p.old.AdditionalProperties; a != nil && a.Schema != nil {
		c.schema(place{
			old: a.Schema, new: p.new.AdditionalProperties.Schema, oldPath: p.oldPath.Child("additionalProperties"), newPath: p.newPath.Child("additionalProperties"),
			field: p.field + ".*", correlated: p.correlated, ruled: p.ruled, required: true,
		})
	}
}

// structureOf says what a schema does with what is in a value: a map has no fields, an
// object no other values.
func structureOf(s *structural.Schema) string {
	switch a := s.AdditionalProperties; {
	case a != nil && a.Schema != nil:
		return "a map"
	case a != nil && a.Bool:
		return "a map of anything"
	case s.Items != nil:
		return "a list"
	default:
		return "an object"
	}
}

func (c *schemas) otherStructure(p place) {
	change := Change{
		Kind: StructureChanged, Category: BreaksStored, Old: structureOf(p.old), New: structureOf(p.new),
		Reason: "what is not specified any more is dropped when an object is read, and what was not specified is checked",
	}
	if change.Old == "an object" && len(p.old.Properties) == 0 && !keepsUnknown(p.old) {
		change.Category, change.Reason = Safe, "there was nothing in it before"
	}
	c.add(p, "", change)
}

func propertyOf(s *structural.Schema, name string) *structural.Schema {
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// fieldStep is a field in the place of objects.
func fieldStep(name string) string {
	if strings.ContainsAny(name, ".[]*") {
		return fmt.Sprintf("[%q]", name)
	}
	return "." + name
}

func (c *schemas) fieldRemoved(p place, f structural.Property) {
	at := place{old: f.Schema, oldPath: p.oldPath.Property(f.Name), field: p.field + fieldStep(f.Name)}
	change := Change{Kind: FieldRemoved, Category: BreaksStored, Old: typeName(f.Schema),
		Reason: "the server drops the field when it reads a stored object, and what clients send of it"}
	if keepsUnknown(p.new) {
		change.Category, change.Reason = Safe, "unknown fields are kept, so that the field may have any value"
		if hasDefault(f.Schema) {
			change.Category, change.Reason = BreaksClients, "unknown fields are kept, but defaults are not put in any more"
		}
	}
	// The object is where somebody looks for the field.
	change.NewPath = c.newBase + p.newPath.String()
	c.add(at, "", change)
}

func (c *schemas) fieldAdded(p place, f structural.Property) {
	at := place{new: f.Schema, newPath: p.newPath.Property(f.Name), field: p.field + fieldStep(f.Name), correlated: p.correlated}
	change := Change{Kind: FieldAdded, New: typeName(f.Schema), Reason: "no object has it yet"}
	switch {
	case keepsUnknown(p.old) && !isAnything(f.Schema):
		change.Category = BreaksStored
		change.Reason = "unknown fields were kept, so that stored objects may have another value there"
	case f.Schema.Default != nil && (p.new.MaxProperties != nil || len(p.new.AllOf)+len(p.new.AnyOf)+len(p.new.OneOf) > 0 || p.new.Not != nil):
		change.Category = BreaksStored
		change.Reason = "its default is one more field in every object, which maxProperties counts and conditions may not allow"
	case f.Schema.Default != nil:
		change.Reason = "objects get its default when they are read"
	}
	c.add(at, "", change)
}

// isAnything reports whether a schema accepts and keeps every value.
func isAnything(s *structural.Schema) bool {
	free := &structural.Schema{Extensions: structural.Extensions{XPreserveUnknownFields: s.XPreserveUnknownFields}, ValueValidation: &structural.ValueValidation{}}
	free.Nullable = s.Nullable
	return keepsUnknown(s) && s.Nullable && len(s.Properties) == 0 && len(differences(meaning(s), free)) == 0
}

// hasDefault reports whether there is a default in a schema.
func hasDefault(s *structural.Schema) bool {
	if s == nil {
		return false
	}
	return s.Default != nil || hasDefault(s.Items) || s.AdditionalProperties != nil && hasDefault(s.AdditionalProperties.Schema) ||
		slices.ContainsFunc(s.Properties, func(p structural.Property) bool { return hasDefault(p.Schema) })
}
