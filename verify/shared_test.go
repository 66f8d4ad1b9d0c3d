package verify

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/apiserver/crdsize"
	"github.com/schemagen/schemagen/structural"
)

var batches = flag.Int("batches", 150, "how many batches of definitions TestPartial verifies")

// nodes generates random schemas that share nodes, some of them with mistakes.
type nodes struct {
	*rand.Rand
	pool []*structural.Schema
	// mistakes is the reciprocal of the probability of a mistake; 0 means none.
	mistakes int
}

func (n *nodes) mistake() bool     { return n.mistakes > 0 && n.IntN(n.mistakes) == 0 }
func (n *nodes) oneIn(of int) bool { return n.IntN(of) == 0 }

func choose[T any](n *nodes, from ...T) T { return from[n.IntN(len(from))] }

func value(text string) *structural.JSON { return &structural.JSON{Raw: []byte(text)} }

// child returns a node of the pool or a new one.
func (n *nodes) child(depth int) *structural.Schema {
	if len(n.pool) > 0 && !n.oneIn(3) {
		return n.pool[n.IntN(len(n.pool))]
	}
	s := n.node(depth)
	if n.mistake() {
		n.keyword(s)
	}
	n.pool = append(n.pool, s)
	return s
}

// keyword sets a keyword that the server may reject, may warn about, or accepts only in some places.
func (n *nodes) keyword(s *structural.Schema) { choose(n, settings()...)(s) }

// settings returns functions that set one keyword each.
func settings() []func(*structural.Schema) {
	out := []func(*structural.Schema){
		func(s *structural.Schema) { s.Validation().UniqueItems = true },
		func(s *structural.Schema) { s.Validation().MultipleOf = new(0.0) },
		func(s *structural.Schema) { s.Validation().Minimum = new(1e10) },
		func(s *structural.Schema) { s.Validation().Pattern = "(" },
		func(s *structural.Schema) { s.Nullable = true },
		func(s *structural.Schema) { s.XIntOrString = true },
		func(s *structural.Schema) { s.XEmbeddedResource = true },
		func(s *structural.Schema) { s.XListMapKeys = []string{"a"} },
		func(s *structural.Schema) { s.Items = &structural.Schema{Generic: structural.Generic{Type: "string"}} },
		func(s *structural.Schema) {
			s.Properties = []structural.Property{{Name: "p", Schema: &structural.Schema{Generic: structural.Generic{Type: "string"}}}}
		},
	}
	for _, allowed := range []bool{false, true} {
		out = append(out,
			func(s *structural.Schema) { s.XPreserveUnknownFields = &allowed },
			func(s *structural.Schema) { s.AdditionalProperties = &structural.SchemaOrBool{Bool: allowed} })
	}
	for _, text := range []string{"int32", "double", "date-time", "nothing", "atomic", "granular", "set", "map", `"a"`, "1", "true", "null", "broken"} {
		out = append(out,
			func(s *structural.Schema) { s.Validation().Format = text },
			func(s *structural.Schema) { s.XMapType = text },
			func(s *structural.Schema) { s.XListType = text },
			func(s *structural.Schema) {
				if json.Valid([]byte(text)) {
					s.Default = value(text)
				}
			},
			func(s *structural.Schema) {
				if json.Valid([]byte(text)) {
					s.Validation().Enum = []structural.JSON{*value(text)}
				}
			})
	}
	// Bounds and enums with defaults on both sides of them.
	for _, raw := range []string{"0", "1", "-5", "2147483648", "1.5", `"a"`, `"bbb"`, `"\u00e9\u00e9"`, `""`, "true"} {
		out = append(out,
			func(s *structural.Schema) { s.Default = value(raw); s.Validation().Minimum = new(1.0) },
			func(s *structural.Schema) {
				s.Default = value(raw)
				s.Validation().Minimum = new(1.0)
				s.ExclusiveMinimum = true
			},
			func(s *structural.Schema) {
				s.Default = value(raw)
				s.Validation().Maximum = new(1.0)
				s.Format = "int32"
			},
			func(s *structural.Schema) {
				s.Default = value(raw)
				s.Validation().Maximum = new(1e10)
				s.Format = "int32"
			},
			func(s *structural.Schema) { s.Validation().Minimum = new(1e10); s.Format = "int32" },
			func(s *structural.Schema) { s.Default = value(raw); s.Validation().MinLength = new(int64(2)) },
			func(s *structural.Schema) { s.Default = value(raw); s.Validation().MaxLength = new(int64(2)) },
			func(s *structural.Schema) { s.Default = value(raw); s.Validation().Pattern = "^a$" },
			func(s *structural.Schema) { s.Default = value(raw); s.Validation().Pattern = "(" },
			func(s *structural.Schema) {
				s.Default = value(raw)
				s.Validation().Enum = []structural.JSON{*value(raw)}
			},
			func(s *structural.Schema) {
				s.Default = value(raw)
				s.Validation().Enum = []structural.JSON{*value(`"c"`)}
			},
			func(s *structural.Schema) {
				s.XListType = "set"
				s.Items = &structural.Schema{Generic: structural.Generic{Type: "integer", Nullable: raw == "0"}}
			})
	}
	for _, kinds := range [][]string{{"integer", "string"}, {"string", "integer"}, {"integer"}} {
		for _, marked := range []bool{false, true} {
			out = append(out, func(s *structural.Schema) {
				s.XIntOrString = marked
				if marked {
					s.Type = ""
				}
				for _, kind := range kinds {
					s.Validation().AnyOf = append(s.AnyOf, structural.NestedValueValidation{ForbiddenGenerics: structural.Generic{Type: kind}})
				}
			})
		}
	}
	return out
}

