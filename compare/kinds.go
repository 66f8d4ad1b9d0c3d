package compare

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
)

// Kind names a kind of change, for example "field-removed". The names are stable, because comments
// that allow changes use them; [Kinds] and docs/diff.md list them.
type Kind string

// Kinds returns all kinds, sorted by name.
func Kinds() []Kind {
	var out []Kind
	for _, name := range changekind.Names() {
		out = append(out, Kind(name))
	}
	for k := range keywords.Table() {
		if strings.HasPrefix(k.Name, "min") || strings.HasPrefix(k.Name, "max") {
			for _, suffix := range []string{"added", "removed", "raised", "lowered"} {
				out = append(out, Kind(k.Name+"-"+suffix))
			}
		}
	}
	for _, keyword := range []string{"pattern", "format", "multipleOf", "anyOf", "oneOf", "not"} {
		for _, suffix := range []string{"added", "removed", "changed"} {
			out = append(out, Kind(keyword+"-"+suffix))
		}
	}
	out = append(out, "allOf-added", "allOf-removed")
	slices.Sort(out)
	return out
}
