package unions

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/structural"
)

// Validate reports what in a normalized object violates the unions that the
// schema carries. old is nil on create.
func Validate(s *structural.Schema, old, new map[string]any) field.ErrorList {
	return Compile(s, Options{}).Validate(old, new, nil)
}

// Validate reports what in a normalized object violates the unions, under path,
// which may be nil. old is nil on create. Errors are in the order of the schema,
// those of an object before those below it.
func (p *Plan) Validate(old, new map[string]any, path *field.Path) field.ErrorList {
	if p.root == nil || new == nil {
		return nil
	}
	v := validator{opts: p.opts, path: path}
	v.object(p.root, old, new, nil)
	return v.errors
}

type validator struct {
	opts   Options
	path   *field.Path
	errors field.ErrorList
}

// place is a value in the object. It becomes a path only where there is an
// error.
type place struct {
	in    *place
	kind  placeKind
	name  string
	index int
}

type placeKind int

const (
	placeField placeKind = iota
	placeKey
	placeIndex
)

func (v *validator) at(p *place) *field.Path {
	if p == nil {
		return v.path
	}
	switch in := v.at(p.in); p.kind {
	case placeKey:
		return in.Key(p.name)
	case placeIndex:
		return in.Index(p.index)
	default:
		return in.Child(p.name)
	}
}

// value validates a value that is present. A value of the wrong type is
// reported: nothing can be said about the unions in it.
func (v *validator) value(n *node, old, new any, at *place) {
	if new == nil {
		return
	}
	if n.items != nil {
		after, ok := new.([]any)
		if !ok {
			v.errors = append(v.errors, field.TypeInvalid(v.at(at), new, "must be of type array"))
			return
		}
		before, _ := old.([]any)
		for i, counterpart := range counterparts(n.keys, before, after) {
			v.value(n.items, counterpart, after[i], &place{in: at, kind: placeIndex, index: i})
		}
		return
	}
	after, ok := new.(map[string]any)
	if !ok {
		v.errors = append(v.errors, field.TypeInvalid(v.at(at), new, "must be of type object"))
		return
	}
	before, _ := old.(map[string]any)
	v.object(n, before, after, at)
}

func (v *validator) object(n *node, old, new map[string]any, at *place) {
	for i := range n.unions {
		v.union(&n.unions[i], old, new, at)
	}
	for _, f := range n.fields {
		v.value(f.node, old[f.name], new[f.name], &place{in: at, name: f.name})
	}
	if n.values != nil {
		for _, key := range slices.Sorted(maps.Keys(new)) {
			if n.field(key) == nil {
				v.value(n.values, old[key], new[key], &place{in: at, kind: placeKey, name: key})
			}
		}
	}
}

// union validates one union of an object. old is nil without a counterpart.
func (v *validator) union(u *union, old, new map[string]any, at *place) {
	child := func(name string) *field.Path { return v.at(&place{in: at, name: name}) }
	for i, m := range u.Members {
		if value := new[m.Name]; value != nil && !hasType(value, u.types[i]) {
			v.errors = append(v.errors, field.TypeInvalid(child(m.Name), value, "must be of type "+u.types[i]))
		}
	}
	unchanged := old != nil && !v.opts.NoRatcheting
	set := 0
	for _, m := range u.Members {
		if new[m.Name] != nil {
			set++
		}
		if (new[m.Name] != nil) != (old[m.Name] != nil) {
			unchanged = false
		}
	}
	if u.Discriminator == "" {
		if !unchanged && set != 1 && (set > 1 || !u.AtMostOne) {
			v.errors = append(v.errors, field.Invalid(v.at(at), u.setNames(new), u.MustHaveMember()))
		}
		return
	}
	is, was := u.read(new), u.read(old)
	same := old != nil && is.sameAs(was)
	if !u.isValid(is) {
		// Absence is equal to the empty text, but not when one of them is refused.
		if unchanged && same && is.present == was.present {
			return
		}
		v.errors = append(v.errors, u.refusal(is, new, child(u.Discriminator)))
		return
	}
	if unchanged && same {
		return
	}
	selected, forbidden := u.selected(is), false
	for i, m := range u.Members {
		switch isSet := new[m.Name] != nil; {
		case i == selected && !isSet && !m.Optional:
			v.errors = append(v.errors, field.Required(child(m.Name), u.MustBeSet(m)))
		case i != selected && isSet:
			forbidden = true
			v.errors = append(v.errors, field.Forbidden(child(m.Name), u.MustNotBeSet(m)))
		}
	}
	if forbidden && set > 1 && same {
		v.errors = append(v.errors, field.Invalid(child(u.Discriminator), is.value, MustChange))
	}
}

// refusal is the error about a discriminator that is not valid.
func (u *union) refusal(is reading, object map[string]any, path *field.Path) *field.Error {
	switch {
	case is.wrong:
		return field.TypeInvalid(path, object[u.Discriminator], "must be of type string")
	case !is.present && u.Default == nil:
		return field.Required(path, "")
	}
	var values []string
	for _, v := range u.Values {
		values = append(values, v.Name)
	}
	return field.NotSupported(path, is.value, values)
}

// setNames are the members that are set, as declarative validation prints them.
func (u *union) setNames(object map[string]any) string {
	var names []string
	for _, m := range u.Members {
		if object[m.Name] != nil {
			names = append(names, m.Name)
		}
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// hasType reports whether a decoded value has the type of a schema. No type is
// any type.
func hasType(value any, kind string) bool {
	switch kind {
	case "object":
		_, ok := value.(map[string]any)
		return ok
	case "array":
		_, ok := value.([]any)
		return ok
	case "string":
		_, ok := value.(string)
		return ok
	case "boolean":
		_, ok := value.(bool)
		return ok
	case "integer", "number":
		switch value.(type) {
		case int, int32, int64, uint64, float32, float64, json.Number:
			return true
		}
		return false
	}
	return true
}
