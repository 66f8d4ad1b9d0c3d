package define

import (
	"cmp"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// This file merges embedded structs and the keywords of fields into nodes.
//
// The order of merging follows controller-gen (pkg/crd/flatten.go) and affects the output: if two
// values of a keyword cannot be merged they move to allOf, in an order that depends on it.

// merge returns the node with everything in its allOf merged into it. Parts that could not
// be merged are in the allOf of the result.
func (fl *Flattener) merge(d *draft) *draft {
	if len(d.allOf) == 0 {
		return d
	}
	out := d.clone()
	out.allOf = nil
	if d.resolved {
		out.origin.Keywords = nil // they only describe the field's half
	}
	out.resolved = false
	fl.parts = 0
	for _, part := range d.allOf {
		fl.mergeInto(out, part)
	}
	fl.checkInlined(d.allOf)
	return out
}

// mergeInto merges src into dst, the parts of src first. dst must be a clone.
func (fl *Flattener) mergeInto(dst, src *draft) {
	if fl.parts++; fl.parts > maxParts {
		if fl.parts == maxParts+1 {
			fl.builder.Reporter.Report(report.SchemaTooLarge, dst.pkg.At(dst.origin.Pos), "embed each struct once",
				"more than %d embedded structs", maxParts)
		}
		return
	}
	around := fl.inlined
	if src.inlined != nil {
		fl.inlined = src.inlined
	}
	for _, part := range src.allOf {
		fl.mergeInto(dst, part)
	}
	var dstRest, srcRest draft
	hoisted := false
	keywords := mergeKeywords(dst, src)
	dst.origin.Absent = append(slices.Clip(dst.origin.Absent), src.origin.Absent...)
	dst.origin.Constants = cmp.Or(dst.origin.Constants, src.origin.Constants)

	switch {
	case src.Type == "":
	case dst.Type == "" || dst.Type == src.Type:
		dst.Type = src.Type
		dst.typed = fl.typedBy(dst)
	default:
		fl.conflict(dst, src)
	}
	fl.checkInlined(src.allOf)
	fl.inlined = around
	if src.Default != nil {
		if dst.Default == nil {
			dst.Default = src.Default
		} else if dst.Default != src.Default {
			dstRest.Default = dst.Default
			srcRest.Default = src.Default
			dst.Default = nil
			hoisted = true
		}
	}
	dst.Nullable = dst.Nullable || src.Nullable
	switch { // references only remain in Swagger documents
	case src.ref == nil:
	case dst.ref == nil:
		dst.ref = src.ref
	default:
		dstRest.ref = dst.ref
		srcRest.ref = src.ref
		dst.ref = nil
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
			dstRest.items = dst.items
			srcRest.items = src.items
			dst.items = nil
			hoisted = true
		}
	}
	switch {
	case src.additional == nil:
		dst.open = dst.open || src.open && dst.additional == nil
	case dst.additional == nil:
		dst.additional = src.additional
		dst.open = false
	default:
		dst.additional = fl.combine(dst.additional, src.additional)
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
		// Rules of src come first: those of a field before those of its type.
		dst.XValidations = slices.Concat(src.XValidations, dst.XValidations)
	}
	dst.origin.Keywords = keywords
	dst.origin.Mistake = max(dst.origin.Mistake, src.origin.Mistake)
	dst.edits = append(dst.edits, src.edits...)
	dst.metadata = cmp.Or(dst.metadata, src.metadata)
	if len(dst.constants) == 0 {
		dst.constants = src.constants
	}
	if src.cut != nil {
		dst.cut = src.cut
		dst.cycle = src.cycle
	}

	if hoisted {
		dstRest.pkg = dst.pkg
		dstRest.origin = structural.Origin{Pos: dst.origin.Pos}
		srcRest.pkg = src.pkg
		srcRest.origin = structural.Origin{Pos: src.origin.Pos}
		dst.allOf = append(dst.allOf, &dstRest, &srcRest)
	}
}

