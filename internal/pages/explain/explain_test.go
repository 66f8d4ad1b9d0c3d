package explain

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/publish"
)

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		spec string
		typ  string
		want []string
	}{
		{"type: string\nminLength: 1\nmaxLength: 63\npattern: ^a$\nformat: uri", "string", []string{"has the format uri", "has 1 to 63 characters", "matches ^a$"}},
		{"type: string\nminLength: 2\nmaxLength: 2", "string", []string{"has exactly 2 characters"}},
		{"type: number\nminimum: 1.5\nexclusiveMinimum: true\nmaximum: 1000000\nmultipleOf: 0.5", "number",
			[]string{"is greater than 1.5", "is at most 1e+06", "is a multiple of 0.5"}},
		{"type: integer\nmaximum: 7\nexclusiveMaximum: true\nnullable: true", "integer", []string{"may be null", "is less than 7"}},
		{"x-kubernetes-int-or-string: true\nanyOf: [{type: integer}, {type: string}]\npattern: a", "IntOrString", []string{"matches a"}},
		{"x-kubernetes-int-or-string: true\nallOf: [{anyOf: [{type: integer}, {type: string}]}]", "IntOrString", nil},
		{"x-kubernetes-int-or-string: true\nallOf: [{anyOf: [{type: integer}, {type: string}]}, {maxLength: 3}]", "IntOrString",
			[]string{"satisfies all of: (has at most 3 characters)"}},
		{"type: array\nmaxItems: 3\nx-kubernetes-list-type: set\nitems: {type: string, enum: [a, b], maxLength: 4}", "[]string",
			[]string{"has no duplicate elements", "has at most 3 elements", "each element has at most 4 characters"}},
		{"type: object\nadditionalProperties: {type: array, items: {type: object}}\nminProperties: 1\nx-kubernetes-map-type: atomic", "map[string][]Object",
			[]string{"is replaced as a whole by server-side apply", "has at least 1 key"}},
		{"x-kubernetes-preserve-unknown-fields: true", "any", []string{"preserves unspecified fields"}},
		{"type: object\nx-kubernetes-embedded-resource: true\nx-kubernetes-preserve-unknown-fields: true", "Object",
			[]string{"is a whole Kubernetes object", "preserves unspecified fields"}},
		{"type: object\nproperties: {a: {type: string}, b: {type: string}}\noneOf: [{required: [a]}, {required: [b], properties: {b: {enum: [x]}}}]\nnot: {required: [a, b]}", "Object",
			[]string{`satisfies exactly one of: (has a); (has b and b (is one of "x"))`, "does not satisfy: (has a, b)"}},
	} {
		f, err := explained(read(t, definition("ex.io", "Shape", "v1", c.spec))[0], "spec")
		if err != nil {
			t.Fatal(err)
		}
		if f.Type != c.typ || !slices.Equal(f.Limits, c.want) {
			t.Errorf("%s:\ngot  %s %q\nwant %s %q", c.spec, f.Type, f.Limits, c.typ, c.want)
		}
	}
}

// explained returns a field and one level of fields below it.
func explained(r *publish.Resource, path string) (*fields.Field, error) {
	e, err := Explain(r, path, fields.OneLevel)
	if err != nil {
		return nil, err
	}
	return e.Field, nil
}

func TestExplain(t *testing.T) {
	spec := `
type: object
properties:
  a: {type: object, properties: {b.c: {type: integer}}}
  a.b: {type: object, properties: {c: {type: boolean}}}
  embedded: {type: array, items: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: string}, metadata: {type: object, properties: {name: {type: string, maxLength: 3}}}}}}
  one: {type: string}
  two: {type: string}
x-kubernetes-validations:
- {rule: "(has(self.one) ? 1 : 0) + (has(self.two) ? 1 : 0) <= 1", message: "must specify at most one of: ` + "`one`, `two`" + `"}
- {rule: " self.one\n != oldSelf.one ", messageExpression: "'x'", fieldPath: .one}
- {rule: "self.one != oldSelf.one", message: m, optionalOldSelf: true}`
	r := read(t, definition("ex.io", "Shape", "v1", spec))[0]
	for path, want := range map[string]string{
		"spec.a.b.c":                    "boolean",
		"spec.a":                        "Object",
		"spec.embedded.spec":            "string",
		"spec.embedded[0].metadata":     "Object",
		"spec.embedded.metadata.uid":    "string",
		"metadata.labels":               "map[string]string",
		"metadata.managedFields.time":   "string",
		".spec.one.":                    "string",
		"":                              "Object",
		"spec.a.b.d":                    "Shape.spec.a.b has no field d",
		"spec.twoo":                     "Shape.spec has no field twoo; did you mean two?",
		"metadata.label":                "Shape.metadata has no field label; did you mean labels?",
		"spec.one.x.y":                  "Shape.spec.one has no field x: its type string has no fields",
		"spec[":                         "Object",
		"spec.embedded.metadata.namee.": "Shape.spec.embedded.metadata has no field namee; did you mean name?",
	} {
		f, err := explained(r, path)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = f.Type
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
	}
	f, err := explained(r, "spec")
	if err != nil {
		t.Fatal(err)
	}
	if want := []fields.Rule{{Text: "on update: .one: must hold; the message is 'x'", Rule: "self.one\n != oldSelf.one"}, {Text: "m", Rule: "self.one != oldSelf.one"}}; !slices.Equal(f.Rules, want) {
		t.Errorf("rules %q", f.Rules)
	}
	if len(f.Unions) != 1 || f.Unions[0].Text != "must specify at most one of: `one`, `two`" || !slices.Equal(f.Unions[0].Values, []fields.UnionValue{{Member: "one"}, {Member: "two"}}) {
		t.Errorf("unions %+v", f.Unions)
	}
	meta, err := explained(r, "spec.embedded.metadata")
	if err != nil {
		t.Fatal(err)
	}
	if meta.SchemaPath != "" || len(meta.Fields) < 10 || meta.Fields[0].Description == "" {
		t.Errorf("metadata of an embedded object: %+v", meta)
	}
}

// FuzzExplain checks that every path of every definition is explained or rejected, in all
// formats.
func FuzzExplain(f *testing.F) {
	for _, spec := range []string{shapeSpec, "type: array\nitems: {type: object, x-kubernetes-embedded-resource: true}", "x-kubernetes-validations: [{rule: ''}]\ntype: object"} {
		for _, path := range []string{"", "spec", "metadata.ownerReferences", "spec.type", "[", "spec..circle", "spec.[].metadata"} {
			f.Add(spec, path)
		}
	}
	f.Fuzz(func(t *testing.T, spec, path string) {
		if strings.ContainsAny(spec, "\r") {
			return
		}
		resources, _ := tolerant(definition("ex.io", "Shape", "v1", spec))
		for _, r := range resources {
			for _, levels := range []int{fields.OneLevel, fields.AllLevels} {
				explanation, err := Explain(r, path, levels)
				if err != nil {
					continue
				}
				for _, format := range Formats() {
					var b bytes.Buffer
					if err := explanation.Write(&b, format); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}
