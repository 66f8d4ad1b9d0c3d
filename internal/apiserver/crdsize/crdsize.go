// Package crdsize measures CustomResourceDefinitions as JSON, and has the limits of the ways to
// install them.
package crdsize

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/structural"
)

// The limits, in bytes of JSON.
const (
	// AnnotationLimit is the maximum total size of an object's annotations; kubectl apply
	// stores the whole object in one.
	AnnotationLimit = 262144
	// HelmLimit is the maximum size of a Secret, in which Helm stores a release.
	HelmLimit = 1 << 20
	// RequestLimit is the default maximum size of an etcd request.
	RequestLimit = 3 << 19
)

// Sizes measures definitions as JSON. A node that several schemas share is measured once. Its zero value is
// ready for use, also concurrently.
type Sizes struct{ nodes sync.Map }

// Of returns the number of bytes that a definition takes as JSON.
func (m *Sizes) Of(d *crd.Definition) (int, error) {
	d, err := d.Completed()
	if err != nil {
		return 0, err
	}
	object := d.Provenance().Header
	if object == nil || len(d.Unsupported) > 0 || slices.Contains(d.Schemas, nil) {
		complete := d.CRD
		if complete == nil {
			complete = d.Build()
		}
		data, err := json.Marshal(complete)
		return len(data), err
	}
	// Schemas are measured apart from the rest, where they are {}.
	const empty = len(`{}`)
	rest := *object
	rest.Spec.Versions = slices.Clone(object.Spec.Versions)
	for i := range rest.Spec.Versions {
		rest.Spec.Versions[i].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{}}
	}
	data, err := json.Marshal(&rest)
	if err != nil {
		return 0, err
	}
	n := len(data)
	for _, schema := range d.Schemas {
		node := m.Schema(schema)
		if node.failure != nil {
			return 0, node.failure
		}
		n += node.exact - empty
	}
	return n, nil
}

// Node is the size of a node of a schema.
type Node struct {
	// exact is the size of its JSON. bytes counts the names of parts in a simpler way, and a part
	// that has no JSON as nothing; failure is the reason.
	exact, bytes int
	failure      error
	// Descriptions is the number of bytes in its descriptions.
	Descriptions int
	parts        []part // the largest first
}

// part is a part of a schema with its size in bytes.
type part struct {
	name  string
	bytes int
	*Node
}

// Schema returns the size of a schema and of its parts.
func (m *Sizes) Schema(s *structural.Schema) *Node {
	if known, ok := m.nodes.Load(s); ok {
		return known.(*Node)
	}
	own := structural.Schema{Generic: s.Generic, Extensions: s.Extensions, ValueValidation: s.ValueValidation}
	data, err := json.Marshal(own.Props())
	out := &Node{exact: len(data), bytes: len(data), failure: err, Descriptions: len(s.Description)}
	keys := 0
	if string(data) != "{}" {
		keys = 1
	}
	// key adds a key of the node with a value; only the first key has no comma.
	key := func(name string, bytes int) {
		out.exact += len(`"":`) + len(name) + bytes + min(keys, 1)
		keys++
	}
	add := func(name string, child *Node, more int) {
		out.parts = append(out.parts, part{name, child.bytes + more, child})
		out.bytes += child.bytes + more
		out.Descriptions += child.Descriptions
		out.failure = cmp.Or(out.failure, child.failure)
	}
	if len(s.Properties) > 0 {
		object := len(`{}`) + len(s.Properties) - 1
		for _, p := range s.Properties {
			child := m.Schema(p.Schema)
			name, err := json.Marshal(p.Name)
			out.failure = cmp.Or(out.failure, err)
			object += len(name) + len(`:`) + child.exact
			add("."+p.Name, child, len(p.Name)+len(`"":,`))
		}
		key("properties", object)
	}
	if s.Items != nil {
		child := m.Schema(s.Items)
		key("items", child.exact)
		add("[]", child, 0)
	}
	switch a := s.AdditionalProperties; {
	case a == nil:
	case a.Schema != nil:
		child := m.Schema(a.Schema)
		key("additionalProperties", child.exact)
		add("{}", child, 0)
	default:
		key("additionalProperties", len(strconv.FormatBool(a.Bool)))
	}
	slices.SortStableFunc(out.parts, func(a, b part) int { return b.bytes - a.bytes })
	m.nodes.Store(s, out)
	return out
}

// Part is a part of a schema. Path is empty for the whole schema.
type Part struct {
	Path  string
	Bytes int
}

// Largest returns the parts that take at least a twelfth of the total without their own large
// parts, the largest first. A reader who shortens them makes the definition smaller.
func (n *Node) Largest(total int) []Part {
	out := part{"", n.bytes, n}.largest("", total)
	slices.SortStableFunc(out, func(a, b Part) int { return b.Bytes - a.Bytes })
	return out
}

func (p part) largest(path string, total int) []Part {
	path += p.name
	rest := p.bytes
	var out []Part
	for _, child := range p.parts {
		if child.bytes*12 >= total {
			rest -= child.bytes
			out = append(out, child.largest(path, total)...)
		}
	}
	if rest*12 >= total {
		out = append(out, Part{path, p.bytes})
	}
	return out
}
