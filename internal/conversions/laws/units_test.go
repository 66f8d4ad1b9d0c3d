package laws_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Unit is a group of fields of a pair of structs that is converted on its own.
type Unit struct {
	Same       string // or: names of fields that both structs have with equal values, each a unit
	Spoke, Hub string // paths, separated by spaces; empty if only the other version has the field
	Of         string // the pair of structs below, whose units are compared on their own
	Keys       string // paths of the keys of elements
	Guards     string // paths in the hub that have to be as they were
	Values     string // to be used for strings, separated by spaces
	Refused    string // as JSON, a value that the schema does not allow
	Lossy      bool   // a value may not come back by itself
	Dropped    bool   // and is lost
	To, From   any    // the functions of a hook
}

// Units returns the checks for a kind with generated conversions. units has the units of
// each pair of structs, among them the pair of the objects; others are the names of the
// versions that are neither the spoke nor the hub, and stored is set if the spoke is stored.
func Units(pair string, units map[string][]Unit, others []string, stored bool) func(*runner) checker {
	return func(r *runner) checker {
		u := &unitChecks{runner: r, table: units, known: map[string]*structPair{}, others: others, stored: stored}
		u.root = u.pair(pair, r.types[spokeSide], r.types[hubSide])
		u.drops(u.root, [2]string{}, 0)
		return u
	}
}

// unitChecks checks the laws that need to know the units of a conversion.
type unitChecks struct {
	*runner
	table  map[string][]Unit
	known  map[string]*structPair
	root   *structPair
	hooks  []*pairUnit
	others []string
	stored bool
}

// structPair is a pair of structs.
type structPair struct {
	units []*pairUnit
	// drops is set if something below is lost for good, and loses if anything is.
	drops, loses bool
}

// pairUnit is a unit with the places of its fields, by version.
type pairUnit struct {
	Unit
	at       [2][]fieldPlace
	guardsAt []fieldPlace
	below    *structPair
}

// fieldPlace is a field of a struct, or of a struct below it.
type fieldPlace struct {
	path  string
	steps [][]int
	ty    *goType
	omit  bool
	// omitZero is set for a struct that is absent if it is zero.
	omitZero bool
}

func (u *unitChecks) pair(name string, spoke, hub *goType) *structPair {
	if known, ok := u.known[name]; ok {
		return known
	}
	out := &structPair{}
	u.known[name] = out
	for _, unit := range u.table[name] {
		for _, same := range strings.Fields(unit.Same) {
			u.add(out, Unit{Spoke: "." + same, Hub: "." + same}, spoke, hub)
		}
		if unit.Same == "" {
			u.add(out, unit, spoke, hub)
		}
	}
	return out
}

func (u *unitChecks) add(p *structPair, unit Unit, spoke, hub *goType) {
	out := &pairUnit{Unit: unit}
	for side, paths := range []string{unit.Spoke, unit.Hub} {
		for _, path := range strings.Fields(paths) {
			place := placeOf([]*goType{spoke, hub}[side], path)
			out.at[side] = append(out.at[side], place)
			if unit.Values != "" {
				addValues(place.ty, strings.Fields(unit.Values))
			}
		}
	}
	for _, path := range strings.Fields(unit.Guards) {
		out.guardsAt = append(out.guardsAt, placeOf(hub, path))
	}
	if unit.Of != "" {
		a, b := out.at[spokeSide][0].ty, out.at[hubSide][0].ty
		out.below = u.pair(unit.Of, structOf(a), structOf(b))
	}
	if unit.To != nil {
		u.hooks = append(u.hooks, out)
	}
	p.units = append(p.units, out)
}

// addValues adds values to those of a string, which may be in lists.
func addValues(ty *goType, values []string) {
	for ty.elem != nil {
		ty = ty.elem
	}
	if ty.of.Kind() != reflect.String || len(ty.field.Values) > 0 {
		return
	}
	ty.pool = nil
	for _, value := range append(values, "a") {
		ty.pool = append(ty.pool, reflect.ValueOf(value).Convert(ty.of))
	}
}

