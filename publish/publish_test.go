package publish

import (
	"bytes"
	"encoding/json"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/structural/manifest"
)

// read returns the resources of the CRDs in a text.
func read(t testing.TB, text string) []*Resource {
	t.Helper()
	manifests, problems := manifest.Read(token.NewFileSet(), "crd.yaml", []byte(text))
	for _, p := range problems {
		if p.Kind != manifest.UnknownField {
			t.Fatal(p.Message)
		}
	}
	var out []*Resource
	for _, m := range manifests {
		for _, unknown := range m.Unknown {
			if bad := AddUnions(unknown); len(bad) > 0 {
				t.Fatalf("%s", bad[0].Value.Raw)
			}
		}
		out = append(out, Resources(m.CRD, m.Schemas, m.Unsupported)...)
	}
	return out
}

// definition returns a CRD with one version and a schema for its spec.
func definition(group, kind, version, spec string) string {
	lower := strings.ToLower(kind)
	text := `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ` + lower + `s.` + group + `}
spec:
  group: ` + group + `
  names: {kind: ` + kind + `, plural: ` + lower + `s}
  scope: Namespaced
  versions:
  - name: ` + version + `
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
`
	for line := range strings.Lines(strings.TrimLeft(spec, "\n")) {
		text += "            " + line
	}
	return text + "\n"
}

const shapeSpec = `
type: object
required: [type]
properties:
  type: {type: string, enum: [Circle, Square, None]}
  circle: {type: object}
  square: {type: object}
x-kubernetes-validations:
- {rule: "!(self.type == 'Circle') || has(self.circle)", fieldPath: .circle}
- {rule: "!has(self.circle) || (self.type == 'Circle')", fieldPath: .circle}
- {rule: "!has(self.square) || (self.type == 'Square')", fieldPath: .square}`

// at returns the value in a document below keys and indexes.
func at(t testing.TB, document []byte, keys ...any) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		switch key := key.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[key]
		case int:
			value = value.([]any)[key]
		}
	}
	return value
}