// TestPartialKeywords compares the findings about definitions with one node that has a keyword
// with those about the same definitions, each verified as a whole.
func TestPartialKeywords(t *testing.T) {
	target, err := apiserver.NewTarget(apiserver.Versions()[0])
	if err != nil {
		t.Fatal(err)
	}
	text := func() *structural.Schema { return &structural.Schema{Generic: structural.Generic{Type: "string"}} }
	types := map[string]func() *structural.Schema{
		"array": func() *structural.Schema {
			return &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: text()}
		},
		"map": func() *structural.Schema {
			return &structural.Schema{Generic: structural.Generic{Type: "object"}, AdditionalProperties: &structural.SchemaOrBool{Bool: true, Schema: text()}}
		},
	}
	for _, kind := range []string{"string", "integer", "boolean", "object", "array", "null", ""} {
		types[kind+" alone"] = func() *structural.Schema { return &structural.Schema{Generic: structural.Generic{Type: kind}} }
	}
	places := map[string]func(node *structural.Schema) *structural.Schema{
		"property": func(node *structural.Schema) *structural.Schema { return node },
		"items": func(node *structural.Schema) *structural.Schema {
			return &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: node}
		},
		"keyed items": func(node *structural.Schema) *structural.Schema {
			return &structural.Schema{Generic: structural.Generic{Type: "array"}, Extensions: structural.Extensions{XListType: "map", XListMapKeys: []string{"p"}},
				Items: &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{{Name: "p", Schema: node}}}}
		},
	}
	n := &nodes{Rand: rand.New(rand.NewPCG(1, 1))}
	v := New(target, Options{})
	for name, kind := range types {
		for place, in := range places {
			for i, set := range settings() {
				node := kind()
				set(node)
				s := n.definition(i)
				out := s.Build()
				out.Spec.Versions = out.Spec.Versions[:1]
				out.Spec.Versions[0].SelectableFields = nil
				complete(s, out)
				spec := &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{{Name: "x", Schema: in(node)}}}
				s.Schemas = []*structural.Schema{{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{{Name: "spec", Schema: spec}}}}
				s.Provenance().Text = []byte("written")
				results, err := v.examine(t.Context(), s, nil, &shared{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := v.Check(t.Context(), []*crd.Definition{s})
				if err != nil {
					t.Fatal(err)
				}
				if want := FoldNotes(onePerMistake(locateAll(s, results))); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
					text, _ := json.Marshal(want)
					other, _ := json.Marshal(got)
					t.Errorf("%s, %s, keyword %d:\ngot  %s\nwant %s", name, place, i, other, text)
				}
			}
		}
	}
}

