package crdyaml

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/structural"
)

// specialScalars are texts for which a single rule of YAML or of the library changes the style,
// a line break or an escape.
func specialScalars() []string {
	words := []string{
		"", "a", "string", "object", "y", "Y", "yes", "Yes", "YES", "yEs", "no", "on", "off", "true", "True", "tRue", "FALSE", "null",
		"Null", "~", "nan", ".nan", ".NaN", ".NAN", ".inf", "-.inf", "+.Inf", ".iNF", "<<", "=", "!", "!!str", "none", "open", "often",
		"0", "-0", "+0", "00", "08", "017", "0o17", "0O17", "0x1F", "0X1f", "0xG", "-0x1F", "0b101", "0B101", "0b2", "0b-1", "0b+1",
		"-0b1", "0b", "0x", "1_000", "_1", "1_", "-", "+", "--", "-1", "+1", "- 1", "1.", ".5", ".", "..", "...", "....", "1.5", "1e5",
		"1E5", "1e+5", "1e", "1e400", "-1e400", "1e-400", ".5e1", ".1_0", "._1", "1__0.5", "1.5.2", "0x1p-2", ".0x1p-2", "Infinity", "+Inf",
		"18446744073709551615", "18446744073709551616", "9223372036854775808", "-9223372036854775809",
		"1:20", "1:60", "1:5", "1:05", "1:005", "190:20:30", "190:20:30.15", "190:20:30.15x", "+1:20", "-1:20.", "1:", ":1", "1_0:20", "1:20:", "12:345",
		"2001-01-01", "2001-1-1", "2001-13-01", "2001-1-1 1:2:3", "2001-01-01T01:02:03Z", "2001-01-01t01:02:03.5+01:00",
		"2001-12-14 21:59:43.10 -5", "20010-01-01", "201-01-01", "2001-", "2001-x", "2001-01-01 x",
		"- a", "-a", "-\ta", "? a", "?a", "?", ":", ": a", ":a", "a:", "a: b", "a:b", "a :b", "a:  b", "#", "# a", "#a", "a #b", "a#b", "a # b",
		"---", "--- a", "----", "-- a", "a ---", ",", "[", "]", "{", "}", "{}", "[]", "&a", "*a", "|", "|-", ">", "'", "''", "'a'", "\"", "\"a\"",
		"%a", "@a", "`a", "a,b", "a[b]", "a{b}", "a&b", "a*b", "a!b", "a|b", "a>b", "it's", "say \"hi\"", "back\\slash", "C:\\dir", "a\\", "\\",
		" ", "  ", " a", "a ", "  a  ", "a  b", "\t", "\ta", "a\t", "a\tb", "\n", "\n\n", "\n\n\n", "a\n", "a\n\n", "a\n\n\n", "\na", "\n a",
		" \n", " \na", "a \nb", "a\n b", "a\nb ", " a\nb", "  a\n  b\n", "a\n\nb", "a\n \nb", "\ta\nb", "a\n\tb", "a\n ", "a\n\n ", "1\n", "yes\n", "# a\nb", "- a\n- b\n",
		"a\r", "\r", "a\r\nb", "a\rb", "\x00", "a\x00b", "\x01", "\x07\x08\x0b\x0c\x1b\x1f", "a\x1bb\nc", "\x7f", "a\x7f", "\xff", "a\xc3", "\xed\xa0\x80",
		"é", "äöü", "日本語", "日本語\nテキスト", "é: b", "#é", "a\u00a0b", "\u00a0", "\u0080", "\u0085", "a\u0085b", "\u009f", "\u2028", "a\u2028b", "a\u2029b", "a\u2028b\nc",
		"\ufeff", "\ufeffa", "a\ufeff", "a\ufeffb\nc", "\ufffd", "\ufffe", "\uffff", "\ue000", "\ud7ff", "😀", "a 😀 b", "a😀\nb", "\U0010ffff", "\\u0041",
		"<a>", "a & b", "^[a-z]([-a-z0-9]*[a-z0-9])?$", "^$", "self.x == oldSelf.x", "!has(self.a) || self.a != ''", "${x}", "$ref",
	}
	// Words that allow a line break at each column around the last one.
	for n := 60; n <= 90; n++ {
		x := strings.Repeat("x", n)
		words = append(words, x+" b c", x+"  b c", "a "+x+" b", x+" b ", " "+x+" b", x+": b", x+" 'b' c", "'"+x+" b c", x+" \tb c", x+" \x01 b   c", "\t"+x+" b  c",
			"\""+x+" b", strings.Repeat("é", n)+" b c", strings.Repeat("é", n)+": b c", strings.Repeat("é", n/2)+"😀 b  c", x+" \nb c", x+" b\n"+x+" c")
	}
	long := strings.Repeat("lorem ipsum ", 30)
	words = append(words, long, strings.TrimSpace(long), long+"  "+long, "# "+strings.TrimSpace(long), long+"😀", long+"\x01"+long+"  "+long, "'"+long+"' it's",
		strings.Repeat("a ", 200)+"b", strings.Repeat("' ", 200)+"b", strings.Repeat("\" ", 200)+"b", strings.Repeat("é ", 200)+"b", strings.Repeat("x", 300))
	for _, n := range []int{127, 128, 129, 130} {
		words = append(words, strings.Repeat("k", n), strings.Repeat("é", n/2), "#"+strings.Repeat("k", n-1))
	}
	return words
}

