package structural

// Prune removes the fields of an object that the schema does not specify, in
// place, and returns the paths of what it removed, sorted by their text; of a
// field that is removed, what stood below it is not told. It is the server's
// PruneWithOptions (apiextensions-apiserver, pkg/apiserver/schema/pruning):
//
//   - properties specify their fields, additionalProperties all fields, those
//     that are false included; below additionalProperties that are true or false
//     nothing is specified;
//   - x-kubernetes-preserve-unknown-fields keeps what is not specified, with all
//     that is below. What is specified is pruned by its own schema again. Elements
//     of a list, and their elements, inherit it, fields do not;
//   - apiVersion, kind and metadata of an embedded resource are left alone, as are
//     those of the object if isResource;
//   - logical junctors specify nothing;
//   - a value of the wrong type is left to validation.
//
// If the object is no resource, its own apiVersion, kind and metadata are removed
// without being told where they are not specified. A nil schema specifies
// nothing. Nothing is allocated unless something is removed.
func Prune(s *Schema, object map[string]any, isResource bool) []*ObjectPath {
	p := pruner{}
	p.object(object, s, isResource || s != nil && s.XEmbeddedResource, s != nil && s.preserves(), nil)
	return sortPaths(p.removed)
}

type pruner struct {
	removed []*ObjectPath
}

// value prunes the value of a field or an element. preserves says that an
// enclosing list preserves unknown fields.
func (p *pruner) value(value any, s *Schema, preserves bool, at *way) {
	preserves = preserves || s != nil && s.preserves()
	switch value := value.(type) {
	case map[string]any:
		p.object(value, s, s != nil && s.XEmbeddedResource, preserves, at)
	case []any:
		var items *Schema
		if s != nil {
			items = s.Items
		}
		here := way{parent: at}
		for i, element := range value {
			here.element(i)
			p.value(element, items, preserves, &here)
		}
	}
}

func (p *pruner) object(object map[string]any, s *Schema, isResource, preserves bool, at *way) {
	here := way{parent: at}
	for name, value := range object {
		if isResource && isMeta(name) {
			continue
		}
		here.field(name)
		child, specified := s.field(name)
		switch {
		case specified:
			p.value(value, child, false, &here)
		case preserves:
		default:
			if at != nil || !isMeta(name) {
				p.removed = append(p.removed, here.objectPath())
			}
			delete(object, name)
		}
	}
}
