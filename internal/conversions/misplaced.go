package conversions

import (
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
)

// misplacedMarker is a marker that nothing reads.
type misplacedMarker struct {
	placedMarker
	Problem, Hint string
}

// misplacedMarkers returns the markers on structs that only hubs have, where nothing reads them, and markers
// of kinds on other structs.
func misplacedMarkers(kinds []*Kind) (out []misplacedMarker) {
	read := map[token.Pos]bool{}
	// ofKind reports whether a marker belongs above the type of a kind, and adds it if it is elsewhere.
	ofKind := func(m placedMarker, v *Version) bool {
		if !slices.Contains([]string{"hub", "storeAs"}, strings.TrimPrefix(m.Name, markers.ConvertPrefix)) {
			return false
		}
		if root := v.Type.Decl; m.In != root {
			problem := m.In.Pkg.Name + "." + m.In.Label() + " is not a kind"
			out = append(out, misplacedMarker{m, problem, "write it above " + root.Pkg.Name + "." + root.Label()})
		}
		return true
	}
	for _, kind := range kinds {
		for _, spoke := range kind.Spokes {
			for _, m := range convertMarkers(spoke.Type.Decl) {
				read[m.Pos] = true
				ofKind(m, spoke)
			}
		}
	}
	for _, kind := range kinds {
		var others []string
		for _, spoke := range kind.Spokes {
			others = append(others, spoke.Name)
		}
		for _, m := range convertMarkers(kind.Hub.Type.Decl) {
			if ofKind(m, kind.Hub) || read[m.Pos] {
				continue
			}
			where := "above the struct of "
			if m.OnField {
				where = "on the field of "
			}
			hint := "write it " + where + strings.Join(others, " or ") + "; if that was the hub when the marker was written, make it the hub again and run schemagen conversions --rehub " + kind.Hub.Name
			out = append(out, misplacedMarker{m, kind.Hub.Name + " is the hub of " + kind.Name, hint})
		}
	}
	return out
}

// oneHubHint returns a hint for several versions that a marker makes the hub: the one whose fields have no
// markers, if there is one such, was the hub when the others were written.
func oneHubHint(hubs []*Version, marker string) string {
	var having, lacking []string
	for _, v := range hubs {
		list := &lacking
		if slices.ContainsFunc(convertMarkers(v.Type.Decl), func(m placedMarker) bool { return m.OnField }) {
			list = &having
		}
		*list = append(*list, v.Name)
	}
	if len(lacking) != 1 {
		return "keep " + marker + " on one of them"
	}
	return "remove " + marker + " from " + strings.Join(having, " and ") + ", whose fields have markers for conversions to " + lacking[0] +
		"; for another hub, run schemagen conversions --rehub " + having[0] + " after that"
}
