package peerversions

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// crdChanges are the changes of the generator crd.
func crdChanges() []Change {
	return []Change{
		{
			Name: "items-markers", Since: "v0.15.0", Generator: crd, Pull: 898,
			Summary: "markers `+kubebuilder:validation:items:…` restrict the items of a list",
			Before:  "items:\n  type: string\ntype: array",
			After:   "items:\n  maxLength: 8\n  type: string\ntype: array",
			rewrite: func(d difference) {
				if d.place(1) == "items" {
					d.accept(added(d, valueKeywords()...)...)
				}
			},
		},
		{
			Name: "description-blank-lines", Since: "v0.16.0", Generator: crd, Pull: 877,
			Summary: "paragraphs of descriptions are separated by one blank line instead of two",
			Before:  "description: |-\n  First.\n\n\n  Second.",
			After:   "description: |-\n  First.\n\n  Second.",
			rewrite: func(d difference) {
				d.rewriteString("description", func(text string) string { return strings.ReplaceAll(text, "\n\n\n", "\n\n") })
			},
		},
		{
			Name: "description-comments", Since: "v0.16.0", Generator: crd, Pull: 877,
			Summary: "descriptions end at a line `---`, and have no lines that start with `TODO`",
			Before:  "description: |-\n  Size of the thing.\n  TODO: say in which unit\ntype: integer",
			After:   "description: Size of the thing.\ntype: integer",
			rewrite: func(d difference) { d.rewriteString("description", withoutComments) },
		},
		{
			Name: "default-marker", Since: "v0.16.0", Generator: crd, Pull: 938,
			Summary: "markers `+default=…` set the default",
			Before:  "type: string",
			After:   "default: small\ntype: string",
			rewrite: func(d difference) { d.accept(added(d, "default")...) },
		},
		{
			Name: "required-marker", Since: "v0.16.0", Generator: crd, Pull: 944,
			Summary: "markers `+required` make a field required, even if its json tag has omitempty",
			Before:  "type: object",
			After:   "required:\n- size\ntype: object",
			rewrite: func(d difference) { d.require() },
		},
		{
			Name: "merged-validations", Since: "v0.16.0", Generator: crd, Pull: 998,
			Summary: "the rules of a type and its field are in one list instead of `allOf`",
			Before:  "allOf:\n- x-kubernetes-validations:\n  - rule: self != 'a'\n- x-kubernetes-validations:\n  - rule: self != 'b'",
			After:   "x-kubernetes-validations:\n- rule: self != 'b'\n- rule: self != 'a'",
			rewrite: mergeValidations,
		},
		{
			Name: "protocol-default", Since: "v0.16.1", Generator: crd, Pull: 1035,
			Summary: "a field of type `corev1.Protocol` has the default `TCP` only if it has a marker for it, and is described by the type",
			Before:  "default: TCP\ntype: string",
			After:   "description: Protocol defines network protocols supported for things like container ports.\ntype: string",
			rewrite: func(d difference) {
				if d.old["default"] == "TCP" && d.new["default"] == nil {
					d.accept("default")
				}
				if text, _ := d.new["description"].(string); strings.HasPrefix(text, "Protocol defines network protocols") {
					d.accept(added(d, "description")...)
				}
			},
		},
		{
			Name: "selectable-fields", Since: "v0.16.4", Generator: crd, Pull: 1050,
			Summary: "markers `+kubebuilder:selectablefield` set selectableFields",
			Before:  "name: v1",
			After:   "name: v1\nselectableFields:\n- jsonPath: .spec.name",
			rewrite: func(d difference) { d.accept(added(d, "selectableFields")...) },
		},
		{
			Name: "alias-markers", Since: "v0.16.5", Generator: crd, Pull: 1078,
			Summary: "comments and markers of an alias of a basic type (`type Name = string`) apply to its fields",
			Before:  "type: string",
			After:   "description: Name is an alias.\nmaxLength: 8\ntype: string",
			rewrite: func(d difference) {
				if _, structured := d.old["properties"]; !structured && isBasic(d.old["type"]) && d.old["type"] == d.new["type"] {
					d.accept(added(d, append(valueKeywords(), "description")...)...)
				}
			},
			rare: true,
		},
		{
			Name: "text-marshaler", Since: "v0.17.0", Generator: crd, Pull: 1015,
			Summary: "a type with a method MarshalText is a string",
			Before:  "properties:\n  address:\n    type: string\ntype: object",
			After:   "type: string",
			rewrite: func(d difference) {
				if d.new["type"] == "string" && d.old["type"] != "string" {
					d.accept(append(valueKeywords(), "type", "properties", "additionalProperties", "items", "required", "description")...)
				}
			},
		},
		{
			Name: "description-length", Since: "v0.17.0", Generator: crd, Pull: 1006,
			Summary: "`maxDescLen` ends descriptions without a full sentence after a word, with `...`",
			Before:  "description: Size of the thi",
			After:   "description: Size of the...",
			rewrite: func(d difference) {
				text, _ := d.new["description"].(string)
				start, cut := strings.CutSuffix(text, "...")
				if old, ok := d.old["description"].(string); ok && cut && strings.HasPrefix(old, start) {
					d.accept("description")
				}
			},
		},
		{
			Name: "title-marker", Since: "v0.18.0", Generator: crd, Pull: 1175,
			Summary: "markers `+kubebuilder:title=…` of fields set the title",
			Before:  "type: string",
			After:   "title: A name\ntype: string",
			rewrite: func(d difference) { d.accept(added(d, "title")...) },
		},
		{
			Name: "one-of-markers", Since: "v0.19.0", Generator: crd, Pull: 1212,
			Summary: "markers `+kubebuilder:validation:ExactlyOneOf` and `AtMostOneOf` add a rule",
			Before:  "type: object",
			After:   "type: object\nx-kubernetes-validations:\n- message: at most one of the fields in [a b] may be set\n  rule: '[has(self.a),has(self.b)].filter(x,x==true).size() <= 1'",
			rewrite: func(d difference) {
				d.acceptRules(oneOfRule("exactly one of the fields in ", "at most one of the fields in "))
			},
		},
		{
			Name: "k8s-required-marker", Since: "v0.20.0", Generator: crd, Pull: 1247,
			Summary: "markers `+k8s:required` make a field required, even if its json tag has omitempty",
			Before:  "type: object",
			After:   "required:\n- size\ntype: object",
			rewrite: func(d difference) { d.require() },
			rare:    true,
		},
		{
			Name: "k8s-optional-marker", Since: "v0.20.0", Generator: crd, Pull: 1247,
			Summary: "markers `+k8s:optional` make a field optional, even if its json tag lacks omitempty",
			Before:  "required:\n- size\ntype: object",
			After:   "type: object",
			rewrite: func(d difference) { d.release() },
			rare:    true,
		},
		{
			Name: "type-title-marker", Since: "v0.20.0", Generator: crd, Pull: 1282,
			Summary: "markers `+kubebuilder:title=…` of types set the title",
			Before:  "type: string",
			After:   "title: A name\ntype: string",
			rewrite: func(d difference) { d.accept(added(d, "title")...) },
		},
		{
			Name: "at-least-one-of-marker", Since: "v0.20.0", Generator: crd, Pull: 1278,
			Summary: "markers `+kubebuilder:validation:AtLeastOneOf` add a rule",
			Before:  "type: object",
			After:   "type: object\nx-kubernetes-validations:\n- message: at least one of the fields in [a b] must be set\n  rule: '[has(self.a),has(self.b)].filter(x,x==true).size() >= 1'",
			rewrite: func(d difference) { d.acceptRules(oneOfRule("at least one of the fields in ")) },
		},
		{
			Name: "equal-rules", Since: "v0.20.0", Generator: crd, Pull: 1296,
			Summary: "the rules of a type that is a pointer are written once",
			Before:  "x-kubernetes-validations:\n- rule: self != 'a'\n- rule: self != 'a'",
			After:   "x-kubernetes-validations:\n- rule: self != 'a'",
			rewrite: func(d difference) {
				if rules, ok := d.old[validations].([]any); ok && reflect.DeepEqual(any(distinct(rules)), d.new[validations]) {
					d.accept(validations)
				}
			},
		},
		{
			Name: "external-docs-marker", Since: "v0.21.0", Generator: crd, Pull: 1335,
			Summary: "markers `+kubebuilder:externalDocs` set externalDocs",
			Before:  "type: string",
			After:   "externalDocs:\n  url: https://example.com/names\ntype: string",
			rewrite: func(d difference) { d.accept(added(d, "externalDocs")...) },
		},
		{
			Name: "k8s-enum-marker", Since: "v0.21.0", Generator: crd, Pull: 1352,
			Summary: "a type with the marker `+k8s:enum` is restricted to its constants",
			Before:  "type: string",
			After:   "enum:\n- fast\n- slow\ntype: string",
			rewrite: func(d difference) {
				if d.new["type"] == "string" {
					d.accept(added(d, "enum")...)
				}
			},
		},
		{
			Name: "k8s-immutable-marker", Since: "v0.21.0", Generator: crd, Pull: 1354,
			Summary: "markers `+k8s:immutable` add rules to the field and to its struct",
			Before:  "type: string",
			After:   "type: string\nx-kubernetes-validations:\n- message: field is immutable\n  rule: self == oldSelf",
			rewrite: func(d difference) {
				d.acceptRules(func(rule map[string]any) bool {
					message, _ := rule["message"].(string)
					return message == "field is immutable" || strings.HasPrefix(message, "field ") && strings.HasSuffix(message, " is immutable once set")
				})
			},
		},
		{
			Name: "k8s-list-markers", Since: "v0.22.0", Generator: crd, Pull: 1357,
			Summary: "markers `+k8s:listType` and `+k8s:listMapKey` have the effect of `+listType` and `+listMapKey`",
			Before:  "type: array",
			After:   "type: array\nx-kubernetes-list-map-keys:\n- name\nx-kubernetes-list-type: map",
			rewrite: func(d difference) { d.accept(added(d, "x-kubernetes-list-type", "x-kubernetes-list-map-keys")...) },
		},
		{
			Name: "one-of-rules", Since: "v0.22.0", Generator: crd, Pull: 1408,
			Summary: "the rules of `ExactlyOneOf`, `AtMostOneOf` and `AtLeastOneOf` are written so that their estimated cost is lower",
			Before:  "rule: '[has(self.a),has(self.b)].filter(x,x==true).size() <= 1'",
			After:   "rule: (has(self.a)?1:0)+(has(self.b)?1:0) <= 1",
			rewrite: func(d difference) {
				if rules, ok := d.old[validations].([]any); ok {
					d.old[validations] = withCheaperRules(rules)
				}
			},
		},
		{
			Name: "omitzero", Since: "v0.22.0", Generator: crd, Pull: 1375,
			Summary: "a field whose json tag has omitzero is optional, as with omitempty",
			Before:  "required:\n- size\ntype: object",
			After:   "type: object",
			rewrite: func(d difference) { d.release() },
		},
		{
			Name: "k8s-required-minimum", Since: "v0.23.0", Generator: crd, Pull: 1458,
			Summary: "a string, list or object with the marker `+k8s:required` must not be empty",
			Before:  "type: string",
			After:   "minLength: 1\ntype: string",
			rewrite: func(d difference) {
				for _, key := range added(d, "minLength", "minItems", "minProperties") {
					if d.new[key] == 1 {
						d.accept(key)
					}
				}
			},
		},
		{
			Name: "k8s-bounds-markers", Since: "v0.23.0", Generator: crd, Pull: 1474,
			Summary: "markers `+k8s:maxItems`, `+k8s:minimum` and `+k8s:maximum` have the effect of kubebuilder's",
			Before:  "type: array",
			After:   "maxItems: 4\ntype: array",
			rewrite: func(d difference) { d.accept(added(d, "maxItems", "minimum", "maximum")...) },
		},
	}
}

