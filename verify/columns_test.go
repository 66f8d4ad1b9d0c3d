package verify

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/schemagen/schemagen/diag"
)

// columnShapes are schemas of the field .spec.x.
var columnShapes = []struct{ name, schema string }{
	{"conditions", `{type: array, items: {type: object, properties: {
		type: {type: string}, name: {type: string}, port: {type: integer, maximum: 100}, ready: {type: boolean},
		ratio: {type: number}, size: {type: string, enum: [small, large]}, either: {x-kubernetes-int-or-string: true}}}}`},
	{"short list", `{type: array, maxItems: 2, items: {type: object,
		properties: {type: {type: string}, port: {type: integer}}}}`},
	{"strings", `{type: array, items: {type: string}}`},
	{"lists", `{type: array, items: {type: array, items: {type: object,
		properties: {type: {type: string}, port: {type: integer}}}}}`},
	{"map", `{type: object, additionalProperties: {type: object,
		properties: {type: {type: string}, port: {type: integer}}}}`},
	{"map of strings", `{type: object, additionalProperties: {type: string}}`},
	{"object", `{type: object, properties: {type: {type: string}, name: {type: string}, port: {type: integer}}}`},
	{"text", `{type: string}`},
	{"enum", `{type: string, enum: [small, large]}`},
	{"number", `{type: integer}`},
	{"flag", `{type: boolean}`},
	{"int or string", `{x-kubernetes-int-or-string: true}`},
	{"anything", `{x-kubernetes-preserve-unknown-fields: true}`},
	{"open object", `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {type: {type: string}}}`},
	{"embedded", `{type: object, x-kubernetes-embedded-resource: true, properties: {type: {type: string}}}`},
}

// columnForms follow .spec.x in the path of a column. Nothing is reported about paths with "..".
var columnForms = []string{
	"", ".type", ".name", ".tipe", ".key", ".*", "['type']", "['type','name']", ".kind", ".metadata.name",
	".metadata.nam", "[0]", "[0].type", "[5]", "[1].type", "[-1].port", "[-3].type", "[*]", "[*].type",
	"[*].tipe", "[*][*]", "[*][0].type", "[0,1]", "[1:]", "[:2].type", "[0:2].type", "[2:]", "[0:0]", "[2:1]",
	"[-2:-1].type", "[-1:-2]", "[::0]", "[::2].type", "[::-1]", `[?(@.type=="Ready")]`,
	`[?(@.type=="Ready")].port`, `[?(@.type=='Ready')].type`, `[?(@.type=="Ready")].nme`,
	`[?(@.type == "Ready")].type`, `[?(@.type="Ready")].type`, `[?(@.type===  "Ready")].type`,
	`[?(@.type==Ready)].type`, `[?(@.tipe=="Ready")].type`, `[?(@.type!="Ready")].type`,
	`[?(@.type<"Ready")].type`, `[?(@.type>="Ready")].port`, `[?("Ready"==@.type)].type`,
	`[?(@.type==@.name)].type`, `[?(@.type)].type`, `[?(@.tipe)].type`, `[?(@.port==80)].type`,
	`[?(@.port=="80")].type`, `[?(@.type==80)].type`, `[?(@.port>80)].type`, `[?(@.port>100)].type`,
	`[?(@.port<100)]`, `[?(@.port>=100)].port`, `[?(@.port!=80)].type`, `[?(@.port==80.5)].type`,
	`[?(@.port==300)].type`, `[?(@.port==true)].type`, `[?(@.ready==true)].type`, `[?(@.ready=="true")].type`,
	`[?(@.ready!=true)].type`, `[?(@.ratio==80)].type`, `[?(@.ratio==80.5)].type`, `[?(@.ratio>80)].ratio`,
	`[?(@.size=="large")].type`, `[?(@.size=="huge")].type`, `[?(@.size!="large")].size`,
	`[?(@.size<"large")].size`, `[?(@.size>"small")].size`, `[?(@.either==80)].type`, `[?(@.either=="80")].type`,
	`[?(@.either==Ready)].type`, `[?(@.type=="Ready")][?(@.port==80)].type`, `[*][?(@.type=="Ready")].port`,
	`[?(@.type=="Ready")][0]`, `[0][?(@.port>80)].type`, `[?(@.key=="Ready")]`, `[?(@=="Ready")]`,
	`[?(@.type==null)]`,
}

// columnValues are the strings, integers and numbers of random objects: those that the filters
// of columnForms compare with, and their neighbors.
var (
	columnStrings  = []any{"Ready", "", "Real", "80", "true", "z", "2016-01-02T03:04:05Z"}
	columnIntegers = []any{int64(0), int64(79), int64(80), int64(81), int64(100), int64(101), int64(300)}
)

