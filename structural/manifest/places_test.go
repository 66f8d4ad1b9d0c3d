package manifest

import (
	"encoding/json"
	"fmt"
	"go/token"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

// TestRead checks the exact problems of complete files, and the positions of their objects.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		manifests  []string
		problems   []string
	}{
		{name: "empty"},
		{name: "only comments", text: "# a\n---\n# b\n...\n---\n\n"},
		{name: "null documents", text: "---\n~\n---\nnull\n"},
		{
			name:      "several documents",
			text:      "# head\n---\napiVersion: v1\nkind: A\nmetadata: {name: x}\n--- # c\napiVersion: v1\nkind: B\n...\n# tail\n---\n  apiVersion: v1\n  kind: C\n...\napiVersion: v1\nkind: D\n",
			manifests: []string{"3:1 v1 A x", "7:1 v1 B ", "12:3 v1 C ", "15:1 v1 D "},
		},
		{
			name:      "directives and documents without content",
			text:      "%YAML 1.1\n---\n# a\n---\napiVersion: v1\nkind: A\n...\n%TAG ! tag:x\n--- # b\napiVersion: v1\nkind: B\n",
			manifests: []string{"5:1 v1 A ", "10:1 v1 B "},
		},
		{
			name:      "byte order mark and carriage returns",
			text:      "\ufeffapiVersion: v1\r\nkind: A\r\n---\r\n\r\napiVersion: v1\r\nkind: B\r\nbad: [\r\n",
			manifests: []string{"1:4 v1 A "},
			problems:  []string{"7:9: malformed: yaml: did not find expected node content"},
		},
		{
			name:      "JSON values one after the other",
			text:      "\n {\"apiVersion\": \"v1\", \"kind\": \"A\"} {\"kind\": \"B\",\n\"apiVersion\": \"v1\"}\n{\"kind\": 1}",
			manifests: []string{"2:2 v1 A ", "2:36 v1 B "},
			problems:  []string{"4:2: wrong type: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string"},
		},
		{
			name:     "broken JSON",
			text:     "{\"apiVersion\": \"v1\",\n \"kind\": \"A\", x: [}",
			problems: []string{"2:15: malformed: json: invalid character 'x' looking for beginning of object key string"},
		},
		{
			name:      "a flow mapping",
			text:      "{apiVersion: v1,\n kind: A, metadata: {name: flow,},}",
			manifests: []string{"1:1 v1 A flow"},
		},
		{
			name: "a list",
			text: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n- kind: B\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinitionList\n" +
				"  items:\n  - metadata: {name: c}\n    spec:\n      x: 1\n  - null\n- text\n",
			manifests: []string{"4:3 v1 A ", "10:5 apiextensions.k8s.io/v1 CustomResourceDefinition c"},
			problems: []string{
				"6:3: no object: Object 'apiVersion' is missing",
				`12:7: unknown field: unknown field "spec.x"`,
				"14:3: no object: expected an object with apiVersion and kind, but found a string",
			},
		},
		{
			name:      "a list in JSON",
			text:      "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n {\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\n  \"spec\":{\"group\":\"a\",\"group\":\"b\",\n  \"Scope\":\"x\"}}]}",
			manifests: []string{"2:2 apiextensions.k8s.io/v1 CustomResourceDefinition "},
			problems:  []string{`3:23: duplicate field: duplicate field "spec.group"`, `4:3: unknown field: unknown field "spec.Scope"`},
		},
		{
			name:     "no objects",
			text:     "- a\n---\n5\n---\nfoo: bar\n---\nkind: A\n---\napiVersion: a/b/c\nkind: A\n",
			problems: []string{"1:1: no object: expected an object with apiVersion and kind, but found a list", "3:1: no object: expected an object with apiVersion and kind, but found a number", "5:1: no object: Object 'Kind' is missing", "7:1: no object: Object 'apiVersion' is missing", "9:1: no object: unexpected GroupVersion string: a/b/c"},
		},
		{
			name: "other versions",
			text: "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1beta1\n---\napiVersion: apiextensions.k8s.io/v2\nkind: CustomResourceDefinition\n---\n" +
				"apiVersion: v1\nkind: CustomResourceDefinition\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitoin\n",
			manifests: []string{"1:1 apiextensions.k8s.io/v1beta1 CustomResourceDefinition ", "4:1 apiextensions.k8s.io/v2 CustomResourceDefinition ", "7:1 v1 CustomResourceDefinition ", "10:1 apiextensions.k8s.io/v1 CustomResourceDefinitoin "},
			problems: []string{
				"2:1: wrong version: apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22; generate the CRD from its Go types, or convert it with a cluster that still serves it: kubectl get crds.v1.apiextensions.k8s.io NAME -o yaml",
				`4:1: wrong version: no matches for kind "CustomResourceDefinition" in version "apiextensions.k8s.io/v2"`,
				`7:1: wrong version: no matches for kind "CustomResourceDefinition" in version "v1"`,
				`11:1: wrong version: no matches for kind "CustomResourceDefinitoin" in version "apiextensions.k8s.io/v1"`,
			},
		},
		{
			name:      "strict decoding",
			text:      crdWith("type: object\ntype: array\nx-kubernetes-unions: 1\nproperties:\n  a: {Type: string}\n  b:\n    items:\n      foo: 1\n  c: {items: x}\n"),
			manifests: []string{"1:1 apiextensions.k8s.io/v1 CustomResourceDefinition foos.example.com"},
			problems: []string{
				`16:9: duplicate field: key "type" already set in map`,
				`17:9: unknown field: unknown field "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-unions"`,
				`19:15: unknown field: unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.Type"`,
				`22:15: dropped field: unknown field "spec.versions[0].schema.openAPIV3Schema.properties.b.items.foo", which the API server silently drops`,
				`23:22: dropped field: schema or list of schemas expected; the API server silently drops this value`,
			},
		},
		{
			name:      "wrong types",
			text:      crdWith("type: 5\nproperties:\n  a:\n    maxLength: \"1\"\n    minLength: 1.5\n    items:\n      x-kubernetes-validations: [{rule: 1}]\n  b: {additionalProperties: 3}\n"),
			manifests: []string{"1:1 apiextensions.k8s.io/v1 CustomResourceDefinition foos.example.com"},
			problems: []string{
				"15:15: wrong type: json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.type of type string",
				"18:24: wrong type: json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.maxLength of type int64",
				"19:24: wrong type: json: cannot unmarshal number 1.5 into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.minLength of type int64",
				"21:49: wrong type: json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.x-kubernetes-validations.rule of type string",
				"22:37: wrong type: boolean or JSON schema expected",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			fset := token.NewFileSet()
			manifests, problems := Read(fset, "x", []byte(c.text))
			var got []string
			for _, m := range manifests {
				at := fset.Position(m.Pos)
				got = append(got, fmt.Sprintf("%d:%d %s %s %s", at.Line, at.Column, m.APIVersion, m.Kind, m.Name))
				if (m.CRD == nil) != (m.Kind != "CustomResourceDefinition" || m.APIVersion != "apiextensions.k8s.io/v1" || slices.ContainsFunc(problems, func(p Problem) bool { return p.Kind == WrongType })) {
					t.Errorf("CRD of %s is %v", m.Kind, m.CRD)
				}
			}
			if !slices.Equal(got, c.manifests) {
				t.Errorf("manifests\ngot  %q\nwant %q", got, c.manifests)
			}
			if got := problemsOf(fset, problems); !slices.Equal(got, c.problems) {
				t.Errorf("problems\ngot  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(c.problems, "\n     "))
			}
		})
	}
}

