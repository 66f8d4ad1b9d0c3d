package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

// crdHead is the beginning of the CRDs in these tests: 9 lines.
const crdHead = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  names:
    plural: foos
  versions:
`

// crdWith returns a CRD with one version that has the given schema. The schema's first line
// is line 14; its lines are indented.
func crdWith(schema string) string {
	return crdHead + "  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        " +
		strings.ReplaceAll(strings.TrimSpace(schema), "\n", "\n        ") + "\n"
}

// manifestSeeds returns files with valid and invalid CRDs.
func manifestSeeds() []string {
	return []string{
		crdWith("type: object\nproperties:\n  b:\n    type: string\n  a:\n    type: integer\n    maximum: 5\n"),
		crdWith("type: object\nx-kubernetes-unions: [{discriminator: d}]\nproperties:\n  a:\n    x-kubernetes-unions: 1\n    Type: string\n    maxlength: 1\n    typ: x\n"),
		crdWith("type: 5\nproperties:\n  a:\n    maxLength: \"1\"\n    minLength: 1.5\n    maximum: x\n    nullable: 1\n    enum: a\n    required: {a: b}\n    description: [x]\n    x-kubernetes-validations:\n    - rule: 1\n    - 2\n"),
		crdWith("type: object\nproperties:\n  a:\n    items:\n      unknown: 1\n      maxLength: x\n      x-kubernetes-validations:\n      - rule: 1\n        bad: x\n    additionalProperties:\n      unknown: 1\n      properties:\n        b: {type: 3}\n"),
		crdWith("type: object\nadditionalProperties: 1\nitems: x\nadditionalItems: null\ndependencies:\n  a: [b, 1]\n  c: {maxLength: x, x-kubernetes-validations: [{rule: 1}]}\n  d: 5\n"),
		crdWith("items:\n- type: string\n- 5\nadditionalItems: false\nadditionalProperties: true\ndefinitions:\n  x: {$ref: '#/definitions/x'}\npatternProperties:\n  ^a: {type: string}\nid: a\n$schema: b\n$ref: c\n"),
		crdWith("default: {b: 1, a: [x, 2.50, null, true, <&>]}\nexample: null\nenum: [null, 1, a, {c: d}]\nexternalDocs: {url: u, description: d, more: x}\nx-kubernetes-preserve-unknown-fields: false\nx-kubernetes-list-type: ''\n"),
		crdWith("type: object\ntype: string\nproperties:\n  a: {type: string}\n  a: {type: integer}\nallOf:\n- type: object\n- not:\n    anyOf: [{type: integer}, {type: string}]\noneOf: []\n"),
		crdWith("description: &d |\n  text\nproperties:\n  a: &a\n    description: *d\n    type: string\n  b: *a\n  c:\n    <<: *a\n    type: integer\n    unknown: 1\n"),
		crdHead + "  - name: v1\n  - null\n  - 5\n  - schema: {}\n  - schema: {openAPIV3Schema: null}\n  - schema: null\n",
		"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: x\n  creationTimestamp: null\n  deletionTimestamp: 2020-01-01T00:00:00Z\n  labels: {a: 1, b: \"2\"}\n  generation: 99999999999999999999\n  managedFields: [{time: bad, fieldsV1: {f: 1}}]\n  ownerReferences: [{}]\nspec:\n  conversion: {strategy: Webhook, webhook: {clientConfig: {caBundle: \"****\", service: {port: 1.5}}}}\n  preserveUnknownFields: \"no\"\nstatus: {conditions: [{lastTransitionTime: 5}], storedVersions: [v1]}\n",
		"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {creationTimestamp: \"2020-01-01T00:00:00Z\"}\nspec:\n  conversion: {webhook: {clientConfig: {caBundle: aGk=}}}\n  versions:\n  - deprecationWarning: a\n    additionalPrinterColumns: [{jsonPath: .a, priority: 3000000000}]\n    subresources: {scale: {}, status: {a: b}}\n",
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"a","group":"b","versions":[{"name":"v1","schema":{"openAPIV3Schema":{"default": {"b":1 , "a":"\u00e9"},"example": "a\"b\\","properties":{"a":{"type":"string"},"a":{"maxLength":1},"\u0062":{"type":"x","items":{"type":"a","type":"b"}}}}}}],"versions":[{"served":true}]},"spec":{"scope":"x"},"extra":1}`,
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{"maxLength":1.0,"maximum":1e400,"minimum":"\ud800","enum":[1.0, "` + "\xff" + `"]}}}]}}`,
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{}},"properties":{"b":{}},"required":["a","b"],"required":["c"],"not":{"type":"a"},"not":{"title":"b"}}}}]},"status":{"conditions":[{"lastTransitionTime":5}]}}`,
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{}},"properties":{"b":{}},"required":["a","b"],"required":["c"],"items":{"type":"a"},"items":{"title":"b"},"not":{"type":"a"},"not":{"title":"b"}}}}]}}`,
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{}},"properties":{"b":{"type":"x"},"b":{"title":"y"}}}}}]}}`,
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{"not":{"properties":{"a":{},"b":{}},"properties":null,"properties":{"c":{}},"properties":{"d":{},"c":{}}}}}}]}}`,
		"apiVersion: apiextensions.k8s.io/v1\nKind: CustomResourceDefinition\nspec: {}\n", "apiVersion: apiextensions.k8s.io/v1\nkind: 5\n", "kind: CustomResourceDefinition\n", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: x\nmetadata: 1\nstatus: []\n",
		"apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitions\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
		"apiVersion: v1\nkind: List\nitems:\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  spec: {bad: 1}\n- 5\n- null\n",
		"{a: 1, b: 2, a: 3},\"", "{\"\",000000000000,\"\"},\"", "{a: &x {b: 1,\n b: 2}, c: *x,\n a: 3}, \"",
		"", "# c\n", "---\n", "a: [", "5\n", "[]\n", "{", "{}", `{"a":1}{"b"`,
	}
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// problemsOf formats problems as "line:column: kind: message".
func problemsOf(fset *token.FileSet, problems []Problem) []string {
	var out []string
	for _, p := range problems {
		at := fset.Position(p.Pos)
		out = append(out, fmt.Sprintf("%d:%d: %s: %s", at.Line, at.Column, p.Kind, p.Message))
	}
	return out
}

func problemMessages(problems []Problem, kinds ...ProblemKind) []string {
	var out []string
	for _, p := range problems {
		if slices.Contains(kinds, p.Kind) {
			out = append(out, p.Message)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// keyAlreadySet matches duplicate keys in an error of the strict YAML decoder.
var keyAlreadySet = regexp.MustCompile(`key .* already set in map`)

// checkManifest compares Read with the API server's decoding of a file with one document.
func checkManifest(t *testing.T, text string) {
	t.Helper()
	fset := token.NewFileSet()
	manifests, problems := Read(fset, "x", []byte(text))
	for _, p := range problems {
		if at := fset.Position(p.Pos); at.Filename != "x" || at.Line < 1 || at.Column < 1 {
			t.Fatalf("%q: %s is at %v", text, p.Message, at)
		}
		if p.Kind == TooLarge {
			return
		}
	}
	text = strings.TrimPrefix(text, "\ufeff")
	documents := splitDocuments(text, 0)
	if len(documents) != 1 || strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return
	}
	document := text[documents[0].from:documents[0].to]
	isYAML := !json.Valid([]byte(document)) || !strings.HasPrefix(strings.TrimLeft(document, jsonSpace), "{")
	if isYAML && beginsAsJSON(document) {
		return
	}
	data := []byte(document)
	var duplicates []string
	if isYAML {
		var err error
		if data, err = yaml.YAMLToJSON(data); err != nil {
			if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Kind == Malformed }) {
				t.Fatalf("%q: the server says %v, we say %v", text, err, problems)
			}
			return
		}
		if len(problemMessages(problems, Malformed)) > 0 {
			t.Fatalf("%q: the server takes it, we say %v", text, problems)
		}
		if _, err := yaml.YAMLToJSONStrict([]byte(document)); err != nil {
			duplicates = keyAlreadySet.FindAllString(err.Error(), -1)
			slices.Sort(duplicates)
			duplicates = slices.Compact(duplicates)
		}
		if collides(document) {
			return
		}
		if got := problemMessages(problems, DuplicateField); !slices.Equal(got, duplicates) {
			t.Fatalf("%q: duplicates\ngot  %q\nwant %q", text, got, duplicates)
		}
	}
	gvk, err := serializer.DefaultMetaFactory.Interpret(data)
	if err != nil {
		if len(manifests) > 0 || len(problems) == 0 {
			t.Fatalf("%q: the server says %v, we say %v", text, err, problems)
		}
		return
	}
	var list struct {
		Items json.RawMessage `json:"items"`
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &list); err != nil || len(list.Items) > 0 && list.Items[0] == '[' {
		return
	}
	if gvk.Group != apiextensionsGroup || gvk.Version != "v1" || gvk.Kind != "CustomResourceDefinition" {
		return
	}
	if len(manifests) != 1 {
		t.Fatalf("%q: %d manifests, %v", text, len(manifests), problems)
	}
	m := manifests[0]
	want := &apiextensionsv1.CustomResourceDefinition{}
	strict, err := kjson.UnmarshalStrict(data, want)
	if err != nil {
		if m.CRD != nil || !slices.Contains(problemMessages(problems, WrongType), err.Error()) {
			t.Fatalf("%q:\nthe server says %v\nwe say %v", text, err, problems)
		}
		return
	}
	if m.CRD == nil {
		t.Fatalf("%q: the server decodes it, we say %v", text, problems)
	}
	var wantStrict []string
	for _, e := range strict {
		wantStrict = append(wantStrict, e.Error())
	}
	if len(strict) < 100 {
		kinds := []ProblemKind{UnknownField}
		if !isYAML {
			kinds = append(kinds, DuplicateField)
		}
		slices.Sort(wantStrict)
		if got := problemMessages(problems, kinds...); !slices.Equal(got, wantStrict) {
			t.Fatalf("%q:\ngot  %q\nwant %q", text, got, wantStrict)
		}
	}
	if bytes.Contains(data, []byte(`\ufffd`)) {
		return // written differently, but the same
	}
	want.TypeMeta = metav1.TypeMeta{APIVersion: m.APIVersion, Kind: m.Kind}
	if !reflect.DeepEqual(m.CRD, want) {
		t.Fatalf("%q:\ngot  %s\nwant %s", text, mustJSON(t, m.CRD), mustJSON(t, want))
	}
	for i, v := range want.Spec.Versions {
		var p *apiextensionsv1.JSONSchemaProps
		if v.Schema != nil {
			p = v.Schema.OpenAPIV3Schema
		}
		if (p == nil) != (m.Schemas[i] == nil) {
			t.Fatalf("%q: version %d", text, i)
		}
		if p == nil {
			continue
		}
		schema, unsupported := structural.FromProps(p)
		if got, want := mustJSON(t, m.Schemas[i].Props()), mustJSON(t, schema.Props()); got != want {
			t.Fatalf("%q: schema\ngot  %s\nwant %s", text, got, want)
		}
		if got, want := len(m.Unsupported[i]), len(unsupported); got != want {
			t.Fatalf("%q: %d unsupported, want %d", text, got, want)
		}
	}
}

// beginsAsJSON reports whether a document that is not JSON begins with a JSON object: kubectl
// then uses that object, and the API server never receives such a body.
func beginsAsJSON(document string) bool {
	var v json.RawMessage
	return strings.HasPrefix(strings.TrimLeft(document, jsonSpace), "{") && json.NewDecoder(strings.NewReader(document)).Decode(&v) == nil
}

func TestManifestsAgreeWithServer(t *testing.T) {
	for _, text := range manifestSeeds() {
		checkManifest(t, text)
		checkManifest(t, strings.ReplaceAll(text, "\n", "\r\n"))
	}
}

// TestRepeatedProperties checks that each property is reported once, at the position of the
// value in effect, if JSON repeats properties or the key above them.
func TestRepeatedProperties(t *testing.T) {
	fset := token.NewFileSet()
	manifests, _ := Read(fset, "crd.json", []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{
"properties":{"a":{}},
"properties":{"b":{},
"b":{"title":"y"}}}}}]}}`))
	var got []string
	for _, p := range manifests[0].Schemas[0].Properties {
		got = append(got, fmt.Sprint(p.Name, p.Schema.Title, fset.Position(p.Schema.Origin.Pos).Line))
	}
	if want := []string{"a2", "by4"}; !slices.Equal(got, want) {
		t.Errorf("the properties are %q, want %q", got, want)
	}
}

// FuzzRead compares Read with the API server's decoding.
func FuzzRead(f *testing.F) {
	for _, text := range manifestSeeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer watch(text).Stop()
		checkManifest(t, text)
	})
}