// structOf returns the struct type below pointers, lists and maps.
func structOf(ty *goType) *goType {
	for ty.elem != nil {
		ty = ty.elem
	}
	return ty
}

func placeOf(ty *goType, path string) fieldPlace {
	out := fieldPlace{path: path, ty: ty}
	for _, name := range strings.Split(path, ".")[1:] {
		steps, part := findPart(structOf(out.ty), name)
		if part == nil {
			panic("there is no field " + path + " in " + ty.of.String())
		}
		out.steps, out.ty, out.omit, out.omitZero = append(out.steps, steps), part.ty, part.omit, part.omitZero
	}
	return out
}

// findPart returns a field of a struct, which may be in an inlined one.
func findPart(ty *goType, name string) ([]int, *part) {
	for i := range ty.parts {
		part := &ty.parts[i]
		if part.name == name {
			return []int{part.index}, part
		}
		if part.name == "" {
			if steps, found := findPart(part.ty, name); found != nil {
				return append([]int{part.index}, steps...), found
			}
		}
	}
	return nil, nil
}

// in returns the field of a struct. It is not valid if a pointer on the way is nil.
func (p fieldPlace) in(v reflect.Value) reflect.Value {
	for _, step := range p.steps {
		if v = pointed(v); !v.IsValid() {
			return v
		}
		v = v.FieldByIndex(step)
	}
	return v
}

// zeroBelow reports whether a value, or what it points to, is zero.
func zeroBelow(v reflect.Value) bool {
	v = pointed(v)
	return !v.IsValid() || v.IsZero()
}

