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
	p.object(object, s, isResource || s != nil && s.XEmbeddedResource, s != nil && s.preserves(), true)
	return sortPaths(p.removed)
}

type pruner struct {
	trail
	removed []*ObjectPath
}

// value prunes the value of a field or an element. preserves says that an
// enclosing list preserves unknown fields.
func (p *pruner) value(value any, s *Schema, preserves bool) {
	preserves = preserves || s != nil && s.preserves()
	switch value := value.(type) {
	case map[string]any:
		p.object(value, s, s != nil && s.XEmbeddedResource, preserves, false)
	case []any:
		var items *Schema
		if s != nil {
			items = s.Items
		}
		for i, element := range value {
			mark := len(p.open)
			p.value(element, items, preserves)
			p.back(mark, elementStep(i))
		}
	}
}

func (p *pruner) object(object map[string]any, s *Schema, isResource, preserves, isRoot bool) {
	for name, value := range object {
		if isResource && isMeta(name) {
			continue
		}
		child, specified := s.field(name)
		switch {
		case specified:
			mark := len(p.open)
			p.value(value, child, false)
			p.back(mark, fieldStep(name))
		case preserves:
		default:
			if !isRoot || !isMeta(name) {
				p.removed = append(p.removed, p.note(fieldStep(name)))
			}
			delete(object, name)
		}
	}
}
