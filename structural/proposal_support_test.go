package structural

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// internalProps converts p to the server's internal type.
func internalProps(t testing.TB, p *apiextensionsv1.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	t.Helper()
	var out apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(p, &out, nil); err != nil {
		t.Fatal(err)
	}
	return &out
}

// upstream converts s to the server's model.
func upstream(t testing.TB, s *Schema) *schema.Structural {
	t.Helper()
	out, err := schema.NewStructural(internalProps(t, s.Props()))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// testCRD returns a CRD with one version for each of the schemas; nil is no schema.
func testCRD(schemas ...*apiextensionsv1.JSONSchemaProps) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "things.cases.test", Generation: 1},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "cases.test",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"},
		},
		Status: apiextensionsv1.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	}
	for i, p := range schemas {
		v := apiextensionsv1.CustomResourceDefinitionVersion{Name: fmt.Sprintf("v%d", i+1), Served: true, Storage: i == 0}
		if p != nil {
			v.Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: p}
		}
		crd.Spec.Versions = append(crd.Spec.Versions, v)
	}
	return crd
}

func internalCRD(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	t.Helper()
	var out apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd.DeepCopy(), &out, nil); err != nil {
		t.Fatal(err)
	}
	return &out
}

// serverRejects returns the server's errors for the creation of a CRD.
func serverRejects(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	t.Helper()
	return validation.ValidateCustomResourceDefinition(context.Background(), internalCRD(t, crd))
}

// validator returns the server's validation of objects with a schema. Integers are int64, as
// decoded by the server.
func validator(t testing.TB, p *apiextensionsv1.JSONSchemaProps) func(object any) field.ErrorList {
	t.Helper()
	v, _, err := schemavalidation.NewSchemaValidator(internalProps(t, p))
	if err != nil {
		t.Fatal(err)
	}
	return func(object any) field.ErrorList { return schemavalidation.ValidateCustomResource(nil, object, v) }
}

// randomStructural returns a random structural schema with many value validations, of the
// given type or of a random one.
func randomStructural(r *rand.Rand, depth int, typ string) *Schema {
	rarely := func(n int) bool { return r.Intn(n) == 0 }
	s := &Schema{Generic: Generic{Type: typ}}
	if typ == "" {
		types := []string{"string", "integer", "boolean", "number", "", "array", "object", "object"}
		if depth == 0 {
			types = types[:5]
		}
		s.Type = types[r.Intn(len(types))]
	}
	if typ == "" && rarely(10) {
		s.Nullable = true
	}
	if rarely(12) {
		s.Description = "text"
	}
	switch s.Type {
	case "":
		if rarely(4) {
			s.XPreserveUnknownFields = ptr.To(true)
		} else {
			s.XIntOrString = true
		}
	case "array":
		s.Items = randomStructural(r, depth-1, "")
	case "object":
		switch {
		case depth > 0 && rarely(4) && typ == "":
			s.AdditionalProperties = &SchemaOrBool{Schema: randomStructural(r, depth-1, "")}
		case typ == "" && rarely(3):
			s.XEmbeddedResource = true
			s.XPreserveUnknownFields = ptr.To(true)
			if rarely(2) {
				s.Properties = []Property{{"apiVersion", &Schema{Generic: Generic{Type: "string"}, ValueValidation: &ValueValidation{Pattern: "v1"}}}}
			}
		}
		if s.AdditionalProperties == nil && depth > 0 {
			for _, name := range []string{"a", "b", "c"} {
				if !rarely(4) {
					s.Properties = append(s.Properties, Property{name, randomStructural(r, depth-1, "")})
				}
			}
		}
	}
	s.ValueValidation = randomValues(r, s, depth+1)
	if s.XIntOrString {
		pair := []NestedValueValidation{{ForbiddenGenerics: Generic{Type: "integer"}}, {ForbiddenGenerics: Generic{Type: "string"}}}
		switch r.Intn(4) {
		case 0:
			s.AnyOf = pair
		case 1:
			s.AllOf = append([]NestedValueValidation{{ValueValidation: ValueValidation{AnyOf: pair}}}, s.AllOf...)
		}
	}
	return s
}

