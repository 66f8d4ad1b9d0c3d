package define

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// Lint reports markers without effect in those of the user's files that were parsed, and
// misspelled markers in those files of the root packages that were not. It also reports markers
// that disagree, of which only some declarations matter.
func (run *Run) Lint() {
	if run.conditions != nil {
		run.conditions.ReportDisagreements(func(f *source.File, pos token.Pos) bool {
			t := declaringType(f.Types(), pos)
			return t == nil || run.usesOf(t).built || f.Pkg.Root && !run.selects()
		})
	}
	var files []*source.File
	parsed := map[*source.File]bool{} // parsed by the run
	for p := range run.Packages() {
		if !p.Local() {
			continue
		}
		for _, f := range p.Sources {
			if f.Syntax != nil || f.SuspectMarkers {
				files = append(files, f)
				parsed[f] = f.Syntax != nil
			}
		}
	}
	for _, f := range files {
		run.Describe(f.Pkg) // populate facts before the parallel part
	}
	slices.SortFunc(files, func(a, b *source.File) int { return cmp.Compare(a.Name, b.Name) })
	found := make([][]markers.Finding, len(files))
	run.Trees(files, func(i int, tree *ast.File) {
		facts := run.facts[files[i].Pkg]
		options := markers.LintOptions{Features: facts.features, Allow: facts.allow, Files: run.Fset}
		found[i] = run.Options.Loaded.lint(files[i], tree, options)
		if !parsed[files[i]] {
			found[i] = run.misspelled(found[i])
		}
	})
	disabled := map[*source.Package]map[string][]markers.Finding{} // by feature
	for i, file := range files {
		var declared []*source.Type
		if len(found[i]) > 0 {
			declared = file.Types()
		}
		for _, finding := range found[i] {
			t := declaringType(declared, finding.Pos)
			if t != nil && !run.usesOf(t).built && run.selects() {
				continue // it belongs to a kind that was not selected
			}
			if finding.Kind == markers.NeedsFeature &&
				slices.ContainsFunc(run.structs, func(s Structs) bool { return s.Uses(finding.Pos) }) {
				continue
			}
			if finding.Kind == markers.NeedsFeature && finding.Feature == markers.FeatureEnum && t != nil &&
				run.usesOf(t).references > 0 && run.usesOf(t).references == run.usesOf(t).closed {
				continue // each field of the type lists the values itself
			}
			if finding.Kind == markers.NeedsFeature {
				if disabled[file.Pkg] == nil {
					disabled[file.Pkg] = map[string][]markers.Finding{}
				}
				disabled[file.Pkg][finding.Feature] = append(disabled[file.Pkg][finding.Feature], finding)
				continue
			}
			d := run.Reporter.Add(lintKind(finding.Kind).At(run.Reporter.Position(finding.Pos), finding.Hint, "%s", finding.Message))
			if finding.Error {
				d.Severity = diag.Error
			}
			if finding.Corrected != "" {
				run.corrections = append(run.corrections, correction{d.Pos, finding.Corrected, t})
			}
			if finding.Insertion != nil {
				run.Reporter.Delimit(d, finding.End, nil)
				run.Reporter.Fix(d, "put it above", finding.Edit, finding.Insertion)
			} else {
				run.Reporter.Delimit(d, finding.End, finding.Edit)
			}
			if finding.Related.IsValid() {
				d.Related = []diag.Related{{Pos: run.Reporter.Position(finding.Related), Message: "the other marker"}}
			}
		}
	}
	run.reportDisabled(disabled)
}

// selects reports whether the options select kinds.
func (run *Run) selects() bool { return len(run.Options.Kinds)+len(run.Options.Groups) > 0 }

// lint returns the problems with a file's markers, which it looks for once for all channels: they
// are the same where conditions do not hold.
func (l *Loaded) lint(f *source.File, tree *ast.File, options markers.LintOptions) []markers.Finding {
	key := fmt.Sprint(f.Name, options.Features, options.Allow)
	if known, ok := l.linted.Load(key); ok {
		return slices.Clone(known.([]markers.Finding))
	}
	written := f.Written
	if written == nil {
		written = l.table.Collect(tree)
	}
	found := l.table.Lint(tree, written, options)
	l.linted.Store(key, slices.Clone(found))
	return found
}

// misspelled returns the findings about misspelled markers that one of the run's generators
// would read if they were spelled correctly.
func (run *Run) misspelled(found []markers.Finding) []markers.Finding {
	return slices.DeleteFunc(found, func(f markers.Finding) bool {
		if f.Suggestion == "" || f.Kind != markers.Unknown && f.Kind != markers.Malformed {
			return true
		}
		generator := markers.Generator(f.Suggestion)
		return !slices.Contains(run.Options.Generators, generator) && (generator != "crd" || run.Options.Generators != nil)
	})
}

// declaringType returns the type, out of those declared in a file, whose declaration or
// markers include pos; or nil.
func declaringType(declared []*source.Type, pos token.Pos) *source.Type {
	for _, t := range declared {
		if startOf(t) <= pos && pos <= t.Spec.End() {
			return t
		}
	}
	return nil
}

// startOf returns where the markers of a type or, without any, its declaration begins.
func startOf(t *source.Type) token.Pos {
	start := t.Spec.Pos()
	for _, c := range t.File.Comments.Type(t.Spec) {
		start = min(start, c.Pos)
	}
	return start
}

// reportDisabled reports, once for each package and feature, markers that have no effect
// because the feature is disabled. There may be hundreds of them.
func (run *Run) reportDisabled(disabled map[*source.Package]map[string][]markers.Finding) {
	for p := range run.Packages() {
		for _, feature := range markers.Features() {
			found := disabled[p][feature]
			if len(found) == 0 {
				continue
			}
			what := "declarative-validation tag"
			rest := ""
			switch feature {
			case markers.FeatureEnum:
				what = "+enum marker"
			case markers.FeatureOpenShift:
				what = "marker"
				rest = " of OpenShift's"
			}
			message := fmt.Sprintf("this %s%s has no effect", what, rest)
			if len(found) > 1 {
				message = fmt.Sprintf("this is the first of %d %ss%s in package %s that have no effect", len(found), what, rest, p.Path)
			}
			hint := fmt.Sprintf("write // +schemagen:enable=%s above the package clause, or set enable: [%s] in schemagen.yaml, where allow suppresses this warning", feature, feature)
			run.Reporter.Delimit(run.Reporter.Add(report.FeatureDisabled.At(run.Reporter.Position(found[0].Pos), hint, "%s", message)), found[0].End, nil)
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
	case markers.Unsupported:
		return report.TagWithoutMeaning
	case markers.Reformatted:
		return report.ReformattedMarker
	}
	return report.FloatingMarker
}

// checkFeature reports an unknown feature.
func (s *sourceMarkers) checkFeature(p *source.Package, m *markers.Marker, feature string) {
	if markers.IsFeature(feature) {
		return
	}
	d := s.reporter.Report(report.MalformedArguments, p.At(m.Pos), words.DidYouMean(feature, markers.Features(), "the features are "+strings.Join(markers.Features(), ", ")),
		"+%s: unknown feature %q", m.Name, feature)
	if offset := strings.Index(m.Text, feature); p.Local() && strings.Count(m.Text, feature) == 1 {
		s.reporter.Meant(d, m.PosAt(offset), feature, markers.Features())
	}
}
