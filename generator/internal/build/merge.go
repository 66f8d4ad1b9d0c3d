package build

import (
	"cmp"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/crdyaml"
	"github.com/schemagen/schemagen/generator/internal/edits"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file is where drafts become structural schemas: references are replaced
// by what they refer to, and embedded structs and the keywords of a field are
// merged into the node that they belong to.
//
// The order of the merge is controller-gen's history (pkg/crd/flatten.go), and
// it shows in the bytes: two values for one keyword that cannot be merged move
// to allOf, and it depends on the order which is which. Two phases are needed:
// first all references are resolved, with recursion cut where a type is met
// inside of itself; then nodes are merged from the root down.

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
	if !d.cut.Malformed.Has("schemagen:recursion") {
		fl.builder.refuse(report.RecursiveType, d.pkg.At(d.origin.Pos),
			"a CRD schema cannot be recursive: bound the type with +schemagen:recursion:depth=3, mark the field +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields, or use apiextensionsv1.JSON",
			"type %s contains itself: %s", d.cut, d.cycle)
	}
	if !fl.builder.Options.SkipVerify {
		d.XPreserveUnknownFields, d.Type, d.origin.Mistake = new(true), "", structural.InShape // nothing more is said of it
	}
}

// merge returns the node with everything in its allOf merged into it. What
// cannot be merged is in the result's allOf.
func (fl *Flattener) merge(d *draft) *draft {
	if len(d.allOf) == 0 {
		return d
	}
	out := d.clone()
	out.allOf = nil
	if d.resolved {
		out.origin.Keywords = nil // they are those of a half
	}
	out.resolved = false
	fl.parts = 0
	for _, part := range d.allOf {
		fl.into(out, part)
	}
	return out
}

// into merges src, its own parts first, into dst. dst must be a clone.
func (fl *Flattener) into(dst, src *draft) {
	if fl.parts++; fl.parts > maxParts {
		if fl.parts == maxParts+1 {
			fl.builder.Reporter.Report(report.SchemaTooLarge, dst.pkg.At(dst.origin.Pos), "embed each struct once",
				"more than %d structs are embedded in each other", maxParts)
		}
		return
	}
	for _, part := range src.allOf {
		fl.into(dst, part)
	}
	var dstRest, srcRest draft
	hoisted := false

	switch {
	case src.Type == "":
	case dst.Type == "":
		dst.Type = src.Type
	case dst.Type != src.Type:
		fl.conflict(dst, src)
	}
	if src.Default != nil {
		if dst.Default == nil {
			dst.Default = src.Default
		} else if dst.Default != src.Default {
			dstRest.Default, srcRest.Default, dst.Default = dst.Default, src.Default, nil
			hoisted = true
		}
	}
	dst.Nullable = dst.Nullable || src.Nullable
	switch { // only documents of Swagger have references here
	case src.ref == nil:
	case dst.ref == nil:
		dst.ref = src.ref
	default:
		dstRest.ref, srcRest.ref, dst.ref = dst.ref, src.ref, nil
		hoisted = true
	}

	if src.values != nil {
		hoisted = mergeValues(dst, src, &dstRest, &srcRest) || hoisted
	}

	dst.object = dst.object || src.object
	fl.mergeProperties(dst, src)
	if src.items != nil {
		if dst.items == nil {
			dst.items = src.items
		} else {
			dstRest.items, srcRest.items, dst.items = dst.items, src.items, nil
			hoisted = true
		}
	}
	switch {
	case src.additional == nil:
		dst.open = dst.open || src.open && dst.additional == nil
	case dst.additional == nil:
		dst.additional, dst.open = src.additional, false
	default:
		dst.additional = fl.both(dst.additional, src.additional)
	}

	if src.XPreserveUnknownFields != nil {
		dst.XPreserveUnknownFields = src.XPreserveUnknownFields
	}
	dst.XEmbeddedResource = dst.XEmbeddedResource || src.XEmbeddedResource
	dst.XIntOrString = dst.XIntOrString || src.XIntOrString
	if len(src.XListMapKeys) > 0 {
		dst.XListMapKeys = src.XListMapKeys
	}
	if src.XListType != "" {
		dst.XListType = src.XListType
	}
	if src.XMapType != "" {
		dst.XMapType = src.XMapType
	}
	if len(src.XValidations) > 0 {
		// Later sources come first: a field's rules before its type's.
		dst.XValidations = slices.Concat(src.XValidations, dst.XValidations)
	}
	dst.origin.Keywords = mergeKeywords(dst.origin.Keywords, src.origin.Keywords)
	dst.origin.Mistake = max(dst.origin.Mistake, src.origin.Mistake)
	dst.edits = append(dst.edits, src.edits...)
	dst.metadata = cmp.Or(dst.metadata, src.metadata)
	if len(dst.constants) == 0 {
		dst.constants = src.constants
	}
	if src.cut != nil {
		dst.cut, dst.cycle = src.cut, src.cycle
	}

	if hoisted {
		dstRest.pkg, dstRest.origin = dst.pkg, structural.Origin{Pos: dst.origin.Pos}
		srcRest.pkg, srcRest.origin = src.pkg, structural.Origin{Pos: src.origin.Pos}
		dst.allOf = append(dst.allOf, &dstRest, &srcRest)
	}
}

// mergeKeywords adds the places of keywords of src to those of dst: its rules in
// front, as the rules themselves.
func mergeKeywords(dst, src []structural.KeywordOrigin) []structural.KeywordOrigin {
	if len(src) == 0 {
		return dst
	}
	out := make([]structural.KeywordOrigin, 0, len(dst)+len(src))
	for _, k := range src {
		if k.Keyword == structural.RulesKeyword {
			out = append(out, k)
		}
	}
	out = append(out, dst...)
	for _, k := range src {
		if k.Keyword != structural.RulesKeyword {
			out = append(out, k)
		}
	}
	return out
}

