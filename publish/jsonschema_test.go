package publish

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// jsonSchemaOf returns the schema of the spec of a kind.
func jsonSchemaOf(t *testing.T, spec string, o JSONSchemaOptions) any {
	t.Helper()
	files, err := JSONSchemas(read(t, definition("ex.io", "Shape", "v1", spec)), o)
	if err != nil {
		t.Fatal(err)
	}
	return at(t, files[0].Data, "properties", "spec")
}

func TestJSONSchema(t *testing.T) {
	for _, c := range []struct{ name, spec, want string }{
		{"closed", "type: object\nproperties: {a: {type: string}}",
			`{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}`},
		{"null", "type: string\nnullable: true\nenum: [a, null]", `{"type": ["string", "null"], "enum": ["a"]}`},
		{"int or string", "x-kubernetes-int-or-string: true\nanyOf: [{type: integer}, {type: string}]\npattern: a",
			`{"type": ["integer", "string"], "pattern": "a"}`},
		{"any", "x-kubernetes-preserve-unknown-fields: true", `{"type": ["array", "boolean", "number", "object", "string"]}`},
		{"any or null", "x-kubernetes-preserve-unknown-fields: true\nnullable: true", `{}`},
		{"elements keep what the list keeps", "type: array\nx-kubernetes-preserve-unknown-fields: true\nitems: {type: object, properties: {a: {type: object}}}",
			`{"type": "array", "items": {"type": "object", "properties": {"a": {"type": "object", "additionalProperties": false}}}}`},
		{"map", "type: object\nadditionalProperties: {type: integer, format: int32}",
			`{"type": "object", "additionalProperties": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}}`},
		{"map of anything", "type: object\nadditionalProperties: true", `{"type": "object", "additionalProperties": {"$ref": "#/$defs/Bare"}}`},
		{"bounds", "type: number\nminimum: 1\nexclusiveMinimum: true\nmaximum: 3", `{"type": "number", "exclusiveMinimum": 1, "maximum": 3}`},
		{"defaults come before what is required", "type: object\nrequired: [a, b]\nminProperties: 2\nproperties: {a: {type: string, default: x}, b: {type: string}}",
			`{"type": "object", "additionalProperties": false, "required": ["b"], "minProperties": 1,
			"properties": {"a": {"type": "string", "default": "x"}, "b": {"type": "string"}}}`},
		{"formats", "type: string\nformat: uri\ndescription: D.", `{"type": "string", "format": "uri-reference", "description": "D."}`},
		{"formats of Kubernetes", "type: string\nformat: duration", `{"type": "string", "$comment": "format: duration"}`},
		{"not with a format says nothing", "type: string\nnot: {format: ipv4}", `{"type": "string"}`},
		{"oneOf with a format is anyOf", "type: string\noneOf: [{format: ipv4}, {minLength: 3}]", `{"type": "string", "anyOf": [{"format": "ipv4"}, {"minLength": 3}]}`},
		{"null passes junctors", "type: string\nnullable: true\nanyOf: [{minLength: 3}, {enum: [a]}]",
			`{"type": ["string", "null"], "allOf": [{"if": {"type": "null"}, "else": {"anyOf": [{"minLength": 3}, {"enum": ["a"]}]}}]}`},
		{"rules", "type: object\nx-kubernetes-validations: [{rule: \"a <\\n b\", message: nope}]",
			`{"type": "object", "additionalProperties": false, "description": "Rule: nope", "$comment": "CEL: a < b"}`},
		{"lists", "type: array\nx-kubernetes-list-type: set\nitems: {type: string}", `{"type": "array", "uniqueItems": true, "items": {"type": "string"}}`},
		{"lists with keys", "type: array\nx-kubernetes-list-type: map\nx-kubernetes-list-map-keys: [a]\nitems: {type: object, required: [a], properties: {a: {type: string}}}",
			`{"type": "array", "description": "There is one element for each a.",
			"items": {"type": "object", "additionalProperties": false, "required": ["a"], "properties": {"a": {"type": "string"}}}}`},
		{"modes", "type: object\nproperties: {set: {type: boolean}, size: {type: integer}, a: {type: string}}\nx-kubernetes-validations:\n" +
			"- {rule: '!(has(self.set) && self.set) || has(self.a)', fieldPath: .a}\n- {rule: '!has(self.a) || (has(self.set) && self.set)', fieldPath: .a}\n" +
			"- {rule: '!(has(self.size) && self.size != 0) || (!has(self.set) || !self.set)', fieldPath: .size, message: m}",
			`{"type": "object", "additionalProperties": false, "properties": {"set": {"type": "boolean"}, "a": true, "size": true},
			"description": "Rule: .a: must hold\nRule: .a: must hold\nRule: .size: m",
			"$comment": "CEL: !(has(self.set) && self.set) || has(self.a)\nCEL: !has(self.a) || (has(self.set) && self.set)\nCEL: !(has(self.size) && self.size != 0) || (!has(self.set) || !self.set)",
			"allOf": [
			{"if": {"properties": {"set": {"enum": [true]}}, "required": ["set"]}, "then": {"properties": {"a": {"type": "string"}}}, "else": {"properties": {"a": false}}},
			{"if": {"properties": {"set": {"enum": [true]}}, "required": ["set"]}, "then": {"required": ["a"]}},
			{"if": {"properties": {"set": {"enum": [false]}}}, "then": {"properties": {"size": {"type": "integer"}}}, "else": {"properties": {"size": {"enum": [0, null]}}}}]}`},
		{"at least one", "type: object\nproperties: {a: {type: string}, b: {type: string}}\nx-kubernetes-validations: [{rule: has(self.a)||has(self.b), message: m}]",
			`{"type": "object", "additionalProperties": false, "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
			"description": "Rule: m", "$comment": "CEL: has(self.a)||has(self.b)", "allOf": [{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}]}`},
		{"exactly one by a marker", "type: object\nproperties: {a: {type: string}, b: {type: string}}\nx-kubernetes-validations: [{rule: '(has(self.a)?1:0)+(has(self.b)?1:0) == 1', message: m}]",
			`{"type": "object", "additionalProperties": false, "properties": {"a": true, "b": true},
			"description": "Rule: m", "$comment": "CEL: (has(self.a)?1:0)+(has(self.b)?1:0) == 1", "allOf": [
			{"if": {"anyOf": [{"required": ["b"]}]}, "then": {"properties": {"a": false}}, "else": {"properties": {"a": {"type": "string"}}}},
			{"if": {"anyOf": [{"required": ["a"]}]}, "then": {"properties": {"b": false}}, "else": {"properties": {"b": {"type": "string"}}}},
			{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}]}`},
		{"union", strings.ReplaceAll(shapeSpec, "fieldPath: .circle}", "message: m}"), `{"type": "object", "additionalProperties": false, "required": ["type"],
			"$comment": "CEL: !(self.type == 'Circle') || has(self.circle)\nCEL: !has(self.circle) || (self.type == 'Circle')\nCEL: !has(self.square) || (self.type == 'Square')",
			"description": "type selects the member that is set.\nRule: m\nRule: m\nRule: .square: must hold",
			"properties": {"type": {"type": "string", "enum": ["Circle", "Square", "None"]}, "circle": true, "square": true},
			"allOf": [
			{"if": {"properties": {"type": {"const": "Circle"}}, "required": ["type"]}, "then": {"required": ["circle"],
				"properties": {"circle": {"type": "object", "additionalProperties": false}, "square": false}}},
			{"if": {"properties": {"type": {"const": "Square"}}, "required": ["type"]}, "then": {
				"properties": {"circle": false, "square": {"type": "object", "additionalProperties": false}}}},
			{"if": {"properties": {"type": {"const": "None"}}, "required": ["type"]}, "then": {"properties": {"circle": false, "square": false}}},
			{"if": {"not": {"required": ["type"]}}, "then": {"properties": {"circle": false, "square": false}}}]}`},
		{"oneOf of a union", "type: object\nproperties: {a: {type: string}, b: {type: string}}\noneOf: [{required: [a]}, {required: [b]}]",
			`{"type": "object", "additionalProperties": false, "description": "must specify exactly one of: ` + "`a`, `b`" + `.", "properties": {"a": true, "b": true}, "allOf": [
			{"if": {"anyOf": [{"required": ["b"]}]}, "then": {"properties": {"a": false}}, "else": {"properties": {"a": {"type": "string"}}}},
			{"if": {"anyOf": [{"required": ["a"]}]}, "then": {"properties": {"b": false}}, "else": {"properties": {"b": {"type": "string"}}}},
			{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}]}`},
		{"a member that may be null", "type: object\nproperties: {a: {type: string, nullable: true}, b: {type: string}}\noneOf: [{required: [a]}, {required: [b]}]",
			`{"type": "object", "additionalProperties": false, "description": "must specify exactly one of: ` + "`a`, `b`" + `.", "properties": {"a": true, "b": true}, "allOf": [
			{"if": {"anyOf": [{"required": ["b"]}]}, "then": {"properties": {"a": {"type": "null"}}}, "else": {"properties": {"a": {"type": ["string", "null"]}}}},
			{"if": {"anyOf": [{"required": ["a"], "properties": {"a": {"not": {"type": "null"}}}}]}, "then": {"properties": {"b": false}}, "else": {"properties": {"b": {"type": "string"}}}},
			{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}]}`},
	} {
		var want any
		if err := json.Unmarshal([]byte(strings.ReplaceAll(c.want, "\t", "")), &want); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := jsonSchemaOf(t, c.spec, JSONSchemaOptions{}); !reflect.DeepEqual(got, want) {
			shown, _ := json.MarshalIndent(got, "", " ")
			t.Errorf("%s:\n%s", c.name, shown)
		}
	}
}

