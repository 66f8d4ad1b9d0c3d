package compare

import (
	"reflect"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/structural"
)

// valuesFor returns two values of a type of the model with different meanings, or nil if
// the type is unknown to the test.
func valuesFor(t reflect.Type) []any {
	raw := func(text string) structural.JSON { return structural.JSON{Raw: []byte(text)} }
	nested := func(n int64) structural.NestedValueValidation {
		return structural.NestedValueValidation{ValueValidation: structural.ValueValidation{MaxLength: &n}}
	}
	one, two, yes := int64(1), int64(2), true
	half, whole := 0.5, 1.0
	a, b := raw(`"a"`), raw(`"b"`)
	x, y := nested(1), nested(2)
	for _, pair := range [][]any{
		{"a", "b"}, {true, true}, {&one, &two}, {&half, &whole}, {&a, &b}, {&yes, &yes}, {&x, &y}, {[]string{"a"}, []string{"b"}}, {[]structural.JSON{a}, []structural.JSON{b}},
		{[]structural.NestedValueValidation{x}, []structural.NestedValueValidation{y}}, {[]structural.Rule{{Rule: "a"}}, []structural.Rule{{Rule: "b"}}},
		{&structural.ExternalDocs{URL: "a"}, &structural.ExternalDocs{URL: "b"}},
		{[]structural.Union{{Discriminator: "a"}}, []structural.Union{{Discriminator: "b"}}}, {[]structural.UnionMember{{Value: "a"}}, []structural.UnionMember{{Value: "b"}}},
	} {
		if reflect.TypeOf(pair[0]) == t {
			return pair
		}
	}
	return nil
}

// modelFields returns the fields of a schema and its embedded structs; their Index is
// relative to Schema.
func modelFields() (out []reflect.StructField) {
	var visit func(t reflect.Type, at []int)
	visit = func(t reflect.Type, at []int) {
		for i := range t.NumField() {
			f := t.Field(i)
			f.Index = append(slices.Clone(at), i)
			switch {
			case f.Anonymous && f.Type.Kind() == reflect.Pointer:
				visit(f.Type.Elem(), f.Index)
			case f.Anonymous:
				visit(f.Type, f.Index)
			case !slices.Contains(walkedFields[:], f.Name):
				out = append(out, f)
			}
		}
	}
	visit(reflect.TypeFor[structural.Schema](), nil)
	return out
}

func schemaWith(f reflect.StructField, value any) *structural.Schema {
	s := &structural.Schema{ValueValidation: &structural.ValueValidation{}}
	if value != nil {
		reflect.ValueOf(s).Elem().FieldByIndex(f.Index).Set(reflect.ValueOf(value))
	}
	return s
}

// noEffect reports whether a change of the field means the same to a server.
func noEffect(name string, old, new *structural.Schema) bool {
	switch name {
	case "ExclusiveMaximum", "ExclusiveMinimum":
		return true // exclusive without a limit
	}
	return false
}

// TestAllKeywords changes every keyword of the model, with and without the explanations.
// Each change must be reported, and without an explanation as not-understood.
func TestAllKeywords(t *testing.T) {
	for _, f := range modelFields() {
		values := valuesFor(f.Type)
		if values == nil {
			t.Errorf("%s: the test has no values of type %s", f.Name, f.Type)
			continue
		}
		for _, pair := range [][2]any{{nil, values[0]}, {values[0], nil}, {values[0], values[1]}} {
			old, new := schemaWith(f, pair[0]), schemaWith(f, pair[1])
			if same(old, new) {
				continue
			}
			for _, table := range [][]keyword{explanations(), nil} {
				d := &definition{ctx: t.Context(), name: "test", target: newest(t), equal: equalNodes{}, ratchets: true}
				c := &comparer{definition: d, table: table}
				c.schema(nodePair{old: old, new: new, correlated: true})
				understood := !slices.ContainsFunc(d.changes, func(change Change) bool { return change.Kind == changekind.NotUnderstood })
				for _, change := range d.changes {
					if !slices.Contains(Kinds(), change.Kind) {
						t.Errorf("%s: Kinds does not list %s", f.Name, change.Kind)
					}
				}
				switch {
				case len(d.changes)+c.documented == 0 && !noEffect(f.Name, old, new):
					t.Errorf("%s: %v to %v is not reported", f.Name, pair[0], pair[1])
				case table == nil && understood:
					t.Errorf("%s: %v to %v is understood without an explanation", f.Name, pair[0], pair[1])
				case table != nil && !understood && f.Name != "UniqueItems":
					t.Errorf("%s: %v to %v is not understood", f.Name, pair[0], pair[1])
				}
			}
		}
	}
}