// mergeKeywords returns the keyword positions of dst and src, which are not merged yet. Those of
// rules of src go in front, in the same order as the rules themselves, and that of an enum is
// left out if dst has one, which takes precedence.
func mergeKeywords(dst, src *draft) []structural.KeywordOrigin {
	if len(src.origin.Keywords) == 0 {
		return dst.origin.Keywords
	}
	hasEnum := dst.values != nil && len(dst.values.Enum) > 0
	out := make([]structural.KeywordOrigin, 0, len(dst.origin.Keywords)+len(src.origin.Keywords))
	for _, k := range src.origin.Keywords {
		if k.Keyword == keywords.Rules {
			out = append(out, k)
		}
	}
	out = append(out, dst.origin.Keywords...)
	for _, k := range src.origin.Keywords {
		if k.Keyword != keywords.Rules && (k.Keyword != "enum" || !hasEnum) {
			out = append(out, k)
		}
	}
	return out
}

// mergeValues merges the value validations of src into dst. If a keyword has two values
// that cannot be merged, it moves them to dstRest and srcRest and returns true.
func mergeValues(dst, src, dstRest, srcRest *draft) (hoisted bool) {
	if dst.values == nil {
		values := *src.values
		values.Required = slices.Clip(values.Required)
		dst.values = &values
		return false
	}
	d := dst.values
	s := src.values
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
			*field(dr) = *a
			*field(sr) = *b
			*a = ""
		}
	}
	number := func(field func(*structural.ValueValidation) **float64) {
		switch a, b := field(d), field(s); {
		case *b == nil:
		case *a == nil:
			*a = *b
		default: // equal values are moved, too
			dr, sr := rest()
			*field(dr) = *a
			*field(sr) = *b
			*a = nil
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
			*field(dr) = *a
			*field(sr) = *b
			*a = nil
		}
	}
	junctor := func(field func(*structural.ValueValidation) *[]structural.NestedValueValidation) {
		switch a, b := field(d), field(s); {
		case *b == nil:
		case *a == nil:
			*a = *b
		default:
			dr, sr := rest()
			*field(dr) = *a
			*field(sr) = *b
			*a = nil
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
		d.Enum = s.Enum // dst takes precedence
	}
	if s.Not != nil {
		if d.Not == nil {
			d.Not = s.Not
		} else {
			dr, sr := rest()
			dr.Not = d.Not
			sr.Not = s.Not
			d.Not = nil
		}
	}
	if len(s.Required) > 0 {
		d.Required = append(d.Required, s.Required...)
		slices.Sort(d.Required)
		d.Required = slices.Compact(d.Required)
	}
	return hoisted
}

// mergeProperties adds the properties of src to dst. Properties of the same name are
// merged.
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
		dst.properties[i].node = fl.combine(dst.properties[i].node, p.node)
	}
}

// combine returns a node for a value that is described by two nodes. Pending parts of a, and
// the parts that cannot be merged now, are merged when the result is finished.
func (fl *Flattener) combine(a, b *draft) *draft {
	out := a.clone()
	parts := out.allOf
	out.allOf = nil
	around := fl.inlined
	fl.inlined = nil
	fl.mergeInto(out, b)
	fl.inlined = around
	out.allOf = append(slices.Clip(parts), out.allOf...)
	out.resolved = false
	return out
}

func (fl *Flattener) conflict(dst, src *draft) {
	place := src
	other := dst
	if place.pkg == nil || !place.pkg.Local() && dst.pkg != nil && dst.pkg.Local() {
		place = dst
		other = src
	}
	hint := ""
	if dst.Type == "string" && src.Type == "array" || dst.Type == "array" && src.Type == "string" {
		hint = "for bytes write []byte at the field, for arbitrary JSON use apiextensionsv1.JSON or mark the field +schemagen:schema={x-kubernetes-preserve-unknown-fields: true}"
	}
	dst.origin.Mistake = notes.InShape
	if fl.inlined != nil && src.Type != "object" {
		fl.refuse(fl.inlined, src.Type)
		return
	}
	if len(dst.typed) > 0 && dst.Type != "object" {
		for _, f := range dst.typed {
			fl.refuse(f, dst.Type)
		}
		return
	}
	found := fl.builder.Reporter.Report(report.ConflictingTypes, place.pkg.At(place.origin.Pos), hint,
		"conflicting types for one value: %s and %s", dst.Type, src.Type)
	if start := other.origin.Of("type"); start.IsValid() && start != place.origin.Pos {
		found.Related = append(found.Related, diag.Related{Pos: fl.builder.Reporter.Position(start), Message: "the other type is " + other.Type})
	}
}
