package typegen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// Prefixes of controller-tools' markers for a node, and for the elements of a list.
const (
	validationPrefix = "kubebuilder:validation:"
	itemsPrefix      = "kubebuilder:validation:items:"
)

// A marker is a marker without its plus sign; items is its form for the elements of a list,
// if there is one.
type marker struct{ text, items string }

// mark adds a marker for a node to the field that leads to it.
func (b *builder) mark(u use, m marker) {
	switch {
	case u.at.rest == "":
		u.field.markers = append(u.field.markers, m.text)
	case u.at.rest == "[*]" && m.items != "":
		u.field.markers = append(u.field.markers, m.items)
	default:
		u.field.markers = append(u.field.markers, fmt.Sprintf("schemagen:at(%s)=+%s", u.at.rest, m.text))
	}
}

// structMarkers returns the markers of a struct, which are the same for all its uses.
func (b *builder) structMarkers(s *structural.Schema) (out []string) {
	for _, m := range b.keywordMarkers(s, "type", "required") {
		out = append(out, m.text)
	}
	return out
}

// keywordMarkers returns the markers for the keywords of a node, except for keywords that its Go
// type implies and keywords of a field: description, default and nullable.
func (b *builder) keywordMarkers(s *structural.Schema, implied ...string) []marker {
	var out []marker
	skip := append([]string{"type", "required", "description", "default", "nullable"}, implied...)
	parts := keywords.PartsOf(s)
	for k := range keywords.Table() {
		if slices.Contains(skip, k.Name) || !k.IsSet(parts) {
			continue
		}
		for _, m := range markersOf(k, s) {
			b.checkLength(s, k.Name, m.text)
			out = append(out, m)
		}
	}
	return out
}

// validation returns a marker of controller-tools that also exists for elements.
func validation(name, value string) []marker {
	return []marker{{validationPrefix + name + "=" + value, itemsPrefix + name + "=" + value}}
}

func plain(text string) []marker { return []marker{{text: text}} }

// markersOf returns the markers for a keyword that is set.
func markersOf(k *keywords.Keyword, schema *structural.Schema) []marker {
	v := schema.ValueValidation
	switch k.Name {
	case "title":
		return plain("kubebuilder:title=" + quoted(schema.Title))
	case "example":
		return plain("kubebuilder:example=" + string(schema.Example.Raw))
	case "externalDocs":
		return plain("kubebuilder:externalDocs:" + arguments("url", schema.ExternalDocs.URL, "description", schema.ExternalDocs.Description))
	case "format":
		return validation("Format", quotedIfNeeded(v.Format))
	case "pattern":
		return validation("Pattern", quoted(v.Pattern))
	case "enum":
		return validation("Enum", enumValues(v.Enum))
	case "allOf":
		return plain("schemagen:allOf=" + junctor(v.AllOf))
	case "oneOf":
		return plain("schemagen:oneOf=" + junctor(v.OneOf))
	case "anyOf":
		return plain("schemagen:anyOf=" + junctor(v.AnyOf))
	case "not":
		return plain("schemagen:not=" + fragment(v.Not.Props()))
	case "x-kubernetes-preserve-unknown-fields":
		return []marker{{markers.PreserveUnknownFieldsName, itemsPrefix + "XPreserveUnknownFields"}}
	case "x-kubernetes-embedded-resource":
		return []marker{{validationPrefix + "EmbeddedResource", itemsPrefix + "XEmbeddedResource"}}
	case "x-kubernetes-int-or-string":
		return []marker{{validationPrefix + "XIntOrString", itemsPrefix + "XIntOrString"}}
	case "x-kubernetes-list-type":
		return plain("listType=" + quotedIfNeeded(schema.XListType))
	case "x-kubernetes-list-map-keys":
		var out []marker
		for _, key := range schema.XListMapKeys {
			out = append(out, marker{text: "listMapKey=" + quotedIfNeeded(key)})
		}
		return out
	case "x-kubernetes-map-type":
		if schema.AdditionalProperties != nil {
			return plain("mapType=" + quotedIfNeeded(schema.XMapType))
		}
		return plain("structType=" + quotedIfNeeded(schema.XMapType))
	case keywords.Rules:
		var out []marker
		for _, rule := range schema.XValidations {
			out = append(out, validationRule(rule)...)
		}
		return out
	}
	// Bounds have markers of their names.
	switch value := k.Value(keywords.PartsOf(schema)).(type) {
	case **int64:
		return validation(k.Field, strconv.FormatInt(**value, 10))
	case **float64:
		return validation(k.Field, number(**value))
	case *bool:
		return validation(k.Field, "true")
	}
	return nil
}

