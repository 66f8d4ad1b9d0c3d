package laws_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Kind is a kind in two versions, with what is known about its conversion.
type Kind struct {
	Name, Spoke, Hub string // the kind and the names of its versions

	NewSpoke, NewHub func() any
	Up               func(spoke, hub any) error // spoke to hub
	Down             func(hub, spoke any) error

	// Fields has what markers say about fields and types.
	Fields []Field
	// Drops are paths, in either version, that are documented to be lost.
	Drops []string
	// Annotation is what the conversion keeps lost values in. If it is empty, the conversion
	// is hand-written, and annotations that it adds are ignored.
	Annotation string
	// first ends the run with the first violation, whose history is not made smaller.
	first bool
	// Checks are those of laws that need to know the units of the conversion, or nil.
	Checks func(*runner) checker
}

// checker checks objects in two versions.
type checker interface {
	// created is called for an object that is created in a version, and written for each
	// that a client writes, with the object in the other version.
	created(f *filler, side int, v, other reflect.Value)
	written(side int, v, other reflect.Value)
	// changed is called with an object before and after a change in a version, and what is
	// stored in the other version, or is stored itself.
	changed(side int, read, e, stored, other reflect.Value, itself bool)
}

// Field is what markers say about the values of a field or type.
type Field struct {
	At       string   // import path and type, and the field if it is one
	Required bool     // although the tag has omitempty
	Optional bool     // although it has not
	Values   []string // as JSON; if there are any, the others are invalid
	Min, Max string   // of numbers, or empty
	Keys     []string // JSON names of the keys of a list, or "." for a set
	// Least and Most are numbers of elements, or 0, and the least length of a string is at
	// most 1; with None, there is no valid value.
	Least, Most int
	None        bool
}

// Run runs random histories of objects of a kind, and reports each violation of a law
// with the smallest history that shows it. The number of histories and the seed can be set
// by CONVERSION_HISTORIES and CONVERSION_SEED.
func Run(t *testing.T, k Kind) {
	t.Helper()
	count, seed := 2000, 1
	if testing.Short() {
		count = 200
	}
	for name, value := range map[string]*int{"CONVERSION_HISTORIES": &count, "CONVERSION_SEED": &seed} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				t.Fatalf("%s=%s is not a number of histories or a seed", name, text)
			}
			*value = n
		}
	}
	k.first = os.Getenv("CONVERSION_FIRST") != ""
	violations := run(k, count, uint64(seed))
	if len(violations) == 0 {
		return
	}
	t.Errorf("%s: %d violations of the laws between %s and %s (%d histories, seed %d)", k.Name, len(violations), k.Spoke, k.Hub, count, seed)
	for _, v := range violations {
		t.Error(v.String())
	}
}

// violation is a violation of a law at a path without the indices of lists.
type violation struct {
	law, path string
	message   string
	history   int
	steps     []string // of the smallest history
}

func (v violation) String() string {
	return fmt.Sprintf("%s\n    %s (history %d)\n        %s", v.law, v.message, v.history, strings.Join(v.steps, "\n        "))
}