// isBasic reports whether a type is a scalar's.
func isBasic(kind any) bool {
	return kind == "string" || kind == "integer" || kind == "boolean" || kind == "number"
}

// mergeValidations moves the old rules from allOf to the schema itself, those of the last
// branch first.
func mergeValidations(d difference) {
	branches, _ := d.old["allOf"].([]any)
	var rules, left []any
	for _, branch := range branches {
		fields, _ := branch.(map[string]any)
		own, _ := fields[validations].([]any)
		rules = slices.Concat(own, rules)
		if own != nil {
			fields = maps.Clone(fields)
			delete(fields, validations)
		}
		if len(fields) > 0 {
			left = append(left, fields)
		}
	}
	if rules == nil {
		return
	}
	own, _ := d.old[validations].([]any)
	d.old[validations] = slices.Concat(own, rules)
	d.old["allOf"] = left
	if len(left) == 0 {
		delete(d.old, "allOf")
	}
}

// validations is the keyword of CEL rules.
const validations = "x-kubernetes-validations"

// acceptRules adds to the old rules those of the new ones that a function selects, at their
// place, if the old ones are the others.
func (d difference) acceptRules(selected func(rule map[string]any) bool) {
	rules, _ := d.new[validations].([]any)
	others := slices.DeleteFunc(slices.Clone(rules), func(rule any) bool {
		fields, ok := rule.(map[string]any)
		return ok && selected(fields)
	})
	old, _ := d.old[validations].([]any)
	if len(others) < len(rules) && reflect.DeepEqual(slices.Concat(old), slices.Concat(others)) {
		d.accept(validations)
	}
}