// mayFallBack reports whether the writer may leave s to the library. It is independent of the
// writer's own code.
func mayFallBack(s string, key bool) bool {
	if !utf8.ValidString(s) || strings.HasPrefix(s, "\ufeff") || strings.ContainsAny(s, "\x7f\u2028\u2029\ufffe\uffff") {
		return true
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 && r < 0xa0 }) {
		return true
	}
	return key && (len(s) > 128 || strings.ContainsAny(s, "\r\n"))
}

// compare checks the document against the library's, and reports whether the library was
// needed for it.
func compare(t *testing.T, c *crd.Generated) (fellBack bool) {
	t.Helper()
	const prefix = "# header\n"
	want, wantErr := libraryYAML(c)
	got, _, err := Append([]byte(prefix), c)
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("got error %v, want %v as from the library", err, wantErr)
	}
	_, _, ok, _ := fastYAML(nil, c)
	if err != nil {
		if string(got) != prefix {
			t.Fatalf("the destination is changed after an error: %q", got)
		}
		return !ok
	}
	if text, found := strings.CutPrefix(string(got), prefix+"---\n"); !found || text != string(want) {
		t.Fatalf("different documents\n%s", differingLines(text, string(want)))
	}
	return !ok
}

func differingLines(got, want string) string {
	a, b := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d:\ngot  %q\nwant %q", i+1, a[i:min(i+3, len(a))], b[i:min(i+3, len(b))])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(a), len(b))
}

func ptr[T any](v T) *T { return &v }

func quoteJSON(s string) []byte {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&b, "\\u%04x", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return []byte(b.String())
}

// testCRD returns a minimal definition with a root schema.
func testCRD(root *structural.Schema) *crd.Generated {
	return &crd.Generated{
		Object: &apiextensionsv1.CustomResourceDefinition{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
			ObjectMeta: metav1.ObjectMeta{Name: "foos.example.com"},
			Spec: apiextensionsv1.CustomResourceDefinitionSpec{
				Group:    "example.com",
				Names:    apiextensionsv1.CustomResourceDefinitionNames{Kind: "Foo", ListKind: "FooList", Plural: "foos", Singular: "foo"},
				Scope:    apiextensionsv1.NamespaceScoped,
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
			},
		},
		Schemas: []*structural.Schema{root},
	}
}

// leaf returns a schema with value in every text and every JSON value.
func leaf(value string) *structural.Schema {
	quoted := quoteJSON(value)
	object := slices.Concat([]byte(`{"a":`), quoted, []byte(`,"b":[`), quoted, []byte(`,[`), quoted, []byte(`,{"c":`), quoted, []byte(`}]]}`))
	return &structural.Schema{
		Generic: structural.Generic{
			Type: "string", Description: value, Title: value, Default: &structural.JSON{Raw: quoted}, Example: &structural.JSON{Raw: object},
			ExternalDocs: &structural.ExternalDocs{URL: value},
		},
		Extensions: structural.Extensions{
			XListMapKeys: []string{value},
			XValidations: []structural.Rule{{Rule: value, Message: value, Reason: ptr(apiextensionsv1.FieldValueErrorReason(value))}},
		},
		ValueValidation: &structural.ValueValidation{
			Pattern: value, Format: value, Enum: []structural.JSON{{Raw: quoted}}, Required: []string{value},
			AllOf: []structural.NestedValueValidation{{ValueValidation: structural.ValueValidation{Pattern: value}}},
		},
	}
}