// run runs histories on all processors. The result depends only on the arguments.
func run(k Kind, count int, seed uint64) []violation {
	first := map[[2]string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var stopped atomic.Bool
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := newRunner(k)
			for i := w; i < count && !stopped.Load(); i += workers {
				for _, v := range r.history(&choices{random: randomOf(seed, i)}) {
					id := [2]string{v.law, v.path}
					mu.Lock()
					if earlier, ok := first[id]; !ok || i < earlier {
						first[id] = i
					}
					stopped.Store(k.first)
					mu.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	var ids [][2]string
	for id := range first {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	var out []violation
	shrunk := map[string]int{}
	r := newRunner(k)
	for _, id := range ids {
		// What is lost as a whole is not reported again for its parts.
		if slices.ContainsFunc(out, func(v violation) bool { return v.law == id[0] && isBelow(id[1], v.path) }) {
			continue
		}
		v := violation{law: id[0], path: id[1], message: id[1] + ": not the only violation of this law"}
		if shrunk[id[0]]++; shrunk[id[0]] <= 12 && !k.first {
			v = r.shrink(seed, first[id], id)
		}
		v.history = first[id]
		out = append(out, v)
	}
	return out
}

func isBelow(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

func randomOf(seed uint64, history int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(history)))
}

// --- Choices ---

// choices is the source of everything random in a history. Choices can be recorded as a
// tree and repeated. Where a tree has no choice, it is 0, which always stands for the
// simplest value, so that a history is shrunk by removing parts of its tree.
type choices struct {
	random *rand.Rand // nil if node is repeated
	node   *node      // the part of the tree that is recorded or repeated, or nil
	value  int        // the next of node.values
	child  int        // the next of node.children
}

type node struct {
	values   []int
	children []*node
}

func (c *choices) repeated() int {
	c.value++
	if c.node == nil || c.value > len(c.node.values) {
		return 0
	}
	return c.node.values[c.value-1]
}

func (c *choices) made(n int) int {
	if c.node != nil {
		c.node.values = append(c.node.values, n)
	}
	return n
}

// choose returns a number below n.
func (c *choices) choose(n int) int {
	if c.random == nil {
		return min(c.repeated(), n-1)
	}
	return c.made(c.random.IntN(n))
}

// chance returns true in the given percentage of cases.
func (c *choices) chance(percent int) bool {
	if c.random == nil {
		return c.repeated() != 0
	}
	if c.random.IntN(100) < percent {
		return c.made(1) == 1
	}
	return c.made(0) == 1
}

// open starts a part of the tree that can be removed on its own; close ends it.
func (c *choices) open() choices {
	outer := *c
	switch {
	case c.random == nil:
		c.node = nil
		if outer.node != nil && outer.child < len(outer.node.children) {
			c.node = outer.node.children[outer.child]
		}
	case c.node != nil:
		c.node = new(node)
		outer.node.children = append(outer.node.children, c.node)
	}
	c.value, c.child = 0, 0
	return outer
}

func (c *choices) close(outer choices) {
	outer.child++
	*c = outer
}

// --- Types ---

// goType is a Go type as its JSON shows it, with the values that markers allow.
type goType struct {
	of     reflect.Type
	field  Field
	elem   *goType // of pointers, slices, arrays and maps
	parts  []part
	pool   []reflect.Value // if not empty, all values; the first is the simplest
	opaque bool            // encodes itself
	shared bool            // both versions have it, so that it is copied
	weight int             // how many edits there are, roughly
}

// part is a field of a struct.
type part struct {
	index    int
	name     string // in JSON; empty if the struct is inlined
	ty       *goType
	omit     bool // left out of the JSON if empty
	omitZero bool // so is a struct
	required bool
	fixed    bool // never generated
}

// goTypes makes the types of a kind.
type goTypes struct {
	fields map[string]Field
	known  map[reflect.Type]*goType
	json   bool // only values that can be decoded from JSON
}

var marshaler, unmarshaler = reflect.TypeFor[json.Marshaler](), reflect.TypeFor[json.Unmarshaler]()

func nameOf(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

// of returns a type. Only struct types without a rule are shared, which ends recursion.
func (ts *goTypes) of(t reflect.Type, rule Field, place string) *goType {
	if known, ok := ts.known[t]; ok {
		return known
	}
	out := &goType{of: t, field: rule, weight: 1}
	if named, ok := ts.fields[nameOf(t)]; ok && t.PkgPath() != "" && len(rule.Values) == 0 {
		out.field.Values = named.Values
	}
	if len(out.field.Values) > 0 && t.Kind() != reflect.Pointer && t.Kind() != reflect.Slice && t.Kind() != reflect.Map {
		out.pool = decodedAs(t, out.field.Values)
		return out
	}
	out.opaque = t.Kind() != reflect.Pointer && (reflect.PointerTo(t).Implements(marshaler) || reflect.PointerTo(t).Implements(unmarshaler))
	if out.opaque && !isTagged(t) {
		if out.pool = decodedAs(t, encodedTexts()); len(out.pool) > 0 {
			return out
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		out.elem = ts.of(t.Elem(), rule, place)
		out.weight = out.elem.weight
	case reflect.Slice, reflect.Array, reflect.Map:
		if t.Elem().Kind() == reflect.Uint8 {
			out.pool = decodedAs(t, []string{`"YQ=="`, `"YmM="`})
			return out
		}
		out.elem = ts.of(t.Elem(), ts.fields[place+"[]"], place+"[]")
		out.weight = 2 + out.elem.weight
	case reflect.Struct:
		ts.known[t] = out
		out.weight = 0
		for i := range t.NumField() {
			if part, ok := ts.part(t, i); ok {
				out.parts = append(out.parts, part)
				out.weight += part.ty.weight
			}
		}
		out.weight = min(max(out.weight, 1), 40)
	}
	return out
}

// part returns a field as a part of the JSON object.
func (ts *goTypes) part(t reflect.Type, i int) (part, bool) {
	f := t.Field(i)
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" && options == "" || !f.IsExported() && !f.Anonymous {
		return part{}, false
	}
	inlined := f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct
	if name == "" && !inlined {
		name = f.Name
	}
	place := nameOf(t) + "." + f.Name
	rule, part := ts.fields[place], part{index: i, name: name}
	part.ty = ts.of(f.Type, rule, place)
	part.omit, part.omitZero = strings.Contains(options, "omit"), strings.Contains(options, "omitzero")
	part.required = rule.Required || !part.omit && (!rule.Optional || ts.json && rule.nonzero()) && !inlined
	_, kind := t.FieldByName("ObjectMeta")
	part.fixed = kind && inlined && f.Type.Name() == "TypeMeta" || rule.None
	if strings.HasSuffix(t.PkgPath(), "apimachinery/pkg/apis/meta/v1") {
		part.fixed = t.Name() == "ObjectMeta" && name != "labels" && name != "annotations"
	}
	return part, true
}

// absent reports whether the value of a field is a struct that is left out of the JSON.
func (p part) absent(v reflect.Value) bool {
	return p.omitZero && v.Kind() == reflect.Struct && v.IsZero()
}

// isTagged reports whether a struct has fields with names in JSON, so that its own
// encoding probably is that of an ordinary struct.
func isTagged(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			return true
		}
	}
	return false
}

// encodedTexts are JSON values of the types that encode themselves: objects, quantities,
// durations, times, names and ports.
func encodedTexts() []string {
	return []string{
		`{"a":1}`, `{"b":"c"}`, `"1"`, `"90s"`, `"1.5s"`, `"500m"`, `"1Gi"`, `"2024-01-02T03:04:05Z"`, `"2025-02-03T04:05:06.000007Z"`,
		`8080`, `"25%"`, `"http"`, `true`,
	}
}

// decodedAs returns the values of a type that JSON texts decode to. If objects do, they
// are the only ones.
func decodedAs(t reflect.Type, texts []string) (out []reflect.Value) {
	seen := map[string]bool{"null": true, "{}": true, `""`: true}
	for _, text := range texts {
		v := reflect.New(t)
		if seen[`{"a":1}`] && text[0] != '{' || json.Unmarshal([]byte(text), v.Interface()) != nil {
			continue
		}
		if encoded := jsonOf(v); !seen[encoded] {
			seen[encoded] = true
			out = append(out, v.Elem())
		}
	}
	return out
}

func jsonOf(v reflect.Value) string {
	if !v.CanAddr() {
		copied := reflect.New(v.Type()).Elem()
		copied.Set(v)
		v = copied
	}
	data, err := json.Marshal(v.Addr().Interface()) // the type may encode itself through a pointer
	if err != nil {
		return "null"
	}
	return string(data)
}

// share marks the struct types that both versions have.
func share(a, b *goTypes) {
	for t, ty := range a.known {
		if other, ok := b.known[t]; ok {
			ty.shared, other.shared = true, true
		}
	}
}

// --- Values ---

// filler makes random values.
type filler struct {
	choices *choices
	density int  // the percentage of optional fields that are there
	partial bool // required fields may be missing
	json    bool // only values that can be decoded from JSON
	budget  int  // how many more values there may be
	// nested counts the structs of each type around the current value.
	nested map[*goType]int
}

// there reports whether an optional value is made.
func (f *filler) there(depth int, required bool) bool {
	if required && !f.partial {
		return true
	}
	return f.choices.chance(f.density*max(0, 12-depth)/12) && f.budget > 0
}

// recursive reports whether a struct below a pointer, list or map is in another one of its
// type already, with one more between them.
func (f *filler) recursive(ty *goType) bool {
	for ty.elem != nil {
		ty = ty.elem
	}
	return f.nested[ty] > 1
}

// fill sets v to a random value, which is not empty if required is set.
func (f *filler) fill(v reflect.Value, ty *goType, depth int, required bool) {
	outer := f.choices.open()
	defer f.choices.close(outer)
	f.budget--
	if len(ty.pool) > 0 {
		if f.there(depth, required) {
			v.Set(clone(ty.pool[f.choices.choose(len(ty.pool))], ty))
		}
		return
	}
	c := f.choices
	switch v.Kind() {
	case reflect.Struct:
		if f.nested == nil {
			f.nested = map[*goType]int{}
		}
		f.nested[ty]++
		defer func() { f.nested[ty]-- }()
		next := depth + 1
		if ty.shared {
			next += 3
		}
		for _, part := range ty.parts {
			if part.fixed {
				continue
			}
			field := v.Field(part.index)
			if part.absent(field) && !f.there(depth, part.required) {
				continue
			}
			f.fill(field, part.ty, next, part.required)
			if !part.omit && !f.partial {
				makeNotNull(field)
			}
		}
	case reflect.Pointer:
		if f.there(depth, required) && !f.recursive(ty) {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), ty.elem, depth, c.chance(80) || ty.elem.field.Least > 0)
			makeNotNull(v.Elem())
			f.decodable(v, ty)
		}
	case reflect.Slice:
		if !f.there(depth, required) || f.recursive(ty) {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 0, 3))
		for i := range mostElements(ty) {
			f.element(v, ty, depth+1, required && i == 0 || i < ty.field.Least, []int{90, 50, 30, 0, 0}[i])
		}
	case reflect.Map:
		if !f.there(depth, required) || f.recursive(ty) {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for i := range mostElements(ty) {
			f.entry(v, ty, depth+1, required && i == 0 || i < ty.field.Least, []int{90, 50, 30, 0, 0}[i])
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), ty.elem, depth+1, false)
		}
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
	default:
		if f.there(depth, required) {
			f.scalar(v, ty)
		}
	}
}

