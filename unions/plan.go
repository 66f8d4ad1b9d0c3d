package unions

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// Options select an interpretation where KEP-1027 leaves a choice.
type Options struct {
	// CarryOverOnly clears only members that were also set in the old object. A
	// member that a client adds by mistake is then rejected instead of dropped.
	CarryOverOnly bool
	// NoRatcheting reports a violation even if the old object has the same one.
	NoRatcheting bool
}

// Plan is the unions and modes of a schema, compiled for repeated use. It holds only the nodes
// that lead to a union. It is immutable.
type Plan struct {
	root *node
	opts Options
}

// node is a schema node that has or leads to a union.
type node struct {
	unions []union
	modes  []modes
	fields []fieldNode
	// values is the node of the values of a map, items that of the elements of a list.
	values *node
	items  *node
	// keys are the keys of a keyed list; other lists have none.
	keys []listKey
}

type fieldNode struct {
	name string
	node *node
}

// listKey is a field that identifies elements of a list, or selects a mode.
type listKey struct {
	name string
	// absent is the default, or nil.
	absent any
}

// union is a union with precomputed lookups.
type union struct {
	Union
	// members maps each value to the index of the member that it selects, or -1.
	members map[string]int
	// types are the types of the members; "" for members that are descended into.
	types []string
	// apart is true if no field is two members, or both a discriminator and a member.
	apart bool
}

// modes are [Modes] with the field of the discriminator.
type modes struct {
	Modes
	selector listKey
}

// Compile prepares the unions of the schema and of everything below it.
func Compile(s *structural.Schema, opts Options) *Plan {
	if s == nil {
		return &Plan{opts: opts}
	}
	c := compiler{known: map[*structural.Schema]*node{}}
	return &Plan{root: c.node(s), opts: opts}
}

// compiler compiles each shared node once.
type compiler struct {
	known map[*structural.Schema]*node
}

// node returns nil if the schema leads to no union.
func (c *compiler) node(schema *structural.Schema) *node {
	if n, ok := c.known[schema]; ok {
		return n
	}
	n := &node{}
	for _, p := range schema.Properties {
		if child := c.node(p.Schema); child != nil {
			n.fields = append(n.fields, fieldNode{p.Name, child})
		}
	}
	if a := schema.AdditionalProperties; a != nil && a.Schema != nil {
		n.values = c.node(a.Schema)
	}
	if schema.Items != nil {
		n.items = c.node(schema.Items)
		if schema.XListType == "map" {
			for _, name := range schema.XListMapKeys {
				n.keys = append(n.keys, keyWithDefault(schema.Items, name))
			}
		}
	}
	for _, u := range Of(schema) {
		n.unions = append(n.unions, n.prepared(schema, u))
	}
	for _, m := range ModesOf(schema) {
		n.modes = append(n.modes, modes{m, keyWithDefault(schema, m.Discriminator)})
	}
	if len(n.unions) == 0 && len(n.modes) == 0 && len(n.fields) == 0 && n.values == nil && n.items == nil {
		n = nil
	}
	c.known[schema] = n
	return n
}

func keyWithDefault(object *structural.Schema, name string) listKey {
	key := listKey{name: name}
	if p := object.Property(name); p != nil && p.Default != nil {
		var value any
		if json.Unmarshal(p.Default.Raw, &value) == nil {
			key.absent = value
		}
	}
	return key
}

func (n *node) prepared(s *structural.Schema, u Union) union {
	out := union{Union: u, members: map[string]int{}, apart: true}
	for _, v := range u.Values {
		out.members[v.Name] = u.Selected(v.Name)
	}
	for i, m := range u.Members {
		kind := ""
		if p := s.Property(m.Name); p != nil && n.field(m.Name) == nil {
			kind = p.Type
		}
		out.types = append(out.types, kind)
		out.apart = out.apart && m.Name != u.Discriminator && !slices.ContainsFunc(u.Members[:i],
			func(other Member) bool { return other.Name == m.Name })
	}
	return out
}

func (n *node) field(name string) *node {
	for _, f := range n.fields {
		if f.name == name {
			return f.node
		}
	}
	return nil
}

// reading is the discriminator as read from an object.
type reading struct {
	// value is the effective value: the default or "" if it is absent.
	value   string
	present bool
	// wrong is true if the field is not a string.
	wrong bool
}

