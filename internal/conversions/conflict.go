package conversions

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// conflict returns the first two markers of a field that contradict each other, in their order, and how;
// problem is empty if there are none. name is the JSON name of the field.
func conflict(list source.Markers, name string) (first, second *markers.Marker, problem string) {
	for i, m := range list {
		for _, other := range list[:i] {
			if excluded(m, other, name) || excluded(other, m, name) {
				problem = "+" + m.Name + " contradicts +" + other.Name
				if other.Name == m.Name {
					problem = "+" + m.Name + " is there twice"
				}
				return other, m, problem
			}
		}
	}
	return nil, nil, ""
}

func excluded(m, marker *markers.Marker, name string) bool {
	kind, ok := strings.CutPrefix(marker.Name, markers.ConvertPrefix)
	if fields, has := argument(marker, "fields"); !ok || kind == "func" && has && !slices.Contains(strings.Split(fields, ";"), "."+name) {
		return false // a hook of other fields
	}
	return slices.Contains(markers.ConvertExcludes(kind), strings.TrimPrefix(m.Name, markers.ConvertPrefix))
}

func argument(m *markers.Marker, name string) (string, bool) {
	value, _ := m.Value.(markers.Convert)
	return value.Get(name)
}