// TestAllFields changes every field of a definition. Each change must be reported.
func TestAllFields(t *testing.T) {
	text, count, port := "a", int64(1), int32(1)
	boolean := true
	value := func(t reflect.Type) (out []any) {
		for _, v := range []any{
			"a", true, int32(1), int64(1), &text, &count, &port, &boolean, []string{"a"}, []byte("a"),
			[]apiextensionsv1.CustomResourceColumnDefinition{{Name: "a"}}, []apiextensionsv1.SelectableField{{JSONPath: ".a"}},
			&apiextensionsv1.CustomResourceSubresourceStatus{}, apiextensionsv1.ResourceScope("a"), apiextensionsv1.ConversionStrategyType("Webhook"),
			[]apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v9"}}, &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{}},
		} {
			if reflect.TypeOf(v) == t {
				out = append(out, v)
			}
		}
		return out
	}
	base := func() *apiextensionsv1.CustomResourceDefinition {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		crd.Name = "as.example.com"
		crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
			{Name: "v1", Storage: true, Subresources: &apiextensionsv1.CustomResourceSubresources{Scale: &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".x"}}}, {Name: "v2"},
		}
		crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: "None", Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig: &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{}}}}
		return crd
	}
	var visit func(at string, get func(*apiextensionsv1.CustomResourceDefinition) reflect.Value)
	visit = func(at string, get func(*apiextensionsv1.CustomResourceDefinition) reflect.Value) {
		v := get(base())
		for i := range v.NumField() {
			name := at + "." + v.Type().Field(i).Name
			field := func(crd *apiextensionsv1.CustomResourceDefinition) reflect.Value { return get(crd).Field(i) }
			if f := v.Field(i); f.Kind() == reflect.Struct {
				visit(name, field)
				continue
			} else if f.Kind() == reflect.Pointer && !f.IsNil() && f.Elem().Kind() == reflect.Struct {
				visit(name, func(crd *apiextensionsv1.CustomResourceDefinition) reflect.Value { return field(crd).Elem() })
				continue
			}
			values := value(v.Field(i).Type())
			if values == nil {
				t.Errorf("%s: the test has no value of type %s", name, v.Field(i).Type())
				continue
			}
			changed := base()
			if field(changed).Kind() == reflect.Bool {
				values[0] = !field(changed).Bool()
			}
			field(changed).Set(reflect.ValueOf(values[0]))
			d := &definition{ctx: t.Context(), old: subject(base()), new: subject(changed), target: newest(t), equal: equalNodes{}, ratchets: true}
			d.compare()
			// A cluster injects the CA bundle of a webhook.
			if len(d.changes) == 0 && name != "Spec.Conversion.Webhook.ClientConfig.CABundle" {
				t.Errorf("a change of %s is not reported", name)
			}
		}
	}
	visit("Spec", func(crd *apiextensionsv1.CustomResourceDefinition) reflect.Value {
		return reflect.ValueOf(&crd.Spec).Elem()
	})
	visit("Spec.Versions[0]", func(crd *apiextensionsv1.CustomResourceDefinition) reflect.Value {
		return reflect.ValueOf(&crd.Spec.Versions[0]).Elem()
	})
}

func subject(object *apiextensionsv1.CustomResourceDefinition) *crd.Definition {
	s := &crd.Definition{CRD: object, Position: func(string) (diag.Position, []diag.Related) { return diag.Position{}, nil }}
	for _, v := range object.Spec.Versions {
		var schema *structural.Schema
		if v.Schema != nil {
			schema, _ = structural.FromProps(v.Schema.OpenAPIV3Schema)
		}
		s.Schemas = append(s.Schemas, schema)
	}
	return s
}

