package verify

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// The sizes that a CRD meets on its way, in bytes.
const (
	// annotationLimit is the most that all annotations of an object may have;
	// kubectl apply keeps the whole object in one.
	annotationLimit = 262144
	// helmLimit is the most that a Secret may have, in which Helm keeps a release.
	helmLimit = 1 << 20
	// etcdLimit is the most that etcd takes in a request unless it is told otherwise.
	etcdLimit = 3 << 19
)

// size warns of a CRD that is too large for some of its ways into a cluster.
func (c *checks) size() {
	if !c.Measure {
		return
	}
	data, err := json.Marshal(c.CRD)
	if err != nil || len(data) <= annotationLimit {
		return
	}
	n := len(data)
	reach := "kubectl apply cannot keep it in an annotation (262,144 bytes); apply it with --server-side"
	switch {
	case n > etcdLimit:
		reach = "etcd takes no request of more than 1.5 MiB by default"
	case n > helmLimit:
		reach = "it does not fit into a Helm release (1 MiB), nor can kubectl apply keep it in an annotation"
	}
	c.add(tooLarge, "spec", "shorten or drop descriptions: --max-desc-len, +schemagen:descriptions. The bytes go here:\n"+c.sizes(n), "the CRD has %d bytes as JSON: %s", n, reach)
}

// part is a part of a schema with its size in bytes.
type part struct {
	name  string
	bytes int
	parts []*part
}

// sizes is the tree of what has at least a twelfth of the bytes.
func (c *checks) sizes(total int) string {
	var out strings.Builder
	descriptions := 0
	for i, schema := range c.Schemas {
		if schema != nil {
			version := measure(schema, c.CRD.Spec.Versions[i].Name)
			version.write(&out, total, 1)
			descriptions += describe(schema)
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

// measure returns the size of the JSON of a schema and of what is below it, the
// largest first.
func measure(s *structural.Schema, name string) *part {
	own := structural.Schema{Generic: s.Generic, Extensions: s.Extensions, ValueValidation: s.ValueValidation}
	data, err := json.Marshal(own.Props())
	if err != nil {
		data = nil // what does not marshal has no size
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

// describe is the number of bytes in the descriptions of a schema.
func describe(s *structural.Schema) int {
	n := len(s.Description)
	for _, p := range s.Properties {
		n += describe(p.Schema)
	}
	if s.Items != nil {
		n += describe(s.Items)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		n += describe(a.Schema)
	}
	return n
}
