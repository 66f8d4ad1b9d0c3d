package compare

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// nodePair is a node in both schemas of a version.
type nodePair struct {
	old, new *structural.Schema
	// oldRules and newRules are all rules of the nodes, with those of unions.
	oldRules, newRules []structural.Rule
	// oldPath and newPath are the paths in each schema. field is the path in objects.
	oldPath, newPath *structural.Path
	field            string
	// correlated is set if the server finds the stored value of a value and ratchets it
	// (CorrelatedObject in k8s.io/apiserver, pkg/cel/common/equality.go).
	correlated bool
	// required is set if the old schema requires the field in its object.
	required bool
	// rules are the CEL rules of the new schema at the node or above.
	rules []structural.Rule
	// name is the name of the field if the node is one.
	name string
	// counted is set if a schema limits the number of fields of the object with the field, and
	// branched if a schema has logical junctors above the node.
	counted, branched bool
	// discriminator is set if the node is a union discriminator in both schemas.
	discriminator bool
	// metadata is set if the node is the metadata of a resource.
	metadata bool
	// impliedOld and impliedNew are the properties that a schema does not specify itself
	// (specifyImplied).
	impliedOld, impliedNew []string
	// holds is set while a keyword is explained that every value satisfies that the old schema
	// accepts.
	holds bool
	// source are the nodes before they were normalized. step is the last step of field.
	source source
	step   string
	// onlyOld and onlyNew are set below a property that the other schema does not specify.
	onlyOld, onlyNew bool
}

// composite reports whether values contain other values. If such a value is invalid as a
// whole, it is validated again whenever one of the contained values changes.
func (p nodePair) composite() bool {
	s := p.new
	return s.Type == "object" || s.Type == "array" || len(s.Properties) > 0 || s.Items != nil || s.AdditionalProperties != nil || keepsUnknown(s)
}

func keepsUnknown(s *structural.Schema) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// comparer compares two schemas of a version.
type comparer struct {
	*definition
	// table explains differences.
	table            []keyword
	version          string
	oldBase, newBase string
	// documented counts nodes of which only documentation changed; documentedAt is the
	// first.
	documented   int
	documentedAt nodePair
	properties   locate.Locator
}

// add adds a change at a keyword of a node, or at the node if the keyword is empty.
func (c *comparer) add(p nodePair, keyword string, change Change) {
	change.Version = c.version
	change.Field = p.field
	if keyword != "" {
		keyword = "." + keyword
	}
	if p.old != nil && !p.onlyNew {
		change.OldPath = c.oldBase + p.oldPath.String() + keyword
	}
	if p.new != nil && !p.onlyOld {
		change.NewPath = c.newBase + p.newPath.String() + keyword
	}
	change.source = p.source
	if !p.source.areObjects() {
		change.source.step = p.step
	}
	c.definition.add(change)
}

// loosen adds a change after which every value that was accepted still is.
func (c *comparer) loosen(p nodePair, keyword string, change Change) {
	change.Category = Safe
	c.add(p, keyword, change)
}

// tighten adds a change after which values that were accepted may be rejected, unless the new
// keyword holds for all of them. The category depends on what the server ratchets.
func (c *comparer) tighten(p nodePair, keyword string, change Change) {
	change.Category = BreaksStored
	switch {
	case p.holds:
		change.Category = Safe
		change.Reason = "every value that the old schema accepts is still accepted"
	case !c.ratchets:
		change.Reason += "; this Kubernetes version rejects every update of a stored object with such a value"
	case !p.correlated:
		change.Reason += "; below a list without keys, no update of that list is possible while a stored object has such a value"
	case p.composite():
		change.Reason += "; updates inside such a stored value are rejected until it is fixed"
	default:
		change.Category = BreaksClients
		change.Reason += "; stored values are accepted as long as they do not change"
	}
	c.add(p, keyword, change)
}

// keyword explains differences of one or more fields of the model.
type keyword struct {
	// fields are names of fields of [structural.Schema] and its parts.
	fields []string
	// explain adds the changes for a difference in any of the fields. It reports whether it
	// understands the difference.
	explain func(c *comparer, p nodePair) bool
}

