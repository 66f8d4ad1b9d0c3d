package conversions

import (
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/generator/conversions/misuse"
	"github.com/schemagen/schemagen/markers"
)

// misplaced reports markers of structs that only hubs have, where nothing reads them, and markers of
// kinds on other structs.
func (p *pairer) misplaced() {
	read := map[token.Pos]bool{}
	for _, kind := range p.model.Kinds {
		for _, spoke := range kind.Spokes {
			for _, m := range misuse.Marked(spoke.Type.Decl) {
				read[m.Pos] = true
				p.ofKinds(m, spoke)
			}
		}
	}
	for _, kind := range p.model.Kinds {
		var others []string
		for _, spoke := range kind.Spokes {
			others = append(others, spoke.Name)
		}
		other := strings.Join(others, " or ")
		for _, m := range misuse.Marked(kind.Hub.Type.Decl) {
			if p.ofKinds(m, kind.Hub) || read[m.Pos] {
				continue
			}
			where := "above the struct of "
			if m.OnField {
				where = "on the field of "
			}
			hint := "write it " + where + other + "; if that was the hub when the marker was written, make it the hub again and run schemagen conversions --rehub " + kind.Hub.Name
			p.fail(noRule, m.Pos, m.In.Pkg, hint, "+%s has no effect: %s is the hub of %s", m.Name, kind.Hub.Name, kind.Name)
		}
	}
}

// ofKinds reports whether a marker belongs above the type of a kind, and reports it if it is elsewhere.
func (p *pairer) ofKinds(m misuse.Placed, v *Version) bool {
	if !slices.Contains([]string{"hub", "storeAs"}, strings.TrimPrefix(m.Name, markers.ConvertPrefix)) {
		return false
	}
	if m.In != v.Type.Decl {
		p.fail(noRule, m.Pos, m.In.Pkg, "write it above "+v.Type.label(), "+%s has no effect: %s is not a kind", m.Name, m.In.Pkg.Name+"."+m.In.Label())
	}
	return true
}
