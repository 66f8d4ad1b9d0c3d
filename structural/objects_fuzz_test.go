package structural

import (
	"encoding/json"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"
	apimachineryjson "k8s.io/apimachinery/pkg/util/json"
)

func objectSeeds(f *testing.F) {
	f.Helper()
	for _, seed := range [][2]string{
		{`{"type": "object", "properties": {"a": {"type": "string", "default": "x"}, "b": {"type": "array", "items": {"default": {"c": 1}}}}}`, `{"a": null, "b": [null, 1], "c": {"d": 1}}`},
		{`{"x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"properties": {"b": {}}}, "l": {"x-kubernetes-preserve-unknown-fields": true, "items": {"properties": {"a": {}}}}}}`, `{"a": {"c": 1}, "l": [{"a": {"b": 1}, "c": 1}, [1]]}`},
		{`{"properties": {"r": {"x-kubernetes-embedded-resource": true, "properties": {"metadata": {"default": {"labels": 1, "name": "a"}}}}}}`, `{"metadata": {"x": 1}, "r": {"kind": 1, "spec": {}}}`},
		{`{"additionalProperties": {"additionalProperties": true, "default": {}}}`, `{"a": null, "": {"b": {"c": 1}}, "kind": 9223372036854775808}`},
		{`{"patternProperties": {"^a": {"items": [{}, {"properties": {"a": {}}}], "additionalItems": {"type": "string"}}}, "not": {"properties": {"b": {"additionalProperties": false}}}}`, `{"ab": [1, {"a": 1, "b": 2}, 1e400], "b": {"c": 1}}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
}

// decodeBoth decodes a schema and an object. It returns false if one of them is invalid.
func decodeBoth(schemaText, objectText []byte) (*props, map[string]any, bool) {
	var p props
	var object map[string]any
	ok := len(schemaText) < 1<<16 && len(objectText) < 1<<16 &&
		json.Unmarshal(schemaText, &p) == nil && apimachineryjson.Unmarshal(objectText, &object) == nil
	return &p, object, ok
}

// FuzzObjects checks that pruning and defaulting do not panic, are idempotent, and agree with
// the server if it accepts the schema.
func FuzzObjects(f *testing.F) {
	objectSeeds(f)
	f.Fuzz(func(t *testing.T, schemaText, objectText []byte) {
		p, object, ok := decodeBoth(schemaText, objectText)
		if !ok {
			return
		}
		s, unheld := FromProps(p)
		var internal apiextensions.JSONSchemaProps
		if len(unheld) == 0 && object != nil && apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(p, &internal, nil) == nil {
			if server, err := schema.NewStructural(&internal); err == nil {
				agree(t, "fuzzed", s, server, object, map[string]int{})
				pruneDefaultsAgrees(t, "fuzzed", s, server, object, map[string]int{})
				return
			}
		}
		for _, isResource := range []bool{false, true} {
			object := runtime.DeepCopyJSON(object)
			Default(s, object)
			Prune(s, object, isResource)
			PruneNonNullableNullsWithoutDefaults(s, object)
			if object != nil && len(Default(s, object))+len(Prune(s, object, isResource))+len(PruneNonNullableNullsWithoutDefaults(s, object)) > 0 {
				t.Error("no fixpoint")
			}
		}
		_, _ = PruneDefaults(s)
	})
}

// FuzzSkeleton checks that every schema has a skeleton that is not larger than the schema,
// whose printed form has the same skeleton, with which pruning is idempotent, and which loses
// nothing.
func FuzzSkeleton(f *testing.F) {
	objectSeeds(f)
	f.Fuzz(func(t *testing.T, schemaText, objectText []byte) {
		p, object, ok := decodeBoth(schemaText, objectText)
		if !ok {
			return
		}
		s, err := Skel(p)
		if err != nil {
			return
		}
		printed := fromText(t, s.String())
		if again, err := Skel(printed); err != nil || again.String() != s.String() {
			t.Errorf("%v, the skeleton of\n%s\nis\n%s", err, s, again)
		}
		if size(printed) > size(p) {
			t.Errorf("the skeleton of size %d has size %d", size(p), size(printed))
		}
		direct := runtime.DeepCopyJSON(object)
		PruneSkeleton(s, object)
		if len(PruneSkeleton(s, object)) > 0 {
			t.Error("pruning twice is not pruning once")
		}
		if pruneDirectly(direct, []*props{p}, false); !isWithin(direct, object) {
			t.Errorf("%v is specified, %v left", direct, object)
		}
	})
}
