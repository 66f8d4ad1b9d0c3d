package convertprove

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

// deep returns an object with many values.
func deep(width, depth int) any {
	if depth == 0 {
		return "a"
	}
	out := map[string]any{}
	for i := range width {
		out[fmt.Sprint("f", i)] = deep(width, depth-1)
	}
	return out
}

// TestShrink wants the smallest object, without more tries and values than the limits allow,
// and the smallest until an error.
func TestShrink(t *testing.T) {
	at := func(object map[string]any, path ...string) any {
		var value any = object
		for _, name := range path {
			below, _ := value.(map[string]any)
			value = below[name]
		}
		return value
	}
	tests := map[string]struct {
		width, depth int
		violates     func(object map[string]any) bool
		want         string
	}{
		"one value": {6, 4, func(o map[string]any) bool { return at(o, "spec", "f1", "f2", "f3", "f4") != nil }, `{"spec":{"f1":{"f2":{"f3":{"f4":"a"}}}}}`},
		"two values": {6, 4, func(o map[string]any) bool {
			return at(o, "spec", "f1", "f2", "f3", "f4") != nil && at(o, "spec", "f5", "f0", "f0") != nil
		}, `{"spec":{"f1":{"f2":{"f3":{"f4":"a"}}},"f5":{"f0":{"f0":{}}}}}`},
		"one of several": {6, 4, func(o map[string]any) bool {
			below, _ := at(o, "spec", "f1").(map[string]any)
			return len(below) > 0
		}, `{"spec":{"f1":{"f5":{}}}}`},
		"many values": {8, 5, func(o map[string]any) bool { return at(o, "spec", "f1", "f2", "f3", "f4") != nil }, ""},
		"all values":  {6, 4, func(o map[string]any) bool { return count(o) == 2+6+36+216+1296 }, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tries, values, failing := 0, 0, -1
			var seen *violation
			violated := func(objects []map[string]any) ([]*violation, error) {
				if failing--; failing == 0 {
					return nil, errors.New("interrupted")
				}
				out, live := make([]*violation, len(objects)), 0
				for i, object := range objects {
					tries++
					live += count(object)
					if test.violates(object) {
						out[i] = &violation{object: object}
						seen = out[i]
					}
				}
				values += live
				if live > max(valuesAtOnce, count(objects[0])) || len(objects) > triedAtOnce {
					t.Errorf("%d objects with %d values at a time", len(objects), live)
				}
				return out, nil
			}
			whole := &violation{object: map[string]any{"spec": deep(test.width, test.depth)}}
			found, err := (&shrinker{violated, mostTries, mostValues}).shrink(whole)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(found.object)
			if test.want != "" && string(text) != test.want {
				t.Errorf("got %.200s, want %s", text, test.want)
			}
			if tries > mostTries+triedAtOnce || values > mostValues+max(valuesAtOnce, count(whole.object)) {
				t.Errorf("%d tries with %d values", tries, values)
			}
			t.Logf("%d tries with %d values; the object has %d of %d", tries, values, count(found.object), count(whole.object))
			failing, seen = 3, nil
			found, err = (&shrinker{violated, mostTries, mostValues}).shrink(whole)
			if err == nil || count(found.object) > count(whole.object) || seen != nil && found == whole {
				t.Errorf("interrupted: %v, %v", found, err)
			}
		})
	}
}

// TestCopyWithout wants keys that look like paths to be other parts, and lists to close up.
func TestCopyWithout(t *testing.T) {
	object := map[string]any{
		"a":     map[string]any{"b": "c", `b"/"b`: map[string]any{"c": "d"}},
		"a/b":   "e",
		"lists": []any{"0", "1", []any{"2"}},
	}
	removed := []part{{path: below(below("", "a"), "b")}, {path: below(below("", "lists"), 0)}, {path: below(below(below("", "lists"), 2), 0)}}
	text, _ := json.Marshal(copyWithout(object, removed))
	if want := `{"a":{"b\"/\"b":{"c":"d"}},"a/b":"e","lists":["1",[]]}`; string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}
