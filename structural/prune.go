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
//     below them. Specified fields are still pruned by their own schemas. Elements
//     of lists inherit it at any depth, fields do not;
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
	p.object(object, specified{schema: s, isResource: isResource || s != nil && s.XEmbeddedResource,
		preserves: s != nil && s.preserves(), isRoot: true})
	return sortPaths(p.removed)
}

type pruner struct {
	trail
	removed []*ObjectPath
}

// specified is what is known about a value: its schema, which may be nil, and
// whether the schema or that of an enclosing list preserves unknown fields.
type specified struct {
	schema                        *Schema
	preserves, isResource, isRoot bool
}

// value prunes the value of a field or an element.
func (p *pruner) value(value any, s specified) {
	var items *Schema
	if s.schema != nil {
		s.preserves = s.preserves || s.schema.preserves()
		s.isResource = s.schema.XEmbeddedResource
		items = s.schema.Items
	}
	switch value := value.(type) {
	case map[string]any:
		p.object(value, s)
	case []any:
		for i, element := range value {
			mark := len(p.open)
			p.value(element, specified{schema: items, preserves: s.preserves})
			p.back(mark, elementStep(i))
		}
	}
}

func (p *pruner) object(object map[string]any, s specified) {
	fields := s.schema.named(len(object))
	for name, value := range object {
		if s.isResource && isMeta(name) {
			continue
		}
		child, ok := fields.field(name)
		switch {
		case ok:
			mark := len(p.open)
			p.value(value, specified{schema: child})
			p.back(mark, fieldStep(name))
		case s.preserves:
		default:
			if !s.isRoot || !isMeta(name) {
				p.removed = append(p.removed, p.note(fieldStep(name)))
			}
			delete(object, name)
		}
	}
}
