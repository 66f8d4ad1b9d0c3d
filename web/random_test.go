package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

type props = apiextensionsv1.JSONSchemaProps

// chance generates random definitions and changes their objects.
type chance struct {
	*rand.Rand
	// loose allows constructs for which JSON Schemas are less strict inside of junctors:
	// formats, values of fields with defaults, or a minimum number of fields of which some
	// have defaults.
	loose bool
}

func (c chance) one(in int) bool { return c.Intn(in) == 0 }

func pick[T any](c chance, in ...T) T { return in[c.Intn(len(in))] }

func raw(value any) *apiextensionsv1.JSON {
	data, _ := json.Marshal(value)
	return &apiextensionsv1.JSON{Raw: data}
}

func (c chance) definition() *apiextensionsv1.CustomResourceDefinition {
	root := c.object(3)
	root.Default, root.Nullable = nil, false
	delete(root.Properties, "status")
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "things.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Thing", Plural: "things", Singular: "thing", ListKind: "ThingList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
			}},
		},
	}
}

func (c chance) schema(depth int) props {
	if depth <= 0 || c.one(2) {
		return c.scalar()
	}
	switch c.Intn(7) {
	case 0:
		items := c.schema(depth - 1)
		s := props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}}
		if c.one(3) {
			s.MinItems = new(int64(c.Intn(2)))
		}
		if c.one(3) {
			s.MaxItems = new(int64(1 + c.Intn(3)))
		}
		if c.one(6) {
			s.XPreserveUnknownFields = new(true) // its elements inherit it
		}
		if items.Type == "string" && !items.Nullable && c.one(3) {
			s.XListType = new("set")
		}
		return s
	case 1:
		values := c.schema(depth - 1)
		s := props{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &values}}
		if c.one(6) {
			s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: c.one(2)}
		}
		if c.one(3) {
			s.MaxProperties = new(int64(1 + c.Intn(3)))
		}
		return s
	case 2:
		if c.one(2) {
			return props{Type: pick(c, "", "object", "array"), XPreserveUnknownFields: new(true), Nullable: c.one(2)}
		}
		return props{Type: "object", XEmbeddedResource: true, XPreserveUnknownFields: new(true)}
	default:
		return c.object(depth)
	}
}

func (c chance) scalar() props {
	s := props{Type: pick(c, "string", "string", "integer", "boolean", "number"), Nullable: c.one(6)}
	switch {
	case c.one(10):
		s = props{XIntOrString: true, Nullable: c.one(4)}
		if c.one(2) {
			s.AnyOf = []props{{Type: "integer"}, {Type: "string"}}
		}
	case s.Type == "string" && c.one(3):
		s.Enum = []apiextensionsv1.JSON{*raw("a"), *raw("b")}
		if c.one(3) {
			s.Default = raw("a")
		}
	case s.Type == "string":
		if c.one(3) {
			s.MinLength = new(int64(1))
		}
		if c.one(3) {
			s.MaxLength = new(int64(9))
		}
		if c.one(4) {
			s.Pattern = pick(c, "^[a-z0-9-]*$", "^example", "(?i)^EXAMPLE", `\Aexample\z`)
		}
		if c.one(4) {
			s.Format = pick(c, "date-time", "byte", "ipv4", "uri", "duration", "unknown", "uuid")
		}
		if c.one(5) {
			s.AnyOf = []props{{Pattern: "^e"}, {Enum: []apiextensionsv1.JSON{*raw("x")}}}
		}
		if c.loose && c.one(4) {
			s.OneOf = []props{{Format: "ipv4"}, {MinLength: new(int64(2)), Pattern: "^[a-z]"}}
		}
	case s.Type == "integer" || s.Type == "number":
		if c.one(3) {
			s.Minimum, s.ExclusiveMinimum = new(float64(c.Intn(3))), c.one(2)
		}
		if c.one(3) {
			s.Maximum, s.ExclusiveMaximum = new(float64(5+c.Intn(3))), c.one(2)
		}
		if c.one(5) {
			s.MultipleOf = new(2.0)
		}
		if c.one(5) && s.Type == "integer" {
			s.Format = pick(c, "int32", "int64")
		}
		if c.one(5) && s.Minimum == nil && s.MultipleOf == nil {
			s.Default = raw(4)
		}
		if c.one(8) && s.Type == "integer" { // the server truncates numbers before it compares them
			s.Not = &props{Enum: []apiextensionsv1.JSON{*raw(1), *raw(3)}}
		}
	}
	return s
}

func (c chance) object(depth int) props {
	s := props{Type: "object", Properties: map[string]props{}, Nullable: c.one(8)}
	names := []string{"a", "b", "c", "d", "e"}[:1+c.Intn(5)]
	for _, name := range names {
		s.Properties[name] = c.schema(depth - 1)
		if c.one(4) {
			s.Required = append(s.Required, name)
		}
	}
	if c.one(10) {
		s.XPreserveUnknownFields = new(true)
	}
	if c.one(8) && (c.loose || !slices.ContainsFunc(slices.Collect(maps.Values(s.Properties)), func(p props) bool { return p.Default != nil })) {
		s.MinProperties = new(int64(1 + c.Intn(2)))
	}
	if c.one(6) && len(s.Required) == 0 && s.MinProperties == nil {
		s.Default = raw(map[string]any{}) // the server requires defaults to be valid
		return s
	}
	switch {
	case c.one(3):
		c.addUnion(&s, depth)
	case c.one(4):
		list := []props{}
		for _, name := range names {
			n := props{Required: []string{name}}
			if own := s.Properties[name]; len(own.Enum) > 0 && (c.loose || own.Default == nil) && c.one(2) {
				n.Properties = map[string]props{name: {Enum: own.Enum[:1]}}
			}
			list = append(list, n)
		}
		switch c.Intn(3) {
		case 0:
			s.OneOf = list
			for _, name := range names { // it may be a union
				own := s.Properties[name]
				own.Nullable = own.Nullable && (c.loose || own.XPreserveUnknownFields != nil)
				s.Properties[name] = own
			}
		case 1:
			s.AnyOf = list
		default:
			s.Not = &list[0]
		}
	}
	return s
}