func pointed(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// orZero returns the field of a struct, or its zero value.
func (p fieldPlace) orZero(v reflect.Value) reflect.Value {
	if field := p.in(v); field.IsValid() {
		return field
	}
	return reflect.New(p.ty.of).Elem()
}

func (p fieldPlace) same(a, b reflect.Value) bool { return p.equal(p.orZero(a), p.orZero(b)) }

func (p fieldPlace) equal(a, b reflect.Value) bool {
	d := differ{first: true}
	d.diff(a, b, p.ty, p.omit)
	return len(d.found) == 0
}

func (p fieldPlace) empty(v reflect.Value) bool {
	return p.equal(p.orZero(v), reflect.New(p.ty.of).Elem())
}

func allSame(places []fieldPlace, a, b reflect.Value) bool {
	return !slices.ContainsFunc(places, func(p fieldPlace) bool { return !p.same(a, b) })
}

// drops exempts what is dropped.
func (u *unitChecks) drops(p *structPair, paths [2]string, depth int) {
	if depth > 12 {
		return
	}
	for _, unit := range p.units {
		p.loses = p.loses || unit.Lossy
		for side, places := range unit.at {
			for _, place := range places {
				if unit.Dropped {
					u.kind.Drops = append(u.kind.Drops, paths[side]+place.path)
					p.drops = true
				}
			}
		}
		if unit.below != nil {
			var below [2]string
			for side, places := range unit.at {
				below[side] = paths[side] + places[0].path + indicesOf(places[0].ty)
			}
			u.drops(unit.below, below, depth+1)
			p.drops, p.loses = p.drops || unit.below.drops, p.loses || unit.below.loses
		}
	}
}

// indicesOf returns the part of a path that leads from a field to the structs in it.
func indicesOf(ty *goType) (out string) {
	for ; ty.elem != nil; ty = ty.elem {
		if ty.of.Kind() != reflect.Pointer {
			out += "[]"
		}
	}
	return out
}

// change is a change of a struct in both versions, made in one of them.
type change struct {
	side          int // where the client made it
	before, after [2]reflect.Value
	path          string // in the other version
	absent        bool   // before or after it, the struct is left out of the other version
}

const (
	changesElse  = "L4: something else changes"
	fromNowhere  = "L6: a value comes from nowhere"
	keepsNothing = "L2: something is kept although nothing is lost"
)

func (u *unitChecks) report(law, message string, c change, place fieldPlace) {
	to := 1 - c.side
	path := c.path + place.path
	steps := []string(nil)
	if u.wanted[0] != "" {
		was := "absent"
		if c.before[to].IsValid() {
			was = jsonOf(place.orZero(c.before[to]))
		}
		steps = []string{"converted to " + u.names[to] + ": " + path + " " + shortened(was) + " became " + shortened(jsonOf(place.orZero(c.after[to])))}
	}
	u.violate(law, path, u.names[to]+" "+path+": "+message, steps...)
}

// compare checks each unit of a pair of structs that are there before and after a change.
func (u *unitChecks) compare(p *structPair, c change) {
	from, to := c.side, 1-c.side
	for _, unit := range p.units {
		switch {
		case unit.Dropped || len(unit.at[to]) == 0:
		case unit.below != nil:
			u.compareBelow(unit, c)
		case len(unit.guardsAt) > 0 && to == hubSide && !allSame(unit.guardsAt, c.before[to], c.after[to]):
			for _, place := range unit.at[to] {
				if !place.empty(c.after[to]) {
					u.report(fromNowhere, "is restored although its guard changed", c, place)
				}
			}
		case allSame(unit.at[from], c.before[from], c.after[from]):
			for _, place := range unit.at[to] {
				switch {
				case place.same(c.before[to], c.after[to]):
				case c.absent && zeroBelow(place.orZero(c.before[to])) && zeroBelow(place.orZero(c.after[to])):
					// A required pointer to zero is there if its struct is.
				case len(unit.at[from]) == 0 && place.empty(c.before[to]):
					u.report(fromNowhere, "the object did not have it", c, place)
				default:
					u.report(changesElse, "changed by a client of "+u.names[from]+" that did not change it", c, place)
				}
			}
		}
	}
}

// compareBelow compares structs below a field.
func (u *unitChecks) compareBelow(unit *pairUnit, c change) {
	from, to := c.side, 1-c.side
	source, place := unit.at[from][0], unit.at[to][0]
	below := change{side: c.side, path: c.path + place.path + indicesOf(place.ty)}
	for i, at := range []fieldPlace{source, place} {
		side := []int{from, to}[i]
		below.before[side], below.after[side] = at.orZero(c.before[side]), at.orZero(c.after[side])
	}
	same := source.equal(below.before[from], below.after[from])
	for side := range 2 {
		below.before[side], below.after[side] = pointed(below.before[side]), pointed(below.after[side])
	}
	if indicesOf(place.ty) == "" {
		below.absent = place.omitZero && (zeroBelow(below.before[to]) || zeroBelow(below.after[to]))
		u.compareStructs(unit.below, below)
		return
	}
	if same && !unit.below.drops {
		if !place.same(c.before[to], c.after[to]) {
			u.report(changesElse, "changed by a client of "+u.names[from]+" that did not change it", c, place)
		}
		return
	}
	var before, after [2]map[string]reflect.Value
	keyed := true
	for side := range 2 {
		ty := unit.at[side][0].ty
		before[side], after[side] = elementsOf(below.before[side], ty, unit.Keys), elementsOf(below.after[side], ty, unit.Keys)
		keyed = keyed && before[side] != nil && after[side] != nil
	}
	if keyed {
		for _, key := range slices.Sorted(maps.Keys(after[to])) {
			element := change{side: c.side, path: below.path}
			for side := range 2 {
				element.before[side], element.after[side] = before[side][key], after[side][key]
			}
			u.compareStructs(unit.below, element)
		}
		return
	}
	if before[from] != nil && after[from] == nil && unit.Keys != "" {
		// Keys that are not unique any more identify nothing.
		for _, v := range structsIn(below.after[to]) {
			element := change{side: c.side, path: below.path}
			element.after[to] = v
			u.nowhere(unit.below, element)
		}
		return
	}
	lists := []reflect.Value{below.before[from], below.before[to], below.after[from], below.after[to]}
	if unit.Keys == "" && !slices.ContainsFunc(lists, func(v reflect.Value) bool { return v.Kind() != reflect.Slice }) {
		u.compareElements(unit.below, below)
	}
}

// compareStructs compares structs that may be missing.
func (u *unitChecks) compareStructs(p *structPair, c change) {
	from, to := c.side, 1-c.side
	there := func(v reflect.Value) bool { return v.IsValid() }
	switch {
	case !there(c.after[to]):
	case !there(c.before[to]):
		u.nowhere(p, c)
	case there(c.before[from]) && there(c.after[from]):
		u.compare(p, c)
	}
}

// nowhere checks that a struct without an earlier counterpart has nothing that only its
// version has.
func (u *unitChecks) nowhere(p *structPair, c change) {
	from, to := c.side, 1-c.side
	for _, unit := range p.units {
		switch {
		case len(unit.at[to]) == 0:
		case len(unit.at[from]) == 0:
			for _, place := range unit.at[to] {
				if !place.empty(c.after[to]) {
					u.report(fromNowhere, "the object did not have it", c, place)
				}
			}
		case unit.below != nil:
			place := unit.at[to][0]
			for _, v := range structsIn(place.orZero(c.after[to])) {
				below := change{side: c.side, path: c.path + place.path + indicesOf(place.ty)}
				below.after[to] = v
				u.nowhere(unit.below, below)
			}
		}
	}
}

// structsIn returns the structs in a field, in order.
func structsIn(v reflect.Value) (out []reflect.Value) {
	switch v = pointed(v); v.Kind() {
	case reflect.Struct:
		out = append(out, v)
	case reflect.Slice:
		for i := range v.Len() {
			out = append(out, structsIn(v.Index(i))...)
		}
	case reflect.Map:
		for _, key := range keysOf(v) {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(key))
			out = append(out, structsIn(e)...)
		}
	}
	return out
}

