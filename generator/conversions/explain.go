package conversions

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Explain writes the table of units of each pair of structs.
func (m *Model) Explain(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, kind := range m.Kinds {
		for _, spoke := range kind.Spokes {
			fmt.Fprintf(table, "%s.%s: %s to %s, the hub\n", kind.Name, kind.Group, spoke.Name, kind.Hub.Name)
			for _, p := range m.Pairs {
				if p.ofKind != kind || p.ofSpoke != spoke {
					continue
				}
				fmt.Fprintf(table, "  %s\n", p.Spoke.Decl.Label())
				for _, u := range p.Units {
					row := u.row(true)
					fmt.Fprintf(table, "    %s\t%s\t%s\tto the hub: %s\tback: %s\n", u.paths(true), u.paths(false), row[1], u.fateText(u.Up), u.fateText(u.Down))
				}
			}
		}
	}
	return table.Flush()
}

// fateText describes a fate with its reason.
func (u *Unit) fateText(fate Fate) string {
	if fate == Dropped && u.Reason != "" {
		return "dropped: " + u.Reason
	}
	return fate.String()
}
