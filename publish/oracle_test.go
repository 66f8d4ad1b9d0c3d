package publish

import (
	"encoding/json"
	"fmt"
	"go/token"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/schemagen/schemagen/structural/manifest"
)

// TestSameDocumentsAsServer compares the documents of each definition in the generator's
// cases with those of the server's builder, version by version, and all definitions of a
// case together.
//
// There is one difference: x-kubernetes-unions, which no server knows. Defaults in OpenAPI
// v2 are removed from the builder's documents, as kube-apiserver does.
func TestSameDocumentsAsServer(t *testing.T) {
	cases, err := filepath.Glob("../testdata/crd/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	compared, merged := 0, 0
	for _, name := range cases {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			var all serverDocuments
			for _, file := range archive.Files {
				if filepath.Ext(file.Name) != ".yaml" {
					continue
				}
				manifests, _ := manifest.Read(token.NewFileSet(), file.Name, file.Data)
				for _, m := range manifests {
					if m.CRD != nil {
						one := compareWithServer(t, m)
						all.resources = append(all.resources, one.resources...)
						all.v2, all.v3 = append(all.v2, one.v2...), append(all.v3, one.v3...)
					}
				}
			}
			compared += len(all.resources)
			if compareMerged(t, all) {
				merged++
			}
		})
	}
	t.Logf("%d versions, %d cases with several", compared, merged)
	if compared < 50 || merged < 10 {
		t.Errorf("only %d versions and %d cases with several were compared", compared, merged)
	}
}

// TestSameDocumentsForRandomDefinitions does the same for random definitions.
func TestSameDocumentsForRandomDefinitions(t *testing.T) {
	published := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		crd := randomDefinition(r)
		raw, err := json.Marshal(crd)
		if err != nil {
			t.Fatal(err)
		}
		manifests, problems := manifest.Read(token.NewFileSet(), "random.json", raw)
		if len(problems) > 0 || len(manifests) != 1 {
			t.Fatalf("seed %d: %v", seed, problems)
		}
		m := manifests[0]
		if t.Run(fmt.Sprint(seed), func(t *testing.T) { compareMerged(t, compareWithServer(t, m)) }); t.Failed() {
			t.Logf("%s", raw)
			return
		}
		for _, resource := range Resources(m.CRD, m.Schemas, m.Unsupported) {
			if resource.Rejected == nil {
				published++
			}
		}
	}
	t.Logf("%d schemas were published", published)
	if published < 80 {
		t.Errorf("only %d schemas were published", published)
	}
}

// serverDocuments are the documents of the server's builder.
type serverDocuments struct {
	resources []*Resource
	v2        []*spec.Swagger
	v3        []*spec3.OpenAPI
}

// compareWithServer compares the documents of each version.
func compareWithServer(t *testing.T, m *manifest.Manifest) serverDocuments {
	t.Helper()
	crd := m.CRD.DeepCopy()
	if crd.Spec.Names.ListKind == "" {
		crd.Spec.Names.ListKind = crd.Spec.Names.Kind + "List"
	}
	out := serverDocuments{resources: Resources(crd, m.Schemas, m.Unsupported)}
	for _, r := range out.resources {
		v2, err := builder.BuildOpenAPIV2(crd, r.Version, builder.Options{V2: true, IncludeSelectableFields: true})
		if err != nil {
			t.Fatal(err)
		}
		pruneDefaults(v2)
		v3, err := builder.BuildOpenAPIV3(crd, r.Version, builder.Options{IncludeSelectableFields: true})
		if err != nil {
			t.Fatal(err)
		}
		ours, err := V2([]*Resource{r}, Options{})
		sameJSON(t, crd.Name+" "+r.Version+" v2", ours, err, v2)
		ours, err = V3([]*Resource{r}, Options{})
		sameJSON(t, crd.Name+" "+r.Version+" v3", ours, err, v3)
		out.v2, out.v3 = append(out.v2, v2), append(out.v3, v3)
	}
	return out
}

// pruneDefaults does what kube-apiserver's aggregator does to the documents of the servers
// that it delegates to (PruneDefaults of kube-openapi, for structural schemas).
func pruneDefaults(document *spec.Swagger) {
	for name, definition := range document.Definitions {
		document.Definitions[name] = *withoutDefaults(&definition)
	}
}

