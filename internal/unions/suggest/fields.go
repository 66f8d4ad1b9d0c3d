package suggest

import (
	"go/ast"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/unions/gounions"
)

// This file describes the fields of a struct for suggestions: their roles by markers, whether
// they can be members, and their values.

// role is the role in a union that the markers of a field give it.
type role int

const (
	roleNone role = iota
	roleDiscriminator
	roleMember
)

// unionField is a field of a struct that may be part of a union.
type unionField struct {
	field *source.Field
	// name is the JSON name.
	name     string
	comments []markers.Comment
	// shared is set if the declaration has several names, so that a marker would apply to
	// all.
	shared bool
	// omits is set if the json tag omits the field when it is empty.
	omits    bool
	required bool

	role role
	// native is set if the marker is from KEP-1027 or the structural-schema KEP, not one of
	// Kubernetes' declarative-validation tags.
	native bool
	// text is the marker that gives the role, and marker its parsed form: nil if it is nested
	// in another tag, as in +k8s:beta(…)=+k8s:unionMember.
	text   string
	marker *markers.Marker
}

// unionFields returns the fields that have a JSON name, and the number of other fields that
// add to the JSON of the struct.
func (s *suggester) unionFields(t *source.Type) (fields []*unionField, rest int) {
	st := t.Spec.Type.(*ast.StructType)
	comments := t.File.Comments.Fields(st)
	optional := s.Optional(t.Pkg)
	declared := t.Fields()
	for i, entry := range st.Fields.List {
		n := max(len(entry.Names), 1)
		for _, field := range declared[:n] {
			tag := field.JSON()
			if !tag.IsSet || tag.Excluded || field.Markers.Get(markers.OmitName) != nil || field.Name != "" && !ast.IsExported(field.Name) {
				continue
			}
			if tag.Name == "" {
				rest++
				continue
			}
			f := &unionField{field: field, name: tag.Name, comments: comments[i], shared: n > 1, omits: tag.Omits()}
			f.required, _ = s.Requires(field, optional, f.omits)
			f.readRole()
			fields = append(fields, f)
		}
		declared = declared[n:]
	}
	return fields, rest
}

// readRole sets the role from the markers of the field. A tag also counts if it is nested in
// one for a stability level or an option: then it need not be suggested again.
func (f *unionField) readRole() {
	for _, comment := range f.comments {
		text := comment.Text
		for staged().MatchString(text) {
			text = staged().ReplaceAllString(text, "")
		}
		name := strings.TrimPrefix(text, "+")
		if i := strings.IndexAny(name, "=(, "); i >= 0 {
			name = name[:i]
		}
		switch name {
		case markers.UnionDiscriminatorName, markers.DiscriminatorName:
			f.role = roleDiscriminator
			f.native = true
		case markers.TagUnionDiscriminatorName:
			f.role = roleDiscriminator
		case markers.UnionMemberName, markers.UnionName:
			f.role = roleMember
			f.native = true
		case markers.TagUnionMemberName, markers.TagZeroOrOneOfMemberName:
			f.role = roleMember
		default:
			continue
		}
		f.text = comment.Text
		if text == comment.Text {
			f.marker = f.field.Markers.Get(name)
		}
		return
	}
}

var staged = lazyregexp.New(`^\+k8s:(?:alpha|beta|ifEnabled|ifDisabled)\([^)]*\)=`)

// whyNotMember returns why the field cannot be a member; empty if it can.
func (f *unionField) whyNotMember() string {
	switch {
	case f.field.Markers.Get(markers.NullableName) != nil:
		return "remove +nullable"
	case f.field.Markers.Get(markers.DefaultName) != nil || f.field.Markers.Get(markers.PlainDefaultName) != nil:
		return "remove its default"
	case f.field.IsPointer() && f.required:
		return "make it optional: omitempty, and +optional"
	case f.field.IsPointer() || f.neverEmpty() && !f.required:
		return ""
	}
	switch f.field.Type.(type) {
	case *ast.ArrayType, *ast.MapType:
		return "make it optional and never empty: omitempty, +optional, and a minimum of 1 item or property"
	}
	return "make it a pointer with omitempty, and +optional"
}

// neverEmpty reports whether the field is a list or map that is omitted from JSON when empty
// and that its schema does not allow to be empty.
func (f *unionField) neverEmpty() bool {
	switch f.field.Type.(type) {
	case *ast.ArrayType, *ast.MapType:
	default:
		return false
	}
	for _, m := range f.field.Markers {
		switch bound := m.Value.(type) {
		case crdmarkers.MinItems:
			return f.omits && bound > 0
		case crdmarkers.MinProperties:
			return f.omits && bound > 0
		}
	}
	return false
}

// choices are the possible values of a field of a string type.
type choices struct {
	values []string
	// typ is the type whose constants are the values; nil if a marker lists them.
	typ *source.Type
	// closed is set if a marker excludes all other values.
	closed bool
}

// choicesOf returns the values of a field; none if it is not a string enum.
func (s *suggester) choicesOf(t *source.Type, f *unionField) choices {
	typ := source.Pointee(f.field.Type)
	if body := source.UnderlyingOf(t.File, typ); body.Kind != source.KindBasic || body.Basic != "string" {
		return choices{}
	}
	if m := f.field.Markers.Get(markers.ValuesName); m != nil {
		return choices{values: enumStrings(m), closed: true}
	}
	name, why := t.File.Resolve(typ)
	if why != nil || name.Type == nil {
		return choices{}
	}
	if m := name.Type.Load().Markers.Get(markers.ValuesName); m != nil {
		return choices{values: enumStrings(m), closed: true}
	}
	enum, _ := gounions.EnumTypeOf(t, f.field)
	c := choices{typ: name.Type, closed: enum != nil}
	all, _ := name.Type.Constants() // constants without a value are reported where enums are enabled
	for _, constant := range all {
		if !constant.Excluded && !slices.Contains(c.values, constant.Value) {
			c.values = append(c.values, constant.Value)
		}
	}
	return c
}

func enumStrings(m *markers.Marker) []string {
	var out []string
	values, _ := m.Value.(crdmarkers.Enum)
	for _, value := range values {
		if text, ok := value.(string); ok {
			out = append(out, text)
		}
	}
	return out
}