func (n *nodes) node(depth int) *structural.Schema {
	s := &structural.Schema{}
	if depth > 0 && !n.oneIn(4) {
		switch n.IntN(4) {
		case 0:
			return n.list(depth)
		case 1:
			s.Type = "object"
			s.AdditionalProperties = &structural.SchemaOrBool{Bool: true, Schema: n.child(depth - 1)}
			if n.mistake() {
				s.Properties = []structural.Property{{Name: "a", Schema: n.child(depth - 1)}}
			}
			return s
		}
		return n.object(depth)
	}
	v := &structural.ValueValidation{}
	s.Type = choose(n, "string", "string", "integer", "boolean")
	switch s.Type {
	case "string":
		s.ValueValidation = v
		v.Pattern = choose(n, "", "^a*$", "^[a-z]+$")
		if n.mistake() {
			v.Pattern = "("
		}
		if n.mistake() {
			v.Format = "nothing"
		}
		if n.oneIn(3) {
			v.MaxLength = new(int64(9))
		}
		if n.oneIn(4) {
			s.Default = value(choose(n, `"a"`, `"aa"`))
			if n.mistakes > 0 && n.oneIn(8) {
				s.Default = value(`"B"`)
			}
		}
	case "integer":
		if n.oneIn(4) {
			s.ValueValidation, v.Format = v, "int32"
			s.Default = value(choose(n, "1", "2"))
			if n.mistakes > 0 && n.oneIn(8) {
				s.Default = value(choose(n, "1.5", `"1"`, "99999999999"))
			}
		}
	}
	if n.mistake() {
		s.Type = choose(n, "", "null", "text")
	}
	if n.mistake() {
		s.XPreserveUnknownFields = new(false)
	}
	if s.Type != "boolean" && n.oneIn(12) {
		s.XValidations = []structural.Rule{n.rule()}
	}
	return s
}

func (n *nodes) list(depth int) *structural.Schema {
	s := &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: n.child(depth - 1)}
	if n.oneIn(2) {
		s.ValueValidation = &structural.ValueValidation{MaxItems: new(int64(5))}
	}
	switch s.XListType = choose(n, "", "", "atomic", "map"); {
	case s.XListType == "map" && len(s.Items.Properties) > 0:
		s.XListMapKeys = []string{s.Items.Properties[n.IntN(len(s.Items.Properties))].Name}
	case s.XListType == "map" && !n.mistake():
		s.XListType = ""
	case n.mistake():
		s.XListType = "set"
	}
	return s
}

func (n *nodes) object(depth int) *structural.Schema {
	s := &structural.Schema{Generic: structural.Generic{Type: "object"}}
	names := []string{"a", "b", "c", "d", "e", "name", "metadata", "size"}
	n.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:1+n.IntN(4)] {
		s.Properties = append(s.Properties, structural.Property{Name: name, Schema: n.child(depth - 1)})
	}
	v := &structural.ValueValidation{}
	if n.oneIn(3) {
		s.ValueValidation, v.Required = v, []string{s.Properties[0].Name}
	}
	if n.oneIn(10) {
		s.ValueValidation = v
		nested := structural.NestedValueValidation{Properties: []structural.NestedProperty{{Name: choose(n, s.Properties[0].Name, "missing"), Schema: &structural.NestedValueValidation{}}}}
		v.AnyOf = []structural.NestedValueValidation{nested}
	}
	if n.oneIn(6) {
		s.XValidations = []structural.Rule{n.rule()}
	}
	if n.oneIn(8) {
		s.Default = value(choose(n, "{}", "{}", `{"a": "a"}`, `{"unknown": 1}`))
	}
	if n.oneIn(15) {
		s.XEmbeddedResource = true
	}
	if n.oneIn(15) {
		s.XMapType = "atomic"
	}
	return s
}

func (n *nodes) rule() structural.Rule {
	r := structural.Rule{Rule: choose(n, "true", "self == self", "self == oldSelf", "has(self.a)", "!has(self.b) || self.b == self.b", "size(self) < 3",
		"self.all(x, x == x)", "has(self.a) && self.c.all(x, x == x)", "self.a.matches('^a$')", "self.name == ''")}
	if n.oneIn(8) {
		r.FieldPath = choose(n, ".a", ".b.c", ".unknown")
	}
	if n.oneIn(8) {
		r.MessageExpression = choose(n, "'text'", "self.a", "self.e")
	}
	if n.mistake() {
		r.Rule = choose(n, "self.unknown", "self.matches('(')", "1")
	}
	return r
}