// complete gives values to the required fields of a struct that an edit made appear, which the
// schema would refuse without them.
func (f *filler) complete(v reflect.Value, ty *goType, depth int) {
	for _, part := range ty.parts {
		field := v.Field(part.index)
		switch {
		case part.fixed || part.absent(field) && !part.required:
		case field.Kind() == reflect.Struct && len(part.ty.pool) == 0:
			f.complete(field, part.ty, depth+1)
		case part.required && field.IsZero():
			f.fill(field, part.ty, depth+1, true)
		}
	}
}

// decodable makes a pointer nil if it points to a zero value that is invalid, or that is null
// in JSON.
func (f *filler) decodable(v reflect.Value, ty *goType) {
	if f.json && (ty.elem.opaque && jsonOf(v.Elem()) == "null" || ty.elem.field.nonzero() && v.Elem().IsZero()) {
		v.SetZero()
	}
}

// nonzero reports whether the zero value is invalid.
func (f Field) nonzero() bool {
	return len(f.Values) > 0 || f.Least > 0 || f.Min != "" && f.Min[0] != '-' && f.Min != "0" || f.Max != "" && f.Max[0] == '-'
}

// mostElements returns how many elements a list or map may get.
func mostElements(ty *goType) int {
	if ty.field.Most > 0 {
		return ty.field.Most
	}
	return max(3, ty.field.Least)
}

// makeNotNull makes a list or map empty instead of nil, which would be null in JSON.
func makeNotNull(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Slice && v.IsNil():
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case v.Kind() == reflect.Map && v.IsNil():
		v.Set(reflect.MakeMap(v.Type()))
	}
}

// element adds an element to a list, unless one with the same key is there.
func (f *filler) element(list reflect.Value, ty *goType, depth int, required bool, percent int) {
	outer := f.choices.open()
	defer f.choices.close(outer)
	if !required && !f.choices.chance(percent) {
		return
	}
	e := reflect.New(list.Type().Elem()).Elem()
	f.fill(e, ty.elem, depth, !f.partial || f.choices.chance(50))
	if len(ty.field.Keys) > 0 {
		key := keyOf(e, ty)
		for i := range list.Len() {
			if keyOf(list.Index(i), ty) == key {
				return
			}
		}
	}
	list.Set(reflect.Append(list, e))
}

// entry adds an entry to a map.
func (f *filler) entry(m reflect.Value, ty *goType, depth int, required bool, percent int) {
	outer := f.choices.open()
	defer f.choices.close(outer)
	if !required && !f.choices.chance(percent) {
		return
	}
	key := reflect.New(m.Type().Key()).Elem()
	if key.Kind() == reflect.String {
		key.SetString(words[f.choices.choose(len(words))])
	} else {
		f.scalar(key, &goType{})
	}
	e := reflect.New(m.Type().Elem()).Elem()
	f.fill(e, ty.elem, depth, !f.partial)
	m.SetMapIndex(key, e)
}

