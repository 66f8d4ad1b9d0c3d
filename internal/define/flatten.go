package define

import (
	"fmt"
	"slices"

	"github.com/schemagen/schemagen/internal/define/crdyaml"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file turns drafts into structural schemas, in two phases. First, references are
// replaced by the types that they refer to, and recursion is cut where a type contains
// itself. Then nodes are merged from the root down (merge.go).

// Flattener resolves and merges drafts. Results are shared: a type is resolved and merged
// once, however many fields refer to it.
type Flattener struct {
	builder *Builder
	// flat are the types with resolved references. A type that is being resolved is an
	// empty node.
	flat map[unrolled]*draft
	// unroll are the types with bounded recursion that are being resolved.
	unroll []*source.Type
	// path is the path from the root to the node that is being resolved.
	path []pathStep
	// merged are the merged types, keyed by their resolved drafts.
	merged map[*draft]*draft
	// finished are the schemas of nodes, keyed by their resolved drafts.
	finished map[*draft]*structural.Schema
	// perPackage are the flatteners of packages with overrides, a description limit or tags of
	// their own.
	perPackage map[*source.Package]*Flattener
	// parts is the number of parts merged so far into the current node.
	parts int
	// inlined is the field of a struct that is being merged into it, and refused are the fields
	// whose type did not fit.
	inlined *inlinedField
	refused map[*inlinedField]bool
	// extents are the sizes of schemas, including everything below them.
	extents map[*structural.Schema]extent
	// maxDescription is the maximum length of descriptions in bytes; negative means no
	// limit.
	maxDescription int
	// tags are the tags that are applied to finished schemas, and then limit descriptions; nil
	// if there are none.
	tags Tags
}

// ForPackage returns the flattener for the kinds of a package. A package with overrides for
// types elsewhere, or with a description limit or tags of its own, has a separate one.
func (fl *Flattener) ForPackage(p *source.Package) *Flattener {
	facts := fl.builder.Run.Describe(p)
	limit := fl.builder.Run.settingsOf(p).MaxDescription
	overrides := facts.overrides
	prefix := markers.TagPrefix(facts.features)
	if len(overrides) == 0 && limit == fl.builder.Options.MaxDescription &&
		prefix == markers.TagPrefix(fl.builder.Options.Enable) {
		return fl
	}
	if fl.perPackage[p] == nil {
		b := *fl.builder
		b.types = map[*source.Type]*draft{}
		b.overrides = slices.Concat(b.overrides, overrides)
		fl.perPackage[p] = NewFlattener(&b)
		fl.perPackage[p].configure(limit, prefix)
	}
	return fl.perPackage[p]
}

// Root returns the schema of a root type. If the schema is too large, it reports that and
// returns an empty object schema.
func (fl *Flattener) Root(t *source.Type) *structural.Schema {
	resolved, ok := fl.flat[unrolled{decl: t}]
	if !ok {
		// The root itself is not marked as being resolved: inside itself it is unrolled
		// once more before it is cut.
		if recursionOf(t) != nil {
			fl.unroll = append(fl.unroll, t)
			defer func() { fl.unroll = nil }()
		}
		fl.path = append(fl.path[:0], pathStep{decl: t})
		resolved = fl.resolve(fl.builder.build(t))
		fl.flat[unrolled{decl: t}] = resolved
	}
	s := fl.finish(resolved)
	what := ""
	switch extent := fl.extentOf(s); {
	case extent.nodes > maxNodes:
		what = fmt.Sprintf("has more than %d nodes: a type is written wherever it is used", maxNodes)
	case extent.levels > maxLevels:
		what = fmt.Sprintf("is nested more than %d levels deep", maxLevels)
	}
	if what != "" {
		fl.builder.Reporter.Report(report.SchemaTooLarge, t.Pkg.At(t.Spec.Name.Pos()), "make the schema smaller: mark fields +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields, or bound a recursion lower",
			"the schema of %s %s", t, what)
		return &structural.Schema{Generic: structural.Generic{Type: "object"}, Origin: s.Origin}
	}
	if fl.tags != nil {
		s = fl.tags.Kind(s, t)
	}
	return s
}

// Limits of a schema. A server stores objects of at most 1.5 MiB, which is enough for about
// 70,000 nodes; the largest definitions in use have tens of thousands.
const (
	maxNodes = 200_000
	// maxParts is the maximum number of parts merged into one node: embedded structs, and
	// those embedded in them.
	maxParts = 50_000
	// maxLevels is the maximum nesting of objects in the JSON of a schema, of which a property is two. The
	// indentation of that many fills what a server accepts in a request, 3 MiB.
	maxLevels = 1000
)

// extent is the size of a schema as written.
type extent struct {
	// nodes is the number of nodes, at most maxNodes+1.
	nodes int
	// levels is the nesting of objects in its JSON.
	levels int
}

// extentOf returns the size of a schema. Nodes are shared in memory, so types that each refer to the next in
// two fields grow exponentially only when written.
func (fl *Flattener) extentOf(s *structural.Schema) extent {
	if known, ok := fl.extents[s]; ok {
		return known
	}
	out := extent{nodes: 1, levels: 1}
	add := func(child *structural.Schema, levels int) {
		if child != nil {
			e := fl.extentOf(child)
			out = extent{nodes: min(out.nodes+e.nodes, maxNodes+1), levels: max(out.levels, e.levels+levels)}
		}
	}
	add(s.Items, 1)
	for _, p := range s.Properties {
		add(p.Schema, 2)
	}
	if s.AdditionalProperties != nil {
		add(s.AdditionalProperties.Schema, 1)
	}
	fl.extents[s] = out
	return out
}

// typeOf returns the draft of a type with resolved references. It returns nil if a bounded
// recursion of the type is omitted at this depth.
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
	fl.path = append(fl.path, pathStep{decl: t})
	fl.flat[key] = &draft{cut: t, pkg: t.Pkg}
	d := fl.resolve(fl.builder.build(t))
	fl.flat[key] = d
	fl.path = fl.path[:len(fl.path)-1]
	return d
}

