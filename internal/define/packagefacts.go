package define

import (
	"reflect"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/unions"
)

// sourceMarkers parses the markers of packages and declarations, using the options of each
// package.
type sourceMarkers struct {
	table    *markers.Table
	reporter *report.Reporter
	options  *Options
	// facts are the facts of packages and settings the options for them, both computed on
	// demand.
	facts    map[*source.Package]*packageFacts
	settings map[*source.Package]*PackageOptions
	// corrected are the markers that are read as if they were spelled correctly.
	corrected []correction
}

// ParseMarkers implements [source.MarkerParser]. It reports markers whose arguments cannot
// be parsed.
func (s *sourceMarkers) ParseMarkers(pkg *source.Package, comments []markers.Comment,
	target markers.Target) (set source.Markers, bad source.Malformed) {
	if len(comments) == 0 {
		return nil, nil
	}
	out := make(source.Markers, 0, len(comments))
	for _, comment := range comments {
		comment.Text = s.Corrected(comment)
		def := s.table.Lookup(comment.Text, target)
		if def == nil {
			continue
		}
		if def.IsCondition() {
			continue // of another module, or reported: see package erasure
		}
		if feature := def.Feature(); feature != "" && !s.Enabled(pkg, feature) {
			continue
		}
		marker, err := s.parseStable(def, comment, target)
		switch {
		case err != nil:
			s.reporter.MarkerArguments(pkg, comment, err)
			bad = append(bad, def)
		default:
			out = append(out, marker)
		}
	}
	return out, bad
}

// parseStable parses a marker. A tag after +k8s:beta= has the effect that it has alone, so that
// it is found by its own name.
func (s *sourceMarkers) parseStable(
	def *markers.Definition, comment markers.Comment, target markers.Target,
) (*markers.Marker, error) {
	marker, err := s.table.ParseAs(def, comment)
	if err != nil || marker.Name != markers.TagBetaName {
		return marker, err
	}
	inner, ok := marker.Inner()
	if !ok {
		return marker, nil
	}
	def = s.table.Lookup(inner.Text, target)
	if def == nil || !strings.HasPrefix(def.Name, "k8s:") {
		return marker, nil
	}
	return s.parseStable(def, inner, target)
}

// mistakeOf returns how malformed markers affect the schema. Markers about the definition
// do not affect it.
func mistakeOf(m source.Malformed) notes.Mistake {
	for _, def := range m {
		switch reflect.Zero(def.Output).Interface().(type) {
		case specMarker, objectMarker:
		default:
			return notes.InKeywords
		}
	}
	return notes.NoMistake
}

// packageFacts are the facts that the markers of a package state about it.
type packageFacts struct {
	// group and version are the values of +groupName and +versionName. grouped reports
	// whether there is a +groupName, whose value may be empty.
	group, version string
	grouped        bool
	// Skip is set if the types of the package are ignored.
	Skip      bool
	malformed source.Malformed
	// optional is set if fields are optional by default.
	optional bool
	// unions are the forms in which unions are written; nil if the package does not specify
	// them.
	unions []unions.Form
	// conversion is the marker that configures the conversion of its kinds, or nil.
	conversion *markers.Marker
	// features are the features enabled by the package or for the run.
	features []string
	// allow lists markers that are not reported.
	allow []string
	// overrides are the package's markers about types and descriptions of other packages.
	overrides []*override
}

// Enabled reports whether a feature is enabled for the package. Features are only enabled
// in the user's packages.
func (s *sourceMarkers) Enabled(p *source.Package, feature string) bool {
	return p.Local() && slices.Contains(s.Describe(p).features, feature)
}

// EnabledEarly is like [sourceMarkers.Enabled] for conditions, which are applied before the package
// is described.
func (s *sourceMarkers) EnabledEarly(p *source.Package, feature string) bool {
	if slices.Contains(s.settingsOf(p).Enable, feature) {
		return true
	}
	for _, f := range p.Sources {
		if !f.MentionsPackage {
			continue
		}
		tree, err := f.Tree()
		if err != nil {
			continue // reported when the file is parsed
		}
		for _, c := range s.table.Collect(tree).Package {
			c.Text = s.Corrected(c)
			m, err := s.table.Parse(c, markers.Package)
			if err != nil || m == nil {
				continue // reported when the package is described
			}
			if value, ok := m.Value.(markers.Enable); ok && slices.Contains(value, feature) {
				return true
			}
		}
	}
	return false
}

// Allowed returns the markers that are not reported in a package.
func (s *sourceMarkers) Allowed(p *source.Package) []string { return s.Describe(p).allow }

// Describe returns the facts of a package. It reads them once. A version without a group
// has no effect.
func (s *sourceMarkers) Describe(pkg *source.Package) *packageFacts {
	if facts := s.facts[pkg]; facts != nil {
		return facts
	}
	pkg.Index()
	facts := &packageFacts{}
	s.facts[pkg] = facts
	var all source.Markers
	for _, f := range pkg.Sources {
		if !f.MentionsPackage {
			continue
		}
		f.Parse()
		if f.Syntax != nil {
			set, bad := s.ParseMarkers(pkg, f.Comments.Package, markers.Package)
			all = append(all, set...)
			facts.malformed = append(facts.malformed, bad...)
		}
	}
	for _, m := range all {
		switch value := m.Value.(type) {
		case markers.Enable:
			for _, feature := range value {
				s.checkFeature(pkg, m, feature)
			}
			facts.features = append(facts.features, value...)
		case markers.Unions:
			facts.unions = s.unionForms(pkg, m, value)
		case markers.Allow:
			facts.allow = append(facts.allow, value...)
		case markers.Tag:
			facts.overrides = append(facts.overrides, &override{pkg: pkg, marker: m, tag: value})
		}
	}
	facts.conversion = all.Get(markers.ConversionName)
	facts.features = append(facts.features, s.settingsOf(pkg).Enable...)
	facts.allow = append(facts.allow, s.settingsOf(pkg).Allow...)
	facts.Skip = all.Get(markers.SkipName) != nil
	facts.optional = all.Get(markers.OptionalName) != nil
	if group := all.Get(markers.GroupName); group != nil {
		facts.grouped = true
		facts.group, _ = group.Value.(string)
		facts.version = pkg.Name
		if version := all.Get(markers.VersionName); version != nil {
			facts.version, _ = version.Value.(string)
		}
	}
	return facts
}
