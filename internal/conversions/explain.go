package conversions

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Explain writes the table of units of each pair of structs. A pair that several kinds have is
// written for the first.
func (m *Model) Explain(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, kind := range m.Kinds {
		for _, spoke := range kind.Spokes {
			fmt.Fprintf(table, "%s.%s: %s to %s, the hub%s\n", kind.Name, kind.Group, spoke.Name, kind.Hub.Name, spoke.handwritten())
			if spoke.ByHand() {
				continue
			}
			var shared []*Pair
			within := spoke.Pair.Within()
			for _, p := range m.Pairs {
				switch {
				case p.ofKind == kind && p.ofSpoke == spoke:
					p.explain(table)
				case slices.Contains(within, p) && len(p.Units) > 0:
					shared = append(shared, p)
				}
			}
			for _, p := range shared {
				fmt.Fprintf(table, "  %s: see %s.%s, %s to %s\n", p.Spoke.Decl.Label(), p.ofKind.Name, p.ofKind.Group, p.ofSpoke.Name, p.ofKind.Hub.Name)
			}
		}
	}
	return table.Flush()
}

// handwritten describes the conversions that are not generated, so that the table does not hold for them.
func (v *Version) handwritten() string {
	switch {
	case v.ByHand():
		return ": written by hand, so nothing is known about it"
	case v.written.up:
		return "; the conversion to the hub is written by hand, so nothing is known about it"
	case v.written.down:
		return "; the conversion back is written by hand, so nothing is known about it"
	}
	return ""
}

// explain writes the table of units of a pair.
func (p *Pair) explain(w io.Writer) {
	fmt.Fprintf(w, "  %s\n", p.Spoke.Decl.Label())
	for _, u := range p.Units {
		spoke, hub := u.paths()
		fmt.Fprintf(w, "    %s\t%s\t%s\tto the hub: %s\tback: %s\n", spoke, hub, u.RuleName(), u.fateText(ToHub()), u.fateText(FromHub()))
	}
}

// fateText describes the fate of a direction with its reason. That of a struct is the worst of
// what is below.
func (u *Unit) fateText(way Direction) string {
	own := u.fate(way)
	if own == Dropped && u.Reason != "" {
		return "dropped: " + u.Reason
	}
	for _, p := range u.Rule.pairs(nil) {
		for _, child := range p.Units {
			own = max(own, child.fate(way))
		}
	}
	return own.String()
}

// fate returns what happens to values in a direction.
func (u *Unit) fate(way Direction) Outcome {
	fate, _ := Sides(way, u.Up, u.Down)
	return fate
}

// Within returns the pair and those of the structs below it.
func (p *Pair) Within() []*Pair { return p.within(nil) }

// within adds the pair, and those of the structs below it, to a list.
func (p *Pair) within(found []*Pair) []*Pair {
	if slices.Contains(found, p) {
		return found
	}
	found = append(found, p)
	for _, u := range p.Units {
		found = u.Rule.pairs(found)
	}
	return found
}

// pairs adds the pairs of structs that the rule converts, and those below them, to a list.
func (r *Rule) pairs(found []*Pair) []*Pair {
	for ; r != nil; r = r.Elem {
		if r.op == opStruct {
			found = r.Pair.within(found)
		}
	}
	return found
}
