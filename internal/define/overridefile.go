package define

import (
	"fmt"
	"go/token"
	"path/filepath"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
)

// OverrideFile is a file other than Go source with the markers schemagen:type and
// schemagen:descriptions, which otherwise belong to a package clause. They apply to the
// kinds of all packages, in addition to the markers of each package; if both replace the
// schema of a type, the package takes precedence.
type OverrideFile struct {
	// Name and Data are the name and the content of the file, for positions in diagnostics.
	Name string
	Data []byte
	// Overrides are the markers, in the order in which they apply.
	Overrides []Override
	// ReportUnused reports overrides that no kind uses. It is set if the run covers every
	// package that the file is for.
	ReportUnused bool
}

// Override is one marker in an [OverrideFile].
type Override struct {
	// Marker is the name: schemagen:type or schemagen:descriptions.
	Marker string
	// Argument is the type, or the pattern of packages. Value is a marker, or a policy for
	// descriptions.
	Argument, Value string
	// ArgumentOffset and ValueOffset are the byte offsets of the two in the file.
	ArgumentOffset, ValueOffset int
}

// overridesOf adds the file to the file set of the run and returns its overrides.
func (run *Run) overridesOf(f *OverrideFile) []*override {
	if f == nil || len(f.Overrides) == 0 {
		return nil
	}
	file := run.AddFile(f.Name, f.Data)
	pos := func(offset int) token.Pos { return file.Pos(min(offset, len(f.Data))) }
	// Every marker belongs to a package: these to an empty one.
	p := run.EmptyPackage()
	run.facts[p] = &packageFacts{features: run.Options.Enable}
	var out []*override
	for _, o := range f.Overrides {
		m := markers.NewTag(o.Marker, o.Argument, o.Value, pos(o.ArgumentOffset), pos(o.ValueOffset))
		out = append(out, &override{pkg: p, marker: m, tag: m.Value.(markers.Tag), global: true, quiet: !f.ReportUnused})
	}
	return out
}

// checkOverrideFile reports overrides of the file that have no effect.
func (run *Run) checkOverrideFile(overrides []*override) {
	for _, o := range overrides {
		inner, ok := o.marker.Inner()
		if ok && run.Table.Lookup(inner.Text, markers.Type) == nil {
			run.Reporter.Report(report.MalformedArguments, o.pkg.At(inner.Pos), "", "+%s: %s is not a marker for types", o.marker.Name, inner.Text)
			continue
		}
		if ok && run.refusesCondition(o, inner) {
			continue
		}
		run.checkOverride(o)
	}
}

// refusesCondition reports a condition on gates in a marker of the file, or behind that, and
// whether there is one. Only conditions in Go are applied.
func (run *Run) refusesCondition(o *override, c markers.Comment) bool {
	for {
		m, err := run.Table.Parse(c, markers.Type)
		if err != nil || m == nil {
			return false // reported otherwise
		}
		if _, ok := m.Value.(markers.When); ok {
			run.Reporter.Report(report.NotConditional, o.pkg.At(c.Pos), fmt.Sprintf("write it above the package clause, behind +%s(%s)=", o.marker.Name, o.tag.Argument),
				"a marker in %s cannot be conditional", filepath.Base(run.Options.Overrides.Name))
			return true
		}
		var ok bool
		c, ok = m.Inner()
		if !ok {
			return false
		}
	}
}

// reportUnused reports an override that no kind uses.
func reportUnused(r *report.Reporter, o *override) {
	if o.quiet {
		return
	}
	whose := "package"
	if o.global {
		whose = "run"
	}
	r.Report(report.UnusedOverride, o.pkg.At(o.marker.ArgumentPos()), "write import paths in full, as in k8s.io/api/core/v1.Container",
		"+%s: no kind of this %s uses %s", o.marker.Name, whose, o.tag.Argument)
}
