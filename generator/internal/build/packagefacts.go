package build

import (
	"reflect"
	"slices"

	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// sourceMarkers parses the markers of packages and declarations, with the options
// that hold for each package.
type sourceMarkers struct {
	table    *markers.Table
	reporter *report.Reporter
	options  *Options
	// facts are what packages say, and settings the options for them, once asked for.
	facts    map[*source.Package]*packageFacts
	settings map[*source.Package]*PackageOptions
}

// ParseMarkers parses comments with the definitions for a target. Those whose
// arguments cannot be parsed are reported, and named.
func (s *sourceMarkers) ParseMarkers(p *source.Package, comments []markers.Comment, target markers.Target) (set source.Markers, bad source.Malformed) {
	if len(comments) == 0 {
		return nil, nil
	}
	out := make(source.Markers, 0, len(comments))
	for _, comment := range comments {
		comment.Text = s.corrected(comment)
		def := s.table.Lookup(comment.Text, target)
		if def == nil {
			continue
		}
		if feature := def.Feature(); feature != "" && !s.Enabled(p, feature) {
			continue
		}
		marker, err := s.table.ParseAs(def, comment)
		switch {
		case err != nil:
			s.reporter.MarkerArguments(p, comment, err)
			bad = append(bad, def)
		default:
			out = append(out, marker)
		}
	}
	return out, bad
}

// mistakeOf is what the schema lacks by them: nothing by those about the definition.
func mistakeOf(m source.Malformed) structural.Mistake {
	for _, def := range m {
		switch reflect.Zero(def.Output).Interface().(type) {
		case specMarker, objectMarker:
		default:
			return structural.InKeywords
		}
	}
	return structural.NoMistake
}

// packageFacts is what a package's markers say about it.
type packageFacts struct {
	// group and version are set by groupName and versionName; grouped says
	// whether there is a groupName at all (its value may be empty).
	group, version string
	grouped        bool
	// Skip: the package has no types.
	Skip      bool
	malformed source.Malformed
	// optional: fields are optional unless they say otherwise.
	optional bool
	// unions are the forms in which unions are written; nil if it does not say.
	unions []unions.Form
	// conversion is how versions of its kinds are converted; nil if it does not say.
	conversion *markers.Marker
	// features are switched on, by the package or for the run.
	features []string
	// allow are markers that the package wants to be left alone.
	allow []string
	// overrides say what its kinds make of types and descriptions elsewhere.
	overrides []*override
}

// Enabled reports whether a feature is switched on for the package: only in the
// user's own.
func (s *sourceMarkers) Enabled(p *source.Package, feature string) bool {
	return p.Local() && slices.Contains(s.Describe(p).features, feature)
}

// Allowed returns the markers that a package wants to be left alone.
func (s *sourceMarkers) Allowed(p *source.Package) []string { return s.Describe(p).allow }

// Describe reads the package markers once. A version without a group means nothing.
func (s *sourceMarkers) Describe(p *source.Package) *packageFacts {
	if facts := s.facts[p]; facts != nil {
		return facts
	}
	p.Index()
	facts := &packageFacts{}
	s.facts[p] = facts
	var all source.Markers
	for _, f := range p.Sources {
		if !f.MentionsPackage {
			continue
		}
		f.Parse()
		if f.Syntax != nil {
			set, bad := s.ParseMarkers(p, f.Comments.Package, markers.Package)
			all = append(all, set...)
			facts.malformed = append(facts.malformed, bad...)
		}
	}
	for _, m := range all {
		switch value := m.Value.(type) {
		case markers.Enable:
			for _, feature := range value {
				s.checkFeature(p, m, feature)
			}
			facts.features = append(facts.features, value...)
		case markers.Unions:
			facts.unions = s.unionForms(p, m, value)
		case markers.Allow:
			facts.allow = append(facts.allow, value...)
		case markers.Tag:
			facts.overrides = append(facts.overrides, &override{pkg: p, marker: m, tag: value})
		}
	}
	facts.conversion = all.Get(markers.ConversionName)
	facts.features = append(facts.features, s.settingsOf(p).Enable...)
	facts.allow = append(facts.allow, s.settingsOf(p).Allow...)
	facts.Skip = all.Get(markers.SkipName) != nil
	facts.optional = all.Get(markers.OptionalName) != nil
	if group := all.Get(markers.GroupName); group != nil {
		facts.grouped = true
		facts.group, _ = group.Value.(string)
		facts.version = p.Name
		if version := all.Get(markers.VersionName); version != nil {
			facts.version, _ = version.Value.(string)
		}
	}
	return facts
}
