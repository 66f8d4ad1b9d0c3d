package laws

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// lawsUnit is a group of fields of a pair of structs that is converted on its own.
type lawsUnit struct {
	same       string // or: names of fields that both structs have with equal values, each a unit
	spoke, hub string // paths, separated by spaces; empty if only the other version has the field
	of         string // the pair of structs below, whose units are compared on their own
	keys       string // paths of the keys of elements
	guards     string // paths in the hub that have to be as they were
	values     string // to be used for strings, separated by spaces
	refused    string // as JSON, a value that the schema does not allow
	lossy      bool   // a value may not come back by itself
	dropped    bool   // and is lost
	to, from   any    // the functions of a hook
}

// lawsUnits returns the checks for a kind with generated conversions. units has the units of
// each pair of structs, among them the pair of the objects; others are the names of the
// versions that are neither the spoke nor the hub, and stored is set if the spoke is stored.
func lawsUnits(pair string, units map[string][]lawsUnit, others []string, stored bool) func(*lawsRunner) lawsChecks {
	return func(r *lawsRunner) lawsChecks {
		u := &lawsUnitChecks{lawsRunner: r, table: units, known: map[string]*lawsPair{}, others: others, stored: stored}
		u.root = u.pair(pair, r.types[lawsSpoke], r.types[lawsHub])
		u.drops(u.root, [2]string{}, 0)
		return u
	}
}

// lawsUnitChecks checks the laws that need to know the units of a conversion.
type lawsUnitChecks struct {
	*lawsRunner
	table  map[string][]lawsUnit
	known  map[string]*lawsPair
	root   *lawsPair
	hooks  []*lawsPairUnit
	others []string
	stored bool
}

// lawsPair is a pair of structs.
type lawsPair struct {
	units []*lawsPairUnit
	// drops is set if something below is lost for good, and loses if anything is.
	drops, loses bool
}

// lawsPairUnit is a unit with the places of its fields, by version.
type lawsPairUnit struct {
	lawsUnit
	at       [2][]lawsPlace
	guardsAt []lawsPlace
	below    *lawsPair
}

// lawsPlace is a field of a struct, or of a struct below it.
type lawsPlace struct {
	path  string
	steps [][]int
	ty    *lawsType
	omit  bool
}

func (u *lawsUnitChecks) pair(name string, spoke, hub *lawsType) *lawsPair {
	if known, ok := u.known[name]; ok {
		return known
	}
	out := &lawsPair{}
	u.known[name] = out
	for _, unit := range u.table[name] {
		for _, same := range strings.Fields(unit.same) {
			u.add(out, lawsUnit{spoke: "." + same, hub: "." + same}, spoke, hub)
		}
		if unit.same == "" {
			u.add(out, unit, spoke, hub)
		}
	}
	return out
}

func (u *lawsUnitChecks) add(p *lawsPair, unit lawsUnit, spoke, hub *lawsType) {
	out := &lawsPairUnit{lawsUnit: unit}
	for side, paths := range []string{unit.spoke, unit.hub} {
		for _, path := range strings.Fields(paths) {
			place := lawsPlaceOf([]*lawsType{spoke, hub}[side], path)
			out.at[side] = append(out.at[side], place)
			if unit.values != "" {
				lawsSetValues(place.ty, strings.Fields(unit.values))
			}
		}
	}
	for _, path := range strings.Fields(unit.guards) {
		out.guardsAt = append(out.guardsAt, lawsPlaceOf(hub, path))
	}
	if unit.of != "" {
		a, b := out.at[lawsSpoke][0].ty, out.at[lawsHub][0].ty
		out.below = u.pair(unit.of, lawsStruct(a), lawsStruct(b))
	}
	if unit.to != nil {
		u.hooks = append(u.hooks, out)
	}
	p.units = append(p.units, out)
}

// lawsSetValues adds values to those of a string, which may be in lists.
func lawsSetValues(ty *lawsType, values []string) {
	for ty.elem != nil {
		ty = ty.elem
	}
	if ty.of.Kind() != reflect.String || len(ty.field.values) > 0 {
		return
	}
	ty.pool = nil
	for _, value := range append(values, "a") {
		ty.pool = append(ty.pool, reflect.ValueOf(value).Convert(ty.of))
	}
}

