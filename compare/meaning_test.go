package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// fragments returns, for each keyword that restricts values, parts of schemas that restrict them
// more or less, or not at all.
func fragments() map[string][]string {
	return map[string][]string{
		"format": {`"format":"int32"`, `"format":"int64"`, `"format":"uint32"`, `"format":"float"`, `"format":"double"`, `"format":"ipv4"`, `"format":"date-time"`, `"format":"datetime"`,
			`"format":"uuid4"`, `"format":"uuid"`, `"format":"password"`, `"format":"nope"`, `"format":"k8s-short-name"`, `"format":"k8s-long-name"`},
		"maximum":          {`"maximum":2`, `"maximum":3`, `"maximum":2147483647`, `"maximum":-1`},
		"exclusiveMaximum": {`"maximum":3,"exclusiveMaximum":true`, `"maximum":2`, `"maximum":2,"exclusiveMaximum":true`, `"exclusiveMaximum":true`},
		"minimum":          {`"minimum":2`, `"minimum":3`, `"minimum":-2147483648`, `"minimum":0`},
		"exclusiveMinimum": {`"minimum":0,"exclusiveMinimum":true`, `"minimum":1`, `"minimum":1,"exclusiveMinimum":true`, `"exclusiveMinimum":true`},
		"maxLength":        {`"maxLength":0`, `"maxLength":2`, `"maxLength":3`},
		"minLength":        {`"minLength":0`, `"minLength":1`, `"minLength":2`},
		"pattern":          {`"pattern":"^[a-c]+$"`, `"pattern":"^[abc][abc]*$"`, `"pattern":"^(?:[abc]+)$"`, `"pattern":"x*"`, `"pattern":"^a"`, `"pattern":"^.*$"`},
		"maxItems":         {`"maxItems":0`, `"maxItems":2`, `"maxItems":3`},
		"minItems":         {`"minItems":0`, `"minItems":1`, `"minItems":2`},
		"uniqueItems":      {`"uniqueItems":false`},
		"multipleOf":       {`"multipleOf":1`, `"multipleOf":2`, `"multipleOf":4`, `"multipleOf":0.5`},
		"enum":             {`"enum":["a","b"]`, `"enum":["b","a","abc"]`, `"enum":[1,2]`, `"enum":[1,2,3]`, `"enum":[true,false]`, `"enum":[true]`, `"enum":["a",null]`},
		"maxProperties":    {`"maxProperties":0`, `"maxProperties":1`, `"maxProperties":3`, `"maxProperties":9`},
		"minProperties":    {`"minProperties":0`, `"minProperties":1`, `"minProperties":2`},
		"required":         {`"required":["a"]`, `"required":["a","b"]`, `"required":["b","a"]`, `"required":[]`},
		"allOf":            {`"allOf":[{}]`, `"allOf":[{"maxLength":3},{"maximum":3},{"required":["a"]}]`, `"allOf":[{"maxLength":2}]`, `"allOf":[{"properties":{"a":{"maxLength":2}}}]`, `"allOf":[{"minLength":0,"minItems":0}]`},
		"anyOf":            {`"anyOf":[{"maxLength":2},{"pattern":"^b"}]`, `"anyOf":[{"maxLength":1},{"pattern":"^b"}]`, `"anyOf":[{}]`, `"anyOf":[{"required":["a"]},{"required":["b"]}]`, `"anyOf":[{"maximum":1},{"minimum":4}]`},
		"oneOf":            {`"oneOf":[{"maxLength":1},{"minLength":2}]`, `"oneOf":[{"required":["a"]},{"required":["b"]}]`, `"oneOf":[{"maximum":1},{"minimum":4}]`},
		"not":              {`"not":{"maxLength":1}`, `"not":{"required":["b"]}`, `"not":{"enum":["b",1]}`},
	}
}

// shapes are schemas without value validations, by name.
func shapes() map[string]string {
	return map[string]string{
		"string": `"type":"string"`, "integer": `"type":"integer"`, "number": `"type":"number"`, "boolean": `"type":"boolean"`, "nullable": `"type":"string","nullable":true`,
		"int32": `"type":"integer","format":"int32"`, "either": `"x-kubernetes-int-or-string":true`, "list": `"type":"array","items":{"type":"string"}`,
		"map": `"type":"object","additionalProperties":{"type":"string"}`, "object": `"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}`,
		"short": `"type":"string","enum":["a","b"]`, "digit": `"type":"integer","minimum":1,"maximum":2`,
		"open": `"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}`,
	}
}

// boundaryValues are values at the boundaries of all fragments.
func boundaryValues() (out []any) {
	out = append(out, nil, true, false)
	for _, n := range []int64{-2, -1, 0, 1, 2, 3, 4, 5, 6, math.MinInt32, math.MinInt32 - 1, math.MaxInt32, math.MaxInt32 + 1, math.MinInt64, math.MaxInt64} {
		out = append(out, n, float64(n))
	}
	out = append(out, 0.5, 1.5, 2.5, -0.5, 1e19, 1e39, 3.25)
	for _, s := range []string{"", "a", "b", "c", "x", "ab", "bc", "abc", "abcd", "bcde", "xyz", "a\nb", "10.0.0.1", "2020-01-01T00:00:00Z", "a.b", "A_",
		"11111111-1111-4111-8111-111111111111", "AAAAAAAA-1111-4111-8111-111111111111", "11111111-1111-1111-1111-111111111111"} {
		out = append(out, s)
	}
	for n := range 5 {
		list, object := []any{}, map[string]any{}
		for i := range n {
			list = append(list, "a")
			object["abcd"[i:i+1]] = "a"
		}
		out = append(out, list, object)
	}
	for _, fields := range []string{`{"b":"a"}`, `{"a":"abcd"}`, `{"b":"abc","c":"a"}`, `{"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":"","j":""}`, `{"a":"a","b":"b"}`} {
		object := map[string]any{}
		if json.Unmarshal([]byte(fields), &object) == nil {
			out = append(out, object)
		}
	}
	return out
}