// TestVersions checks that nothing is ratcheted before Kubernetes 1.30.
func TestVersions(t *testing.T) {
	for version, want := range map[string]Category{"1.29": BreaksStored, "1.30": BreaksClients, "1.37": BreaksClients} {
		target, err := apiserver.NewTarget(version)
		if err != nil {
			t.Fatal(err)
		}
		limited := func(most int64) *crd.Definition {
			out := base()
			text := out.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["x"]
			text.MaxLength = &most
			out.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["x"] = text
			return subject(out)
		}
		changes, err := Definitions(t.Context(), target, []*crd.Definition{limited(9)}, []*crd.Definition{limited(5)})
		if err != nil || len(changes) != 1 || changes[0].Category != want || changes[0].Kind != "maxLength-lowered" {
			t.Errorf("%s: %+v %v", version, changes, err)
		}
	}
}

// base returns a definition that a server accepts.
func base() *apiextensionsv1.CustomResourceDefinition {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "widgets.example.com"
	crd.Spec.Group, crd.Spec.Scope = "example.com", "Namespaced"
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"x": text, "other": text}},
		}},
	}}}
	return crd
}

// TestDump checks that a definition as returned by a server is equal to that in its file.
func TestDump(t *testing.T) {
	dump := base()
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(dump)
	dump.Status.StoredVersions = []string{"v1"}
	dump.Labels = map[string]string{"a": "b"}
	for _, pair := range [][2]*crd.Definition{{subject(dump), subject(base())}, {subject(base()), subject(dump)}} {
		changes, err := Definitions(t.Context(), newest(t), pair[:1], pair[1:])
		if err != nil || len(changes) > 0 {
			t.Errorf("%+v %v", changes, err)
		}
	}
	// The status lists the stored versions.
	two := base()
	two.Spec.Versions = append(two.Spec.Versions, two.Spec.Versions[0])
	two.Spec.Versions[1].Name, two.Spec.Versions[1].Storage, two.Spec.Versions[1].Served = "v2", false, false
	for _, row := range []struct {
		stored []string
		want   Category
	}{{nil, Safe}, {[]string{"v1"}, Safe}, {[]string{"v1", "v2"}, BreaksStored}} {
		two.Status.StoredVersions = row.stored
		changes, err := Definitions(t.Context(), newest(t), []*crd.Definition{subject(two)}, []*crd.Definition{subject(base())})
		if err != nil || len(changes) == 0 || changes[0].Kind != changekind.VersionRemoved || changes[0].Category != row.want {
			t.Errorf("%v: %+v %v", row.stored, changes, err)
		}
	}
	added, err := Definitions(t.Context(), newest(t), nil, []*crd.Definition{subject(base())})
	if err != nil || len(added) != 1 || added[0].Kind != changekind.DefinitionAdded || added[0].Category != Safe {
		t.Errorf("%+v %v", added, err)
	}
	removed, err := Definitions(t.Context(), newest(t), []*crd.Definition{subject(base())}, nil)
	if err != nil || len(removed) != 1 || removed[0].Kind != changekind.DefinitionRemoved || removed[0].Category != BreaksStored {
		t.Errorf("%+v %v", removed, err)
	}
}

// TestFolded checks that a change shared by several versions is reported once.
func TestFolded(t *testing.T) {
	change := func(version, field string) Change {
		return Change{Definition: "a", Version: version, Kind: changekind.FieldAdded, Field: field}
	}
	waived := change("v3", ".a")
	waived.Waived = "a reason"
	var got []string
	for _, c := range Folded([]Change{change("v1", ".a"), change("v1", ".b"), change("v2", ".a"), waived, change("v1", ".a"), change("", ""), change("", "")}) {
		got = append(got, c.Version+c.Field)
	}
	if want := []string{"v1,v2.a", "v1.b", "v3.a", "v1.a", "", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