// words are the strings of objects, and the keys of maps. Conversions add no annotations
// with these names.
var words = [...]string{"a", "b", "c", "d", "e", "10"}

// numbers are simple, too large for 32 bits, and negative.
var numbers = [...]int64{1, 2, 3, 5, 30, 60, 90, 1500, 1 << 40, -1}

// scalar sets v to a value that is not zero.
func (f *filler) scalar(v reflect.Value, ty *goType) {
	switch kind := v.Kind(); {
	case kind == reflect.String:
		v.SetString(words[f.choices.choose(len(words))])
	case kind == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		n := bounded(numbers[f.choices.choose(len(numbers))], ty.field)
		if v.OverflowInt(n) {
			n = 7
		}
		v.SetInt(n)
	case v.CanUint():
		n := bounded(numbers[f.choices.choose(len(numbers))], ty.field)
		if n < 0 || v.OverflowUint(uint64(n)) {
			n = 7
		}
		v.SetUint(uint64(n))
	case v.CanFloat():
		x := []float64{1, 0.5, 3}[f.choices.choose(3)]
		if n := bounded(int64(x), ty.field); n != int64(x) {
			x = float64(n)
		}
		v.SetFloat(x)
	}
}

func bounded(n int64, field Field) int64 {
	if least, err := strconv.ParseFloat(field.Min, 64); err == nil && float64(n) < least {
		n = int64(least)
	}
	if most, err := strconv.ParseFloat(field.Max, 64); err == nil && float64(n) > most {
		n = int64(most)
	}
	return n
}

// keyOf returns the key of an element as text.
func keyOf(e reflect.Value, ty *goType) string {
	for e.Kind() == reflect.Pointer && !e.IsNil() {
		e = e.Elem()
	}
	if e.Kind() != reflect.Struct {
		return jsonOf(e)
	}
	var b strings.Builder
	elem := ty.elem
	for elem.elem != nil {
		elem = elem.elem
	}
	for _, key := range ty.field.Keys {
		for _, part := range elem.parts {
			if part.name == key {
				b.WriteString(jsonOf(e.Field(part.index)) + ",")
			}
		}
	}
	return b.String()
}

// edit changes v at one random place, and reports whether it did.
func (f *filler) edit(v reflect.Value, ty *goType, depth int, required bool) bool {
	outer := f.choices.open()
	defer f.choices.close(outer)
	c := f.choices
	if len(ty.pool) == 0 {
		switch v.Kind() {
		case reflect.Struct:
			n := c.choose(max(weightOf(ty), 1))
			for _, part := range ty.parts {
				if part.fixed {
					continue
				}
				if n -= part.ty.weight; n < 0 {
					field := v.Field(part.index)
					absent := part.absent(field)
					changed := f.edit(field, part.ty, depth+1, part.required)
					if absent && !part.absent(field) {
						f.complete(field, part.ty, depth+1)
					}
					return changed
				}
			}
			return false
		case reflect.Pointer:
			switch {
			case v.IsNil():
				f.fill(v, ty, depth, true)
				return !v.IsNil()
			case !required && c.choose(4) == 3:
				v.SetZero()
				return true
			}
			defer f.decodable(v, ty)
			return f.edit(v.Elem(), ty.elem, depth, ty.elem.field.Least > 0)
		case reflect.Slice:
			return f.editList(v, ty, depth, required)
		case reflect.Map:
			if v.Len() == 0 {
				v.SetZero()
				f.fill(v, ty, depth, true)
				return v.Len() > 0
			}
			if key := keysOf(v)[c.choose(v.Len())]; c.choose(3) == 2 {
				v.SetMapIndex(key, reflect.Value{})
			} else {
				e := reflect.New(v.Type().Elem()).Elem()
				e.Set(v.MapIndex(key))
				if !f.edit(e, ty.elem, depth+1, true) {
					f.entry(v, ty, depth+1, true, 100)
				} else {
					v.SetMapIndex(key, e)
				}
			}
			return true
		case reflect.Array, reflect.Interface, reflect.Func, reflect.Chan:
			return false
		}
	}
	before := clone(v, ty)
	for range 4 {
		v.SetZero()
		f.fill(v, ty, 0, required || c.choose(4) != 3)
		if !same(before, v, ty) {
			return true
		}
	}
	return false
}

// editList changes an element, adds or removes one, or reverses the list.
func (f *filler) editList(v reflect.Value, ty *goType, depth int, required bool) bool {
	c, n := f.choices, v.Len()
	if n == 0 {
		v.SetZero()
		f.fill(v, ty, depth, true)
		return v.Len() > 0
	}
	switch c.choose(5) {
	case 0, 1:
		i := c.choose(n)
		list := reflect.MakeSlice(v.Type(), 0, n)
		list = reflect.AppendSlice(list, v)
		if !f.edit(list.Index(i), ty.elem, depth+1, true) {
			return false
		}
		if len(ty.field.Keys) > 0 {
			for j := range n {
				if j != i && keyOf(list.Index(j), ty) == keyOf(list.Index(i), ty) {
					return false
				}
			}
		}
		v.Set(list)
		return true
	case 2:
		if ty.field.Most > 0 && n >= ty.field.Most {
			return false
		}
		f.element(v, ty, depth+1, true, 100)
		return v.Len() > n
	case 3:
		i := c.choose(n)
		if required && n == 1 || n <= ty.field.Least {
			return false
		}
		list := reflect.MakeSlice(v.Type(), 0, n)
		v.Set(reflect.AppendSlice(reflect.AppendSlice(list, v.Slice(0, i)), v.Slice(i+1, n)))
		return true
	default:
		list := reflect.MakeSlice(v.Type(), 0, n)
		for i := range n {
			list = reflect.Append(list, v.Index(n-1-i))
		}
		if same(v, list, ty) {
			return false
		}
		v.Set(list)
		return true
	}
}

