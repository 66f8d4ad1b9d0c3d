package structural

import (
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
)

// confuse changes a schema at random in ways that CheckProposals reports.
func confuse(r *rand.Rand, p *apiextensionsv1.JSONSchemaProps) {
	rarely := func(n int) bool { return r.Intn(n) == 0 }
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	if rarely(20) {
		p.Type = pick("null", "file", "strings")
	}
	if rarely(20) {
		p.XPreserveUnknownFields = ptr.To(false)
	}
	if rarely(6) {
		p.XMapType = ptr.To(pick("atomic", "granular", "loose"))
	}
	if p.Type == "array" || rarely(15) {
		switch r.Intn(5) {
		case 0:
			p.XListType = ptr.To("set")
			if p.Items != nil && rarely(2) {
				p.Items.Schema.Type = pick("array", "object")
			}
		case 1:
			p.XListType = ptr.To("loose")
		case 2, 3:
			p.XListType = ptr.To("map")
			p.XListMapKeys = [][]string{nil, {"a"}, {"a", "b"}, {"a", "a"}, {"name", "missing"}}[r.Intn(5)]
			if p.Items != nil && rarely(2) {
				p.Items.Schema.Type = pick("object", "object", "string")
				p.Items.Schema.Required = [][]string{nil, {"a"}}[r.Intn(2)]
				p.Items.Schema.Properties = map[string]apiextensionsv1.JSONSchemaProps{
					"a": {Type: pick("string", "object"), Nullable: rarely(4)},
					"b": {Type: pick("string", "array"), Default: &apiextensionsv1.JSON{Raw: []byte(`"x"`)}},
				}
			}
		}
		if p.Items != nil && rarely(4) {
			p.Items.Schema.Nullable = true
		}
		if p.Items != nil && rarely(4) {
			p.Items.Schema.XListType = ptr.To(pick("atomic", "set", "map"))
		}
	}
	if len(p.Properties) > 0 && rarely(6) {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: rarely(2)}
	}
	for _, list := range [][]apiextensionsv1.JSONSchemaProps{p.AllOf, p.AnyOf, p.OneOf} {
		for i := range list {
			confuse(r, &list[i])
		}
	}
	if p.Not != nil {
		confuse(r, p.Not)
	}
	for _, name := range []string{"a", "apiVersion", "b", "generateName", "kind", "metadata", "name"} {
		if child, ok := p.Properties[name]; ok {
			confuse(r, &child)
			p.Properties[name] = child
		}
	}
	if p.Items != nil {
		confuse(r, p.Items.Schema)
	}
	if p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil {
		if rarely(2) {
			p.AdditionalProperties.Schema.Default = &apiextensionsv1.JSON{Raw: []byte(`{}`)}
		}
		confuse(r, p.AdditionalProperties.Schema)
	}
}

