package define

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/unions"
)

// PackageOptions override options of the run for some of the user's packages. Markers in
// the source of a package take precedence over both.
type PackageOptions struct {
	// Pattern selects the packages: an import path or an absolute directory, which may end
	// in /... as for the go command.
	Pattern string
	// Enable and Allow are added to those of the run.
	Enable, Allow []string
	// Unions overrides that of [Language] unless it is empty.
	Unions string
	// MaxDescription overrides that of [Output] for the kinds of the packages unless it is
	// nil.
	MaxDescription *int
	// AllowDangerousTypes and IgnoreUnexportedFields override those of [Language] for
	// declarations in the packages unless they are nil.
	AllowDangerousTypes, IgnoreUnexportedFields *bool
}

// settingsOf returns the options for a package: those of the run, overridden in order by
// those whose pattern matches the package.
func (s *sourceMarkers) settingsOf(p *source.Package) *PackageOptions {
	if settings := s.settings[p]; settings != nil {
		return settings
	}
	o := s.options
	settings := &PackageOptions{
		Enable: o.Enable, Allow: o.Allow, Unions: o.Unions, MaxDescription: o.MaxDescription,
		AllowDangerousTypes: &o.AllowDangerousTypes, IgnoreUnexportedFields: &o.IgnoreUnexportedFields,
	}
	s.settings[p] = settings
	if !p.Local() {
		return settings
	}
	for _, more := range o.Packages {
		if len(p.Files) == 0 || !more.Selects(p.Path, filepath.Dir(p.Files[0])) {
			continue
		}
		settings.Enable = slices.Concat(settings.Enable, more.Enable)
		settings.Allow = slices.Concat(settings.Allow, more.Allow)
		settings.Unions = cmp.Or(more.Unions, settings.Unions)
		settings.MaxDescription = cmp.Or(more.MaxDescription, settings.MaxDescription)
		settings.AllowDangerousTypes = cmp.Or(more.AllowDangerousTypes, settings.AllowDangerousTypes)
		settings.IgnoreUnexportedFields = cmp.Or(more.IgnoreUnexportedFields, settings.IgnoreUnexportedFields)
	}
	return settings
}

// Selects reports whether the pattern matches a package, which is given by its import path and
// its absolute directory.
func (o *PackageOptions) Selects(path, dir string) bool {
	if filepath.IsAbs(o.Pattern) {
		return matchesPackage(filepath.ToSlash(o.Pattern), filepath.ToSlash(dir))
	}
	return matchesPackage(o.Pattern, path)
}

// unionForms returns the default forms of unions, or nil if unions are not enabled.
func (o *PackageOptions) unionForms() []unions.Form {
	if o.Unions == "" {
		return nil
	}
	forms, err := unions.ParseForms(o.Unions)
	if err != nil {
		return nil // the options were checked before
	}
	return forms
}

// unionForms parses the forms of unions in a marker of a package or type. It reports
// errors.
func (s *sourceMarkers) unionForms(p *source.Package, m *markers.Marker, value markers.Unions) []unions.Form {
	forms, err := unions.ParseForms(strings.Join(value, ";"))
	if err == nil {
		err = writable(forms)
	}
	if err != nil {
		s.reporter.Report(report.MalformedArguments, p.At(m.Pos), "", "+%s: %v", m.Name, err)
		return []unions.Form{unions.FormNone}
	}
	return forms
}

// CheckUnions returns an error if text is not a valid value of Unions in [Language].
func CheckUnions(text string) error {
	if text == "" {
		return nil
	}
	forms, err := unions.ParseForms(text)
	if err != nil {
		return err
	}
	return writable(forms)
}

// writable returns an error for forms that cannot be written to a CRD.
func writable(forms []unions.Form) error {
	for _, form := range forms {
		if form == unions.FormExtension || form == unions.FormExtensionObject {
			return fmt.Errorf("%s is not written into CRDs: API servers do not know x-kubernetes-unions", form)
		}
	}
	return nil
}

// UnionForms returns the forms of unions for a type, or nil if unions are not enabled.
func (s *sourceMarkers) UnionForms(t *source.Type) []unions.Form {
	if m := t.Markers.Get(markers.UnionsName); m != nil {
		return s.unionForms(t.Pkg, m, m.Value.(markers.Unions))
	}
	if forms := s.Describe(t.Pkg).unions; forms != nil {
		return forms
	}
	return s.settingsOf(t.Pkg).unionForms()
}