// resolve returns the draft with all references below it resolved: a reference becomes a
// node whose allOf are the type and the keywords of the field, with the documentation of
// the field or else of the type. It returns nil if a bounded recursion omits the node.
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
				if fl.tags != nil {
					out.Description = fl.tags.Inherited(out.Description, node.Description)
				}
			}
		}
		if d.items != nil {
			out.items = fl.resolve(d.items)
			if out.items == nil {
				return nil
			}
		}
		out.properties = make([]draftProperty, 0, len(d.properties))
		for _, p := range d.properties {
			if fl.builder.Run.stopped() {
				break
			}
			fl.path = append(fl.path, pathStep{field: p.name})
			if node := fl.resolve(p.node); node != nil {
				out.properties = append(out.properties, draftProperty{p.name, node})
			} else {
				out.unrequire(p.name)
			}
			fl.path = fl.path[:len(fl.path)-1]
		}
		if d.additional != nil {
			out.additional = fl.resolve(d.additional)
			if out.additional == nil {
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
	own.inlined = nil
	own.Description = ""
	own.Title = ""
	own.ExternalDocs = nil
	own.Example = nil
	out := &draft{
		resolved: true,
		allOf:    []*draft{target, own},
		inlined:  d.inlined,
		pkg:      d.pkg,
		origin:   d.origin,
	}
	out.Description = d.Description
	out.Title = d.Title
	out.ExternalDocs = d.ExternalDocs
	out.Example = d.Example
	if out.Description == "" {
		out.Description = target.Description
		out.docs = target.docs
		if out.docs == nil {
			out.docs = target.pkg
		}
	} else if fl.tags != nil {
		out.Description = fl.tags.Inherited(out.Description, target.Description)
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

// finish returns the schema of a resolved draft, with everything below it merged and the
// edits applied.
func (fl *Flattener) finish(d *draft) *structural.Schema {
	if s, ok := fl.finished[d]; ok {
		return s
	}
	reporter := fl.builder.Reporter
	reporter.Enter(d.pkg.At(d.origin.Pos), "")
	var s *structural.Schema
	if d.resolved && !d.allOf[1].hasChildren() {
		s = fl.finishReference(d)
	} else {
		merged := fl.merge(d)
		fl.checkCut(merged)
		s = fl.edited(fl.convert(merged, nil), merged)
	}
	reporter.Leave()
	fl.finished[d] = s
	return s
}

// hasChildren reports whether the node has children of its own.
func (d *draft) hasChildren() bool {
	return d.object || d.items != nil || d.additional != nil || d.open || len(d.allOf) > 0
}

// finishReference finishes a resolved reference whose field adds keywords but no children,
// so that the children of the type are shared.
func (fl *Flattener) finishReference(d *draft) *structural.Schema {
	target := d.allOf[0]
	own := d.allOf[1]
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
	out.Description = d.Description
	out.Title = d.Title
	out.ExternalDocs = d.ExternalDocs
	out.Example = d.Example
	out.origin.Pos = d.origin.Pos
	out.origin.Pointer = d.origin.Pointer
	out.docs = d.docs
	out.allOf = nil
	fl.parts = 0
	keep := merged.allOf
	fl.mergeInto(out, own)
	out.allOf = append(slices.Clip(keep), out.allOf...)
	out.pkg = d.pkg
	fl.checkCut(out)
	return fl.edited(fl.convert(out, shared), out)
}

// checkCut reports a recursion whose cut leaves a value without a type, or an array without
// items; the API server rejects these.
func (fl *Flattener) checkCut(d *draft) {
	switch {
	case d.cut == nil:
		return
	case d.Type == "array" && d.items == nil:
	case d.Type != "" || d.XIntOrString || d.XPreserveUnknownFields != nil:
		return
	}
	if !d.cut.Malformed.Has(markers.RecursionName) {
		fl.builder.reject(report.RecursiveType, d.pkg.At(d.origin.Pos),
			"a CRD schema cannot be recursive: bound the type with +schemagen:recursion:depth=3, mark the field +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields, or use apiextensionsv1.JSON",
			"type %s contains itself: %s", d.cut, d.cycle)
	}
	if !fl.builder.Options.SkipVerify {
		d.XPreserveUnknownFields = new(true)
		d.Type = ""
		d.origin.Mistake = notes.InShape // suppress further findings
	}
}

// edited returns the schema of a node with its edits applied.
func (fl *Flattener) edited(s *structural.Schema, d *draft) *structural.Schema {
	list := d.edits
	if fl.tags != nil {
		list = edits.Shortening(list, fl.tags.Shorten)
	}
	return edits.Apply(fl.builder.Reporter, s, list)
}

// convert returns the schema of a merged node. If shared is not nil, the schema has its
// children.
func (fl *Flattener) convert(d *draft, shared *structural.Schema) *structural.Schema {
	schema := &structural.Schema{
		Generic:         d.Generic,
		Extensions:      d.Extensions,
		ValueValidation: d.values,
		Origin:          d.origin,
	}
	if d.metadata != nil {
		fl.builder.Run.Checker.NoteMetadata(schema.Origin.Pos, d.metadata)
	}
	schema.Description = edits.Truncate(fl.description(d), fl.maxDescription)
	if len(d.allOf) > 0 {
		values := structural.ValueValidation{}
		if d.values != nil {
			values = *d.values
		}
		values.AllOf = make([]structural.NestedValueValidation, 0, len(d.allOf))
		for _, part := range d.allOf {
			values.AllOf = append(values.AllOf, fl.finish(part).Nested())
		}
		schema.ValueValidation = &values
	}
	if shared != nil {
		schema.Properties = shared.Properties
		schema.Items = shared.Items
		schema.AdditionalProperties = shared.AdditionalProperties
		return schema
	}
	if len(d.properties) > 0 {
		schema.Properties = make([]structural.Property, 0, len(d.properties))
		for _, p := range d.properties {
			if fl.builder.Run.stopped() {
				break
			}
			schema.Properties = append(schema.Properties, structural.Property{Name: p.name, Schema: fl.finish(p.node)})
		}
		crdyaml.SortProperties(schema.Properties)
	}
	if d.items != nil {
		schema.Items = fl.finish(d.items)
	}
	if d.additional != nil {
		schema.AdditionalProperties = &structural.SchemaOrBool{Schema: fl.finish(d.additional)}
	} else if d.open {
		schema.AdditionalProperties = &structural.SchemaOrBool{Bool: true}
	}
	return schema
}

// NewFlattener returns a flattener for the types of a builder.
func NewFlattener(b *Builder) *Flattener {
	fl := &Flattener{
		builder:    b,
		flat:       map[unrolled]*draft{},
		merged:     map[*draft]*draft{},
		finished:   map[*draft]*structural.Schema{},
		perPackage: map[*source.Package]*Flattener{},
		extents:    map[*structural.Schema]extent{},
	}
	fl.configure(b.Options.MaxDescription, markers.TagPrefix(b.Options.Enable))
	return fl
}

// configure sets the maximum length of descriptions, or nil for no limit, and the prefix of tags,
// or none.
func (fl *Flattener) configure(bytes *int, prefix string) {
	fl.maxDescription = -1
	if bytes != nil {
		fl.maxDescription = *bytes
	}
	if tagger := fl.builder.Run.tagger; prefix != "" && tagger != nil {
		fl.tags = tagger.Tags(prefix, fl.maxDescription)
		fl.maxDescription = -1
	}
}