// nest wraps s in depth properties and lists, so that it is indented by more than twice the
// depth.
func nest(s *structural.Schema, depth int) *structural.Schema {
	for i := range depth {
		if i%2 == 0 {
			s = &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: s}
		} else {
			s = &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{{Name: "p", Schema: s}}}
		}
	}
	return s
}

func crdWithValue(value string, depth int) *crd.Generated {
	c := testCRD(nest(leaf(value), depth))
	c.Object.Annotations = map[string]string{"note": value}
	c.Object.Spec.Names.ShortNames = []string{value}
	c.Object.Spec.Versions[0].DeprecationWarning = &value
	c.Object.Spec.Versions[0].AdditionalPrinterColumns = []apiextensionsv1.CustomResourceColumnDefinition{{Name: value, JSONPath: value}}
	return c
}

func crdWithKeys(keys []string, value string, depth int) *crd.Generated {
	root := &structural.Schema{}
	nested := structural.NestedValueValidation{}
	var object strings.Builder
	object.WriteByte('{')
	c := testCRD(nil)
	c.Object.Labels = map[string]string{}
	for i, key := range keys {
		if i > 0 {
			object.WriteString(", ")
		}
		fmt.Fprintf(&object, "%s: %s", quoteJSON(key), quoteJSON(value))
		c.Object.Labels[key] = value
		root.Properties = append(root.Properties, structural.Property{Name: key, Schema: &structural.Schema{}})
		nested.Properties = append(nested.Properties, structural.NestedProperty{Name: key, Schema: &structural.NestedValueValidation{}})
	}
	object.WriteByte('}')
	root.Default = &structural.JSON{Raw: []byte(object.String())}
	root.ValueValidation = &structural.ValueValidation{Not: &nested}
	c.Schemas[0] = nest(root, depth)
	return c
}

// isOrdered reports whether the library's order of keys is well defined: no two keys are
// equal in JSON, and there is no cycle.
func isOrdered(keys []string) bool {
	for i, a := range keys {
		for _, b := range keys[:i] {
			if string([]rune(a)) == string([]rune(b)) {
				return false
			}
		}
		for _, b := range keys {
			for _, c := range keys {
				if NaturalLess(a, b) && NaturalLess(b, c) && !NaturalLess(a, c) {
					return false
				}
			}
		}
	}
	return true
}

func TestScalars(t *testing.T) {
	for _, depth := range []int{0, 3, 29} {
		all := &structural.Schema{}
		for i, s := range specialScalars() {
			if !mayFallBack(s, false) {
				all.Properties = append(all.Properties, structural.Property{Name: fmt.Sprintf("p%04d", i), Schema: leaf(s)})
			}
		}
		if compare(t, testCRD(nest(all, depth))) {
			t.Errorf("depth %d: fell back to the library", depth)
		}
	}
	for _, s := range specialScalars() {
		if fellBack := compare(t, crdWithValue(s, 0)); fellBack != mayFallBack(s, false) {
			t.Errorf("value %q: fell back to the library: %v", s, fellBack)
		}
		if fellBack := compare(t, crdWithKeys([]string{s}, "x", 0)); fellBack != mayFallBack(s, true) {
			t.Errorf("key %q: fell back to the library: %v", s, fellBack)
		}
	}
}

// TestKeyColumns checks that folding takes the width of a key into account.
func TestKeyColumns(t *testing.T) {
	for _, key := range []string{"a", "'a", "# it's", "a\tb", "😀", "é", "日本", "yes", "", strings.Repeat("k", 128)} {
		for n := 60; n < 84; n++ {
			x := strings.Repeat("x", n-min(len(key), 50))
			for _, value := range []string{x + " b c", "#" + x + " b c", x + "\t b c", x + "é b c"} {
				if compare(t, crdWithKeys([]string{key}, value, 0)) {
					t.Errorf("key %q: fell back to the library", key)
				}
			}
		}
	}
}