// addUnion adds a schemagen union in one of the forms that servers enforce.
func (c chance) addUnion(s *props, depth int) {
	u := unions.New("type", []string{"A", "B", "N"},
		unions.Member{Name: "ma", Value: "A", Optional: c.one(3)}, unions.Member{Name: "mb", Value: "B"})
	counted := c.one(3)
	if counted {
		u = unions.Union{Members: []unions.Member{{Name: "ma"}, {Name: "mb"}}, AtMostOne: c.one(2)}
	}
	for _, m := range u.Members {
		member := c.schema(depth - 1)
		member.Default = nil
		member.Nullable = member.Nullable && c.loose
		if member.Type == "" && !member.XIntOrString {
			member = props{Type: "string"}
		}
		s.Properties[m.Name] = member
	}
	if !counted {
		d := props{Type: "string"}
		switch c.Intn(3) {
		case 0:
			d.Default, u.Default = raw("A"), new("A")
		case 1:
			s.Required, u.Required = append(s.Required, "type"), true
		}
		s.Properties["type"] = d
	}
	lowered, err := unions.Lower(u, unions.LowerOptions{Forms: []unions.Form{pick(c, unions.FormCEL, unions.FormOneOf)}})
	if err != nil {
		return
	}
	s.XValidations = append(s.XValidations, lowered.Rules...)
	if !counted {
		d := s.Properties["type"]
		for _, value := range lowered.Enum {
			d.Enum = append(d.Enum, apiextensionsv1.JSON{Raw: value.Raw})
		}
		s.Properties["type"] = d
	}
	if len(lowered.OneOf) > 0 {
		holder := &structural.Schema{}
		holder.ValueValidation = &structural.ValueValidation{OneOf: lowered.OneOf}
		s.OneOf = holder.Props().OneOf
	}
}

// mutableValue is a value in an object, with functions that change it.
type mutableValue struct {
	value  any
	schema *structural.Schema
	set    func(any)
	remove func()
}

// mutableValues returns all values below a value, in a fixed order.
func mutableValues(value any, s *structural.Schema) []mutableValue {
	var out []mutableValue
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			var child *structural.Schema
			if s != nil {
				if at := slices.IndexFunc(s.Properties, func(p structural.Property) bool { return p.Name == name }); at >= 0 {
					child = s.Properties[at].Schema
				} else if s.AdditionalProperties != nil {
					child = s.AdditionalProperties.Schema
				}
			}
			out = append(out, mutableValue{v[name], child, func(to any) { v[name] = to }, func() { delete(v, name) }})
			out = append(out, mutableValues(v[name], child)...)
		}
	case []any:
		var items *structural.Schema
		if s != nil {
			items = s.Items
		}
		for i := range v {
			out = append(out, mutableValue{v[i], items, func(to any) { v[i] = to }, func() {}})
			out = append(out, mutableValues(v[i], items)...)
		}
	}
	return out
}

// mutate changes one value of an object, sometimes so that it becomes invalid.
func (c chance) mutate(object map[string]any, s *structural.Schema) {
	all := append(mutableValues(object, s), mutableValue{object, s, func(any) {}, func() {}})
	if c.one(20) {
		metadata, _ := object["metadata"].(map[string]any)
		if metadata != nil {
			metadata[pick(c, "labels", "labelz", "annotations", "generation", "creationTimestamp")] = pick[any](c, nil, map[string]any{"a": "b"}, map[string]any{"a": int64(1)}, "x", int64(1))
		}
		return
	}
	at := all[c.Intn(len(all))]
	if c.one(3) { // unions are in objects
		objects := slices.DeleteFunc(all, func(p mutableValue) bool { _, ok := p.value.(map[string]any); return !ok })
		at = objects[c.Intn(len(objects))]
	}
	switch v := at.value.(type) {
	case map[string]any:
		switch {
		case c.one(5):
			v[pick(c, "unknown", "aa", "typ")] = pick[any](c, int64(1), "x", map[string]any{"y": int64(1)})
			return
		case at.schema != nil && len(at.schema.Properties) > 0 && !c.one(4):
			p := at.schema.Properties[c.Intn(len(at.schema.Properties))]
			if p.Name == "metadata" || p.Name == "kind" || p.Name == "apiVersion" {
				return
			}
			if v[p.Name] != nil && c.one(2) {
				delete(v, p.Name)
			} else {
				v[p.Name] = c.value(p.Schema)
			}
			return
		}
	case []any:
		if c.one(3) && len(v) > 0 {
			at.set(append(slices.Clip(v), v[0]))
			return
		}
	}
	switch {
	case c.one(4):
		at.remove()
	case at.schema != nil && c.one(2):
		at.set(c.value(at.schema))
	default:
		at.set(pick[any](c, nil, "", "x", "192.0.2.1", int64(0), int64(-1), int64(1), int64(4), 1.5, 1e12, true, map[string]any{}, []any{}, fmt.Sprintf("%0100d", 0)))
	}
}

// value returns a random value for a schema, one of the enum if there is one.
func (c chance) value(s *structural.Schema) any {
	if s.ValueValidation != nil && len(s.Enum) > 0 {
		var out any
		if json.Unmarshal(s.Enum[c.Intn(len(s.Enum))].Raw, &out) == nil {
			return out
		}
	}
	return unions.Sample(s, c.one(2))
}
