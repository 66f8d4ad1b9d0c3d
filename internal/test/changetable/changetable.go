package changetable

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

// Row is a change in the table. Its schema is tested at several positions in an object.
type Row struct {
	// Name is unique. Kinds are the kinds of the change.
	Name  string   `json:"name"`
	Kinds []string `json:"kinds"`
	// Old and New are the schema of the field x; null means that there is no field.
	// OldObject and NewObject are keywords of the object with the field.
	Old       any            `json:"old"`
	New       any            `json:"new"`
	OldObject map[string]any `json:"oldObject"`
	NewObject map[string]any `json:"newObject"`
	// Value is the stored x; Object are stored fields in addition to or instead of it. A
	// change that breaks stored objects breaks this one.
	Value  any            `json:"value"`
	Object map[string]any `json:"object"`
	// Send is what an old client sends instead. Edit are the fields that an unrelated
	// update sets instead of the field other.
	Send map[string]any `json:"send"`
	Edit map[string]any `json:"edit"`
	// Applies are objects that managers apply in turn, the last one after the change and
	// again as the first manager.
	Applies []map[string]any `json:"applies"`
	// Positions are the places of the row, if it does not apply to all of them.
	Positions []string `json:"positions"`

	// Careful explains why package compare considers the change more harmful than it was
	// for these objects; it is empty otherwise.
	Careful string `json:"careful"`

	// Some rows are about fields outside the schemas: OldSpec and NewSpec are merged into
	// the spec, Stored and Sent are whole objects.
	OldSpec map[string]any `json:"oldSpec"`
	NewSpec map[string]any `json:"newSpec"`
	Stored  map[string]any `json:"stored"`
	Sent    map[string]any `json:"sent"`
	// Version is the version that the old client uses, if not v1. Asks are paths that it
	// requests, below the collection ("?fieldSelector=…") or the object ("/scale"); a
	// word is a resource name that it looks up.
	Version string   `json:"version"`
	Asks    []string `json:"asks"`
}

// Case is a row: two definitions that differ in the same way at several positions.
type Case struct {
	Name  string
	Kinds []string
	// Plural is the name of the resource; Old and New are the definitions.
	Plural   string
	Old, New map[string]any
	// StoredVersion is the version in which stored objects are read, Version the version
	// that the old client uses.
	StoredVersion, Version string
	Asks                   []string
	Careful                string
	Positions              []Position
}

// Position is one position of a case, with objects that are empty at the other positions.
type Position struct {
	// Name is the name of the case and of the position.
	Name string
	// Field is the path of the position in objects, for example ".spec.list[*]"; it is empty
	// for fields outside the schemas.
	Field string
	// Stored, Sent and Edited are objects without metadata; Edited is Stored after an
	// unrelated update. Edit makes that update to any object.
	Stored, Sent map[string]any
	Edit         func(object map[string]any)
	Applies      []map[string]any
}

// Group is the API group of the definitions.
const Group = "changes.example.com"

// positions are the positions at which rows about schemas are tested: an object, an element of a
// list without and with keys, and a value of a map.
func positions() []string { return []string{"root", "list", "keyed", "map"} }

// Read returns the cases of a table. The error names the row.
func Read(data []byte) ([]Case, error) {
	var rows []Row
	if err := yaml.UnmarshalStrict(data, &rows); err != nil {
		return nil, err
	}
	var out []Case
	for i, row := range rows {
		if slices.ContainsFunc(out, func(c Case) bool { return c.Name == row.Name }) {
			return nil, fmt.Errorf("duplicate row %s", row.Name)
		}
		out = append(out, row.build(fmt.Sprintf("case%03d", i)))
	}
	return out, nil
}

func (r *Row) build(plural string) Case {
	c := Case{Name: r.Name, Kinds: r.Kinds, Plural: plural, Version: cmp.Or(r.Version, "v1"), StoredVersion: "v1", Asks: r.Asks, Careful: r.Careful}
	if r.OldSpec != nil {
		r.outsideSchema(&c)
		return c
	}
	names := r.Positions
	if len(names) == 0 {
		names = positions()
	}
	old := map[string]any{}
	new := map[string]any{}
	for _, name := range names {
		old[name] = schemaAt(name, object(r.Old, r.OldObject))
		new[name] = schemaAt(name, object(r.New, r.NewObject))
		c.Positions = append(c.Positions, r.at(name))
	}
	c.Old = definition(plural, nil, resource(old))
	c.New = definition(plural, nil, resource(new))
	return c
}