// explanations returns what explains changes, in the order of their changes.
func explanations() []keyword {
	return []keyword{
		{[]string{"Type", "XIntOrString"}, (*comparer).types},
		{[]string{"XPreserveUnknownFields"}, (*comparer).unknownFields},
		{[]string{"XEmbeddedResource"}, (*comparer).embedded},
		{[]string{"Nullable"}, (*comparer).nullable},
		{[]string{"Default"}, (*comparer).defaults},
		{[]string{"Required"}, (*comparer).requirements},
		{[]string{"Enum"}, (*comparer).enum},
		{[]string{"Maximum", "ExclusiveMaximum"}, (*comparer).maximum},
		{[]string{"Minimum", "ExclusiveMinimum"}, (*comparer).minimum},
		{[]string{"MultipleOf"}, (*comparer).multipleOf},
		limit("maxLength", "strings longer than %s are rejected"),
		limit("minLength", "strings shorter than %s are rejected"),
		text("pattern", "strings that do not match are rejected"),
		{[]string{"Format"}, (*comparer).format},
		limit("maxItems", "lists with more than %s elements are rejected"),
		limit("minItems", "lists with fewer than %s elements are rejected"),
		limit("maxProperties", "objects with more than %s fields are rejected"),
		limit("minProperties", "objects with fewer than %s fields are rejected"),
		{[]string{"AllOf"}, (*comparer).allOf},
		{[]string{"AnyOf"}, (*comparer).anyOf},
		{[]string{"OneOf"}, (*comparer).oneOf},
		{[]string{"Not"}, (*comparer).not},
		{[]string{"XListType", "XListMapKeys"}, (*comparer).listType},
		{[]string{"XMapType"}, (*comparer).mapType},
		{[]string{"XValidations"}, (*comparer).rules},
		{[]string{"Title", "Description", "ExternalDocs", "Example", "XUnions", "XUnionMembers"}, (*comparer).documentation},
	}
}

// schema compares two nodes and their children.
func (c *comparer) schema(p nodePair) {
	nodes := [2]*structural.Schema{p.old, p.new}
	if p.old == p.new || c.equal[nodes] || c.ctx.Err() != nil {
		return
	}
	start := len(c.changes)
	documented := c.documented
	c.node(p)
	if len(c.changes) == start && c.documented == documented {
		c.equal[nodes] = true
	}
}

// node compares two nodes and their children.
func (c *comparer) node(pair nodePair) {
	pair.source = source{old: pair.old, new: pair.new}
	pair = c.rewritten(pair)
	discriminators := c.unions(pair)
	pair.rules = append(slices.Clip(pair.rules), pair.new.XValidations...)
	pair.oldRules = pair.old.XValidations
	pair.newRules = pair.new.XValidations
	branched := hasBranches(pair.old) || hasBranches(pair.new)
	pair.old = normalized(pair.old)
	pair.new = normalized(pair.new)
	pair.specifyImplied()
	differing := differences(pair.old, pair.new)
	start := len(c.changes)
	for _, k := range c.table {
		var fields []string
		for _, field := range k.fields {
			if i := slices.Index(differing, field); i >= 0 {
				fields = append(fields, field)
				differing = slices.Delete(differing, i, i+1)
			}
		}
		if len(fields) == 0 || k.fields[0] != "Format" && c.hasNoEffect(pair, k.fields) {
			continue
		}
		pair.holds = c.holds(pair, k.fields)
		if !k.explain(c, pair) {
			c.notUnderstood(pair, fields)
		}
	}
	c.notUnderstood(pair, differing)
	for _, change := range c.changes[start:] {
		if change.Kind == changekind.TypeChanged && change.Field == pair.field {
			return // the children are of another type
		}
	}
	pair.branched = pair.branched || branched
	c.structure(pair, discriminators)
}