// oneOfRule returns a function that recognizes rules of the markers by their messages.
func oneOfRule(prefixes ...string) func(rule map[string]any) bool {
	return func(rule map[string]any) bool {
		message, _ := rule["message"].(string)
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(message, prefix) })
	}
}

// distinct returns the values without repetitions.
func distinct(values []any) (out []any) {
	for _, v := range values {
		if !slices.ContainsFunc(out, func(o any) bool { return reflect.DeepEqual(o, v) }) {
			out = append(out, v)
		}
	}
	return out
}

// withCheaperRules returns rules with those of the markers for members of a union as v0.22
// writes them.
func withCheaperRules(rules []any) []any {
	out := slices.Clone(rules)
	for i, rule := range out {
		fields, _ := rule.(map[string]any)
		text, _ := fields["rule"].(string)
		text, isList := strings.CutPrefix(text, "[")
		members, comparison, ok := strings.Cut(text, "].filter(x,x==true).size()")
		if !isList || !ok {
			continue
		}
		changed := maps.Clone(fields)
		terms := strings.Split(members, ",")
		changed["rule"] = strings.Join(terms, "||")
		if comparison != " >= 1" {
			for j, term := range terms {
				terms[j] = "(" + term + "?1:0)"
			}
			changed["rule"] = strings.Join(terms, "+") + comparison
		}
		out[i] = changed
	}
	return out
}

