package build

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
)

// Lint reports markers without effect in those of the user's files that were parsed, and
// misspelled markers in those files of the root packages that were not.
func (w *Run) Lint() {
	var files []*source.File
	parsed := map[*source.File]bool{} // parsed by the run
	for p := range w.Packages() {
		if !p.Local() {
			continue
		}
		for _, f := range p.Sources {
			if f.Syntax != nil || f.Doubtful {
				files = append(files, f)
				parsed[f] = f.Syntax != nil
			}
		}
	}
	for _, f := range files {
		w.Describe(f.Pkg) // populate facts before the parallel part
	}
	slices.SortFunc(files, func(a, b *source.File) int { return cmp.Compare(a.Name, b.Name) })
	found := make([][]markers.Finding, len(files))
	w.Trees(files, func(i int, tree *ast.File) {
		facts := w.facts[files[i].Pkg]
		options := markers.LintOptions{Features: facts.features, Allow: facts.allow}
		if parsed[files[i]] {
			found[i] = w.table.Lint(tree, files[i].Comments, options)
		} else {
			found[i] = w.misspelt(w.table.Lint(tree, w.table.Collect(tree), options))
		}
	})
	waiting := map[*source.Package]map[string][]markers.Finding{} // by feature
	for i, f := range files {
		var declared []*source.Type
		if len(found[i]) > 0 {
			declared = f.Types()
		}
		for _, finding := range found[i] {
			t := declaringType(f, declared, finding.Pos)
			if t != nil && !w.usesOf(t).built && len(w.options.Kinds)+len(w.options.Groups) > 0 {
				continue // it belongs to a kind that was not selected
			}
			if finding.Kind == markers.NeedsFeature && w.Unions.Takes(finding.Pos) {
				continue
			}
			if finding.Kind == markers.NeedsFeature && finding.Feature == markers.FeatureEnum && t != nil && w.usesOf(t).references > 0 && w.usesOf(t).references == w.usesOf(t).closed {
				continue // each field of the type lists the values itself
			}
			if finding.Kind == markers.NeedsFeature {
				if waiting[f.Pkg] == nil {
					waiting[f.Pkg] = map[string][]markers.Finding{}
				}
				waiting[f.Pkg][finding.Feature] = append(waiting[f.Pkg][finding.Feature], finding)
				continue
			}
			d := w.Reporter.Add(lintKind(finding.Kind).At(w.Reporter.Position(finding.Pos), finding.Hint, "%s", finding.Message))
			if finding.Text != "" {
				w.corrections = append(w.corrections, correction{d.Pos, finding.Text})
			}
			w.Reporter.Delimit(d, finding.End, finding.Edit)
			if finding.Related.IsValid() {
				d.Related = []diag.Related{{Pos: w.Reporter.Position(finding.Related), Message: "the other one"}}
			}
		}
	}
	w.needFeatures(waiting)
}

// misspelt returns the findings about misspelled markers that one of the run's generators
// would read if they were spelled correctly.
func (w *Run) misspelt(found []markers.Finding) []markers.Finding {
	return slices.DeleteFunc(found, func(f markers.Finding) bool {
		if f.Meant == "" || f.Kind != markers.Unknown && f.Kind != markers.Malformed {
			return true
		}
		generator := markers.Generator(f.Meant)
		return !slices.Contains(w.options.Generators, generator) && (generator != "crd" || w.options.Generators != nil)
	})
}

// declaringType returns the type, out of those declared in the file, whose declaration or
// markers include pos; or nil.
func declaringType(f *source.File, declared []*source.Type, pos token.Pos) *source.Type {
	for _, t := range declared {
		from := t.Spec.Pos()
		for _, c := range f.Comments.Type(t.Spec) {
			from = min(from, c.Pos)
		}
		if from <= pos && pos <= t.Spec.End() {
			return t
		}
	}
	return nil
}

// needFeatures reports, once for each package and feature, markers that have no effect
// because the feature is disabled. There may be hundreds of them.
func (w *Run) needFeatures(waiting map[*source.Package]map[string][]markers.Finding) {
	for p := range w.Packages() {
		for _, feature := range markers.Features() {
			found := waiting[p][feature]
			if len(found) == 0 {
				continue
			}
			what := "declarative-validation tag"
			if feature == markers.FeatureEnum {
				what = "+enum marker"
			}
			message := fmt.Sprintf("this %s does nothing", what)
			if len(found) > 1 {
				message = fmt.Sprintf("this is the first of %d %ss in package %s, which do nothing", len(found), what, p.Path)
			}
			hint := fmt.Sprintf("beside the package clause write // +schemagen:enable=%s, or run with --enable=%s; --allow leaves them alone", feature, feature)
			w.Reporter.Delimit(w.Reporter.Add(report.FeatureOff.At(w.Reporter.Position(found[0].Pos), hint, "%s", message)), found[0].End, nil)
		}
	}
}

func lintKind(kind markers.FindingKind) *diag.Kind {
	switch kind {
	case markers.Unknown:
		return report.UnknownMarker
	case markers.WrongTarget:
		return report.WrongTarget
	case markers.Overridden:
		return report.OverriddenMarker
	case markers.Malformed:
		return report.MalformedMarker
	case markers.WithoutMeaning:
		return report.TagWithoutMeaning
	}
	return report.FloatingMarker
}

// checkFeature reports an unknown feature.
func (s *sourceMarkers) checkFeature(p *source.Package, m *markers.Marker, feature string) {
	if slices.Contains(markers.Features(), feature) {
		return
	}
	d := s.reporter.Report(report.MalformedArguments, p.At(m.Pos), diag.DidYouMean(feature, markers.Features(), "there are "+strings.Join(markers.Features(), ", ")),
		"+%s: unknown feature %q", m.Name, feature)
	if offset := strings.Index(m.Text, feature); p.Local() && strings.Count(m.Text, feature) == 1 {
		s.reporter.Meant(d, m.Place(offset), feature, markers.Features())
	}
}
