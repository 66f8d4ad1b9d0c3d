package convertprove

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// shrink returns the violation with the smallest object that it finds.
func (s *subject) shrink(ctx context.Context, v *violation) (*violation, error) {
	for range 60 {
		var objects []map[string]any
		for _, smaller := range smallerOf(v.object) {
			stored, problems, err := s.versions[v.side].judge(ctx, smaller)
			if err != nil {
				return nil, err
			}
			if len(problems) == 0 && size(stored) < size(v.object) { // defaults may come back
				objects = append(objects, stored)
			}
		}
		sides := slices.Repeat([]int{v.side}, len(objects))
		found, _, err := s.laws(ctx, objects, sides)
		if err != nil {
			return nil, err
		}
		var next *violation
		for _, list := range found {
			for _, other := range list {
				if next == nil && other.law == v.law && other.path == v.path {
					next = other
				}
			}
		}
		if next == nil {
			break
		}
		next.edited = v.edited
		v = next
	}
	return v, nil
}

func size(object map[string]any) int {
	out, err := json.Marshal(object)
	if err != nil {
		return 0
	}
	return len(out)
}

// smallerOf returns copies of an object from each of which one part is removed, the largest
// parts first.
func smallerOf(object map[string]any) (out []map[string]any) {
	var paths [][]any
	var visit func(value any, path []any)
	visit = func(value any, path []any) {
		switch value := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				below := append(slices.Clone(path), name)
				if len(path) > 0 || !slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
					paths = append(paths, below)
				}
				if len(path) > 0 || name != "metadata" {
					visit(value[name], below)
				} else if metadata, ok := value[name].(map[string]any); ok {
					for _, name := range []string{"labels", "annotations"} {
						if metadata[name] != nil {
							paths = append(paths, append(slices.Clone(below), name))
						}
					}
				}
			}
		case []any:
			for i := range value {
				below := append(slices.Clone(path), i)
				paths = append(paths, below)
				visit(value[i], below)
			}
		}
	}
	visit(object, nil)
	slices.SortStableFunc(paths, func(a, b []any) int { return len(a) - len(b) })
	for _, path := range paths {
		copied := runtime.DeepCopyJSON(object)
		remove(copied, path)
		out = append(out, copied)
	}
	return out
}

// remove removes what is at a path, and returns the rest.
func remove(value any, path []any) any {
	switch value := value.(type) {
	case map[string]any:
		name, _ := path[0].(string)
		if len(path) == 1 {
			delete(value, name)
		} else {
			value[name] = remove(value[name], path[1:])
		}
	case []any:
		i, _ := path[0].(int)
		if len(path) == 1 {
			return slices.Delete(value, i, i+1)
		}
		value[i] = remove(value[i], path[1:])
	}
	return value
}
