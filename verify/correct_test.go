package verify

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
)

// TestNoSpuriousErrors checks that a single mistake causes a single error.
func TestNoSpuriousErrors(t *testing.T) {
	for name, c := range map[string]struct {
		property string
		want     []string
	}{
		"map type of a string":   {"{type: string, x-kubernetes-map-type: atomic}", []string{"must be object if x-kubernetes-map-type is specified"}},
		"list type of a string":  {"{type: string, x-kubernetes-list-type: set}", []string{"must be array if x-kubernetes-list-type is specified"}},
		"kind that is a number":  {"{type: object, x-kubernetes-embedded-resource: true, properties: {kind: {type: integer}, apiVersion: {type: string}, metadata: {type: object}}}", []string{"must be string"}},
		"metadata not an object": {"{type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: string}}}", []string{"must be object"}},
		"rule that uses the mistake": {"{type: object, properties: {x: {type: strin}}, x-kubernetes-validations: [{rule: \"self.x.startsWith('a')\"}]}",
			[]string{"supported values"}},
		"rule on the mistake": {"{type: strin, x-kubernetes-validations: [{rule: \"self.startsWith('a')\"}]}", []string{"supported values"}},
		"rule that is also wrong": {"{type: object, properties: {x: {type: strin}, z: {type: string}}, x-kubernetes-validations: [{rule: self.z > 1}]}",
			[]string{"supported values", "found no matching overload for '_>_' applied to '(string, int)'"}},
		"old self in a list": {"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [nam], maxItems: 2, items: {type: object, properties: {name: {type: string}, v: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: self == oldSelf}]}}}}",
			[]string{"entries must all be names of item properties"}},
	} {
		t.Run(name, func(t *testing.T) {
			found, _ := verifyText(t, manifestOf("type: object\nproperties:\n  a: "+c.property))
			var got []string
			for _, d := range found {
				if d.Severity == diag.Error {
					got = append(got, d.Message)
				}
			}
			if !slices.EqualFunc(got, c.want, func(got, want string) bool { return strings.Contains(got, want) }) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// planted is a definition with mistakes, each of which can be left out.
type planted struct {
	good     *apiextensionsv1.JSONSchemaProps
	mistakes []mistake
}

type mistake struct {
	at   []string // names of properties, "[]" for elements, "{}" for values
	name string
	make func(s *apiextensionsv1.JSONSchemaProps)
}

// with returns the definition with the mistakes selected by the bits of which. The first
// bit selects the defaults: a rule that is wrong makes defaults invalid, and then the
// server does not report the rule.
func (p planted) with(which int) *apiextensionsv1.CustomResourceDefinition {
	root := p.good.DeepCopy()
	if which&1 == 0 {
		withoutDefaults(root)
	}
	for i, m := range p.mistakes {
		if which&(2<<i) != 0 {
			plant(root, m.at, m.make)
		}
	}
	out := &apiextensionsv1.CustomResourceDefinition{}
	out.Name, out.Spec.Group, out.Spec.Scope = "widgets.example.com", "example.com", "Namespaced"
	out.Spec.Names.Plural, out.Spec.Names.Kind = "widgets", "Widget"
	out.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: root},
	}}
	return out
}

func withoutDefaults(s *apiextensionsv1.JSONSchemaProps) {
	s.Default = nil
	for name, child := range s.Properties {
		withoutDefaults(&child)
		s.Properties[name] = child
	}
	if s.Items != nil {
		withoutDefaults(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		withoutDefaults(s.AdditionalProperties.Schema)
	}
}

// plant changes the node at a path, if it still exists.
func plant(s *apiextensionsv1.JSONSchemaProps, at []string, change func(*apiextensionsv1.JSONSchemaProps)) {
	switch {
	case s == nil:
	case len(at) == 0:
		change(s)
	case at[0] == "[]" && s.Items != nil:
		plant(s.Items.Schema, at[1:], change)
	case at[0] == "{}" && s.AdditionalProperties != nil:
		plant(s.AdditionalProperties.Schema, at[1:], change)
	default:
		if child, ok := s.Properties[at[0]]; ok {
			plant(&child, at[1:], change)
			s.Properties[at[0]] = child
		}
	}
}

// goodSchema returns a random schema without mistakes and appends the paths of its nodes to
// paths. In a list the old value is unknown unless the list is keyed.
func goodSchema(r *rand.Rand, depth int, at []string, paths *[][]string) apiextensionsv1.JSONSchemaProps {
	*paths = append(*paths, slices.Clone(at))
	raw := func(text string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(text)} }
	rule := func(s *apiextensionsv1.JSONSchemaProps, texts ...string) {
		text := texts[r.IntN(len(texts))]
		if r.IntN(2) == 0 && !(slices.Contains(at, "[]") && strings.Contains(text, "oldSelf")) {
			s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: text})
		}
	}
	maybe := func(text string) *apiextensionsv1.JSON {
		if r.IntN(3) > 0 {
			return nil
		}
		return raw(text)
	}
	kinds := 3
	if depth > 0 {
		kinds = 7
	}
	var s apiextensionsv1.JSONSchemaProps
	switch kind := r.IntN(kinds); kind {
	case 0:
		s = apiextensionsv1.JSONSchemaProps{Type: "string", MaxLength: new(int64(20)), Default: maybe(`"abc"`), Pattern: "^[a-z]+$"}
		rule(&s, "self.startsWith('a')", "self == oldSelf", "self.size() > 2")
	case 1:
		s = apiextensionsv1.JSONSchemaProps{Type: "integer", Minimum: new(1.0), Default: maybe("5")}
		rule(&s, "self > 3", "self >= oldSelf")
	case 2:
		s = apiextensionsv1.JSONSchemaProps{Type: "boolean", Default: maybe("true")}
	case 3: // a list
		items := goodSchema(r, depth-1, append(slices.Clone(at), "[]"), paths)
		s = apiextensionsv1.JSONSchemaProps{Type: "array", MaxItems: new(int64(5)), Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}}
		rule(&s, "self.all(x, self.exists(y, x == y))", "self.size() > 0", "self == oldSelf")
	case 4: // a keyed list
		items := apiextensionsv1.JSONSchemaProps{Type: "object", Required: []string{"key"}, Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"key": {Type: "string", MaxLength: new(int64(20))},
			"b":   goodSchema(r, depth-1, append(slices.Clone(at), "[]", "b"), paths),
		}}
		if key := items.Properties["key"]; !slices.Contains(at, "[]") {
			key.XValidations = apiextensionsv1.ValidationRules{{Rule: "self == oldSelf"}}
			items.Properties["key"] = key
		}
		s = apiextensionsv1.JSONSchemaProps{Type: "array", MaxItems: new(int64(5)), Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items},
			XListType: new("map"), XListMapKeys: []string{"key"}}
		rule(&s, "self.all(x, x.key.size() > 1)", "self == oldSelf")
		*paths = append(*paths, append(slices.Clone(at), "[]"), append(slices.Clone(at), "[]", "key"))
	case 5: // a map
		values := goodSchema(r, depth-1, append(slices.Clone(at), "{}"), paths)
		s = apiextensionsv1.JSONSchemaProps{Type: "object", MaxProperties: new(int64(5)), AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &values}}
		rule(&s, "self.all(k, k.size() > 1)", "self.size() < 3")
	default:
		s = apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
		for _, name := range []string{"a", "b", "c", "d"}[:1+r.IntN(4)] {
			child := goodSchema(r, depth-1, append(slices.Clone(at), name), paths)
			s.Properties[name] = child
			switch child.Type {
			case "string":
				rule(&s, fmt.Sprintf("!has(self.%[1]s) || self.%[1]s.endsWith('c')", name))
			case "integer":
				rule(&s, fmt.Sprintf("!has(self.%[1]s) || self.%[1]s > 2", name))
			case "array":
				rule(&s, fmt.Sprintf("!has(self.%[1]s) || self.%[1]s.size() > 0", name))
			case "object":
				rule(&s, fmt.Sprintf("!has(self.%[1]s) || self.%[1]s == self.%[1]s", name))
			}
		}
		s.Default = maybe("{}")
		if r.IntN(4) == 0 {
			s.XEmbeddedResource, s.XPreserveUnknownFields, s.Default, s.XValidations = true, new(true), nil, nil
			s.Properties["kind"], s.Properties["metadata"] = apiextensionsv1.JSONSchemaProps{Type: "string"}, apiextensionsv1.JSONSchemaProps{Type: "object"}
			*paths = append(*paths, append(slices.Clone(at), "kind"), append(slices.Clone(at), "metadata"))
		}
	}
	return s
}