// lawsStruct returns the struct type below pointers, lists and maps.
func lawsStruct(ty *lawsType) *lawsType {
	for ty.elem != nil {
		ty = ty.elem
	}
	return ty
}

func lawsPlaceOf(ty *lawsType, path string) lawsPlace {
	out := lawsPlace{path: path, ty: ty}
	for _, name := range strings.Split(path, ".")[1:] {
		steps, part := lawsFind(lawsStruct(out.ty), name)
		if part == nil {
			panic("there is no field " + path + " in " + ty.of.String())
		}
		out.steps, out.ty, out.omit = append(out.steps, steps), part.ty, part.omit
	}
	return out
}

// lawsFind returns a field of a struct, which may be in an inlined one.
func lawsFind(ty *lawsType, name string) ([]int, *lawsPart) {
	for i := range ty.parts {
		part := &ty.parts[i]
		if part.name == name {
			return []int{part.index}, part
		}
		if part.name == "" {
			if steps, found := lawsFind(part.ty, name); found != nil {
				return append([]int{part.index}, steps...), found
			}
		}
	}
	return nil, nil
}

// in returns the field of a struct. It is not valid if a pointer on the way is nil.
func (p lawsPlace) in(v reflect.Value) reflect.Value {
	for _, step := range p.steps {
		if v = lawsPointed(v); !v.IsValid() {
			return v
		}
		v = v.FieldByIndex(step)
	}
	return v
}

