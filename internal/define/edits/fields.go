package edits

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/gengo/v2/codetags"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// fieldRule is a tag that determines whether fields of an object may be set.
type fieldRule struct {
	tag   codetags.Tag
	field string
}

func (op fieldRule) Apply(editor *Editor, schema *structural.Schema) {
	self, ok := celtext.Name(op.field)
	if !ok {
		editor.Errorf(editor.Pos, "", "CEL cannot read a field named %q", op.field)
		return
	}
	rule := structural.Rule{FieldPath: celtext.FieldPath(op.field)}
	reason := apiextensionsv1.FieldValueForbidden
	switch op.tag.Name {
	case markers.TagForbiddenName:
		rule.Rule = "!" + isSet(schema, op.field, "self."+self)
		rule.Message = "may not be set"
	case markers.TagUpdateName:
		rule.FieldPath = ""
		was := isSet(schema, op.field, "oldSelf."+self)
		is := isSet(schema, op.field, "self."+self)
		switch op.tag.Value {
		case "NoSet":
			rule.Rule = was + " || !" + is
			rule.Message = op.field + " cannot be set once created"
		case "NoUnset":
			rule.Rule = "!" + was + " || " + is
			rule.Message = op.field + " cannot be cleared once set"
		case "NoAddItem": // where the rule of the field itself is not evaluated
			rule.Rule = fmt.Sprintf("has(oldSelf.%s) || !%s", self, is)
			rule.Message = op.field + " cannot be set once created"
		default:
			rule.Rule = fmt.Sprintf("!%s || has(self.%s)", was, self)
			rule.Message = op.field + " cannot be cleared once set"
		}
		AddRule(editor, schema, rule)
		return
	default:
		arg, _ := op.tag.PositionalArg()
		other, ok := celtext.Name(arg.Value)
		if !ok || schema.PropertyIndex(arg.Value) < 0 {
			editor.missingField(schema, arg.Value)
			return
		}
		rule.FieldPath = celtext.FieldPath(arg.Value)
		not := "!"
		was := ""
		message := mayNotBeSet
		if op.tag.Name == markers.TagDependentRequiredName {
			reason = apiextensionsv1.FieldValueRequired
			not = ""
			was = "!"
			message = mustBeSet
		}
		rule.Rule = "!" + isSet(schema, op.field, "self."+self) + " || " + not + isSet(schema, arg.Value, "self."+other)
		rule.Message = message + op.field + " is set"
		rule.Reason = &reason
		AddRule(editor, schema, Ratcheting(rule, isSet(schema, op.field, "oldSelf.value()."+self)+" && "+was+isSet(schema, arg.Value, "oldSelf.value()."+other)))
		return
	}
	rule.Reason = &reason
	AddRule(editor, schema, rule)
}

// isSet returns the condition that a field is set, as Go clients see it: they cannot tell an empty
// list, or the zero value of a field that is not a pointer, from an absent one.
func isSet(s *structural.Schema, field, value string) string {
	if f := s.Property(field); f != nil {
		return unions.IsSet(value, unions.Nonzero(f))
	}
	return "has(" + value + ")"
}

// countFields is a marker that counts the fields of a struct that are set, except some.
type countFields struct {
	name   string // of the marker
	except []string
}