// randomValues returns random value validations for s. Junctors refer only to fields that s
// specifies.
func randomValues(r *rand.Rand, s *Schema, depth int) *ValueValidation {
	rarely := func(n int) bool { return r.Intn(n) == 0 }
	v := &ValueValidation{}
	if s.Type == "string" || s.XIntOrString {
		if rarely(4) {
			v.Pattern = []string{"^a", "b$", "^[ab]*$"}[r.Intn(3)]
		}
		if rarely(4) {
			v.MinLength = ptr.To(int64(r.Intn(3)))
		}
		if rarely(4) {
			v.MaxLength = ptr.To(int64(1 + r.Intn(3)))
		}
		if s.Type == "string" && rarely(5) {
			v.Enum = []JSON{{[]byte(`"a"`)}, {[]byte(`"b"`)}}
		}
	}
	if s.Type == "integer" || s.Type == "number" || s.XIntOrString {
		if rarely(4) {
			v.Minimum, v.ExclusiveMinimum = ptr.To(float64(r.Intn(3))), rarely(3)
		}
		if rarely(4) {
			v.Maximum, v.ExclusiveMaximum = ptr.To(float64(2+r.Intn(3))), rarely(3)
		}
		if rarely(6) {
			v.MultipleOf = ptr.To(float64(2))
		}
	}
	if s.Type == "array" && rarely(3) {
		v.MinItems, v.MaxItems = ptr.To(int64(r.Intn(2))), ptr.To(int64(1+r.Intn(2)))
	}
	if s.Type == "object" {
		for _, p := range s.Properties {
			if rarely(4) {
				v.Required = append(v.Required, p.Name)
			}
		}
		if rarely(6) {
			v.MinProperties = ptr.To(int64(1))
		}
		if rarely(6) {
			v.MaxProperties = ptr.To(int64(2))
		}
	}
	if depth <= 0 {
		return v
	}
	nested := func() NestedValueValidation {
		n := NestedValueValidation{ValueValidation: *randomValues(r, s, depth-2)}
		for _, p := range s.Properties {
			if rarely(2) {
				below := NestedValueValidation{ValueValidation: *randomValues(r, p.Schema, depth-2)}
				n.Properties = append(n.Properties, NestedProperty{p.Name, &below})
			}
		}
		if s.Items != nil && rarely(2) {
			n.Items = &NestedValueValidation{ValueValidation: *randomValues(r, s.Items, depth-2)}
		}
		return n
	}
	if rarely(4) {
		v.AnyOf = []NestedValueValidation{nested(), nested()}
	}
	if rarely(6) {
		v.AllOf = []NestedValueValidation{nested()}
	}
	if rarely(8) {
		v.OneOf = []NestedValueValidation{nested(), nested()}
	}
	if rarely(8) {
		v.Not = ptr.To(nested())
	}
	return v
}

// randomValue returns a random value that the schema is likely to accept.
func randomValue(r *rand.Rand, s *Schema) any {
	if s.Nullable && r.Intn(3) == 0 {
		return nil
	}
	typ := s.Type
	if s.XIntOrString {
		typ = []string{"integer", "string"}[r.Intn(2)]
	}
	if typ == "" || r.Intn(15) == 0 { // anything, even of the wrong type
		typ = []string{"integer", "string", "boolean", "object", "array"}[r.Intn(5)]
	}
	switch typ {
	case "integer":
		return int64(r.Intn(6))
	case "number":
		return float64(r.Intn(12)) / 2
	case "boolean":
		return r.Intn(2) == 0
	case "string":
		return []string{"", "a", "b", "ab", "ba", "abab"}[r.Intn(6)]
	case "array":
		out := []any{}
		for range r.Intn(3) {
			if s.Items == nil {
				out = append(out, "a")
			} else {
				out = append(out, randomValue(r, s.Items))
			}
		}
		return out
	}
	out := map[string]any{}
	for _, p := range s.Properties {
		if r.Intn(5) > 0 {
			out[p.Name] = randomValue(r, p.Schema)
		}
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		for _, name := range []string{"x", "y"}[:r.Intn(3)] {
			out[name] = randomValue(r, a.Schema)
		}
	}
	if s.XEmbeddedResource {
		out["apiVersion"], out["kind"] = "v1", "Kind"
	}
	return out
}

// messages returns the errors as sorted strings, without the path of the schema.
func messages(list field.ErrorList, prefix string) []string {
	var out []string
	for _, e := range list {
		e := *e
		if len(e.Field) >= len(prefix) && e.Field[:len(prefix)] == prefix {
			e.Field = e.Field[len(prefix):]
		}
		out = append(out, e.Error())
	}
	slices.Sort(out)
	return out
}

// TestRandomStructural checks the generators: schemas are structural, and many of the values
// are accepted and many are rejected.
func TestRandomStructural(t *testing.T) {
	accepted, rejected := 0, 0
	for seed := range 300 {
		r := rand.New(rand.NewSource(int64(seed)))
		s := randomStructural(r, 3, "object")
		for _, v := range Check(s) {
			t.Fatalf("seed %d: %s", seed, v)
		}
		validate := validator(t, s.Props())
		for range 20 {
			if len(validate(randomValue(r, s))) == 0 {
				accepted++
			} else {
				rejected++
			}
		}
	}
	t.Logf("%d accepted, %d rejected", accepted, rejected)
	if accepted < 1000 || rejected < 1000 {
		t.Errorf("%d accepted, %d rejected: one side is hardly tested", accepted, rejected)
	}
}