// definition returns a definition with random schemas.
func (n *nodes) definition(i int) *crd.Definition {
	names := apiextensionsv1.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"}
	object := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		Spec:     apiextensionsv1.CustomResourceDefinitionSpec{Group: choose(n, "a.example.com", "b.example.com", "b.k8s.io"), Names: names, Scope: apiextensionsv1.NamespaceScoped},
	}
	object.Name = names.Plural + "." + object.Spec.Group
	s := &crd.Definition{Position: func(path string) (diag.Position, []diag.Related) {
		return diag.Position{File: fmt.Sprintf("%d %s", i, path)}, nil
	}}
	for v := range 1 + n.IntN(2) {
		version := apiextensionsv1.CustomResourceDefinitionVersion{Name: fmt.Sprintf("v%d", v+1), Served: true, Storage: v == 0}
		if n.oneIn(2) {
			version.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
		}
		if n.oneIn(15) {
			version.SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.a"}}
		}
		object.Spec.Versions = append(object.Spec.Versions, version)
		root := &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{
			{Name: "metadata", Schema: &structural.Schema{Generic: structural.Generic{Type: "object"}}},
			{Name: "spec", Schema: n.child(4)}, {Name: "status", Schema: n.child(3)},
		}}
		if n.mistake() {
			root.Properties[0].Schema = n.child(1)
		}
		if n.oneIn(5) {
			root.XValidations = []structural.Rule{n.rule()}
		}
		s.Schemas = append(s.Schemas, root)
	}
	complete(s, object)
	return s
}

// complete sets the functions that return the definition.
func complete(s *crd.Definition, object *apiextensionsv1.CustomResourceDefinition) {
	s.Provenance().BuildWith = func(schemas []*structural.Schema) *apiextensionsv1.CustomResourceDefinition {
		out := object.DeepCopy()
		for i, schema := range schemas {
			out.Spec.Versions[i].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema.Props()}
		}
		return out
	}
	s.Provenance().Header = object
	s.Build = func() *apiextensionsv1.CustomResourceDefinition { return s.Provenance().BuildWith(s.Schemas) }
}

// TestPartial compares the findings about random definitions that share nodes with those about
// the same definitions, each verified as a whole.
func TestPartial(t *testing.T) {
	var targets []*apiserver.Target
	for _, version := range []string{apiserver.Versions()[0], apiserver.DefaultVersion, "1.29"} {
		target, err := apiserver.NewTarget(version)
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, target)
	}
	omitted, accepted, again, found := 0, 0, 0, 0
	for seed := range *batches {
		n := &nodes{Rand: rand.New(rand.NewPCG(uint64(seed), 5)), mistakes: []int{0, 0, 40, 120}[seed%4]}
		var subjects []*crd.Definition
		for i := range 2 + n.IntN(4) {
			s := n.definition(i)
			var err error
			if s.Provenance().Text, err = yaml.Marshal(s.Build()); err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(s.Build())
			if n, failure := new(crdsize.Sizes).Of(s); failure != nil || n != len(data) {
				t.Fatalf("seed %d: %v, got %d bytes of JSON, want %d", seed, failure, n, len(data))
			}
			if err != nil || len(data) > maxJSON(s.Provenance().Text) {
				t.Fatalf("seed %d: %v, %d bytes of JSON, more than %d", seed, err, len(data), maxJSON(s.Provenance().Text))
			}
			subjects = append(subjects, s)
		}
		v := New(targets[seed%len(targets)], Options{Generating: n.oneIn(2)})
		var want diag.List
		rejected := make([]bool, len(subjects))
		for i, s := range subjects {
			results, err := v.examine(t.Context(), s, nil, &shared{})
			if err != nil {
				t.Fatal(err)
			}
			rejected[i] = slices.ContainsFunc(results, result.isRejection)
			want = append(want, onePerMistake(locateAll(s, results))...)
		}
		parts := partials(subjects)
		for i, p := range parts {
			if len(p.relies) > 0 {
				omitted++
				if !rejected[i] {
					accepted++
				}
			}
		}
		again += len(unsure(parts, func(i int) bool { return rejected[i] }))
		found += len(want)
		got, err := v.Check(t.Context(), subjects)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range subjects {
			if !s.Provenance().Accepted.By(v.target.Version()) {
				continue
			}
			s.CRD = s.Build()
			all, err := v.target.Rules(t.Context(), s.CRD)
			if err != nil {
				t.Fatal(err)
			}
			if rules, err := v.Rules(t.Context(), s); err != nil || !reflect.DeepEqual(rules, all) {
				t.Fatalf("seed %d: got rules %v, want %v: %v", seed, rules, all, err)
			}
			if findings, err := v.target.ValidateCreate(t.Context(), s.CRD); err != nil || slices.ContainsFunc(findings, func(f apiserver.Finding) bool { return !f.Warning }) {
				t.Fatalf("seed %d: %v, %v", seed, findings, err)
			}
		}
		if want = FoldNotes(want); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			text, _ := json.Marshal(want)
			other, _ := json.Marshal(got)
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, other, text)
		}
	}
	t.Logf("%d definitions rely on others, %d of them are accepted, %d are verified again; %d findings", omitted, accepted, again, found)
	if omitted < *batches/3 || accepted < *batches/8 || again < *batches/10 || found < *batches {
		t.Errorf("%d definitions rely on others, %d of them are accepted, %d are verified again; %d findings", omitted, accepted, again, found)
	}
}

