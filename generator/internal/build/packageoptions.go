package build

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/unions"
)

// PackageOptions are what differs for some of the user's packages from the options
// of the run. What a package's source says of itself comes before both.
type PackageOptions struct {
	// Pattern names the packages: an import path, or an absolute directory, which
	// may end in /... as for the go command.
	Pattern string
	// Enable and Allow are added to those of the run.
	Enable, Allow []string
	// Unions is as that of [Options]; empty leaves it to the run.
	Unions string
	// MaxDescription limits the descriptions in the schemas of the packages' kinds,
	// as that of [Options]; nil leaves it to the run.
	MaxDescription *int
	// AllowDangerousTypes and IgnoreUnexportedFields are about what the packages'
	// source declares; nil leaves them to the run.
	AllowDangerousTypes, IgnoreUnexportedFields *bool
}

// settingsOf returns the options for a package: those of the run, changed in order by
// those of the packages that it is one of.
func (s *sourceMarkers) settingsOf(p *source.Package) *PackageOptions {
	if said := s.settings[p]; said != nil {
		return said
	}
	o := s.options
	said := &PackageOptions{
		Enable: o.Enable, Allow: o.Allow, Unions: o.Unions, MaxDescription: o.MaxDescription,
		AllowDangerousTypes: &o.AllowDangerousTypes, IgnoreUnexportedFields: &o.IgnoreUnexportedFields,
	}
	s.settings[p] = said
	if !p.Local() {
		return said
	}
	for _, more := range o.Packages {
		if !isOneOf(p, more.Pattern) {
			continue
		}
		said.Enable = slices.Concat(said.Enable, more.Enable)
		said.Allow = slices.Concat(said.Allow, more.Allow)
		said.Unions = cmp.Or(more.Unions, said.Unions)
		said.MaxDescription = cmp.Or(more.MaxDescription, said.MaxDescription)
		said.AllowDangerousTypes = cmp.Or(more.AllowDangerousTypes, said.AllowDangerousTypes)
		said.IgnoreUnexportedFields = cmp.Or(more.IgnoreUnexportedFields, said.IgnoreUnexportedFields)
	}
	return said
}

// isOneOf reports whether a pattern, an import path or an absolute directory, stands
// for the package.
func isOneOf(p *source.Package, pattern string) bool {
	if filepath.IsAbs(pattern) {
		return len(p.Files) > 0 && matchesPackage(filepath.ToSlash(pattern), filepath.ToSlash(filepath.Dir(p.Files[0])))
	}
	return matchesPackage(pattern, p.Path)
}

// unionForms are the forms of unions where the source does not say; nil where
// nobody switched them on.
func (o *PackageOptions) unionForms() []unions.Form {
	if o.Unions == "" {
		return nil
	}
	forms, err := unions.ParseForms(o.Unions)
	if err != nil {
		return nil // the options were checked
	}
	return forms
}

// unionForms reads the forms in which a package or type wants unions written.
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

// CheckUnions says what is wrong with [Options.Unions].
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

// writable refuses forms that a CRD cannot carry.
func writable(forms []unions.Form) error {
	for _, form := range forms {
		if form == unions.FormExtension || form == unions.FormExtensionObject {
			return fmt.Errorf("%s is not written into CRDs: API servers do not know x-kubernetes-unions", form)
		}
	}
	return nil
}

// UnionForms returns the forms for a type; nil where nobody switched unions on.
func (s *sourceMarkers) UnionForms(t *source.Type) []unions.Form {
	if m := t.Markers.Get(markers.UnionsName); m != nil {
		return s.unionForms(t.Pkg, m, m.Value.(markers.Unions))
	}
	if forms := s.Describe(t.Pkg).unions; forms != nil {
		return forms
	}
	return s.settingsOf(t.Pkg).unionForms()
}