func TestKeywords(t *testing.T) {
	c := fullCRD()
	if compare(t, c) {
		t.Error("fell back to the library")
	}
	c.PreserveUnknownFields = ptr(false)
	compare(t, c)
	c.PreserveUnknownFields = nil
	c.Object.Spec.PreserveUnknownFields = true
	compare(t, c)
	c.Object.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	if compare(t, c) {
		t.Error("fell back to the library")
	}
	service := &apiextensionsv1.ServiceReference{Namespace: "1", Name: "yes"}
	c.Object.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: &apiextensionsv1.WebhookConversion{
		ClientConfig: &apiextensionsv1.WebhookClientConfig{Service: service},
	}}
	if compare(t, c) {
		t.Error("fell back to the library")
	}
	service.Path, service.Port = ptr("/convert"), ptr[int32](8443)
	c.Object.Spec.Conversion.Webhook.ConversionReviewVersions = []string{"v1", "v1beta1"}
	if compare(t, c) {
		t.Error("fell back to the library")
	}
	for _, config := range []*apiextensionsv1.WebhookClientConfig{nil, {}, {URL: ptr("https://a")}, {Service: service, CABundle: []byte("a")}} {
		c.Object.Spec.Conversion.Webhook.ClientConfig = config
		if !compare(t, c) {
			t.Errorf("%v: got no fallback to the library", config)
		}
	}
	c = testCRD(nil)
	c.Object.CreationTimestamp = metav1.NewTime(time.Unix(1, 0))
	if compare(t, c) {
		t.Error("fell back to the library")
	}
	c.Object.Namespace = "x"
	if !compare(t, c) {
		t.Error("got no fallback to the library for a namespace")
	}
	compare(t, &crd.Generated{Object: &apiextensionsv1.CustomResourceDefinition{}})
	compare(t, &crd.Generated{Object: &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{},
	}}})
	compare(t, testCRD(&structural.Schema{}))
}

func TestDeepNesting(t *testing.T) {
	if compare(t, testCRD(nest(leaf("a b"), 300))) {
		t.Error("fell back to the library")
	}
	if _, _, ok, err := fastYAML(nil, testCRD(nest(leaf("a b"), 2000))); ok || err != nil {
		t.Error("got no fallback to the library", err)
	}
	for _, depth := range []int{100, 2100, 9990, 10010} {
		c := testCRD(&structural.Schema{})
		raw := strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
		c.Schemas[0].Default = &structural.JSON{Raw: []byte(raw)}
		compare(t, c)
	}
	compare(t, testCRD(&structural.Schema{Generic: structural.Generic{
		Example: &structural.JSON{Raw: []byte(strings.Repeat(`{"a":[`, 200) + `1` + strings.Repeat(`]}`, 200))},
	}}))
}

func TestErrors(t *testing.T) {
	c := testCRD(&structural.Schema{ValueValidation: &structural.ValueValidation{Maximum: ptr(math.NaN())}})
	compare(t, c)
	c = testCRD(&structural.Schema{Generic: structural.Generic{Default: &structural.JSON{Raw: []byte(`{"a"}`)}}})
	compare(t, c)
	if _, _, err := Append(nil, c); err == nil || !strings.Contains(err.Error(), "CRD foos.example.com: invalid JSON value") {
		t.Errorf("got error %v", err)
	}
	c = testCRD(nil)
	c.Object.Spec.Versions[0].Schema = &apiextensionsv1.CustomResourceValidation{}
	if _, _, err := Append(nil, c); err == nil {
		t.Error("got no error for a schema inside of the object")
	}
}

func TestInput(t *testing.T) {
	properties := []structural.Property{{Name: "b", Schema: &structural.Schema{}}, {Name: "a", Schema: &structural.Schema{}}}
	compare(t, testCRD(&structural.Schema{Properties: properties}))
	if properties[0].Name != "b" {
		t.Error("the properties of the input schema were sorted")
	}
}

