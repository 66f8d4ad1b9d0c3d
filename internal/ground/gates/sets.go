package gates

import (
	"slices"
	"strings"
)

// Sets are named sets of gates. Besides the elements of a [Set], they may have "@NAME": the
// gates of another set are on.
type Sets map[string][]string

// Circle returns the names on a circle of "@" that begins and ends at a set, or nil.
func (s Sets) Circle(name string) []string { return s.circle(name, name, map[string]bool{}) }

func (s Sets) circle(source, target string, seen map[string]bool) []string {
	if seen[source] {
		return nil
	}
	seen[source] = true
	for _, element := range s[source] {
		other, ok := strings.CutPrefix(element, "@")
		if !ok {
			continue
		}
		if other == target {
			return []string{source, target}
		}
		if rest := s.circle(other, target, seen); rest != nil {
			return append([]string{source}, rest...)
		}
	}
	return nil
}

// Resolve returns a set without "@". Sets with the same gates have equal results. The sets must
// have no circle.
func (s Sets) Resolve(name string) Set {
	names := map[string]bool{}
	for _, elements := range s {
		for _, element := range elements {
			if gate := strings.TrimPrefix(element, "!"); gate != "*" && gate != Base && !strings.HasPrefix(element, "@") {
				names[gate] = true
			}
		}
	}
	all := s.on(name, "*")
	out := Set{}
	if all {
		out = Set{"*"}
	}
	var different Set
	for gate := range names {
		switch enabled := s.on(name, gate); {
		case enabled && !all:
			different = append(different, gate)
		case !enabled && all:
			different = append(different, "!"+gate)
		}
	}
	slices.Sort(different)
	out = append(out, different...)
	if !s.on(name, Base) {
		out = append(out, "!"+Base)
	}
	return out
}

// enabled reports whether a gate is on in a set; "*" is a gate that no element names.
func (s Sets) on(name, gate string) bool {
	enabled := gate == Base
	for _, element := range s[name] {
		other, isSet := strings.CutPrefix(element, "@")
		switch {
		case isSet && gate == Base:
			enabled = enabled && s.on(other, gate)
		case isSet:
			enabled = enabled || s.on(other, gate)
		case gate != Base && (element == "*" || element == gate):
			enabled = true
		case gate != Base && element == "!*", element == "!"+gate:
			enabled = false
		}
	}
	return enabled
}
