package apiserver

import (
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// TestKindUnchecked checks the rules that the server does not evaluate because of other
// errors: those that are false are reported, on creation and on updates, but not those that
// have no result.
func TestKindUnchecked(t *testing.T) {
	root := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.Unmarshal([]byte(`
type: object
properties:
  spec:
    type: object
    required: [name]
    properties:
      name: {type: string, maxLength: 9}
      a: {type: integer}
      b: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf, message: b is immutable}]}
      wrong: {type: string, maxLength: 9}
      member: {type: string, maxLength: 9}
    x-kubernetes-validations:
    - {rule: "!has(self.a) || !has(self.b) || self.a < self.b", message: a must be less}
    - {rule: "self.name.size() > 3", message: name is short}
    - {rule: "!has(self.wrong) || self.wrong.size() > 3", message: wrong is short}
    - {rule: "!has(self.wrong) || self.wrong != 'member' || has(self.member)", message: member is required, reason: FieldValueRequired, fieldPath: .member}
`), root); err != nil {
		t.Fatal(err)
	}
	kind, err := NewKind(&apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Widget", Plural: "widgets"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: root},
			}},
		},
	}, "v1")
	if err != nil {
		t.Fatal(err)
	}
	object := func(spec map[string]any) map[string]any {
		return map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "spec": spec}
	}
	for _, test := range []struct {
		name       string
		spec, old  map[string]any
		notChecked bool
		want       string // unchecked
	}{
		{"right", map[string]any{"name": "long"}, nil, false, ""},
		{"rules are checked", map[string]any{"name": "a", "a": int64(1), "b": int64(1)}, nil, false, ""},
		{"a rule says that a field is required", map[string]any{"name": "long", "wrong": "member"}, nil, false, ""},
		{"a required field is missing", map[string]any{"a": int64(1), "b": int64(1)}, nil, true, "a must be less"},
		{"nothing else is wrong", map[string]any{"a": int64(1), "b": int64(2)}, nil, true, ""},
		{"a value of the wrong type", map[string]any{"name": "a", "wrong": int64(1)}, nil, true, "name is short"},
		{"an object for an integer", map[string]any{"name": "a", "a": map[string]any{}, "b": []any{}}, nil, true, "name is short"},
		{"a rule about a change", map[string]any{"b": int64(2)}, map[string]any{"name": "long", "b": int64(1)}, true, "b is immutable"},
		{"what has not changed", map[string]any{"name": "toolongforit", "a": int64(1), "b": int64(1)}, map[string]any{"name": "long", "a": int64(1), "b": int64(1)}, true, "a must be less"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var answer Answer
			if test.old == nil {
				answer, err = kind.Create(t.Context(), object(test.spec))
			} else {
				answer, err = kind.Update(t.Context(), object(test.spec), object(test.old))
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range answer.Unchecked {
				got = append(got, e.Detail)
			}
			if strings.Join(got, ", ") != test.want {
				t.Errorf("unchecked: %q, want %s; errors: %v", got, test.want, answer.Errors)
			}
			is := slices.ContainsFunc(answer.Errors, func(e *field.Error) bool { return strings.HasPrefix(e.Detail, notChecked) })
			if is != test.notChecked {
				t.Errorf("errors: %v", answer.Errors)
			}
		})
	}
}