// fullCRD returns a definition with all fields set.
func fullCRD() *crd.Generated {
	value := func(s string) structural.JSON { return structural.JSON{Raw: []byte(s)} }
	full := func(deeper structural.NestedValueValidation) structural.ValueValidation {
		return structural.ValueValidation{
			Format: "int32", Maximum: ptr(10.5), ExclusiveMaximum: true, Minimum: ptr(-1.0), ExclusiveMinimum: true, MaxLength: ptr(int64(20)),
			MinLength: ptr(int64(0)), Pattern: "^a$", MaxItems: ptr(int64(5)), MinItems: ptr(int64(1)), UniqueItems: true, MultipleOf: ptr(0.1),
			Enum:          []structural.JSON{value(`"a"`), value(`1`), value(`null`), value(`{"b": 1, "a": [1, [2], {}]}`), value(`[]`), value(`[[[1]],{"a":{"b":2}}]`), {}},
			MaxProperties: ptr(int64(3)), MinProperties: ptr(int64(2)), Required: []string{"b", "a"},
			AllOf: []structural.NestedValueValidation{{}, deeper}, OneOf: []structural.NestedValueValidation{deeper}, AnyOf: []structural.NestedValueValidation{deeper, {}}, Not: &deeper,
		}
	}
	generics := structural.Generic{
		Type: "object", Description: "All of it.\nIn lines.", Title: "Title", Default: &structural.JSON{Raw: []byte(` {"x": {"y": null, "z": []}, "a": -0} `)},
		Nullable: true, ExternalDocs: &structural.ExternalDocs{Description: "d", URL: "https://example.com"}, Example: &structural.JSON{Raw: []byte("null")},
	}
	extensions := structural.Extensions{
		XPreserveUnknownFields: ptr(true), XEmbeddedResource: true, XIntOrString: true, XListMapKeys: []string{"a", "b"}, XListType: "map", XMapType: "atomic",
		XValidations: []structural.Rule{{Rule: "true"}, {
			Rule: "self.a", Message: "m", MessageExpression: "'m'", Reason: ptr(apiextensionsv1.FieldValueInvalid), FieldPath: ".a", OptionalOldSelf: ptr(false),
		}},
	}
	inner := structural.NestedValueValidation{ValueValidation: full(structural.NestedValueValidation{}), ForbiddenGenerics: generics, ForbiddenExtensions: extensions}
	inner.Items, inner.AdditionalProperties = &structural.NestedValueValidation{}, &structural.NestedOrBool{Schema: &structural.NestedValueValidation{ValueValidation: structural.ValueValidation{Pattern: "x"}}}
	inner.Properties = []structural.NestedProperty{{Name: "b10", Schema: &inner}, {Name: "b9", Schema: &structural.NestedValueValidation{}}}
	leafless := inner
	leafless.Properties = nil
	inner.Properties[0].Schema = &leafless
	validation := full(inner)
	root := &structural.Schema{
		Generic: generics, Extensions: extensions, ValueValidation: &validation,
		Properties:           []structural.Property{{Name: "yes", Schema: &structural.Schema{}}, {Name: "apiVersion", Schema: leaf("x")}, {Name: "item10", Schema: leaf("y")}, {Name: "item2", Schema: leaf("z")}},
		Items:                &structural.Schema{AdditionalProperties: &structural.SchemaOrBool{Bool: true}},
		AdditionalProperties: &structural.SchemaOrBool{Schema: &structural.Schema{AdditionalProperties: &structural.SchemaOrBool{}, Generic: structural.Generic{ExternalDocs: &structural.ExternalDocs{}}}},
	}
	c := testCRD(root)
	c.Object.Labels = map[string]string{"b": "1", "a": "", "item10": "x", "item9": "true"}
	c.Object.Annotations = map[string]string{"controller-gen.kubebuilder.io/version": "v0.23.0", "x": "a\nb\n"}
	c.Object.Spec.Names.Categories = []string{"all", "y"}
	c.Object.Spec.Names.ShortNames = []string{"fo", "123"}
	column := apiextensionsv1.CustomResourceColumnDefinition{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"}
	wide := apiextensionsv1.CustomResourceColumnDefinition{Name: "N", Type: "integer", Format: "int32", Description: "a: b", Priority: 1, JSONPath: ".spec.n"}
	scale := &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status\n.replicas", LabelSelectorPath: ptr("")}
	c.Object.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
		{Name: "v1", Served: true, Deprecated: true, DeprecationWarning: ptr(""), AdditionalPrinterColumns: []apiextensionsv1.CustomResourceColumnDefinition{column, wide},
			SelectableFields: []apiextensionsv1.SelectableField{{JSONPath: ".spec.a"}, {}}, Subresources: &apiextensionsv1.CustomResourceSubresources{}},
		{Name: "v2", Storage: true, Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}, Scale: scale}},
		{Name: "v3"},
		{Subresources: &apiextensionsv1.CustomResourceSubresources{Scale: scale}},
	}
	c.Schemas = []*structural.Schema{root, {}, nil}
	return c
}

