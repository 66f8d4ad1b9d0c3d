package verify

import (
	"bytes"
	"slices"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
)

// partial is a definition without the nodes about which the API server need not be asked
// ([apiserver.Parts]).
type partial struct {
	schemas []*structural.Schema
	// relies are the indexes of the definitions with the nodes that were left out. The answer
	// holds for the complete definition if the server finds nothing in them.
	relies []int
}

// partials returns the definitions without repeated nodes, and nil for definitions that are to be
// verified as they are.
func partials(subjects []*crd.Definition) []*partial {
	out := make([]*partial, len(subjects))
	parts := apiserver.NewParts()
	for i, s := range subjects {
		if !mayOmit(s) {
			continue
		}
		if schemas, relies, ok := parts.Of(i, s.Schemas); ok {
			out[i] = &partial{schemas, relies}
		}
	}
	return out
}

// maxPartialBytes is the maximum size of a definition that may be verified in part. Larger
// ones may exceed the server's limits, which are about the complete one.
const maxPartialBytes = 2 << 20

// isLarge reports whether a definition of this YAML may exceed the server's limits. They count
// JSON, which has no indentation: that is three quarters of the YAML of deep schemas.
func isLarge(yaml []byte) bool {
	n := len(yaml)
	for line := range bytes.Lines(yaml) {
		if n <= maxPartialBytes {
			return false
		}
		n -= len(line) - len(bytes.TrimLeft(line, " "))
	}
	return n > maxPartialBytes
}

func mayOmit(s *crd.Definition) bool {
	known := s.Provenance()
	return known.BuildWith != nil && s.CRD == nil && s.Old == nil && !known.OnlySchemas && known.Incomplete == nil &&
		len(s.Unsupported) == 0 &&
		textOf(s) != nil && !isLarge(textOf(s)) && !slices.Contains(s.Schemas, nil)
}

// unsure returns the indexes of the partial definitions that rely on one with findings, or on
// one of those. rejected reports whether the server has findings about a definition.
func unsure(parts []*partial, rejected func(i int) bool) []int {
	var out []int
	doubtful := make([]bool, len(parts))
	for i := range parts {
		doubtful[i] = rejected(i)
	}
	for changed := true; changed; {
		changed = false
		for i, p := range parts {
			if p != nil && !slices.Contains(out, i) && slices.ContainsFunc(p.relies, func(j int) bool { return doubtful[j] }) {
				doubtful[i] = true
				changed = true
				out = append(out, i)
			}
		}
	}
	return out
}
