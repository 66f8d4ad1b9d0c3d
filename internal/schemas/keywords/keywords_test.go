package keywords

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/structural"
)

func TestKeywords(t *testing.T) {
	p := &apiextensionsv1.JSONSchemaProps{Type: "string", Pattern: "a"}
	if got := Set(p); !slices.Equal(got, []string{"type", "pattern"}) {
		t.Errorf("set are %q", got)
	}
	if !Clear(p, "pattern") || Clear(p, "pattern") || Clear(p, "nonsense") || p.Pattern != "" {
		t.Error("a keyword was not cleared once")
	}
	Copy(p, &apiextensionsv1.JSONSchemaProps{Format: "uuid"})
	if p.Type != "string" || p.Format != "uuid" {
		t.Errorf("%+v", p)
	}
}

// TestTable checks that every keyword of JSONSchemaProps and of the model has a row in the
// table.
func TestTable(t *testing.T) {
	var want, got, modelled []string
	for field := range reflect.TypeFor[apiextensionsv1.JSONSchemaProps]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		want = append(want, name+" "+field.Name)
	}
	part := map[Class]reflect.Type{
		ClassGeneric: reflect.TypeFor[structural.Generic](), ClassExtension: reflect.TypeFor[structural.Extensions](),
		ClassValue: reflect.TypeFor[structural.ValueValidation](), ClassJunctor: reflect.TypeFor[structural.ValueValidation](),
	}
	for k := range Table() {
		got = append(got, k.Name+" "+k.Field)
		s := &structural.Schema{ValueValidation: &structural.ValueValidation{}}
		value := k.Value(PartsOf(s))
		if part[k.Class] == nil {
			if value != nil {
				t.Errorf("%s has a value", k.Name)
			}
			continue
		}
		modelled = append(modelled, k.Field)
		if _, ok := part[k.Class].FieldByName(k.Field); !ok {
			t.Errorf("%s has no field %s", part[k.Class], k.Field)
		} else if want := reflect.ValueOf(s).Elem().FieldByName(k.Field).Addr().Interface(); value != want {
			t.Errorf("the value of %s is not its field", k.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[structural.Generic](), reflect.TypeFor[structural.Extensions](), reflect.TypeFor[structural.ValueValidation]()} {
		for field := range typ.Fields() {
			if !slices.Contains(modelled, field.Name) && field.Name != "XUnions" && field.Name != "XUnionMembers" { // not in JSONSchemaProps
				t.Errorf("%s.%s has no row", typ, field.Name)
			}
		}
	}
}

// TestEveryKeyword checks that each keyword is decoded and encoded, at the root of a schema
// and in a junctor.
func TestEveryKeyword(t *testing.T) {
	for k := range Table() {
		for _, text := range []string{`{"` + k.Name + `": ` + k.Example + `}`, `{"not": {"` + k.Name + `": ` + k.Example + `}}`} {
			var p apiextensionsv1.JSONSchemaProps
			if err := json.Unmarshal([]byte(text), &p); err != nil {
				t.Fatal(err)
			}
			s, unsupported := structural.FromProps(&p)
			if k.Class == ClassUnsupported {
				if len(unsupported) != 1 || unsupported[0].Keyword != k.Name {
					t.Errorf("%s: unsupported are %v", text, unsupported)
				}
				continue
			}
			if len(unsupported) > 0 {
				t.Errorf("%s: unsupported are %v", text, unsupported)
			}
			if a, b := mustJSON(t, s.Props()), mustJSON(t, &p); a != b {
				t.Errorf("%s is rendered as %s", b, a)
			}
			parts := PartsOf(s)
			if p.Not != nil && k.Name != "not" {
				if s.ValueValidation == nil || s.Not == nil {
					t.Errorf("%s: there is no junctor", text)
					continue
				}
				parts = PartsOfNested(s.Not)
			}
			if k.Class != ClassStructure && !k.IsSet(parts) {
				t.Errorf("%s is not set by %s", k.Name, text)
			}
			if nested := s.Nested(); mustJSON(t, nested.Outside().Props()) != mustJSON(t, &p) {
				t.Errorf("%s is lost in a junctor", text)
			}
		}
	}
	empty := PartsOfNested((&structural.NestedValueValidation{}))
	for k := range Table() {
		if k.IsSet(empty) || k.IsSet(PartsOf((&structural.Schema{}))) {
			t.Errorf("%s is set in an empty node", k.Name)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestOverwrite wants each keyword that is set in a layer to replace that of the base, and one that is
// not set to keep it.
func TestOverwrite(t *testing.T) {
	decode := func(text string) *structural.Schema {
		p := &apiextensionsv1.JSONSchemaProps{}
		if err := json.Unmarshal([]byte(text), p); err != nil {
			t.Fatal(err)
		}
		s, _ := structural.FromProps(p)
		s.Validation()
		return s
	}
	checked := 0
	for k := range Table() {
		layer := decode(`{"` + k.Name + `": ` + k.Example + `}`)
		if k.Value(PartsOf(layer)) == nil {
			continue
		}
		checked++
		out := decode(`{}`)
		PartsOf(out).Overwrite(PartsOf(layer))
		if !reflect.DeepEqual(out, layer) {
			t.Errorf("%s is not copied", k.Name)
		}
		PartsOf(out).Overwrite(PartsOf(decode(`{}`)))
		if !reflect.DeepEqual(out, layer) {
			t.Errorf("%s is not kept", k.Name)
		}
	}
	if checked < 30 {
		t.Errorf("%d keywords were checked", checked)
	}
}