// valueKeywords are the keywords that validation markers set.
func valueKeywords() []string {
	return []string{
		"enum", "exclusiveMaximum", "exclusiveMinimum", "format", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
		"minLength", "minProperties", "minimum", "multipleOf", "pattern", "uniqueItems", "x-kubernetes-validations",
	}
}

// added returns those of the keys that only the new side has.
func added(d difference, keys ...string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		_, previous := d.old[key]
		_, next := d.new[key]
		return previous || !next
	})
}

// rewriteString replaces the old string of a key by the result of a function for it, or
// removes it if that is empty.
func (d difference) rewriteString(key string, f func(string) string) {
	text, ok := d.old[key].(string)
	if !ok {
		return
	}
	text = f(text)
	if text == "" {
		delete(d.old, key)
		return
	}
	d.old[key] = text
}

// require adds to the old list the required fields that only the new one has. The lists are sorted.
func (d difference) require() {
	old, _ := d.old["required"].([]any)
	now, _ := d.new["required"].([]any)
	list := append(slices.Clone(old), slices.DeleteFunc(slices.Clone(now), func(name any) bool { return slices.Contains(old, name) })...)
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	d.setRequired(list)
}

// release removes from the old list the required fields that the new one does not have.
func (d difference) release() {
	old, _ := d.old["required"].([]any)
	now, _ := d.new["required"].([]any)
	d.setRequired(slices.DeleteFunc(slices.Clone(old), func(name any) bool { return !slices.Contains(now, name) }))
}

func (d difference) setRequired(list []any) {
	d.old["required"] = list
	if len(list) == 0 {
		delete(d.old, "required")
	}
}

// withoutComments removes from a description what v0.16 takes as comments.
func withoutComments(text string) string {
	var lines []string
	inCode := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			inCode = !inCode
		}
		if !inCode && strings.HasPrefix(line, "TODO") {
			continue
		}
		if !inCode && strings.HasPrefix(line, "---") {
			break
		}
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