func lawsPointed(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// orZero returns the field of a struct, or its zero value.
func (p lawsPlace) orZero(v reflect.Value) reflect.Value {
	if field := p.in(v); field.IsValid() {
		return field
	}
	return reflect.New(p.ty.of).Elem()
}

func (p lawsPlace) same(a, b reflect.Value) bool { return p.equal(p.orZero(a), p.orZero(b)) }

func (p lawsPlace) equal(a, b reflect.Value) bool {
	d := lawsDiffer{first: true}
	d.diff(a, b, p.ty, p.omit)
	return len(d.found) == 0
}

func (p lawsPlace) empty(v reflect.Value) bool {
	return p.equal(p.orZero(v), reflect.New(p.ty.of).Elem())
}

func lawsAllSame(places []lawsPlace, a, b reflect.Value) bool {
	return !slices.ContainsFunc(places, func(p lawsPlace) bool { return !p.same(a, b) })
}

// drops exempts what is dropped.
func (u *lawsUnitChecks) drops(p *lawsPair, paths [2]string, depth int) {
	if depth > 12 {
		return
	}
	for _, unit := range p.units {
		p.loses = p.loses || unit.lossy
		for side, places := range unit.at {
			for _, place := range places {
				if unit.dropped {
					u.kind.drops = append(u.kind.drops, paths[side]+place.path)
					p.drops = true
				}
			}
		}
		if unit.below != nil {
			var below [2]string
			for side, places := range unit.at {
				below[side] = paths[side] + places[0].path + lawsIndices(places[0].ty)
			}
			u.drops(unit.below, below, depth+1)
			p.drops, p.loses = p.drops || unit.below.drops, p.loses || unit.below.loses
		}
	}
}

// lawsIndices returns the part of a path that leads from a field to the structs in it.
func lawsIndices(ty *lawsType) (out string) {
	for ; ty.elem != nil; ty = ty.elem {
		if ty.of.Kind() != reflect.Pointer {
			out += "[]"
		}
	}
	return out
}

// lawsChange is a change of a struct in both versions, made in one of them.
type lawsChange struct {
	side          int // where the client made it
	before, after [2]reflect.Value
	path          string // in the other version
}

const (
	lawsElse    = "L4: something else changes"
	lawsNowhere = "L6: a value comes from nowhere"
	lawsKeeps   = "L2: something is kept although nothing is lost"
)

func (u *lawsUnitChecks) report(law, message string, c lawsChange, place lawsPlace) {
	to := 1 - c.side
	path := c.path + place.path
	steps := []string(nil)
	if u.wanted[0] != "" {
		was := "absent"
		if c.before[to].IsValid() {
			was = lawsJSON(place.orZero(c.before[to]))
		}
		steps = []string{"converted to " + u.names[to] + ": " + path + " " + lawsShort(was) + " became " + lawsShort(lawsJSON(place.orZero(c.after[to])))}
	}
	u.violate(law, path, u.names[to]+" "+path+": "+message, steps...)
}

// compare checks each unit of a pair of structs that are there before and after a change.
func (u *lawsUnitChecks) compare(p *lawsPair, c lawsChange) {
	from, to := c.side, 1-c.side
	for _, unit := range p.units {
		switch {
		case unit.dropped || len(unit.at[to]) == 0:
		case unit.below != nil:
			u.compareBelow(unit, c)
		case len(unit.guardsAt) > 0 && to == lawsHub && !lawsAllSame(unit.guardsAt, c.before[to], c.after[to]):
			for _, place := range unit.at[to] {
				if !place.empty(c.after[to]) {
					u.report(lawsNowhere, "is restored although its guard changed", c, place)
				}
			}
		case lawsAllSame(unit.at[from], c.before[from], c.after[from]):
			for _, place := range unit.at[to] {
				switch {
				case place.same(c.before[to], c.after[to]):
				case len(unit.at[from]) == 0 && place.empty(c.before[to]):
					u.report(lawsNowhere, "the object did not have it", c, place)
				default:
					u.report(lawsElse, "changed by a client of "+u.names[from]+" that did not change it", c, place)
				}
			}
		}
	}
}

// compareBelow compares structs below a field.
func (u *lawsUnitChecks) compareBelow(unit *lawsPairUnit, c lawsChange) {
	from, to := c.side, 1-c.side
	source, place := unit.at[from][0], unit.at[to][0]
	below := lawsChange{side: c.side, path: c.path + place.path + lawsIndices(place.ty)}
	for i, at := range []lawsPlace{source, place} {
		side := []int{from, to}[i]
		below.before[side], below.after[side] = at.orZero(c.before[side]), at.orZero(c.after[side])
	}
	same := source.equal(below.before[from], below.after[from])
	if lawsIndices(place.ty) == "" {
		for side := range 2 {
			below.before[side], below.after[side] = lawsPointed(below.before[side]), lawsPointed(below.after[side])
		}
		u.compareStructs(unit.below, below)
		return
	}
	if same && !unit.below.drops {
		if !place.same(c.before[to], c.after[to]) {
			u.report(lawsElse, "changed by a client of "+u.names[from]+" that did not change it", c, place)
		}
		return
	}
	var before, after [2]map[string]reflect.Value
	keyed := true
	for side := range 2 {
		ty := unit.at[side][0].ty
		before[side], after[side] = lawsElements(below.before[side], ty, unit.keys), lawsElements(below.after[side], ty, unit.keys)
		keyed = keyed && before[side] != nil && after[side] != nil
	}
	if keyed {
		for _, key := range slices.Sorted(maps.Keys(after[to])) {
			element := lawsChange{side: c.side, path: below.path}
			for side := range 2 {
				element.before[side], element.after[side] = before[side][key], after[side][key]
			}
			u.compareStructs(unit.below, element)
		}
		return
	}
	if before[from] != nil && after[from] == nil && unit.keys != "" {
		// Keys that are not unique any more identify nothing.
		for _, v := range lawsStructs(below.after[to]) {
			element := lawsChange{side: c.side, path: below.path}
			element.after[to] = v
			u.nowhere(unit.below, element)
		}
		return
	}
	if unit.keys == "" && below.before[to].Kind() == reflect.Slice && below.before[from].Kind() == reflect.Slice {
		u.compareElements(unit.below, below)
	}
}

// compareStructs compares structs that may be missing.
func (u *lawsUnitChecks) compareStructs(p *lawsPair, c lawsChange) {
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
func (u *lawsUnitChecks) nowhere(p *lawsPair, c lawsChange) {
	from, to := c.side, 1-c.side
	for _, unit := range p.units {
		switch {
		case len(unit.at[to]) == 0:
		case len(unit.at[from]) == 0:
			for _, place := range unit.at[to] {
				if !place.empty(c.after[to]) {
					u.report(lawsNowhere, "the object did not have it", c, place)
				}
			}
		case unit.below != nil:
			place := unit.at[to][0]
			for _, v := range lawsStructs(place.orZero(c.after[to])) {
				below := lawsChange{side: c.side, path: c.path + place.path + lawsIndices(place.ty)}
				below.after[to] = v
				u.nowhere(unit.below, below)
			}
		}
	}
}

// lawsStructs returns the structs in a field, in order.
func lawsStructs(v reflect.Value) (out []reflect.Value) {
	switch v = lawsPointed(v); v.Kind() {
	case reflect.Struct:
		out = append(out, v)
	case reflect.Slice:
		for i := range v.Len() {
			out = append(out, lawsStructs(v.Index(i))...)
		}
	case reflect.Map:
		for _, key := range lawsKeys(v) {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(key))
			out = append(out, lawsStructs(e)...)
		}
	}
	return out
}

// lawsElements returns the structs of a map, or of a list with keys, by key. It returns nil
// if there are several with one key.
func lawsElements(v reflect.Value, ty *lawsType, keys string) map[string]reflect.Value {
	v = lawsPointed(v)
	out := map[string]reflect.Value{}
	switch {
	case !v.IsValid():
	case v.Kind() == reflect.Map:
		for _, key := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(key))
			out[strconv.Quote(key.String())+"\n"] = lawsPointed(e)
		}
	case v.Kind() != reflect.Slice || keys == "":
		return nil
	default:
		for i := range v.Len() {
			name := ""
			for _, key := range strings.Fields(keys) {
				name += lawsJSON(lawsPlaceOf(ty, key).orZero(v.Index(i))) + "\n"
			}
			if _, ok := out[name]; ok {
				return nil
			}
			out[name] = lawsPointed(v.Index(i))
		}
	}
	return out
}