func validationRule(r structural.Rule) []marker {
	args := arguments("rule", r.Rule, "message", r.Message, "messageExpression", r.MessageExpression, "fieldPath", r.FieldPath)
	if r.Reason != nil {
		args += ",reason=" + quotedIfNeeded(string(*r.Reason))
	}
	if r.OptionalOldSelf != nil {
		args += fmt.Sprintf(",optionalOldSelf=%t", *r.OptionalOldSelf)
	}
	return []marker{{validationPrefix + "XValidation:" + args, itemsPrefix + "XValidation:" + args}}
}

// arguments returns the arguments of a marker, from names and texts; empty texts are omitted.
func arguments(pairs ...string) string {
	var out []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out = append(out, pairs[i]+"="+quoted(pairs[i+1]))
		}
	}
	return strings.Join(out, ",")
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// quoted returns a text as a string of a marker, raw if that is easier to read.
func quoted(text string) string {
	if strings.ContainsAny(text, "\\\"") && !strings.ContainsAny(text, "`\n\r") && strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// quotedIfNeeded returns a text without quotes if the grammar of markers allows that.
func quotedIfNeeded(text string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
	}
	if text != "" && !strings.ContainsFunc(text, special) && unicode.IsLetter(rune(text[0])) && text != "true" && text != "false" {
		return text
	}
	return quoted(text)
}

func enumValues(values []structural.JSON) string {
	var out []string
	for _, value := range values {
		var text string
		if value.Raw[0] == '"' && json.Unmarshal(value.Raw, &text) == nil {
			out = append(out, quotedIfNeeded(text))
		} else {
			out = append(out, string(value.Raw))
		}
	}
	return strings.Join(out, ";")
}

// defaultMarker returns the marker for a default: controller-tools' own for single values,
// otherwise the one that takes JSON.
func defaultMarker(j *structural.JSON) string {
	var text string
	switch {
	case j.Raw[0] == '"' && json.Unmarshal(j.Raw, &text) == nil:
		return "kubebuilder:default=" + quotedIfNeeded(text)
	case bytes.Equal(j.Raw, []byte("true")), bytes.Equal(j.Raw, []byte("false")):
		return "kubebuilder:default=" + string(j.Raw)
	}
	if _, err := strconv.ParseInt(string(j.Raw), 10, 64); err == nil {
		return "kubebuilder:default=" + string(j.Raw)
	}
	return "default=" + oneLine(j.Raw)
}

func junctor(branches []structural.NestedValueValidation) string {
	var out []*apiextensionsv1.JSONSchemaProps
	for i := range branches {
		out = append(out, branches[i].Props())
	}
	return fragment(out)
}

// fragment returns a schema, or a list of them, as the value of a marker.
func fragment(v any) string {
	text, _ := plainjson.Marshal(v) // it was decoded from JSON
	return oneLine(text)
}

// oneLine returns JSON in one line, without the escapes that only HTML needs, and without
// backquotes, which could begin a raw string.
func oneLine(text []byte) string {
	var out bytes.Buffer
	if json.Compact(&out, plainjson.Plain(text)) != nil {
		return string(text)
	}
	return strings.ReplaceAll(out.String(), "`", `\u0060`)
}
