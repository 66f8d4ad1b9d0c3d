package diag

import (
	"fmt"
	"strings"
)

// Code is the stable name of a kind of diagnostic, such as "SG201".
type Code string

// Kind holds what all diagnostics with the same code share. Kinds are declared once and never
// modified.
type Kind struct {
	Code Code
	// Severity is the default severity of its diagnostics.
	Severity Severity
	// Off is set if its diagnostics are reported only if the user enables them.
	Off bool
	// Title is one line without a final period.
	Title string
	// Explanation is why it matters and what to do, in plain text.
	Explanation string
	// Bad is an example that is reported: fields of a struct or declarations in Go, or a txtar
	// archive of files, whose comment may have the command: "$ schemagen …". Without one, it
	// is schemagen crd ./.... Good is the corrected example. If Bad is an archive, Good keeps
	// the command and the files that it does not have.
	Bad, Good Example
	// Fixes is set if its diagnostics may have fixes.
	Fixes bool
	// Causes divides a kind whose diagnostics have several causes.
	Causes []Cause
}

// Cause is one of several causes of the diagnostics of a kind.
type Cause struct {
	// Message is in the message of each diagnostic with this cause.
	Message string
	// Explanation, Bad and Good are those of the cause, as in [Kind].
	Explanation string
	Bad, Good   Example
}

// Example is source text written as a raw string of Go that looks like the text: its lines begin
// below the opening quote, and ´ is in the place of the backquote, which a raw string cannot have.
type Example string

// String returns the text, without the line break after the opening quote and with backquotes.
func (e Example) String() string {
	return strings.ReplaceAll(strings.TrimPrefix(string(e), "\n"), "´", "`")
}

// At returns a diagnostic of the kind at a position, which may be zero. The hint may be empty.
func (k *Kind) At(pos Position, hint, format string, args ...any) Diagnostic {
	return Diagnostic{Code: k.Code, Severity: k.Severity, Off: k.Off, Pos: pos,
		Message: fmt.Sprintf(format, args...), Hint: hint}
}

// As returns the diagnostic with another severity.
func (d Diagnostic) As(severity Severity) Diagnostic {
	d.Severity = severity
	return d
}

// With returns the diagnostic with additional related positions.
func (d Diagnostic) With(related ...Related) Diagnostic {
	d.Related = append(d.Related[:len(d.Related):len(d.Related)], related...)
	return d
}

// Replacing returns the diagnostic with a fix that replaces old, which begins at its position
// and ends on the same line, by text.
func (d Diagnostic) Replacing(old, text string) Diagnostic {
	d.End = d.Pos
	d.End.Column += len(old)
	d.Fixes = append(d.Fixes[:len(d.Fixes):len(d.Fixes)], Fix{Message: "write " + text, Edits: []Edit{{d.Pos, d.End, text}}})
	return d
}
