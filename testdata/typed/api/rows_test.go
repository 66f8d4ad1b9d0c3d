package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	required = field.ErrorTypeRequired
	forbid   = field.ErrorTypeForbidden
	invalid  = field.ErrorTypeInvalid
	values   = field.ErrorTypeNotSupported
)

func is(t field.ErrorType, path string) string { return fmt.Sprintf("%s %s", t, path) }

// row is one case that every implementation agrees on.
type row struct {
	name     string
	old, new string
	// want is new after normalization; empty means new as it is.
	want string
	errs []string
}

const storedA = `{"type":"A","a":{}}`

func (r row) run(t *testing.T, check func(old, new []byte) (changed bool, normalized []byte, errs field.ErrorList)) {
	t.Helper()
	var old []byte
	if r.old != "" {
		old = []byte(r.old)
	}
	changed, got, errs := check(old, []byte(r.new))
	want := r.want
	if want == "" {
		want = r.new
	}
	if canonical(t, string(got)) != canonical(t, want) {
		t.Errorf("normalized to %s, want %s", got, want)
	}
	if wantChanged := r.want != ""; changed != wantChanged {
		t.Errorf("changed: %t", changed)
	}
	found := []string{}
	for _, e := range errs {
		found = append(found, is(e.Type, e.Field))
	}
	if !slices.Equal(found, append([]string{}, r.errs...)) {
		t.Errorf("errors %q, want %q", found, r.errs)
	}
}

