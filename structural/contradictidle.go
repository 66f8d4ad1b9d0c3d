package structural

// idle reports keywords that have no effect: an exclusive bound without its bound,
// and restrictions for another type than the node's.
func (c *contradictions) idle(s *Schema, path *Path) {
	c.exclusive(s.ValueValidation, s.Origin, path)
	if s.Type == "" || s.XIntOrString {
		return
	}
	parts := s.Parts()
	for k := range Table() {
		if k.Restricts != "" && k.Restricts != s.Type && !(k.Restricts == "number" && s.Type == "integer") && restricts(k, parts) {
			c.addKind(Idle, path.Child(k.Name), s.Origin.Of(k.Name), "remove it", "%s has no effect: it applies to type %s, but the type is %s", k.Name, k.Restricts, s.Type)
		}
	}
}

// restricts reports whether a value validation is set.
func restricts(k *Keyword, p Parts) bool {
	// controller-gen writes minProperties: 1 for +k8s:required on a field of a
	// named type of any kind.
	return k.IsSet(p) && !(k.Name == "minProperties" && *p.MinProperties == 1)
}

// exclusive reports exclusive bounds without a bound, including those in junctors.
func (c *contradictions) exclusive(v *ValueValidation, origin Origin, path *Path) {
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
	eachNested(v, path, func(n *NestedValueValidation, path *Path) {
		at := n.Origin
		if !at.Pos.IsValid() {
			at.Pos = origin.Of(path.keyword)
		}
		c.exclusive(&n.ValueValidation, at, path)
	})
}