// mistakes returns the mistakes that are planted.
func mistakes() []mistake {
	raw := func(text string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(text)} }
	type props = apiextensionsv1.JSONSchemaProps
	withRule := func(text string) func(*props) {
		return func(s *props) {
			s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: text})
		}
	}
	return []mistake{
		{name: "unknown type", make: func(s *props) { s.Type = "strin" }},
		{name: "no type", make: func(s *props) { s.Type = "" }},
		{name: "another type", make: func(s *props) { s.Type = "integer" }},
		{name: "map type", make: func(s *props) { s.XMapType = new("atomic") }},
		{name: "unknown map type", make: func(s *props) { s.XMapType = new("bag") }},
		{name: "list type", make: func(s *props) { s.XListType = new("set") }},
		{name: "unknown list type", make: func(s *props) { s.XListType = new("bag") }},
		{name: "no keys", make: func(s *props) { s.XListType, s.XListMapKeys = new("map"), nil }},
		{name: "unknown keys", make: func(s *props) { s.XListMapKeys = []string{"nope"} }},
		{name: "unique items", make: func(s *props) { s.UniqueItems = true }},
		{name: "no items", make: func(s *props) { s.Items = nil }},
		{name: "reference", make: func(s *props) { s.Ref = new("#") }},
		{name: "pattern", make: func(s *props) { s.Pattern = "(" }},
		{name: "not", make: func(s *props) { s.Not = &props{Type: "string"} }},
		{name: "both properties", make: func(s *props) {
			s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &props{Type: "string"}}
		}},
		{name: "default", make: func(s *props) { s.Default = raw("1.5") }},
		{name: "unknown default", make: func(s *props) { s.Default = raw(`{"zzz": 1}`) }},
		{name: "embedded", make: func(s *props) { s.XEmbeddedResource = true }},
		{name: "int or string", make: func(s *props) { s.XIntOrString = true }},
		{name: "nullable", make: func(s *props) { s.Nullable = true }},
		{name: "preserved", make: func(s *props) { s.XPreserveUnknownFields = new(false) }},
		{name: "syntax of a rule", make: withRule("self ==")},
		{name: "unknown field", make: withRule("self.zzz == 1")},
		{name: "type of a rule", make: withRule("self")},
		{name: "costly rule", make: withRule("'a'.matches('" + strings.Repeat("a", 100) + "') && [1, 2].all(a, [1, 2].all(b, [1, 2].all(c, true)))")},
		{name: "empty rule", make: withRule("")},
		{name: "no bounds", make: func(s *props) { s.MaxItems, s.MaxLength, s.MaxProperties = nil, nil, nil }},
		{name: "negative bound", make: func(s *props) { s.MaxItems, s.MaxLength = new(int64(-1)), new(int64(-1)) }},
	}
}

