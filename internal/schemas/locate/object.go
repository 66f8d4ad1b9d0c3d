package locate

import (
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// Steps returns the steps of the path of a value as the API server prints it, such as "list[0].name", and
// how many of them lead to values that the object has. Keys of maps may be in brackets, too, and contain dots
// and brackets: the longest key that the map has is used.
func Steps(object any, path string) (steps []structural.Step, found int) {
	present := true
	for path != "" {
		step, rest := objectStep(object, path)
		steps = append(steps, step)
		path = rest
		object, present = ValueAt(object, steps[len(steps)-1:])
		if present && found == len(steps)-1 {
			found++
		}
	}
	return steps, found
}

// objectStep returns the first step of a path that is not empty, and the rest of the path.
func objectStep(value any, path string) (step structural.Step, rest string) {
	var name, end string
	path, bracketed := strings.CutPrefix(path, "[")
	if bracketed {
		end = "]"
		name, rest, _ = strings.Cut(path, end)
	} else {
		path = strings.TrimPrefix(path, ".")
		name = path
		if next := strings.IndexAny(path, ".["); next >= 0 {
			name = path[:next]
			rest = path[next:]
		}
	}
	switch value := value.(type) {
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 {
			return structural.Step{Index: i}, rest
		}
	case map[string]any:
		for n := len(path); n >= 0; n-- {
			tail, closed := strings.CutPrefix(path[n:], end)
			if _, known := value[path[:n]]; known && closed && isStepEnd(tail) {
				return structural.Step{Field: path[:n], Index: -1}, tail
			}
		}
	}
	return structural.Step{Field: name, Index: -1}, rest
}

// ValueAt returns the value at the end of steps, and whether the object has it.
func ValueAt(object any, steps []structural.Step) (value any, ok bool) {
	for _, step := range steps {
		switch parent := object.(type) {
		case map[string]any:
			next, ok := parent[step.Field]
			if !ok || step.Index >= 0 {
				return nil, false
			}
			object = next
		case []any:
			if step.Index < 0 || step.Index >= len(parent) {
				return nil, false
			}
			object = parent[step.Index]
		default:
			return nil, false
		}
	}
	return object, true
}
