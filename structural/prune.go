package structural

// Prune removes the fields of an object that the schema does not specify, in
// place, and returns the paths of the removed fields, sorted by their text; fields
// below a removed field are not listed. It is the server's PruneWithOptions
// (apiextensions-apiserver, pkg/apiserver/schema/pruning):
//
//   - properties specify their fields, additionalProperties specify all fields,
//     even if they are false; below additionalProperties that are true or false
//     nothing is specified;
//   - x-kubernetes-preserve-unknown-fields keeps unspecified fields and everything
//     below them. Specified fields are pruned by their own schema again. Elements
//     of a list, and their elements, inherit it, fields do not;
//   - apiVersion, kind and metadata of an embedded resource are not touched, nor
//     are those of the object if isResource is true;
//   - logical junctors specify nothing;
//   - a value of the wrong type is left to validation.
//
// If isResource is false, the object's own apiVersion, kind and metadata are
// removed unless they are specified, and are not listed in the result. A nil
// schema specifies nothing. Prune allocates only if it removes something.
func Prune(s *Schema, object map[string]any, isResource bool) []*ObjectPath {
	p := pruner{}
	p.object(object, s, isResource || s != nil && s.XEmbeddedResource, s != nil && s.preserves(), true)
	return sortPaths(p.removed)
}

type pruner struct {
	trail
	removed []*ObjectPath
}

// value prunes the value of a field or an element. preserves reports whether an
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
	fields := s.named(len(object))
	for name, value := range object {
		if isResource && isMeta(name) {
			continue
		}
		child, specified := fields.field(name)
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
