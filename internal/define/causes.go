package define

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
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
	// in is the type whose declaration has the marker, or nil.
	in *source.Type
}

// rerun is what is different in a run that finds the consequences of misspelled markers.
type rerun struct {
	// corrections are markers whose text is replaced when they are read.
	corrections []correction
	// only are the kinds to define among the selected ones; nil means all.
	only map[GroupKind]bool
}

// maxCorrections is the maximum number of misspelled markers for which consequences are
// determined.
const maxCorrections = 3

// Corrects implements [source.MarkerParser].
func (s *sourceMarkers) Corrects(file string) bool {
	return slices.ContainsFunc(s.corrected, func(m correction) bool { return m.pos.File == file })
}

// Corrected returns the text of a marker after corrections.
func (s *sourceMarkers) Corrected(c markers.Comment) string {
	if len(s.corrected) > 0 {
		position := s.reporter.Position(c.Pos)
		for _, m := range s.corrected {
			if m.pos == position {
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
		if may, err := run.mayCause(ctx, m, found); err != nil {
			return nil, err
		} else if !may {
			continue
		}
		corrected, err := run.regenerate(ctx, nil, m)
		if err != nil {
			return nil, err
		}
		// Nothing follows from what is not found beside a new error, after which checks are left out.
		isNewError := func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !isAmong(d, found) }
		if slices.ContainsFunc(corrected, isNewError) {
			continue
		}
		folded := found[cause]
		folded.Related = slices.Clip(folded.Related)
		var rest diag.List
		for _, d := range found {
			switch {
			case isCause(d):
			case isAmong(d, corrected):
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

// isAmong reports whether there is a finding like d.
func isAmong(d diag.Diagnostic, found diag.List) bool {
	return slices.ContainsFunc(found, func(o diag.Diagnostic) bool { return o.Code == d.Code && o.Pos == d.Pos })
}

// regenerate returns what is found in another run with corrections, for all kinds of this one or,
// unless it is nil, for those of only.
func (run *Run) regenerate(ctx context.Context, only map[GroupKind]bool, corrections ...correction) (diag.List, error) {
	unverified := run.unverified
	if unverified != nil {
		unverified = func(diag.List) {} // results are still found by drafts
	}
	_, _, again, err := generate(ctx, *run.Options, rerun{corrections, only}, unverified)
	if err != nil {
		return nil, err
	}
	return again.Reporter.List, nil
}

// mayCause reports whether some of the findings may be consequences of a misspelled marker. If it
// is in a type that few kinds have, there are none if these kinds by themselves also have the
// findings with the correction.
func (run *Run) mayCause(ctx context.Context, m correction, found diag.List) (bool, error) {
	only := run.kindsWith(m)
	if only == nil {
		return true, nil
	}
	types := run.BuiltTypes()
	found = slices.DeleteFunc(slices.Clone(found), func(d diag.Diagnostic) bool {
		return run.isUnaffected(d, m) || run.isOutside(d, types, only)
	})
	if len(found) == 0 || 2*len(only) >= len(run.defined.roots) {
		return len(found) > 0, nil
	}
	for _, corrections := range [][]correction{{m}, nil} {
		again, err := run.regenerate(ctx, only, corrections...)
		if err != nil {
			return false, err
		}
		found = slices.DeleteFunc(slices.Clone(found), func(d diag.Diagnostic) bool {
			return d.Pos == m.pos || isAmong(d, again) == (corrections != nil)
		})
		if len(found) == 0 {
			return false, nil
		}
	}
	return true, nil
}

// isUnaffected reports whether a finding is certainly no consequence of a misspelled marker: it is about
// the text of a comment in another file, and the correction only decides whether a field is required.
// That changes neither which types are read nor what is wrong with their comments.
func (run *Run) isUnaffected(d diag.Diagnostic, m correction) bool {
	if d.Pos == m.pos {
		return true
	}
	def := run.Table.Lookup(m.text, markers.Field)
	return def != nil && def.Presence() != markers.NoPresence && d.Pos.File != m.pos.File && slices.Contains([]diag.Code{
		report.UnknownMarker.Code, report.WrongTarget.Code, report.OverriddenMarker.Code, report.MalformedMarker.Code,
		report.FloatingMarker.Code, report.ReformattedMarker.Code, report.LostComment.Code,
	}, d.Code)
}

// isOutside reports whether a finding is in the declaration of one of the types, and none of the kinds uses
// that type.
func (run *Run) isOutside(d diag.Diagnostic, types []*source.Type, kinds map[GroupKind]bool) bool {
	declared := slices.DeleteFunc(slices.Clone(types), func(t *source.Type) bool {
		return t.File.Name != d.Pos.File || d.Pos.Line < run.Reporter.Position(startOf(t)).Line ||
			d.Pos.Line > run.Reporter.Position(t.Spec.End()).Line
	})
	for kind := range kinds {
		for _, root := range run.defined.roots[kind] {
			flattener := run.defined.flattener.ForPackage(root.Pkg)
			if slices.ContainsFunc(declared, func(t *source.Type) bool { return flattener.uses(root, t) }) {
				return false
			}
		}
	}
	return len(declared) > 0
}

// kindsWith returns the kinds whose schemas a misspelled marker may affect, or nil if all of the
// run may depend on it: it describes a package, a kind, or what exists.
func (run *Run) kindsWith(m correction) map[GroupKind]bool {
	if run.defined == nil || m.in == nil {
		return nil
	}
	for _, def := range run.Table.Definitions() {
		rest, ok := strings.CutPrefix(m.text, "+"+def.Name)
		if ok && (rest == "" || strings.ContainsRune("=:(", rune(rest[0]))) && (def.Target == markers.Package || def.Name == markers.WhenName) {
			return nil
		}
	}
	out := map[GroupKind]bool{}
	for kind, roots := range run.defined.roots {
		if slices.Contains(roots, m.in) {
			return nil
		}
		if slices.ContainsFunc(roots,
			func(root *source.Type) bool { return run.defined.flattener.ForPackage(root.Pkg).uses(root, m.in) }) {
			out[kind] = true
		}
	}
	return out
}

// uses reports whether the schema of a root type depends on another type.
func (fl *Flattener) uses(root, t *source.Type) bool {
	seen := map[*source.Type]bool{}
	var contains func(d *draft) bool
	refers := func(target *source.Type) bool {
		if target == t || target.Generic == t {
			return true
		}
		if seen[target] {
			return false
		}
		seen[target] = true
		return contains(fl.builder.types[target])
	}
	contains = func(d *draft) bool {
		return d != nil && (d.ref != nil && refers(d.ref) || contains(d.items) || contains(d.additional) ||
			slices.ContainsFunc(d.allOf, contains) ||
			slices.ContainsFunc(d.properties, func(p draftProperty) bool { return contains(p.node) }))
	}
	return refers(root)
}
