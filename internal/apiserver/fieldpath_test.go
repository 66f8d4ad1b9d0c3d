package apiserver

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
)

// TestIsFieldPath checks that the server accepts each random path that is not left to it, and
// that names of properties are not left to it.
func TestIsFieldPath(t *testing.T) {
	words := []string{"a", "b", "c", "x-y", "it's", "a b", " ", ".", "[", "]", "'", "['a']", "['x-y']", "[0]", "\n", ""}
	text := apiextensions.JSONSchemaProps{Type: "string"}
	object := apiextensions.JSONSchemaProps{Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"a": text, "b": text}}
	list := apiextensions.JSONSchemaProps{Type: "array", Items: &apiextensions.JSONSchemaPropsOrArray{Schema: &object}}
	values := apiextensions.JSONSchemaProps{Type: "object", AdditionalProperties: &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: &object}}
	schema := &apiextensions.JSONSchemaProps{Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{
		"a": object, "b": list, "c": values, "x-y": object, "it's": object, "a b": object, "a.b": text, "'": text, "": text, " ": text,
	}}
	structural, err := structuralschema.NewStructural(schema)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	known := map[string]bool{}
	for range 20_000 {
		var path strings.Builder
		for range random.IntN(4) {
			path.WriteString([]string{".", ".", ".", ""}[random.IntN(4)])
			path.WriteString(words[random.IntN(len(words))])
		}
		if !isFieldPath(path.String(), schema) {
			continue
		}
		if _, _, err := cel.ValidFieldPath(path.String(), structural); err != nil {
			t.Fatalf("%q: the server reports %v", path.String(), err)
		}
		known[path.String()] = true
	}
	for _, path := range []string{".a", ".a.b", ".x-y.a", ".a b.a"} {
		if !known[path] {
			t.Errorf("%q is left to the server", path)
		}
	}
}