func TestJSONSchemaOptions(t *testing.T) {
	got := jsonSchemaOf(t, "type: object\nproperties: {a: {type: object}}", JSONSchemaOptions{Open: true})
	want := map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "object"}}}
	if !reflect.DeepEqual(got, any(want)) {
		t.Errorf("open: %v", got)
	}
	old := definition("ex.io", "Shape", "v1", shapeSpec)
	old = strings.Replace(old, "  versions:\n", "  versions:\n  - name: v1beta1\n    served: true\n    storage: false\n    schema: {openAPIV3Schema: {type: object}}\n", 1)
	resources := read(t, old)
	if _, err := JSONSchemas(resources, JSONSchemaOptions{Draft: "4"}); err == nil {
		t.Error("draft 4 is accepted")
	}
	files, err := JSONSchemas(resources, JSONSchemaOptions{Draft: "draft-07", BaseURL: "https://ex.io/s"})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	if got := strings.Join(paths, " "); got != "ex.io/shape_v1.json ex.io/shape_v1beta1.json all.json catalog.json" {
		t.Errorf("files are %s", got)
	}
	if got := at(t, files[0].Data, "$schema"); got != "http://json-schema.org/draft-07/schema#" {
		t.Errorf("the draft is %v", got)
	}
	if got := at(t, files[0].Data, "properties", "metadata", "allOf", 0, "$ref"); got != "#/definitions/ObjectMeta" {
		t.Errorf("the metadata is %v", got)
	}
	if got := at(t, files[2].Data, "allOf", 1, "then", "$ref"); got != "ex.io/shape_v1.json" {
		t.Errorf("all.json has %v", got)
	}
	if got := at(t, files[3].Data, "schemas", 0); !reflect.DeepEqual(got, any(map[string]any{
		"name": "Shape ex.io/v1beta1", "url": "https://ex.io/s/ex.io/shape_v1beta1.json", "description": "Custom resource shapes.ex.io", "fileMatch": []any{},
	})) {
		t.Errorf("the catalog has %v", got)
	}
	if got := at(t, files[3].Data, "schemas", 1, "fileMatch", 2); got != "*.shape.yaml" {
		t.Errorf("the catalog has %v", got)
	}
	again, err := JSONSchemas(read(t, old), JSONSchemaOptions{Draft: "draft-07", BaseURL: "https://ex.io/s"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		if !bytes.Equal(files[i].Data, again[i].Data) {
			t.Errorf("%s differs from run to run", files[i].Path)
		}
	}
}

