package structural

import (
	"slices"
	"strings"
)

// Loss is a part of objects of which one schema keeps less than another.
type Loss struct {
	// Path is the path of the values: ".spec.ports[*].name", or ".spec.labels.*"
	// for the values of a map. It is empty for the object itself.
	Path string
	Kind LossKind
	// From and To are the nodes of the two schemas at the path. If there is no
	// such node, From is the nearest node above and To is nil.
	From, To *Schema
}

// LossKind tells what happens to a value.
type LossKind int

const (
	// LossDropped means that a value is pruned.
	LossDropped LossKind = iota
	// LossUnknown means that the unspecified fields of an object are pruned.
	LossUnknown
	// LossRetyped means that a value is kept although the other schema rejects its type.
	LossRetyped
)

// Lost returns what an object that was pruned by the schema from loses when the
// server prunes it by the schema to, as it does when it converts without a webhook:
// it replaces the apiVersion and prunes (apiextensions-apiserver,
// pkg/apiserver/conversion/nop_converter.go, and schemaCoercingConverter of
// pkg/apiserver). Both schemas describe the whole object. Losses are in field
// order; inside a node that occurs at several paths they are reported for the
// first path only. Nulls are ignored.
func Lost(source, target *Schema) []Loss {
	l := losses{seen: map[lossPair]bool{}}
	l.value(source, target, false, false, "", true)
	return l.found
}

type losses struct {
	found []Loss
	seen  map[lossPair]bool
}

// lossPair is everything that determines the losses below a path.
type lossPair struct {
	from, to             *Schema
	fromKeeps, toKeeps   bool
	isUnspecified, isTop bool
}

func (l *losses) add(kind LossKind, path string, source, target *Schema) {
	l.found = append(l.found, Loss{Path: path, Kind: kind, From: source, To: target})
}

// value compares two nodes at one path. A nil node specifies nothing. fromKeeps
// and toKeeps report whether an enclosing list preserves unknown fields.
func (l *losses) value(source, target *Schema, fromKeeps, toKeeps bool, path string, isTop bool) {
	fromKeeps = fromKeeps || source != nil && source.preserves()
	toKeeps = toKeeps || target != nil && target.preserves()
	pair := lossPair{source, target, fromKeeps, toKeeps, false, isTop}
	if source == target && fromKeeps == toKeeps || l.seen[pair] {
		return
	}
	l.seen[pair] = true
	if source == nil {
		if fromKeeps {
			l.unspecified(nil, target, toKeeps, path)
		}
		return
	}
	if target != nil {
		have := source.jsonTypes()
		want := target.jsonTypes()
		if have != nil && want != nil {
			if slices.ContainsFunc(have, func(typ string) bool { return !slices.Contains(want, typ) }) {
				l.add(LossRetyped, path, source, target)
			}
			if !slices.ContainsFunc(have, func(typ string) bool { return slices.Contains(want, typ) }) {
				return
			}
		}
	}
	switch source.Type {
	case "":
		switch {
		case source.XIntOrString:
		case fromKeeps && len(source.Properties) == 0 && source.AdditionalProperties == nil:
			l.unspecified(source, target, toKeeps, path)
		default:
			l.fields(source, target, fromKeeps, toKeeps, path, isTop)
		}
	case "object":
		l.fields(source, target, fromKeeps, toKeeps, path, isTop)
	case "array":
		var items *Schema
		if target != nil {
			items = target.Items
		}
		l.value(source.Items, items, fromKeeps, toKeeps, path+"[*]", false)
	}
}

// fields compares the fields of an object.
func (l *losses) fields(source, target *Schema, fromKeeps, toKeeps bool, path string, isTop bool) {
	keepsMeta := isTop || target != nil && target.XEmbeddedResource
	toFields := target.named(len(source.Properties))
	for _, p := range source.Properties {
		if isMeta(p.Name) && (keepsMeta || source.XEmbeddedResource) {
			continue
		}
		location := path + lossStep(p.Name)
		if child, specified := toFields.field(p.Name); specified {
			l.value(p.Schema, child, false, false, location, false)
		} else if !toKeeps {
			l.add(LossDropped, location, p.Schema, nil)
		}
	}
	if source.XEmbeddedResource && !keepsMeta {
		l.metadata(source, target, toKeeps, path)
	}
	others := func(visit func(name string, child *Schema)) { // fields that only to specifies
		if target == nil {
			return
		}
		fromProperties := source.named(len(target.Properties))
		for _, p := range target.Properties {
			if fromProperties.property(p.Name) == nil && !(isMeta(p.Name) && (keepsMeta || source.XEmbeddedResource)) {
				visit(path+lossStep(p.Name), p.Schema)
			}
		}
	}
	switch {
	case source.AdditionalProperties != nil:
		values := source.AdditionalProperties.Schema
		others(func(location string, child *Schema) { l.value(values, child, false, false, location, false) })
		if target != nil && target.AdditionalProperties != nil {
			l.value(values, target.AdditionalProperties.Schema, false, false, path+".*", false)
		} else if !toKeeps {
			if values == nil {
				values = source
			}
			l.add(LossDropped, path+".*", values, nil)
		}
	case fromKeeps && (target == nil || target.AdditionalProperties == nil) && !toKeeps:
		l.add(LossUnknown, path, source, target)
	case fromKeeps:
		others(func(location string, child *Schema) { l.unspecified(source, child, false, location) })
		if target != nil && target.AdditionalProperties != nil {
			l.unspecified(source, target.AdditionalProperties.Schema, false, path+".*")
		}
	}
}

// metadata compares the metadata that an embedded resource has and an object of
// the schema to may lack.
func (l *losses) metadata(source, target *Schema, toKeeps bool, path string) {
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		node := source.property(name)
		if node == nil {
			node = source
		}
		child, specified := target.field(name)
		switch {
		case !specified && !toKeeps:
			l.add(LossDropped, path+"."+name, node, nil)
		case specified && name == "metadata":
			l.unspecified(node, child, false, path+"."+name)
		}
	}
}

// unspecified handles a path at which values of source are arbitrary. source is the
// node that allows them.
func (l *losses) unspecified(source, target *Schema, toKeeps bool, path string) {
	toKeeps = toKeeps || target != nil && target.preserves()
	if target == nil {
		if !toKeeps {
			l.add(LossUnknown, path, source, nil)
		}
		return
	}
	pair := lossPair{source, target, false, toKeeps, true, false}
	if l.seen[pair] {
		return
	}
	l.seen[pair] = true
	switch isObject := target.Type == "object" || target.jsonTypes() == nil; {
	case isObject && target.AdditionalProperties == nil && !toKeeps:
		l.add(LossUnknown, path, source, target)
		return
	case target.jsonTypes() != nil:
		l.add(LossRetyped, path, source, target)
		return
	}
	for _, p := range target.Properties {
		if !isMeta(p.Name) || !target.XEmbeddedResource {
			l.unspecified(source, p.Schema, false, path+lossStep(p.Name))
		}
	}
	if target.AdditionalProperties != nil {
		l.unspecified(source, target.AdditionalProperties.Schema, false, path+".*")
	}
}

// jsonTypes returns the types of the values that the schema accepts; nil means all types.
func (s *Schema) jsonTypes() []string {
	switch {
	case s.XIntOrString:
		return []string{"integer", "string"}
	case s.Type == "":
		return nil
	case s.Type == "number":
		return []string{"number", "integer"}
	}
	return []string{s.Type}
}

// lossStep formats a field for the path of a Loss.
func lossStep(name string) string {
	if strings.ContainsAny(name, ".[]*") {
		return "['" + name + "']"
	}
	return "." + name
}