// compareElements compares the elements of lists without keys. Elements are the same if they
// are equal and no others have equal values of what both versions have, or as many have as
// before.
func (u *lawsUnitChecks) compareElements(p *lawsPair, c lawsChange) {
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
			e := lawsPointed(list.Index(i))
			if !e.IsValid() {
				continue
			}
			view := ""
			for _, unit := range p.units {
				if unit.below == nil && !unit.lossy && !unit.dropped && len(unit.at[lawsSpoke]) == 1 && len(unit.at[lawsHub]) == 1 {
					view += lawsJSON(unit.at[from][0].orZero(e)) + "\n"
				}
			}
			whole := lawsJSON(e)
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
		element := lawsChange{side: c.side, path: c.path}
		pure := was != nil && !was.mixed && !is.mixed && was.whole == is.whole
		switch {
		case was == nil, pure && len(was.elements) != len(is.elements):
			for _, i := range is.elements {
				element.after[to] = lawsPointed(c.after[to].Index(i))
				if element.after[to].IsValid() {
					u.nowhere(p, element)
				}
			}
		case pure:
			for n, i := range is.elements {
				for side := range 2 {
					element.before[side], element.after[side] = lawsPointed(c.before[side].Index(was.elements[n])), lawsPointed(c.after[side].Index(i))
				}
				u.compareStructs(p, element)
			}
		}
	}
}

// changed checks what a change made in the other version. stored is the object in the other
// version before it, unless the object itself is stored.
func (u *lawsUnitChecks) changed(side int, read, e, stored, other reflect.Value, itself bool) {
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
		if other, ok2 = u.convert(side, u.annotated(side, e, u.kind.annotation, now.Addr().Interface().(lawsObject).GetAnnotations()[u.kind.annotation])); !ok2 {
			return
		}
	}
	c := lawsChange{side: side}
	c.before[side], c.after[side], c.before[1-side], c.after[1-side] = read, e, stored, other
	u.compare(u.root, c)
}

