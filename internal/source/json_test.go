//lint:file-ignore SA5008 encoding/json reads these tags, right or wrong
//lint:file-ignore U1000 encoding/json leaves the fields out

package source

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestJSONTags reads the parts of json tags.
func TestJSONTags(t *testing.T) {
	for _, tt := range []struct {
		tags reflect.StructTag
		want JSONTag
	}{
		{"", JSONTag{}},
		{`yaml:"a"`, JSONTag{}},
		{`json:""`, JSONTag{IsSet: true}},
		{`json:"a"`, JSONTag{IsSet: true, Text: "a", Name: "a"}},
		{`json:"-"`, JSONTag{IsSet: true, Text: "-", Name: "-", Excluded: true}},
		{`json:"-,"`, JSONTag{IsSet: true, Text: "-,", Name: "-"}},
		{`yaml:"b" json:",inline,omitempty"`, JSONTag{IsSet: true, Text: ",inline,omitempty", Options: "inline,omitempty"}},
	} {
		if got := JSONTagOf(tt.tags); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.tags, got, tt.want)
		}
	}
	tag := JSONTagOf(`json:"a,,omitemptyx,inline,omitzero"`)
	if tag.Has("omitempty") || !tag.Has("omitzero") || !tag.Omits() || JSONTagOf(`json:"a,omitemptyx"`).Omits() {
		t.Errorf("options of %+v", tag)
	}
	if got := tag.Others("inline", "omitzero"); !slices.Equal(got, []string{"omitemptyx"}) {
		t.Errorf("other options: %q", got)
	}
}

// These structs embed others in the ways that encoding/json distinguishes.
type (
	jsonNames struct {
		Plain, Second string
		Named         string `json:"named"`
		Excluded      string `json:"-"`
		Minus         string `json:"-,"`
		Wrong         string `json:"a\"b"`
		Options       string `json:",omitzero"`
		Inline        jsonA  `json:",inline"`
		hidden        string
	}
	jsonA struct {
		A, Same string
		Tagged  string `json:"tagged"`
	}
	jsonB struct {
		B, Same string
		Other   string `json:"Tagged"`
	}
	jsonText      string
	jsonAlias     = jsonA
	jsonUnnamed   = struct{ Unnamed string }
	jsonDefined   jsonA
	JSONPointed   struct{ Pointed string }
	JSONText      string
	jsonOf[T any] struct{ Of T }

	jsonEmbeds struct {
		jsonA
		*JSONPointed
		JSONText
		jsonText
		jsonUnnamed
		jsonOf[string]
	}
	jsonEmbedsNamed struct {
		jsonA        `json:"a"`
		*JSONPointed `json:",omitempty"`
		jsonB        `json:"-"`
		JSONText     `json:"text"`
	}
	jsonHides struct {
		Same   string
		Tagged string
		jsonA
		jsonB
	}
	jsonAmbiguous struct {
		jsonA
		jsonB
	}
	jsonPrefersTag struct {
		jsonB
		jsonC
	}
	jsonC struct {
		C string `json:"B"`
	}
	jsonTwice struct {
		JSONLeft
		JSONRight
	}
	JSONLeft struct {
		jsonA
		Left string
	}
	JSONRight struct {
		jsonAlias
		Right string
	}
	jsonDeep struct {
		jsonHides
		jsonDefined
		*JSONLoop
	}
	JSONLoop struct {
		*JSONLoop
		Loop string
	}
	jsonLoops struct {
		*JSONLoop
		Other string
	}
)

// TestJSONFields compares the names of the fields of structs with those that encoding/json writes.
func TestJSONFields(t *testing.T) {
	text, err := os.ReadFile("json_test.go")
	if err != nil {
		t.Fatal(err)
	}
	types, _, _ := strings.Cut(string(text), "\n// TestJSONFields")
	dir := writeModule(t, "-- a/a.go --\n"+types)
	_, packages := readProgram(t, dir, "./a")
	for _, value := range []any{
		&jsonNames{}, &jsonEmbeds{}, &jsonEmbedsNamed{}, &jsonHides{}, &jsonAmbiguous{}, &jsonPrefersTag{}, &jsonTwice{}, &jsonDeep{}, &jsonLoops{},
		new(jsonDefined),
	} {
		v := reflect.ValueOf(value).Elem()
		fill(v, 2)
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(encoded, &object); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range packages[0].Lookup(v.Type().Name()).JSONFields() {
			got = append(got, f.Name)
		}
		slices.Sort(got)
		if want := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
			t.Errorf("%s: fields %q, want %q", v.Type().Name(), got, want)
		}
	}
	var pointers []string
	for _, f := range packages[0].Lookup("jsonDeep").JSONFields() {
		pointers = append(pointers, f.Name+": "+strings.Join(f.Pointers, " "))
	}
	if want := "Loop: JSONLoop"; !slices.Contains(pointers, want) {
		t.Errorf("pointers %q, want %q", pointers, want)
	}
}

// fill sets the strings and the embedded pointers of a struct, down to a depth of pointers.
func fill(v reflect.Value, depth int) {
	for i := range v.NumField() {
		switch field := v.Field(i); {
		case field.Kind() == reflect.Struct:
			fill(field, depth)
		case field.Kind() == reflect.Pointer && depth > 0 && field.CanSet():
			field.Set(reflect.New(field.Type().Elem()))
			fill(field.Elem(), depth-1)
		case field.Kind() == reflect.String && field.CanSet():
			field.SetString("a")
		}
	}
}