func TestNaturalLess(t *testing.T) {
	names := []string{"", "a", "b", "A", "aB", "a-b", "a.b", "a_b", "a b", "item1", "item2", "item10", "item010", "item0", "item00", "item", "1", "10", "100", "101", "2", "02", "é", "É", "aé", "aéb", "a日", "٣", "a٣", "2a", "a²", "10a", "é1", "é10", "é2", "\xff", "a\xff", "a\xffb"}
	for _, a := range names {
		for _, b := range names {
			if got, want := NaturalLess(a, b), naturalLessRunes([]rune(a), []rune(b)); got != want {
				t.Errorf("naturalLess(%q, %q) = %v", a, b, got)
			}
		}
	}
	for _, pair := range [][2]string{
		{"item2", "item10"}, {"a-b", "a.b"}, {"a.b", "a_b"}, {"a_b", "aB"}, {"aB", "ab"}, {"a", "a1"}, {"a1", "aa"}, {"a1", "a01"}, {"12a", "13"}, {"13", "123"}, {"123", "12a"},
	} {
		if !NaturalLess(pair[0], pair[1]) || NaturalLess(pair[1], pair[0]) {
			t.Errorf("%q does not sort before %q", pair[0], pair[1])
		}
	}
	// Against the library.
	compare(t, crdWithKeys([]string{"b", "a", "A", "aB", "a-b", "a.b", "a_b", "item10", "item2", "item", "é", "É", "aé", "x٣", "x2"}, "v", 0))
}

func TestOrdinaryDocumentsAreFast(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		if compare(t, testCRD(randomSchema(random, 3))) {
			t.Fatal("fell back to the library")
		}
	}
}

// randomSchema returns a random schema that resembles those of real CRDs.
func randomSchema(random *rand.Rand, depth int) *structural.Schema {
	s := &structural.Schema{Generic: structural.Generic{Description: randomDoc(random)}}
	if depth == 0 {
		s.Type = "string"
		switch random.IntN(5) {
		case 0:
			s.ValueValidation = &structural.ValueValidation{Pattern: `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`, MaxLength: ptr(int64(253)), MinLength: ptr(int64(1))}
		case 1:
			s.ValueValidation = &structural.ValueValidation{Enum: []structural.JSON{{Raw: []byte(`"Always"`)}, {Raw: []byte(`"Never"`)}, {Raw: []byte(`"On"`)}}}
			s.Default = &structural.JSON{Raw: []byte(`"Always"`)}
		case 2:
			s.Type = "integer"
			s.ValueValidation = &structural.ValueValidation{Format: "int32", Minimum: ptr(1.0), Maximum: ptr(65535.0)}
		}
		return s
	}
	if random.IntN(4) == 0 {
		s.Type, s.Items = "array", randomSchema(random, depth-1)
		s.XListType = "atomic"
		return s
	}
	s.Type = "object"
	names := []string{"apiVersion", "kind", "metadata", "name", "namespace", "matchExpressions", "port", "protocol", "ipv4", "tls-secret", "yaml", "nodeSelector"}
	for range 3 + random.IntN(6) {
		name := names[random.IntN(len(names))] + []string{"", "Ref", "Policy", "2", "10"}[random.IntN(5)]
		if !slices.ContainsFunc(s.Properties, func(p structural.Property) bool { return p.Name == name }) {
			s.Properties = append(s.Properties, structural.Property{Name: name, Schema: randomSchema(random, depth-1)})
		}
	}
	slices.SortFunc(s.Properties, func(a, b structural.Property) int { return naturalCompare(a.Name, b.Name) })
	s.ValueValidation = &structural.ValueValidation{Required: []string{s.Properties[0].Name, s.Properties[1].Name}}
	s.XValidations = []structural.Rule{{Rule: "!has(oldSelf.name) || has(self.name)", Message: "name is required once set"}}
	return s
}

func randomDoc(random *rand.Rand) string {
	sentences := []string{
		"The name of the secret in the same namespace that holds the key.", "Must be a DNS label: see the documentation for more info.",
		"Defaults to \"Always\", it's an optional field.", "Cannot be updated.", "Valid options are 'a', 'b' and # c.", "In bytes.",
		"More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names",
	}
	var b strings.Builder
	for i := range 1 + random.IntN(5) {
		if i > 0 {
			b.WriteString([]string{" ", "\n", "\n\n"}[random.IntN(3)])
		}
		b.WriteString(sentences[random.IntN(len(sentences))])
		if random.IntN(40) == 0 {
			b.WriteString(" The value isn’t checked.")
		}
	}
	return b.String()
}