func withoutDefaults(s *spec.Schema) *spec.Schema {
	if s == nil {
		return nil
	}
	out := *s
	out.Default = nil
	out.Properties = maps.Clone(s.Properties)
	for name, p := range s.Properties {
		out.Properties[name] = *withoutDefaults(&p)
	}
	if s.Items != nil {
		out.Items = &spec.SchemaOrArray{Schema: withoutDefaults(s.Items.Schema)}
	}
	if a := s.AdditionalProperties; a != nil {
		out.AdditionalProperties = &spec.SchemaOrBool{Allows: a.Allows, Schema: withoutDefaults(a.Schema)}
	}
	return &out
}

// compareMerged compares the documents of all resources together, unless two of them
// conflict. It reports whether it did.
func compareMerged(t *testing.T, all serverDocuments) bool {
	t.Helper()
	if len(all.resources) < 2 || len(Conflicts(all.resources)) > 0 {
		return false
	}
	base := &spec.Swagger{SwaggerProps: spec.SwaggerProps{Swagger: "2.0", Info: all.v2[0].Info}}
	v2, err := builder.MergeSpecs(base, all.v2...)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := V2(all.resources, Options{})
	sameJSON(t, "merged v2", ours, err, v2)
	for _, gv := range groupVersions(all.resources) {
		var parts []*spec3.OpenAPI
		for i, r := range all.resources {
			if r.GroupVersion() == gv.name {
				parts = append(parts, all.v3[i])
			}
		}
		v3, err := builder.MergeSpecsV3(parts...)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := V3(gv.resources, Options{})
		sameJSON(t, "merged v3 "+gv.name, ours, err, v3)
	}
	return true
}

// sameJSON compares values, without x-kubernetes-unions.
func sameJSON(t *testing.T, name string, ours []byte, err error, theirs any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	raw, err := json.Marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := json.Unmarshal(ours, &a); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	for _, difference := range differences("", withoutUnions(a), b) {
		t.Errorf("%s: %s", name, difference)
	}
}

// withoutUnions removes the extension from schemas. No property has this name.
func withoutUnions(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, child := range value {
			if key == "x-kubernetes-unions" {
				delete(value, key)
				continue
			}
			value[key] = withoutUnions(child)
		}
	case []any:
		for i := range value {
			value[i] = withoutUnions(value[i])
		}
	}
	return value
}

func differences(path string, a, b any) []string {
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if !isX || !isY {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{fmt.Sprintf("%s: ours %v, theirs %v", path, short(a), short(b))}
	}
	var out []string
	for key := range x {
		if _, both := y[key]; !both {
			out = append(out, fmt.Sprintf("%s/%s: only ours: %v", path, key, short(x[key])))
			continue
		}
		out = append(out, differences(path+"/"+key, x[key], y[key])...)
	}
	for key := range y {
		if _, both := x[key]; !both {
			out = append(out, fmt.Sprintf("%s/%s: only theirs: %v", path, key, short(y[key])))
		}
	}
	return out
}

func short(value any) string {
	raw, _ := json.Marshal(value)
	if len(raw) > 300 {
		raw = raw[:300]
	}
	return string(raw)
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func randomDefinition(r *rand.Rand) *apiextensionsv1.CustomResourceDefinition {
	kind := pick(r, "Widget", "Apple", "Ingress", "Settings", "X-Ray", "Endpoints", "E")
	group := pick(r, "example.io", "a-b.example.io", "apps.k8s.io", "1x.io", "plain")
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.APIVersion, crd.Kind = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
	crd.Spec.Group = group
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Kind: kind, Plural: strings.ToLower(kind) + "s", ListKind: pick(r, "", kind+"List", "Many")}
	crd.Name = crd.Spec.Names.Plural + "." + group
	crd.Spec.Scope = pick(r, apiextensionsv1.NamespaceScoped, apiextensionsv1.ClusterScoped)
	for _, name := range []string{"v1", "v1beta1", "v2alpha1"}[:1+r.IntN(3)] {
		v := apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: r.IntN(5) > 0}
		if r.IntN(8) > 0 {
			root := randomSchema(r, 3)
			root.Type, root.XIntOrString, root.XEmbeddedResource, root.Items, root.Nullable = "object", false, false, nil, r.IntN(10) == 0
			v.Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: root}
		}
		sub := apiextensionsv1.CustomResourceSubresources{}
		if r.IntN(2) > 0 {
			sub.Status = &apiextensionsv1.CustomResourceSubresourceStatus{}
		}
		if r.IntN(2) > 0 {
			sub.Scale = &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}
		}
		if r.IntN(2) > 0 {
			v.Subresources = &sub
		}
		for range r.IntN(3) {
			v.SelectableFields = append(v.SelectableFields, apiextensionsv1.SelectableField{JSONPath: pick(r, ".spec.a", ".b")})
		}
		crd.Spec.Versions = append(crd.Spec.Versions, v)
	}
	return crd
}

