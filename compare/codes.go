package compare

import (
	"fmt"

	"github.com/schemagen/schemagen/diag"
)

// The kinds of diagnostics of this package, in the order of their codes.
var (
	breakingStored = &diag.Kind{
		Code: "SG811", Title: "a change breaks stored objects",
		Explanation: "A stored object that was valid cannot be kept as it is: the server refuses the new definition, drops or changes data when it reads the object, or refuses an update that does not touch the invalid value. docs/diff.md lists the kinds of changes.",
	}
	breakingClients = &diag.Kind{
		Code: "SG812", Title: "a change breaks clients",
		Explanation: "Stored objects can be kept, but something that a client may send under the old definition is refused or stored differently.",
	}
	safeChange = &diag.Kind{
		Code: "SG813", Severity: diag.Note, Title: "a change is safe",
		Explanation: "Everything that the old definition allowed is still accepted and kept. Clients that read objects may see new values.",
	}
	changeNotUnderstood = &diag.Kind{
		Code: "SG814", Title: "the effect of a change is unknown",
		Explanation: "schemagen diff does not know the effect of this difference, and treats it as one that breaks stored objects.",
	}
	waivedChange = &diag.Kind{
		Code: "SG815", Severity: diag.Note, Title: "a change was allowed",
		Explanation: "The marker +schemagen:allowChange in Go or the comment # schemagen:ignore KIND reason in YAML allows it. It does not affect the exit code.",
	}
	// UnusedWaiver is reported for a comment or marker that allows no change.
	UnusedWaiver = &diag.Kind{
		Code: "SG816", Severity: diag.Warning, Title: "a comment allows no change",
		Explanation: "The change that it allows was not made, or was released long ago. It is an error if the kind of change does not exist or no reason is given.",
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their
// codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		breakingStored, breakingClients, safeChange, changeNotUnderstood, waivedChange, UnusedWaiver,
	}
}

// Diagnostic returns the change as a diagnostic. It is an error if counts is set.
func (c *Change) Diagnostic(counts bool) diag.Diagnostic {
	kind := [...]*diag.Kind{Safe: safeChange, BreaksClients: breakingClients, BreaksStored: breakingStored}[c.Category]
	severity, more := diag.Note, ""
	switch {
	case c.Waived != "":
		kind, more = waivedChange, fmt.Sprintf(" (%s; allowed: %s)", c.Category, c.Waived)
	case c.Kind == NotUnderstood:
		kind = changeNotUnderstood
		fallthrough
	case c.Category != Safe:
		severity, more = diag.Warning, fmt.Sprintf(" (%s)", c.Category)
	}
	if counts {
		severity = diag.Error
	}
	pos, related := c.Position()
	return kind.At(pos, "", "%s: %s%s: %s%s", c.Subject(), c.Kind, c.values(), c.Reason, more).As(severity).With(related...)
}

// values returns the old and new values in parentheses.
func (c *Change) values() string {
	switch {
	case c.Old != "" && c.New != "":
		return fmt.Sprintf(" (%s → %s)", c.Old, c.New)
	case c.Old != "":
		return fmt.Sprintf(" (was %s)", c.Old)
	case c.New != "":
		return fmt.Sprintf(" (%s)", c.New)
	}
	return ""
}
