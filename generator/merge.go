package generator

import (
	"slices"

	"github.com/schemagen/schemagen/diag"
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

// flattener resolves and merges drafts. Results are shared: a type is resolved
// once and merged once, however many fields refer to it.
type flattener struct {
	builder *builder
	// flat are the types with their references resolved. A type that is being
	// resolved is an empty node.
	flat map[unrolled]*draft
	// unroll are the types with a bound that are being resolved.
	unroll []*typeDecl
	// way leads from the root to the node that is being resolved.
	way []wayStep
	// merged are the merged types, by their resolved draft.
	merged map[*draft]*draft
	// finished are the schemas of nodes, by their resolved draft.
	finished map[*draft]*structural.Schema
	// special are the flatteners of packages with overrides.
	special map[*pkg]*flattener
	// maxDescription is the limit for descriptions in bytes, negative for none.
	maxDescription int
}

// forPackage returns the flattener for the kinds of a package. Packages that
// say something about types elsewhere, or that have a limit for descriptions of
// their own, have one of their own.
func (fl *flattener) forPackage(p *pkg) *flattener {
	overrides, limit := p.describe().overrides, p.settings().MaxDescription
	if len(overrides) == 0 && limit == fl.builder.options.MaxDescription {
		return fl
	}
	if fl.special[p] == nil {
		b := *fl.builder
		b.types, b.overrides = map[*typeDecl]*draft{}, slices.Concat(b.overrides, overrides)
		fl.special[p] = newFlattener(&b)
		fl.special[p].limit(limit)
	}
	return fl.special[p]
}

// root returns the schema of a root type.
func (fl *flattener) root(t *typeDecl) *structural.Schema {
	resolved, ok := fl.flat[unrolled{decl: t}]
	if !ok {
		// The root itself is not marked as being resolved: where it is met
		// inside of itself it is unrolled once more, and then cut.
		if t.recursion() != nil {
			fl.unroll = append(fl.unroll, t)
			defer func() { fl.unroll = nil }()
		}
		fl.way = append(fl.way[:0], wayStep{decl: t})
		resolved = fl.resolve(fl.builder.build(t))
		fl.flat[unrolled{decl: t}] = resolved
	}
	return fl.finish(resolved)
}

// typeOf returns the draft of a type with its references resolved. Of a type
// whose recursion has ended there is none.
func (fl *flattener) typeOf(t *typeDecl) *draft {
	if bound := t.recursion(); bound != nil {
		if fl.depth(t) >= bound.Depth {
			return fl.end(t, bound)
		}
		fl.unroll = append(fl.unroll, t)
		defer func() { fl.unroll = fl.unroll[:len(fl.unroll)-1] }()
	}
	key := fl.key(t)
	if d, ok := fl.flat[key]; ok {
		if d.cut == t && d.cycle == "" {
			return &draft{cut: t, cycle: fl.cycle(t), pkg: t.pkg}
		}
		return d
	}
	fl.way = append(fl.way, wayStep{decl: t})
	fl.flat[key] = &draft{cut: t, pkg: t.pkg}
	d := fl.resolve(fl.builder.build(t))
	fl.flat[key] = d
	fl.way = fl.way[:len(fl.way)-1]
	return d
}

// resolve returns the draft with all references below it resolved: a reference
// becomes a node whose allOf are the type and what the field says, documented
// by the field, or else by the type. It returns nil for what a bounded recursion
// leaves out.
func (fl *flattener) resolve(d *draft) *draft {
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
func (fl *flattener) finish(d *draft) *structural.Schema {
	if s, ok := fl.finished[d]; ok {
		return s
	}
	reporter := fl.builder.reporter
	reporter.via = append(reporter.via, step{pkg: d.pkg, pos: d.origin.Pos})
	var s *structural.Schema
	if d.resolved && !d.allOf[1].shapes() {
		s = fl.finishReference(d)
	} else {
		merged := fl.merge(d)
		fl.checkCut(merged)
		s = fl.edited(fl.convert(merged, nil), merged.edits)
	}
	reporter.via = reporter.via[:len(reporter.via)-1]
	fl.finished[d] = s
	return s
}

// shapes reports whether the node has children of its own.
func (d *draft) shapes() bool {
	return d.object || d.items != nil || d.additional != nil || d.open || len(d.allOf) > 0
}

// finishReference finishes a resolved reference whose field adds keywords but
// no children: the children of the type are shared.
func (fl *flattener) finishReference(d *draft) *structural.Schema {
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
	keep := merged.allOf
	fl.into(out, own)
	out.allOf = append(slices.Clip(keep), out.allOf...)
	out.pkg = d.pkg
	fl.checkCut(out)
	return fl.edited(fl.convert(out, shared), out.edits)
}

// checkCut reports a recursion that leaves a value without a type, or an array
// without items: the API server refuses it.
func (fl *flattener) checkCut(d *draft) {
	switch {
	case d.cut == nil:
		return
	case d.Type == "array" && d.items == nil:
	case d.Type != "" || d.XIntOrString || d.XPreserveUnknownFields != nil:
		return
	}
	fl.builder.reporter.errorf(codeRecursive, d.pkg, d.origin.Pos,
		"a CRD schema cannot be recursive: bound the type with +schemagen:recursion:depth=3, mark the field +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields, or use apiextensionsv1.JSON",
		"type %s contains itself: %s", d.cut, d.cycle)
	d.XPreserveUnknownFields, d.Type = new(true), "" // nothing more is said of it
}

// merge returns the node with everything in its allOf merged into it. What
// cannot be merged is in the result's allOf.
func (fl *flattener) merge(d *draft) *draft {
	if len(d.allOf) == 0 {
		return d
	}
	out := d.clone()
	out.allOf = nil
	if d.resolved {
		out.origin.Keywords = nil // they are those of a half
	}
	out.resolved = false
	for _, part := range d.allOf {
		fl.into(out, part)
	}
	return out
}

// into merges src, its own parts first, into dst. dst must be a clone.
func (fl *flattener) into(dst, src *draft) {
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
	dst.edits = append(dst.edits, src.edits...)
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
		if k.Keyword == rulesKeyword {
			out = append(out, k)
		}
	}
	out = append(out, dst...)
	for _, k := range src {
		if k.Keyword != rulesKeyword {
			out = append(out, k)
		}
	}
	return out
}

const rulesKeyword = "x-kubernetes-validations"

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
func (fl *flattener) mergeProperties(dst, src *draft) {
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
func (fl *flattener) both(a, b *draft) *draft {
	out := a.clone()
	parts := out.allOf
	out.allOf = nil
	fl.into(out, b)
	out.allOf = append(slices.Clip(parts), out.allOf...)
	out.resolved = false
	return out
}

func (fl *flattener) conflict(dst, src *draft) {
	at, other := src, dst
	if at.pkg == nil || !at.pkg.local() && dst.pkg != nil && dst.pkg.local() {
		at, other = dst, src
	}
	hint := ""
	if dst.Type == "string" && src.Type == "array" || dst.Type == "array" && src.Type == "string" {
		hint = "for bytes write []byte at the field, for arbitrary JSON use apiextensionsv1.JSON or mark the field +schemagen:schema={x-kubernetes-preserve-unknown-fields: true}"
	}
	fl.builder.reporter.errorf(codeConflict, at.pkg, at.origin.Pos, hint,
		"conflicting types for one value: %s and %s", dst.Type, src.Type)
	if from := other.origin.Of("type"); from.IsValid() && from != at.origin.Pos {
		found := &fl.builder.reporter.list[len(fl.builder.reporter.list)-1]
		found.Related = append(found.Related, diag.Related{Pos: fl.builder.reporter.position(from), Message: "the other one says " + other.Type})
	}
}

// convert returns a merged node as a schema. The children come from shared if
// it is not nil.
func (fl *flattener) convert(d *draft, shared *structural.Schema) *structural.Schema {
	s := &structural.Schema{
		Generic:         d.Generic,
		Extensions:      d.Extensions,
		ValueValidation: d.values,
		Origin:          d.origin,
	}
	s.Description = truncate(fl.description(d), fl.maxDescription)
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
			s.Properties = append(s.Properties, structural.Property{Name: p.name, Schema: fl.finish(p.node)})
		}
		sortProperties(s.Properties)
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

// sortProperties brings properties into the order in which they are printed.
func sortProperties(list []structural.Property) {
	slices.SortFunc(list, func(a, b structural.Property) int {
		switch {
		case naturalLess(a.Name, b.Name):
			return -1
		case naturalLess(b.Name, a.Name):
			return 1
		}
		return 0
	})
}

func newFlattener(b *builder) *flattener {
	fl := &flattener{
		builder:  b,
		flat:     map[unrolled]*draft{},
		merged:   map[*draft]*draft{},
		finished: map[*draft]*structural.Schema{},
		special:  map[*pkg]*flattener{},
	}
	fl.limit(b.options.MaxDescription)
	return fl
}

// limit sets the limit for descriptions; nil is none.
func (fl *flattener) limit(bytes *int) {
	fl.maxDescription = -1
	if bytes != nil {
		fl.maxDescription = *bytes
	}
}
