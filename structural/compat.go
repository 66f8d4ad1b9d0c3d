package structural

// Use says what a CRD uses of what the KEP "Structural Schemas" keeps for
// structural schemas (API Compatibility Plan). The zero value uses nothing and
// has a schema that is not structural.
type Use struct {
	// Structural says that every schema of the CRD is structural, as it is
	// where there is none.
	Structural bool
	// Webhook says that versions are converted by a webhook.
	Webhook bool
	// Pruning says that unknown fields are pruned: spec.preserveUnknownFields
	// is false or, in v1, absent.
	Pruning bool
	// Defaults says that a schema has a default.
	Defaults bool
	// Unions says that a schema has x-kubernetes-unions.
	Unions bool
	// Extensions says that a schema has another extension that the server keeps
	// for structural schemas: all of them but x-kubernetes-map-type.
	Extensions bool
}

// UseOf says what the schemas of all versions of a CRD use; nil is a version
// without one. Conversion, pruning, and keywords that the model cannot hold are
// the caller's to add.
func UseOf(schemas []*Schema) Use {
	use := Use{Structural: true}
	seen := map[*Schema]bool{}
	var visit func(s *Schema)
	visit = func(s *Schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		use.Defaults = use.Defaults || s.Default != nil
		use.Unions = use.Unions || len(s.XUnions) > 0 || len(s.XUnionMembers) > 0
		use.Extensions = use.Extensions || s.XEmbeddedResource || s.XPreserveUnknownFields != nil || s.XIntOrString ||
			len(s.XListMapKeys) > 0 || s.XListType != "" || len(s.XValidations) > 0
		visit(s.Items)
		for _, p := range s.Properties {
			visit(p.Schema)
		}
		if s.AdditionalProperties != nil {
			visit(s.AdditionalProperties.Schema)
		}
		eachNested(s.ValueValidation, nil, func(n *NestedValueValidation, _ *Path) { visit(n.outside()) })
	}
	for _, s := range schemas {
		use.Structural = use.Structural && len(Check(s)) == 0
		visit(s)
	}
	return use
}

// Refusal is one reason why the API Compatibility Plan refuses a CRD.
type Refusal struct {
	// Field is the part of the CRD that is to blame.
	Field  string
	Detail string
}

func (r Refusal) String() string { return r.Field + ": " + string(Forbidden) + ": " + r.Detail }

// CheckCompatibility returns what the API Compatibility Plan refuses when a CRD
// is created, where before is nil, or updated:
//
//   - a schema that is not structural, unless there was one before;
//   - beside one, pruning, defaults, x-kubernetes-unions and the other extensions;
//   - beside one, conversion by a webhook, unless there was one before.
//
// Today's server goes further: it wants pruning for every webhook and every
// default, those from before included.
func CheckCompatibility(before *Use, now Use) []Refusal {
	if now.Structural {
		return nil
	}
	const schema, detail = "spec.versions[*].schema.openAPIV3Schema", " a schema that is not structural"
	var out []Refusal
	for _, rule := range []struct {
		broken        bool
		field, detail string
	}{
		{before == nil || before.Structural, schema, "must be structural"},
		{now.Webhook && (before == nil || !before.Webhook), "spec.conversion.strategy", "must not become Webhook beside" + detail},
		{now.Pruning, "spec.preserveUnknownFields", "must not be false beside" + detail},
		{now.Defaults, schema, "must not have defaults in" + detail},
		{now.Unions, schema, "must not have x-kubernetes-unions in" + detail},
		{now.Extensions, schema, "must not have x-kubernetes-* extensions in" + detail},
	} {
		if rule.broken {
			out = append(out, Refusal{Field: rule.field, Detail: rule.detail})
		}
	}
	return out
}
