package verify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/structural"
)

// Size limits of the ways to install a CRD, in bytes of its JSON.
const (
	// AnnotationLimit is the maximum total size of an object's annotations; kubectl apply
	// stores the whole object in one.
	AnnotationLimit = 262144
	// helmLimit is the maximum size of a Secret, in which Helm stores a release.
	helmLimit = 1 << 20
	// RequestLimit is the default maximum size of an etcd request.
	RequestLimit = 3 << 19
)

// size warns about a CRD that is too large for some ways of installing it.
func (c *checks) size() {
	if !c.CheckSize {
		return
	}
	if c.partial && maxJSON(textOf(c.Definition)) <= AnnotationLimit {
		return
	}
	if c.Object == nil {
		c.complete()
	}
	n, err := c.measures.Of(c.Definition)
	if err != nil || n <= AnnotationLimit {
		return
	}
	limit := "kubectl apply cannot store it in an annotation (262,144 bytes); use kubectl apply --server-side"
	switch {
	case n > RequestLimit:
		limit = "etcd rejects requests over 1.5 MiB by default"
	case n > helmLimit:
		limit = "it does not fit into a Helm release (1 MiB), and kubectl apply cannot store it in an annotation"
	}
	c.add(tooLarge, "spec", c.sizes(n), "the CRD takes %d bytes as JSON: %s", n, limit)
}

// maxJSON returns an upper bound of the size of a YAML document as JSON. Where YAML has a line
// break and indentation, JSON has quotes, a comma and brackets; some characters are escaped with
// up to six.
func maxJSON(yaml []byte) int {
	n := len(yaml) + 200 // for an empty status, which is not written
	for _, b := range yaml {
		switch {
		case b == '\n':
			n += 4
		case b < ' ', b == '<', b == '>', b == '&', b == '"', b == '\\', b >= 0x80:
			n += 5
		}
	}
	return n
}

// Sizes measures definitions as JSON. What definitions share is measured once. Its zero value is
// ready for use, also concurrently.
type Sizes struct{ nodes sync.Map }

// Of returns the number of bytes that a definition takes as JSON.
func (m *Sizes) Of(d *crd.Definition) (int, error) {
	d, err := d.Completed()
	if err != nil {
		return 0, err
	}
	object := d.Object
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
		measured := m.measure(schema)
		if measured.failure != nil {
			return 0, measured.failure
		}
		n += measured.exact - empty
	}
	return n, nil
}

// measured is the size of a node.
type measured struct {
	// exact is that of its JSON. bytes counts the names of parts in a simpler way, and a part
	// that has no JSON as nothing; failure is the reason.
	exact, bytes int
	failure      error
	// descriptions is the number of bytes in its descriptions.
	descriptions int
	parts        []part // the largest first
}

// part is a part of a schema with its size in bytes.
type part struct {
	name  string
	bytes int
	*measured
}

// measure returns the size of a schema and of its parts.
func (m *Sizes) measure(s *structural.Schema) *measured {
	if known, ok := m.nodes.Load(s); ok {
		return known.(*measured)
	}
	own := structural.Schema{Generic: s.Generic, Extensions: s.Extensions, ValueValidation: s.ValueValidation}
	data, err := json.Marshal(own.Props())
	out := &measured{exact: len(data), bytes: len(data), failure: err, descriptions: len(s.Description)}
	keys := 0
	if string(data) != "{}" {
		keys = 1
	}
	// key adds a key of the node with a value; only the first key has no comma.
	key := func(name string, bytes int) {
		out.exact += len(`"":`) + len(name) + bytes + min(keys, 1)
		keys++
	}
	add := func(name string, child *measured, more int) {
		out.parts = append(out.parts, part{name, child.bytes + more, child})
		out.bytes += child.bytes + more
		out.descriptions += child.descriptions
		out.failure = cmp.Or(out.failure, child.failure)
	}
	if len(s.Properties) > 0 {
		object := len(`{}`) + len(s.Properties) - 1
		for _, p := range s.Properties {
			child := m.measure(p.Schema)
			name, err := json.Marshal(p.Name)
			out.failure = cmp.Or(out.failure, err)
			object += len(name) + len(`:`) + child.exact
			add("."+p.Name, child, len(p.Name)+len(`"":,`))
		}
		key("properties", object)
	}
	if s.Items != nil {
		child := m.measure(s.Items)
		key("items", child.exact)
		add("[]", child, 0)
	}
	switch a := s.AdditionalProperties; {
	case a == nil:
	case a.Schema != nil:
		child := m.measure(a.Schema)
		key("additionalProperties", child.exact)
		add("{}", child, 0)
	default:
		key("additionalProperties", len(strconv.FormatBool(a.Bool)))
	}
	slices.SortStableFunc(out.parts, func(a, b part) int { return b.bytes - a.bytes })
	m.nodes.Store(s, out)
	return out
}

// sizes returns a hint with the largest parts of each version.
func (c *checks) sizes(total int) string {
	var lines []string
	descriptions := 0
	for i, schema := range c.Schemas {
		if schema == nil {
			continue
		}
		version := c.measures.measure(schema)
		descriptions += version.descriptions
		largest := part{"", version.bytes, version}.largest("", total)
		slices.SortStableFunc(largest, func(a, b part) int { return b.bytes - a.bytes })
		var parts []string
		for _, p := range largest[:min(len(largest), maxParts)] {
			parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(p.name, "all"), p.bytes))
		}
		lines = append(lines, "\t"+c.CRD.Spec.Versions[i].Name+": "+cmp.Or(strings.Join(parts, ", "), "none is large"))
	}
	share := 100 * descriptions / total
	advice := fmt.Sprintf("descriptions are %d %%.", share)
	if share >= minShare {
		advice = fmt.Sprintf("where it is generated, drop or shorten descriptions, which are %d %%, with maxDescLen or +schemagen:descriptions.", share)
	}
	return advice + " Largest parts, in bytes:\n" + strings.Join(lines, "\n")
}

// minShare is the share of descriptions in per cent from which it helps to shorten them.
const minShare = 10

// maxParts is the number of parts of a version that a hint lists.
const maxParts = 6

// largest returns the parts that take at least a twelfth of the total without their own large parts, with
// their paths as names. A reader who shortens them makes the definition smaller.
func (p part) largest(path string, total int) []part {
	path += p.name
	rest := p.bytes
	var out []part
	for _, child := range p.parts {
		if child.bytes*12 >= total {
			rest -= child.bytes
			out = append(out, child.largest(path, total)...)
		}
	}
	if rest*12 >= total {
		out = append(out, part{path, p.bytes, p.measured})
	}
	return out
}
