package verify

import (
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/diag"
)

// elementSchemas are schemas of elements, each with a valid element.
var elementSchemas = []struct {
	schema string
	value  any
}{
	{"{type: string}", "a"},
	{"{type: integer}", int64(1)},
	{"{type: boolean}", true},
	{"{x-kubernetes-int-or-string: true}", int64(1)},
	{"{type: object, properties: {k: {type: string}}, required: [k]}", map[string]any{"k": "a"}},
	{"{type: object, properties: {k: {type: string}}, required: [k], x-kubernetes-map-type: atomic}", map[string]any{"k": "a"}},
	{"{type: object, properties: {k: {type: string}}, required: [k], x-kubernetes-map-type: granular}", map[string]any{"k": "a"}},
	{"{type: object, additionalProperties: {type: string}}", map[string]any{"k": "a"}},
	{"{type: object, additionalProperties: {type: string}, x-kubernetes-map-type: atomic}", map[string]any{"k": "a"}},
	{"{type: array, items: {type: string}}", []any{"a"}},
	{"{type: array, items: {type: string}, x-kubernetes-list-type: atomic}", []any{"a"}},
	{"{type: array, items: {type: string}, x-kubernetes-list-type: set}", []any{"a"}},
	{"{type: array, items: {type: array, items: {type: string}}}", []any{[]any{"a"}}},
	{"{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}", []any{map[string]any{"k": "a"}}},
}

// TestSets compares SG278 with server-side apply: the code that converts objects before it applies
// them fails where it is reported, and nowhere else that a server accepts.
func TestSets(t *testing.T) {
	counts := map[string]int{}
	for _, listType := range []string{"", "atomic", "set", "map"} {
		for _, element := range elementSchemas {
			list := "{type: array, items: " + element.schema
			if listType != "" {
				list += ", x-kubernetes-list-type: " + listType
			}
			if listType == "map" {
				list += ", x-kubernetes-list-map-keys: [k]"
			}
			for _, depth := range []string{"%", "{type: object, properties: {below: %}}", "{type: array, items: %}"} {
				schema := strings.Replace(depth, "%", list+"}", 1)
				manifest := manifestOf("type: object\nproperties:\n  list: " + schema)
				found, _ := verifyText(t, manifest)
				found = slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Code == "SG606" })
				if found.HasErrors() {
					counts["refused"]++
					if strings.Contains(schema, "list-type: set") && slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == "SG278" }) {
						t.Errorf("%s: what the server refuses is reported twice: %v", schema, found)
					}
					continue
				}
				value := any([]any{element.value})
				switch {
				case strings.HasPrefix(depth, "{type: object"):
					value = map[string]any{"below": value}
				case strings.HasPrefix(depth, "{type: array"):
					value = []any{value}
				}
				err := typed(t, manifest, value)
				reported := slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == "SG278" })
				if reported != (err != nil) {
					t.Errorf("%s: server-side apply: %v, findings %v", schema, err, found)
				}
				if reported {
					counts["reported"]++
					line := strings.Split(manifest, "\n")[found[0].Pos.Line-1]
					if !strings.HasPrefix(line[found[0].Pos.Column-1:], "x-kubernetes-list-type: set") {
						t.Errorf("%s: reported at %v", schema, found[0].Pos)
					}
					continue
				}
				counts["fine"]++
			}
		}
	}
	t.Log(counts)
}

// typed converts an object as server-side apply does.
func typed(t *testing.T, manifest string, value any) error {
	t.Helper()
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal([]byte(manifest), &definition); err != nil {
		t.Fatal(err)
	}
	definition.Spec.Names.ListKind = "WidgetList"
	published, err := builder.BuildOpenAPIV3(&definition, "v1", builder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	converter, err := managedfields.NewTypeConverter(published.Components.Schemas, false)
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "list": value,
	}}
	_, err = converter.ObjectToTyped(object)
	return err
}
