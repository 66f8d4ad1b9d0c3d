package conventions

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Rule is one convention.
type Rule struct {
	Kind *diag.Kind
	// field reports a field, and kind a version of a kind, that does not follow it. One of
	// them is nil.
	field func(*pass, *field)
	kind  func(*pass, *root)
}

// Rules returns all rules, in the order of their codes.
func Rules() []Rule {
	return []Rule{
		{Kind: commentStart, field: (*pass).commentStart},
		{Kind: nameNotCamelCase, field: (*pass).camelCase},
		{Kind: namedPhase, field: (*pass).phase},
		{Kind: namedReference, field: (*pass).reference},
		{Kind: namedTimestamp, field: (*pass).timestamp},
		{Kind: boolField, field: (*pass).boolean},
		{Kind: otherInteger, field: (*pass).integer},
		{Kind: floatNumber, field: (*pass).float},
		{Kind: mapOfObjects, field: (*pass).mapType},
		{Kind: nullableField, field: (*pass).nullable},
		{Kind: durationField, field: (*pass).duration},
		{Kind: unmarked, field: (*pass).marked},
		{Kind: requiredDefault, field: (*pass).defaultOfRequired},
		{Kind: defaultNotOptional, field: (*pass).defaulted},
		{Kind: optionalWritten, field: (*pass).omitted},
		{Kind: optionalZero, field: (*pass).optionalZero},
		{Kind: requiredZero, field: (*pass).requiredZero},
		{Kind: requiredWritten, field: (*pass).requiredOmitted},
		{Kind: requiredStatus, field: (*pass).statusField},
		{Kind: listWithoutType, field: (*pass).listType},
		{Kind: emptyElements, field: (*pass).elements},
		{Kind: unusualConditions, field: (*pass).conditions},
		{Kind: noMaximum, field: (*pass).maximum},
		{Kind: noMinimum, field: (*pass).minimum},
		{Kind: statusNotSubresource, kind: (*pass).statusSubresource},
		{Kind: otherName, field: (*pass).preferredMarker},
		{Kind: convertedValue, field: (*pass).yamlValues},
	}
}

// field is a field of a struct with the schema that it has in a definition.
type field struct {
	*source.Field
	owner *source.Type
	// name is its name in JSON.
	name string
	tag  source.JSONTag
	// parent is the schema of the object that has the field.
	parent, schema *structural.Schema
	// status is the schema of a status that has the field, directly or through an embedded struct. It is
	// nil for other fields.
	status *structural.Schema
	// isElsewhere is set if a schema that is not a status has the field as well.
	isElsewhere bool
	// subjects are the names of the field in diagnostics.
	subjects []string
}

// root is one version of a kind.
type root struct {
	definition *checks.Definition
	version    int
}

// pass is one run of some rules.
type pass struct {
	*report.Reporter
	// kind is the kind of the rule that runs.
	kind *diag.Kind
}

// Check runs the rules with the given codes on definitions and the types that they were built
// from, and adds what they find to the reporter.
func Check(r *report.Reporter, codes []diag.Code, definitions []*checks.Definition, types []*source.Type) {
	rules := slices.DeleteFunc(Rules(), func(rule Rule) bool { return !slices.Contains(codes, rule.Kind.Code) })
	if len(rules) == 0 {
		return
	}
	found := fieldsOf(definitions, types)
	for _, rule := range rules {
		p := &pass{Reporter: r, kind: rule.Kind}
		if rule.field != nil {
			for _, f := range found {
				rule.field(p, f)
			}
		}
		if rule.kind != nil {
			for _, d := range definitions {
				for i := range d.Roots {
					rule.kind(p, &root{definition: d, version: i})
				}
			}
		}
	}
}

// report adds a finding about a field, at a position in its declaration.
func (p *pass) report(f *field, pos token.Pos, hint, format string, args ...any) *diag.Diagnostic {
	d := p.Report(p.kind, f.owner.Pkg.At(pos), hint, format, args...)
	d.Off = false
	d.Subjects = f.subjects
	return d
}

// occurrence is the first node of the definitions that a field became. For status and isElsewhere,
// see field.
type occurrence struct {
	parent, schema, status *structural.Schema
	isElsewhere            bool
}

// fieldsOf returns the fields of the user's types that occur in definitions, in the order of
// their positions.
func fieldsOf(definitions []*checks.Definition, types []*source.Type) (out []*field) {
	nodes := map[token.Pos]*occurrence{}
	statuses := statusesOf(definitions)
	seen := map[*structural.Schema]bool{}
	for _, d := range definitions {
		for _, s := range d.Schemas {
			locate(s, statuses, nodes, seen)
		}
	}
	var add func(t *source.Type)
	add = func(t *source.Type) {
		for _, declared := range t.Fields() {
			if st := structIn(declared.Type); st != nil {
				add(source.AnonymousStruct(t.File, st))
			}
			tag := declared.JSON()
			// An embedded field with a JSON name is a field of that name, except for the metadata of kinds.
			isNamed := declared.Name != "" || tag.Name != "" && tag.Name != "metadata"
			if place, ok := nodes[declared.Pos]; ok && isNamed {
				out = append(out, &field{
					Field: declared, owner: t, name: cmp.Or(tag.Name, declared.Name), tag: tag,
					parent: place.parent, schema: place.schema, status: place.status, isElsewhere: place.isElsewhere,
				})
			}
		}
	}
	for _, t := range types {
		add(t)
	}
	slices.SortStableFunc(out, func(a, b *field) int { return cmp.Compare(a.Pos, b.Pos) })
	out = slices.CompactFunc(out, func(a, b *field) bool { return a.Pos == b.Pos }) // instances of a generic type
	nameFields(out, definitions)
	return out
}

// statusesOf returns the schemas of the status of each version of a kind.
func statusesOf(definitions []*checks.Definition) map[*structural.Schema]bool {
	out := map[*structural.Schema]bool{}
	for _, d := range definitions {
		for _, s := range d.Schemas {
			if status := s.Property("status"); status != nil {
				out[status] = true
			}
		}
	}
	return out
}

// locate records the nodes of the properties below a schema by the positions of their fields.
func locate(schema *structural.Schema, statuses map[*structural.Schema]bool, nodes map[token.Pos]*occurrence,
	seen map[*structural.Schema]bool) {
	if schema == nil || seen[schema] {
		return
	}
	seen[schema] = true
	for _, p := range schema.Properties {
		node := nodes[p.Schema.Origin.Pos]
		if node == nil {
			node = &occurrence{parent: schema, schema: p.Schema}
			nodes[p.Schema.Origin.Pos] = node
		}
		if !statuses[schema] {
			node.isElsewhere = true
		} else if node.status == nil || !node.status.Requires(p.Name) {
			node.status = schema
		}
		locate(p.Schema, statuses, nodes, seen)
	}
	locate(schema.Items, statuses, nodes, seen)
	if schema.AdditionalProperties != nil {
		locate(schema.AdditionalProperties.Schema, statuses, nodes, seen)
	}
}

// structIn returns the struct that is written in a type expression, or nil.
func structIn(expr ast.Expr) *ast.StructType {
	for ; expr != nil; expr = source.Elem(expr) {
		if st, ok := ast.Unparen(expr).(*ast.StructType); ok {
			return st
		}
	}
	return nil
}
