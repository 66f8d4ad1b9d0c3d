package conversions

import "slices"

// unaddressed reports maps of a kind whose values encode themselves through a pointer only. encoding/json
// does not call such a method for the values of maps, which have no address, so a webhook would answer
// without them.
func (p *pairer) unaddressed(kind *Kind) {
	for _, v := range append(slices.Clone(kind.Spokes), kind.Hub) {
		w := addressWalk{pairer: p, version: v, seen: map[visited]bool{}}
		w.visit(v.Type, nil, false)
	}
}

// addressWalk visits what an object of a version consists of.
type addressWalk struct {
	*pairer
	version *Version
	seen    map[visited]bool
}

// visited is a type that is reached with or without an address.
type visited struct {
	id      string
	inValue bool
}

// visit looks for such types at or below t. The path leads to it, and inValue is set if it is part of the
// value of a map.
func (w *addressWalk) visit(t *Type, path []*Field, inValue bool) {
	switch {
	case t.Shape == Pointer, t.Shape == List:
		w.visit(t.Elem, path, false)
		return
	case t.Shape == Map:
		w.visit(t.Elem, path, true)
		return
	case t.Elem != nil: // an array
		w.visit(t.Elem, path, inValue)
		return
	}
	for _, m := range t.Members {
		w.visit(m.Type, path, inValue)
	}
	if inValue && t.Shape == Opaque && t.Decl != nil && t.Decl.MarshalsByPointer() {
		local := slices.Clone(path)
		for len(local) > 1 && !local[len(local)-1].Pkg.Local() {
			local = local[:len(local)-1]
		}
		f := local[len(local)-1]
		name := t.Decl.Pkg.Name + "." + t.Decl.Spec.Name.Name
		w.fail(unaddressedValues, f.Pos(), f.Pkg, "give the method a value receiver, or make the values of the map pointers",
			"%s %s has values of %s in a map, and encoding/json calls the method of *%[3]s only for values with an address: conversions would lose them",
			w.version.Name, dotted(path), name)
		return
	}
	if w.seen[visited{t.ID, inValue}] {
		return
	}
	w.seen[visited{t.ID, inValue}] = true
	for _, f := range w.types.Fields(t) {
		w.visit(f.Type, append(slices.Clip(path), f), inValue)
	}
}