// mergeValues merges the value validations of src into dst's. Of two values
// for one keyword both move to the rests, and it says so.
func mergeValues(dst, src, dstRest, srcRest *draft) (hoisted bool) {
	if dst.values == nil {
		values := *src.values
		values.Required = slices.Clip(values.Required)
		dst.values = &values
		return false
	}
	d, s := dst.values, src.values
	rest := func() (*structural.ValueValidation, *structural.ValueValidation) {
		hoisted = true
		return dstRest.validation(), srcRest.validation()
	}
	text := func(field func(*structural.ValueValidation) *string) {
		switch a, b := field(d), field(s); {
		case *b == "" || *a == *b:
		case *a == "":
			*a = *b
		default:
			dr, sr := rest()
			*field(dr), *field(sr), *a = *a, *b, ""
		}
	}
	number := func(field func(*structural.ValueValidation) **float64) {
		switch a, b := field(d), field(s); {
		case *b == nil:
		case *a == nil:
			*a = *b
		default: // equal values are hoisted, too
			dr, sr := rest()
			*field(dr), *field(sr), *a = *a, *b, nil
		}
	}
	count := func(field func(*structural.ValueValidation) **int64, once bool) {
		switch a, b := field(d), field(s); {
		case *b == nil:
		case *a == nil:
			*a = *b
		case once && **a == **b:
		default:
			dr, sr := rest()
			*field(dr), *field(sr), *a = *a, *b, nil
		}
	}
	junctor := func(field func(*structural.ValueValidation) *[]structural.NestedValueValidation) {
		switch a, b := field(d), field(s); {
		case *b == nil:
		case *a == nil:
			*a = *b
		default:
			dr, sr := rest()
			*field(dr), *field(sr), *a = *a, *b, nil
		}
	}
	type values = structural.ValueValidation
	text(func(v *values) *string { return &v.Format })
	text(func(v *values) *string { return &v.Pattern })
	number(func(v *values) **float64 { return &v.Maximum })
	number(func(v *values) **float64 { return &v.Minimum })
	number(func(v *values) **float64 { return &v.MultipleOf })
	count(func(v *values) **int64 { return &v.MaxLength }, false)
	count(func(v *values) **int64 { return &v.MinLength }, false)
	count(func(v *values) **int64 { return &v.MaxItems }, false)
	count(func(v *values) **int64 { return &v.MinItems }, false)
	count(func(v *values) **int64 { return &v.MaxProperties }, true)
	count(func(v *values) **int64 { return &v.MinProperties }, true)
	junctor(func(v *values) *[]structural.NestedValueValidation { return &v.OneOf })
	junctor(func(v *values) *[]structural.NestedValueValidation { return &v.AnyOf })
	d.ExclusiveMaximum = d.ExclusiveMaximum || s.ExclusiveMaximum
	d.ExclusiveMinimum = d.ExclusiveMinimum || s.ExclusiveMinimum
	d.UniqueItems = d.UniqueItems || s.UniqueItems
	if len(d.Enum) == 0 {
		d.Enum = s.Enum // the first one counts
	}
	if s.Not != nil {
		if d.Not == nil {
			d.Not = s.Not
		} else {
			dr, sr := rest()
			dr.Not, sr.Not, d.Not = d.Not, s.Not, nil
		}
	}
	if len(s.Required) > 0 {
		d.Required = append(d.Required, s.Required...)
		slices.Sort(d.Required)
		d.Required = slices.Compact(d.Required)
	}
	return hoisted
}

// mergeProperties adds the properties of src to dst; two of one name are merged.
func (fl *Flattener) mergeProperties(dst, src *draft) {
	if len(src.properties) == 0 {
		return
	}
	if len(dst.properties) == 0 {
		dst.properties = src.properties[:len(src.properties):len(src.properties)]
		return
	}
	known := make(map[string]int, len(dst.properties))
	for i, p := range dst.properties {
		known[p.name] = i
	}
	dst.properties = slices.Clone(dst.properties)
	for _, p := range src.properties {
		i, ok := known[p.name]
		if !ok {
			dst.properties = append(dst.properties, p)
			continue
		}
		dst.properties[i].node = fl.both(dst.properties[i].node, p.node)
	}
}

// both returns a node for a value that two nodes describe. What a still has to
// merge is merged when the result is finished, and what could not be merged now
// again after that.
func (fl *Flattener) both(a, b *draft) *draft {
	out := a.clone()
	parts := out.allOf
	out.allOf = nil
	fl.into(out, b)
	out.allOf = append(slices.Clip(parts), out.allOf...)
	out.resolved = false
	return out
}

func (fl *Flattener) conflict(dst, src *draft) {
	at, other := src, dst
	if at.pkg == nil || !at.pkg.Local() && dst.pkg != nil && dst.pkg.Local() {
		at, other = dst, src
	}
	hint := ""
	if dst.Type == "string" && src.Type == "array" || dst.Type == "array" && src.Type == "string" {
		hint = "for bytes write []byte at the field, for arbitrary JSON use apiextensionsv1.JSON or mark the field +schemagen:schema={x-kubernetes-preserve-unknown-fields: true}"
	}
	dst.origin.Mistake = structural.InShape
	found := fl.builder.Reporter.Report(report.ConflictingTypes, at.pkg.At(at.origin.Pos), hint,
		"conflicting types for one value: %s and %s", dst.Type, src.Type)
	if from := other.origin.Of("type"); from.IsValid() && from != at.origin.Pos {
		found.Related = append(found.Related, diag.Related{Pos: fl.builder.Reporter.Position(from), Message: "the other one says " + other.Type})
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