// randomValue returns a random value that a schema accepts.
func randomValue(r *rand.Rand, s *apiextensionsv1.JSONSchemaProps) any {
	pick := func(values []any) any { return values[r.IntN(len(values))] }
	field := func(object map[string]any, name string, value any) {
		if r.IntN(4) > 0 {
			object[name] = value
		}
	}
	switch {
	case len(s.Enum) > 0:
		return strings.Trim(string(s.Enum[r.IntN(len(s.Enum))].Raw), `"`)
	case s.XIntOrString:
		return pick([]any{pick(columnStrings), pick(columnIntegers)})
	case s.Type == "":
		return pick([]any{pick(columnStrings), pick(columnIntegers), true, randomOpen(r, 0)})
	case s.Type == "string":
		return pick(columnStrings)
	case s.Type == "integer":
		for {
			if n := pick(columnIntegers).(int64); s.Maximum == nil || float64(n) <= *s.Maximum {
				return n
			}
		}
	case s.Type == "number":
		return pick([]any{pick(columnIntegers), int64(80), 80.5, 80.0, 99.5})
	case s.Type == "boolean":
		return r.IntN(2) == 0
	case s.Type == "array":
		list := []any{}
		longest := 7
		if s.MaxItems != nil {
			longest = int(*s.MaxItems) + 1
		}
		for range r.IntN(longest) {
			list = append(list, randomValue(r, s.Items.Schema))
		}
		return list
	}
	object := map[string]any{}
	if s.XPreserveUnknownFields != nil {
		object = randomOpen(r, 1).(map[string]any)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		delete(object, name)
		field(object, name, randomValue(r, &property))
	}
	if s.AdditionalProperties != nil {
		for _, name := range []string{"type", "name", "tipe", "key", "kind", "port", "prot", "0", ""} {
			field(object, name, randomValue(r, s.AdditionalProperties.Schema))
		}
	}
	if s.XEmbeddedResource {
		object["apiVersion"] = "v1"
		object["kind"] = pick(columnStrings)
		object["metadata"] = map[string]any{"name": pick(columnStrings)}
	}
	return object
}

// randomOpen returns a value of a schema without a type.
func randomOpen(r *rand.Rand, depth int) any {
	leaf := func() any {
		return []any{"Ready", "2016-01-02T03:04:05Z", int64(80), int64(81), int64(300), 80.5, true, "80", "true"}[r.IntN(9)]
	}
	object := map[string]any{}
	for _, name := range []string{"type", "name", "tipe", "nme", "key", "port", "ready", "ratio", "size", "either", "kind", "prot", "0", ""} {
		object[name] = leaf()
	}
	object["metadata"] = map[string]any{"name": leaf(), "nam": leaf()}
	if depth > 0 {
		return object
	}
	list := []any{}
	for range r.IntN(7) {
		list = append(list, []any{leaf(), randomOpen(r, 1), []any{randomOpen(r, 1), randomOpen(r, 1)}}[r.IntN(3)])
	}
	return []any{object, list, list}[r.IntN(3)]
}

