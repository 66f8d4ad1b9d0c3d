package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestValidationReason explains only the known differences.
func TestValidationReason(t *testing.T) {
	kind := &validationKind{typeName: "Struct", ignored: map[string][]string{
		"mode": {"+k8s:alpha"}, "type Text": {"+k8s:customValidation"}, "unique": {"+k8s:customUnique"},
	}}
	docs := map[string]fieldDoc{
		"list": {text: "// +k8s:minItems=1"}, "number": {text: "// +default=1"}, "text": {types: []string{"Text"}},
		"d": {text: "// +k8s:unionDiscriminator"},
	}
	const skipped = skippedRules + " because the object was invalid"
	for _, c := range []struct {
		call                validationCall
		found, theirs, ours []string
		reason              string
	}{
		{theirs: []string{"spec.a"}},
		{ours: []string{"spec.a"}},
		{theirs: []string{"spec.a.b"}, ours: []string{"spec.a"}, reason: atParent},
		{theirs: []string{"spec.a[0]"}, ours: []string{"spec.a"}, reason: atParent},
		{theirs: []string{"spec.ab"}, ours: []string{"spec.a"}},
		{theirs: []string{"spec.a.b", "spec.c"}, ours: []string{"spec.a"}},
		{theirs: []string{"spec.a"}, found: []string{skipped}, reason: "the server evaluates rules only for objects that the schema allows"},
		{ours: []string{"spec.a"}, found: []string{skipped}},
		{theirs: []string{"spec.mode"}, reason: "SG309: a CRD cannot express +k8s:alpha"},
		{theirs: []string{"spec.text", "spec.mode"}, reason: "SG309: a CRD cannot express +k8s:alpha; SG309: a CRD cannot express +k8s:customValidation"},
		{theirs: []string{"spec.list"}, reason: "a list or map that is absent has no minimum"},
		{theirs: []string{"spec.list"}, call: validationCall{Value: json.RawMessage(`{"list":[]}`)}},
		{theirs: []string{"spec.number"}, reason: "the server sets the default first"},
		{theirs: []string{"spec.number"}, call: validationCall{Value: json.RawMessage(`{"number":2}`)}},
		{ours: []string{"spec.unique[1]"}, reason: "SG309: a CRD cannot express +k8s:customUnique"},
		{ours: []string{"spec.list[1]"}},
		{ours: []string{"spec.d"}, found: []string{`spec.d: Unsupported value: "": supported values: "A"`}, reason: "an empty discriminator is a value in a CRD"},
		{ours: []string{"spec.d"}, found: []string{`spec.d: Unsupported value: "B": supported values: "A"`}},
		{
			ours: []string{"spec.f"}, call: validationCall{Errors: []validationError{{Field: "f.a"}}},
			reason: "validation-gen stops at the first error of a field",
		},
		{
			ours: []string{"spec"}, found: []string{"spec: Invalid value: must specify at most one of: a, b"},
			call:   validationCall{Update: true, Value: json.RawMessage(`{"a":1,"b":2}`), OldValue: json.RawMessage(`{"a":2,"b":2}`)},
			reason: "the server checks the union of a changed object, even if the same members are set",
		},
		{
			ours: []string{"spec"}, found: []string{"spec: Invalid value: must specify at most one of: a, b"},
			call: validationCall{Update: true, Value: json.RawMessage(`{"a":1,"b":2}`), OldValue: json.RawMessage(`{"a":2}`)},
		},
		{
			ours: []string{"spec.l"}, found: []string{"spec.l: Invalid value: the item with key a must not be equal to b"},
			call: validationCall{Update: true}, reason: "the server checks the items of a list if one of them changes",
		},
		{ours: []string{"spec.l"}, found: []string{"spec.l: Invalid value: the item with key a must not be equal to b"}},
	} {
		d := validationDifference{call: c.call, kind: kind, found: c.found, docs: docs}
		if got := d.reason(c.theirs, c.ours); got != c.reason {
			t.Errorf("%q and %q: got %q, want %q", c.theirs, c.ours, got, c.reason)
		}
	}
	if got := refusalReason([]string{"SG999 unknown"}); got != "" {
		t.Errorf("got %q", got)
	}
	if got := refusalReason([]string{"SG302 +k8s:enum: no enum values found for type E"}); got == "" {
		t.Error("no reason")
	}
}

// TestErrorFields reads the fields that errors name.
func TestErrorFields(t *testing.T) {
	got := errorFields([]string{
		"spec.a: Invalid value: 1: x", `"spec.b" must validate all the schemas (allOf)`, skippedRules, "spec.m[key]: x", "spec.l[0]: x",
	})
	if want := "spec.a spec.b spec.l[0] spec.m.key"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	call := validationCall{Errors: []validationError{
		{Field: "<nil>"}, {Field: "m[key]"}, {Field: "a", Level: "alpha"}, {Field: "b", Detail: forcedFailure + "x"},
	}}
	if got := strings.Join(call.expected(), " "); got != "spec spec.m.key" {
		t.Errorf("got %q", got)
	}
}

// TestValidationSource adds tags and JSON options to types of a test.
func TestValidationSource(t *testing.T) {
	const source = "package a\n\ntype A struct {\n\tTypeMeta int\n\n\t// +k8s:unionDiscriminator\n\tD D `json:\"d\"`\n\t// +k8s:unionMember\n" +
		"\tM string `json:\"m\"`\n\tP *string `json:\"p\"`\n\tL L `json:\"l\"`\n\tN int `json:\"n\"`\n}\n\ntype D string\n\ntype L []string\n"
	want := strings.NewReplacer(
		"TypeMeta int", "TypeMeta int `json:\"-\"`", "type D", "// +k8s:enum\ntype D", "\tM string `json:\"m\"`",
		"\t// +k8s:minLength=1\n\tM string `json:\"m,omitempty\"`", `"p"`, `"p,omitzero"`, `"l"`, `"l,omitzero"`,
	).Replace(source)
	got, err := omittingSource([]byte(source))
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s", err, got)
	}
	bounded, err := boundedSource(got)
	if err != nil {
		t.Fatal(err)
	}
	want = strings.NewReplacer(
		"\tP *", "\t// +k8s:maxLength=64\n\tP *", "\tM string", "\t// +k8s:maxLength=64\n\tM string",
		"type L", "// +k8s:maxItems=16\n// +k8s:eachVal=+k8s:maxLength=64\ntype L", "type D", "// +k8s:maxLength=64\ntype D",
	).Replace(want)
	if string(bounded) != want {
		t.Errorf("got\n%s", bounded)
	}
}
