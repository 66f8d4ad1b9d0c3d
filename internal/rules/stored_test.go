package rules

import (
	"encoding/json"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// TestUnchangedReads wants the failures of updates that do not touch an object which was stored before a
// field became required: the server ignores that the field is absent, but not that a rule reads it.
func TestUnchangedReads(t *testing.T) {
	const oldSchema = `
type: object
properties:
  size: {type: integer}
  label: {type: string}
  ports: {type: array, items: {type: object, properties: {number: {type: integer}, flange: {type: string}}}}
`
	for _, c := range []struct{ name, schema, rule, want string }{
		{"a new required field", "{type: object, required: [size], properties: {size: {type: integer}}}", "self.size > 0", "no such key: size for {}"},
		{"one that an update may also change", "{type: object, required: [size], properties: {size: {type: integer}}}",
			"self.size >= oldSelf.size", "no such key: size for {}"},
		{"a field of elements", "{type: object, properties: {ports: {type: array, items: {type: object, required: [number], properties: {number: {type: integer}}}}}}",
			"!has(self.ports) || self.ports.all(p, p.number > 0)", `no such key: number for {"ports":[{}]}`},
		{"a field that depends on another one", "{type: object, required: [size], properties: {size: {type: integer}, label: {type: string}}}",
			"!has(self.label) || self.label != 'x' || self.size > 0", `no such key: size for {"label":"x"}`},
		{"a test", "{type: object, required: [size], properties: {size: {type: integer}}}", "!has(self.size) || self.size > 0", ""},
		{"a test of the old value, which is the same", "{type: object, required: [size], properties: {size: {type: integer}}}",
			"!has(oldSelf.size) || self.size >= oldSelf.size", ""},
		{"a default", "{type: object, required: [size], properties: {size: {type: integer, default: 1}}}", "self.size > 0", ""},
		{"a rule about changes", "{type: object, required: [size], properties: {size: {type: integer}}}", "self == oldSelf || self.size > 0", ""},
	} {
		s := schemaOf(t, c.schema)
		replaced := schemaOf(t, oldSchema)
		rule := structural.Rule{Rule: c.rule}
		s.XValidations = []structural.Rule{rule}
		search := searchOf(s)
		before := searchOf(replaced).Server
		search.Stored = before
		edges := []structural.Edge{{Keyword: "properties", Property: "spec"}}
		f, err := search.Failure(t.Context(), edges, s, rule, UnchangedReads(rule, Stored(s, replaced), Inside))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if f != nil {
			text, _ := json.Marshal(f.Value)
			got = f.Detail + " for " + string(text)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
