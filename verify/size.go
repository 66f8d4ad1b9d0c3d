package verify

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/internal/apiserver/crdsize"
)

// size warns about a CRD that is too large for some ways of installing it.
func (c *checks) size() {
	if !c.CheckSize {
		return
	}
	if c.partial && maxJSON(textOf(c.Definition)) <= crdsize.AnnotationLimit {
		return
	}
	if c.Provenance().Header == nil {
		c.complete()
	}
	n, err := c.shared.sizes.Of(c.Definition)
	if err != nil || n <= crdsize.AnnotationLimit {
		return
	}
	limit := "kubectl apply cannot store it in an annotation (262,144 bytes); use kubectl apply --server-side"
	switch {
	case n > crdsize.RequestLimit:
		limit = "etcd rejects requests over 1.5 MiB by default"
	case n > crdsize.HelmLimit:
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

// sizes returns a hint with the largest parts of each version.
func (c *checks) sizes(total int) string {
	var lines []string
	descriptions := 0
	for i, schema := range c.Schemas {
		if schema == nil {
			continue
		}
		version := c.shared.sizes.Schema(schema)
		descriptions += version.Descriptions
		largest := version.Largest(total)
		var parts []string
		for _, p := range largest[:min(len(largest), maxParts)] {
			parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(p.Path, "all"), p.Bytes))
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