func weightOf(ty *goType) (n int) {
	for _, part := range ty.parts {
		if !part.fixed {
			n += part.ty.weight
		}
	}
	return n
}

// keysOf returns the keys of a map in order.
func keysOf(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return keys
}

// clone returns a copy that shares nothing with v except what encodes itself.
func clone(v reflect.Value, ty *goType) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	copyTo(out, v, ty)
	return out
}

func copyTo(to, from reflect.Value, ty *goType) {
	switch {
	case from.Kind() == reflect.Struct && len(ty.parts) > 0:
		to.Set(from)
		for _, part := range ty.parts {
			if part.ty.elem != nil || part.ty.parts != nil {
				copyTo(to.Field(part.index), from.Field(part.index), part.ty)
			}
		}
	case ty.elem == nil || from.Kind() == reflect.Array:
		to.Set(from)
	case from.IsNil():
	case from.Kind() == reflect.Pointer:
		to.Set(reflect.New(from.Type().Elem()))
		copyTo(to.Elem(), from.Elem(), ty.elem)
	case from.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyTo(to.Index(i), from.Index(i), ty.elem)
		}
	case from.Kind() == reflect.Map:
		to.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
		for it := from.MapRange(); it.Next(); {
			to.SetMapIndex(it.Key(), clone(it.Value(), ty.elem))
		}
	}
}

// --- Differences ---

// difference is a place where two values differ in JSON.
type difference struct {
	path    string // with indices
	pattern string // with [] for indices
	a, b    string // as JSON
}

// differ finds differences. Two values are equal if their JSON is.
type differ struct {
	first bool // stop at the first difference
	found []difference
	path  []string
}

func same(a, b reflect.Value, ty *goType) bool {
	d := differ{first: true}
	d.diff(a, b, ty, false)
	return len(d.found) == 0
}

func (d *differ) add(a, b reflect.Value) {
	if d.first {
		d.found = append(d.found, difference{})
		return
	}
	x, y := jsonOf(a), jsonOf(b)
	path := strings.Join(d.path, "")
	pattern := make([]string, len(d.path))
	for i, p := range d.path {
		if pattern[i] = p; p[0] == '[' {
			pattern[i] = "[]"
		}
	}
	d.found = append(d.found, difference{path, strings.Join(pattern, ""), x, y})
}

func (d *differ) below(segment string, a, b reflect.Value, ty *goType, omit bool) {
	d.path = append(d.path, segment)
	d.diff(a, b, ty, omit)
	d.path = d.path[:len(d.path)-1]
}

// diff compares values of one type. omit is set if empty ones are left out of the JSON.
func (d *differ) diff(a, b reflect.Value, ty *goType, omit bool) {
	if d.first && len(d.found) > 0 {
		return
	}
	switch {
	case ty.parts != nil && a.Kind() == reflect.Struct:
		for i := range ty.parts {
			part := &ty.parts[i]
			if part.fixed && part.name == "" {
				continue // the kind and version
			}
			if part.name == "" {
				d.diff(a.Field(part.index), b.Field(part.index), part.ty, false)
			} else if d.first {
				d.diff(a.Field(part.index), b.Field(part.index), part.ty, part.omit)
			} else {
				d.below("."+part.name, a.Field(part.index), b.Field(part.index), part.ty, part.omit)
			}
		}
	case len(ty.pool) > 0 || ty.opaque || a.Kind() == reflect.Struct:
		if a.Kind() != reflect.Slice && a.Comparable() && a.Equal(b) {
			return
		}
		if jsonOf(a) != jsonOf(b) {
			d.add(a, b)
		}
	case a.Kind() == reflect.Pointer:
		switch {
		case a.IsNil() && b.IsNil():
		case a.IsNil() || b.IsNil():
			d.add(a, b)
		default:
			d.diff(a.Elem(), b.Elem(), ty.elem, false)
		}
	case a.Kind() == reflect.Slice:
		if a.Len() != b.Len() || a.Len() == 0 && !omit && a.IsNil() != b.IsNil() {
			d.add(a, b)
			return
		}
		for i := range a.Len() {
			if d.first {
				d.diff(a.Index(i), b.Index(i), ty.elem, false)
			} else {
				d.below("["+strconv.Itoa(i)+"]", a.Index(i), b.Index(i), ty.elem, false)
			}
		}
	case a.Kind() == reflect.Map:
		if a.Len() == 0 && b.Len() == 0 {
			if !omit && a.IsNil() != b.IsNil() {
				d.add(a, b)
			}
			return
		}
		if a.Len() == 0 || b.Len() == 0 {
			d.add(a, b)
			return
		}
		if d.first {
			for it := a.MapRange(); it.Next() && a.Len() == b.Len(); {
				x, y := it.Value(), b.MapIndex(it.Key())
				if !y.IsValid() {
					d.add(x, y)
					return
				}
				d.diff(x, y, ty.elem, false)
			}
			if a.Len() != b.Len() {
				d.add(a, b)
			}
			return
		}
		keys := keysOf(a)
		for _, key := range keysOf(b) {
			if !a.MapIndex(key).IsValid() {
				keys = append(keys, key)
			}
		}
		for _, key := range keys {
			x, y := a.MapIndex(key), b.MapIndex(key)
			d.path = append(d.path, "["+fmt.Sprint(key)+"]")
			switch {
			case x.IsValid() && y.IsValid():
				d.diff(x, y, ty.elem, false)
			case x.IsValid():
				d.add(x, reflect.Zero(reflect.PointerTo(x.Type())))
			default:
				d.add(reflect.Zero(reflect.PointerTo(y.Type())), y)
			}
			d.path = d.path[:len(d.path)-1]
		}
	default:
		if !equalScalars(a, b) {
			d.add(a, b)
		}
	}
}

