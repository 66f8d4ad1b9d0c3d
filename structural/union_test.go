package structural

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestUnionsJSON checks decoding and encoding, which keeps the order; the examples are the
// proposals' own.
func TestUnionsJSON(t *testing.T) {
	for _, c := range []struct {
		text string
		want Extensions
	}{
		{`[{"discriminator":"type","fields":{"foo":"Foo","bar":"Bar"}}]`,
			Extensions{XUnions: []Union{{Discriminator: "type", Fields: []UnionField{{"foo", "Foo"}, {"bar", "Bar"}}}}}},
		{`[{},{"discriminator":"d"}]`, Extensions{XUnions: []Union{{}, {Discriminator: "d"}}}},
		{`[{"fields":{"a":"A"}}]`, Extensions{XUnions: []Union{{Fields: []UnionField{{"a", "A"}}}}}},
		{`{"fieldMembers":{"FieldB":{"name":"fieldB","optional":true},"FieldA":{"name":"fieldA","optional":false},"":null}}`,
			Extensions{XUnionMembers: []UnionMember{{"FieldB", "fieldB", true}, {"FieldA", "fieldA", false}, {"", "", false}}}},
	} {
		unions, members, err := ParseUnions(JSON{[]byte(c.text)})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if got := (Extensions{XUnions: unions, XUnionMembers: members}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v", c.text, got)
		}
		if got := UnionsJSON(c.want); got == nil || string(got.Raw) != c.text {
			t.Errorf("%s: rendered as %s", c.text, got.Raw)
		}
	}
	if UnionsJSON(Extensions{}) != nil {
		t.Error("no unions are rendered")
	}
}

// TestUnionsJSONIsThatOfKEP1027 checks that what is rendered is what the KEP's Go types are
// encoded as, of which optional has no omitempty, and that it can be missing ("Optional
// defaults to false").
func TestUnionsJSONIsThatOfKEP1027(t *testing.T) {
	type MemberField struct {
		Name     string `json:"name"`
		Optional bool   `json:"optional"`
	}
	type XKubernetesUnions struct {
		FieldMembers map[string]*MemberField `json:"fieldMembers"`
	}
	want, err := json.Marshal(XKubernetesUnions{map[string]*MemberField{"": nil, "FieldA": {"fieldA", false}, "FieldB": {"fieldB", true}}})
	if err != nil {
		t.Fatal(err)
	}
	members := []UnionMember{{"", "", false}, {"FieldA", "fieldA", false}, {"FieldB", "fieldB", true}}
	if got := UnionsJSON(Extensions{XUnionMembers: members}); string(got.Raw) != string(want) {
		t.Errorf("got %s, want %s", got.Raw, want)
	}
	_, got, err := ParseUnions(JSON{[]byte(`{"fieldMembers":{"":null,"FieldA":{"name":"fieldA"},"FieldB":{"name":"fieldB","optional":true}}}`)})
	if err != nil || !reflect.DeepEqual(got, members) {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestParseUnionsErrors checks the errors for values that have neither form.
func TestParseUnionsErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                                     "EOF",
		`1`:                                    "cannot unmarshal number",
		`{"a":1}`:                              `unknown field "a"`,
		`[{"a":1}]`:                            `unknown field "a"`,
		`[{"fields":[]}]`:                      "fields: must be an object",
		`[{"fields":{"a":1}}]`:                 "fields: json: cannot unmarshal number",
		`[{"fields":{"a":1},]`:                 "invalid character",
		`[] []`:                                "more than one value",
		`{"fieldMembers":{"a":{}}}`:            `fieldMembers: "a": name must not be empty`,
		`{"fieldMembers":{"a":1}}`:             "fieldMembers: json: cannot unmarshal number",
		`{"fieldMembers":{"a":null,"a":null}}`: `fieldMembers: duplicate key "a"`,
		`{"fieldMembers":{"a":{"name":"x","default":1}}}`: `unknown field "default"`,
	} {
		_, _, err := ParseUnions(JSON{[]byte(text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// FuzzParseUnions checks that every value is read or rejected, and that unions are encoded so
// that decoding results in the same.
func FuzzParseUnions(f *testing.F) {
	for _, seed := range []string{
		`[{"discriminator":"type","fields":{"foo":"Foo","bar":"Bar"}}]`,
		`{"fieldMembers":{"A":{"name":"a","optional":true},"B":null,"":null}}`,
		`[{}]`, `[]`, `{}`, `null`, `[null]`, `{"fieldMembers":{"é\u0000":{"name":"<&>"}}}`, `[{"fields":{"a":null}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		unions, members, err := ParseUnions(JSON{raw})
		if err != nil {
			return
		}
		rendered := UnionsJSON(Extensions{XUnions: unions, XUnionMembers: members})
		if rendered == nil {
			return // neither keyword is present
		}
		again, againMembers, err := ParseUnions(*rendered)
		if err != nil || !reflect.DeepEqual(again, unions) || !reflect.DeepEqual(againMembers, members) {
			t.Errorf("%q reads as %+v %+v, rendered as %s it is %+v %+v, %v", raw, unions, members, rendered.Raw, again, againMembers, err)
		}
	})
}
