package apiserver

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestValueCheck checks that values are validated without rules, and that no value panics.
func TestValueCheck(t *testing.T) {
	most := int64(2)
	rules := apiextensionsv1.ValidationRules{{Rule: "false"}}
	check, err := NewValueCheck(&apiextensionsv1.JSONSchemaProps{Type: "string", MaxLength: &most, XValidations: rules})
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[any]bool{"ab": true, "abc": false, int64(1): false, nil: false} {
		if got := check(value); got != want {
			t.Errorf("%v: %t", value, got)
		}
	}
}

// TestIgnoredFormats checks which formats the server validates.
func TestIgnoredFormats(t *testing.T) {
	for _, row := range []struct {
		version, kind, format string
		want                  bool
	}{
		{"1.37", "string", "date", false}, {"1.37", "string", "date-time", false}, {"1.37", "", "datetime", false},
		{"1.37", "string", "int32", true}, {"1.37", "integer", "int32", false}, {"1.37", "integer", "date", true}, {"1.37", "", "int32", true},
		{"1.37", "number", "float", false}, {"1.37", "boolean", "date", true}, {"1.37", "string", "nope", true},
		{"1.37", "string", "k8s-short-name", false}, {"1.32", "string", "k8s-short-name", true},
	} {
		target, err := NewTarget(row.version)
		if err != nil {
			t.Fatal(err)
		}
		if got := target.IgnoresFormat(row.kind, row.format); got != row.want {
			t.Errorf("%+v: %t", row, got)
		}
	}
}
