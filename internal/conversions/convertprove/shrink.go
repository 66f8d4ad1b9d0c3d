package convertprove

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/parallel"
)

// The limits of shrinking a violation: how many smaller objects are tried, how many values they
// have together, and how many of them are tried, thus in memory, at a time. That many take a
// few seconds.
const (
	mostTries                 = 1500
	mostValues                = 200_000
	triedAtOnce, valuesAtOnce = 32, 20_000
)

// shrinker looks for the smallest object that shows a violation.
type shrinker struct {
	// violated returns the violation that each of some objects still shows, or nil.
	violated      func(objects []map[string]any) ([]*violation, error)
	tries, values int // how many of the limits are left
}

// shrink returns the violation with the smallest object that it finds. If there is an error,
// that is the smallest until then.
func (s *subject) shrink(ctx context.Context, v *violation) (*violation, error) {
	violated := func(objects []map[string]any) ([]*violation, error) { return s.violated(ctx, v, objects) }
	return (&shrinker{violated, mostTries, mostValues}).shrink(v)
}

// violated returns the violation with each object that is valid and smaller, as the server
// stores it, and that shows it.
func (s *subject) violated(ctx context.Context, v *violation, objects []map[string]any) ([]*violation, error) {
	out := make([]*violation, len(objects))
	kept := make([]map[string]any, len(objects))
	err := parallel.Do(len(objects), func(i int) error {
		stored, problems, err := s.versions[v.side].judge(ctx, objects[i])
		if len(problems) == 0 {
			kept[i] = stored
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	found, _, err := s.laws(ctx, kept, slices.Repeat([]int{v.side}, len(kept)))
	if err != nil {
		return nil, err
	}
	for i, list := range found {
		for _, other := range list {
			if out[i] == nil && other.law == v.law && other.path == v.path {
				other.edited = v.edited
				out[i] = other
			}
		}
	}
	return out, nil
}

func (s *shrinker) left() bool { return s.tries > 0 && s.values > 0 }

func (s *shrinker) shrink(v *violation) (*violation, error) {
	for again := true; again && s.left(); {
		again = false
		// Parts that are needed now may be no longer once others are gone: then all are
		// tried again.
		tried := map[string]bool{}
		for s.left() {
			next := parts(v.object, tried)
			if len(next) == 0 {
				break
			}
			smaller, err := s.without(v, next)
			if smaller != nil {
				v = smaller
				again = true
			}
			if err != nil {
				return v, err
			}
			for _, part := range next {
				tried[part.path] = true
			}
		}
	}
	return v, nil
}

// without returns a violation without some parts of its object, as many as it can do without;
// nil if it needs all of them.
func (s *shrinker) without(v *violation, parts []part) (*violation, error) {
	alone := make([][]part, len(parts))
	for i := range parts {
		alone[i] = parts[i : i+1]
	}
	found, err := s.try(v, alone)
	if err != nil {
		return nil, err
	}
	var removable []part
	var smallest *violation
	for i, smaller := range found {
		if smaller != nil {
			removable = append(removable, parts[i])
			if smallest == nil {
				smallest = smaller
			}
		}
	}
	// One of several parts may be needed, so that not all can be removed together.
	for n := len(removable); n > 1 && s.left(); n /= 2 {
		found, err := s.try(v, [][]part{removable[:n]})
		if err != nil {
			return smallest, err
		}
		if found[0] != nil {
			return found[0], nil
		}
	}
	return smallest, nil
}

// try returns the violation with each object that lacks some parts and still shows it.
func (s *shrinker) try(v *violation, removed [][]part) ([]*violation, error) {
	objects := make([]map[string]any, len(removed))
	for i, parts := range removed {
		objects[i] = copyWithout(v.object, parts)
		s.tries--
		s.values -= count(objects[i])
	}
	found, err := s.violated(objects)
	if err != nil {
		return nil, err
	}
	whole := count(v.object)
	for i, smaller := range found {
		if smaller != nil && count(smaller.object) >= whole {
			found[i] = nil // defaults came back
		}
	}
	return found, nil
}

// part is a part of an object that can be removed.
type part struct {
	path string // unique in the object
	size int
}

// parts returns the largest parts of an object that were not tried yet and do not contain each
// other, as many as are tried at once.
func parts(object map[string]any, tried map[string]bool) (out []part) {
	var all []part
	var visit func(value any, path string) int
	add := func(value any, path string) int {
		n := visit(value, path)
		all = append(all, part{path, n})
		return n
	}
	visit = func(value any, path string) int {
		n := 1
		switch value := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				n += add(value[name], below(path, name))
			}
		case []any:
			for i := range value {
				n += add(value[i], below(path, i))
			}
		}
		return n
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			add(object[name], below("", name))
		}
	}
	metadata, _ := object["metadata"].(map[string]any)
	for _, name := range []string{"annotations", "labels"} {
		if metadata[name] != nil {
			add(metadata[name], below(below("", "metadata"), name))
		}
	}
	slices.SortStableFunc(all, func(a, b part) int { return b.size - a.size })
	most := min(triedAtOnce, max(1, valuesAtOnce/count(object)))
	for _, p := range all {
		inside := func(other part) bool { return strings.HasPrefix(p.path, other.path+"/") }
		if len(out) < most && !tried[p.path] && !slices.ContainsFunc(out, inside) {
			out = append(out, p)
		}
	}
	return out
}

// below returns the path of a name or an index below a path.
func below(path string, step any) string { return path + fmt.Sprintf("/%q", fmt.Sprint(step)) }

// copyWithout returns a copy of an object without some of its parts.
func copyWithout(object map[string]any, parts []part) map[string]any {
	removed := map[string]bool{}
	for _, p := range parts {
		removed[p.path] = true
	}
	var visit func(value any, path string) any
	visit = func(value any, path string) any {
		switch value := value.(type) {
		case map[string]any:
			out := make(map[string]any, len(value))
			for name := range value {
				if location := below(path, name); !removed[location] {
					out[name] = visit(value[name], location)
				}
			}
			return out
		case []any:
			out := make([]any, 0, len(value))
			for i := range value {
				if location := below(path, i); !removed[location] {
					out = append(out, visit(value[i], location))
				}
			}
			return out
		}
		return value
	}
	out, _ := visit(object, "").(map[string]any)
	return out
}
