package generator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/markers"
)

// lint reports markers without effect in the files of the user that were parsed.
func (w *world) lint() {
	var files []*file
	for _, p := range w.packages {
		if !p.local() {
			continue
		}
		for _, f := range p.files {
			if f.ast != nil {
				p.describe() // not while others do
				files = append(files, f)
			}
		}
	}
	slices.SortFunc(files, func(a, b *file) int { return cmp.Compare(a.name, b.name) })
	found := make([][]markers.Finding, len(files))
	sideBySide(len(files), func() func(int) {
		return func(i int) {
			f, facts := files[i], files[i].pkg.facts
			found[i] = w.table.Lint(f.ast, f.comments, markers.LintOptions{Features: facts.features, Allow: facts.allow})
		}
	})
	waiting := map[*pkg]map[string][]markers.Finding{} // by feature
	for i, f := range files {
		for _, finding := range found[i] {
			if finding.Kind == markers.NeedsFeature && w.unionEnums[finding.Pos] {
				continue
			}
			if finding.Kind == markers.NeedsFeature {
				if waiting[f.pkg] == nil {
					waiting[f.pkg] = map[string][]markers.Finding{}
				}
				waiting[f.pkg][finding.Feature] = append(waiting[f.pkg][finding.Feature], finding)
				continue
			}
			d := diag.Diagnostic{
				Code: lintCode(finding.Kind), Severity: diag.Warning, Pos: w.reporter.position(finding.Pos),
				Message: finding.Message, Hint: finding.Hint,
			}
			if finding.Related.IsValid() {
				d.Related = []diag.Related{{Pos: w.reporter.position(finding.Related), Message: "the other one"}}
			}
			w.reporter.list = append(w.reporter.list, d)
		}
	}
	w.needFeatures(waiting)
}

// needFeatures says once for each package which of its markers wait for a
// feature: there may be hundreds.
func (w *world) needFeatures(waiting map[*pkg]map[string][]markers.Finding) {
	for _, p := range w.packages {
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
			w.reporter.list = append(w.reporter.list, diag.Diagnostic{
				Code: codeNeedsFeature, Severity: diag.Warning, Pos: w.reporter.position(found[0].Pos),
				Message: message,
				Hint:    fmt.Sprintf("beside the package clause write // +schemagen:enable=%s, or run with --enable=%s; --allow leaves them alone", feature, feature),
			})
		}
	}
}

func lintCode(kind markers.FindingKind) diag.Code {
	switch kind {
	case markers.Unknown:
		return codeUnknownMarker
	case markers.WrongTarget:
		return codeWrongTarget
	case markers.Overridden:
		return codeOverridden
	case markers.Malformed:
		return codeMalformed
	case markers.WithoutMeaning:
		return codeWithoutMeaning
	}
	return codeFloating
}

// checkFeature reports a feature that there is not.
func (w *world) checkFeature(p *pkg, m *markers.Marker, feature string) {
	if slices.Contains(markers.Features(), feature) {
		return
	}
	w.reporter.errorf(codeArguments, p, m.Pos, didYouMean(feature, markers.Features(), "there are "+strings.Join(markers.Features(), ", ")),
		"+%s: unknown feature %q", m.Name, feature)
}