// hasBranches reports whether a node has logical junctors.
func hasBranches(s *structural.Schema) bool {
	return s.ValueValidation != nil && (len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) > 0 || s.Not != nil)
}

// notUnderstood adds a change for each field whose difference has no explanation.
func (c *comparer) notUnderstood(p nodePair, fields []string) {
	for _, field := range fields {
		c.add(p, keywordName(field), Change{
			Kind: changekind.NotUnderstood, Category: BreaksStored,
			Reason: keywordName(field) + " changed, and the effect is unknown",
		})
	}
}

// keywordName returns the JSON name of a field of the model.
func keywordName(field string) string {
	for k := range keywords.Table() {
		if k.Field == field {
			return k.Name
		}
	}
	return "x-kubernetes-unions" // XUnions and XUnionMembers, which are not in JSONSchemaProps
}

// normalized returns a copy of a node without the rules and branches that unions consist
// of, which are compared as unions, and with equivalent spellings unified.
func normalized(s *structural.Schema) *structural.Schema {
	out := *s
	out.XValidations = unions.WithoutRules(s)
	out.ValueValidation = &structural.ValueValidation{}
	if v := unions.WithoutBranches(s); v != nil {
		*out.ValueValidation = *v
	}
	if out.XIntOrString && isIntOrStringAnyOf(out.AnyOf) {
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

// isIntOrStringAnyOf reports whether branches have the form that the KEP "Structural Schemas"
// allows with x-kubernetes-int-or-string.
func isIntOrStringAnyOf(branches []structural.NestedValueValidation) bool {
	want := []structural.NestedValueValidation{
		{ForbiddenGenerics: structural.Generic{Type: "integer"}}, {ForbiddenGenerics: structural.Generic{Type: "string"}},
	}
	return same(branches, want)
}

// walkedFields are the fields of a node that are compared recursively.
var walkedFields = [...]string{"Properties", "Items", "AdditionalProperties", "Origin"}

// differences returns the names of the fields in which two nodes differ, without children.
func differences(a, b *structural.Schema) []string {
	var out []string
	var visit func(a, b reflect.Value)
	visit = func(a, b reflect.Value) {
		for i := range a.NumField() {
			x := a.Field(i)
			y := b.Field(i)
			if x.IsZero() && y.IsZero() {
				continue // without the name, which reflect allocates
			}
			field := a.Type().Field(i)
			switch {
			case field.Anonymous && x.Kind() == reflect.Pointer:
				visit(x.Elem(), y.Elem()) // normalized has set both
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

// structure compares the fields of objects, elements of lists and values of maps.
func (c *comparer) structure(pair nodePair, discriminators []string) {
	if structureOf(pair.old) != structureOf(pair.new) {
		c.structureChanged(pair)
		return
	}
	for _, f := range pair.old.Properties {
		if c.properties.Property(pair.new, f.Name) == nil {
			c.fieldRemoved(pair, f)
		}
	}
	for _, f := range pair.new.Properties {
		old := c.properties.Property(pair.old, f.Name)
		if old == nil {
			c.fieldAdded(pair, f)
			continue
		}
		c.schema(nodePair{
			step: fieldStep(f.Name), old: old, new: f.Schema, oldPath: pair.oldPath.Property(f.Name), newPath: pair.newPath.Property(f.Name), field: pair.field + fieldStep(f.Name),
			correlated: pair.correlated, rules: pair.rules, branched: pair.branched, required: slices.Contains(pair.old.Required, f.Name), discriminator: slices.Contains(discriminators, f.Name),
			metadata: pair.isResource() && f.Name == "metadata", name: f.Name, counted: pair.old.MaxProperties != nil || pair.new.MaxProperties != nil,
			onlyOld: pair.onlyOld || slices.Contains(pair.impliedNew,
				f.Name), onlyNew: pair.onlyNew || slices.Contains(pair.impliedOld, f.Name),
		})
	}
	if pair.old.Items != nil {
		c.schema(nodePair{
			step: "[*]", old: pair.old.Items, new: pair.new.Items, oldPath: pair.oldPath.Child("items"), newPath: pair.newPath.Child("items"), field: pair.field + "[*]",
			correlated: pair.correlated && pair.new.XListType == "map", rules: pair.rules, branched: pair.branched, required: true,
		})
	}
	if a := pair.old.AdditionalProperties; a != nil && a.Schema != nil {
		c.schema(nodePair{
			step: ".*", old: a.Schema, new: pair.new.AdditionalProperties.Schema, oldPath: pair.oldPath.Child("additionalProperties"), newPath: pair.newPath.Child("additionalProperties"),
			field: pair.field + ".*", correlated: pair.correlated, rules: pair.rules, branched: pair.branched, required: true,
		})
	}
}

// structureOf returns whether a schema describes an object, a list or a map.
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

func (c *comparer) structureChanged(p nodePair) {
	change := Change{
		Kind: changekind.StructureChanged, Category: BreaksStored, Old: structureOf(p.old), New: structureOf(p.new),
		Reason: "fields that are no longer specified are dropped when an object is read, and fields that were not specified are validated",
	}
	if change.Old == "an object" && len(p.old.Properties) == 0 && !keepsUnknown(p.old) {
		change.Category = Safe
		change.Reason = "it specified no fields before"
	}
	c.add(p, "", change)
}

// fieldStep returns the path step of a field.
func fieldStep(name string) string {
	if strings.ContainsAny(name, ".[]*") {
		return fmt.Sprintf("[%q]", name)
	}
	return "." + name
}

func (c *comparer) fieldRemoved(p nodePair, f structural.Property) {
	pair := nodePair{source: source{old: f.Schema}, step: fieldStep(f.Name), old: f.Schema,
		oldPath: p.oldPath.Property(f.Name), field: p.field + fieldStep(f.Name)}
	change := Change{Kind: changekind.FieldRemoved, Category: BreaksStored, Old: typeName(f.Schema),
		Reason: "the server drops the field when it reads a stored object and when clients send it"}
	if keepsUnknown(p.new) {
		change.Category = Safe
		change.Reason = "unknown fields are kept, so the field may have any value"
		if hasDefault(f.Schema) {
			change.Category = BreaksClients
			change.Reason = "unknown fields are kept, but are no longer defaulted"
		}
	}
	// The position is the object's, which no longer has the field.
	change.NewPath = c.newBase + p.newPath.String()
	c.add(pair, "", change)
}

func (c *comparer) fieldAdded(p nodePair, f structural.Property) {
	pair := nodePair{source: source{new: f.Schema}, step: fieldStep(f.Name), new: f.Schema,
		newPath: p.newPath.Property(f.Name), field: p.field + fieldStep(f.Name), correlated: p.correlated}
	change := Change{Kind: changekind.FieldAdded, New: typeName(f.Schema), Reason: "no stored object has it yet"}
	switch {
	case keepsUnknown(p.old) && !isAnything(f.Schema):
		change.Category = BreaksStored
		change.Reason = "unknown fields were kept, so stored objects may have a different value there"
	case f.Schema.Default != nil && (p.new.MaxProperties != nil || hasBranches(p.new)):
		change.Category = BreaksStored
		change.Reason = "its default adds a field to every object, which may exceed maxProperties or violate other conditions"
	case f.Schema.Default != nil:
		change.Reason = "objects get its default when they are read"
	}
	c.add(pair, "", change)
}

// isAnything reports whether a schema accepts and keeps every value.
func isAnything(s *structural.Schema) bool {
	free := &structural.Schema{Extensions: structural.Extensions{XPreserveUnknownFields: s.XPreserveUnknownFields},
		ValueValidation: &structural.ValueValidation{}}
	free.Nullable = s.Nullable
	return keepsUnknown(s) && s.Nullable && len(s.Properties) == 0 && len(differences(normalized(s), free)) == 0
}

// hasDefault reports whether a schema contains a default.
func hasDefault(s *structural.Schema) bool {
	return s.Contains(func(s *structural.Schema) bool { return s.Default != nil })
}
