package build

import (
	"go/token"

	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/markers"
)

// OverrideFile is a file, not of Go, that says about types and descriptions
// elsewhere what the markers +schemagen:type and +schemagen:descriptions say beside
// a package clause, for the kinds of all packages. Where a package says something
// about the same, both hold; of two whole schemas its own.
type OverrideFile struct {
	// Name and Data are the file's, for the places of what is wrong.
	Name string
	Data []byte
	// Overrides are in the order in which they apply.
	Overrides []Override
	// ReportUnused: the run is about all packages that the file is for, so that what
	// no kind reaches is reported.
	ReportUnused bool
}

// Override is one marker of an [OverrideFile].
type Override struct {
	// Marker is schemagen:type or schemagen:descriptions.
	Marker string
	// Argument is the type or the packages, Value a marker or a policy of
	// descriptions.
	Argument, Value string
	// ArgumentOffset and ValueOffset are where these begin in the file, in bytes.
	ArgumentOffset, ValueOffset int
}

// overridesOf adds the file to the places of the run and returns what it says.
func (w *Run) overridesOf(f *OverrideFile) []*override {
	if f == nil || len(f.Overrides) == 0 {
		return nil
	}
	place := w.AddFile(f.Name, f.Data)
	at := func(offset int) token.Pos { return place.Pos(min(offset, len(f.Data))) }
	// Markers belong to a package: to one that has nothing else.
	p := w.EmptyPackage()
	w.facts[p] = &packageFacts{features: w.options.Enable}
	var out []*override
	for _, o := range f.Overrides {
		m := markers.NewTag(o.Marker, o.Argument, o.Value, at(o.ArgumentOffset), at(o.ValueOffset))
		out = append(out, &override{pkg: p, marker: m, tag: m.Value.(markers.Tag), everywhere: true, quiet: !f.ReportUnused})
	}
	return out
}

// checkOverrideFile reports what the file says to no effect.
func (w *Run) checkOverrideFile(overrides []*override) {
	for _, o := range overrides {
		inner, ok := o.marker.Inner()
		if ok && w.table.Lookup(inner.Text, markers.Type) == nil {
			w.Reporter.Report(report.MalformedArguments, o.pkg.At(inner.Pos), "", "+%s: %s is no marker of types", o.marker.Name, inner.Text)
			continue
		}
		checkOverride(w.Reporter, o)
	}
}

// reportUnused reports an override that reaches nothing.
func reportUnused(r *report.Reporter, o *override) {
	if o.quiet {
		return
	}
	whose := "package"
	if o.everywhere {
		whose = "run"
	}
	r.Report(report.UnusedOverride, o.pkg.At(o.marker.ArgumentPos()), "write import paths in full, as in k8s.io/api/core/v1.Container",
		"+%s: no kind of this %s reaches %s", o.marker.Name, whose, o.tag.Argument)
}