// TestMalformedPlaces checks the positions of YAML syntax errors.
func TestMalformedPlaces(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: 1\nb: c: d\n", "2:5: malformed: yaml: mapping values are not allowed in this context"},
		{"a: 1\nfoo\nb: 2\n", "2:1: malformed: yaml: could not find expected ':'"},
		{"a:\n  b: 1\n c: 2\n", "3:2: malformed: yaml: did not find expected key"},
		{"a:\n\tb: 1\n", "2:1: malformed: yaml: found character that cannot start any token"},
		{"a: \"x\n", "1:4: malformed: yaml: found unexpected end of stream"},
		{"a: x\nb: é\x00\n", "2:6: malformed: yaml: control characters are not allowed"},
		{"a: x\nb: é\xff\n", "2:6: malformed: yaml: invalid leading UTF-8 octet"},
		{"a: x\n\nb: [*nope]\n", "3:5: malformed: yaml: unknown anchor 'nope' referenced"},
		{"a: &a\n  b: *a\n", "2:6: malformed: yaml: anchor 'a' value contains itself"},
		{"a: .inf\n", "1:4: malformed: json: unsupported value: +Inf"},
		{"a:\n  ~: 1\n", "2:3: malformed: unsupported map key of type: <nil>"},
		{"a:\n  [b]: 1\n", "1:1: malformed: yaml: invalid map key: []interface {}{\"b\"}"},
		{"a: b\n---\na: b\nc: @\n", "4:4: malformed: yaml: found character that cannot start any token"},
		{"\xff\xfea\x00", "1:1: malformed: the file is UTF-16 instead of UTF-8"},
	} {
		fset := token.NewFileSet()
		_, problems := Read(fset, "x", []byte(c.text))
		problems = slices.DeleteFunc(problems, func(p Problem) bool { return p.Kind == NoObject })
		if got := problemsOf(fset, problems); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q:\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

// TestPosition checks the positions of field paths.
func TestPosition(t *testing.T) {
	text := strings.Replace(crdWith(`
type: object
properties:
  a.b:
    type: string
  a:
    type: integer
    b: {}
  x[0]:
    enum: [a, b]
  "":
    items:
      x-kubernetes-validations:
      - rule: x
      - message: m
        rule: "y"
    allOf:
    - {type: object}
  c:
    d: {}
  c.d:
    type: string
`)+"    additionalPrinterColumns:\n    - name: x\n      jsonPath: .z\n  conversion:\n    webhook:\n      conversionReviewVersions: [v1]\n",
		"metadata:\n", "metadata:\n  annotations:\n    api-approved.kubernetes.io: x\n", 1)
	fset := token.NewFileSet()
	manifests, problems := Read(fset, "x", []byte(text))
	if len(manifests) != 1 || manifests[0].CRD == nil || len(problems) != 2 {
		t.Fatal(len(manifests), problems)
	}
	var names []string
	for _, p := range manifests[0].Schemas[0].Properties {
		names = append(names, p.Name)
	}
	if want := []string{"a.b", "a", "x[0]", "", "c", "c.d"}; !slices.Equal(names, want) {
		t.Errorf("properties %q, want %q", names, want)
	}
	const root = "spec.versions[0].schema.openAPIV3Schema"
	for _, c := range []struct{ path, want string }{
		{"", "1:1"},
		{"kind", "2:1"},
		{"metadata.annotations[api-approved.kubernetes.io]", "5:5"},
		{"metadata.labels[a]", "3:1"},
		{"spec.names.plural", "10:5"},
		{"spec.group", "8:3"},
		{"spec.scope", "7:1"},
		{"spec.versions[0]", "12:5"},
		{"spec.versions[1]", "11:3"},
		{"spec.versions[0].name", "12:5"},
		{root, "16:7"},
		{root + ".type", "17:9"},
		{root + ".properties[a.b].type", "20:13"},
		{root + ".properties.a.b.type", "20:13"},
		{root + ".properties[a].type", "22:13"},
		{root + ".properties.a.type", "22:13"},
		{root + ".properties.c.d.type", "37:13"},
		{root + ".properties[x[0]].enum[1]", "25:23"},
		{root + ".properties[].items.x-kubernetes-validations[1].rule", "31:17"},
		{root + ".properties[].items.x-kubernetes-validations[1].reason", "30:17"},
		{root + ".properties[].items.x-kubernetes-validations[2]", "28:15"},
		{root + ".properties[].allOf[0].type", "33:16"},
		{root + ".properties[nope].type", "18:9"},
		{"spec.validation.openAPIV3Schema.properties[a].type", "22:13"},
		{"spec.schema.openAPIV3Schema", "16:7"},
		{"spec.version", "12:5"},
		{"spec.additionalPrinterColumns[0].JSONPath", "40:7"},
		{"spec.versions[0].additionalPrinterColumns[0].JSONPath", "40:7"},
		{"spec.conversion.conversionReviewVersions", "43:7"},
		{"status.storedVersions", "1:1"},
		{"nonsense][", "1:1"},
	} {
		if at := fset.Position(manifests[0].Position(c.path)); fmt.Sprintf("%d:%d", at.Line, at.Column) != c.want {
			t.Errorf("%s: %d:%d, want %s", c.path, at.Line, at.Column, c.want)
		}
	}
}

// randomProps returns a random schema with a few keywords, and with every kind of subschema.
func randomProps(r *rand.Rand, depth int) apiextensionsv1.JSONSchemaProps {
	var p apiextensionsv1.JSONSchemaProps
	rarely := func(n int) bool { return r.Intn(n) == 0 }
	p.Type = []string{"object", "array", "string", ""}[r.Intn(4)]
	if rarely(3) {
		p.Description = "text"
	}
	if rarely(5) {
		p.Default = &apiextensionsv1.JSON{Raw: []byte([]string{"1", "null", `{"a":1}`}[r.Intn(3)])}
	}
	if rarely(5) {
		p.XListMapKeys = []string{"a"}
	}
	if rarely(5) {
		p.XValidations = apiextensionsv1.ValidationRules{{Rule: "true"}}
	}
	if depth == 0 {
		return p
	}
	below := func() *apiextensionsv1.JSONSchemaProps { return new(randomProps(r, depth-1)) }
	if rarely(3) {
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: below()}
	}
	if !rarely(3) {
		p.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		for range 1 + r.Intn(4) {
			p.Properties[[]string{"a", "b", "kind", "metadata", "name"}[r.Intn(5)]] = *below()
		}
	}
	if rarely(6) {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}
		if rarely(2) {
			p.AdditionalProperties.Schema = below()
		}
	}
	for _, list := range []*[]apiextensionsv1.JSONSchemaProps{&p.AllOf, &p.AnyOf, &p.OneOf} {
		for rarely(5) {
			*list = append(*list, *below())
		}
	}
	if rarely(6) {
		p.Not = below()
	}
	return p
}