// randomSchema returns a schema that is mostly structural.
func randomSchema(r *rand.Rand, depth int) *apiextensionsv1.JSONSchemaProps {
	p := &apiextensionsv1.JSONSchemaProps{}
	always := func(is *bool, of int) { *is = r.IntN(of) == 0 }
	always(&p.Nullable, 6)
	p.Description = pick(r, "", "", "words & <b>")
	p.Title = pick(r, "", "", "title")
	if r.IntN(8) == 0 {
		p.ExternalDocs = &apiextensionsv1.ExternalDocumentation{URL: pick(r, "", "https://x"), Description: pick(r, "", "more")}
	}
	raw := func() *apiextensionsv1.JSON {
		return &apiextensionsv1.JSON{Raw: []byte(pick(r, `null`, `"a"`, `1`, `1.5e3`, `{"b":[null,{"a":1}]}`, `[]`, `false`, `""`))}
	}
	if r.IntN(8) == 0 {
		p.Default = raw()
	}
	if r.IntN(8) == 0 {
		p.Example = raw()
	}
	switch choice := r.IntN(10); {
	case choice == 0:
		p.XIntOrString = true
		if r.IntN(2) == 0 {
			p.AnyOf = []apiextensionsv1.JSONSchemaProps{{Type: "integer"}, {Type: "string"}}
		} else if r.IntN(3) == 0 {
			p.AnyOf = []apiextensionsv1.JSONSchemaProps{{Pattern: "a"}, {Pattern: "b"}}
		}
	case choice == 1:
		p.Type, p.XEmbeddedResource = "object", true
		p.XPreserveUnknownFields = pick(r, nil, new(true))
		if p.XPreserveUnknownFields == nil || r.IntN(2) == 0 {
			p.Properties = map[string]apiextensionsv1.JSONSchemaProps{"kind": {Type: "string", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"A"`)}}}, "spec": {Type: "object"}}
		}
	case choice == 2:
		p.XPreserveUnknownFields = new(true)
		p.Type = pick(r, "", "object")
	case choice < 5 && depth > 0:
		p.Type = "array"
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: randomSchema(r, depth-1)}
		p.MaxItems = pick(r, nil, new(int64(3)))
		p.XListType = pick(r, nil, new("atomic"))
	case choice == 5 && depth > 0:
		p.Type = "object"
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: pick(r, nil, randomSchema(r, depth-1))}
		p.Required = pick(r, nil, []string{"x"})
	case depth > 0:
		p.Type = "object"
		p.XMapType = pick(r, nil, new("atomic"))
		p.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		for _, name := range []string{"a", "b", "c.d", "metadata"} {
			if r.IntN(3) > 0 {
				p.Properties[name] = *randomSchema(r, depth-1)
				if r.IntN(3) == 0 {
					p.Required = append(p.Required, name)
				}
			}
		}
		junctor := func() []apiextensionsv1.JSONSchemaProps {
			var out []apiextensionsv1.JSONSchemaProps
			for name := range p.Properties {
				if r.IntN(2) == 0 && name != "metadata" {
					out = append(out, apiextensionsv1.JSONSchemaProps{Required: []string{name}, Properties: map[string]apiextensionsv1.JSONSchemaProps{name: {Not: &apiextensionsv1.JSONSchemaProps{MaxLength: new(int64(2))}}}})
				}
			}
			return out
		}
		p.OneOf, p.AllOf, p.AnyOf = pick(r, nil, junctor()), pick(r, nil, junctor()), pick(r, nil, junctor())
		p.XValidations = pick(r, nil, apiextensionsv1.ValidationRules{{Rule: "self.a < 1", Message: "m", FieldPath: ".a"}})
	default:
		p.Type = pick(r, "string", "integer", "number", "boolean")
		p.Format, p.Pattern = pick(r, "", "int32"), pick(r, "", "^a$")
		p.Maximum, p.Minimum, p.MultipleOf = pick(r, nil, new(1.5)), pick(r, nil, new(1e21)), pick(r, nil, new(0.1))
		always(&p.ExclusiveMaximum, 4)
		always(&p.ExclusiveMinimum, 4)
		always(&p.UniqueItems, 100)
		p.MaxLength, p.MinLength = pick(r, nil, new(int64(0))), pick(r, nil, new(int64(1)))
		p.Enum = pick(r, nil, []apiextensionsv1.JSON{*raw(), *raw()})
		if r.IntN(6) == 0 {
			p.Not = &apiextensionsv1.JSONSchemaProps{Enum: []apiextensionsv1.JSON{*raw()}}
		}
	}
	return p
}