func equalScalars(a, b reflect.Value) bool {
	switch {
	case a.Kind() == reflect.String:
		return a.String() == b.String()
	case a.Kind() == reflect.Bool:
		return a.Bool() == b.Bool()
	case a.CanInt():
		return a.Int() == b.Int()
	}
	return !a.Comparable() || a.Equal(b)
}

// --- Histories ---

const notTotal = "L0: a conversion is not a total function"

// The versions of a kind, as indices.
const spokeSide, hubSide = 0, 1

// runner runs histories of a kind, one at a time.
type runner struct {
	kind  Kind
	names [2]string
	types [2]*goType
	found []violation
	exact bool // check determinism and sources
	// If wanted is not empty, steps has the history up to the violation with this law and
	// path.
	wanted [2]string
	steps  []string
	done   bool
	checks checker
}

func newRunner(k Kind) *runner {
	r := &runner{kind: k, names: [2]string{k.Spoke, k.Hub}}
	fields := map[string]Field{}
	for _, f := range k.Fields {
		fields[f.At] = f
	}
	var types [2]*goTypes
	for side, make := range []func() any{k.NewSpoke, k.NewHub} {
		types[side] = &goTypes{fields: fields, known: map[reflect.Type]*goType{}, json: k.Annotation != ""}
		r.types[side] = types[side].of(reflect.TypeOf(make()).Elem(), Field{}, "")
	}
	share(types[0], types[1])
	if k.Checks != nil {
		r.checks = k.Checks(r)
	}
	return r
}

// violate records a violation of a law, unless the path is documented to be lost.
func (r *runner) violate(law, path, message string, steps ...string) {
	for _, drop := range r.kind.Drops {
		if path == drop || isBelow(path, drop) {
			return
		}
	}
	r.found = append(r.found, violation{law: law, path: path, message: message})
	if !r.done && r.wanted == [2]string{law, path} {
		r.done = true
		r.steps = append(r.steps, steps...)
	}
}

// step records a step of a history.
func (r *runner) step(format string, args ...func() string) {
	if r.wanted[0] == "" || r.done {
		return
	}
	texts := make([]any, len(args))
	for i, arg := range args {
		texts[i] = arg()
	}
	r.steps = append(r.steps, fmt.Sprintf(format, texts...))
}

func plainText(s string) func() string { return func() string { return s } }

// history runs a history and returns the violations of laws in it.
func (r *runner) history(c *choices) []violation {
	r.found, r.steps, r.done = nil, nil, false
	f := &filler{choices: c, partial: c.chance(10), json: r.kind.Annotation != ""}
	r.exact = c.chance(15)
	storage := hubSide
	if c.chance(20) {
		storage = spokeSide
	}
	side := c.choose(2)
	v := r.object(f, side)
	r.step("created as %s: %s", plainText(r.names[side]), r.show(v))
	if f.partial {
		r.convert(side, v)
		return r.found
	}
	other, ok := r.write(side, v, true)
	if !ok {
		return r.found
	}
	if r.checks != nil {
		r.checks.created(f, side, v, other)
	}
	stored := pick(side == storage, v, other)
	for range 4 {
		outer := c.open()
		stored, ok = r.change(f, stored, storage)
		c.close(outer)
		if !ok {
			break
		}
	}
	return r.found
}

func pick(first bool, a, b reflect.Value) reflect.Value {
	if first {
		return a
	}
	return b
}

// object returns a random object.
func (r *runner) object(f *filler, side int) reflect.Value {
	f.density, f.budget = []int{30, 70, 95}[f.choices.choose(3)], 1500
	v := reflect.New(r.types[side].of).Elem()
	f.fill(v, r.types[side], 0, true)
	if object, ok := v.Addr().Interface().(metaObject); ok && !f.partial {
		object.SetName("name")
		object.SetNamespace("space")
		object.SetGeneration(3)
	}
	return v
}

// change lets a client of a version read the stored object, change it and write it.
func (r *runner) change(f *filler, stored reflect.Value, storage int) (reflect.Value, bool) {
	c := f.choices
	if !c.chance(70) {
		return stored, true
	}
	side := c.choose(2)
	read := stored
	if side != storage {
		var ok bool
		if read, ok = r.convert(storage, stored); !ok {
			return stored, false
		}
	}
	ty := r.types[side]
	e := clone(read, ty)
	label := false
	switch c.choose(8) {
	default:
		f.density, f.budget = 50, 300
		again := r.plain(e)
		for range 3 {
			outer := c.open()
			if c.chance(60) {
				f.edit(e, ty, 0, true)
			}
			c.close(outer)
		}
		again()
	case 5, 6:
		label = setLabel(e)
	case 7: // another object with the same metadata
		e = r.object(f, side)
		if metadata := e.FieldByName("ObjectMeta"); metadata.IsValid() {
			metadata.Set(clone(read, ty).FieldByName("ObjectMeta"))
		}
	}
	if same(read, e, ty) {
		return stored, true
	}
	r.step("changed as %s: %s", plainText(r.names[side]), func() string { return listed(r.differences(side, read, e)) })
	other, ok := r.write(side, e, false)
	if !ok {
		return stored, false
	}
	if r.checks != nil {
		r.checks.changed(side, read, e, stored, other, side == storage)
	}
	if side == storage {
		return e, true
	}
	if label {
		r.labelled(side, read, e, stored, other)
	}
	return other, true
}

// setLabel changes a label.
func setLabel(v reflect.Value) bool {
	object, ok := v.Addr().Interface().(metaObject)
	if ok {
		labels := map[string]string{"label": "on"}
		for key, value := range object.GetLabels() {
			if labels[key] = value; key == "label" {
				labels[key] += "-on"
			}
		}
		object.SetLabels(labels)
	}
	return ok
}

