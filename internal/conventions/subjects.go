package conventions

import (
	"go/token"
	"slices"

	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/structural"
)

// This file names what findings are about, so that those of two versions of the source can be
// compared: a field has the name of its Go type, which stays when the type is used elsewhere, and
// its paths in definitions, which stay when the type or its package is renamed.

// name returns the name of a version of a kind.
func (r *root) name() string {
	spec := &r.definition.Object.Spec
	return spec.Names.Kind + "." + spec.Group + "/" + spec.Versions[r.version].Name
}

// nameFields sets the subjects of fields.
func nameFields(fields []*field, definitions []*checks.Definition) {
	n := namer{fields: map[token.Pos]*field{}, without: map[*structural.Schema]bool{}}
	for _, f := range fields {
		n.fields[f.Pos] = f
		if f.owner.Decl != nil { // not an anonymous struct
			f.subjects = append(f.subjects, f.owner.Pkg.Path+"."+f.owner.Spec.Name.Name+"."+f.name)
		}
	}
	for _, d := range definitions {
		for i, s := range d.Schemas {
			n.walk(s, (&root{d, i}).name()+" ")
		}
	}
}

// namer adds the paths of fields to their subjects.
type namer struct {
	fields map[token.Pos]*field
	// without are the schemas that no field is in, such as those of other modules.
	without map[*structural.Schema]bool
}

// walk adds the paths of the fields below a schema. It reports whether there are any.
func (n *namer) walk(s *structural.Schema, path string) (found bool) {
	if s == nil || n.without[s] {
		return false
	}
	for _, p := range s.Properties {
		location := path + "." + p.Name
		if f := n.fields[p.Schema.Origin.Pos]; f != nil {
			found = true
			if !slices.Contains(f.subjects, location) {
				f.subjects = append(f.subjects, location)
			}
		}
		found = n.walk(p.Schema, location) || found
	}
	found = n.walk(s.Items, path+"[]") || found
	if s.AdditionalProperties != nil {
		found = n.walk(s.AdditionalProperties.Schema, path+"{}") || found
	}
	n.without[s] = !found
	return found
}
