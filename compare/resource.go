package compare

import (
	"slices"

	"github.com/schemagen/schemagen/structural"
)

// isResource reports whether values have the fields that every resource has: the node is the root
// of both schemas, or an embedded resource in both.
func (p nodePair) isResource() bool {
	return p.field == "" || p.old.XEmbeddedResource && p.new.XEmbeddedResource
}

// resourceFields returns the fields that every resource has, although its schema need not specify
// them. The server neither prunes nor defaults them, so specifying one only restricts its values.
func resourceFields() []structural.Property {
	return []structural.Property{
		{Name: "apiVersion", Schema: ofType("string")},
		{Name: "kind", Schema: ofType("string")},
		{Name: "metadata", Schema: ofType("object")},
	}
}

// metadataFields returns the fields of metadata. A schema can restrict the first two at the root,
// and all of them in an embedded resource.
func metadataFields() []structural.Property {
	texts := ofType("object")
	texts.AdditionalProperties = &structural.SchemaOrBool{Schema: ofType("string")}
	fields := []structural.Property{{Name: "labels", Schema: texts}, {Name: "annotations", Schema: texts}}
	for _, name := range []string{"name", "generateName", "namespace"} {
		fields = append(fields, structural.Property{Name: name, Schema: ofType("string")})
	}
	return fields
}

func ofType(name string) *structural.Schema {
	return &structural.Schema{Generic: structural.Generic{Type: name}}
}

// specifyImplied adds to each node the implied fields that only the other one specifies, so that
// they are compared as unrestricted fields instead of as added and removed ones.
func (p *nodePair) specifyImplied() {
	var implied []structural.Property
	switch {
	case p.isResource():
		implied = resourceFields()
	case p.metadata:
		implied = metadataFields()
	}
	for _, f := range implied {
		switch specified := p.old.Property(f.Name) != nil; {
		case specified == (p.new.Property(f.Name) != nil):
		case specified:
			p.new.Properties = append(slices.Clip(p.new.Properties), f)
			p.impliedNew = append(p.impliedNew, f.Name)
		default:
			p.old.Properties = append(slices.Clip(p.old.Properties), f)
			p.impliedOld = append(p.impliedOld, f.Name)
		}
	}
}

// alwaysHas reports whether every value has a field, whatever the schema requires.
func (p nodePair) alwaysHas(name string) bool {
	return p.isResource() && (name == "apiVersion" || name == "kind" || name == "metadata" && p.field == "")
}
