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
	c.warn(codeSize, "spec", "shorten or drop descriptions: --max-desc-len, +schemagen:descriptions. The bytes go here: "+c.largest(), "the CRD has %d bytes as JSON: %s", n, reach)
}

// share is a part of a schema with its size.
type share struct {
	path  string
	bytes int
}

// largest names the parts of the schemas that have most of the bytes.
func (c *checks) largest() string {
	var parts []share
	descriptions := 0
	for i, schema := range c.Schemas {
		if schema == nil {
			continue
		}
		measure(schema, c.CRD.Spec.Versions[i].Name+": ", 3, &parts)
		descriptions += describe(schema)
	}
	slices.SortStableFunc(parts, func(a, b share) int { return b.bytes - a.bytes })
	var out []string
	for _, p := range parts[:min(5, len(parts))] {
		out = append(out, fmt.Sprintf("%s %d", p.path, p.bytes))
	}
	return strings.Join(append(out, fmt.Sprintf("descriptions alone %d", descriptions)), "; ")
}

// measure adds the properties of a schema down to a depth, with the sizes of
// their JSON, and returns the size of the schema's own.
func measure(s *structural.Schema, path string, depth int, parts *[]share) int {
	own := structural.Schema{Generic: s.Generic, Extensions: s.Extensions, ValueValidation: s.ValueValidation}
	data, err := json.Marshal(own.Props())
	if err != nil {
		return 0 // what does not marshal has no size
	}
	n := len(data)
	for _, p := range s.Properties {
		at := path + "." + p.Name
		size := measure(p.Schema, at, depth-1, parts)
		n += len(p.Name) + len(`"":,`) + size
		if depth > 0 {
			*parts = append(*parts, share{at, size})
		}
	}
	if s.Items != nil {
		n += measure(s.Items, path+"[]", depth, parts)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		n += measure(a.Schema, path+"{}", depth, parts)
	}
	return n
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
