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

func (s Sets) circle(from, to string, seen map[string]bool) []string {
	if seen[from] {
		return nil
	}
	seen[from] = true
	for _, element := range s[from] {
		other, ok := strings.CutPrefix(element, "@")
		if !ok {
			continue
		}
		if other == to {
			return []string{from, to}
		}
		if rest := s.circle(other, to, seen); rest != nil {
			return append([]string{from}, rest...)
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
		switch on := s.on(name, gate); {
		case on && !all:
			different = append(different, gate)
		case !on && all:
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

// on reports whether a gate is on in a set; "*" is a gate that no element names.
func (s Sets) on(name, gate string) bool {
	on := gate == Base
	for _, element := range s[name] {
		other, isSet := strings.CutPrefix(element, "@")
		switch {
		case isSet && gate == Base:
			on = on && s.on(other, gate)
		case isSet:
			on = on || s.on(other, gate)
		case gate != Base && (element == "*" || element == gate):
			on = true
		case gate != Base && element == "!*", element == "!"+gate:
			on = false
		}
	}
	return on
}