// TestRandomMistakes plants mistakes in random schemas. Every reported error must be one
// that the server reports for some subset of the mistakes; leaving out a mistake restores
// the valid schema, so that it cannot hide an error and its cause.
func TestRandomMistakes(t *testing.T) {
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	v := New(target, Options{})
	later, reported, possible := 0, 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 16))
		var paths [][]string
		p := planted{good: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}}
		for _, name := range []string{"p", "q"} {
			p.good.Properties[name] = goodSchema(r, 3, []string{name}, &paths)
		}
		if found, err := target.ValidateCreate(t.Context(), p.with(1)); err != nil || len(found) > 0 {
			t.Fatalf("seed %d: a good schema: %v %v", seed, found, err)
		}
		var names []string
		for range 1 + r.IntN(3) {
			all := mistakes()
			m := all[r.IntN(len(all))]
			m.at = paths[r.IntN(len(paths))]
			p.mistakes = append(p.mistakes, m)
			names = append(names, fmt.Sprintf("%s at %s", m.name, strings.Join(m.at, ".")))
		}
		said := map[string]bool{}
		for which := range 2 << len(p.mistakes) {
			found, err := target.ValidateCreate(t.Context(), p.with(which))
			if err != nil {
				t.Fatalf("seed %d, %q, %b: %v\n%s", seed, names, which, err, func() []byte { b, _ := json.Marshal(p.with(which)); return b }())
			}
			for _, f := range found {
				said[signature(f.String())] = true
			}
		}
		possible += len(said)
		subject := &crd.Definition{CRD: p.with(2<<len(p.mistakes) - 1), Position: func(path string) (diag.Position, []diag.Related) {
			return diag.Position{File: path, Line: 1}, nil
		}}
		found, err := v.One(t.Context(), subject)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		once := map[string]bool{}
		for _, d := range found {
			if d.Code != rejectedByServer.Code {
				continue
			}
			reported++
			if strings.Contains(d.Hint, laterHint) {
				later++
			}
			if !said[signature(d.Message)] {
				t.Errorf("seed %d, %s: the server never reports: %s", seed, strings.Join(names, ", "), d.Message)
			}
			if once[d.Message] {
				t.Errorf("seed %d, %s: reported twice: %s", seed, strings.Join(names, ", "), d.Message)
			}
			once[d.Message] = true
		}
	}
	t.Logf("%d of %d possible errors reported, %d of them hidden by others at first", reported, possible, later)
	if later < 20 {
		t.Errorf("only %d errors were hidden by others", later)
	}
}

