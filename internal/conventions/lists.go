package conventions

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file has the rules about lists and about bounds.

// listType reports a list without a list type, and a set of objects.
func (p *pass) listType(f *field) {
	switch s := f.schema; {
	case s.Type != "array" || f.name == "conditions":
	case s.XListType == "":
		d := p.report(f, f.Pos, "write // +listType=atomic, which is what it is without a marker, or +listType=map with +listMapKey", "list %s has no list type, which determines how changes of several clients are merged", f.name)
		if written := report.FieldAt(f.owner.File, f.Pos); written != nil {
			p.Fix(d, "write // +listType=atomic", p.MarkerAbove(f.owner.File, written.Pos(), "+listType=atomic"))
		}
	case s.XListType == "set" && s.Items != nil && s.Items.Type == "object":
		p.report(f, f.Pos, "use +listType=map with +listMapKey, or +listType=atomic", "list %s is a set of objects: an object that changes becomes another one", f.name)
	}
}

// elements reports a list of structs without a required field.
func (p *pass) elements(f *field) {
	array := false
	for s := range f.steps() {
		switch s.expr.(type) {
		case *ast.ArrayType:
			array = true
		case *ast.MapType:
			array = false
		case *ast.StructType:
			if array && mayBeEmpty(s) {
				p.report(f, f.Pos, "make a field required, such as a name", "an element of list %s may be empty: no field of it is required", f.name)
			}
		}
	}
}

// mayBeEmpty reports whether an object without properties is valid for a struct.
func mayBeEmpty(s step) bool {
	if len(s.schema.Properties) == 0 || holds(s.schema, func(v *structural.ValueValidation) bool {
		return len(v.Required)+len(v.OneOf)+len(v.AnyOf) > 0 || v.MinProperties != nil && *v.MinProperties > 0
	}) {
		return false
	}
	if s.named != nil && slices.ContainsFunc(s.named.Load().Markers, func(m *markers.Marker) bool {
		return strings.HasSuffix(m.Name, ":ExactlyOneOf") || strings.HasSuffix(m.Name, ":AtLeastOneOf")
	}) {
		return false
	}
	st := s.expr.(*ast.StructType)
	return !slices.ContainsFunc(source.AnonymousStruct(s.file, st).Fields(),
		func(f *source.Field) bool { return f.Markers.InUnion() })
}

// conditions reports conditions that are not declared as in Kubernetes.
func (p *pass) conditions(f *field) {
	if f.name != "conditions" {
		return
	}
	isCondition := false
	for s := range f.steps() {
		isCondition = s.declared != nil && s.declared.Spec.Name.Name == "Condition" && s.declared.Pkg.Path == "k8s.io/apimachinery/pkg/apis/meta/v1"
	}
	if !isCondition || f.schema.Type != "array" {
		p.report(f, f.Pos, "use []metav1.Condition", "conditions have another type than []metav1.Condition, which clients know")
		return
	}
	var missing []string
	if f.schema.XListType != "map" {
		missing = append(missing, "+listType=map")
	}
	if !slices.Equal(f.schema.XListMapKeys, []string{"type"}) {
		missing = append(missing, "+listMapKey=type")
	}
	if f.presence() == nil {
		missing = append(missing, optional)
	}
	if len(missing) > 0 {
		d := p.report(f, f.Pos, "write above it: // "+strings.Join(missing, ", // "), "conditions without %s", strings.Join(missing, " and "))
		written := report.FieldAt(f.owner.File, f.Pos)
		if written != nil && (f.schema.XListType == "" || f.schema.XListType == "map") && len(f.schema.XListMapKeys) <= 1 {
			p.Fix(d, "write the markers", p.MarkerAbove(f.owner.File, written.Pos(), strings.Join(missing, "\n// ")))
		}
	}
	if f.owner.Fields()[0].Pos != f.Pos {
		p.report(f, f.Pos, "move them up", "conditions are not the first field of %s", f.owner)
	}
}

// maximum reports strings, lists and maps of any length.
func (p *pass) maximum(f *field) {
	p.bound(f, "maximum", "Max", func(v *structural.ValueValidation) (length, items, properties *int64) {
		return v.MaxLength, v.MaxItems, v.MaxProperties
	})
}

// minimum reports strings, lists, maps and structs that may be empty without saying so.
func (p *pass) minimum(f *field) {
	p.bound(f, "minimum", "Min", func(v *structural.ValueValidation) (length, items, properties *int64) {
		return v.MinLength, v.MinItems, v.MinProperties
	})
	for s := range f.steps() {
		if s.schema != f.schema {
			return // elements reports those of lists
		}
		if _, ok := s.expr.(*ast.StructType); ok && mayBeEmpty(s) &&
			!holds(s.schema, func(v *structural.ValueValidation) bool { return v.MinProperties != nil }) {
			p.report(f, f.Pos, "require a field, or write +kubebuilder:validation:MinProperties", "field %s may be empty: no field of it is required", f.name)
		}
	}
}

// bound reports strings, lists and maps without a bound of the given name, which boundsOf returns.
func (p *pass) bound(f *field, name, prefix string, boundsOf func(*structural.ValueValidation) (length, items, properties *int64)) {
	what := "field " + f.name
	items := ""
	lacks := func(s *structural.Schema, has func(length, items, properties *int64) bool) bool {
		return !holds(s, func(v *structural.ValueValidation) bool { return len(v.Enum) > 0 || has(boundsOf(v)) })
	}
	for s := range f.steps() {
		switch s.expr.(type) {
		case *ast.ArrayType:
			if s.schema.Type == "string" {
				break // bytes
			}
			if s.schema.Type == "array" && lacks(s.schema, func(_, items, _ *int64) bool { return items != nil }) {
				p.report(f, f.Pos, "write +kubebuilder:validation:"+items+prefix+"Items", "%s has no %s number of items", what, name)
			}
			what = "an element of field " + f.name
			items = "items:"
			continue
		case *ast.MapType:
			if lacks(s.schema, func(_, _, properties *int64) bool { return properties != nil }) {
				p.report(f, f.Pos, "write +kubebuilder:validation:"+items+prefix+"Properties", "%s has no %s number of properties", what, name)
			}
			return
		}
		_, isBytes := s.expr.(*ast.ArrayType)
		if (s.basic == "string" || isBytes) && s.schema.Type == "string" && !hasFixedForm(s.schema) && lacks(s.schema, func(length, _, _ *int64) bool { return length != nil }) {
			p.report(f, f.Pos, "write +kubebuilder:validation:"+items+prefix+"Length", "%s has no %s length", what, name)
		}
	}
}

// hasFixedForm reports whether the format of a string bounds its length.
func hasFixedForm(s *structural.Schema) bool {
	forms := []string{"date", "date-time", "datetime", "duration", "uuid", "uuid3", "uuid4", "uuid5", "ipv4", "ipv6", "mac", "cidr"}
	return holds(s, func(v *structural.ValueValidation) bool { return slices.Contains(forms, v.Format) })
}
