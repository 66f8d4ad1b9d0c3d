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

// A misspelled marker has no effect, and its absence leads to errors elsewhere: without a
// limit a rule costs too much, without a discriminator there is no union. The consequences
// of a misspelled marker are found by generating again with the marker that was probably
// meant: findings that disappear are its consequences.

// correction replaces a misspelled marker with the one that was probably meant.
type correction struct {
	pos diag.Position
	// text is the corrected text of the marker.
	text string
}

// maxCorrections is the maximum number of misspelled markers for which consequences are
// determined.
const maxCorrections = 3

// Corrects implements [source.MarkerParser].
func (s *sourceMarkers) Corrects(file string) bool {
	return slices.ContainsFunc(s.options.corrections, func(m correction) bool { return m.pos.File == file })
}

// corrected returns the text of a marker after corrections.
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

// foldConsequences returns the findings without the consequences of misspelled markers. These
// become related positions of the finding about the marker, which takes the highest
// severity among them.
func (run *Run) foldConsequences(ctx context.Context, found diag.List) (diag.List, error) {
	if len(run.corrections) == 0 || len(run.corrections) > maxCorrections {
		return found, nil
	}
	for _, m := range run.corrections {
		isCause := func(d diag.Diagnostic) bool {
			return (d.Code == report.UnknownMarker.Code || d.Code == report.MalformedMarker.Code) && d.Pos == m.pos
		}
		unrelated := slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
			return !slices.ContainsFunc(run.corrections, func(m correction) bool { return m.pos == d.Pos })
		})
		cause := slices.IndexFunc(found, isCause)
		if !unrelated || cause < 0 {
			continue
		}
		options := *run.options
		options.corrections, options.unverified = []correction{m}, nil
		_, _, corrected, err := generate(ctx, &options)
		if err != nil {
			return nil, err
		}
		folded := found[cause]
		folded.Related = slices.Clip(folded.Related)
		var rest diag.List
		for _, d := range found {
			switch {
			case isCause(d):
			case slices.ContainsFunc(corrected.Reporter.List, func(o diag.Diagnostic) bool { return o.Code == d.Code && o.Pos == d.Pos }):
				rest = append(rest, d)
			default:
				folded.Severity = min(folded.Severity, d.Severity)
				folded.Related = append(folded.Related, diag.Related{Pos: cmp.Or(d.Pos, m.pos), Message: fmt.Sprintf("causes %s: %s", d.Code, d.Message)})
			}
		}
		found = append(rest, folded).Normalize()
	}
	return found, nil
}
