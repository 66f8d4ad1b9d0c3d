package build

import (
	"slices"

	"github.com/schemagen/schemagen/generator/internal/crdyaml"
	"github.com/schemagen/schemagen/generator/internal/edits"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// This file is where drafts become structural schemas, in two phases: first all references
// are replaced by what they refer to, with recursion cut where a type is met inside of
// itself; then nodes are merged from the root down (merge.go).

// Flattener resolves and merges drafts. Results are shared: a type is resolved
// once and merged once, however many fields refer to it.
type Flattener struct {
	builder *Builder
	// flat are the types with their references resolved. A type that is being
	// resolved is an empty node.
	flat map[unrolled]*draft
	// unroll are the types with a bound that are being resolved.
	unroll []*source.Type
	// way leads from the root to the node that is being resolved.
	way []wayStep
	// merged are the merged types, by their resolved draft.
	merged map[*draft]*draft
	// finished are the schemas of nodes, by their resolved draft.
	finished map[*draft]*structural.Schema
	// special are the flatteners of packages with overrides.
	special map[*source.Package]*Flattener
	// parts counts what was merged into the node that is being merged.
	parts int
	// nodes are the sizes of schemas, with all that is below them.
	nodes map[*structural.Schema]int
	// maxDescription is the limit for descriptions in bytes, negative for none.
	maxDescription int
}

// ForPackage returns the flattener for the kinds of a package. Packages that
// say something about types elsewhere, or that have a limit for descriptions of
// their own, have one of their own.
func (fl *Flattener) ForPackage(p *source.Package) *Flattener {
	overrides, limit := fl.builder.Run.Describe(p).overrides, fl.builder.Run.settingsOf(p).MaxDescription
	if len(overrides) == 0 && limit == fl.builder.Options.MaxDescription {
		return fl
	}
	if fl.special[p] == nil {
		b := *fl.builder
		b.types, b.overrides = map[*source.Type]*draft{}, slices.Concat(b.overrides, overrides)
		fl.special[p] = NewFlattener(&b)
		fl.special[p].limit(limit)
	}
	return fl.special[p]
}

// Root returns the schema of a root type.
func (fl *Flattener) Root(t *source.Type) *structural.Schema {
	resolved, ok := fl.flat[unrolled{decl: t}]
	if !ok {
		// The root itself is not marked as being resolved: where it is met
		// inside of itself it is unrolled once more, and then cut.
		if recursionOf(t) != nil {
			fl.unroll = append(fl.unroll, t)
			defer func() { fl.unroll = nil }()
		}
		fl.way = append(fl.way[:0], wayStep{decl: t})
		resolved = fl.resolve(fl.builder.build(t))
		fl.flat[unrolled{decl: t}] = resolved
	}
	s := fl.finish(resolved)
	if n := fl.size(s); n > maxNodes {
		fl.builder.Reporter.Report(report.SchemaTooLarge, t.Pkg.At(t.Spec.Name.Pos()), "describe less of it: mark fields +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields, or bound a recursion lower",
			"the schema of %s has more than %d nodes: types that refer to each other are written out at each place", t, maxNodes)
		return &structural.Schema{Generic: structural.Generic{Type: "object"}, Origin: s.Origin}
	}
	return s
}

// The limits of a schema. A server stores objects of at most 1.5 MiB, in which there is
// room for some 70,000 nodes; the largest definitions in use have tens of thousands.
const (
	maxNodes = 200_000
	// maxParts is how much is merged into one node: embedded structs, and what these
	// embed.
	maxParts = 50_000
)

// size is how many nodes a schema has when it is written. Nodes are shared here, so
// that types that refer to the next one twice take no more room than others.
func (fl *Flattener) size(s *structural.Schema) int {
	if s == nil {
		return 0
	}
	if n, ok := fl.nodes[s]; ok {
		return n
	}
	n := 1 + fl.size(s.Items)
	for _, p := range s.Properties {
		n += fl.size(p.Schema)
	}
	if s.AdditionalProperties != nil {
		n += fl.size(s.AdditionalProperties.Schema)
	}
	n = min(n, maxNodes+1) // the sum of many might overflow
	fl.nodes[s] = n
	return n
}

// typeOf returns the draft of a type with its references resolved. Of a type
// whose recursion has ended there is none.
func (fl *Flattener) typeOf(t *source.Type) *draft {
	if bound := recursionOf(t); bound != nil {
		if fl.depth(t) >= bound.Depth {
			return fl.end(t, bound)
		}
		fl.unroll = append(fl.unroll, t)
		defer func() { fl.unroll = fl.unroll[:len(fl.unroll)-1] }()
	}
	key := fl.key(t)
	if d, ok := fl.flat[key]; ok {
		if d.cut == t && d.cycle == "" {
			return &draft{cut: t, cycle: fl.cycle(t), pkg: t.Pkg}
		}
		return d
	}
	fl.way = append(fl.way, wayStep{decl: t})
	fl.flat[key] = &draft{cut: t, pkg: t.Pkg}
	d := fl.resolve(fl.builder.build(t))
	fl.flat[key] = d
	fl.way = fl.way[:len(fl.way)-1]
	return d
}

// resolve returns the draft with all references below it resolved: a reference
// becomes a node whose allOf are the type and what the field says, documented
// by the field, or else by the type. It returns nil for what a bounded recursion
// leaves out.
func (fl *Flattener) resolve(d *draft) *draft {
	if d.ref == nil {
		if d.items == nil && d.additional == nil && len(d.properties) == 0 && len(d.allOf) == 0 {
			return d
		}
		out := d.clone()
		out.allOf = nil
		for _, embedded := range d.allOf {
			if node := fl.resolve(embedded); node != nil {
				out.allOf = append(out.allOf, node)
			}
		}
		if d.items != nil {
			if out.items = fl.resolve(d.items); out.items == nil {
				return nil
			}
		}
		out.properties = make([]draftProperty, 0, len(d.properties))
		for _, p := range d.properties {
			if fl.builder.Run.stopped() {
				break
			}
			fl.way = append(fl.way, wayStep{field: p.name})
			if node := fl.resolve(p.node); node != nil {
				out.properties = append(out.properties, draftProperty{p.name, node})
			} else {
				out.unrequire(p.name)
			}
			fl.way = fl.way[:len(fl.way)-1]
		}
		if d.additional != nil {
			if out.additional = fl.resolve(d.additional); out.additional == nil {
				return nil
			}
		}
		return out
	}

	target := fl.typeOf(d.ref)
	if target == nil {
		return nil
	}
	own := d.clone()
	own.ref = nil
	own.Description, own.Title, own.ExternalDocs, own.Example = "", "", nil, nil
	out := &draft{
		resolved: true,
		allOf:    []*draft{target, own},
		pkg:      d.pkg,
		origin:   d.origin,
	}
	out.Description, out.Title, out.ExternalDocs, out.Example = d.Description, d.Title, d.ExternalDocs, d.Example
	if out.Description == "" {
		out.Description = target.Description
		out.docs = target.docs
		if out.docs == nil {
			out.docs = target.pkg
		}
	}
	if out.Title == "" {
		out.Title = target.Title
	}
	if out.ExternalDocs == nil {
		out.ExternalDocs = target.ExternalDocs
	}
	if out.Example == nil {
		out.Example = target.Example
	}
	return out
}

// finish merges a resolved draft and everything below it.
func (fl *Flattener) finish(d *draft) *structural.Schema {
	if s, ok := fl.finished[d]; ok {
		return s
	}
	reporter := fl.builder.Reporter
	reporter.Enter(d.pkg.At(d.origin.Pos), "")
	var s *structural.Schema
	if d.resolved && !d.allOf[1].shapes() {
		s = fl.finishReference(d)
	} else {
		merged := fl.merge(d)
		fl.checkCut(merged)
		s = edits.Apply(fl.builder.Reporter, fl.convert(merged, nil), merged.edits)
	}
	reporter.Leave()
	fl.finished[d] = s
	return s
}

// shapes reports whether the node has children of its own.
func (d *draft) shapes() bool {
	return d.object || d.items != nil || d.additional != nil || d.open || len(d.allOf) > 0
}

// finishReference finishes a resolved reference whose field adds keywords but
// no children: the children of the type are shared.
func (fl *Flattener) finishReference(d *draft) *structural.Schema {
	target, own := d.allOf[0], d.allOf[1]
	merged, ok := fl.merged[target]
	if !ok {
		merged = fl.merge(&draft{allOf: []*draft{target}, pkg: target.pkg, origin: target.origin})
		fl.merged[target] = merged
	}
	shared, ok := fl.finished[merged]
	if !ok {
		shared = fl.convert(merged, nil)
		fl.finished[merged] = shared
	}
	out := merged.clone()
	out.Description, out.Title, out.ExternalDocs, out.Example = d.Description, d.Title, d.ExternalDocs, d.Example
	out.origin.Pos, out.docs = d.origin.Pos, d.docs
	out.allOf = nil
	fl.parts = 0
	keep := merged.allOf
	fl.into(out, own)
	out.allOf = append(slices.Clip(keep), out.allOf...)
	out.pkg = d.pkg
	fl.checkCut(out)
	return edits.Apply(fl.builder.Reporter, fl.convert(out, shared), out.edits)
}

// checkCut reports a recursion that leaves a value without a type, or an array
// without items: the API server refuses it.
func (fl *Flattener) checkCut(d *draft) {
	switch {
	case d.cut == nil:
		return
	case d.Type == "array" && d.items == nil:
	case d.Type != "" || d.XIntOrString || d.XPreserveUnknownFields != nil:
		return
	}
	if !d.cut.Malformed.Has(markers.RecursionName) {
		fl.builder.refuse(report.RecursiveType, d.pkg.At(d.origin.Pos),
			"a CRD schema cannot be recursive: bound the type with +schemagen:recursion:depth=3, mark the field +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields, or use apiextensionsv1.JSON",
			"type %s contains itself: %s", d.cut, d.cycle)
	}
	if !fl.builder.Options.SkipVerify {
		d.XPreserveUnknownFields, d.Type, d.origin.Mistake = new(true), "", structural.InShape // nothing more is said of it
	}
}

// convert returns a merged node as a schema. The children come from shared if
// it is not nil.
func (fl *Flattener) convert(d *draft, shared *structural.Schema) *structural.Schema {
	s := &structural.Schema{
		Generic:         d.Generic,
		Extensions:      d.Extensions,
		ValueValidation: d.values,
		Origin:          d.origin,
	}
	if d.metadata != nil {
		fl.builder.Run.Checker.NoteMetadata(s.Origin.Pos, d.metadata)
	}
	s.Description = edits.Truncate(fl.description(d), fl.maxDescription)
	if len(d.allOf) > 0 {
		values := structural.ValueValidation{}
		if d.values != nil {
			values = *d.values
		}
		values.AllOf = make([]structural.NestedValueValidation, 0, len(d.allOf))
		for _, part := range d.allOf {
			values.AllOf = append(values.AllOf, fl.finish(part).Nested())
		}
		s.ValueValidation = &values
	}
	if shared != nil {
		s.Properties, s.Items, s.AdditionalProperties = shared.Properties, shared.Items, shared.AdditionalProperties
		return s
	}
	if len(d.properties) > 0 {
		s.Properties = make([]structural.Property, 0, len(d.properties))
		for _, p := range d.properties {
			if fl.builder.Run.stopped() {
				break
			}
			s.Properties = append(s.Properties, structural.Property{Name: p.name, Schema: fl.finish(p.node)})
		}
		crdyaml.SortProperties(s.Properties)
	}
	if d.items != nil {
		s.Items = fl.finish(d.items)
	}
	if d.additional != nil {
		s.AdditionalProperties = &structural.SchemaOrBool{Schema: fl.finish(d.additional)}
	} else if d.open {
		s.AdditionalProperties = &structural.SchemaOrBool{Bool: true}
	}
	return s
}

func NewFlattener(b *Builder) *Flattener {
	fl := &Flattener{
		builder:  b,
		flat:     map[unrolled]*draft{},
		merged:   map[*draft]*draft{},
		finished: map[*draft]*structural.Schema{},
		special:  map[*source.Package]*Flattener{},
		nodes:    map[*structural.Schema]int{},
	}
	fl.limit(b.Options.MaxDescription)
	return fl
}

// limit sets the limit for descriptions; nil is none.
func (fl *Flattener) limit(bytes *int) {
	fl.maxDescription = -1
	if bytes != nil {
		fl.maxDescription = *bytes
	}
}