// write checks the laws for an object that a client of a version writes, and returns it in
// the other version.
func (r *runner) write(side int, v reflect.Value, created bool) (reflect.Value, bool) {
	other, ok := r.convert(side, v)
	if !ok {
		return other, false
	}
	back, ok := r.convert(1-side, other)
	if !ok {
		return other, false
	}
	if r.checks != nil {
		r.checks.written(side, v, other)
	}
	spoke := r.names[spokeSide]
	law := "L3: an edit is not kept"
	message := []string{"a client that reads again what it wrote gets something else", "a client of " + spoke + " that reads and writes the object changes it"}[side]
	if created {
		law = []string{"L1: " + spoke + " does not survive conversion to " + r.names[hubSide], "L2: " + r.names[hubSide] + " does not survive conversion to " + spoke}[side]
	}
	if lost := r.differences(side, v, back); len(lost) > 0 {
		if !created {
			// What is lost of every such object is a matter of L1 and L2.
			lost = without(lost, r.trip(side, r.fresh(side, v)))
		}
		r.report(law, message, side, other, lost)
	}
	if side == spokeSide || r.kind.Annotation != "" {
		again, ok := r.convert(side, back)
		if !ok {
			return other, false
		}
		unstable := r.differences(1-side, other, again)
		if len(unstable) > 0 {
			unstable = without(unstable, r.trip(1-side, r.fresh(1-side, other)))
		} else if r.kind.Annotation != "" && side == hubSide {
			unstable = r.exactly(1-side, other, again)
		}
		r.report("L5: conversion does not settle", "converting back and forth changes it again", 1-side, other, unstable)
	}
	return other, true
}

// labelled checks that a label alone changes nothing else.
func (r *runner) labelled(side int, read, e, stored, other reflect.Value) {
	want := clone(stored, r.types[1-side])
	object := want.Addr().Interface().(metaObject)
	labels, before := map[string]string{}, read.Addr().Interface().(metaObject).GetLabels()
	for key, value := range object.GetLabels() {
		labels[key] = value
	}
	for key, value := range e.Addr().Interface().(metaObject).GetLabels() {
		if old, ok := before[key]; !ok || old != value { // others may be fields in the other version
			labels[key] = value
		}
	}
	object.SetLabels(labels)
	if changed := r.differences(1-side, want, other); len(changed) > 0 {
		changed = without(changed, r.trip(1-side, stored))
		r.report("L4: something else changes", "changed by a client of "+r.names[side]+" that sets a label", 1-side, e, changed)
	}
}

// report reports differences in a version. other is the object in the other version.
func (r *runner) report(law, message string, side int, other reflect.Value, diffs []difference) {
	for _, d := range diffs {
		var steps []string
		if r.wanted[0] != "" {
			steps = []string{"converted to " + r.names[1-side] + ": " + r.show(other)(), "converted to " + r.names[side] + ": " + d.String()}
		}
		r.violate(law, d.pattern, r.names[side]+" "+d.pattern+": "+message, steps...)
	}
}

func (d difference) String() string {
	return d.path + " " + shortened(d.a) + " became " + shortened(d.b)
}

func listed(diffs []difference) string {
	var texts []string
	for _, d := range diffs {
		texts = append(texts, d.path+" "+shortened(d.a)+" to "+shortened(d.b))
	}
	return strings.Join(texts, ", ")
}

func shortened(text string) string {
	if len(text) > 600 {
		return text[:600] + "…"
	}
	return text
}

// trip returns what an object loses on the way to the other version and back.
func (r *runner) trip(side int, v reflect.Value) []difference {
	found, done := r.found, r.done
	r.done = true
	defer func() { r.found, r.done = found, done }()
	other, ok := r.convert(side, v)
	if !ok {
		return nil
	}
	back, ok := r.convert(1-side, other)
	if !ok {
		return nil
	}
	return r.differences(side, v, back)
}

// fresh returns a copy of an object without what conversions kept.
func (r *runner) fresh(side int, v reflect.Value) reflect.Value {
	out := clone(v, r.types[side])
	r.plain(out)
	return out
}

// without removes the differences at the paths of others.
func without(diffs, others []difference) []difference {
	return slices.DeleteFunc(diffs, func(d difference) bool {
		return slices.ContainsFunc(others, func(o difference) bool {
			return o.pattern == d.pattern || isBelow(d.pattern, o.pattern) || isBelow(o.pattern, d.pattern)
		})
	})
}

// differences compares two objects of a version, except for the annotations of conversions.
func (r *runner) differences(side int, a, b reflect.Value) []difference {
	defer r.plain(a)()
	defer r.plain(b)()
	if same(a, b, r.types[side]) {
		return nil
	}
	d := differ{}
	d.diff(a, b, r.types[side], false)
	return d.found
}

// metaObject is what every object with metadata implements.
type metaObject interface {
	GetAnnotations() map[string]string
	SetAnnotations(map[string]string)
	GetLabels() map[string]string
	SetLabels(map[string]string)
	SetName(string)
	SetNamespace(string)
	SetGeneration(int64)
}

