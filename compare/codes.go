package compare

import (
	"fmt"

	"github.com/schemagen/schemagen/diag"
)

// The codes of this package.
const (
	CodeStored        diag.Code = "SG811"
	CodeClients       diag.Code = "SG812"
	CodeSafe          diag.Code = "SG813"
	CodeNotUnderstood diag.Code = "SG814"
	CodeWaived        diag.Code = "SG815"
	CodeWaiver        diag.Code = "SG816"
)

// Codes documents every code that this package reports.
func Codes() []diag.CodeInfo {
	return []diag.CodeInfo{
		{Code: CodeStored, Severity: diag.Error, Title: "a change that breaks stored objects",
			Explanation: "An object that was valid and stored cannot be kept as it is: the server refuses the new definition, drops or changes data when it reads the object, or refuses an update that leaves what is wrong alone. docs/diff.md lists the kinds of changes."},
		{Code: CodeClients, Severity: diag.Error, Title: "a change that breaks clients",
			Explanation: "Stored objects can be kept, but something that a client may send by the old definition is refused, or does not arrive as it was sent."},
		{Code: CodeSafe, Severity: diag.Note, Title: "a change that is safe",
			Explanation: "Everything that the old definition allowed is still taken and kept. Clients that read may see more than before."},
		{Code: CodeNotUnderstood, Severity: diag.Error, Title: "a change that is not understood",
			Explanation: "The definitions differ in something of which schemagen diff does not know what follows. It counts as breaking stored objects."},
		{Code: CodeWaived, Severity: diag.Note, Title: "a change that was allowed",
			Explanation: "A marker +schemagen:allowChange in Go, or a comment # schemagen:ignore KIND reason in YAML, allows it. It does not count for the exit code."},
		{Code: CodeWaiver, Severity: diag.Warning, Title: "a comment that allows no change",
			Explanation: "The change that it allows has not been made, or was released long ago. It is an error if there is no such kind of change, or no reason is given."},
	}
}

// Diagnostic is the change for a report. It is an error if it counts.
func (c *Change) Diagnostic(counts bool) diag.Diagnostic {
	d := diag.Diagnostic{Severity: diag.Note, Code: [...]diag.Code{Safe: CodeSafe, BreaksClients: CodeClients, BreaksStored: CodeStored}[c.Category]}
	d.Message = fmt.Sprintf("%s: %s%s: %s", c.Subject(), c.Kind, c.values(), c.Reason)
	switch {
	case c.Waived != "":
		d.Code = CodeWaived
		d.Message += fmt.Sprintf(" (%s; allowed: %s)", c.Category, c.Waived)
	case c.Kind == NotUnderstood:
		d.Code = CodeNotUnderstood
		fallthrough
	case c.Category != Safe:
		d.Severity = diag.Warning
		d.Message += fmt.Sprintf(" (%s)", c.Category)
	}
	if counts {
		d.Severity = diag.Error
	}
	d.Pos, d.Related = c.Place()
	return d
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
