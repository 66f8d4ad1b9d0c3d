package review

import (
	"io"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// changeJSON is a change in --format json.
type changeJSON struct {
	Kind       compare.Kind `json:"kind"`
	Category   string       `json:"category"`
	Code       diag.Code    `json:"code"`
	Definition string       `json:"definition"`
	// Version is a comma-separated list if several versions share the change.
	Version string `json:"version,omitempty"`
	Field   string `json:"field,omitempty"`
	OldPath string `json:"oldPath,omitempty"`
	NewPath string `json:"newPath,omitempty"`
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Reason  string `json:"reason"`
	// Allowed is the reason given for allowing the change.
	Allowed string `json:"allowed,omitempty"`
	// Fails reports whether the change affects the exit code.
	Fails    bool          `json:"fails"`
	OldPlace *positionJSON `json:"oldPlace,omitempty"`
	NewPlace *positionJSON `json:"newPlace,omitempty"`
	// Places are the other places of an equal change of an equal definition.
	Places []placeJSON `json:"places,omitempty"`
	// Dependency is the module whose versions caused the change.
	Dependency string `json:"dependency,omitempty"`
}

// placeJSON is another place of a change.
type placeJSON struct {
	Field    string        `json:"field"`
	OldPath  string        `json:"oldPath,omitempty"`
	NewPath  string        `json:"newPath,omitempty"`
	OldPlace *positionJSON `json:"oldPlace,omitempty"`
	NewPlace *positionJSON `json:"newPlace,omitempty"`
}

type positionJSON struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// commentJSON is a finding about a comment that allows a change.
type commentJSON struct {
	Severity string        `json:"severity"`
	Code     diag.Code     `json:"code"`
	Message  string        `json:"message"`
	Hint     string        `json:"hint,omitempty"`
	Place    *positionJSON `json:"place,omitempty"`
}

// json writes the report as JSON.
func (r *Report) json(w io.Writer) error {
	out := struct {
		Changes  []changeJSON  `json:"changes"`
		Comments []commentJSON `json:"comments,omitempty"`
	}{Changes: []changeJSON{}}
	for i := range r.Changes {
		c := &r.Changes[i]
		var places []placeJSON
		for _, p := range c.Places {
			places = append(places, placeJSON{p.Field, p.OldPath, p.NewPath, r.position(p.OldPos), r.position(p.NewPos)})
		}
		out.Changes = append(out.Changes, changeJSON{
			Kind: c.Kind, Category: c.Category.String(), Code: c.Diagnostic(false).Code, Definition: c.Definition, Version: c.Version, Field: c.Field,
			OldPath: c.OldPath, NewPath: c.NewPath, Old: c.Old, New: c.New, Reason: c.Reason, Allowed: c.Waived, Fails: r.counts(c),
			OldPlace: r.position(c.OldPos), NewPlace: r.position(c.NewPos), Places: places, Dependency: c.Dependency,
		})
	}
	for _, d := range r.Findings {
		out.Comments = append(out.Comments, commentJSON{d.Severity.String(), d.Code, d.Message, d.Hint, r.position(d.Pos)})
	}
	return screen.WriteJSON(w, out)
}

// position returns a position relative to r.Dir, or nil if it has no file.
func (r *Report) position(pos diag.Position) *positionJSON {
	if pos.File == "" {
		return nil
	}
	pos = r.relative(pos)
	return &positionJSON{pos.File, pos.Line, pos.Column}
}

func (r *Report) relative(pos diag.Position) diag.Position {
	return (diag.List{{Pos: pos}}).RelativeTo(r.Dir)[0].Pos
}