// TestPlaces compares the positions of nodes and keywords in random schemas, in all styles,
// with those of the nodes of the YAML library.
func TestPlaces(t *testing.T) {
	styles := []struct {
		name  string
		write func(crd any) ([]byte, error)
	}{
		{"block", yaml.Marshal},
		{"carriage returns", func(crd any) ([]byte, error) {
			text, err := yaml.Marshal(crd)
			return []byte(strings.ReplaceAll(string(text), "\n", "\r\n")), err
		}},
		{"JSON", json.Marshal},
		{"indented JSON", func(crd any) ([]byte, error) { return json.MarshalIndent(crd, "", "   ") }},
		{"indented lists", func(crd any) ([]byte, error) {
			text, err := yaml.Marshal(crd)
			if err != nil {
				return nil, err
			}
			var n yamlv3.Node
			if err := yamlv3.Unmarshal(text, &n); err != nil {
				return nil, err
			}
			return yamlv3.Marshal(&n)
		}},
	}
	nodes := 0
	for seed := range 100 {
		r := rand.New(rand.NewSource(int64(seed)))
		first, second := randomProps(r, 4), randomProps(r, 2)
		crd := &apiextensionsv1.CustomResourceDefinition{TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}}
		crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
			{Name: "v1", Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &first}},
			{Name: "v2"},
			{Name: "v3", Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &second}},
		}
		for _, style := range styles {
			text, err := style.write(crd)
			if err != nil {
				t.Fatal(err)
			}
			fset := token.NewFileSet()
			manifests, problems := Read(fset, "x", text)
			if len(manifests) != 1 || len(problems) > 0 {
				t.Fatalf("%s: %v\n%s", style.name, problemsOf(fset, problems), text)
			}
			checkManifest(t, string(text))
			var document yamlv3.Node
			if err := yamlv3.Unmarshal(text, &document); err != nil {
				t.Fatal(err)
			}
			p := &placeChecker{t: t, fset: fset, style: style.name, text: string(text), manifest: manifests[0]}
			versions := lookUp(lookUp(document.Content[0], "spec"), "versions")
			for i, version := range versions.Content {
				schema := lookUp(version, "schema")
				if s := manifests[0].Schemas[i]; s != nil {
					key, value := entryOf(schema, "openAPIV3Schema")
					p.schema(s, key, value, fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i))
				}
			}
			nodes += p.nodes
		}
	}
	t.Logf("%d nodes", nodes)
	if nodes < 1000 {
		t.Errorf("only %d nodes", nodes)
	}
}