// elementsOf returns the structs of a map, or of a list with keys, by key. It returns nil
// if there are several with one key.
func elementsOf(v reflect.Value, ty *goType, keys string) map[string]reflect.Value {
	v = pointed(v)
	out := map[string]reflect.Value{}
	switch {
	case !v.IsValid():
	case v.Kind() == reflect.Map:
		for _, key := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(key))
			out[strconv.Quote(key.String())+"\n"] = pointed(e)
		}
	case v.Kind() != reflect.Slice || keys == "":
		return nil
	default:
		for i := range v.Len() {
			name := ""
			for _, key := range strings.Fields(keys) {
				name += jsonOf(placeOf(ty, key).orZero(v.Index(i))) + "\n"
			}
			if _, ok := out[name]; ok {
				return nil
			}
			out[name] = pointed(v.Index(i))
		}
	}
	return out
}

// compareElements compares the elements of lists without keys. Elements are the same if they
// are equal and no others have equal values of what both versions have, or as many have as
// before.
func (u *unitChecks) compareElements(p *structPair, c change) {
	from, to := c.side, 1-c.side
	if c.before[from].Len() != c.before[to].Len() || c.after[from].Len() != c.after[to].Len() {
		return
	}
	type group struct {
		elements []int
		whole    string // their JSON if it is equal
		mixed    bool
	}
	groups := func(list reflect.Value) map[string]*group {
		out := map[string]*group{}
		for i := range list.Len() {
			e := pointed(list.Index(i))
			if !e.IsValid() {
				continue
			}
			view := ""
			for _, unit := range p.units {
				if unit.below == nil && !unit.Lossy && !unit.Dropped && len(unit.at[spokeSide]) == 1 && len(unit.at[hubSide]) == 1 {
					view += jsonOf(unit.at[from][0].orZero(e)) + "\n"
				}
			}
			whole := jsonOf(e)
			if out[view] == nil {
				out[view] = &group{whole: whole}
			}
			g := out[view]
			g.elements, g.mixed = append(g.elements, i), g.mixed || g.whole != whole
		}
		return out
	}
	before, after := groups(c.before[from]), groups(c.after[from])
	for _, view := range slices.Sorted(maps.Keys(after)) {
		was, is := before[view], after[view]
		element := change{side: c.side, path: c.path}
		pure := was != nil && !was.mixed && !is.mixed && was.whole == is.whole
		switch {
		case was == nil, pure && len(was.elements) != len(is.elements):
			for _, i := range is.elements {
				element.after[to] = pointed(c.after[to].Index(i))
				if element.after[to].IsValid() {
					u.nowhere(p, element)
				}
			}
		case pure:
			for n, i := range is.elements {
				for side := range 2 {
					element.before[side], element.after[side] = pointed(c.before[side].Index(was.elements[n])), pointed(c.after[side].Index(i))
				}
				u.compareStructs(p, element)
			}
		}
	}
}

