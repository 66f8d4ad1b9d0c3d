package gates

import "strings"

// Steps returns the pairs of sets, by their indexes and in that order, of which the second has all
// gates of the first and more, and no other set is between them.
func Steps(sets []Set) (out [][2]int) {
	index := map[string]int{"*": 0, Base: 1} // "*" is a gate that no element names
	for _, s := range sets {
		for _, element := range s {
			name := strings.TrimPrefix(element, "!")
			if _, ok := index[name]; !ok {
				index[name] = len(index)
			}
		}
	}
	enabled := make([]bitset, len(sets))
	for i, s := range sets {
		enabled[i] = s.bitset(index)
	}
	supersets := make([]bitset, len(sets))
	subsets := make([]bitset, len(sets))
	for i := range sets {
		supersets[i] = newBitset(len(sets))
		subsets[i] = newBitset(len(sets))
	}
	for i := range sets {
		for j := range sets {
			if enabled[i].within(enabled[j]) && !enabled[j].within(enabled[i]) {
				supersets[i].set(j, true)
				subsets[j].set(i, true)
			}
		}
	}
	for i := range sets {
		for j := range sets {
			if supersets[i].has(j) && !supersets[i].meets(subsets[j]) {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

// bitset returns the gates that are on, by their indexes. It agrees with [Set.On].
func (s Set) bitset(index map[string]int) bitset {
	out := newBitset(len(index))
	out.set(index[Base], true)
	for _, element := range s {
		name, negated := strings.CutPrefix(element, "!")
		switch i := index[name]; {
		case name == Base && !negated:
		case name != "*":
			out.set(i, !negated)
		default:
			base := out.has(index[Base])
			for gate := range index {
				out.set(index[gate], !negated)
			}
			out.set(index[Base], base)
		}
	}
	return out
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }

func (b bitset) set(i int, enabled bool) {
	if enabled {
		b[i/64] |= 1 << (i % 64)
	} else {
		b[i/64] &^= 1 << (i % 64)
	}
}

// within reports whether all elements are in another set of the same length.
func (b bitset) within(other bitset) bool {
	for i := range b {
		if b[i]&^other[i] != 0 {
			return false
		}
	}
	return true
}

// meets reports whether an element is in another set of the same length, too.
func (b bitset) meets(other bitset) bool {
	for i := range b {
		if b[i]&other[i] != 0 {
			return true
		}
	}
	return false
}