// at returns a position with its objects.
func (r *Row) at(name string) Position {
	p := Position{Name: r.Name + "/" + name, Field: ".spec." + name + map[string]string{"list": "[*]", "keyed": "[*]", "map": ".*"}[name]}
	element := map[string]any{"name": "a", "other": "a"}
	if r.Value != nil || r.Object == nil {
		element["x"] = r.Value
	}
	p.Stored = spec(name, merged(element, r.Object))
	p.Sent = p.Stored
	if r.Send != nil {
		p.Sent = spec(name, merged(map[string]any{"name": "a", "other": "a"}, r.Send))
	}
	edit := r.Edit
	if edit == nil {
		edit = map[string]any{"other": "b"}
	}
	p.Edit = func(object map[string]any) {
		if found := elementOf(name, object); found != nil {
			for key, value := range edit {
				found[key] = value
			}
		}
	}
	for _, a := range r.Applies {
		p.Applies = append(p.Applies, spec(name, merged(map[string]any{"name": "a"}, a)))
	}
	return p
}

// outsideSchema builds the case of a row about fields outside the schemas.
func (r *Row) outsideSchema(c *Case) {
	text := map[string]any{"type": "string"}
	base := map[string]any{"type": "object", "properties": map[string]any{
		"spec":   map[string]any{"type": "object", "properties": map[string]any{"x": text, "other": text, "replicas": map[string]any{"type": "integer"}}},
		"status": map[string]any{"type": "object", "properties": map[string]any{"y": text}},
	}}
	c.Old = definition(c.Plural, r.OldSpec, base)
	c.New = definition(c.Plural, r.NewSpec, base)
	p := Position{Name: r.Name + "/whole", Stored: r.Stored, Sent: r.Sent}
	if p.Stored == nil {
		p.Stored = map[string]any{"spec": map[string]any{"x": "a", "other": "a"}}
	}
	if p.Sent == nil {
		p.Sent = p.Stored
	}
	p.Edit = func(object map[string]any) {
		if spec, ok := object["spec"].(map[string]any); ok {
			spec["other"] = "b"
		}
	}
	c.Positions = []Position{p}
}

// object returns the schema of an object with the field x.
func object(x any, more map[string]any) map[string]any {
	properties := map[string]any{"name": map[string]any{"type": "string"}, "other": map[string]any{"type": "string"}}
	if x != nil {
		properties["x"] = x
	}
	out := map[string]any{"type": "object", "required": []any{"name"}}
	if more, ok := more["properties"].(map[string]any); ok {
		for name, schema := range more {
			properties[name] = schema
		}
	}
	out["properties"] = properties
	for key, value := range more {
		switch key {
		case "properties":
		case "required":
			out[key] = append([]any{"name"}, value.([]any)...)
		default:
			out[key] = value
		}
	}
	return out
}

// schemaAt returns the schema of an object at a position.
func schemaAt(place string, object map[string]any) map[string]any {
	switch place {
	case "list":
		return map[string]any{"type": "array", "items": object}
	case "keyed":
		return map[string]any{"type": "array", "items": object, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"}}
	case "map":
		return map[string]any{"type": "object", "additionalProperties": object}
	}
	return object
}

// resource returns the schema of a resource with the given spec fields.
func resource(fields map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": fields}}}
}

// spec returns an object with an element at a position.
func spec(place string, element map[string]any) map[string]any {
	value := any(element)
	switch place {
	case "list", "keyed":
		value = []any{element}
	case "map":
		value = map[string]any{"k": element}
	}
	return map[string]any{"spec": map[string]any{place: value}}
}

// elementOf returns the element at a position in an object, or nil if it is gone.
func elementOf(place string, object map[string]any) map[string]any {
	given, _ := object["spec"].(map[string]any)
	switch value := given[place].(type) {
	case []any:
		if len(value) > 0 {
			element, _ := value[0].(map[string]any)
			return element
		}
	case map[string]any:
		if place == "map" {
			value, _ = value["k"].(map[string]any)
		}
		return value
	}
	return nil
}

// definition returns a definition; versions without a schema get the given one.
func definition(plural string, spec, schema map[string]any) map[string]any {
	inner := merged(map[string]any{
		"group": Group, "scope": "Namespaced",
		"names":    map[string]any{"plural": plural, "singular": "one" + plural, "kind": "Kind" + plural, "listKind": "Kind" + plural + "List"},
		"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true}},
	}, spec)
	for _, v := range inner["versions"].([]any) {
		if v := v.(map[string]any); v["schema"] == nil {
			v["schema"] = map[string]any{"openAPIV3Schema": schema}
		}
	}
	return merged(map[string]any{}, map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + "." + Group}, "spec": inner,
	})
}

// merged returns a deep copy of a with b merged into it.
func merged(a, b map[string]any) map[string]any {
	out := Copy(a)
	for key, value := range Copy(b) {
		inner, ok := out[key].(map[string]any)
		more, also := value.(map[string]any)
		if ok && also {
			out[key] = merged(inner, more)
			continue
		}
		out[key] = value
	}
	return out
}

// Copy returns a deep copy of a JSON object.
func Copy(object map[string]any) map[string]any {
	data, err := json.Marshal(object)
	out := map[string]any{}
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil || out == nil {
		return map[string]any{} // not reached: objects from YAML can be encoded
	}
	return out
}
