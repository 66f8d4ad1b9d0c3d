package structural

// manyNames is the number of names from which a map finds properties faster than a scan for each name.
const manyNames = 16

// namedProperties finds properties of a schema by their names.
type namedProperties struct {
	schema *Schema
	byName map[string]*Schema // nil for few names or properties
}

// named prepares for so many calls of property or field: each of them would scan all properties, so that an
// object with n fields would take n² steps.
func (s *Schema) named(names int) namedProperties {
	if s == nil || names < manyNames || len(s.Properties) < manyNames {
		return namedProperties{schema: s}
	}
	byName := make(map[string]*Schema, len(s.Properties))
	for _, p := range s.Properties {
		byName[p.Name] = p.Schema
	}
	return namedProperties{s, byName}
}

// property is [Schema.Property].
func (n namedProperties) property(name string) *Schema {
	if n.byName == nil {
		return n.schema.Property(name)
	}
	return n.byName[name]
}

// field is [Schema.field].
func (n namedProperties) field(name string) (child *Schema, specified bool) {
	if n.byName == nil {
		return n.schema.field(name)
	}
	if child := n.byName[name]; child != nil {
		return child, true
	}
	return n.schema.others()
}
