package build

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/generator/internal/source"
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
