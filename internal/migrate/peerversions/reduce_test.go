package peerversions

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// reduced returns a file without the objects and declarations that are equal in another one.
func reduced(t *testing.T, name string, data, other []byte) []byte {
	t.Helper()
	if data == nil {
		return nil
	}
	content, err := parse(name, data)
	if err != nil {
		t.Fatal(err)
	}
	others, err := parse(name, other)
	if err != nil {
		t.Fatal(err)
	}
	content = withoutEqual(content, others)
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(content)) {
		document := content[key].(map[string]any)
		if strings.HasSuffix(name, ".go") {
			out.WriteString(document["package"].(string))
			for _, name := range slices.Sorted(maps.Keys(document)) {
				if name != "package" {
					out.WriteString(document[name].(string))
				}
			}
			continue
		}
		text, err := yaml.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n" + string(text))
	}
	return []byte(out.String())
}

// withoutEqual returns an object without the objects and texts of Go that the other one has, too.
func withoutEqual(object, other map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range object {
		equal := reflect.DeepEqual(value, other[key])
		child, isObject := value.(map[string]any)
		text, _ := value.(string)
		isDeclaration := strings.HasPrefix(text, "func ") || strings.HasPrefix(text, "//")
		switch {
		case equal && (isObject && key != "metadata" || isDeclaration && key != "package"):
		case isObject:
			others, _ := other[key].(map[string]any)
			out[key] = withoutEqual(child, others)
		case key == "versions":
			out[key] = withoutEqualElements(value, other[key])
		default:
			out[key] = value
		}
	}
	return out
}

// withoutEqualElements is withoutEqual for the versions of a definition.
func withoutEqualElements(list, other any) any {
	elements, _ := list.([]any)
	others, _ := other.([]any)
	if len(elements) != len(others) {
		return list
	}
	var out []any
	for i, e := range elements {
		object, _ := e.(map[string]any)
		otherObject, _ := others[i].(map[string]any)
		out = append(out, withoutEqual(object, otherObject))
	}
	return out
}
