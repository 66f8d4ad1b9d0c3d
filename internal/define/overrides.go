package define

import (
	"cmp"
	"go/ast"
	"strings"

	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file implements the markers with which a package changes types and descriptions of
// other packages.

// override is a marker of a package about types or descriptions of other packages. It
// applies to the schemas of the package's own kinds.
type override struct {
	pkg    *source.Package
	marker *markers.Marker
	tag    markers.Tag
	// global is set if the override applies to the whole run rather than one package.
	global bool
	// quiet suppresses the finding about an unused override.
	quiet bool
	used  bool
}

// overridden returns the override that replaces the schema of a type, or nil.
func (b *Builder) overridden(t *source.Type) *override {
	var everywhere *override
	for _, o := range b.overrides {
		if inner, ok := o.markerFor(t); ok && strings.HasPrefix(inner.Text, "+"+markers.SchemaName+"=") {
			if !o.global {
				return o
			}
			everywhere = cmp.Or(everywhere, o)
		}
	}
	return everywhere
}

// markerFor returns the marker that the override adds to a type. ok is false if it is for
// another type.
func (o *override) markerFor(t *source.Type) (markers.Comment, bool) {
	if o.marker.Name != markers.TypeName || o.tag.Argument != t.Pkg.Path+"."+t.Spec.Name.Name {
		return markers.Comment{}, false
	}
	o.used = true
	return o.marker.Inner()
}

// overrideEdits returns the edits of a type that result from the overrides of the kinds'
// package.
func (b *Builder) overrideEdits(t *source.Type) []*edits.Edit {
	var out []*edits.Edit
	for _, o := range b.overrides {
		c, ok := o.markerFor(t)
		if !ok {
			continue
		}
		set, _ := b.Run.ParseMarkers(o.pkg, []markers.Comment{c}, markers.Type)
		if len(set) == 0 {
			continue
		}
		if set[0].Stage() == markers.BeforeMerge {
			out = append(out, &edits.Edit{Pkg: o.pkg, Pos: set[0].Pos, Name: set[0].Name, Op: edits.SetMarkers{Set: set}})
		} else {
			out = append(out, b.Run.edits.Own(o.pkg, set)...)
		}
	}
	return out
}

// CheckOverrides reports overrides of a package that have no effect.
func (run *Run) CheckOverrides(p *source.Package) {
	for _, o := range run.Describe(p).overrides {
		run.checkOverride(o)
	}
}

func (run *Run) checkOverride(o *override) {
	r := run.Reporter
	m := o.marker
	_, hasMarker := m.Inner()
	_, badPolicy := edits.ParseDescriptionPolicy(o.tag.Value)
	switch {
	case m.Name == markers.TypeName && !hasMarker:
		r.Report(report.MalformedArguments, o.pkg.At(m.ValuePos(0)), "as in +schemagen:type(k8s.io/api/core/v1.Container)=+schemagen:at(.ports)=+optional",
			"+%s: expected a marker after the equals sign", m.Name)
	case m.Name == markers.DescriptionsName && badPolicy != nil:
		r.Report(report.MalformedArguments, o.pkg.At(m.ValuePos(0)), "", "+%s: %v", m.Name, badPolicy)
	case !o.used && !run.erases(o.tag.Argument):
		reportUnused(r, o)
	}
}

// erases reports whether conditions remove a type, which is given as PACKAGE.TYPE, or a field
// of that type.
func (run *Run) erases(typ string) bool {
	_, name, _ := strings.Cut(typ[strings.LastIndexByte(typ, '/')+1:], ".")
	for p := range run.Packages() {
		for _, f := range p.Sources {
			for _, erased := range f.Erased {
				if erased.Name == name && p.Path+"."+name == typ {
					return true
				}
				field, ok := erased.Node.(*ast.Field)
				found := false
				if ok {
					ast.Inspect(field.Type, func(n ast.Node) bool {
						id, ok := n.(*ast.Ident)
						found = found || ok && id.Name == name
						return !found
					})
				}
				if found {
					return true
				}
			}
		}
	}
	return false
}

// description returns the text after the description policies of the kinds' package. from
// is the package that declares the text.
func (b *Builder) description(text string, sourcePackage *source.Package) string {
	for _, o := range b.overrides {
		if o.marker.Name != markers.DescriptionsName || !matchesPackage(o.tag.Argument, sourcePackage.Path) {
			continue
		}
		o.used = true
		// CheckOverrides reports malformed policies.
		if policy, err := edits.ParseDescriptionPolicy(o.tag.Value); err == nil {
			text = policy.Apply(text)
		}
	}
	return text
}

// matchesPackage reports whether a pattern, which is an import path that may end in /...,
// matches a package. An empty pattern matches all packages.
func matchesPackage(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	}
	return pattern == "" || pattern == path
}