// signature returns a message without the value that it quotes, which may be a whole
// schema.
func signature(message string) string {
	message = shorten(message)
	path, rest, _ := strings.Cut(message, ": ")
	for _, kind := range []string{"Invalid value", "Required value", "Unsupported value", "Forbidden", "Duplicate value", "Internal error", "Too many"} {
		if after, ok := strings.CutPrefix(rest, kind+": "); ok {
			rest = kind + after[max(0, strings.LastIndex(after, ": ")):]
		}
	}
	before, _, _ := strings.Cut(rest, "by factor of")
	return path + " " + before
}

// isBudget reports whether an error is about the budget that the rules of all defaults share. The
// server goes through the properties in a random order, so which rule exceeds it differs.
func isBudget(message string) bool { return strings.Contains(message, "actual cost limit exceeded") }

// TestEveryMistake plants several mistakes in random schemas, which are written as YAML and read
// again: each error of the server is the message of a finding, and each finding is an error of
// the server or marked with laterHint. A rule that contributes to a total has a position of the
// finding about the total.
func TestEveryMistake(t *testing.T) {
	errors, totals, shared := 0, 0, 0
	for seed := range uint64(250) {
		r := rand.New(rand.NewPCG(seed, 34))
		var paths [][]string
		p := planted{good: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}}
		for _, name := range []string{"p", "q"} {
			p.good.Properties[name] = goodSchema(r, 3, []string{name}, &paths)
		}
		for range 2 + r.IntN(5) {
			all := append(mistakes(), wideMistakes()...)
			m := all[r.IntN(len(all))]
			m.at = paths[r.IntN(len(paths))]
			p.mistakes = append(p.mistakes, m)
		}
		object := p.with(2<<len(p.mistakes) - 1)
		object.APIVersion, object.Kind = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
		text, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		found, subject := verifyFor(t, apiserver.Versions()[0], string(text))
		if subject == nil {
			t.Fatalf("seed %d: %v\n%s", seed, found, text)
		}
		positions := map[diag.Position]int{}
		said := map[string]bool{}
		var total []diag.Position
		for _, d := range found {
			if d.Code != rejectedByServer.Code {
				continue
			}
			if said[d.Message] {
				t.Errorf("seed %d: reported twice: %s", seed, d.Message)
			}
			said[d.Message] = true
			positions[d.Pos]++
			if strings.Contains(d.Message, " cost exceeds budget by ") {
				total = append(total, d.Pos) // the total may be left out, for it would say the same
			}
			if strings.Contains(d.Message, " cost total for entire ") {
				totals++
				total = append(total, d.Pos)
				for _, related := range d.Related {
					total = append(total, related.Pos)
				}
			}
		}
		want := serverSays(t, subject.CRD)
		if slices.Equal(want, []string{panics}) {
			if !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == unknownAnswer.Code }) {
				t.Errorf("seed %d: the server panics, but there is no finding about that", seed)
			}
			continue
		}
		for _, message := range want {
			errors++
			path, detail, _ := strings.Cut(message, ": ")
			pos, _ := subject.Position(path)
			switch {
			case isBudget(message):
			case strings.Contains(message, " cost total for entire ") && len(total) > 0:
			case strings.HasPrefix(detail, "Forbidden: contributed to "):
				if !slices.Contains(total, pos) {
					t.Errorf("seed %d: no finding about the total names %s", seed, path)
				}
			case !said[message]:
				t.Errorf("seed %d: missing: %s\n%s", seed, message, text)
			}
		}
		for _, d := range found {
			if d.Code == rejectedByServer.Code && !strings.Contains(d.Hint, laterHint) && !isBudget(d.Message) && !slices.Contains(want, d.Message) {
				t.Errorf("seed %d: the server does not report: %s", seed, d.Message)
			}
		}
		for _, n := range positions {
			if n > 1 {
				shared++
			}
		}
	}
	t.Logf("%d errors of the server; %d totals; %d positions have several errors", errors, totals, shared)
	if errors < 700 || totals < 10 || shared < 80 {
		t.Errorf("only %d errors of the server; %d totals; %d positions have several errors", errors, totals, shared)
	}
}

