package edits

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/define/crdyaml"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Fragment parses the piece of schema in a marker. It reports errors and then returns nil.
func (r *Reader) Fragment(pkg *source.Package, marker *markers.Marker) *structural.Schema {
	f := marker.Value.(markers.Fragment)
	data, err := yaml.YAMLToJSONStrict([]byte(f.Text))
	if err != nil {
		hint := "write it in YAML flow style, as in {minLength: 1, pattern: \"^a\"}"
		if strings.Contains(err.Error(), "unknown escape character") {
			hint = "in double quotes, write a backslash twice; or use single quotes, as in {pattern: '^a\\.b$'}"
		}
		r.Reporter.BadArguments(pkg.At(marker.ValuePos(0)), hint,
			"+%s: %s", marker.Name, strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " "))
		return nil
	}
	if f.Keyword != "schema" {
		data = fmt.Appendf(nil, "{%q:%s}", f.Keyword, data)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		r.Reporter.BadArguments(pkg.At(marker.ValuePos(0)), "", "+%s: %v", marker.Name, err)
		return nil
	}
	if unknown := unknownKeyword(value); unknown != "" {
		pos := marker.ValuePos(max(0, strings.Index(f.Text, unknown)))
		d := r.Reporter.BadArguments(pkg.At(pos), words.DidYouMean(unknown, keywords.Names(), ""),
			"+%s: unknown keyword %s", marker.Name, unknown)
		if pkg.Local() && strings.Count(f.Text, unknown) == 1 {
			r.Reporter.Meant(d, pos, unknown, keywords.Names())
		}
		return nil
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(data, &props); err != nil {
		r.Reporter.BadArguments(pkg.At(marker.ValuePos(0)), "", "+%s: %s", marker.Name, wrongType(err))
		return nil
	}
	s, unsupported := structural.FromProps(&props)
	for _, u := range unsupported {
		r.Reporter.BadArguments(pkg.At(marker.ValuePos(max(0, strings.Index(f.Text, u.Keyword)))), "",
			"+%s: %s.%s is not allowed in a structural schema", marker.Name, u.Path, u.Keyword)
	}
	if len(unsupported) > 0 {
		return nil
	}
	setOrigin(s, structural.Origin{Pos: marker.Pos})
	for _, keyword := range keywords.Set(&props) {
		if keyword != keywords.Rules {
			s.Origin.Keywords = append(s.Origin.Keywords, structural.KeywordOrigin{Keyword: keyword, Pos: marker.Pos})
		}
	}
	for range props.XValidations {
		s.Origin.Keywords = append(s.Origin.Keywords, structural.KeywordOrigin{Keyword: keywords.Rules, Pos: marker.Pos})
	}
	return s
}

// wrongType describes a decoding error in words.
func wrongType(err error) string {
	var typeErr *json.UnmarshalTypeError
	if !errors.As(err, &typeErr) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	want := "an object"
	switch typeErr.Type.Kind() {
	case reflect.Slice:
		want = "a list"
	case reflect.String:
		want = "a string"
	case reflect.Bool:
		want = "true or false"
	case reflect.Int64, reflect.Float64:
		want = "a number"
	}
	return fmt.Sprintf("%s must be %s, got %s", typeErr.Field, want, typeErr.Value)
}

// setOrigin sets the origin of every node of a fragment.
func setOrigin(s *structural.Schema, origin structural.Origin) {
	s.Origin = origin
	for _, p := range s.Properties {
		setOrigin(p.Schema, origin)
	}
	if s.Items != nil {
		setOrigin(s.Items, origin)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		setOrigin(s.AdditionalProperties.Schema, origin)
	}
	if s.ValueValidation != nil {
		setValueOrigins(s.ValueValidation, origin)
	}
}

func setValueOrigins(v *structural.ValueValidation, origin structural.Origin) {
	nested := func(n *structural.NestedValueValidation) {
		n.Origin = origin
		setValueOrigins(&n.ValueValidation, origin)
		for _, p := range n.Properties {
			p.Schema.Origin = origin
			setValueOrigins(&p.Schema.ValueValidation, origin)
		}
	}
	for _, list := range [][]structural.NestedValueValidation{v.AllOf, v.AnyOf, v.OneOf} {
		for i := range list {
			nested(&list[i])
		}
	}
	if v.Not != nil {
		nested(v.Not)
	}
}

