package passes_test

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
)

// TestRulesEvaluate adds a label to objects that were stored under earlier versions of each
// schema that the cases generate, in which one property at a time was missing. None of the
// generated rules may fail to evaluate: such a failure is never ratcheted, so it blocks
// every update, including the removal of a finalizer. Nor may a rule reject the update,
// unless it is at the root, which the label changes.
func TestRulesEvaluate(t *testing.T) {
	var updates, blocked int
	var evaluated []string
	for _, c := range readCases(t) {
		if c.Unverified {
			continue
		}
		var source strings.Builder
		for _, f := range c.Archive.Files {
			if strings.HasSuffix(f.Name, ".go") {
				source.Write(f.Data)
			}
		}
		byHand := inOneLine(source.String())
		for _, f := range c.Archive.Files {
			if !strings.HasPrefix(f.Name, "want/") || !strings.HasSuffix(f.Name, ".yaml") || !strings.Contains(string(f.Data), keywords.Rules) {
				continue
			}
			// The rules of a pod template are those of k8s.io/api, and checking its objects
			// takes minutes.
			if len(f.Data) > 100_000 {
				continue
			}
			t.Run(c.Name+"/"+strings.TrimPrefix(f.Name, "want/"), func(t *testing.T) {
				var crd apiextensionsv1.CustomResourceDefinition
				if err := yaml.UnmarshalStrict(f.Data, &crd); err != nil {
					t.Fatal(err)
				}
				for _, v := range crd.Spec.Versions {
					s := &storedObjects{Rand: rand.New(rand.NewSource(1)), crd: &crd, version: v.Name}
					if s.drop(v.Schema.OpenAPIV3Schema, byHand); len(s.ours) == 0 {
						continue
					}
					s.check(t, v.Schema.OpenAPIV3Schema)
					updates, blocked, evaluated = updates+s.updates, blocked+s.blocked, append(evaluated, s.ours...)
				}
			})
		}
	}
	slices.Sort(evaluated)
	evaluated = slices.Compact(evaluated)
	t.Logf("%d rules, %d updates, of which %d were rejected before rules were evaluated", len(evaluated), updates, blocked)
	if len(evaluated) < 110 || updates < 2_500 || blocked > updates/50 {
		t.Error("too few rules or updates")
	}
}

// inOneLine returns a text without the characters in which a rule differs from its marker.
func inOneLine(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer(`\`, "", "//", "", `"`, "").Replace(text)), "")
}

// storedObjects generates objects as they may be stored under a schema.
type storedObjects struct {
	*rand.Rand
	crd     *apiextensionsv1.CustomResourceDefinition
	version string
	// ours are the generated rules, as opposed to those in markers.
	ours             []string
	updates, blocked int
	// keys are the keys of map lists. The server does not correlate lists with an element
	// that lacks its key.
	keys []string
	// changed is set if the label changes a value that has rules.
	changed bool
}

// drop removes the rules that are written in markers, and records the others. It also
// removes required, since no rule is evaluated if a required property is missing: the
// server does not ratchet required at the root, which the label changes, or in elements
// without keys.
func (s *storedObjects) drop(schema *apiextensionsv1.JSONSchemaProps, byHand string) {
	schema.Required, s.keys = nil, append(s.keys, schema.XListMapKeys...)
	schema.XValidations = slices.DeleteFunc(schema.XValidations, func(rule apiextensionsv1.ValidationRule) bool {
		return strings.Contains(byHand, inOneLine(rule.Rule))
	})
	for _, rule := range schema.XValidations {
		s.ours = append(s.ours, rule.Rule)
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		p := schema.Properties[name]
		s.drop(&p, byHand)
		schema.Properties[name] = p
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		s.drop(schema.Items.Schema, byHand)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		s.drop(schema.AdditionalProperties.Schema, byHand)
	}
}

// check updates a label of objects from which one property at a time is removed.
func (s *storedObjects) check(t *testing.T, schema *apiextensionsv1.JSONSchemaProps) {
	kind, err := apiserver.NewKind(s.crd, s.version)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 12 {
		object := s.value(schema, n).(map[string]any)
		object["apiVersion"], object["kind"] = s.crd.Spec.Group+"/"+s.version, s.crd.Spec.Names.Kind
		object["metadata"] = map[string]any{"name": "stored", "namespace": "default"}
		s.changed = len(schema.XValidations) > 0
		s.update(t, kind, object)
		eachWithout(object, func(name string) {
			s.changed = len(schema.XValidations) > 0 || slices.Contains(s.keys, name)
			s.update(t, kind, object)
		})
		if t.Failed() {
			return
		}
	}
}

// eachWithout calls f for each property in a value, at any depth, while the property is
// removed.
func eachWithout(value any, f func(name string)) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if name == "apiVersion" || name == "kind" || name == "metadata" {
				continue
			}
			dropped := value[name]
			delete(value, name)
			f(name)
			value[name] = dropped
			eachWithout(dropped, f)
		}
	case []any:
		for _, element := range value {
			eachWithout(element, f)
		}
	}
}

