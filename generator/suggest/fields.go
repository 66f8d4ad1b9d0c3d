package suggest

import (
	"go/ast"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/generator/internal/gounions"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
)

// This file is what a suggestion needs to know of the fields of a struct: what
// they are by their markers, what they can be, and what values they have.

// role is what the markers of a field make it.
type role int

const (
	roleNone role = iota
	roleDiscriminator
	roleMember
)

// unionField is a field of a struct as a union sees it.
type unionField struct {
	field *source.Field
	// name is that of the field in JSON.
	name     string
	comments []markers.Comment
	// shared: the declaration has several names, and a marker would be for all.
	shared bool
	// omits: the json tag leaves the field out where it is empty.
	omits    bool
	required bool

	role role
	// native: the marker is KEP-1027's or the structural-schema KEP's, not one of
	// Kubernetes' declarative-validation tags.
	native bool
	// text is the marker that gives the role, and marker the same as it was parsed:
	// nil if it stands behind another tag, as in +k8s:beta(…)=+k8s:unionMember.
	text   string
	marker *markers.Marker
}

// unionFields returns the fields that have a name in JSON, and how many others
// bring something into the JSON of the struct.
func (s *suggester) unionFields(t *source.Type) (fields []*unionField, others int) {
	st := t.Spec.Type.(*ast.StructType)
	comments := t.File.Comments.Fields(st)
	optional := s.Optional(t.Pkg)
	declared := t.Fields()
	for i, entry := range st.Fields.List {
		n := max(len(entry.Names), 1)
		for _, field := range declared[:n] {
			tag, ok := field.Tag.Lookup("json")
			if !ok || tag == "-" || field.Markers.Get(markers.OmitName) != nil || field.Name != "" && !ast.IsExported(field.Name) {
				continue
			}
			name, options, _ := strings.Cut(tag, ",")
			if name == "" {
				others++
				continue
			}
			f := &unionField{field: field, name: name, comments: comments[i], shared: n > 1}
			for option := range strings.SplitSeq(options, ",") {
				f.omits = f.omits || option == "omitempty" || option == "omitzero"
			}
			f.required, _ = s.Requires(field, optional, f.omits)
			f.readRole()
			fields = append(fields, f)
		}
		declared = declared[n:]
	}
	return fields, others
}

// readRole reads what the markers of the field say of unions. A tag counts also
// where a stability level or an option stands in front of it: it is not for us
// to say again.
func (f *unionField) readRole() {
	for _, c := range f.comments {
		text := c.Text
		for staged().MatchString(text) {
			text = staged().ReplaceAllString(text, "")
		}
		name := strings.TrimPrefix(text, "+")
		if i := strings.IndexAny(name, "=(, "); i >= 0 {
			name = name[:i]
		}
		switch name {
		case markers.UnionDiscriminatorName, markers.DiscriminatorName:
			f.role, f.native = roleDiscriminator, true
		case markers.TagUnionDiscriminatorName:
			f.role = roleDiscriminator
		case markers.UnionMemberName, markers.UnionName:
			f.role, f.native = roleMember, true
		case markers.TagUnionMemberName, markers.TagZeroOrOneOfMemberName:
			f.role = roleMember
		default:
			continue
		}
		f.text = c.Text
		if text == c.Text {
			f.marker = f.field.Markers.Get(name)
		}
		return
	}
}

var staged = lazily(`^\+k8s:(?:alpha|beta|ifEnabled|ifDisabled)\([^)]*\)=`)

// unfit says what keeps the field from being a member; empty if it can be one.
func (f *unionField) unfit() string {
	switch {
	case f.field.Markers.Get(markers.NullableName) != nil:
		return "remove +nullable"
	case f.field.Markers.Get(markers.DefaultName) != nil || f.field.Markers.Get(markers.PlainDefaultName) != nil:
		return "remove its default"
	case f.pointer() && f.required:
		return "make it optional: omitempty, and +optional"
	case f.pointer() || f.neverEmpty() && !f.required:
		return ""
	}
	switch f.field.Type.(type) {
	case *ast.ArrayType, *ast.MapType:
		return "make it optional and never empty: omitempty, +optional, and a minimum of 1 item or property"
	}
	return "make it a pointer with omitempty, and +optional"
}

func (f *unionField) pointer() bool {
	_, ok := f.field.Type.(*ast.StarExpr)
	return ok
}

// neverEmpty reports whether the field is a list or map that is left out of the
// JSON where it is empty, and which the schema does not allow to be empty.
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

// choices are the values that a field of a string type may have.
type choices struct {
	values []string
	// typ is the type whose constants the values are; nil if a marker lists them.
	typ *source.Type
	// closed: a marker says that there are no others.
	closed bool
}

// choicesOf returns the values of a field; none if it is no enum of strings.
func (s *suggester) choicesOf(t *source.Type, f *unionField) choices {
	typ := f.field.Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
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
	all, _ := name.Type.Constants() // what has no value is reported where enums are switched on
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
