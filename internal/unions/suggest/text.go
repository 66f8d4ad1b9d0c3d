package suggest

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

// Write prints the suggestions, followed for each package by the edit that enables its
// unions. File names are relative to dir as in [diag.List.RelativeTo].
//
//	path:line:col: Spec looks like a union: Type selects A, B (as "b"); "C" has no member
//		why: the evidence
//		path:line: Type
//			+ // +unionDiscriminator
//			- // +optional
//			+ // +required
//			  why the line above is needed
//		note: what is left to the author
func Write(w io.Writer, suggestions []Suggestion, dir string) error {
	var b strings.Builder
	var optIns []Edit
	for i, s := range suggestions {
		position := s.Pos
		position.File = screen.Relative(dir, position.File, screen.Nearby)
		fmt.Fprintf(&b, "%s: %s\n\twhy: %s\n", screen.Line(position.String()), screen.Line(s.summary()), screen.Line(s.Why))
		writeEdits(&b, s.Edits, dir)
		for _, note := range s.Notes {
			fmt.Fprintf(&b, "\tnote: %s\n", screen.Line(note))
		}
		for _, edit := range s.OptIn {
			if !slices.Contains(optIns, edit) {
				optIns = append(optIns, edit)
			}
		}
		last := i+1 == len(suggestions) || suggestions[i+1].Package != s.Package
		if last && len(optIns) > 0 {
			fmt.Fprintf(&b, "to enforce the markers of package %s:\n", s.Package)
			writeEdits(&b, optIns, dir)
			optIns = nil
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeEdits(b *strings.Builder, edits []Edit, dir string) {
	for i, e := range edits {
		if i == 0 || e.File != edits[i-1].File || e.Line != edits[i-1].Line || e.Subject != edits[i-1].Subject {
			fmt.Fprintf(b, "\t%s:%d: %s\n", screen.Line(screen.Relative(dir, e.File, screen.Nearby)), e.Line, screen.Line(e.Subject))
		}
		if e.Old != "" {
			fmt.Fprintf(b, "\t\t- %s\n", screen.Line(strings.TrimSpace(e.Old)))
		}
		if e.Text != "" {
			fmt.Fprintf(b, "\t\t+ %s\n", screen.Line(strings.TrimSpace(e.Text)))
		}
		if e.Why != "" {
			fmt.Fprintf(b, "\t\t  %s\n", e.Why)
		}
	}
}

// summary describes the union in one line.
func (s *Suggestion) summary() string {
	switch {
	case s.Proved:
		return s.Type + " has rules that mean: " + s.Meaning
	case s.Meaning != "":
		return s.Type + " has rules that almost mean: " + s.Meaning
	}
	subject := s.Type + " looks like a union"
	if s.Marked {
		subject = s.Type + " is marked as a union in part"
	}
	var names []string
	for _, m := range s.Members {
		name := m.Field
		if m.Value != "" && !strings.EqualFold(m.Value, m.Field) {
			name += fmt.Sprintf(" (as %q)", m.Value)
		}
		names = append(names, name)
	}
	members := strings.Join(names, ", ")
	switch {
	case s.Discriminator == "" && s.AtMostOne:
		return subject + ": at most one of " + members
	case s.Discriminator == "":
		return subject + ": exactly one of " + members
	case len(s.Empty) == 0:
		return fmt.Sprintf("%s: %s selects %s", subject, s.Discriminator, members)
	}
	var empty []string
	for _, value := range s.Empty {
		empty = append(empty, strconv.Quote(value))
	}
	have := "has"
	if len(empty) > 1 {
		have = "have"
	}
	return fmt.Sprintf("%s: %s selects %s; %s %s no member", subject, s.Discriminator, members, strings.Join(empty, ", "), have)
}