// plain removes the annotations of conversions from an object. The function that it returns
// adds them again, to what the annotations are by then.
func (r *runner) plain(v reflect.Value) (again func()) {
	object, ok := v.Addr().Interface().(metaObject)
	if !ok {
		return func() {}
	}
	var plain, kept map[string]string
	all := object.GetAnnotations()
	for key := range all {
		if !r.own(key) {
			plain, kept = map[string]string{}, map[string]string{}
		}
	}
	if kept == nil {
		return func() {}
	}
	for key, value := range all {
		if r.own(key) {
			plain[key] = value
		} else {
			kept[key] = value
		}
	}
	object.SetAnnotations(plain)
	return func() {
		if reflect.ValueOf(object.GetAnnotations()).Pointer() == reflect.ValueOf(plain).Pointer() && len(plain)+len(kept) == len(all) {
			object.SetAnnotations(all)
			return
		}
		annotations := maps.Clone(object.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		maps.Copy(annotations, kept)
		object.SetAnnotations(annotations)
	}
}

// own reports whether an annotation is the user's, not one of a conversion.
func (r *runner) own(key string) bool {
	if r.kind.Annotation != "" {
		return key != r.kind.Annotation
	}
	return slices.Contains(words[:], key)
}

// show returns an object as JSON, without the metadata that every object has.
func (r *runner) show(v reflect.Value) func() string {
	return func() string {
		var fields, metadata map[string]json.RawMessage
		object, ok := v.Addr().Interface().(metaObject)
		if !ok || json.Unmarshal([]byte(jsonOf(v)), &fields) != nil {
			return shortened(jsonOf(v))
		}
		if json.Unmarshal(fields["metadata"], &metadata) == nil {
			for _, name := range []string{"name", "namespace", "generation", "creationTimestamp"} {
				delete(metadata, name)
			}
			if annotations := object.GetAnnotations(); len(annotations) > 0 {
				short := map[string]string{}
				for key, value := range annotations {
					if short[key] = value; len(value) > 200 {
						short[key] = fmt.Sprintf("… (%d bytes)", len(value))
					}
				}
				metadata["annotations"], _ = json.Marshal(short)
			}
			fields["metadata"], _ = json.Marshal(metadata)
		}
		for name, value := range fields {
			if string(value) == "{}" {
				delete(fields, name)
			}
		}
		text, _ := json.Marshal(fields)
		return shortened(string(text))
	}
}

// convert converts an object. In some histories it checks that this is deterministic and
// leaves the object as it was.
func (r *runner) convert(side int, v reflect.Value) (out reflect.Value, ok bool) {
	source := v
	if r.exact || r.kind.Annotation == "" {
		// Some conversions take their source apart, which is thrown away on a server.
		source = clone(v, r.types[side])
	}
	out = reflect.New(r.types[1-side].of)
	if !r.call(side, source, out) {
		return out, false
	}
	out = out.Elem()
	if !r.exact {
		return out, true
	}
	if changed := r.exactly(side, v, source); len(changed) > 0 {
		r.violate(notTotal, "source "+r.names[side], r.names[side]+": conversion to "+r.names[1-side]+" changes its source", "converting it changes it: "+changed[0].String())
	}
	// Most that is not deterministic ranges over a map.
	second := reflect.New(r.types[1-side].of)
	if r.call(side, clone(v, r.types[side]), second) {
		for _, diff := range r.exactly(1-side, out, second.Elem()) {
			r.violate(notTotal, diff.pattern, r.names[1-side]+" "+diff.pattern+": the same object converts to different values", "converted again: "+diff.String())
		}
	}
	return out, true
}

// exactly compares two objects of a version including the annotations of generated
// conversions.
func (r *runner) exactly(side int, a, b reflect.Value) []difference {
	if r.kind.Annotation == "" {
		return r.differences(side, a, b)
	}
	if same(a, b, r.types[side]) {
		return nil
	}
	d := differ{}
	d.diff(a, b, r.types[side], false)
	return d.found
}

// call calls a conversion and reports an error or a panic.
func (r *runner) call(side int, from, to reflect.Value) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			ok = false
			r.violate(notTotal, "panic in "+panicked(), r.names[side]+" cannot be converted to "+r.names[1-side]+": panic", fmt.Sprintf("converting it to %s panics in %s: %v", r.names[1-side], panicked(), p))
		}
	}()
	convert := r.kind.Up
	if side == hubSide {
		convert = r.kind.Down
	}
	if err := convert(from.Addr().Interface(), to.Interface()); err != nil {
		r.violate(notTotal, "error", r.names[side]+" cannot be converted to "+r.names[1-side]+": error", fmt.Sprintf("converting it to %s fails: %v", r.names[1-side], err))
		return false
	}
	return true
}

// panicked returns the function that panicked.
func panicked() string {
	pcs := make([]uintptr, 40)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	panicked := false
	for {
		frame, more := frames.Next()
		name := frame.Function[strings.LastIndex(frame.Function, "/")+1:]
		if panicked && !strings.HasPrefix(frame.Function, "runtime.") {
			return name + " (" + frame.File[strings.LastIndex(frame.File, "/")+1:] + ":" + strconv.Itoa(frame.Line) + ")"
		}
		panicked = panicked || frame.Function == "runtime.gopanic" || frame.Function == "runtime.sigpanic"
		if !more {
			return "unknown function"
		}
	}
}

// --- Shrinking ---

// shrink finds the smallest history with a violation.
func (r *runner) shrink(seed uint64, history int, id [2]string) violation {
	root := new(node)
	r.history(&choices{random: randomOf(seed, history), node: root})
	tries := 3000
	violated := func() (found violation, ok bool) {
		tries--
		for _, v := range r.history(&choices{node: root}) {
			if v.law == id[0] && v.path == id[1] {
				return v, true
			}
		}
		return found, false
	}
	again := true
	// lower makes the choices of a node smaller.
	lower := func(n *node) {
		for i, value := range n.values {
			for smaller := range min(value, 3) {
				n.values[i] = smaller
				if _, ok := violated(); ok {
					again = true
					break
				}
				n.values[i] = value
			}
		}
	}
	// reduce removes as much as possible of a node and those below.
	var reduce func(n *node)
	reduce = func(n *node) {
		if len(n.values) == 0 && len(n.children) == 0 || tries <= 0 {
			return
		}
		whole := *n
		*n = node{}
		if _, ok := violated(); ok {
			again = true
			return
		}
		*n = whole
		for _, child := range n.children {
			reduce(child)
		}
		lower(n)
	}
	for again && tries > 0 {
		again = false
		for _, child := range root.children {
			reduce(child)
		}
		lower(root)
	}
	r.wanted = id
	defer func() { r.wanted = [2]string{} }()
	for range 50 {
		if v, ok := violated(); ok {
			v.steps = r.steps
			return v
		}
	}
	return violation{law: id[0], path: id[1], message: id[1] + ": not every time, because the conversion is not deterministic"}
}
