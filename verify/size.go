package verify

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
	c.complete()
	data, err := json.Marshal(c.CRD)
	if err != nil || len(data) <= AnnotationLimit {
		return
	}
	n := len(data)
	limit := "kubectl apply cannot store it in an annotation (262,144 bytes); use kubectl apply --server-side"
	switch {
	case n > RequestLimit:
		limit = "etcd rejects requests over 1.5 MiB by default"
	case n > helmLimit:
		limit = "it does not fit into a Helm release (1 MiB), and kubectl apply cannot store it in an annotation"
	}
	c.add(tooLarge, "spec", "shorten or drop descriptions with --max-desc-len or +schemagen:descriptions. Largest parts, in bytes:\n"+c.sizes(n), "the CRD takes %d bytes as JSON: %s", n, limit)
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

// part is a part of a schema with its size in bytes.
type part struct {
	name  string
	bytes int
	parts []*part
}

// sizes returns the tree of the parts that take at least a twelfth of the total.
func (c *checks) sizes(total int) string {
	var out strings.Builder
	descriptions := 0
	for i, schema := range c.Schemas {
		if schema != nil {
			version := measure(schema, c.CRD.Spec.Versions[i].Name)
			version.write(&out, total, 1)
			descriptions += descriptionBytes(schema)
		}
	}
	fmt.Fprintf(&out, "\t%d %% are descriptions", 100*descriptions/total)
	return out.String()
}

func (p *part) write(out *strings.Builder, total, depth int) {
	if p.bytes*12 < total {
		return
	}
	fmt.Fprintf(out, "%s%s %d\n", strings.Repeat("\t", depth), p.name, p.bytes)
	for _, child := range p.parts {
		child.write(out, total, depth+1)
	}
}

// measure returns the JSON sizes of a schema and of its parts, the largest first.
func measure(s *structural.Schema, name string) *part {
	own := structural.Schema{Generic: s.Generic, Extensions: s.Extensions, ValueValidation: s.ValueValidation}
	data, err := json.Marshal(own.Props())
	if err != nil {
		data = nil // a schema that cannot be marshaled counts as empty
	}
	out := &part{name: name, bytes: len(data)}
	add := func(child *part) {
		out.parts = append(out.parts, child)
		out.bytes += child.bytes
	}
	for _, p := range s.Properties {
		child := measure(p.Schema, "."+p.Name)
		child.bytes += len(p.Name) + len(`"":,`)
		add(child)
	}
	if s.Items != nil {
		add(measure(s.Items, "[]"))
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		add(measure(a.Schema, "{}"))
	}
	slices.SortStableFunc(out.parts, func(a, b *part) int { return b.bytes - a.bytes })
	return out
}

// descriptionBytes returns the number of bytes in the descriptions of a schema.
func descriptionBytes(s *structural.Schema) int {
	n := len(s.Description)
	for _, p := range s.Properties {
		n += descriptionBytes(p.Schema)
	}
	if s.Items != nil {
		n += descriptionBytes(s.Items)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		n += descriptionBytes(a.Schema)
	}
	return n
}