// changed checks what a change made in the other version. stored is the object in the other
// version before it, unless the object itself is stored.
func (u *unitChecks) changed(side int, read, e, stored, other reflect.Value, itself bool) {
	if itself {
		// What is kept may be of an earlier edit, so it is replaced by what is kept now.
		var ok, ok2 bool
		if stored, ok = u.convert(side, read); !ok {
			return
		}
		now, ok := u.convert(1-side, stored)
		if !ok {
			return
		}
		if other, ok2 = u.convert(side, u.annotated(side, e, u.kind.Annotation, now.Addr().Interface().(metaObject).GetAnnotations()[u.kind.Annotation])); !ok2 {
			return
		}
	}
	c := change{side: side}
	c.before[side], c.after[side], c.before[1-side], c.after[1-side] = read, e, stored, other
	u.compare(u.root, c)
}

// created checks an object that is created in a version.
func (u *unitChecks) created(f *filler, side int, v, other reflect.Value) {
	c := change{side: side}
	c.after[side], c.after[1-side] = v, other
	u.nowhere(u.root, c)
	if f.choices.chance(10) {
		u.passes(side, v)
		u.malformed(f, side, v)
		u.over(side, v, other)
		u.forged(side, v, other)
		for _, hook := range u.hooks {
			u.hook(f, hook)
		}
	}
}

// written checks that an object has an annotation only if something is lost.
func (u *unitChecks) written(side int, v, other reflect.Value) {
	text, annotated := other.Addr().Interface().(metaObject).GetAnnotations()[u.kind.Annotation]
	entries := u.entries(other)
	if annotated && len(entries) == 0 && u.root.loses {
		u.violate(keepsNothing, "annotation", u.names[1-side]+": has an annotation without anything", "converted to "+u.names[1-side]+", with the annotation "+strconv.Quote(text))
	}
	if entries[u.names[side]] == nil {
		return
	}
	back, ok := u.convert(1-side, u.fresh(1-side, other))
	if ok && len(u.differences(side, v, back)) == 0 {
		u.violate(keepsNothing, "annotation", u.names[1-side]+": has an annotation", "converted to "+u.names[1-side]+", with the annotation "+shortened(text))
	}
}

// entries returns what an annotation has of each version.
func (u *unitChecks) entries(v reflect.Value) (out map[string]json.RawMessage) {
	if json.Unmarshal([]byte(v.Addr().Interface().(metaObject).GetAnnotations()[u.kind.Annotation]), &out) != nil {
		return nil
	}
	return out
}

