package unions

import (
	"encoding/json"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// TestKeysOfNumbers checks that counterparts are found for all Go types of decoded numbers.
func TestKeysOfNumbers(t *testing.T) {
	s := objectSchema(structural.Property{Name: "list", Schema: keyed(schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormCEL}}), "port")})
	for _, port := range []any{1, int32(1), int64(1), float64(1), json.Number("1"), json.Number("1.5"), 1.5, true} {
		for _, other := range []any{int64(1), 1.5, true} {
			old := object(t, `{"list":[{"type":"A","a":{}}]}`)
			new := object(t, `{"list":[{"type":"C","a":{}}]}`)
			old["list"].([]any)[0].(map[string]any)["port"] = other
			new["list"].([]any)[0].(map[string]any)["port"] = port
			if got, want := Normalize(s, old, new), encoded(t, port) == encoded(t, other); got != want {
				t.Errorf("%T %v and %T %v: changed %t", port, port, other, other, got)
			}
		}
	}
}

// TestKeysOfOtherLists checks that keys are ignored in lists that are not keyed by them.
func TestKeysOfOtherLists(t *testing.T) {
	for kind, want := range map[string]bool{"map": true, "atomic": false, "set": false, "": false} {
		list := keyed(schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormCEL}}), "name")
		list.XListType = kind
		old, new := object(t, `{"list":[{"name":"x","type":"A","a":{}}]}`), object(t, `{"list":[{"name":"x","type":"C","a":{}}]}`)
		if got := Normalize(objectSchema(structural.Property{Name: "list", Schema: list}), old, new); got != want {
			t.Errorf("%q: changed %t", kind, got)
		}
	}
}
