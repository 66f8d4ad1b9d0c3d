package conventions

import (
	"encoding/json"
	"go/ast"
	"slices"
	"strconv"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/yamltext"
	"github.com/schemagen/schemagen/structural"
)

// This file has the rules about the types of fields.

// boolean reports a boolean.
func (p *pass) boolean(f *field) {
	for s := range f.steps() {
		if s.basic == "bool" {
			p.report(f, f.Pos, "use a string with an enum", "field %s is a boolean, to which no third value can be added", f.name)
		}
	}
}

// integer reports an integer of another type than int32 and int64.
func (p *pass) integer(f *field) {
	others := []string{"int", "int8", "int16", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "uintptr"}
	for s := range f.steps() {
		if slices.Contains(others, s.basic) && s.schema.Type == "integer" {
			p.report(f, f.Pos, "use int32 or int64, with bounds", "field %s has the type %s", f.name, s.basic)
		}
	}
}

// float reports a number that is not an integer.
func (p *pass) float(f *field) {
	if s := f.schema; s.Type == "number" || s.Items != nil && s.Items.Type == "number" || s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil && s.AdditionalProperties.Schema.Type == "number" {
		p.report(f, f.Pos, "use resource.Quantity, or an integer with a unit in its name", "field %s is a floating-point number", f.name)
	}
}

// mapType reports a map whose values are not strings.
func (p *pass) mapType(f *field) {
	for s := range f.steps() {
		if _, ok := s.expr.(*ast.MapType); ok && (s.schema.AdditionalProperties == nil || s.schema.AdditionalProperties.Schema == nil || s.schema.AdditionalProperties.Schema.Type != "string") {
			p.report(f, f.Pos, "use a list with +listType=map, whose key is a field", "field %s is a map of other values than strings", f.name)
		}
	}
}

// nullable reports a field that may be null.
func (p *pass) nullable(f *field) {
	if !f.schema.Nullable {
		return
	}
	pos := f.Pos
	if m := f.Markers.Get(markers.NullableName); m != nil {
		pos = m.Pos
	}
	p.report(f, pos, "make the field optional instead", "field %s may be null, which clients do not tell from a missing value", f.name)
}

// duration reports a metav1.Duration.
func (p *pass) duration(f *field) {
	for s := range f.steps() {
		if t := s.declared; t != nil && t.Spec.Name.Name == "Duration" && t.Pkg.Path == "k8s.io/apimachinery/pkg/apis/meta/v1" {
			p.report(f, f.Pos, "use an integer with a unit in its name, such as "+f.name+"Seconds", "field %s is a metav1.Duration, which other languages than Go do not parse", f.name)
		}
	}
}

// yamlValues reports values of enums that users have to write in quotes.
func (p *pass) yamlValues(f *field) {
	var reported []string
	for s := range f.steps() {
		holds(s.schema, func(v *structural.ValueValidation) bool {
			for _, value := range v.Enum {
				var text string
				if json.Unmarshal(value.Raw, &text) != nil || slices.Contains(reported, text) {
					continue // it is not a string
				}
				if text != "" && !yamltext.IsText(text) {
					reported = append(reported, text)
					p.report(f, f.Pos, "choose another word; in a released API, tell users to write "+strconv.Quote(text),
						"field %s: in YAML, the value %s without quotes is not read as text", f.name, text)
				}
			}
			return false
		})
	}
}
