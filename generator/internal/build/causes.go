package build

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/markers"
)

// A misspelt marker has no effect, and what it should have had is missed elsewhere: a
// limit, without which a rule costs too much; a discriminator, without which there is
// no union. What such a marker causes is found by asking again with the marker that was
// probably meant: whatever is not found then is its consequence.

// correction is a marker that was probably meant to be another one.
type correction struct {
	pos diag.Position
	// text is that of the other one.
	text string
}

// maxCorrections is for how many markers the consequences are found.
const maxCorrections = 3

// Corrects reports whether a marker of the file is read with another text.
func (s *sourceMarkers) Corrects(file string) bool {
	return slices.ContainsFunc(s.options.corrections, func(m correction) bool { return m.pos.File == file })
}

// corrected returns the text of a marker as it is to be read.
func (s *sourceMarkers) corrected(c markers.Comment) string {
	if len(s.options.corrections) > 0 {
		at := s.reporter.Position(c.Pos)
		for _, m := range s.options.corrections {
			if m.pos == at {
				return m.text
			}
		}
	}
	return c.Text
}

// foldConsequences returns the findings of a run without the consequences of misspelt
// markers, which become related places of the finding about the marker. It is as grave
// as they are.
func (w *Run) foldConsequences(ctx context.Context, found diag.List) (diag.List, error) {
	if len(w.corrections) == 0 || len(w.corrections) > maxCorrections {
		return found, nil
	}
	for _, m := range w.corrections {
		isCause := func(d diag.Diagnostic) bool {
			return (d.Code == report.UnknownMarker.Code || d.Code == report.MalformedMarker.Code) && d.Pos == m.pos
		}
		others := slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
			return !slices.ContainsFunc(w.corrections, func(m correction) bool { return m.pos == d.Pos })
		})
		cause := slices.IndexFunc(found, isCause)
		if !others || cause < 0 {
			continue
		}
		options := *w.options
		options.corrections = []correction{m}
		_, _, corrected, err := generate(ctx, &options)
		if err != nil {
			return nil, err
		}
		about := found[cause]
		about.Related = slices.Clip(about.Related)
		var rest diag.List
		for _, d := range found {
			switch {
			case isCause(d):
			case slices.ContainsFunc(corrected.Reporter.List, func(o diag.Diagnostic) bool { return o.Code == d.Code && o.Pos == d.Pos }):
				rest = append(rest, d)
			default:
				about.Severity = min(about.Severity, d.Severity)
				about.Related = append(about.Related, diag.Related{Pos: cmp.Or(d.Pos, m.pos), Message: fmt.Sprintf("causes %s: %s", d.Code, d.Message)})
			}
		}
		found = append(rest, about).Normalize()
	}
	return found, nil
}