func TestECMAPattern(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{`^[a-z]+(\.[a-z]+)*$`, `^[a-z]+(\.[a-z]+)*$`},
		{`^(?:a|b)\d{1,3}$`, `^(?:a|b)\d{1,3}$`},
		{`^[A-Z\x60]+$`, `^[A-Z\x60]+$`},
		{`(?i)^on$`, `^[Oo][Nn]$`},
		{`\Aa.b\z`, `^a.b$`},
		{`^(?P<name>x)[[:alpha:]]*?$`, `^(x)(?:[A-Za-z])*$`},
		{`(?s)^.{2,}é/$`, `^(?:[\s\S]){2,}é\/$`},
		{`(?i)[^k]`, "[^Kk\u212a]"}, // K also folds to the Kelvin sign
		{`(?m)^a$`, ""},
		{`\p{Greek}`, ""},
		{`(?i`, ""},
	} {
		got, ok := ecmaPattern(c.pattern)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s: %s", c.pattern, got)
		}
	}
}

// FuzzECMAPattern checks that the written pattern, which is also valid Go, matches the same
// texts.
func FuzzECMAPattern(f *testing.F) {
	f.Add(`(?i)^(abort|warn)?$`, "Warn")
	f.Add(`^(?P<a>[[:digit:]]{2,4}|\Ax\z|[^\x00-b])+?`, "12x")
	f.Add(`(?i)[^k-s]`, "ſ")
	f.Add(`(?s:.)\.(?:)`, "\n.")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		given, err := regexp.Compile(pattern)
		if err != nil {
			return
		}
		written, ok := ecmaPattern(pattern)
		if !ok {
			return
		}
		compiled, err := regexp.Compile(written)
		if err != nil {
			t.Fatalf("%q becomes %q: %v", pattern, written, err)
		}
		if given.MatchString(text) != compiled.MatchString(text) {
			t.Fatalf("%q becomes %q, which gives a different result for %q", pattern, written, text)
		}
	})
}