// wideMistakes returns mistakes for which the server reports several errors, some of them about
// parts that do not exist in the text, so that their positions are the same.
func wideMistakes() []mistake {
	raw := func(text string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(text)} }
	type props = apiextensionsv1.JSONSchemaProps
	costly := func(rules, levels int) func(*props) {
		return func(s *props) {
			for i := range rules {
				text := fmt.Sprint(i, " < 1000")
				for level := range levels {
					text = fmt.Sprintf("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(x%d, %s)", level, text)
				}
				s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: text})
			}
		}
	}
	return []mistake{
		{name: "missing fields of a default", make: func(s *props) {
			*s = props{Type: "object", Required: []string{"a", "b", "c"}, Default: raw("{}"),
				Properties: map[string]props{"a": {Type: "string"}, "b": {Type: "string"}, "c": {Type: "string"}}}
		}},
		{name: "default of an embedded object", make: func(s *props) {
			*s = props{Type: "object", XEmbeddedResource: true, XPreserveUnknownFields: new(true), Default: raw(`{"metadata": {"name": "a"}}`)}
		}},
		{name: "empty properties", make: func(s *props) {
			*s = props{Type: "object", Properties: map[string]props{"x": {}, "y": {}}}
		}},
		{name: "empty rules", make: func(s *props) {
			s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{}, apiextensionsv1.ValidationRule{})
		}},
		{name: "unknown keys", make: func(s *props) { s.XListType, s.XListMapKeys = new("map"), []string{"nope", "neither"} }},
		{name: "values of a default", make: func(s *props) {
			*s = props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &props{Type: "integer"}}, Default: raw(`["a", "b", {}]`)}
		}},
		{name: "rules that cost too much", make: costly(2, 7)},
		{name: "a rule that costs too much in a list", make: costly(1, 6)},
		{name: "rules that cost too much together", make: costly(20, 6)},
	}
}