func (op countFields) Apply(editor *Editor, schema *structural.Schema) {
	for _, name := range op.except {
		if schema.PropertyIndex(name) < 0 {
			editor.missingField(schema, name)
			return
		}
	}
	var names, escapes []string
	for _, p := range schema.Properties {
		if slices.Contains(op.except, p.Name) {
			continue
		}
		escaped, ok := celtext.Name(p.Name)
		hint := "exclude it: except=" + p.Name
		switch {
		case !ok:
			editor.Errorf(editor.Pos, hint, "CEL cannot read a field named %q", p.Name)
			return
		case schema.Requires(p.Name):
			editor.Errorf(editor.Pos, hint+", or make it optional", "field %s is required, so it is always set", p.Name)
			return
		case p.Schema.Default != nil:
			editor.Errorf(editor.Pos, hint+", or remove the default", "field %s has a default, so it is always set", p.Name)
			return
		}
		names = append(names, p.Name)
		escapes = append(escapes, "has(self."+p.Name+")", "has(self."+escaped+")")
	}
	if len(names) < 2 {
		editor.Errorf(editor.Pos, "", "must apply to a struct with two fields that count, found %d", len(names))
		return
	}
	marker := markers.SchemaMarker(crdmarkers.ExactlyOneOf(names))
	switch op.name {
	case markers.AtMostOneOfName:
		marker = crdmarkers.AtMostOneOf(names)
	case markers.AtLeastOneOfName:
		marker = crdmarkers.AtLeastOneOf(names)
	}
	var written apiextensionsv1.JSONSchemaProps
	if err := marker.ApplyToSchema(nil, &written); err != nil {
		editor.Errorf(editor.Pos, "", "%v", err)
		return
	}
	rule := written.XValidations[0]
	AddRule(editor, schema, structural.Rule{Rule: strings.NewReplacer(escapes...).Replace(rule.Rule), Message: rule.Message})
}

// updateRule is a +k8s:update constraint on the value itself.
type updateRule struct{ constraint string }

func (op updateRule) Apply(editor *Editor, schema *structural.Schema) {
	isMap := schema.Type == "object" && schema.AdditionalProperties != nil
	switch op.constraint {
	case "NoSet", "NoUnset":
		return // applies to the object that has the field
	case "NoModify":
		if schema.Type == "array" || isMap {
			editor.Errorf(editor.Pos, "write +k8s:eachVal=+k8s:update=NoModify for each item", "NoModify does not apply to lists and maps")
			return
		}
		AddRule(editor, schema, structural.Rule{Rule: "self == oldSelf", Message: "field cannot be modified once set"})
	case "NoAddItem", "NoRemoveItem":
		list := "self"
		other := "oldSelf"
		message := "item may not be added"
		if op.constraint == "NoRemoveItem" {
			list, other, message = other, list, "item may not be removed"
		}
		keys, ok := identity(schema)
		switch {
		case isMap || ok && len(keys) == 0:
			AddRule(editor, schema, structural.Rule{Rule: fmt.Sprintf("%s.all(x, x in %s)", list, other), Message: message})
		case ok:
			rule := fmt.Sprintf("%s.all(x, %s.exists(y, %s))", list, other, sameKeys(keys, "x", "y"))
			AddRule(editor, schema, structural.Rule{Rule: rule, Message: message})
		default:
			editor.Errorf(editor.Pos, "add +k8s:listType=set or map, or +k8s:unique, so that items have an identity",
				"%s must apply to a map, or to a list of unique items", op.constraint)
		}
	default:
		editor.Errorf(editor.Pos, "the constraints are NoSet, NoUnset, NoModify, NoAddItem, NoRemoveItem", "unknown constraint %q", op.constraint)
	}
}

// eachUnmodified is +k8s:update=NoModify for each item of a list or value of a map.
type eachUnmodified struct{}

func (op eachUnmodified) Apply(editor *Editor, schema *structural.Schema) {
	inner := func(child *structural.Schema) *structural.Schema {
		out := *child
		out.Origin.Keywords = slices.Clip(out.Origin.Keywords)
		updateRule{"NoModify"}.Apply(editor, &out)
		return &out
	}
	keys, _ := identity(schema)
	switch {
	case schema.Items != nil && len(keys) > 0 && schema.XListType != "map":
		// The server cannot compare the items of such a list, but the list.
		AddRule(editor, schema, structural.Rule{
			Rule:    "self.all(x, oldSelf.all(y, !(" + sameKeys(keys, "x", "y") + ") || x == y))",
			Message: "items cannot be modified",
		})
	case schema.Items != nil && len(keys) == 0:
		editor.Errorf(editor.Pos, "add +k8s:listType=map and +k8s:listMapKey", "NoModify of each item needs a list with keys")
	case schema.Items != nil:
		schema.Items = inner(schema.Items)
	case schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
		schema.AdditionalProperties = &structural.SchemaOrBool{Schema: inner(schema.AdditionalProperties.Schema)}
	default:
		editor.Errorf(editor.Pos, "", "must apply to a list or a map, found %s", TypeOrNone(schema.Type))
	}
}