// TestDescriptions checks that documents of schemas with other descriptions differ in nothing else.
func TestDescriptions(t *testing.T) {
	random := rand.New(rand.NewPCG(24, 1))
	without := func(c *crd.Generated) string {
		out, descriptions, err := Append([]byte("# header\n"), c)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		at := 0
		for _, d := range descriptions {
			b.Write(out[at:d.Start])
			at = d.End
		}
		b.Write(out[at:])
		return b.String()
	}
	of := func(description string) *crd.Generated {
		nested := structural.NestedValueValidation{ForbiddenGenerics: structural.Generic{Description: "counts"}}
		properties := []structural.Property{
			{Name: "b", Schema: &structural.Schema{Generic: structural.Generic{Type: "string", Description: description, Default: &structural.JSON{Raw: []byte(`"description: x"`)}}}},
			{Name: "description", Schema: &structural.Schema{Generic: structural.Generic{Type: "object", Description: description, Default: &structural.JSON{Raw: []byte(`{"description":"x"}`)}}}},
		}
		list := &structural.Schema{Generic: structural.Generic{Type: "array", Description: description}, Items: &structural.Schema{Generic: structural.Generic{Description: description, Type: "object"}, Properties: properties}}
		root := &structural.Schema{
			Generic: structural.Generic{Type: "object", Description: description}, Properties: []structural.Property{{Name: "a", Schema: list}},
			ValueValidation: &structural.ValueValidation{AllOf: []structural.NestedValueValidation{nested}},
		}
		return testCRD(root)
	}
	want := without(of("d"))
	if strings.Count(want, "description:") != 9 || !strings.Contains(want, "description: counts") || !strings.Contains(want, "description: x") {
		t.Errorf("got\n%s", want)
	}
	for range 50 {
		if doc := randomDoc(random); doc != "" {
			if got := without(of(doc)); got != want {
				t.Fatalf("%q: got\n%s\nwant\n%s", doc, got, want)
			}
		}
	}
}

func FuzzAppend(f *testing.F) {
	for i, s := range specialScalars() {
		if len(s) < 40 || i%8 == 0 {
			f.Add(s, s, s+"1", uint8(i))
		}
	}
	f.Add("a", "item2", "item10", uint8(40))
	f.Fuzz(func(t *testing.T, value, key, other string, depth uint8) {
		if fellBack := compare(t, crdWithValue(value, int(depth%45))); fellBack != mayFallBack(value, false) {
			t.Errorf("value %q: fell back to the library: %v", value, fellBack)
		}
		keys := []string{"a1", key}
		if other != "" {
			keys = append(keys, other)
		}
		if !isOrdered(keys) {
			return
		}
		exotic := mayFallBack(key, true) || mayFallBack(other, true) || mayFallBack(value, false)
		if fellBack := compare(t, crdWithKeys(keys, value, int(depth%45))); fellBack != exotic {
			t.Errorf("keys %q, value %q: fell back to the library: %v", keys, value, fellBack)
		}
	})
}

// FuzzNumbers compares numbers, both as JSON text and as floats.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{
		"0", "-0", "-0.0", "0.0", "1", "-1", "1.0", "1.5", "1234567.5", "1000000", "1e6", "1E+6", "1e-7", "0.0000001", "0.000001", "1e20", "1e21", "1e400",
		"-1e400", "1e-400", "-1e-400", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"-9223372036854775809", "18446744073709551615", "18446744073709551616", "123456789012345678901234567890", "0e5", "-0e5", "00", "01", "-", "1.", ".5", "+1",
		"1e", "1e+", "0x10", "1_000", "NaN", "Infinity", "100000000000000000000.5", "2001-01-01", "1:20", "4.9e-324", "1.7976931348623157e308", "1e15", "1e16", "123456789e10",
	} {
		f.Add(s, uint64(0))
	}
	for _, n := range []float64{math.Copysign(0, -1), 1e21, 1e20, 1e-7, 1e-6, 1234567.5, 1e6, 1 << 53, 1<<53 + 2, 1 << 63, 1 << 62, 1 << 64, -(1 << 63), math.MaxFloat64, 5e-324, math.Inf(1), math.NaN(), 1e19, 123456.7} {
		f.Add("0", math.Float64bits(n))
	}
	f.Fuzz(func(t *testing.T, text string, bits uint64) {
		if !isOrderedJSON(text) {
			return
		}
		number := math.Float64frombits(bits)
		compare(t, testCRD(&structural.Schema{ValueValidation: &structural.ValueValidation{Maximum: &number, MultipleOf: ptr(-number), Minimum: ptr(math.Trunc(number))}}))
		compare(t, testCRD(&structural.Schema{ValueValidation: &structural.ValueValidation{Enum: []structural.JSON{{Raw: []byte(text)}, {Raw: []byte("[" + text + "," + text + "e5]")}}}}))
		compare(t, testCRD(&structural.Schema{ValueValidation: &structural.ValueValidation{Enum: []structural.JSON{{Raw: []byte(text)}}}}))
	})
}