// meaningCell is a schema of the table.
type meaningCell struct {
	name  string
	model *structural.Schema
	// holds are the boundary values that an object may have, accepted those that the server accepts.
	holds, accepted []bool
}

// TestMeaning changes each keyword that restricts values, on values of each type, from each
// fragment to each other one or none, written in the node or in allOf. The change must be safe if
// and only if the server's validation accepts every boundary value that it accepted before. Where
// this depends on more than boundary values, the test only checks that a change that the server
// contradicts is not called safe.
func TestMeaning(t *testing.T) {
	all := fragments()
	for k := range keywords.Table() {
		if (k.Class == keywords.ClassValue || k.Class == keywords.ClassJunctor) && len(all[k.Name]) == 0 {
			t.Errorf("no fragments of %s", k.Name)
		}
	}
	// Whether these are equivalent to other conditions is not computed in general.
	undecided := map[string]bool{"pattern": true, "anyOf": true, "oneOf": true, "not": true, "multipleOf": true}
	counts, careful := map[string]int{}, map[string][]string{}
	values, target := boundaryValues(), newest(t)
	for _, shape := range slices.Sorted(maps.Keys(shapes())) {
		for _, keyword := range slices.Sorted(maps.Keys(all)) {
			var cells []meaningCell
			for _, text := range append([]string{""}, all[keyword]...) {
				cells = append(cells, meaningCells(t, target, shape, text, values)...)
			}
			for _, old := range cells {
				for _, new := range cells {
					if old.name == new.name {
						continue
					}
					c := &comparer{definition: &definition{ctx: t.Context(), target: target, equal: equalNodes{}, ratchets: true}, table: explanations()}
					c.schema(nodePair{old: old.model, new: new.model, field: ".spec", correlated: true})
					got := Safe
					for _, change := range c.changes {
						got = max(got, change.Category)
					}
					var refused []any
					for i, v := range values {
						if old.holds[i] && !new.accepted[i] {
							refused = append(refused, v)
						}
					}
					name := fmt.Sprintf("%s: {%s} to {%s}", shape, old.name, new.name)
					switch {
					case !slices.Contains(old.holds, true):
						counts["no old value"]++
						continue
					case len(refused) > 0 && got == Safe:
						t.Errorf("%s is called safe, but the server refuses %v", name, refused)
					case len(refused) == 0 && got != Safe && (undecided[keyword] || shape == "either" && (keyword == "format" || keyword == "enum")):
						careful[keyword] = append(careful[keyword], name)
					case len(refused) == 0 && got != Safe:
						t.Errorf("%s: %s: %s, but the server accepts every value", name, c.changes[0].Kind, got)
					}
					counts[got.String()]++
				}
			}
		}
	}
	t.Log(counts)
	for _, keyword := range slices.Sorted(maps.Keys(careful)) {
		t.Logf("%s: %d safe changes are not recognized", keyword, len(careful[keyword]))
	}
}

// meaningCells returns definitions with a fragment in the schema of a shape, and in allOf, that
// the server accepts.
func meaningCells(t *testing.T, target *apiserver.Target, shape, fragment string, values []any) (out []meaningCell) {
	t.Helper()
	spellings := []string{fragment}
	if fragment != "" && !strings.Contains(fragment, "allOf") {
		spellings = append(spellings, `"allOf":[{`+fragment+`}]`)
	}
	for _, spelling := range spellings {
		text := "{" + shapes()[shape]
		if spelling != "" {
			text += "," + spelling
		}
		var schema props
		if err := json.Unmarshal([]byte(text+"}"), &schema); err != nil {
			t.Fatal(text, err)
		}
		definition := base()
		definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = schema
		findings, err := target.ValidateCreate(t.Context(), definition)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(findings, func(f apiserver.Finding) bool { return !f.Warning }) {
			continue
		}
		check, err := apiserver.NewValueCheck(&schema)
		if err != nil {
			t.Fatal(err)
		}
		cell := meaningCell{name: spelling, model: subject(definition).Schemas[0].Property("spec")}
		for _, v := range values {
			cell.accepted = append(cell.accepted, check(v))
			cell.holds = append(cell.holds, check(v) && isStored(cell.model, v))
		}
		out = append(out, cell)
	}
	return out
}

// isStored reports whether an object with a value that a schema accepts is stored like that.
func isStored(s *structural.Schema, value any) bool {
	switch value := value.(type) {
	case map[string]any:
		return s.Type != "object" || len(structural.Prune(s, maps.Clone(value), false)) == 0
	case []any:
		// The server accepts a list as a string with a format; it cannot be meant.
		return s.Type != "string"
	}
	return true
}
