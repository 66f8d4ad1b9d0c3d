// Package compat is the API Compatibility Plan of the KEP "Structural Schemas".
package compat

import (
	"github.com/schemagen/schemagen/structural"
)

// Use lists the features of a CRD that the KEP "Structural Schemas" reserves for
// structural schemas (API Compatibility Plan). The zero value uses none of them
// and has a schema that is not structural.
type Use struct {
	// Structural is true if every schema of the CRD is structural; an absent
	// schema counts as structural.
	Structural bool
	// Webhook is true if a webhook converts between versions.
	Webhook bool
	// Pruning is true if unknown fields are pruned: spec.preserveUnknownFields is
	// false or, in v1, absent.
	Pruning bool
	// Defaults is true if a schema has a default.
	Defaults bool
	// Unions is true if a schema has x-kubernetes-unions.
	Unions bool
	// Extensions is true if a schema has another extension that the server
	// reserves for structural schemas: any of them except x-kubernetes-map-type.
	Extensions bool
}

// UseOf returns the features that the schemas of all versions of a CRD use; nil is
// a version without a schema. Callers add conversion, pruning, and keywords that
// the model cannot hold.
func UseOf(schemas []*structural.Schema) Use {
	use := Use{Structural: true}
	seen := map[*structural.Schema]bool{}
	var visit func(s *structural.Schema)
	visit = func(s *structural.Schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		use.Defaults = use.Defaults || s.Default != nil
		use.Unions = use.Unions || len(s.XUnions) > 0 || len(s.XUnionMembers) > 0
		use.Extensions = use.Extensions || s.XEmbeddedResource || s.XPreserveUnknownFields != nil || s.XIntOrString ||
			len(s.XListMapKeys) > 0 || s.XListType != "" || len(s.XValidations) > 0
		for _, child := range s.Children() {
			visit(child)
		}
		structural.EachNested(s.ValueValidation, nil,
			func(n *structural.NestedValueValidation, _ *structural.Path) { visit(n.Outside()) })
	}
	for _, s := range schemas {
		use.Structural = use.Structural && len(structural.Check(s)) == 0
		visit(s)
	}
	return use
}

// Rejection is a reason for which the API Compatibility Plan rejects a CRD.
type Rejection struct {
	// Field is the offending field of the CRD.
	Field  string
	Detail string
}

func (r Rejection) String() string {
	return r.Field + ": " + string(structural.Forbidden) + ": " + r.Detail
}

// Check returns the reasons for which the API Compatibility Plan
// rejects the creation of a CRD, if oldUse is nil, or an update:
//
//   - a schema that is not structural, unless there was one before;
//   - pruning, defaults, x-kubernetes-unions or other extensions together with
//     such a schema;
//   - conversion by a webhook together with such a schema, unless there was such
//     a webhook before.
//
// Today's server goes further: it requires pruning for every webhook and every
// default, including existing ones.
func Check(oldUse *Use, now Use) []Rejection {
	if now.Structural {
		return nil
	}
	const schema, detail = "spec.versions[*].schema.openAPIV3Schema", " a schema that is not structural"
	var out []Rejection
	for _, rule := range []struct {
		broken        bool
		field, detail string
	}{
		{oldUse == nil || oldUse.Structural, schema, "must be structural"},
		{now.Webhook && (oldUse == nil || !oldUse.Webhook), "spec.conversion.strategy", "must not become Webhook beside" + detail},
		{now.Pruning, "spec.preserveUnknownFields", "must not be false beside" + detail},
		{now.Defaults, schema, "must not have defaults in" + detail},
		{now.Unions, schema, "must not have x-kubernetes-unions in" + detail},
		{now.Extensions, schema, "must not have x-kubernetes-* extensions in" + detail},
	} {
		if rule.broken {
			out = append(out, Rejection{Field: rule.field, Detail: rule.detail})
		}
	}
	return out
}
