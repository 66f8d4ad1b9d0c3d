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
func Lost(from, to *Schema) []Loss {
	l := losses{seen: map[lossPair]bool{}}
	l.value(from, to, false, false, "", true)
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

func (l *losses) add(kind LossKind, path string, from, to *Schema) {
	l.found = append(l.found, Loss{Path: path, Kind: kind, From: from, To: to})
}

// value compares two nodes at one path. A nil node specifies nothing. fromKeeps
// and toKeeps report whether an enclosing list preserves unknown fields.
func (l *losses) value(from, to *Schema, fromKeeps, toKeeps bool, path string, isTop bool) {
	fromKeeps = fromKeeps || from != nil && from.preserves()
	toKeeps = toKeeps || to != nil && to.preserves()
	pair := lossPair{from, to, fromKeeps, toKeeps, false, isTop}
	if from == to && fromKeeps == toKeeps || l.seen[pair] {
		return
	}
	l.seen[pair] = true
	if from == nil {
		if fromKeeps {
			l.unspecified(nil, to, toKeeps, path)
		}
		return
	}
	if to != nil {
		have := from.jsonTypes()
		want := to.jsonTypes()
		if have != nil && want != nil {
			if slices.ContainsFunc(have, func(typ string) bool { return !slices.Contains(want, typ) }) {
				l.add(LossRetyped, path, from, to)
			}
			if !slices.ContainsFunc(have, func(typ string) bool { return slices.Contains(want, typ) }) {
				return
			}
		}
	}
	switch from.Type {
	case "":
		switch {
		case from.XIntOrString:
		case fromKeeps && len(from.Properties) == 0 && from.AdditionalProperties == nil:
			l.unspecified(from, to, toKeeps, path)
		default:
			l.fields(from, to, fromKeeps, toKeeps, path, isTop)
		}
	case "object":
		l.fields(from, to, fromKeeps, toKeeps, path, isTop)
	case "array":
		var items *Schema
		if to != nil {
			items = to.Items
		}
		l.value(from.Items, items, fromKeeps, toKeeps, path+"[*]", false)
	}
}

// fields compares the fields of an object.
func (l *losses) fields(from, to *Schema, fromKeeps, toKeeps bool, path string, isTop bool) {
	keepsMeta := isTop || to != nil && to.XEmbeddedResource
	toFields := to.named(len(from.Properties))
	for _, p := range from.Properties {
		if isMeta(p.Name) && (keepsMeta || from.XEmbeddedResource) {
			continue
		}
		at := path + lossStep(p.Name)
		if child, specified := toFields.field(p.Name); specified {
			l.value(p.Schema, child, false, false, at, false)
		} else if !toKeeps {
			l.add(LossDropped, at, p.Schema, nil)
		}
	}
	if from.XEmbeddedResource && !keepsMeta {
		l.metadata(from, to, toKeeps, path)
	}
	others := func(visit func(name string, child *Schema)) { // fields that only to specifies
		if to == nil {
			return
		}
		fromProperties := from.named(len(to.Properties))
		for _, p := range to.Properties {
			if fromProperties.property(p.Name) == nil && !(isMeta(p.Name) && (keepsMeta || from.XEmbeddedResource)) {
				visit(path+lossStep(p.Name), p.Schema)
			}
		}
	}
	switch {
	case from.AdditionalProperties != nil:
		values := from.AdditionalProperties.Schema
		others(func(at string, child *Schema) { l.value(values, child, false, false, at, false) })
		if to != nil && to.AdditionalProperties != nil {
			l.value(values, to.AdditionalProperties.Schema, false, false, path+".*", false)
		} else if !toKeeps {
			if values == nil {
				values = from
			}
			l.add(LossDropped, path+".*", values, nil)
		}
	case fromKeeps && (to == nil || to.AdditionalProperties == nil) && !toKeeps:
		l.add(LossUnknown, path, from, to)
	case fromKeeps:
		others(func(at string, child *Schema) { l.unspecified(from, child, false, at) })
		if to != nil && to.AdditionalProperties != nil {
			l.unspecified(from, to.AdditionalProperties.Schema, false, path+".*")
		}
	}
}

// metadata compares the metadata that an embedded resource has and an object of
// the schema to may lack.
func (l *losses) metadata(from, to *Schema, toKeeps bool, path string) {
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		node := from.property(name)
		if node == nil {
			node = from
		}
		child, specified := to.field(name)
		switch {
		case !specified && !toKeeps:
			l.add(LossDropped, path+"."+name, node, nil)
		case specified && name == "metadata":
			l.unspecified(node, child, false, path+"."+name)
		}
	}
}

// unspecified handles a path at which values are arbitrary in from. from is the
// node that allows them.
func (l *losses) unspecified(from, to *Schema, toKeeps bool, path string) {
	toKeeps = toKeeps || to != nil && to.preserves()
	if to == nil {
		if !toKeeps {
			l.add(LossUnknown, path, from, nil)
		}
		return
	}
	pair := lossPair{from, to, false, toKeeps, true, false}
	if l.seen[pair] {
		return
	}
	l.seen[pair] = true
	switch isObject := to.Type == "object" || to.jsonTypes() == nil; {
	case isObject && to.AdditionalProperties == nil && !toKeeps:
		l.add(LossUnknown, path, from, to)
		return
	case to.jsonTypes() != nil:
		l.add(LossRetyped, path, from, to)
		return
	}
	for _, p := range to.Properties {
		if !isMeta(p.Name) || !to.XEmbeddedResource {
			l.unspecified(from, p.Schema, false, path+lossStep(p.Name))
		}
	}
	if to.AdditionalProperties != nil {
		l.unspecified(from, to.AdditionalProperties.Schema, false, path+".*")
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