// TestPartialContexts checks mistakes in repeated nodes that the server reports in one place, but
// not in the other: they are found in all definitions that have them.
func TestPartialContexts(t *testing.T) {
	object := func(properties ...structural.Property) *structural.Schema {
		return &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: properties}
	}
	with := func(name string, s *structural.Schema) structural.Property {
		return structural.Property{Name: name, Schema: s}
	}
	text := func(pattern, defaults string) *structural.Schema {
		s := &structural.Schema{Generic: structural.Generic{Type: "string"}, ValueValidation: &structural.ValueValidation{Pattern: pattern}}
		if defaults != "" {
			s.Default = value(defaults)
		}
		return s
	}
	valid, wrongDefault, wrongPattern := object(with("y", text("^a*$", ""))), object(with("y", text("^a*$", `"b"`))), object(with("y", text("(", "")))
	nested := object(with("u", wrongPattern))
	embedded := object(with("a", text("", "")))
	embedded.XEmbeddedResource, embedded.XPreserveUnknownFields = true, new(true)
	holder := object(with("h", embedded))
	metadata := object(with("metadata", object(with("a", holder))))
	metadata.XEmbeddedResource = true
	defaulted := object(with("t", valid))
	defaulted.Default, defaulted.XPreserveUnknownFields = value(`{"t": {"y": "b"}}`), new(true)
	above := object(with("y", text("^a*$", "")))
	above.Default = value(`{"y": "b"}`)
	values := object()
	values.AdditionalProperties = &structural.SchemaOrBool{Bool: true, Schema: object(with("x", wrongDefault))}
	for name, specs := range map[string][]*structural.Schema{
		"defaults below additionalProperties": {object(with("m", values)), object(with("x", wrongDefault))},
		"of one that relies on another":       {object(with("t", wrongPattern)), object(with("n", nested)), object(with("n", nested), with("o", valid))},
		"metadata of embedded resources":      {object(with("h", holder)), object(with("m", metadata))},
		"a regular expression":                {object(with("x", text("(", ""))), object(with("y", text("(", "")))},
		"a default of another node":           {object(with("x", text("^a*$", ""))), object(with("y", text("^a*$", `"b"`)))},
		"a default above another node":        {object(with("x", text("^a*$", ""))), object(with("d", above))},
		"part of a default":                   {object(with("t", valid)), object(with("d", defaulted))},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := apiserver.NewTarget("")
			if err != nil {
				t.Fatal(err)
			}
			n := &nodes{Rand: rand.New(rand.NewPCG(1, 1))}
			var subjects []*crd.Definition
			for i, spec := range specs {
				s := n.definition(i)
				out := s.Build()
				out.Spec.Versions = out.Spec.Versions[:1]
				complete(s, out)
				s.Schemas = []*structural.Schema{object(with("metadata", object()), with("spec", spec))}
				s.Provenance().Text = []byte("written")
				subjects = append(subjects, s)
			}
			found, err := New(target, Options{}).Check(t.Context(), subjects)
			if err != nil {
				t.Fatal(err)
			}
			pos := fmt.Sprintf("%d spec.versions[0].schema", len(specs)-1)
			if !slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
				return d.Severity == diag.Error && strings.HasPrefix(d.Pos.File, pos)
			}) {
				t.Errorf("no error in the last definition of %d: %v", len(specs), found)
			}
		})
	}
}

// Definitions of deep schemas have more indentation than anything else: three megabytes of YAML
// may be one of JSON.
func TestIsLarge(t *testing.T) {
	line := strings.Repeat(" ", 60) + strings.Repeat("a", 19) + "\n"
	for _, tt := range []struct {
		name, yaml string
		want       bool
	}{
		{"empty", "", false},
		{"small", line, false},
		{"indented", strings.Repeat(line, 4<<20/len(line)), false},
		{"large", strings.Repeat(line, 9<<20/len(line)), true},
		{"one line", strings.Repeat("a", maxPartialBytes+1), true},
		{"limit", strings.Repeat("a", maxPartialBytes), false},
	} {
		if got := isLarge([]byte(tt.yaml)); got != tt.want {
			t.Errorf("%s: isLarge = %t, want %t", tt.name, got, tt.want)
		}
	}
}