// unknownKeyword returns the first unknown keyword in a schema, or "". The decoder does not
// report those in items and additionalProperties.
func unknownKeyword(schema any) string {
	object, ok := schema.(map[string]any)
	if !ok {
		return "" // reported by the decoder
	}
	names := keywords.Names()
	for _, keyword := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(names, keyword) {
			return keyword
		}
		var children []any
		switch keyword {
		case "properties", "patternProperties", "definitions":
			properties, _ := object[keyword].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(properties)) {
				children = append(children, properties[name])
			}
		case "allOf", "anyOf", "oneOf":
			children, _ = object[keyword].([]any)
		case "items", "additionalProperties", "additionalItems", "not":
			children = append(children, object[keyword])
		}
		for _, child := range children {
			if unknown := unknownKeyword(child); unknown != "" {
				return unknown
			}
		}
	}
	return ""
}

// extend adds a piece of schema to a node. Keywords of the fragment take precedence, except
// that junctors are combined so that both hold, and lists are concatenated.
func (e *Editor) extend(schema, f *structural.Schema) {
	if f.Type != "" && schema.Type != "" && f.Type != schema.Type {
		e.Errorf(e.Pos, "", "cannot change the type from %s to %s", schema.Type, f.Type)
		return
	}
	own := keywords.Of(schema).Props()
	more := keywords.Of(f).Props()
	keywords.Copy(own, more)
	for _, keyword := range keywords.Set(more) {
		if keyword != keywords.Rules {
			schema.Origin.Keywords = append(schema.Origin.Keywords, structural.KeywordOrigin{Keyword: keyword, Pos: e.Pos})
		}
	}
	if schema.ValueValidation != nil {
		own.Required = append(slices.Clone(schema.Required), more.Required...)
		slices.Sort(own.Required)
		own.Required = slices.Compact(own.Required)
	}
	own.XValidations = slices.Clone(schema.XValidations)
	for _, rule := range more.XValidations {
		own.XValidations = append(own.XValidations, rule)
		schema.Origin.Keywords = append(schema.Origin.Keywords, structural.KeywordOrigin{Keyword: keywords.Rules, Pos: e.Pos})
	}
	keywords.Of(schema).Take(own)
	if f.ValueValidation != nil {
		Conjoin(schema.Validation(), f.ValueValidation)
	}

	for _, p := range f.Properties {
		if i := schema.PropertyIndex(p.Name); i >= 0 {
			child := *schema.Properties[i].Schema
			e.extend(&child, p.Schema)
			schema.Properties[i].Schema = &child
		} else {
			schema.Properties = append(schema.Properties, p)
		}
	}
	if schema.XEmbeddedResource {
		completeMeta(schema)
	}
	crdyaml.SortProperties(schema.Properties)
	if f.Items != nil {
		schema.Items = e.extended(schema.Items, f.Items)
	}
	if a := f.AdditionalProperties; a != nil {
		if schema.AdditionalProperties != nil && a.Schema != nil {
			a = &structural.SchemaOrBool{Schema: e.extended(schema.AdditionalProperties.Schema, a.Schema)}
		}
		schema.AdditionalProperties = a
	}
}

// extended returns an extended copy of a child, or the fragment if there is no child.
func (e *Editor) extended(s, f *structural.Schema) *structural.Schema {
	if s == nil {
		return f
	}
	out := *s
	e.extend(&out, f)
	return &out
}

// Conjoin adds the junctors of f to those of v, which must be a copy: two of the same kind
// move to allOf.
func Conjoin(v, f *structural.ValueValidation) {
	v.AllOf = append(slices.Clone(v.AllOf), f.AllOf...)
	both := func(a, b structural.ValueValidation) {
		v.AllOf = append(v.AllOf, structural.NestedValueValidation{ValueValidation: a},
			structural.NestedValueValidation{ValueValidation: b})
	}
	switch {
	case f.AnyOf == nil:
	case v.AnyOf == nil:
		v.AnyOf = f.AnyOf
	default:
		both(structural.ValueValidation{AnyOf: v.AnyOf}, structural.ValueValidation{AnyOf: f.AnyOf})
		v.AnyOf = nil
	}
	switch {
	case f.OneOf == nil:
	case v.OneOf == nil:
		v.OneOf = f.OneOf
	default:
		both(structural.ValueValidation{OneOf: v.OneOf}, structural.ValueValidation{OneOf: f.OneOf})
		v.OneOf = nil
	}
	switch {
	case f.Not == nil:
	case v.Not == nil:
		v.Not = f.Not
	default:
		both(structural.ValueValidation{Not: v.Not}, structural.ValueValidation{Not: f.Not})
		v.Not = nil
	}
}

// completeMeta sets the types that fields of an embedded resource have in every object. The API
// server adds these fields itself, but rejects properties without a type.
func completeMeta(s *structural.Schema) {
	for i, p := range s.Properties {
		typ := map[string]string{"apiVersion": "string", "kind": "string", "metadata": "object"}[p.Name]
		if typ == "" || p.Schema.Type != "" {
			continue
		}
		child := *p.Schema
		child.Type = typ
		s.Properties[i].Schema = &child
	}
}
