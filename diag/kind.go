package diag

import "fmt"

// Code is the stable name of a kind of diagnostic, for example "SG201".
type Code string

// Kind is what the diagnostics of one code have in common. Kinds are declared once
// and never changed.
type Kind struct {
	Code Code
	// Severity is that of its diagnostics unless the place that reports gives another.
	Severity Severity
	// Off is set if its diagnostics are reported only where the user asks for them.
	Off bool
	// Title is one line without a final stop.
	Title string
	// Explanation says why it matters and what to do, in plain text.
	Explanation string
	// Bad is an example of what is reported, in Go: fields of a struct, declarations, or
	// several files as a txtar archive.
	// Good is the same corrected. They are empty where the explanation says enough.
	Bad, Good string
	// Fixes is set if its diagnostics can have fixes.
	Fixes bool
}

// At returns a diagnostic of the kind at a position, which may be the zero one. The
// hint may be empty.
func (k *Kind) At(pos Position, hint, format string, args ...any) Diagnostic {
	return Diagnostic{Code: k.Code, Severity: k.Severity, Off: k.Off, Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// As returns the diagnostic with another severity.
func (d Diagnostic) As(severity Severity) Diagnostic {
	d.Severity = severity
	return d
}

// With returns the diagnostic with further related positions.
func (d Diagnostic) With(related ...Related) Diagnostic {
	d.Related = append(d.Related[:len(d.Related):len(d.Related)], related...)
	return d
}

// Replacing returns the diagnostic with a fix that writes text instead of old, which begins
// at its position and ends on the same line.
func (d Diagnostic) Replacing(old, text string) Diagnostic {
	d.End = d.Pos
	d.End.Column += len(old)
	d.Fixes = append(d.Fixes[:len(d.Fixes):len(d.Fixes)], Fix{Message: "write " + text, Edits: []Edit{{d.Pos, d.End, text}}})
	return d
}
