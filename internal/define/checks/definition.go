package checks

import (
	"path/filepath"
	"strings"
	"unicode"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Definition is a CustomResourceDefinition that is ready to be rendered.
type Definition struct {
	crd.Generated

	// Own is the metadata that markers set. Object also has that of the run.
	Own Metadata
	// Flawed is set if errors outside the schemas have been reported.
	Flawed bool
	// Conversion is the marker that configures conversion between versions; nil if there is
	// none.
	Conversion *markers.Marker
	// Text is the content of the file; nil if it is not written. Then Draft, unless it is nil, is
	// what its content would be.
	Text, Draft []byte
	// Undescribed identifies the definition apart from its descriptions, unless it is empty.
	Undescribed string
	// Roots are the root types of Object.Spec.Versions, by index.
	Roots []*source.Type
}

// Metadata are annotations and labels.
type Metadata struct{ Annotations, Labels map[string]string }

// FileName returns the name of the file that the definition is written to.
func (c *Definition) FileName() string {
	return FileName(c.Object.Spec.Group, c.Object.Spec.Names.Plural)
}

// SchemaOf returns the schema of a version, or nil.
func (c *Definition) SchemaOf(version string) *structural.Schema {
	for i, v := range c.Object.Spec.Versions {
		if v.Name == version {
			return c.Schemas[i]
		}
	}
	return nil
}

// FileName returns the name of the file for the definition of a resource.
func FileName(group, plural string) string { return group + "_" + plural + ".yaml" }

// IsFileName reports whether a name is a valid file name on all systems, and not a path.
func IsFileName(name string) bool {
	return !strings.ContainsAny(name, `/\`) && filepath.IsLocal(name) && !strings.ContainsFunc(name, unicode.IsControl)
}
