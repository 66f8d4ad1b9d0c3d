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
	l.value(lossPair{from: source, to: target, isTop: true}, "")
	return l.found
}

type losses struct {
	found []Loss
	seen  map[lossPair]bool
}

// lossPair is everything that determines the losses below a path.
type lossPair struct {
	// from and to are the nodes of the two schemas. A nil node specifies nothing.
	from, to *Schema
	// fromKeeps and toKeeps are set if an enclosing list preserves unknown fields.
	fromKeeps, toKeeps   bool
	isUnspecified, isTop bool
}

func (l *losses) add(kind LossKind, path string, source, target *Schema) {
	l.found = append(l.found, Loss{Path: path, Kind: kind, From: source, To: target})
}

// value compares two nodes at one path.
func (l *losses) value(pair lossPair, path string) {
	source := pair.from
	target := pair.to
	pair.fromKeeps = pair.fromKeeps || source != nil && source.preserves()
	pair.toKeeps = pair.toKeeps || target != nil && target.preserves()
	if source == target && pair.fromKeeps == pair.toKeeps || l.seen[pair] {
		return
	}
	l.seen[pair] = true
	if source == nil {
		if pair.fromKeeps {
			l.unspecified(pair, path)
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
		case pair.fromKeeps && len(source.Properties) == 0 && source.AdditionalProperties == nil:
			l.unspecified(pair, path)
		default:
			l.fields(pair, path)
		}
	case "object":
		l.fields(pair, path)
	case "array":
		var items *Schema
		if target != nil {
			items = target.Items
		}
		l.value(lossPair{from: source.Items, to: items, fromKeeps: pair.fromKeeps, toKeeps: pair.toKeeps}, path+"[*]")
	}
}

// fields compares the fields of an object.
func (l *losses) fields(pair lossPair, path string) {
	source := pair.from
	target := pair.to
	keepsMeta := pair.isTop || target != nil && target.XEmbeddedResource
	toFields := target.named(len(source.Properties))
	for _, p := range source.Properties {
		if isMeta(p.Name) && (keepsMeta || source.XEmbeddedResource) {
			continue
		}
		location := path + lossStep(p.Name)
		if child, specified := toFields.field(p.Name); specified {
			l.value(lossPair{from: p.Schema, to: child}, location)
		} else if !pair.toKeeps {
			l.add(LossDropped, location, p.Schema, nil)
		}
	}
	if source.XEmbeddedResource && !keepsMeta {
		l.metadata(pair, path)
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
		others(func(location string, child *Schema) { l.value(lossPair{from: values, to: child}, location) })
		if target != nil && target.AdditionalProperties != nil {
			l.value(lossPair{from: values, to: target.AdditionalProperties.Schema}, path+".*")
		} else if !pair.toKeeps {
			if values == nil {
				values = source
			}
			l.add(LossDropped, path+".*", values, nil)
		}
	case pair.fromKeeps && (target == nil || target.AdditionalProperties == nil) && !pair.toKeeps:
		l.add(LossUnknown, path, source, target)
	case pair.fromKeeps:
		others(func(location string, child *Schema) { l.unspecified(lossPair{from: source, to: child}, location) })
		if target != nil && target.AdditionalProperties != nil {
			l.unspecified(lossPair{from: source, to: target.AdditionalProperties.Schema}, path+".*")
		}
	}
}

// metadata compares the metadata that an embedded resource has and an object of
// the schema to may lack.
func (l *losses) metadata(p lossPair, path string) {
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		node := p.from.Property(name)
		if node == nil {
			node = p.from
		}
		child, specified := p.to.field(name)
		switch {
		case !specified && !p.toKeeps:
			l.add(LossDropped, path+"."+name, node, nil)
		case specified && name == "metadata":
			l.unspecified(lossPair{from: node, to: child}, path+"."+name)
		}
	}
}

// unspecified handles a path at which values of source are arbitrary. p.from is the
// node that allows them.
func (l *losses) unspecified(p lossPair, path string) {
	source := p.from
	target := p.to
	toKeeps := p.toKeeps || target != nil && target.preserves()
	if target == nil {
		if !toKeeps {
			l.add(LossUnknown, path, source, nil)
		}
		return
	}
	pair := lossPair{from: source, to: target, toKeeps: toKeeps, isUnspecified: true}
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
			l.unspecified(lossPair{from: source, to: p.Schema}, path+lossStep(p.Name))
		}
	}
	if target.AdditionalProperties != nil {
		l.unspecified(lossPair{from: source, to: target.AdditionalProperties.Schema}, path+".*")
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
