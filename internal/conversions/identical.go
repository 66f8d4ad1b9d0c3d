package conversions

import (
	"slices"
	"strings"
)

// castable reports whether Go converts the structs of the pair into each other.
func (w *pairing) castable() bool {
	s := w.Spoke
	h := w.Hub
	if len(s.Fields) != len(h.Fields) || len(w.takenSpoke)+len(w.takenHub)+len(w.extra) > 0 ||
		len(s.Decl.Fields()) != len(s.Fields) || len(h.Decl.Fields()) != len(h.Fields) {
		return false
	}
	for i, f := range s.Fields {
		g := h.Fields[i]
		if f.Go != g.Go || f.JSON != g.JSON || f.Type.ID != g.Type.ID || f.Meta || strings.Contains(f.Go, ".") {
			return false
		}
	}
	for _, u := range w.Units {
		if u.Rule == nil || u.Rule.op != opSame || u.Rule.emptyUp || u.Rule.emptyDown || !samePath(u.Spoke, u.Hub) {
			return false
		}
	}
	return true
}

// identical reports whether all versions have equal paths and types, so that nothing has to
// be converted.
func (p *pairer) identical(pair *Pair) bool { return p.identicalBelow(pair, map[*Pair]bool{}) }

func (p *pairer) identicalBelow(pair *Pair, seen map[*Pair]bool) bool {
	if seen[pair] {
		return true
	}
	seen[pair] = true
	return !slices.ContainsFunc(pair.Units, func(u *Unit) bool {
		if u.Rule == nil || !samePath(u.Spoke, u.Hub) {
			return true
		}
		for r := u.Rule; r != nil; r = r.Elem {
			switch r.op {
			case opSame, opCast, opPointer, opList, opMap:
			case opStruct:
				if !p.identicalBelow(r.Pair, seen) {
					return true
				}
			default:
				return true
			}
		}
		return false
	})
}