// annotated returns a copy of an object with an annotation.
func (u *unitChecks) annotated(side int, v reflect.Value, key, value string) reflect.Value {
	out := clone(v, u.types[side])
	object := out.Addr().Interface().(metaObject)
	annotations := maps.Clone(object.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
	return out
}

// passes checks that what is kept of other versions passes as it is, and what is kept of
// unknown ones does not reach the hub.
func (u *unitChecks) passes(side int, v reflect.Value) {
	const foreign = `{ "a":[1 , "<"]}`
	entries := map[string]string{"unknown": foreign}
	for _, name := range u.others {
		entries[name] = foreign
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		texts = append(texts, strconv.Quote(name)+":"+entries[name])
	}
	other, ok := u.convert(side, u.annotated(side, v, u.kind.Annotation, "{"+strings.Join(texts, ",")+"}"))
	if !ok {
		return
	}
	found := u.entries(other)
	for _, name := range u.others {
		if string(found[name]) != foreign {
			u.violate("L2: what is kept of another version is lost", name, u.names[1-side]+": the entry of "+name+" in the annotation changed", "converted to "+u.names[1-side]+" with the annotation's entry "+foreign+", which became "+shortened(string(found[name])))
		}
	}
	if found["unknown"] != nil && side == spokeSide && u.root.loses {
		u.violate(fromNowhere, "unknown version", u.names[1-side]+": an entry of an unknown version reaches the hub", "converted to "+u.names[1-side]+" with an entry of an unknown version")
	}
}

// malformed checks that annotations that are not as conversions write them do no harm.
func (u *unitChecks) malformed(f *filler, side int, v reflect.Value) {
	own, c := strconv.Quote(u.names[1-side]), f.choices
	real := ""
	if back, ok := u.convert(1-side, u.object(f, 1-side)); ok {
		real = back.Addr().Interface().(metaObject).GetAnnotations()[u.kind.Annotation]
	}
	texts := []string{"", "nonsense", "null", "[]", "{" + own + ":5}", "{" + own + ":null}", "{" + own + `:{"spec":[1],"status":"a"}}`}
	if real != "" {
		at := c.choose(len(real))
		texts = append(texts, real[:at]+"7"+real[at+1:], real[:at]+"null"+real[at+1:], strings.ReplaceAll(real, `"`+words[c.choose(len(words))]+`"`, "[]"))
	}
	text := texts[c.choose(len(texts))]
	u.step("with the annotation %s", plainText(shortened(text)))
	u.convert(side, u.annotated(side, v, u.kind.Annotation, text))
}

// over checks that objects can be read, and not written, if what is kept is too much.
func (u *unitChecks) over(side int, v, other reflect.Value) {
	const law = "L9: too much is kept"
	loses := u.entries(other)[u.names[side]] != nil
	full := strings.Repeat("x", 258000)
	large := u.annotated(side, v, "a", full)
	out := reflect.New(u.types[1-side].of)
	err := u.try(side, large, out)
	refuse := loses && (side == spokeSide || u.stored)
	if (err != nil) != refuse {
		text := "it is converted"
		if err != nil {
			text = err.Error()
		}
		u.violate(law, u.names[side], u.names[side]+": is "+map[bool]string{true: "", false: "not "}[refuse]+"to be refused", "with another annotation of 258,000 bytes: "+text)
	}
	if err != nil || side == spokeSide || !loses {
		return
	}
	size := 0
	for key, value := range out.Interface().(metaObject).GetAnnotations() {
		size += len(key) + len(value)
	}
	again := reflect.New(u.types[side].of)
	if err := u.try(1-side, out.Elem(), again); err == nil || size > 262144 {
		u.violate(law, u.names[1-side], u.names[1-side]+": can be written although values are missing, or has too much", "with another annotation of 258,000 bytes, converted to "+u.names[1-side]+" and back; its annotations have "+strconv.Itoa(size)+" bytes")
	}
}

// try converts an object without reporting an error.
func (u *unitChecks) try(side int, from, to reflect.Value) error {
	if side == hubSide {
		return u.kind.Down(clone(from, u.types[side]).Addr().Interface(), to.Interface())
	}
	return u.kind.Up(clone(from, u.types[side]).Addr().Interface(), to.Interface())
}

// forged checks that values which the schema refuses are not taken from an annotation.
func (u *unitChecks) forged(side int, v, other reflect.Value) {
	to := 1 - side
	tree := u.forge(u.root, side, v, other)
	if tree == nil {
		return
	}
	text, err := json.Marshal(map[string]any{u.names[to]: tree})
	if err != nil {
		return
	}
	fresh := u.fresh(side, v)
	got, ok := u.convert(side, u.annotated(side, fresh, u.kind.Annotation, string(text)))
	want, ok2 := u.convert(side, fresh)
	if ok && ok2 {
		for _, d := range u.differences(to, want, got) {
			u.violate("L7: a value that the schema refuses is stored", d.pattern, u.names[to]+" "+d.pattern+": is taken from a forged annotation", "with the annotation "+shortened(string(text))+" converted to "+u.names[to]+": "+d.String())
		}
	}
}

// forge returns a tree of kept values that the schema refuses.
func (u *unitChecks) forge(p *structPair, side int, from, to reflect.Value) any {
	out := map[string]any{}
	for _, unit := range p.units {
		if len(unit.at[1-side]) != 1 {
			continue
		}
		place := unit.at[1-side][0]
		var value any
		if unit.below == nil {
			if unit.Refused == "" {
				continue
			}
			value = json.RawMessage(unit.Refused)
			if len(unit.guardsAt) > 0 {
				guards := []any{}
				for _, guard := range unit.guardsAt {
					guards = append(guards, guard.orZero(to).Interface())
				}
				value = map[string]any{"#g": guards, "#v": value}
			}
		} else if len(unit.at[side]) == 1 {
			a, b := pointed(unit.at[side][0].orZero(from)), pointed(place.orZero(to))
			if a.IsValid() && b.IsValid() && a.Kind() == reflect.Struct && b.Kind() == reflect.Struct {
				value = u.forge(unit.below, side, a, b)
			} else if targets := elementsOf(b, place.ty, unit.Keys); targets != nil {
				elements := map[string]any{}
				for key, source := range elementsOf(a, unit.at[side][0].ty, unit.Keys) {
					name := ""
					if target, ok := targets[key]; ok && source.IsValid() && target.IsValid() && json.Unmarshal([]byte(key), &name) == nil {
						elements[name] = u.forge(unit.below, side, source, target)
					}
				}
				value = elements
			}
		}
		if value == nil {
			continue
		}
		at, names := out, strings.Split(place.path, ".")[1:]
		for _, name := range names[:len(names)-1] {
			inner, ok := at[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[name] = inner
			}
			at = inner
		}
		at[names[len(names)-1]] = value
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// hook checks that functions of a hook agree on what each of them says.
func (u *unitChecks) hook(f *filler, unit *pairUnit) {
	functions := [2]reflect.Value{reflect.ValueOf(unit.To), reflect.ValueOf(unit.From)}
	call := func(side int, values []reflect.Value) []reflect.Value {
		if fn := functions[side].Type(); fn.NumIn() > len(values) {
			values = append([]reflect.Value{reflect.New(fn.In(0).Elem())}, values...)
		}
		return functions[side].Call(values)
	}
	for side := range 2 {
		f.density, f.budget = 70, 100
		var values []reflect.Value
		for _, place := range unit.at[side] {
			v := reflect.New(place.ty.of).Elem()
			f.fill(v, place.ty, 3, false)
			values = append(values, v)
		}
		once := call(side, values)
		again := call(side, call(1-side, once))
		for i, place := range unit.at[1-side] {
			if !place.equal(once[i], again[i]) {
				u.violate("L8: the functions of a hook do not agree", u.names[1-side]+" "+place.path, u.names[1-side]+" "+place.path+": converted back and forth, it is something else", listed([]difference{{path: place.path, a: jsonOf(once[i]), b: jsonOf(again[i])}}))
			}
		}
	}
}