// isOrderedJSON is isOrdered for all objects in a JSON text.
func isOrderedJSON(text string) bool {
	tokens, _ := scanJSON(nil, text)
	for i, token := range tokens {
		var keys []string
		for j := i + 1; token.kind == '{' && j+1 < token.next; j = tokens[j+1].next {
			if key := jsonString(text, tokens[j]); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
		if len(keys) > 50 || !isOrdered(keys) {
			return false
		}
	}
	return true
}

// FuzzJSON compares whole JSON texts.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		``, ` `, `null`, ` true `, `false`, `tru`, `truee`, `""`, `"a`, `"\u0041\ud83d\ude00\ud83d\u0041\ude00\ud83dx"`, `"\b\f\n\r\t\/\\\""`, `"\x"`, `"\u12"`, `"\u12G4"`, "\"\t\"", "\"\x7f\"", `"\u007f"`,
		`{}`, `{ }`, `[]`, `[ ]`, `{"a":1,"a":2}`, `{"b":1,"a":{"x":[],"y":{}},"b":[[],{}]}`, `{"a":1,}`, `[1,]`, `[1 2]`, `{"a" 1}`, `{a:1}`, `{"a":1}}`, `[[[1,[2,[3]]],{"a":[{"b":[[1],[2]]}]}]]`,
		`{"item10":1,"item2":2,"\u0061":3,"a":4}`, `{"":""}`, `{"<<":{"a":1}}`, `{"yes":"yes","1":1,"1.5":null}`, "[1]\n", "{\"a\"\n:\t1}\r\n", `["` + strings.Repeat("word ", 40) + `"]`,
		`{"` + strings.Repeat("k", 128) + `":1}`, `{"` + strings.Repeat("k", 129) + `":1}`, `{"\u0000":"\u2028"}`, "\"\xff\"", "{\"\xff\":1,\"\xfe\":2}", "\ufeff1", `"\ufeff"`, `{"a\n":1}`,
	} {
		f.Add(s, uint8(len(s)))
	}
	f.Fuzz(func(t *testing.T, text string, depth uint8) {
		raw := structural.JSON{Raw: []byte(text)}
		if !isOrderedJSON(text) {
			return
		}
		compare(t, testCRD(nest(&structural.Schema{Generic: structural.Generic{Default: &raw}, ValueValidation: &structural.ValueValidation{Enum: []structural.JSON{raw, raw}}}, int(depth%45))))
	})
}

func BenchmarkAppend(b *testing.B) {
	// Types of an API are shared by many fields.
	random := rand.New(rand.NewPCG(1, 2))
	var types []*structural.Schema
	for range 30 {
		types = append(types, randomSchema(random, 3))
	}
	root := &structural.Schema{Generic: structural.Generic{Type: "object"}}
	for i := range 100 {
		root.Properties = append(root.Properties, structural.Property{Name: fmt.Sprintf("field%d", i), Schema: types[random.IntN(len(types))]})
	}
	c := testCRD(root)
	want, err := libraryYAML(c)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("fast", func(b *testing.B) {
		b.SetBytes(int64(len(want)))
		b.ReportAllocs()
		var out []byte
		for b.Loop() {
			out, _, err = Append(out[:0], c)
		}
		if err != nil || !bytes.Equal(out[len("---\n"):], want) {
			b.Fatal("different bytes", err)
		}
	})
	b.Run("library", func(b *testing.B) {
		b.SetBytes(int64(len(want)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := libraryYAML(c); err != nil {
				b.Fatal(err)
			}
		}
	})
}
