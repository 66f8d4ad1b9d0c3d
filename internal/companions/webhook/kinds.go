package webhook

import (
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/configgen"
)

// checkKinds compares a webhook with the kinds of the run.
func (c *checker) checkKinds(kinds configgen.Kinds) {
	resources := c.find("resources").List()
	versions := c.find("versions").List()
	found, ok := kinds.Resources(c.Reader, c.Marker, c.find("groups").List(), resources)
	if !ok {
		for _, v := range resources {
			c.Resource(c.Marker, v)
		}
		return
	}
	found.Versions(c.Reader, c.Marker, versions)
	path := c.find("path")
	if len(found.Kinds) != 1 || len(resources) != 1 || len(versions) != 1 || versions[0].Text == "*" || resources[0].Text != found.Kinds[0].Spec.Names.Plural || path == nil {
		return
	}
	kind := found.Kinds[0].Spec
	purpose := "validate"
	if c.mutating {
		purpose = "mutate"
	}
	usual := fmt.Sprintf("/%s-%s-%s-%s", purpose, strings.ReplaceAll(kind.Group, ".", "-"), versions[0].Text, strings.ToLower(kind.Names.Kind))
	if path.Values[0].Text != usual {
		c.RejectValue(configgen.UnusualPath, c.Marker, path.Values[0], "controller-runtime serves "+usual+" unless the manager sets another path", "the path of %s is not the usual one", c.name)
	}
}

// shared reports webhooks with the path of an earlier one that has another rule.
func (g *run) shared() {
	first := map[string]*hook{}
	for _, h := range g.hooks {
		if h.client.Service == nil || len(h.rules) != 1 {
			continue
		}
		key := fmt.Sprint(h.mutating, text(h.client.Service.Path))
		earlier, ok := first[key]
		if !ok {
			first[key] = h
			continue
		}
		a := earlier.rules[0]
		b := h.rules[0]
		if fmt.Sprint(a.APIGroups, a.Resources) == fmt.Sprint(b.APIGroups, b.Resources) {
			continue
		}
		c := &checker{g.Reader, h}
		d := c.Reject(configgen.UnusualPath, h.Marker, h.find("path"), "", "%s has the path of %s, but other resources", h.name, earlier.name)
		d.Related = append(d.Related, diag.Related{Pos: g.Position(earlier.Marker), Message: "the other one"})
	}
}