// TestColumnFormsMatchServer verifies columns with each form of a path, each shape of the field
// with two types, and compares the findings with what the server's table converter prints for
// random objects: a column is reported if, and only if, it prints none of them.
func TestColumnFormsMatchServer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	counts := map[string]int{}
	for n, shape := range columnShapes {
		schema := strings.ReplaceAll(shape.schema, "\t", " ")
		manifest := manifestOf("{type: object, properties: {spec: {type: object, properties: {x: " + schema + "}}}}")
		var columns []string
		for i, form := range columnForms {
			for _, typ := range []string{"string", []string{"integer", "boolean", "date"}[(i+n)%3]} {
				columns = append(columns, fmt.Sprintf("{name: \"%d\", type: %s, jsonPath: %q}", len(columns), typ, ".spec.x"+form))
			}
		}
		list := "    additionalPrinterColumns: [" + strings.Join(columns, ", ") + "]\n"
		found, subject := verifyText(t, strings.Replace(manifest, "    schema:\n", list+"    schema:\n", 1))
		reported := map[string]string{}
		for _, d := range found {
			if _, rest, ok := strings.Cut(d.Message, "printer column "); ok {
				name, _, _ := strings.Cut(rest, " ")
				reported[strings.TrimSuffix(name, ":")] = string(d.Code) + " " + d.Message + " | " + d.Hint
			} else if d.Severity == diag.Error {
				t.Fatalf("%s: %s", shape.name, d.Message)
			}
		}
		version := subject.CRD.Spec.Versions[0]
		field := version.Schema.OpenAPIV3Schema.Properties["spec"].Properties["x"]
		objects := []any{}
		for range 500 {
			objects = append(objects, randomValue(r, &field))
		}
		for _, column := range version.AdditionalPrinterColumns {
			counts["cells"]++
			prints := false
			convertor, err := tableconvertor.New([]apiextensionsv1.CustomResourceColumnDefinition{column})
			for i := 0; i < len(objects) && err == nil && !prints; i++ {
				spec := map[string]any{"x": objects[i]}
				object := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a"}, "spec": spec}}
				table, err := convertor.ConvertToTable(t.Context(), object, nil)
				if err != nil {
					t.Fatal(err)
				}
				cell := table.Rows[0].Cells[1]
				prints = cell != nil && cell != "<invalid>"
			}
			// A number is printed in an integer column without its fraction.
			truncated := column.Type == "integer" && strings.HasSuffix(column.JSONPath, ".ratio")
			// Too few random values without a schema agree with a filter.
			unlikely := shape.name == "anything" && !prints
			if why := reported[column.Name]; prints != (why == "") && !truncated && !unlikely {
				t.Errorf("%s: %s %s: printed %t, but reported: %q", shape.name, column.JSONPath, column.Type, prints, why)
			}
			if prints {
				counts["printed"]++
			} else {
				code, _, _ := strings.Cut(reported[column.Name], " ")
				counts[code]++
			}
		}
	}
	t.Log(counts)
	if counts["printed"] < 200 || counts["SG608"] < 1000 || counts["SG616"] < 500 {
		t.Errorf("too few of one kind: %v", counts)
	}
}

// scaleForms follow .spec.x in a path of the scale subresource.
var scaleForms = []string{
	"", ".port", ".type", ".name", ".prot", ".key", ".kind", ".", ".port.", "[0]", "[0].port", "[*].port", ".0.port", "['port']", ".metadata.name", ".a.b", `.a\.b`,
	`[?(@.type=="Ready")].port`,
}

// TestScaleFormsMatchServer verifies each form of a path of the scale subresource with each
// shape of the field, and compares the findings with what the server reads from random objects:
// a path is reported if, and only if, the server never reads a value there.
func TestScaleFormsMatchServer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	counts := map[bool]int{}
	for _, shape := range columnShapes {
		for _, form := range scaleForms {
			schema := strings.ReplaceAll(shape.schema, "\t", " ")
			part := "{type: object, properties: {x: " + schema + "}}"
			manifest := manifestOf("{type: object, properties: {spec: " + part + ", status: " + part + "}}")
			scale := fmt.Sprintf("    subresources: {scale: {specReplicasPath: %q, statusReplicasPath: %q, labelSelectorPath: %q}}\n",
				".spec.x"+form, ".status.x"+form, ".spec.x"+form)
			found, subject := verifyText(t, strings.Replace(manifest, "    schema:\n", scale+"    schema:\n", 1))
			reported := map[string]string{}
			for _, d := range found {
				if d.Code == noSuchPath.Code {
					reported[fmt.Sprint(d.Pos.Column)] = d.Message
				}
			}
			field := subject.CRD.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["x"]
			replicas := false
			selector := false
			for range 300 {
				object := map[string]any{"spec": map[string]any{"x": randomValue(r, &field)}}
				// The registry's scaleFromCustomResource, which is not exported, does the same.
				keys := strings.Split(strings.TrimPrefix(".spec.x"+form, "."), ".")
				_, isInteger, _ := unstructured.NestedInt64(object, keys...)
				_, isText, _ := unstructured.NestedString(object, keys...)
				replicas = replicas || isInteger
				selector = selector || isText
			}
			line := strings.Split(scale, "\n")[0]
			verdicts := map[string]bool{"specReplicasPath": replicas, "statusReplicasPath": replicas, "labelSelectorPath": selector}
			for keyword, reads := range verdicts {
				column := strings.Index(line, keyword) + 1
				why := reported[fmt.Sprint(column)]
				if reads != (why == "") && (reads || !strings.Contains(shape.schema, "unknown")) {
					t.Errorf("%s: %s .x%s: read %t, but reported: %q", shape.name, keyword, form, reads, why)
				}
				counts[reads]++
			}
		}
	}
	t.Log(counts)
	if counts[true] < 50 || counts[false] < 500 {
		t.Errorf("too few of one kind: %v", counts)
	}
}
