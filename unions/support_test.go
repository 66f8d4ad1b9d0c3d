package unions

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/schemagen/schemagen/structural"
)

// schemaFor returns the schema of an object with the lowered union, whose members have type
// object.
func schemaFor(t testing.TB, u Union, opts LowerOptions) *structural.Schema {
	t.Helper()
	lowered, err := Lower(u, opts)
	if err != nil {
		t.Fatal(err)
	}
	d := &structural.Schema{
		Generic:         structural.Generic{Type: "string"},
		ValueValidation: &structural.ValueValidation{Enum: lowered.Enum},
		Extensions:      structural.Extensions{XUnionMembers: lowered.Members},
	}
	if u.Default != nil {
		value := literal(*u.Default)
		d.Default = &value
	}
	s := &structural.Schema{
		Generic:         structural.Generic{Type: "object"},
		Extensions:      structural.Extensions{XValidations: lowered.Rules, XUnions: lowered.Unions},
		ValueValidation: &structural.ValueValidation{OneOf: lowered.OneOf},
	}
	if u.Discriminator != "" {
		s.Properties = append(s.Properties, structural.Property{Name: u.Discriminator, Schema: d})
	}
	if u.Required {
		s.Required = []string{u.Discriminator}
	}
	for _, m := range u.Members {
		s.Properties = append(s.Properties, structural.Property{Name: m.Name, Schema: objectSchema(
			structural.Property{Name: "x", Schema: &structural.Schema{Generic: structural.Generic{Type: "integer"}}})})
	}
	s.Properties = append(s.Properties, structural.Property{Name: "other", Schema: &structural.Schema{Generic: structural.Generic{Type: "string"}}})
	return s
}

func objectSchema(properties ...structural.Property) *structural.Schema {
	return &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: properties}
}

// server returns a function that validates objects like the API server: rules are evaluated
// only if the object is valid by the schema.
func server(t testing.TB, s *structural.Schema) func(old, new map[string]any) field.ErrorList {
	t.Helper()
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(s.Props(), &internal, nil); err != nil {
		t.Fatal(err)
	}
	sts, err := schema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	if errs := schema.ValidateStructural(nil, sts); len(errs) > 0 {
		t.Fatal(errs)
	}
	bySchema, _, err := schemavalidation.NewSchemaValidator(&internal)
	if err != nil {
		t.Fatal(err)
	}
	byRules := schemacel.NewValidator(sts, false, celconfig.PerCallLimit)
	return func(old, new map[string]any) field.ErrorList {
		if errs := schemavalidation.ValidateCustomResource(nil, new, bySchema); len(errs) > 0 {
			return errs
		}
		var before any
		if old != nil {
			before = old
		}
		errs, _ := byRules.Validate(context.Background(), nil, sts, new, before, celconfig.RuntimeCELCostBudget)
		return errs
	}
}

// definitionErrors returns the errors of the server's validation for a CRD with the schema at
// spec.
func definitionErrors(t testing.TB, spec *structural.Schema) field.ErrorList {
	t.Helper()
	root := objectSchema(structural.Property{Name: "spec", Schema: spec})
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "things.cases.test", Generation: 1},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "cases.test",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: root.Props()},
			}},
		},
		Status: apiextensionsv1.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	}
	var out apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, &out, nil); err != nil {
		t.Fatal(err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
	return validation.ValidateCustomResourceDefinition(context.Background(), &out)
}

// object decodes an object; the empty string is nil.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	var out map[string]any
	if err := utiljson.Unmarshal([]byte(text), &out); err != nil { // integers are int64
		t.Fatalf("%s: got error %v", text, err)
	}
	return out
}

func encoded(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func clone(object map[string]any) map[string]any { return runtime.DeepCopyJSON(object) }

// kinds formats errors as "Type path", sorted.
func kinds(errs field.ErrorList) []string {
	out := []string{}
	for _, err := range errs {
		name := map[field.ErrorType]string{
			field.ErrorTypeRequired: "Required", field.ErrorTypeForbidden: "Forbidden", field.ErrorTypeInvalid: "Invalid",
			field.ErrorTypeNotSupported: "NotSupported", field.ErrorTypeTypeInvalid: "TypeInvalid",
			field.ErrorTypeDuplicate: "Duplicate",
		}[err.Type]
		out = append(out, name+" "+err.Field)
	}
	slices.Sort(out)
	return out
}

// paths returns the distinct fields of errors, sorted.
func paths(errs field.ErrorList) []string {
	out := []string{}
	for _, err := range errs {
		out = append(out, err.Field)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// smallUnions returns unions of every kind, by name.
func smallUnions() map[string]Union {
	out := map[string]Union{}
	b := "B"
	for _, shape := range []struct {
		name string
		set  func(u *Union)
	}{
		{"required", func(u *Union) { u.Required = true }},
		{"optional", func(*Union) {}},
		{"defaulted", func(u *Union) { u.Default = &b }},
		{"required and defaulted", func(u *Union) { u.Required, u.Default = true, &b }},
	} {
		for _, values := range [][]string{{"A", "B", "C"}, {"A", "", "B", "C"}, {"B", "A"}} {
			for mask := range 4 {
				for _, names := range [][3]string{{"type", "a", "b"}, {"namespace", "in", "x__y"}, {"my-type", "self", "$ref"}} {
					u := New(names[0], values,
						Member{Name: names[1], Value: "A", Optional: mask&1 != 0}, Member{Name: names[2], Value: "B", Optional: mask&2 != 0})
					shape.set(&u)
					out[fmt.Sprintf("%s %s %d %s", shape.name, strings.Join(values, ","), mask, names[0])] = u
				}
			}
		}
	}
	one := New("kind", []string{"A", "C"}, Member{Name: "a", Value: "A"})
	one.Required = true
	out["one member"] = one
	quote := New("kind", []string{`it's`, `"\`, "ü"}, Member{Name: "a", Value: `it's`}, Member{Name: "b", Value: `"\`}, Member{Name: "c", Value: "ü"})
	quote.Required = true
	out["quotes"] = quote
	out["exactly one"] = Union{Members: []Member{{Name: "a"}, {Name: "b"}, {Name: "import"}}}
	out["at most one"] = Union{Members: []Member{{Name: "a"}, {Name: "b"}}, AtMostOne: true}
	return out
}

// objectsOf returns objects with all combinations of discriminator values and sets of
// members.
func objectsOf(u Union) []map[string]any {
	discriminators := []any{nil}
	if u.Discriminator != "" {
		discriminators = append(discriminators, "", "Z")
		for _, v := range u.Values {
			if v.Name != "" {
				discriminators = append(discriminators, v.Name)
			}
		}
	}
	var out []map[string]any
	for _, d := range discriminators {
		for set := range 1 << len(u.Members) {
			object := map[string]any{"other": "o"}
			if d != nil {
				object[u.Discriminator] = d
			}
			for i, m := range u.Members {
				if set&(1<<i) != 0 {
					object[m.Name] = map[string]any{"x": int64(i)}
				}
			}
			out = append(out, object)
		}
	}
	return out
}

// defaulted returns the object with the server's defaults.
func defaulted(u Union, object map[string]any) map[string]any {
	out := clone(object)
	if u.Default != nil && out[u.Discriminator] == nil {
		out[u.Discriminator] = *u.Default
	}
	return out
}
