package publish

import (
	"encoding/json"
	"slices"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// selectable returns the unions of an object. There are none if a member has a default,
// which is applied before any selection.
func selectable(s *structural.Schema) []unions.Union {
	found := unions.Of(s)
	for _, u := range found {
		for _, m := range u.Members {
			if p := s.Property(m.Name); p != nil && hasDefault(p) {
				return nil
			}
		}
	}
	return found
}

// oneOfs returns the unions without a discriminator of controller-tools' markers. A field with a
// default is set, which the schema of an editor cannot count.
func oneOfs(s *structural.Schema) []unions.Union {
	return slices.DeleteFunc(unions.Counted(s), func(u unions.Union) bool {
		return slices.ContainsFunc(u.Members, func(m unions.Member) bool {
			p := s.Property(m.Name)
			return p == nil || hasDefault(p)
		})
	})
}

// moveModes removes the fields that modes allow from the properties of an object and returns the
// conditions under which they are allowed.
func moveModes(out object, s *structural.Schema, m unions.Modes) (conditions []any) {
	properties := propertiesOf(out)
	discriminator := s.Property(m.Discriminator)
	absent := any("")
	if m.Boolean {
		absent = false
	}
	if discriminator.Default != nil {
		_ = json.Unmarshal(discriminator.Default.Raw, &absent) // a default of another type is no mode
	}
	is := func(modes []string) object {
		values := make([]any, len(modes))
		for i, mode := range modes {
			values[i] = mode
			if m.Boolean {
				values[i] = mode == "true"
			}
		}
		condition := object{"properties": object{m.Discriminator: object{"enum": values}}}
		if !slices.Contains(values, absent) {
			condition["required"] = []string{m.Discriminator}
		}
		return condition
	}
	for _, f := range m.Fields {
		p := s.Property(f.Name)
		own, ok := properties[f.Name].(object)
		if !ok || hasDefault(p) {
			continue
		}
		forbidden := unset(own)
		required := object{"required": []string{f.Name}}
		if f.Nonzero != "" {
			forbidden = zeroOf(p.Type)
			required["properties"] = object{f.Name: object{"not": forbidden}}
		}
		properties[f.Name] = true
		conditions = append(conditions, object{
			"if":   is(f.Allowed),
			"then": object{"properties": object{f.Name: own}},
			"else": object{"properties": object{f.Name: forbidden}},
		})
		if len(f.Required) > 0 {
			conditions = append(conditions, object{"if": is(f.Required), "then": required})
		}
	}
	return conditions
}

// zeroOf returns the schema of the values of a type that do not set a field in Go, and of null.
func zeroOf(schemaType string) object {
	switch schemaType {
	case "array":
		return object{"type": []string{"array", "null"}, "maxItems": 0}
	case "object":
		return object{"type": []string{"object", "null"}, "maxProperties": 0}
	case "boolean":
		return object{"enum": []any{false, nil}}
	case "string":
		return object{"enum": []any{"", nil}}
	}
	return object{"enum": []any{0, nil}}
}

// moveMembers removes the members of a union from the properties of an object and returns
// the conditions under which they are allowed. Editors only propose properties of
// conditions that hold; the schema "true" allows the name.
func moveMembers(out object, union unions.Union) []any {
	properties := propertiesOf(out)
	schemas := object{}
	for _, m := range union.Members {
		own, ok := properties[m.Name].(object)
		if !ok {
			continue // it is not specified, or a member of another union
		}
		schemas[m.Name] = own
	}
	if len(schemas) == 0 {
		return nil
	}
	if union.AtLeastOne {
		var least []any
		for _, m := range union.Members {
			least = append(least, isSet(m.Name, properties[m.Name]))
		}
		return []any{object{"anyOf": least}}
	}
	for name := range schemas {
		properties[name] = true
	}
	if union.Discriminator == "" {
		return counted(union, schemas)
	}
	if _, ok := properties[union.Discriminator]; !ok {
		addAll(properties, schemas)
		return nil
	}
	return selected(union, schemas)
}

// selected returns a condition for each value of the discriminator, and one for its
// absence.
func selected(union unions.Union, schemas object) []any {
	choice := func(member string) object {
		properties := object{}
		for name, own := range schemas {
			properties[name] = unset(own)
			if name == member {
				properties[name] = own
			}
		}
		return object{"properties": properties}
	}
	var out []any
	for _, v := range union.Values {
		is := object{"properties": object{union.Discriminator: object{"const": v.Name}}}
		if union.Default == nil || *union.Default != v.Name {
			is["required"] = []string{union.Discriminator}
		}
		then := choice(v.Member)
		if index := union.Selected(v.Name); index >= 0 && !union.Members[index].Optional {
			then["required"] = []string{v.Member}
		}
		out = append(out, object{"if": is, "then": then})
	}
	if union.Default == nil {
		// An empty string means absent, unless it is a value.
		member := ""
		if index := union.Selected(""); index >= 0 {
			member = union.Members[index].Name
		}
		out = append(out, object{"if": object{"not": object{"required": []string{union.Discriminator}}}, "then": choice(member)})
	}
	return out
}

// unset returns the schema of a member that must be absent. For rules null counts as
// absent; for the oneOf form it does not, which is not expressed here.
func unset(own any) any {
	if isNullable(own) {
		return object{"type": "null"}
	}
	return false
}

// isSet returns the condition that a member is set.
func isSet(name string, own any) object {
	out := object{"required": []string{name}}
	if isNullable(own) {
		out["properties"] = object{name: object{"not": object{"type": "null"}}}
	}
	return out
}

func isNullable(own any) bool {
	schema, _ := own.(object)
	types, isList := schema["type"].([]string)
	return schema != nil && (schema["type"] == nil || isList && slices.Contains(types, "null"))
}

// counted returns a condition for each member: that no other is set.
func counted(u unions.Union, schemas object) []any {
	var out, least []any
	for _, m := range u.Members {
		own, ok := schemas[m.Name]
		if !ok {
			continue
		}
		var others []any
		for _, other := range u.Members {
			if other.Name != m.Name {
				others = append(others, isSet(other.Name, schemas[other.Name]))
			}
		}
		least = append(least, object{"required": []string{m.Name}})
		out = append(out, object{
			"if":   object{"anyOf": others},
			"then": object{"properties": object{m.Name: unset(own)}},
			"else": object{"properties": object{m.Name: own}},
		})
	}
	if !u.AtMostOne {
		out = append(out, object{"anyOf": least})
	}
	return out
}