func entryOf(n *yamlv3.Node, key string) (k, v *yamlv3.Node) {
	for i := 0; n != nil && n.Kind == yamlv3.MappingNode && i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

func lookUp(n *yamlv3.Node, key string) *yamlv3.Node {
	_, v := entryOf(n, key)
	return v
}

// placeChecker compares the positions in a schema with those of the library's nodes.
type placeChecker struct {
	t           *testing.T
	fset        *token.FileSet
	style, text string
	manifest    *Manifest
	nodes       int
}

// origin checks the positions of a node and its keywords, and that paths to them are found.
// All characters are ASCII here, so columns equal the library's.
func (p *placeChecker) origin(o structural.Origin, key, value *yamlv3.Node, path string) {
	p.t.Helper()
	p.nodes++
	same := func(pos token.Pos, n *yamlv3.Node, what string) {
		p.t.Helper()
		if at := p.fset.Position(pos); at.Line != n.Line || at.Column != n.Column {
			p.t.Fatalf("%s: %s is at %d:%d, want %d:%d\n%s", p.style, what, at.Line, at.Column, n.Line, n.Column, p.text)
		}
	}
	same(o.Pos, key, path)
	same(p.manifest.Position(path), key, path)
	if len(o.Keywords) != len(value.Content)/2 {
		p.t.Fatalf("%s: %s has %d keywords, want %d", p.style, path, len(o.Keywords), len(value.Content)/2)
	}
	for i, k := range o.Keywords {
		if k.Keyword != value.Content[2*i].Value {
			p.t.Fatalf("%s: keyword %s, want %s", p.style, k.Keyword, value.Content[2*i].Value)
		}
		same(k.Pos, value.Content[2*i], path+"."+k.Keyword)
		same(p.manifest.Position(path+"."+k.Keyword), value.Content[2*i], path+"."+k.Keyword)
	}
}

func (p *placeChecker) schema(s *structural.Schema, key, value *yamlv3.Node, path string) {
	p.origin(s.Origin, key, value, path)
	properties := lookUp(value, "properties")
	for i, property := range s.Properties {
		if properties.Content[2*i].Value != property.Name {
			p.t.Fatalf("%s: property %s, want %s", p.style, property.Name, properties.Content[2*i].Value)
		}
		p.schema(property.Schema, properties.Content[2*i], properties.Content[2*i+1], path+".properties["+property.Name+"]")
	}
	if s.Items != nil {
		k, v := entryOf(value, "items")
		p.schema(s.Items, k, v, path+".items")
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		k, v := entryOf(value, "additionalProperties")
		p.schema(s.AdditionalProperties.Schema, k, v, path+".additionalProperties")
	}
	if s.ValueValidation != nil {
		p.junctors(s.ValueValidation, value, path)
	}
}

func (p *placeChecker) junctors(v *structural.ValueValidation, value *yamlv3.Node, path string) {
	for _, junctor := range []struct {
		keyword string
		list    []structural.NestedValueValidation
	}{{"allOf", v.AllOf}, {"anyOf", v.AnyOf}, {"oneOf", v.OneOf}} {
		for i := range junctor.list {
			n := lookUp(value, junctor.keyword).Content[i]
			p.nested(&junctor.list[i], n, n, fmt.Sprintf("%s.%s[%d]", path, junctor.keyword, i))
		}
	}
	if v.Not != nil {
		k, n := entryOf(value, "not")
		p.nested(v.Not, k, n, path+".not")
	}
}

func (p *placeChecker) nested(n *structural.NestedValueValidation, key, value *yamlv3.Node, path string) {
	p.origin(n.Origin, key, value, path)
	properties := lookUp(value, "properties")
	for i, property := range n.Properties {
		p.nested(property.Schema, properties.Content[2*i], properties.Content[2*i+1], path+".properties["+property.Name+"]")
	}
	if n.Items != nil {
		k, v := entryOf(value, "items")
		p.nested(n.Items, k, v, path+".items")
	}
	if n.AdditionalProperties != nil && n.AdditionalProperties.Schema != nil {
		k, v := entryOf(value, "additionalProperties")
		p.nested(n.AdditionalProperties.Schema, k, v, path+".additionalProperties")
	}
	p.junctors(&n.ValueValidation, value, path)
}

// TestUnknownKeywords checks that exactly the unknown extensions are reported, at any depth,
// with their positions.
func TestUnknownKeywords(t *testing.T) {
	text := crdWith(`
x-kubernetes-unions:
- discriminator: type
  fields: {b: B, a: A}
unknown: 1
x-kubernetes-list-type: atomic
properties:
  x-a:
    x-b: &x {c: "<", a: 1.0}
    items:
      x-c: *x
oneOf:
- x-d: ~
definitions:
  q: {x-e: 1}
$ref: '#/definitions/q'
`)
	fset := token.NewFileSet()
	manifests, _ := Read(fset, "x", []byte(text))
	var got []string
	for _, u := range manifests[0].Unknown[0] {
		at := fset.Position(u.Pos)
		got = append(got, fmt.Sprintf("%d:%d %s %s %s %t %t", at.Line, at.Column, u.Path, u.Keyword, u.Value.Raw, u.Schema != nil, u.Nested != nil))
	}
	if want := []string{
		`15:9  x-kubernetes-unions [{"discriminator":"type","fields":{"b":"B","a":"A"}}] true false`,
		`26:11 .oneOf[0] x-d null false true`,
		`22:13 .properties[x-a] x-b {"c":"\u003c","a":1} true false`,
		`24:15 .properties[x-a].items x-c {"c":"\u003c","a":1} true false`,
	}; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if s := manifests[0].Schemas[0]; manifests[0].Unknown[0][0].Schema != s || manifests[0].Unknown[0][2].Schema != s.Properties[0].Schema {
		t.Error("the nodes are not those of the schema")
	}
	var keywords []string
	for _, u := range manifests[0].Unsupported[0] {
		keywords = append(keywords, u.Path.String()+" "+u.Keyword)
	}
	if want := []string{" $ref", " definitions"}; !reflect.DeepEqual(keywords, want) {
		t.Errorf("unsupported %q, want %q", keywords, want)
	}
}