// created checks an object that is created in a version.
func (u *lawsUnitChecks) created(f *lawsFiller, side int, v, other reflect.Value) {
	c := lawsChange{side: side}
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
func (u *lawsUnitChecks) written(side int, v, other reflect.Value) {
	text, annotated := other.Addr().Interface().(lawsObject).GetAnnotations()[u.kind.annotation]
	entries := u.entries(other)
	if annotated && len(entries) == 0 && u.root.loses {
		u.violate(lawsKeeps, "annotation", u.names[1-side]+": has an annotation without anything", "converted to "+u.names[1-side]+", with the annotation "+strconv.Quote(text))
	}
	if entries[u.names[side]] == nil {
		return
	}
	back, ok := u.convert(1-side, u.fresh(1-side, other))
	if ok && len(u.differences(side, v, back)) == 0 {
		u.violate(lawsKeeps, "annotation", u.names[1-side]+": has an annotation", "converted to "+u.names[1-side]+", with the annotation "+lawsShort(text))
	}
}

// entries returns what an annotation has of each version.
func (u *lawsUnitChecks) entries(v reflect.Value) (out map[string]json.RawMessage) {
	if json.Unmarshal([]byte(v.Addr().Interface().(lawsObject).GetAnnotations()[u.kind.annotation]), &out) != nil {
		return nil
	}
	return out
}

// annotated returns a copy of an object with an annotation.
func (u *lawsUnitChecks) annotated(side int, v reflect.Value, key, value string) reflect.Value {
	out := lawsClone(v, u.types[side])
	object := out.Addr().Interface().(lawsObject)
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
func (u *lawsUnitChecks) passes(side int, v reflect.Value) {
	const foreign = `{ "a":[1 , "<"]}`
	entries := map[string]string{"unknown": foreign}
	for _, name := range u.others {
		entries[name] = foreign
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		texts = append(texts, strconv.Quote(name)+":"+entries[name])
	}
	other, ok := u.convert(side, u.annotated(side, v, u.kind.annotation, "{"+strings.Join(texts, ",")+"}"))
	if !ok {
		return
	}
	found := u.entries(other)
	for _, name := range u.others {
		if string(found[name]) != foreign {
			u.violate("L2: what is kept of another version is lost", name, u.names[1-side]+": the entry of "+name+" in the annotation changed", "converted to "+u.names[1-side]+" with the annotation's entry "+foreign+", which became "+lawsShort(string(found[name])))
		}
	}
	if found["unknown"] != nil && side == lawsSpoke && u.root.loses {
		u.violate(lawsNowhere, "unknown version", u.names[1-side]+": an entry of an unknown version reaches the hub", "converted to "+u.names[1-side]+" with an entry of an unknown version")
	}
}

// malformed checks that annotations that are not as conversions write them do no harm.
func (u *lawsUnitChecks) malformed(f *lawsFiller, side int, v reflect.Value) {
	own, c := strconv.Quote(u.names[1-side]), f.choices
	real := ""
	if back, ok := u.convert(1-side, u.object(f, 1-side)); ok {
		real = back.Addr().Interface().(lawsObject).GetAnnotations()[u.kind.annotation]
	}
	texts := []string{"", "nonsense", "null", "[]", "{" + own + ":5}", "{" + own + ":null}", "{" + own + `:{"spec":[1],"status":"a"}}`}
	if real != "" {
		at := c.choose(len(real))
		texts = append(texts, real[:at]+"7"+real[at+1:], real[:at]+"null"+real[at+1:], strings.ReplaceAll(real, `"`+lawsWords[c.choose(len(lawsWords))]+`"`, "[]"))
	}
	text := texts[c.choose(len(texts))]
	u.step("with the annotation %s", lawsText(lawsShort(text)))
	u.convert(side, u.annotated(side, v, u.kind.annotation, text))
}

// over checks that objects can be read, and not written, if what is kept is too much.
func (u *lawsUnitChecks) over(side int, v, other reflect.Value) {
	const law = "L9: too much is kept"
	loses := u.entries(other)[u.names[side]] != nil
	full := strings.Repeat("x", 258000)
	large := u.annotated(side, v, "a", full)
	out := reflect.New(u.types[1-side].of)
	err := u.try(side, large, out)
	refuse := loses && (side == lawsSpoke || u.stored)
	if (err != nil) != refuse {
		text := "it is converted"
		if err != nil {
			text = err.Error()
		}
		u.violate(law, u.names[side], u.names[side]+": is "+map[bool]string{true: "", false: "not "}[refuse]+"to be refused", "with another annotation of 258,000 bytes: "+text)
	}
	if err != nil || side == lawsSpoke || !loses {
		return
	}
	size := 0
	for key, value := range out.Interface().(lawsObject).GetAnnotations() {
		size += len(key) + len(value)
	}
	again := reflect.New(u.types[side].of)
	if err := u.try(1-side, out.Elem(), again); err == nil || size > 262144 {
		u.violate(law, u.names[1-side], u.names[1-side]+": can be written although values are missing, or has too much", "with another annotation of 258,000 bytes, converted to "+u.names[1-side]+" and back; its annotations have "+strconv.Itoa(size)+" bytes")
	}
}

// try converts an object without reporting an error.
func (u *lawsUnitChecks) try(side int, from, to reflect.Value) error {
	if side == lawsHub {
		return u.kind.down(lawsClone(from, u.types[side]).Addr().Interface(), to.Interface())
	}
	return u.kind.up(lawsClone(from, u.types[side]).Addr().Interface(), to.Interface())
}

// forged checks that values which the schema refuses are not taken from an annotation.
func (u *lawsUnitChecks) forged(side int, v, other reflect.Value) {
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
	got, ok := u.convert(side, u.annotated(side, fresh, u.kind.annotation, string(text)))
	want, ok2 := u.convert(side, fresh)
	if ok && ok2 {
		for _, d := range u.differences(to, want, got) {
			u.violate("L7: a value that the schema refuses is stored", d.pattern, u.names[to]+" "+d.pattern+": is taken from a forged annotation", "with the annotation "+lawsShort(string(text))+" converted to "+u.names[to]+": "+d.String())
		}
	}
}

// forge returns a tree of kept values that the schema refuses.
func (u *lawsUnitChecks) forge(p *lawsPair, side int, from, to reflect.Value) any {
	out := map[string]any{}
	for _, unit := range p.units {
		if len(unit.at[1-side]) != 1 {
			continue
		}
		place := unit.at[1-side][0]
		var value any
		if unit.below == nil {
			if unit.refused == "" {
				continue
			}
			value = json.RawMessage(unit.refused)
			if len(unit.guardsAt) > 0 {
				guards := []any{}
				for _, guard := range unit.guardsAt {
					guards = append(guards, guard.orZero(to).Interface())
				}
				value = map[string]any{"#g": guards, "#v": value}
			}
		} else if len(unit.at[side]) == 1 {
			a, b := lawsPointed(unit.at[side][0].orZero(from)), lawsPointed(place.orZero(to))
			if a.IsValid() && b.IsValid() && a.Kind() == reflect.Struct && b.Kind() == reflect.Struct {
				value = u.forge(unit.below, side, a, b)
			} else if targets := lawsElements(b, place.ty, unit.keys); targets != nil {
				elements := map[string]any{}
				for key, source := range lawsElements(a, unit.at[side][0].ty, unit.keys) {
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
func (u *lawsUnitChecks) hook(f *lawsFiller, unit *lawsPairUnit) {
	functions := [2]reflect.Value{reflect.ValueOf(unit.to), reflect.ValueOf(unit.from)}
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
				u.violate("L8: the functions of a hook do not agree", u.names[1-side]+" "+place.path, u.names[1-side]+" "+place.path+": converted back and forth, it is something else", lawsList([]lawsDifference{{path: place.path, a: lawsJSON(once[i]), b: lawsJSON(again[i])}}))
			}
		}
	}
}
