package apiserver

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// words are the identifiers in expressions. An expression cannot use other fields, so it
// compiles to the same result, and much faster, for types and schemas reduced to them.
type words map[string]bool

func wordsOf(expressions ...string) words {
	out := words{}
	for _, e := range expressions {
		out.add(e)
	}
	return out
}

func (w words) add(expression string) {
	for word := range strings.FieldsFuncSeq(expression, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		w[word] = true
	}
}

// addPath adds the properties in a fieldPath: .name or ['name'], with escaped quotes.
func (w words) addPath(path string) {
	for i, part := range strings.Split(path, "['") {
		outside := part
		if i > 0 {
			var quoted string
			quoted, outside, _ = strings.Cut(part, "']")
			w[strings.NewReplacer(`\'`, `'`, `\\`, `\`).Replace(quoted)] = true
		}
		for name := range strings.SplitSeq(outside, ".") {
			w[name] = true
		}
	}
}

// has reports whether an expression may use a property.
func (w words) has(property string) bool {
	if w[property] {
		return true
	}
	escaped, ok := apiservercel.Escape(property)
	return ok && w[escaped]
}

// hasField is like has for the name of a field of a type. Fields with the names of CEL
// keywords, such as __in__, may be used without the underscores.
func (w words) hasField(name string) bool {
	return w[name] || w[strings.TrimSuffix(strings.TrimPrefix(name, "__"), "__")]
}

// mayUse returns a function that reports whether rules with the expressions may depend on
// optional properties with a name: whether they compile, and what they cost.
func mayUse(expressions ...string) func(property string) bool {
	w := wordsOf(expressions...)
	return func(property string) bool { return isMeta(property) || w.has(property) }
}

// slim returns a schema reduced to the properties in the words, from which a type can be
// made. It keeps what affects the size of values and what the server completes at the root
// of a resource.
func slim(s *apiextensions.JSONSchemaProps, w words) *apiextensions.JSONSchemaProps {
	if s == nil {
		return nil
	}
	out := *s
	out.Not = nil
	out.AllOf = nil
	out.AnyOf = nil
	out.OneOf = nil
	if len(s.Properties) > 0 {
		out.Properties = map[string]apiextensions.JSONSchemaProps{}
		for name, child := range s.Properties {
			if isMeta(name) || w.has(name) || slices.Contains(s.Required, name) {
				out.Properties[name] = *slim(&child, w)
			}
		}
	}
	if s.Items != nil {
		out.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: slim(s.Items.Schema, w), JSONSchemas: s.Items.JSONSchemas}
	}
	if s.AdditionalProperties != nil {
		additional := *s.AdditionalProperties
		additional.Schema = slim(additional.Schema, w)
		out.AdditionalProperties = &additional
	}
	return &out
}

// nestingOf returns the nesting of the type of a schema. It stops above the limit.
func nestingOf(s *apiextensions.JSONSchemaProps, limit int) int {
	if s == nil || limit < 0 {
		return 0
	}
	deepest := 0
	for _, child := range s.Properties {
		deepest = max(deepest, nestingOf(&child, limit-1))
	}
	if s.Items != nil {
		deepest = max(deepest, nestingOf(s.Items.Schema, limit-1))
	}
	if s.AdditionalProperties != nil {
		deepest = max(deepest, nestingOf(s.AdditionalProperties.Schema, limit-1))
	}
	return deepest + 1
}

// isMeta reports whether the server looks for a property at the root of resources.
func isMeta(property string) bool {
	switch property {
	case "apiVersion", "kind", "metadata", "name", "generateName":
		return true
	}
	return false
}

// reduced returns a type reduced to the fields in the words, at all levels. Its serialized
// size is unchanged.
func reduced(kind *apiservercel.DeclType, w words) *apiservercel.DeclType {
	switch {
	case kind == nil:
		return nil
	case kind.IsList():
		return apiservercel.NewListType(reduced(kind.ElemType, w), kind.MaxElements)
	case kind.IsMap():
		return apiservercel.NewMapType(kind.KeyType, reduced(kind.ElemType, w), kind.MaxElements)
	case kind.IsObject():
		fields := map[string]*apiservercel.DeclField{}
		for name, field := range kind.Fields {
			if w.hasField(name) {
				fields[name] = apiservercel.NewDeclField(name, reduced(field.Type, w), field.Required, nil, nil)
			}
		}
		return objectType(kind, fields)
	}
	return kind
}

// fingerprint distinguishes types that CEL may treat differently.
type fingerprint [sha256.Size]byte

// fingerprintOf returns the fingerprint of a type reduced to the words.
func fingerprintOf(kind *apiservercel.DeclType, w words) fingerprint {
	return sha256.Sum256(appendType(nil, kind, w))
}

// appendType encodes a type unambiguously.
func appendType(out []byte, kind *apiservercel.DeclType, w words) []byte {
	if kind == nil {
		return append(out, '-')
	}
	out = strconv.AppendQuote(out, kind.TypeName())
	out = binary.AppendVarint(out, kind.MaxElements)
	out = binary.AppendVarint(out, kind.MinSerializedSize)
	if !kind.IsObject() {
		return appendType(appendType(append(out, '['), kind.KeyType, nil), kind.ElemType, w)
	}
	out = append(out, '{')
	for _, name := range slices.Sorted(maps.Keys(kind.Fields)) {
		if w.hasField(name) {
			field := kind.Fields[name]
			out = strconv.AppendBool(strconv.AppendQuote(out, name), field.Required)
			out = appendType(out, field.Type, w)
		}
	}
	return append(out, '}')
}

// ruleNode is a node of the server's model of a schema. Equal nodes may be shared.
type ruleNode struct {
	schema *structuralschema.Structural
	// ruled is set if the node or one below it has rules, nested if logical junctors there have any.
	ruled, nested bool

	properties    map[string]*ruleNode
	items, values *ruleNode
}

// newRuleNode returns a node without those below it.
func newRuleNode(s *structuralschema.Structural) *ruleNode {
	return &ruleNode{schema: s, ruled: len(s.XValidations) > 0,
		nested: s.ValueValidation != nil && slices.ContainsFunc(nestedIn(s.ValueValidation), nestedHasRules)}
}

// addBelow sets the flags of a node by those of a child.
func (n *ruleNode) addBelow(child *ruleNode) {
	n.ruled = n.ruled || child.ruled
	n.nested = n.nested || child.nested
}

// ruleNodeOf returns the nodes of a schema.
func ruleNodeOf(s *structuralschema.Structural) *ruleNode {
	out := newRuleNode(s)
	if len(s.Properties) > 0 {
		out.properties = make(map[string]*ruleNode, len(s.Properties))
	}
	for name, property := range s.Properties {
		child := ruleNodeOf(&property)
		out.properties[name] = child
		out.addBelow(child)
	}
	if s.Items != nil {
		out.items = ruleNodeOf(s.Items)
		out.addBelow(out.items)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		out.values = ruleNodeOf(s.AdditionalProperties.Structural)
		out.addBelow(out.values)
	}
	return out
}

// addRules adds the words of the rules of a node and of those below it that have not been seen.
func (w words) addRules(n *ruleNode, seen map[*ruleNode]bool) {
	if n == nil || !n.ruled || seen[n] {
		return
	}
	seen[n] = true
	for _, rule := range n.schema.XValidations {
		w.add(rule.Rule)
		w.add(rule.MessageExpression)
		w.addPath(rule.FieldPath)
	}
	w.addRules(n.items, seen)
	w.addRules(n.values, seen)
	for _, property := range n.properties {
		w.addRules(property, seen)
	}
}

// setSchema gives a validator, and those below it, the schema that values are read with.
func setSchema(v *cel.Validator, s *structuralschema.Structural) {
	if v == nil {
		return
	}
	v.Schema = s
	setSchema(v.Items, s.Items)
	if v.AdditionalProperties != nil {
		setSchema(v.AdditionalProperties, s.AdditionalProperties.Structural)
	}
	for name, child := range maps.Clone(v.Properties) {
		property := s.Properties[name]
		setSchema(&child, &property)
		v.Properties[name] = child
	}
}