func (u *union) read(object map[string]any) reading {
	switch value := object[u.Discriminator].(type) {
	case nil:
		if u.Default != nil {
			return reading{value: *u.Default}
		}
		return reading{}
	case string:
		return reading{value: value, present: true}
	default:
		return reading{present: true, wrong: true}
	}
}

// sameAs reports whether the discriminators are equal. An absent discriminator equals
// the value that it implies.
func (r reading) sameAs(old reading) bool { return !r.wrong && !old.wrong && r.value == old.value }

// selects returns the index of the member that a discriminator selects, or -1, and
// reports whether the schema of the discriminator accepts it.
func (u *union) selects(r reading) (index int, valid bool) {
	index, known := u.members[r.value]
	if !known {
		index = -1
	}
	switch {
	case r.wrong:
		return index, false
	case !r.present && u.Default == nil:
		return index, !u.Required
	}
	return index, known
}

// others returns how many fields of an object are neither the discriminator nor the
// selected member: once all of them are found, no other member needs to be checked.
// Most objects of a union have none. It returns -1 if fields cannot be counted this
// way.
func (u *union) others(object map[string]any, is reading, selected int) int {
	if !u.apart {
		return -1
	}
	count := len(object)
	if is.present {
		count--
	}
	if selected >= 0 {
		if _, ok := object[u.Members[selected].Name]; ok {
			count--
		}
	}
	return count
}

// counterparts returns, for each element of new, the element of old with the same
// keys, or nil if keys are missing or occur more than once in either list. It returns
// nil if there are no counterparts.
func counterparts(keys []listKey, old, new []any) []any {
	if len(keys) == 0 || len(old) == 0 {
		return nil
	}
	out := make([]any, len(new))
	oldMap := indexByKey(keys, old)
	newMap := indexByKey(keys, new)
	for i, element := range new {
		key, ok := keyOf(keys, element)
		if !ok || newMap[key] < 0 {
			continue
		}
		if index, ok := oldMap[key]; ok && index >= 0 {
			out[i] = old[index]
		}
	}
	return out
}

// sameKeys reports whether both elements have all keys, with equal values.
func sameKeys(keys []listKey, a, b any) bool {
	x, ok := a.(map[string]any)
	y, also := b.(map[string]any)
	if !ok || !also {
		return false
	}
	for _, k := range keys {
		if text, ok := x[k.name].(string); ok && y[k.name] == text {
			continue // fast path without a conversion
		}
		v, ok := k.of(x)
		w, also := k.of(y)
		if !ok || !also || v != w {
			return false
		}
	}
	return true
}

// indexByKey returns the index of the element with each key, or -1 if there are
// several.
func indexByKey(keys []listKey, list []any) map[any]int {
	out := make(map[any]int, len(list))
	for i, element := range list {
		key, ok := keyOf(keys, element)
		if !ok {
			continue
		}
		if _, twice := out[key]; twice {
			i = -1
		}
		out[key] = i
	}
	return out
}

// keyOf returns the keys of an element as one comparable value.
func keyOf(keys []listKey, element any) (any, bool) {
	object, ok := element.(map[string]any)
	if !ok {
		return nil, false
	}
	if len(keys) == 1 {
		return keys[0].of(object)
	}
	var text strings.Builder
	for _, k := range keys {
		value, ok := k.of(object)
		if !ok {
			return nil, false
		}
		switch value := value.(type) {
		case string:
			text.WriteString(strconv.Quote(value))
		case bool:
			text.WriteString(strconv.FormatBool(value))
		case int64:
			text.WriteString(strconv.FormatInt(value, 10))
		case float64:
			text.WriteString(strconv.FormatFloat(value, 'g', -1, 64))
		}
		text.WriteByte(',')
	}
	return text.String(), true
}

// of returns the key as a string, a bool, an int64, or a float64 that is not
// integral.
func (k listKey) of(object map[string]any) (any, bool) {
	value := object[k.name]
	if value == nil {
		value = k.absent
	}
	switch number := value.(type) {
	case string, bool, int64:
		return value, true
	case int:
		return int64(number), true
	case int32:
		return int64(number), true
	case float64:
		if math.Trunc(number) == number && math.Abs(number) < 1<<63 {
			return int64(number), true
		}
		return number, !math.IsNaN(number)
	case json.Number:
		if integer, err := number.Int64(); err == nil {
			return integer, true
		}
		float, err := number.Float64()
		return float, err == nil
	}
	return nil, false
}
