package unions

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/structural"
)

// Validate returns the violations of the schema's unions and modes in a normalized object. old is
// nil on create.
func Validate(s *structural.Schema, old, new map[string]any) field.ErrorList {
	return Compile(s, Options{}).Validate(old, new, nil)
}

// Validate returns the violations of the unions and modes in a normalized object, below path,
// which may be nil. old is nil on create. Errors are in schema order, those of an object
// before those below it.
func (p *Plan) Validate(old, new map[string]any, path *field.Path) field.ErrorList {
	if p.root == nil || new == nil {
		return nil
	}
	// An old object can only remove errors or explain them.
	v := validator{opts: p.opts, path: path}
	if v.object(p.root, nil, new); len(v.errors) == 0 || old == nil {
		return v.errors
	}
	v.errors = nil
	v.object(p.root, old, new)
	return v.errors
}

type validator struct {
	opts   Options
	path   *field.Path
	errors field.ErrorList
	// places lead to the current value. They are converted to a path only if there
	// is an error.
	places []place
}

// place is a step from a value to one of its children.
type place struct {
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

// at returns the path of the current value.
func (v *validator) at() *field.Path {
	path := v.path
	for _, p := range v.places {
		switch p.kind {
		case placeKey:
			path = path.Key(p.name)
		case placeIndex:
			path = path.Index(p.index)
		default:
			path = path.Child(p.name)
		}
	}
	return path
}

// below validates a child of the current value.
func (v *validator) below(p place, n *node, old, new any) {
	v.places = append(v.places, p)
	v.value(n, old, new)
	v.places = v.places[:len(v.places)-1]
}

// value validates a value that is present. A value of the wrong type is reported,
// because nothing is known about the unions in it.
func (v *validator) value(n *node, old, new any) {
	if new == nil {
		return
	}
	if n.items != nil {
		current, ok := new.([]any)
		if !ok {
			v.errors = append(v.errors, field.TypeInvalid(v.at(), new, "must be of type array"))
			return
		}
		previous, _ := old.([]any)
		found := counterparts(n.keys, previous, current)
		for i, element := range current {
			var counterpart any
			if found != nil {
				counterpart = found[i]
			}
			v.below(place{kind: placeIndex, index: i}, n.items, counterpart, element)
		}
		return
	}
	updated, ok := new.(map[string]any)
	if !ok {
		v.errors = append(v.errors, field.TypeInvalid(v.at(), new, "must be of type object"))
		return
	}
	oldMetadata, _ := old.(map[string]any)
	v.object(n, oldMetadata, updated)
}

func (v *validator) object(n *node, old, new map[string]any) {
	for i := range n.unions {
		v.union(&n.unions[i], old, new)
	}
	for i := range n.modes {
		v.modes(&n.modes[i], old, new)
	}
	for _, f := range n.fields {
		if value := new[f.name]; value != nil {
			v.below(place{name: f.name}, f.node, old[f.name], value)
		}
	}
	if n.values != nil {
		for _, key := range slices.Sorted(maps.Keys(new)) {
			if n.field(key) == nil {
				v.below(place{kind: placeKey, name: key}, n.values, old[key], new[key])
			}
		}
	}
}

// union validates one union of an object. old is nil if there is no counterpart.
func (v *validator) union(u *union, old, new map[string]any) {
	is := reading{}
	if u.Discriminator != "" {
		is = u.read(new)
	}
	selected, valid := u.selects(is)
	unchanged := old != nil && !v.opts.NoRatcheting
	set := 0
	wrong := 0
	required := -1
	left := u.others(new, is, selected)
	for i, m := range u.Members {
		if left == 0 && i != selected && !unchanged {
			continue
		}
		value, ok := new[m.Name]
		if ok && i != selected {
			left--
		}
		if value != nil {
			set++
			if i != selected {
				wrong++
			}
			if !hasType(value, u.types[i]) {
				v.errors = append(v.errors, field.TypeInvalid(v.at().Child(m.Name), value, "must be of type "+u.types[i]))
			}
		} else if i == selected && !m.Optional {
			required = i
		}
		if unchanged && (value != nil) != (old[m.Name] != nil) {
			unchanged = false
		}
	}
	if u.Discriminator == "" {
		if !unchanged && set != 1 && (set > 1 || !u.AtMostOne) {
			v.errors = append(v.errors, field.Invalid(v.at(), u.setNames(new), u.MustHaveMember()))
		}
		return
	}
	same := false
	was := reading{}
	if old != nil {
		was = u.read(old)
		same = is.sameAs(was)
	}
	if !valid {
		// Absence equals "", unless one of the two is rejected.
		if !unchanged || !same || is.present != was.present {
			v.errors = append(v.errors, u.refusal(is, new, v.at().Child(u.Discriminator)))
		}
		return
	}
	if unchanged && same || wrong == 0 && required < 0 {
		return
	}
	path := v.at()
	for i, m := range u.Members {
		switch {
		case i == required:
			v.errors = append(v.errors, field.Required(path.Child(m.Name), u.MustBeSet(m)))
		case i != selected && new[m.Name] != nil:
			v.errors = append(v.errors, field.Forbidden(path.Child(m.Name), u.MustNotBeSet(m)))
		}
	}
	if wrong > 0 && set > 1 && same {
		v.errors = append(v.errors, field.Invalid(path.Child(u.Discriminator), is.value, MustChange))
	}
}

// modes validates the fields of an object that its mode allows. old is nil if there is no counterpart.
func (v *validator) modes(m *modes, old, new map[string]any) {
	mode := m.read(new)
	unchanged := old != nil && !v.opts.NoRatcheting && m.read(old) == mode
	for _, f := range m.Fields {
		set := f.isSet(new)
		switch {
		case unchanged && f.isSet(old) == set:
		case !set && slices.Contains(f.Required, mode):
			v.errors = append(v.errors, field.Required(v.at().Child(f.Name), m.MustBeSet(f)))
		case set && !slices.Contains(f.Allowed, mode):
			v.errors = append(v.errors, field.Forbidden(v.at().Child(f.Name), m.MustNotBeSet(f)))
		}
	}
}

// read returns the mode of an object.
func (m *modes) read(object map[string]any) string {
	switch mode, _ := m.selector.of(object); mode := mode.(type) {
	case string:
		return mode
	case bool:
		return strconv.FormatBool(mode)
	}
	if m.Boolean {
		return "false"
	}
	return ""
}

// isSet reports whether the field is set in an object.
func (f ModeField) isSet(object map[string]any) bool {
	if f.Nonzero == "" {
		return object[f.Name] != nil
	}
	switch value := object[f.Name].(type) {
	case []any:
		return len(value) > 0
	case map[string]any:
		return len(value) > 0
	case string:
		return value != ""
	}
	value, ok := listKey{name: f.Name}.of(object)
	return ok && value != int64(0) && value != false
}

// refusal returns the error for an invalid discriminator.
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

// setNames returns the members that are set, as printed by declarative validation.
func (u *union) setNames(object map[string]any) string {
	var names []string
	for _, m := range u.Members {
		if object[m.Name] != nil {
			names = append(names, m.Name)
		}
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// hasType reports whether a decoded value has the type of a schema. An empty type
// accepts any value.
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
