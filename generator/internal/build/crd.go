package build

import (
	"path/filepath"
	"strings"
	"unicode"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
)

// Definition is one CustomResourceDefinition, ready to be rendered.
type Definition struct {
	crd.Generated

	// flawed: what stands beside the schemas has errors already.
	flawed bool
	// conversion is the marker that says how versions are converted; nil if none does.
	conversion *markers.Marker
	// Roots are the root types of Object.Spec.Versions, by index.
	Roots []*source.Type
}

// FileName is the name of the file that the definition is written to.
func (c *Definition) FileName() string {
	return FileName(c.Object.Spec.Group, c.Object.Spec.Names.Plural)
}

// FileName is the name of the file of the definition of a resource.
func FileName(group, plural string) string { return group + "_" + plural + ".yaml" }

// isFileName reports whether a name is one of a file, on any system, and not a path.
func isFileName(name string) bool {
	return !strings.ContainsAny(name, `/\`) && filepath.IsLocal(name) && !strings.ContainsFunc(name, unicode.IsControl)
}