// serverDetails returns the messages of the server that CheckProposals reproduces. Each of
// them must occur in the test.
func serverDetails() []string {
	return []string{
		`must be true or undefined`,
		`supported values: "array", "boolean", "integer", "number", "object", "string"`,
		`supported values: "atomic", "granular"`,
		`supported values: "atomic", "set", "map"`,
		`type cannot be set to null, use nullable as an alternative`,
		`must be object if x-kubernetes-map-type is specified`,
		`must be array if x-kubernetes-list-type is specified`,
		`must be atomic as item of a list with x-kubernetes-list-type=set`,
		`must be map if x-kubernetes-list-map-keys is non-empty`,
		`must not be empty if x-kubernetes-list-type is map`,
		`must have a schema if x-kubernetes-list-type is map`,
		`must be object if parent array's x-kubernetes-list-type is map`,
		`must be a scalar type if parent array's x-kubernetes-list-type is map`,
		`entries must all be names of item properties`,
		`must not contain duplicate entries`,
		`cannot be nullable when x-kubernetes-list-type is set`,
		`cannot be nullable when x-kubernetes-list-type is map`,
		`this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
		`this property is in x-kubernetes-list-map-keys, so it cannot be nullable`,
		`additionalProperties and properties are mutual exclusive`,
		`must not be set in top-level metadata`,
		`must not be set in top-level kind`,
		`must not be set in top-level apiVersion`,
		`must not be set inside additionalProperties applying to object metadata`,
		`must not be used inside of resource meta`,
	}
}

// TestCheckProposalsAgreesWithServer compares the findings that the server also reports with
// its validation of complete CRDs: the messages must be the same.
func TestCheckProposalsAgreesWithServer(t *testing.T) {
	const place = "spec.validation.openAPIV3Schema"
	details := serverDetails()
	counts := map[string]int{}
	for seed := range *schemas / 5 {
		r := rand.New(rand.NewSource(int64(seed)))
		p := randomProps(r, 3, false, true)
		confuse(r, &p)
		var want []string
		for _, e := range serverRejects(t, testCRD(&p)) {
			if i := slices.Index(details, e.Detail); i >= 0 && strings.HasPrefix(e.Field, place) {
				want = append(want, e.Error())
				counts[details[i]]++
			}
		}
		slices.Sort(want)
		s, _ := FromProps(&p)
		var got []string
		for _, f := range CheckProposals(s, nil) {
			if f.Server {
				got = append(got, f.At(place))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %s\ngot  %s\nwant %s", seed, mustJSON(t, &p), strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
	}
	for _, detail := range details {
		t.Logf("%6d  %s", counts[detail], detail)
		if counts[detail] < *schemas/5/1000 || counts[detail] == 0 {
			t.Errorf("seen %d times: %s", counts[detail], detail)
		}
	}
}

// TestWarningsAreNotTheServers checks that the server accepts schemas that only have
// warnings.
func TestWarningsAreNotTheServers(t *testing.T) {
	rules := map[string]int{}
	for seed := range *schemas / 10 {
		r := rand.New(rand.NewSource(int64(seed)))
		s := randomStructural(r, 2, "object")
		loosen(r, s)
		findings := CheckProposals(s, nil)
		if len(Check(s)) > 0 || slices.ContainsFunc(findings, func(f Finding) bool { return f.Server }) {
			continue
		}
		if errs := serverRejects(t, testCRD(s.Props())); len(errs) > 0 {
			t.Fatalf("seed %d: findings %v, but %v", seed, findings, errs)
		}
		for _, f := range findings {
			rules[f.rule]++
		}
	}
	t.Log(rules)
	for _, rule := range []string{rulePair, ruleBelowRoot, rulePolymorphism, ruleJunctorGenerics, ruleEmbeddedMetadata} {
		if rules[rule] == 0 {
			t.Errorf("never seen: %s", rule)
		}
	}
}

// loosen makes random changes that only the proposals reject.
func loosen(r *rand.Rand, s *Schema) {
	rarely := func(n int) bool { return r.Intn(n) == 0 }
	values := func() *ValueValidation {
		if s.ValueValidation == nil {
			s.ValueValidation = &ValueValidation{}
		}
		return s.ValueValidation
	}
	for _, p := range s.Properties {
		loosen(r, p.Schema)
		if len(p.Schema.AnyOf) == 0 && rarely(8) {
			p.Schema.ValueValidation = &ValueValidation{AnyOf: []NestedValueValidation{{ForbiddenGenerics: Generic{Type: "integer"}}, {ForbiddenGenerics: Generic{Type: "string"}}}}
		}
		if p.Schema.Type == "object" && rarely(4) {
			undeclared := NestedValueValidation{Properties: []NestedProperty{{"z", &NestedValueValidation{}}}}
			p.Schema.ValueValidation = &ValueValidation{AllOf: []NestedValueValidation{undeclared}}
		}
		if len(p.Schema.Properties) > 0 && !p.Schema.XEmbeddedResource && rarely(4) {
			p.Schema.AdditionalProperties = &SchemaOrBool{Bool: true}
		}
	}
	if s.XEmbeddedResource && rarely(2) {
		*s = *s.withProperty("metadata", ObjectMeta())
		return
	}
	if rarely(6) {
		n := NestedValueValidation{ForbiddenGenerics: Generic{Default: &JSON{[]byte("null")}}}
		if rarely(2) {
			n = NestedValueValidation{AdditionalProperties: &NestedOrBool{}}
		}
		v := values()
		v.AllOf = append(v.AllOf, n)
	}
}

// TestWarningsWords checks the messages for the rarest constructs, which the cases in
// testdata do not have.
func TestWarningsWords(t *testing.T) {
	nested := &Schema{
		Generic: Generic{Type: "object"},
		ValueValidation: &ValueValidation{Not: &NestedValueValidation{
			ForbiddenGenerics:   Generic{Default: &JSON{[]byte("null")}},
			ForbiddenExtensions: Extensions{XUnionMembers: []UnionMember{{Value: "A"}}},
			ValueValidation:     ValueValidation{OneOf: []NestedValueValidation{{ForbiddenExtensions: Extensions{XUnions: []Union{{}}}}}},
		}},
		Items:                &Schema{Extensions: Extensions{XUnionMembers: []UnionMember{{Value: "A"}}}},
		AdditionalProperties: &SchemaOrBool{Schema: &Schema{Extensions: Extensions{XUnions: []Union{{}}}}},
	}
	var got []string
	for _, f := range CheckProposals(nested, []Unsupported{{nil, "readOnly"}, {(*Path)(nil).Child("not"), "readOnly"}, {nil, "$ref"}}) {
		if f.Server {
			t.Errorf("%s is the server's", f)
		}
		got = append(got, f.rule+" "+f.String())
	}
	want := []string{
		"read-only .readOnly: Forbidden: is not a field of apiextensions.k8s.io/v1",
		"union-place .items.x-kubernetes-unions: Forbidden: must only list fieldMembers on a property",
		"union-place .additionalProperties.x-kubernetes-unions: Forbidden: must only be used on objects",
		"union-place .not.x-kubernetes-unions: Forbidden: must be undefined to be structural",
		"junctor-generics .not.default: Forbidden: must be undefined to be structural",
		"read-only .not.readOnly: Forbidden: must be false to be structural",
		"union-place .not.oneOf[0].x-kubernetes-unions: Forbidden: must be undefined to be structural",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	if CheckProposals(nil, nil) != nil {
		t.Error("nothing has findings")
	}
}

// TestNestedAndBack checks that outside is the inverse of Nested.
func TestNestedAndBack(t *testing.T) {
	for seed := range 2000 {
		p := randomProps(rand.New(rand.NewSource(int64(seed))), 3, false, true)
		s, _ := FromProps(&p)
		nested := s.Nested()
		if a, b := mustJSON(t, nested.Outside().Props()), mustJSON(t, s.Props()); a != b {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, a, b)
		}
	}
}

// TestProposed checks the output for the KEP's own example.
func TestProposed(t *testing.T) {
	s := &Schema{Generic: Generic{Type: "object"}, Properties: []Property{{"foo", &Schema{
		Generic: Generic{Type: "array"},
		Items:   &Schema{Generic: Generic{Type: "object"}, Properties: []Property{{"bar", &Schema{}}}},
	}}}}
	violations := Check(s)
	if len(violations) != 1 {
		t.Fatal(violations)
	}
	const want = ".properties[foo].items.properties[bar].type must be non-empty"
	if got := violations[0].proposed(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for want, v := range map[string]Violation{
		".a must be specified because it is defined in .b": {Path: (*Path)(nil).Child("a"), Kind: Required, Detail: "because it is defined in .b", In: (*Path)(nil).Child("b")},
		`.a must be one of "x"`:                            {Path: (*Path)(nil).Child("a"), Kind: NotSupported, Detail: `supported values: "x"`},
		".a must be false to be structural":                {Path: (*Path)(nil).Child("a"), Kind: Forbidden, Detail: "must be false to be structural"},
	} {
		if got := v.proposed(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestRules checks that the table is complete: each rule has a unique name, a source and a
// sentence, and CheckProposals reports no rules that are not in the table.
func TestRules(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, rule := range rules() {
		if !name.MatchString(rule.Name) || seen[rule.Name] || rule.Source == "" || !strings.HasSuffix(rule.Text, ".") {
			t.Errorf("%+v", rule)
		}
		seen[rule.Name] = true
		switch rule.By {
		case byCheck, byServer, byProposal:
		default:
			t.Errorf("%s: by %q", rule.Name, rule.By)
		}
	}
}
