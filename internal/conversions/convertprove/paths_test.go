package convertprove

import (
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// typed returns a schema of a type, with what is in objects and lists of it.
func typed(of string, properties ...structural.Property) *structural.Schema {
	s := &structural.Schema{}
	s.Type, s.Properties = of, properties
	return s
}

func mapOf(values *structural.Schema) *structural.Schema {
	s := typed("object")
	s.AdditionalProperties = &structural.SchemaOrBool{Schema: values}
	return s
}

func listOf(elements *structural.Schema) *structural.Schema {
	s := typed("array")
	s.Items = elements
	return s
}

// shapes returns a schema with fields below a map, a list and a map in a list.
func shapes() *structural.Schema {
	mode := typed("object", structural.Property{Name: "mode", Schema: typed("string")})
	step := typed("object", structural.Property{Name: "old", Schema: mapOf(mode)})
	spec := typed("object",
		structural.Property{Name: "any", Schema: typed("object")},
		structural.Property{Name: "overrides", Schema: mapOf(mode)},
		structural.Property{Name: "steps", Schema: listOf(step)},
	)
	return typed("object", structural.Property{Name: "metadata", Schema: typed("object")}, structural.Property{Name: "spec", Schema: spec})
}

func shaped(overrides, steps any) map[string]any {
	return map[string]any{"spec": map[string]any{"overrides": overrides, "steps": steps}}
}

// TestPatterns wants paths of the server without keys of maps and indices of lists.
func TestPatterns(t *testing.T) {
	v := &version{schema: shapes()}
	mode := map[string]any{"mode": "a"}
	object := shaped(map[string]any{"a": mode, "a.b": mode, "a.b/c": mode, "x]y": mode, "": mode}, []any{map[string]any{"old": map[string]any{"k": mode}}})
	for path, want := range map[string]string{
		"":                          "",
		"spec":                      ".spec",
		"spec.overrides.a.mode":     ".spec.overrides[].mode",
		"spec.overrides.a.b.mode":   ".spec.overrides[].mode",
		"spec.overrides.a.b/c.mode": ".spec.overrides[].mode",
		"spec.overrides[a.b].mode":  ".spec.overrides[].mode",
		"spec.overrides[x]y].mode":  ".spec.overrides[].mode",
		"spec.overrides..mode":      ".spec.overrides[].mode",
		"spec.overrides[gone].mode": ".spec.overrides[].mode",
		"spec.overrides[open":       ".spec.overrides[]",
		"spec.steps[0].old[k].mode": ".spec.steps[].old[].mode",
		"spec.steps.0.old.k.mode":   ".spec.steps[].old[].mode",
		"spec.steps[7].old.k.mode":  ".spec.steps[].old[].mode",
		"spec.any.b.c":              ".spec.any[][]",
		"spec.unknown.b":            ".spec.unknown.b",
		"metadata.labels.b":         ".metadata.labels.b",
	} {
		if got := v.pattern(object, path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// TestDifferences wants what is lost on purpose not to be compared, in its version only, and
// one pattern for all keys.
func TestDifferences(t *testing.T) {
	s := &subject{versions: [2]*version{{schema: shapes()}, {schema: shapes()}}}
	s.drops[spokeSide] = []string{".spec.steps[].old[].mode"}
	a := shaped(map[string]any{"a": map[string]any{"mode": "a"}, "b": map[string]any{"mode": "a"}},
		[]any{map[string]any{"old": map[string]any{"k": map[string]any{"mode": "a"}}}})
	b := shaped(map[string]any{"a": map[string]any{"mode": "b"}, "b": map[string]any{}},
		[]any{map[string]any{"old": map[string]any{"k": map[string]any{}}}})
	for side, want := range [][]difference{
		{
			{".spec.overrides.a.mode", ".spec.overrides[].mode", `"a"`, `"b"`},
			{".spec.overrides.b.mode", ".spec.overrides[].mode", `"a"`, "absent"},
		},
		{
			{".spec.overrides.a.mode", ".spec.overrides[].mode", `"a"`, `"b"`},
			{".spec.overrides.b.mode", ".spec.overrides[].mode", `"a"`, "absent"},
			{".spec.steps[0].old.k.mode", ".spec.steps[].old[].mode", `"a"`, "absent"},
		},
	} {
		got := s.differences(side, a, b)
		if len(got) != len(want) {
			t.Fatalf("side %d: got %v", side, got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("side %d: got %v, want %v", side, got[i], want[i])
			}
		}
	}
}
