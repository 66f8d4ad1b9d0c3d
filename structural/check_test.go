package structural

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

var schemas = flag.Int("schemas", 30_000, "how many random schemas to check")

// randomProps returns a schema that is often not structural, small enough that
// single mistakes stand out.
func randomProps(r *rand.Rand, depth int, inJunctor, isRoot bool) apiextensionsv1.JSONSchemaProps {
	var p apiextensionsv1.JSONSchemaProps
	rarely := func(n int) bool { return r.Intn(n) == 0 }
	types := []string{"object", "object", "object", "array", "string", "integer", ""}
	p.Type = types[r.Intn(len(types))]
	if isRoot && !rarely(6) {
		p.Type = "object"
	}
	if inJunctor && !rarely(6) {
		p.Type = ""
	}
	if rarely(12) {
		p.XIntOrString = true
	}
	if rarely(12) {
		p.XPreserveUnknownFields = ptr.To(true)
	}
	if rarely(12) {
		p.XEmbeddedResource = true
	}
	if rarely(15) {
		p.Description = "text"
	}
	if rarely(25) {
		p.Title = "text"
	}
	if rarely(25) {
		p.Nullable = true
	}
	if rarely(25) {
		p.Default = &apiextensionsv1.JSON{Raw: []byte([]string{"1", "null", `{"a":1}`}[r.Intn(3)])}
	}
	if rarely(15) {
		p.Pattern = []string{"a+", "(", "^[a-z]$"}[r.Intn(3)]
	}
	if rarely(20) {
		p.MinLength = ptr.To(int64(1))
	}
	if rarely(25) {
		p.XListType = ptr.To("set")
	}
	if rarely(25) {
		p.XListMapKeys = []string{"a"}
	}
	if rarely(25) {
		p.XMapType = ptr.To("atomic")
	}
	if rarely(25) {
		p.XValidations = apiextensionsv1.ValidationRules{{Rule: "true"}}
	}
	pair := []apiextensionsv1.JSONSchemaProps{{Type: "integer"}, {Type: "string"}}
	if rarely(10) {
		p.AnyOf = pair
	}
	if rarely(10) {
		p.AllOf = []apiextensionsv1.JSONSchemaProps{{AnyOf: pair}}
	}
	if depth == 0 {
		return p
	}
	sub := func(junctor bool) apiextensionsv1.JSONSchemaProps {
		return randomProps(r, depth-1, inJunctor || junctor, false)
	}
	if p.Type == "array" && !rarely(8) || rarely(15) {
		items := sub(false)
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}
	}
	if p.Type == "object" && !rarely(4) || rarely(8) {
		p.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		names := []string{"a", "b", "kind", "apiVersion", "metadata", "name", "generateName"}
		for range r.Intn(4) {
			p.Properties[names[r.Intn(len(names))]] = sub(false)
		}
	}
	if rarely(12) {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}
		if rarely(2) {
			additional := sub(false)
			p.AdditionalProperties.Schema = &additional
		}
	}
	if rarely(8) {
		p.AllOf = append(p.AllOf, sub(true))
	}
	if rarely(8) {
		p.AnyOf = append(p.AnyOf, sub(true))
	}
	if rarely(8) {
		p.OneOf = append(p.OneOf, sub(true), sub(true))
	}
	if rarely(12) {
		not := sub(true)
		p.Not = &not
	}
	return p
}

// serverSays returns the API server's violations, sorted, and each one's kind.
func serverSays(t testing.TB, p *apiextensionsv1.JSONSchemaProps) []string {
	t.Helper()
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(p, &internal, nil); err != nil {
		t.Fatal(err)
	}
	s, err := schema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range schema.ValidateStructural(field.NewPath("ROOT"), s) {
		out = append(out, strings.ReplaceAll(e.Error(), "ROOT", ""))
	}
	slices.Sort(out)
	return out
}

var inBrackets = regexp.MustCompile(`\[[^]]*\]`)

// class is the error without its path: what kind of mistake it is.
func class(message string) string {
	_, rest, _ := strings.Cut(message, ": ")
	if i := strings.Index(rest, "because it is defined in"); i >= 0 {
		return "Required value: because it is defined in …"
	}
	if i := strings.Index(rest, "but isn't"); i >= 0 {
		return "Invalid value: must be a valid regular expression"
	}
	return inBrackets.ReplaceAllString(rest, "[]")
}

// TestCheckAgreesWithServer holds Check against the API server's own
// ValidateStructural on random schemas: the same messages for each.
func TestCheckAgreesWithServer(t *testing.T) {
	refused := 0
	classes := map[string]int{}
	for seed := range *schemas {
		p := randomProps(rand.New(rand.NewSource(int64(seed))), 3, false, true)
		want := serverSays(t, &p)
		s, unsupported := FromProps(&p)
		if len(unsupported) > 0 {
			t.Fatalf("seed %d: unsupported %v", seed, unsupported)
		}
		var got []string
		for _, v := range Check(s) {
			got = append(got, v.String())
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
		if len(want) > 0 {
			refused++
		}
		for _, message := range want {
			classes[class(message)]++
		}
	}
	t.Logf("%d schemas, %d refused", *schemas, refused)
	if refused*10 < *schemas*3 {
		t.Errorf("only %d of %d schemas are refused", refused, *schemas)
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		t.Logf("%7d  %s", classes[name], name)
	}
}

// TestPropsRoundTrip wants FromProps and Props to lose nothing.
func TestPropsRoundTrip(t *testing.T) {
	for seed := range 2000 {
		p := randomProps(rand.New(rand.NewSource(int64(seed))), 3, false, true)
		s, _ := FromProps(&p)
		again, _ := FromProps(s.Props())
		if a, b := fmt.Sprintf("%v", mustJSON(t, s.Props())), fmt.Sprintf("%v", mustJSON(t, &p)); a != b {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, a, b)
		}
		if a, b := mustJSON(t, again.Props()), mustJSON(t, s.Props()); a != b {
			t.Fatalf("seed %d: second round", seed)
		}
	}
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