// canonical is the text with its keys sorted, and without an empty discriminator.
func canonical(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	if object, ok := value.(map[string]any); ok && object["type"] == "" {
		delete(object, "type")
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// on makes the functions of a type those of a row.
func on[T any](t *testing.T, normalize func(old, new *T) bool, validate func(old, new *T, path *field.Path) field.ErrorList) func([]byte, []byte) (bool, []byte, field.ErrorList) {
	return func(oldText, newText []byte) (bool, []byte, field.ErrorList) {
		var old *T
		new := decoded[T](t, newText)
		if oldText != nil {
			old = decoded[T](t, oldText)
		}
		changed := normalize(old, new)
		out, err := json.Marshal(new)
		if err != nil {
			t.Fatal(err)
		}
		return changed, out, validate(old, new, nil)
	}
}

func decoded[T any](t *testing.T, text []byte) *T {
	t.Helper()
	out := new(T)
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func TestPlain(t *testing.T) {
	for _, r := range []row{
		{name: "create", new: storedA},
		{name: "create, two members", new: `{"type":"A","a":{},"b":{}}`, errs: []string{is(forbid, "b")}},
		{name: "create, swapped", new: `{"type":"B","a":{}}`, errs: []string{is(forbid, "a"), is(required, "b")}},
		{name: "create, no member", new: `{"type":"A"}`, errs: []string{is(required, "a")}},
		{name: "create, empty member", new: `{"type":"C"}`},
		{name: "create, beside an empty member", new: `{"type":"C","a":{}}`, errs: []string{is(forbid, "a")}},
		{name: "second member", old: storedA, new: `{"type":"A","a":{},"b":{}}`, errs: []string{is(forbid, "b"), is(invalid, "type")}},
		{name: "other member", old: storedA, new: `{"type":"A","b":{}}`, errs: []string{is(required, "a"), is(forbid, "b")}},
		{name: "member removed", old: storedA, new: `{"type":"A"}`, errs: []string{is(required, "a")}},
		{name: "selected anew", old: storedA, new: `{"type":"B","a":{},"b":{}}`, want: `{"type":"B","b":{}}`},
		{name: "selected, not set", old: storedA, new: `{"type":"B","a":{}}`, want: `{"type":"B"}`, errs: []string{is(required, "b")}},
		{name: "to an empty member", old: storedA, new: `{"type":"C","a":{}}`, want: `{"type":"C"}`},
		{name: "empty text is no value", old: storedA, new: `{"type":"","a":{}}`, errs: []string{is(required, "type")}},
		{name: "required D removed", old: storedA, new: `{"a":{}}`, errs: []string{is(required, "type")}},
		{name: "unknown value", old: storedA, new: `{"type":"Z","a":{},"b":{}}`, errs: []string{is(values, "type")}},
		{name: "member of the new value stays", old: storedA, new: `{"type":"B","b":{"x":1}}`},
		{name: "stored invalid", old: `{"type":"A","a":{},"b":{}}`, new: `{"type":"A","a":{},"b":{},"other":"x"}`},
		{name: "stored invalid, change inside", old: `{"type":"A","a":{},"b":{}}`, new: `{"type":"A","a":{"x":1},"b":{}}`},
		{name: "stored invalid, worse", old: `{"type":"A","b":{}}`, new: `{"type":"A"}`, errs: []string{is(required, "a")}},
		{name: "stored unknown value", old: `{"type":"Z"}`, new: `{"type":"Z","other":"x"}`},
		{name: "from unknown value", old: `{"type":"Z","a":{}}`, new: `{"type":"B","a":{},"b":{}}`, want: `{"type":"B","b":{}}`},
		{name: "from absent", old: `{"a":{}}`, new: `{"type":"B","a":{},"b":{}}`, want: `{"type":"B","b":{}}`},
	} {
		t.Run(r.name, func(t *testing.T) {
			r.run(t, on(t, NormalizePlainUnions, ValidatePlainUnions))
			r.run(t, on(t, NormalizeDefinedUnions, ValidateDefinedUnions))
		})
	}
}

func TestOptional(t *testing.T) {
	for _, r := range []row{
		{name: "optional member removed", old: storedA, new: `{"type":"A"}`},
		{name: "to the empty text", old: storedA, new: `{"type":"","a":{}}`, want: `{"type":""}`},
		{name: "removed", old: storedA, new: `{"a":{}}`, want: `{}`},
		{name: "create, absent", new: `{"a":{}}`, errs: []string{is(forbid, "a")}},
		{name: "from empty", old: `{}`, new: `{"type":"B","a":{},"b":{}}`, want: `{"type":"B","b":{}}`},
	} {
		t.Run(r.name, func(t *testing.T) { r.run(t, on(t, NormalizeOptionalUnions, ValidateOptionalUnions)) })
	}
}

func TestDefaulted(t *testing.T) {
	for _, r := range []row{
		{name: "removed", old: storedA, new: `{"a":{}}`, want: `{}`, errs: []string{is(required, "b")}},
		{name: "absent is the default", old: `{"type":"B","b":{}}`, new: `{"b":{}}`},
		{name: "the default is absence", old: `{"b":{}}`, new: `{"type":"B","b":{},"a":{}}`, errs: []string{is(forbid, "a"), is(invalid, "type")}},
		{name: "create", new: `{}`, errs: []string{is(required, "b")}},
		{name: "the empty text is absence", old: storedA, new: `{"type":"","b":{}}`},
	} {
		t.Run(r.name, func(t *testing.T) { r.run(t, on(t, NormalizeDefaultedUnions, ValidateDefaultedUnions)) })
	}
}

func TestPointers(t *testing.T) {
	for _, r := range []row{
		{name: "required, nil", new: `{"pOptional":"A","oa":1,"db":1}`, want: ``, errs: []string{is(required, "pRequired")}},
		{name: "required, to the empty text", old: `{"pRequired":"A","ra":1,"db":1}`, new: `{"pRequired":"","ra":1,"db":1}`, want: `{"pRequired":"","db":1}`},
		{name: "required, to nil", old: `{"pRequired":"A","ra":1,"db":1}`, new: `{"ra":1,"db":1}`, errs: []string{is(required, "pRequired")}},
		{name: "required, from the empty text to nil", old: `{"pRequired":"","db":1}`, new: `{"db":1}`, errs: []string{is(required, "pRequired")}},
		{name: "required, still nil", old: `{"db":1}`, new: `{"db":1}`},
		{name: "optional, removed", old: `{"pRequired":"","pOptional":"A","oa":1,"db":1}`, new: `{"pRequired":"","oa":1,"db":1}`, want: `{"pRequired":"","db":1}`},
		{name: "optional, nil is the empty text", old: `{"pRequired":"","oa":1,"db":1}`, new: `{"pRequired":"","pOptional":"","oa":1,"db":1}`},
		{name: "defaulted, nil is the default", old: `{"pRequired":"","pDefaulted":"A","da":1}`, new: `{"pRequired":"","da":1,"db":1}`, want: `{"pRequired":"","db":1}`},
		{name: "defaulted, the empty text is no value", old: `{"pRequired":"","db":1}`, new: `{"pRequired":"","pDefaulted":"","db":1}`, errs: []string{is(values, "pDefaulted")}},
	} {
		t.Run(r.name, func(t *testing.T) {
			// The encoding of a nil discriminator without omitempty is null.
			r.run(t, func(old, new []byte) (bool, []byte, field.ErrorList) {
				changed, out, errs := on(t, NormalizePointersUnions, ValidatePointersUnions)(old, new)
				var object map[string]any
				if err := json.Unmarshal(out, &object); err != nil {
					t.Fatal(err)
				}
				if object["pRequired"] == nil {
					delete(object, "pRequired")
				}
				out, err := json.Marshal(object)
				if err != nil {
					t.Fatal(err)
				}
				return changed, out, errs
			})
		})
	}
}

func TestPlaces(t *testing.T) {
	spec := func(field string) string {
		return `{"spec":{"value":{"type":"C"},"unnamed":{"type":"C","inner":{"type":"C"}},` + field + `}}`
	}
	const (
		inA   = `"type":"A","a":{}`
		inBab = `"type":"B","a":{},"b":{}`
		inB   = `"type":"B","b":{}`
	)
	for _, r := range []row{
		{name: "parent absent", old: spec(`"exactly":{"x":1}`), new: spec(`"plain":{` + inBab + `}`), errs: []string{is(forbid, "spec.plain.a")}},
		{name: "union present and empty", old: spec(`"optional":{}`), new: spec(`"optional":{` + inBab + `}`), want: spec(`"optional":{` + inB + `}`)},
		{name: "atomic list", old: spec(`"atomic":[{` + inA + `}]`), new: spec(`"atomic":[{` + inBab + `}]`), errs: []string{is(forbid, "spec.atomic[0].a")}},
		{name: "keyed list", old: spec(`"keyed":[{"name":"x",` + inA + `},{"name":"y",` + inA + `}]`), new: spec(`"keyed":[{"name":"y",` + inBab + `},{"name":"z",` + inBab + `}]`),
			want: spec(`"keyed":[{"name":"y",` + inB + `},{"name":"z",` + inBab + `}]`), errs: []string{is(forbid, "spec.keyed[1].a")}},
		{name: "key twice in new", old: spec(`"keyed":[{"name":"x",` + inA + `}]`), new: spec(`"keyed":[{"name":"x",` + inBab + `},{"name":"x",` + inB + `}]`), errs: []string{is(forbid, "spec.keyed[0].a")}},
		{name: "key twice in old", old: spec(`"keyed":[{"name":"x",` + inA + `},{"name":"x",` + inA + `}]`), new: spec(`"keyed":[{"name":"x",` + inBab + `}]`), errs: []string{is(forbid, "spec.keyed[0].a")}},
		{name: "default keys", old: spec(`"twoKeys":[{"union":{` + inA + `}}]`), new: spec(`"twoKeys":[{"name":"x"},{"name":"none","port":80,"union":{` + inBab + `}}]`),
			want: spec(`"twoKeys":[{"name":"x"},{"name":"none","port":80,"union":{` + inB + `}}]`)},
		{name: "keyed list below a keyed list", old: spec(`"outer":[{"name":"o","union":{"type":"C"},"inner":[{"name":"x",` + inA + `},{"name":"y","type":"C"}]}]`),
			new:  spec(`"outer":[{"name":"o","union":{"type":"C"},"inner":[{"name":"y","type":"C"},{"name":"x",` + inBab + `}]}]`),
			want: spec(`"outer":[{"name":"o","union":{"type":"C"},"inner":[{"name":"y","type":"C"},{"name":"x",` + inB + `}]}]`)},
		{name: "map", old: spec(`"map":{"k":{` + inA + `}}`), new: spec(`"map":{"k":{` + inBab + `},"a.b":{` + inBab + `}}`),
			want: spec(`"map":{"k":{` + inB + `},"a.b":{` + inBab + `}}`), errs: []string{is(forbid, "spec.map[a.b].a")}},
		{name: "map of keyed lists", old: spec(`"mapOfKeyed":{"k":[{"name":"x",` + inA + `}]}`), new: spec(`"mapOfKeyed":{"k":[{"name":"x",` + inBab + `}]}`), want: spec(`"mapOfKeyed":{"k":[{"name":"x",` + inB + `}]}`)},
		{name: "embedded", old: spec(`"embeds":{` + inA + `,"more":"C"}`), new: spec(`"embeds":{` + inBab + `,"more":"C"}`), want: spec(`"embeds":{` + inB + `,"more":"C"}`)},
		{name: "embedded pointer, nil in old", old: spec(`"embeds":{"type":"C"}`), new: spec(`"embeds":{"type":"C","more":"B","ma":1,"mb":1}`), want: spec(`"embeds":{"type":"C","more":"B","mb":1}`)},
		{name: "embedded pointer, nil in new", old: spec(`"embeds":{"type":"C","more":"A","ma":1}`), new: spec(`"embeds":{"type":"C"}`), errs: []string{is(required, "spec.embeds.more")}},
		{name: "a cleared member is not entered", old: spec(`"nested":{"type":"A","a":{` + inA + `}}`), new: spec(`"nested":{"type":"C","a":{` + inBab + `}}`), want: spec(`"nested":{"type":"C"}`)},
		{name: "exactly one", new: spec(`"exactly":{}`), errs: []string{is(invalid, "spec.exactly")}},
		{name: "at most one", new: spec(`"atMost":{"x":1,"z":0}`), errs: []string{is(invalid, "spec.atMost")}},
		{name: "stored invalid, change outside", old: spec(`"plain":{"type":"A","a":{},"b":{}}`), new: spec(`"plain":{"type":"A","a":{},"b":{}},"two":{"first":"C","second":"C"}`)},
	} {
		t.Run(r.name, func(t *testing.T) {
			r.run(t, func(old, new []byte) (bool, []byte, field.ErrorList) {
				changed, out, errs := on(t, NormalizeWidgetUnions, ValidateWidgetUnions)(old, new)
				var object map[string]any
				if err := json.Unmarshal(out, &object); err != nil {
					t.Fatal(err)
				}
				delete(object, "metadata")
				if embeds, ok := object["spec"].(map[string]any)["embeds"].(map[string]any); ok && embeds["more"] == "" {
					delete(embeds, "more")
				}
				out, err := json.Marshal(object)
				if err != nil {
					t.Fatal(err)
				}
				return changed, out, errs
			})
		})
	}
}

// TestMessages holds the whole text of each kind of error.
func TestMessages(t *testing.T) {
	_, _, errs := on(t, NormalizePlainUnions, ValidatePlainUnions)([]byte(storedA), []byte(`{"type":"A","b":{},"a":{}}`))
	_, _, more := on(t, NormalizePlainUnions, ValidatePlainUnions)(nil, []byte(`{"type":"A"}`))
	_, _, counted := on(t, NormalizeAtMostUnions, ValidateAtMostUnions)(nil, []byte(`{"x":1,"z":2}`))
	_, _, order := on(t, NormalizeOptionalUnions, ValidateOptionalUnions)(nil, []byte(`{"type":"Z"}`))
	got := []string{}
	for _, e := range slices.Concat(errs, more, counted, order) {
		got = append(got, e.Error())
	}
	want := []string{
		"b: Forbidden: may only be specified when `type` is \"B\"",
		`type: Invalid value: "A": must be changed when a different union member is set`,
		"a: Required value: must be specified when `type` is \"A\"",
		"<nil>: Invalid value: \"{x, z}\": must specify at most one of: `x`, `y`, `z`",
		`type: Unsupported value: "Z": supported values: "B", "", "A", "C"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// TestAccessors wants exactly what is selected to be set.
func TestAccessors(t *testing.T) {
	check := func(value any, want string) {
		t.Helper()
		got, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	plain := &Plain{Type: A, First: &Payload{}}
	plain.SetSecond(&Payload{})
	check(plain, `{"type":"B","b":{}}`)
	plain.SetFirst(nil)
	check(plain, `{"type":"A"}`)
	plain.First = &Payload{}
	plain.SelectType(A)
	check(plain, `{"type":"A","a":{}}`)
	plain.SelectType(C)
	check(plain, `{"type":"C"}`)
	optional := &Optional{Type: "B", Second: &Payload{}}
	optional.SelectType("")
	check(optional, `{}`)
	defaulted := &Defaulted{First: &Payload{}, Second: &Payload{}}
	defaulted.SelectType("") // which is B
	check(defaulted, `{"b":{}}`)
	kinds := &Kinds{}
	kinds.SetText("x")
	kinds.SetStruct(Named{Name: "y"})
	check(kinds, `{"kind":"Struct","struct":{"name":"y"}}`)
	one := 1
	pointers := &Pointers{RA: &one, DA: &one}
	pointers.SetRB(&one)
	check(pointers, `{"pRequired":"B","rb":1,"da":1}`)
}

func TestNil(t *testing.T) {
	if NormalizeWidgetUnions(nil, nil) || NormalizeWidgetUnions(&Widget{}, nil) || NormalizeWidgetUnions(nil, &Widget{}) {
		t.Error("nothing is normalized without two objects")
	}
	if errs := ValidateWidgetUnions(&Widget{}, nil, nil); errs != nil {
		t.Error(errs)
	}
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	old := keyedWidget(100, A)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			new := keyedWidget(100, B)
			NormalizeWidgetUnions(old, new)
			ValidateWidgetUnions(old, new, nil)
		})
	}
	wait.Wait()
}

func keyedWidget(n int, letter Letter) *Widget {
	w := &Widget{}
	w.Spec.Keyed = items(n, letter)
	return w
}

func items(n int, letter Letter) []Item {
	out := make([]Item, n)
	for i := range out {
		out[i] = Item{Name: fmt.Sprint("name-", i), Plain: Plain{Type: letter, First: &Payload{}}}
	}
	return out
}

// TestAllocations wants none where nothing changes.
func TestAllocations(t *testing.T) {
	ten, sameTen := &Ten{Type: "M3", M3: &Payload{}}, &Ten{Type: "M3", M3: &Payload{}}
	old, new := keyedWidget(1000, A), keyedWidget(1000, A)
	for _, w := range []*Widget{old, new} {
		w.Spec.Map = map[string]Plain{"a": {Type: A, First: &Payload{}}}
		w.Spec.MapOfPointers = map[string]*Optional{"a": {Type: "A"}}
		w.Spec.MapOfKeyed = map[string]Items{"a": items(3, A)}
		w.Spec.Outer = []Outer{{Name: "o", Inner: items(3, A), Map: map[string]Plain{"a": {Type: A}}, Embeds: &Embeds{}}}
		w.Spec.TwoKeys = []*Port{{Union: &Optional{Type: "A"}}, {Key: Key{Port: 1}, Union: &Optional{Type: "A"}}}
		w.Spec.Pointers = &Pointers{PRequired: func() *WithEmpty { v := WithEmpty("A"); return &v }()}
		w.Spec.Embeds = &Embeds{More: &More{More: A}}
		w.Spec.Defaulted = &Defaulted{}
	}
	old.Spec.Embeds.More = nil
	new.Spec.Embeds.More = &More{}
	for name, run := range map[string]func(){
		"ten":    func() { NormalizeTenUnions(ten, sameTen) },
		"widget": func() { NormalizeWidgetUnions(old, new) },
	} {
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// validWidget has a valid union at every place.
func validWidget() *Widget {
	one, a, empty := 1, WithEmpty("A"), WithEmpty("")
	plain := func() Plain { return Plain{Type: A, First: &Payload{}} }
	keyed := Items(items(3, A))
	w := keyedWidget(100, A)
	spec := &w.Spec
	spec.Value, spec.Plain, spec.Defined = plain(), &Plain{Type: C}, &Defined{Type: C}
	spec.Optional, spec.Defaulted = &Optional{Type: "A"}, &Defaulted{Second: &Payload{}}
	spec.Pointers = &Pointers{PRequired: &a, RA: &one, POptional: &empty, DB: &one}
	spec.Kinds, spec.Two = &Kinds{Kind: "Text", Text: "x"}, &Two{First: A, FA: &one, Second: C}
	spec.Embeds = &Embeds{Plain: plain(), More: &More{More: A, MA: &one}}
	spec.Exactly, spec.AtMost = &Exactly{Y: "y"}, &AtMost{Z: &one}
	spec.Nested = &Nested{Type: B, Second: items(3, A)}
	spec.TwoKeys = []*Port{{Union: &Optional{Type: "A"}}, nil, {Key: Key{Port: 1}, Union: &Optional{Type: "B", Second: &Payload{}}}}
	spec.Outer = []Outer{{Name: "o", Union: plain(), Inner: items(3, A), Map: map[string]Plain{"a": plain()}, Embeds: &Embeds{Plain: plain(), More: &More{More: C}}}}
	spec.Atomic, spec.Lists = []Plain{plain(), plain()}, [][]Plain{{plain()}, {plain(), plain()}}
	spec.Map = map[string]Plain{"a": plain(), "b": {Type: C}}
	spec.MapOfPointers, spec.MapOfKeyed = map[string]*Optional{"a": {}, "b": nil}, map[string]Items{"a": items(3, A)}
	spec.MapOfMaps, spec.PointerToKeyed = map[string]map[string]Plain{"a": {"b": plain()}}, &keyed
	spec.Box = &Box[Plain]{Value: plain()}
	spec.Unnamed.Plain, spec.Unnamed.Inner = plain(), plain()
	spec.Ten = &Ten{Type: "M3", M3: &Payload{}}
	return w
}

// TestValidationAllocations wants none of an object without errors: paths are built for
// errors alone.
func TestValidationAllocations(t *testing.T) {
	old, new, path := validWidget(), validWidget(), field.NewPath("root")
	slices.Reverse(new.Spec.Keyed)
	new.Spec.Plain.Type, new.Spec.Plain.First = A, &Payload{}
	for name, before := range map[string]*Widget{"create": nil, "unchanged": new, "changed": old} {
		if errs := ValidateWidgetUnions(before, new, path); len(errs) > 0 {
			t.Fatalf("%s: %v", name, errs)
		}
		if n := testing.AllocsPerRun(100, func() { ValidateWidgetUnions(before, new, path) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	// Paths are the same however deep the errors are, and in order.
	new.Spec.MapOfMaps["a"] = map[string]Plain{"d": {Type: A}, "c": {Type: B}}
	new.Spec.Lists[1][1], new.Spec.Keyed[99].Type, new.Spec.Embeds.MB = Plain{}, B, new.Spec.Two.FA
	new.Spec.Outer[0].Map["a"], new.Spec.Exactly.X = Plain{Type: "Z"}, new.Spec.Two.FA
	want := []string{
		"root.spec.embeds.mb", "root.spec.embeds.more", "root.spec.exactly", "root.spec.keyed[99].a", "root.spec.keyed[99].b", "root.spec.outer[0].map[a].type",
		"root.spec.mapOfMaps[a][c].b", "root.spec.mapOfMaps[a][d].a", "root.spec.lists[1][1].type",
	}
	var got []string
	for _, err := range ValidateWidgetUnions(old, new, path) {
		got = append(got, err.Field)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
