package compare

import (
	"fmt"

	"github.com/schemagen/schemagen/diag"
)

// The kinds of diagnostics of this package, in the order of their codes.
var (
	breakingStored = &diag.Kind{
		Code: "SG811", Title: "a change that breaks stored objects",
		Explanation: "An object that was valid and stored cannot be kept as it is: the server refuses the new definition, drops or changes data when it reads the object, or refuses an update that leaves what is wrong alone. docs/diff.md lists the kinds of changes.",
	}
	breakingClients = &diag.Kind{
		Code: "SG812", Title: "a change that breaks clients",
		Explanation: "Stored objects can be kept, but something that a client may send by the old definition is refused, or does not arrive as it was sent.",
	}
	safeChange = &diag.Kind{
		Code: "SG813", Severity: diag.Note, Title: "a change that is safe",
		Explanation: "Everything that the old definition allowed is still taken and kept. Clients that read may see more than before.",
	}
	changeNotUnderstood = &diag.Kind{
		Code: "SG814", Title: "a change that is not understood",
		Explanation: "The definitions differ in something of which schemagen diff does not know what follows. It counts as breaking stored objects.",
	}
	waivedChange = &diag.Kind{
		Code: "SG815", Severity: diag.Note, Title: "a change that was allowed",
		Explanation: "A marker +schemagen:allowChange in Go, or a comment # schemagen:ignore KIND reason in YAML, allows it. It does not count for the exit code.",
	}
	// UnusedWaiver is a comment that allows no change.
	UnusedWaiver = &diag.Kind{
		Code: "SG816", Severity: diag.Warning, Title: "a comment that allows no change",
		Explanation: "The change that it allows has not been made, or was released long ago. It is an error if there is no such kind of change, or no reason is given.",
	}
)

// Codes are the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		breakingStored, breakingClients, safeChange, changeNotUnderstood, waivedChange, UnusedWaiver,
	}
}

// Diagnostic is the change for a report. It is an error if it counts.
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
	pos, related := c.Place()
	return kind.At(pos, "", "%s: %s%s: %s%s", c.Subject(), c.Kind, c.values(), c.Reason, more).As(severity).With(related...)
}

// values are what was changed into what, in brackets.
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