func wantJSON(t *testing.T, name string, got any, want string) {
	t.Helper()
	var value any
	if want != "" {
		if err := json.Unmarshal([]byte(want), &value); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(got, value) {
		raw, _ := json.Marshal(got)
		t.Errorf("%s: got %s, want %s", name, raw, want)
	}
}

func TestUnionsArePublished(t *testing.T) {
	const kep1027 = `{"fieldMembers":{"Circle":{"name":"circle","optional":false},"Square":{"name":"square","optional":true},"None":null}}`
	const onObject = `[{"discriminator":"type","fields":{"circle":"Circle","square":"Square"}}]`
	extension := strings.Split(shapeSpec, "x-kubernetes-validations")[0]
	extension = strings.Replace(extension, "Square, None]}", "Square, None], x-kubernetes-unions: "+kep1027+"}", 1)
	for name, spec := range map[string]string{"from rules": shapeSpec, "from the extension": extension} {
		t.Run(name, func(t *testing.T) {
			resources := read(t, definition("ex.io", "Shape", "v1", spec))
			for _, options := range []Options{{}, {ObjectUnions: true}, {Unfold: true}, {ObjectUnions: true, Unfold: true}} {
				v2, err := V2(resources, options)
				if err != nil {
					t.Fatal(err)
				}
				v3, err := V3(resources, options)
				if err != nil {
					t.Fatal(err)
				}
				for document, place := range map[string]any{
					"v2": at(t, v2, "definitions", "io.ex.v1.Shape", "properties", "spec"),
					"v3": at(t, v3, "components", "schemas", "io.ex.v1.Shape", "properties", "spec"),
				} {
					node := place.(map[string]any)
					wantJSON(t, document+" discriminator", node["properties"].(map[string]any)["type"].(map[string]any)["x-kubernetes-unions"], kep1027)
					object := ""
					if options.ObjectUnions {
						object = onObject
					}
					wantJSON(t, document+" object", node["x-kubernetes-unions"], object)
					branches, _ := node["oneOf"].([]any)
					if want := 3; document == "v3" && options.Unfold && len(branches) != want || (document == "v2" || !options.Unfold) && branches != nil {
						t.Errorf("%s %+v: %d branches", document, options, len(branches))
					}
				}
			}
		})
	}
}

// TestManyResources publishes several groups, versions and kinds in one document, and a
// definition without a schema.
func TestManyResources(t *testing.T) {
	text := definition("ex.io", "Shape", "v1", shapeSpec) + definition("ex.io", "Colour", "v1", "type: string") +
		definition("ex.io", "Shade", "v2", "type: string") + definition("other.io", "Shape", "v1", "type: string")
	resources := read(t, text)
	bare := &Resource{Group: "bare.io", Version: "v1", Kind: "Bare", ListKind: "BareList", Plural: "bares"}
	resources = append(resources, bare)
	documents, err := Documents(resources, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, d := range documents {
		paths = append(paths, d.Path)
	}
	if want := []string{"v2", "v3", "v3/apis/bare.io/v1", "v3/apis/ex.io/v1", "v3/apis/ex.io/v2", "v3/apis/other.io/v1"}; !slices.Equal(paths, want) {
		t.Errorf("documents %q, want %q", paths, want)
	}
	v2, index := documents[0].Data, documents[1].Data
	for _, name := range []string{"io.ex.v1.Shape", "io.ex.v1.ColourList", "io.ex.v2.Shade", "io.other.v1.Shape", "io.bare.v1.BareList"} {
		if at(t, v2, "definitions", name) == nil {
			t.Errorf("v2 has no %s", name)
		}
	}
	wantJSON(t, "a kind without a schema", at(t, v2, "definitions", "io.bare.v1.Bare"),
		`{"type":"object","x-kubernetes-group-version-kind":[{"group":"bare.io","kind":"Bare","version":"v1"}]}`)
	if at(t, v2, "paths", "/apis/bare.io/v1/bares/{name}", "get") == nil {
		t.Error("no path of a cluster-scoped resource")
	}
	url, _ := at(t, index, "paths", "apis/ex.io/v2", "serverRelativeURL").(string)
	if !strings.HasPrefix(url, "/openapi/v3/apis/ex.io/v2?hash=") || len(url) != len("/openapi/v3/apis/ex.io/v2?hash=")+128 {
		t.Errorf("index has %s", url)
	}
	slices.Reverse(resources)
	again, err := Documents(resources, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !sameDocuments(documents, again) {
		t.Error("the order of resources changes the documents")
	}
}

func TestOmitFieldValidation(t *testing.T) {
	documents, err := Documents(read(t, definition("ex.io", "Shape", "v1", shapeSpec)), Options{OmitFieldValidation: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents {
		if bytes.Contains(d.Data, []byte(`"fieldValidation"`)) {
			t.Errorf("%s has the parameter", d.Path)
		}
	}
}

func TestLostInV2(t *testing.T) {
	const junctors = "type: string\nallOf: [{minLength: 1}]\nanyOf: [{minLength: 1}]\noneOf: [{minLength: 1}]\nnot: {minLength: 9}"
	for _, c := range []struct {
		name, spec string
		want       []string
	}{
		{"nothing", "type: object\nproperties: {a: {type: string, maxLength: 3}}", nil},
		{"defaults", "type: object\ndefault: {}\nproperties: {a: {type: string, default: b}}", []string{"default", "properties[a].default"}},
		{"int-or-string is unfolded, not lost", "x-kubernetes-int-or-string: true", nil},
		{"junctors", junctors, []string{"allOf", "anyOf", "oneOf", "not"}},
		{"nullable", "type: object\nrequired: [a, b]\nproperties: {a: {type: array, nullable: true, items: {type: string, not: {minLength: 1}}}, b: {type: string}}",
			[]string{"required", "properties[a].nullable", "properties[a].items", "properties[a].type"}},
		{"preserved", "type: object\nx-kubernetes-preserve-unknown-fields: true\nproperties: {a: {type: string}}", []string{"properties", "type"}},
		{"null values", "type: object\nrequired: [x]\nadditionalProperties: {type: string, nullable: true}",
			[]string{"required", "additionalProperties.nullable", "additionalProperties.type"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, l := range LostInV2(read(t, definition("ex.io", "Shape", "v1", c.spec))[0]) {
				got = append(got, strings.TrimPrefix(l.Path, ".properties[spec]."))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("lost %q, want %q", got, c.want)
			}
		})
	}
	v2, err := V2(read(t, definition("ex.io", "Shape", "v1", junctors)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, "what is left of junctors", at(t, v2, "definitions", "io.ex.v1.Shape", "properties", "spec"), `{"type":"string"}`)
	whole := read(t, definition("ex.io", "Shape", "v1", "type: string"))[0]
	whole.PreserveUnknownFields = true
	if lost := LostInV2(whole); len(lost) != 1 || lost[0].Path != "" {
		t.Errorf("lost %v", lost)
	}
}

func TestRejected(t *testing.T) {
	for spec, want := range map[string]string{
		"properties: {a: {type: string}}":             ".properties[spec].type: spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
		"type: object\npatternProperties: {a: {}}":    ".properties[spec].patternProperties: patternProperties cannot be part of a structural schema",
		"type: object\nproperties: {a: {type: null}}": ".properties[spec].properties[a].type: spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields",
	} {
		r := read(t, definition("ex.io", "Shape", "v1", spec))[0]
		switch {
		case r.Rejected == nil || r.Schema != nil:
			t.Errorf("%s: published", spec)
		case r.Rejected.Path+": "+r.Rejected.Reason != want:
			t.Errorf("%s: %s: %s", spec, r.Rejected.Path, r.Rejected.Reason)
		}
	}
}

func TestConflicts(t *testing.T) {
	a := Resource{Group: "g", Version: "v1", Kind: "A", ListKind: "AList", Plural: "as"}
	for _, c := range []struct {
		name   string
		change func(*Resource)
		want   []Conflict
	}{
		{"a duplicate", func(*Resource) {}, []Conflict{{0, 1, "duplicate kind A in g/v1", "kind"}}},
		{"the plural", func(r *Resource) { r.Kind, r.ListKind = "B", "BList" }, []Conflict{{0, 1, "duplicate resource as in g/v1", "plural"}}},
		{"a kind and a list", func(r *Resource) { r.Kind, r.ListKind, r.Plural = "AList", "X", "xs" }, []Conflict{{0, 1, "duplicate kind AList in g/v1", "kind"}}},
		{"another version", func(r *Resource) { r.Version = "v2" }, nil},
		{"another group", func(r *Resource) { r.Group = "h" }, nil},
	} {
		b := a
		c.change(&b)
		if got := Conflicts([]*Resource{&a, &b}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestBadNames(t *testing.T) {
	good := Resource{Group: "g.io", Version: "v1", Kind: "A", ListKind: "AList", Plural: "as", Path: "spec.versions[2].schema.openAPIV3Schema"}
	if bad := BadNames(&good); len(bad) > 0 {
		t.Errorf("bad: %q", bad)
	}
	bad := good
	bad.Group, bad.Version, bad.Plural = "../..", "../v1", ""
	if got, want := BadNames(&bad), []string{"spec.group", "spec.versions[2].name", "spec.names.plural"}; !slices.Equal(got, want) {
		t.Errorf("bad: %q, want %q", got, want)
	}
}

// FuzzDocuments publishes every CRD that can be read.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte(definition("ex.io", "Shape", "v1", shapeSpec)))
	f.Add([]byte(definition("ex.io", "Shape", "v1", "type: object\nnullable: true\nrequired: [a]\nproperties: {a: {nullable: true, type: array}}")))
	f.Add([]byte(definition("ex.io", "Shape", "v1", "x-kubernetes-embedded-resource: true\ntype: object\nexample: ' '\nx-kubernetes-unions: [{}]")))
	f.Fuzz(func(t *testing.T, data []byte) {
		resources := tolerant(string(data))
		for _, r := range resources {
			for _, d := range []dialect{{v2: true}, {}, {Options: Options{Unfold: true, ObjectUnions: true}}} {
				if _, err := marshal([]object{d.kindSchema(r), d.listSchema(r)}); err != nil {
					t.Error(err)
				}
			}
		}
		for _, r := range resources {
			LostInV2(r)
			BadNames(r)
		}
		Conflicts(resources)
	})
}

// tolerant returns the resources of a text, ignoring problems.
func tolerant(text string) []*Resource {
	manifests, _ := manifest.Read(token.NewFileSet(), "crd.yaml", []byte(text))
	var out []*Resource
	for _, m := range manifests {
		if m.CRD == nil {
			continue
		}
		for _, unknown := range m.Unknown {
			AddUnions(unknown)
		}
		out = append(out, Resources(m.CRD, m.Schemas, m.Unsupported)...)
	}
	return out
}
