package typegen

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// A groupVersion is a package to be written: one version of an API group.
type groupVersion struct {
	group, version string
	// dir is the absolute directory of the package.
	dir   string
	kinds []*kind
	// groupKinds are the kinds of the group, in all its versions.
	groupKinds []string
	// variables are the names of what the package declares besides types.
	variables struct{ groupVersion, schemeBuilder, addToScheme string }
	// types are the types in the order of the files.
	types []*goType
}

// A kind is one version of a definition.
type kind struct {
	definition *crd.Definition
	object     *apiextensionsv1.CustomResourceDefinition
	// index is the version's index in the definition.
	index  int
	schema *structural.Schema
	root   *goType
	// wanted is set if the kind is written; others take part only in the choice of names.
	wanted bool
}

// A goType is a struct, or a string type with constants.
type goType struct {
	name string
	// doc is the description of the type's own schema.
	doc string
	// anyDoc is set if every use of the type has a description of its own, so that the
	// type may have any.
	anyDoc bool
	// open is set if the objects preserve unknown fields, which a struct drops.
	open    bool
	markers []string
	fields  []*field
	// constants are the values of an enum; the type is a struct if it is nil.
	constants []constant
	// kind is set for root types.
	kind *kind

	body  digest
	paths []*step
	// same is the type that this one was merged into.
	same *goType
	// usedAt are the places that have the type.
	usedAt []place
	// usedBy are the kinds that use the type.
	usedBy []*kind
}

type constant struct{ name, value string }

// final returns the type that stands for t after merging.
func (t *goType) final() *goType {
	for t.same != nil {
		t = t.same
	}
	return t
}

// A field is a field of a struct.
type field struct {
	name, json string
	typ        expr
	required   bool
	// omit is the option of the JSON tag that omits the field: omitempty, omitzero or none.
	omit    string
	doc     string
	markers []string
	at      place
	// kept are the places of schemas that are written as they are.
	kept []place
}

// An expr is a Go type expression: a prefix, such as "[]" or "map[string]*", and a type that
// is declared in the package (typ), in another one (path, name), or predeclared (name).
type expr struct {
	prefix string
	typ    *goType
	path   string
	name   string
}

// A place identifies a node by the struct and the field that it belongs to and the rest of
// the path, "[*]" or "{*}" for each element. Equal structs share their places.
type place struct {
	body  digest
	field string
	rest  string
}

// A digest identifies a schema by its content.
type digest [sha256.Size]byte

// digests computes digests of schemas.
type digests struct{ bodies map[*structural.Schema]digest }

// body returns the digest of a schema without what a field adds to its type: description,
// default and nullable.
func (d *digests) body(schema *structural.Schema) digest {
	if out, ok := d.bodies[schema]; ok {
		return out
	}
	props := keywords.Of(schema).Props()
	props.Description = ""
	props.Default = nil
	props.Nullable = false
	props.Required = slices.Sorted(slices.Values(props.Required))
	text, _ := json.Marshal(props) // it was decoded from JSON
	h := sha256.New()
	h.Write(text)
	child := func(label string, c *structural.Schema) {
		h.Write([]byte("\x00" + label + "\x00"))
		sum := d.whole(c)
		h.Write(sum[:])
	}
	properties := slices.SortedFunc(slices.Values(schema.Properties),
		func(a, b structural.Property) int { return cmp.Compare(a.Name, b.Name) })
	for _, p := range properties {
		child("."+p.Name, p.Schema)
	}
	if schema.Items != nil {
		child("[*]", schema.Items)
	}
	if a := schema.AdditionalProperties; a != nil {
		if a.Schema != nil {
			child("{*}", a.Schema)
		} else if a.Bool {
			h.Write([]byte("any"))
		} else {
			h.Write([]byte("none"))
		}
	}
	out := digest(h.Sum(nil))
	d.bodies[schema] = out
	return out
}

// whole returns the digest of a schema with everything.
func (d *digests) whole(s *structural.Schema) digest {
	body := d.body(s)
	text, _ := json.Marshal(apiextensionsv1.JSONSchemaProps{Description: s.Description, Default: jsonOf(s.Default),
		Nullable: s.Nullable})
	return sha256.Sum256(append(body[:], text...))
}

func jsonOf(j *structural.JSON) *apiextensionsv1.JSON {
	if j == nil {
		return nil
	}
	return &apiextensionsv1.JSON{Raw: j.Raw}
}
