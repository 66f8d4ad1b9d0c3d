package compare

import (
	"io"

	"github.com/schemagen/schemagen/diag"
)

// changeJSON is a change as --format json has it.
type changeJSON struct {
	Kind       Kind      `json:"kind"`
	Category   string    `json:"category"`
	Code       diag.Code `json:"code"`
	Definition string    `json:"definition"`
	// Version has several, with commas, where they share the change.
	Version string `json:"version,omitempty"`
	Field   string `json:"field,omitempty"`
	OldPath string `json:"oldPath,omitempty"`
	NewPath string `json:"newPath,omitempty"`
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Reason  string `json:"reason"`
	// Allowed is the reason for which the change is allowed.
	Allowed string `json:"allowed,omitempty"`
	// Fails: the change counts for the exit code.
	Fails    bool       `json:"fails"`
	OldPlace *placeJSON `json:"oldPlace,omitempty"`
	NewPlace *placeJSON `json:"newPlace,omitempty"`
}

type placeJSON struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// commentJSON is what is wrong with a comment that allows a change.
type commentJSON struct {
	Severity string     `json:"severity"`
	Code     diag.Code  `json:"code"`
	Message  string     `json:"message"`
	Hint     string     `json:"hint,omitempty"`
	Place    *placeJSON `json:"place,omitempty"`
}

// json writes the changes for programs.
func (r *Report) json(w io.Writer) error {
	out := struct {
		Changes  []changeJSON  `json:"changes"`
		Comments []commentJSON `json:"comments,omitempty"`
	}{Changes: []changeJSON{}}
	for i := range r.Changes {
		c := &r.Changes[i]
		out.Changes = append(out.Changes, changeJSON{
			Kind: c.Kind, Category: c.Category.String(), Code: c.Diagnostic(false).Code, Definition: c.Definition, Version: c.Version, Field: c.Field,
			OldPath: c.OldPath, NewPath: c.NewPath, Old: c.Old, New: c.New, Reason: c.Reason, Allowed: c.Waived, Fails: r.counts(c),
			OldPlace: r.place(c.OldPos), NewPlace: r.place(c.NewPos),
		})
	}
	for _, d := range r.Findings {
		out.Comments = append(out.Comments, commentJSON{d.Severity.String(), d.Code, d.Message, d.Hint, r.place(d.Pos)})
	}
	return diag.WriteJSON(w, out)
}

// place is a place, relative to the working directory; nil if there is none.
func (r *Report) place(pos diag.Position) *placeJSON {
	if pos.File == "" {
		return nil
	}
	pos = r.relative(pos)
	return &placeJSON{pos.File, pos.Line, pos.Column}
}

func (r *Report) relative(pos diag.Position) diag.Position {
	return (diag.List{{Pos: pos}}).RelativeTo(r.Dir)[0].Pos
}