// update adds a label to the object, through each endpoint of the kind.
func (s *storedObjects) update(t *testing.T, kind *apiserver.Kind, stored map[string]any) {
	t.Helper()
	labelled := runtime.DeepCopyJSON(stored)
	labelled["metadata"].(map[string]any)["labels"] = map[string]any{"a": "b"}
	updates := []func(context.Context, map[string]any, map[string]any) (apiserver.Answer, error){kind.Update}
	if kind.HasStatus() {
		updates = append(updates, kind.UpdateStatus)
	}
	for _, update := range updates {
		answer, err := update(t.Context(), labelled, stored)
		if err != nil {
			t.Fatal(err)
		}
		s.updates++
		texts := answer.Warnings
		for _, e := range answer.Errors {
			texts = append(texts, e.Error())
			if strings.Contains(e.Detail, "some validation rules were not checked") {
				s.blocked++
			}
		}
		for _, text := range texts {
			if strings.Contains(text, "evaluating rule") || strings.Contains(text, "did not match a supported operator") {
				t.Errorf("%s\nof %v", text, stored)
			}
		}
		if len(answer.Errors) > 0 && !s.changed {
			t.Errorf("a label is rejected: %v\nof %v", answer.Errors, stored)
		}
	}
}

// value generates the n-th object. The first one has all properties, the others some.
func (s *storedObjects) value(schema *apiextensionsv1.JSONSchemaProps, n int) any {
	switch {
	case schema.Nullable && s.Intn(4) == 0:
		return nil
	case len(schema.Enum) > 0:
		var value any
		if err := json.Unmarshal(schema.Enum[s.Intn(len(schema.Enum))].Raw, &value); err != nil {
			panic(err)
		}
		return value
	case schema.XIntOrString && s.Intn(2) == 0:
		return int64(s.Intn(3))
	case schema.XIntOrString:
		return "50%"
	}
	texts := []string{"x", "special", "a", ""}
	switch schema.Type {
	case "array":
		out := []any{}
		for i := range s.Intn(3) + 1 - min(n, 1) {
			element := s.value(schema.Items.Schema, n)
			if schema.XListType != nil && *schema.XListType == "set" && slices.Contains(out, element) {
				continue
			}
			if object, ok := element.(map[string]any); ok && schema.XListType != nil {
				for _, key := range schema.XListMapKeys { // values without a counterpart are not ratcheted
					if schema.Items.Schema.Properties[key].Type == "string" {
						object[key] = texts[i]
					}
				}
			}
			out = append(out, element)
		}
		return out
	case "string":
		return texts[s.Intn(len(texts))]
	case "integer":
		return int64(s.Intn(3))
	case "number":
		return []any{int64(1), 1.5}[s.Intn(2)]
	case "boolean":
		return s.Intn(2) == 0
	}
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if n == 0 || s.Intn(4) > 0 {
			p := schema.Properties[name]
			out[name] = s.value(&p, n)
		}
	}
	if a := schema.AdditionalProperties; a != nil && a.Schema != nil {
		for _, name := range []string{"x", "a/b"} {
			out[name] = s.value(a.Schema, n)
		}
	}
	return out
}
