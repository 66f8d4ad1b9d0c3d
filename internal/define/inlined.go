package define

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file checks fields whose types are merged into the struct that has them: those without a
// name in the json tag, or with the option inline. encoding/json, which Go clients use, only does
// so for embedded structs without a name; it does not know the option.

// inlinedField is a field that the schema merges into its struct.
type inlinedField struct {
	owner *source.Type
	field *source.Field
	tag   source.JSONTag
}

// checkInlined reports the fields of a struct that the schema merges into it, but not
// encoding/json. parts are the nodes that have been merged.
func (fl *Flattener) checkInlined(parts []*draft) {
	for _, part := range parts {
		f := part.inlined
		if f == nil || fl.refused[f] || !f.owner.Pkg.Local() {
			continue
		}
		if f.kind() != source.KindUnknown && !f.mergedInGo() { // an unknown type has been reported
			fl.builder.reportInlined(f)
		}
	}
}

// typedBy returns the inlined fields that gave dst its type, once the current node is merged into it.
func (fl *Flattener) typedBy(dst *draft) []*inlinedField {
	if fl.inlined == nil {
		return nil
	}
	return append(slices.Clip(dst.typed), fl.inlined)
}

// refuse reports, once, a field that the schema merges into its struct although its type is not
// that of an object.
func (fl *Flattener) refuse(f *inlinedField, typ string) {
	if fl.refused[f] {
		return
	}
	if fl.refused == nil {
		fl.refused = map[*inlinedField]bool{}
	}
	fl.refused[f] = true
	hint := f.hint()
	if writesItself(f.owner) {
		hint = fmt.Sprintf("a method of %s writes %s: mark %s with +kubebuilder:validation:Type=%s", f.field.GoName(), f.owner, f.owner, typ)
	}
	fl.builder.Reporter.Report(report.ConflictingTypes, f.owner.Pkg.At(f.field.Pos), hint,
		"field %s is merged into %s, but its type is %s: only objects can be merged", f.field.GoName(), f.owner, typ)
}

// mergedInGo reports whether encoding/json merges the field, too, or does not see it because a
// method writes the struct.
func (f *inlinedField) mergedInGo() bool {
	if f.field.Name == "" && !source.IsJSONName(f.tag.Name) && f.kind() == source.KindStruct {
		return true
	}
	return writesItself(f.owner)
}

// writesItself reports whether a method of a type determines its JSON, whatever its json tags.
func writesItself(t *source.Type) bool { return t.Marshals("MarshalJSON") || t.Marshals("MarshalText") }

// kind returns the kind of the field's type, or of what it points to.
func (f *inlinedField) kind() source.Kind {
	return source.UnderlyingOf(f.owner.File, source.Pointee(f.field.Type)).Kind
}

// reportInlined reports a field that the schema merges into its struct, but not encoding/json.
func (b *Builder) reportInlined(f *inlinedField) {
	name := f.field.GoName()
	origin := f.owner.Pkg.At(f.field.Pos)
	if isIgnored(f.owner.File, f.field) {
		b.Reporter.Report(report.MisleadingJSONTag, origin, "export the field, or write `json:\"-\"`",
			"the schema merges field %s into %s, but encoding/json ignores it: the field is not exported", name, f.owner)
		return
	}
	written := name
	if source.IsJSONName(f.tag.Name) {
		written = f.tag.Name
	}
	found := b.Reporter.Report(report.MisleadingJSONTag, origin, f.hint(),
		"the schema merges field %s into %s, but encoding/json writes it as %q, which the API server drops or refuses", name, f.owner, written)
	syntax := report.FieldAt(f.owner.File, f.field.Pos)
	switch {
	case syntax == nil || len(syntax.Names) > 1:
	case f.embeddable():
		b.Reporter.Fix(found, "embed "+f.field.Name, &markers.Edit{Pos: syntax.Pos(), End: syntax.Type.Pos()})
	default:
		b.fixTag(found, f.owner, f.field, f.namedTag())
	}
}

// embeddable reports whether the field can be embedded: it is a struct with the name of its type,
// so that the Go code that uses it remains valid, and without methods that would write the struct
// around it.
func (f *inlinedField) embeddable() bool {
	typ := &source.Field{Type: f.field.Type}
	if f.field.Name != typ.GoName() || f.tag.Name != "" || !f.tag.Has("inline") || f.kind() != source.KindStruct {
		return false
	}
	name, missing := f.owner.File.Resolve(source.Pointee(f.field.Type))
	return missing == nil && name.Type != nil && !name.Type.HasMethod("MarshalJSON") && !name.Type.HasMethod("MarshalText")
}

func (f *inlinedField) hint() string {
	if f.embeddable() {
		return "embed it: remove the name " + f.field.Name
	}
	return fmt.Sprintf("write `json:%q`", f.namedTag())
}

// namedTag returns the json tag that makes the field a property.
func (f *inlinedField) namedTag() string {
	name := f.tag.Name
	if !source.IsJSONName(name) {
		name = jsonName(f.field.GoName())
	}
	options := f.tag.Others("inline")
	if f.mayBeNil() && !f.tag.Omits() {
		options = append(options, "omitempty")
	}
	tag := strings.Join(append([]string{name}, options...), ",")
	if tag == "-" {
		return "-,"
	}
	return tag
}

// mayBeNil reports whether encoding/json can write the field as null, which is not valid.
func (f *inlinedField) mayBeNil() bool {
	switch source.UnderlyingOf(f.owner.File, f.field.Type).Kind {
	case source.KindPointer, source.KindMap, source.KindSlice, source.KindInterface:
		return true
	}
	return false
}

// checkInlinedMarkers warns about an inlined struct that is marked as required: only its fields can be
// required. A marker that makes it optional is harmless.
func (b *Builder) checkInlinedMarkers(t *source.Type, field *source.Field) {
	for _, m := range field.Markers {
		if m.Name == markers.ReadOnlyName {
			b.Reporter.Report(report.WrongTarget, t.Pkg.At(m.Pos), "put it on the fields of the struct", "+%s cannot apply to an inlined struct: it is not a property that can be compared", m.Name)
		}
		if m.Presence().Required() && field.Markers.Get(m.Name) == m {
			b.Reporter.Report(report.WrongTarget, t.Pkg.At(m.Pos), "put it on the fields of the struct", "+%s on an inlined struct requires a property without a name, so that no object is valid", m.Name)
		}
	}
}
