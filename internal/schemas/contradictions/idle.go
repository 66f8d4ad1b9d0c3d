package contradictions

import (
	"strings"

	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// idle reports keywords that have no effect: an exclusive bound without its bound,
// and restrictions for another type than the node's.
func (c *finder) idle(s *structural.Schema, path *structural.Path) {
	c.exclusive(s.ValueValidation, s.Origin, path)
	if s.Type == "" || s.XIntOrString {
		return
	}
	parts := keywords.PartsOf(s)
	for k := range keywords.Table() {
		if k.Restricts != "" && k.Restricts != s.Type && !(k.Restricts == "number" && s.Type == "integer") && restricts(k, parts) {
			c.addKind(Idle, path.Child(k.Name), s.Origin.Of(k.Name), "remove it", "%s has no effect: it applies to type %s, but the type is %s", k.Name, k.Restricts, s.Type)
		}
	}
}

// restricts reports whether a value validation is set.
func restricts(k *keywords.Keyword, p keywords.Parts) bool {
	// controller-gen writes minProperties: 1 for +k8s:required on a field of a
	// named type of any kind.
	return k.IsSet(p) && !(k.Name == "minProperties" && *p.MinProperties == 1)
}

// exclusive reports exclusive bounds without a bound, including those in junctors.
func (c *finder) exclusive(v *structural.ValueValidation, origin structural.Origin, path *structural.Path) {
	for _, bound := range []struct {
		exclusive, keyword string
		alone              bool
	}{
		{"exclusiveMinimum", "minimum", v.ExclusiveMinimum && v.Minimum == nil},
		{"exclusiveMaximum", "maximum", v.ExclusiveMaximum && v.Maximum == nil},
	} {
		if bound.alone {
			c.addKind(Idle, path.Child(bound.exclusive), origin.Of(bound.exclusive), "set "+bound.keyword+" as well: "+bound.exclusive+" is a boolean, not a number",
				"%s has no effect without %s", bound.exclusive, bound.keyword)
		}
	}
	structural.EachNested(v, path, func(n *structural.NestedValueValidation, path *structural.Path) {
		at := n.Origin
		if !at.Pos.IsValid() {
			at.Pos = origin.Of(lastKeyword(path))
		}
		c.exclusive(&n.ValueValidation, at, path)
	})
}

// lastKeyword returns the keyword of the last step of a path below a junctor.
func lastKeyword(path *structural.Path) string {
	text := path.String()
	keyword, _, _ := strings.Cut(text[strings.LastIndexByte(text, '.')+1:], "[")
	return keyword
}
