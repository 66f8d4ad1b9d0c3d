package conventions

import (
	"github.com/schemagen/schemagen/internal/markers"
)

// statusSubresource reports a kind with a status that is not a subresource, and the reverse.
func (p *pass) statusSubresource(r *root) {
	t := r.definition.Roots[r.version]
	version := r.definition.Object.Spec.Versions[r.version]
	has := r.definition.Schemas[r.version].PropertyIndex("status") >= 0
	is := version.Subresources != nil && version.Subresources.Status != nil
	switch {
	case has && !is:
		p.reportKind(r, "write // +"+markers.StatusSubresourceName, "the status of %s is not a subresource: users can write it, and controllers change the spec with it", t)
	case is && !has:
		p.reportKind(r, "add a field status, or remove +"+markers.StatusSubresourceName, "%s has the status subresource, but no status", t)
	}
}

// reportKind adds a finding about a version of a kind.
func (p *pass) reportKind(r *root, hint, format string, args ...any) {
	t := r.definition.Roots[r.version]
	d := p.Report(p.kind, t.Pkg.At(t.Spec.Name.Pos()), hint, format, args...)
	d.Off = false
	d.Subjects = []string{r.name()}
}

// preferredMarker reports controller-tools' names of markers that Kubernetes has, too.
func (p *pass) preferredMarker(f *field) {
	for _, m := range f.Markers {
		preferred := map[markers.Presence]string{markers.KubebuilderOptional: optional,
			markers.KubebuilderRequired: required}[m.Presence()]
		if preferred != "" {
			d := p.report(f, m.Pos, "write // "+preferred, "field %s: +%s has another name in Kubernetes: %s", f.name, m.Name, preferred)
			p.Delimit(d, m.End(), &markers.Edit{Pos: m.Pos, End: m.End(), New: preferred})
		}
	}
}
