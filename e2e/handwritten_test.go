package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/unions"
)

// handwritten is rules that people write for a union, and those of the marker with the same meaning.
type handwritten struct {
	byHand   []string
	byMarker []string
}

// markerRules returns the rules that a marker of controller-tools adds.
func markerRules(t *testing.T, marker interface {
	ApplyToSchema(*crdmarkers.SchemaContext, *apiextensionsv1.JSONSchemaProps) error
},
) []string {
	t.Helper()
	var schema apiextensionsv1.JSONSchemaProps
	if err := marker.ApplyToSchema(nil, &schema); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, rule := range schema.XValidations {
		out = append(out, rule.Rule)
	}
	return out
}

// unionRules returns the rules of a union with a required discriminator.
func unionRules(t *testing.T, members ...unions.Member) []string {
	t.Helper()
	u := unions.New("type", []string{"A", "B", "None"}, members...)
	u.Required = true
	lowered, err := unions.Lower(u, unions.LowerOptions{Forms: []unions.Form{unions.FormCEL}})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, rule := range lowered.Rules {
		out = append(out, rule.Rule)
	}
	return out
}

func handwrittenPairs(t *testing.T) []handwritten {
	t.Helper()
	a := unions.Member{Name: "a", Value: "A"}
	b := unions.Member{Name: "b", Value: "B"}
	return []handwritten{
		{[]string{"has(self.a) != has(self.b)"}, markerRules(t, crdmarkers.ExactlyOneOf{"a", "b"})},
		{[]string{"(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) + (has(self.c) ? 1 : 0) == 1"}, markerRules(t, crdmarkers.ExactlyOneOf{"a", "b", "c"})},
		{[]string{"has(self.a) || has(self.b)", "!(has(self.a) && has(self.b))"}, markerRules(t, crdmarkers.ExactlyOneOf{"a", "b"})},
		{[]string{"!has(self.a) || !has(self.b)"}, markerRules(t, crdmarkers.AtMostOneOf{"a", "b"})},
		{[]string{"!(has(self.a) && has(self.b))", "!(has(self.b) && has(self.c))", "!(has(self.a) && has(self.c))"}, markerRules(t, crdmarkers.AtMostOneOf{"a", "b", "c"})},
		{[]string{"has(self.a) || has(self.b) || has(self.c)"}, markerRules(t, crdmarkers.AtLeastOneOf{"a", "b", "c"})},
		{[]string{"(self.type == 'A') == has(self.a)"}, unionRules(t, a)},
		{[]string{"self.type == 'A' ? has(self.a) : !has(self.a)", "self.type == 'B' ? has(self.b) : !has(self.b)"}, unionRules(t, a, b)},
		{[]string{"self.type == 'A' || !has(self.a)"}, unionRules(t, unions.Member{Name: "a", Value: "A", Optional: true})},
		{[]string{"!(has(self.a) && self.type != 'A')", "self.type != 'A' || has(self.a)", "!has(self.b) || self.type == 'B'"},
			unionRules(t, a, unions.Member{Name: "b", Value: "B", Optional: true})},
	}
}

// handwrittenObjects returns 200 objects: each combination of values of three members, for each value of the
// discriminator, and each set of members without a discriminator.
func handwrittenObjects() []map[string]any {
	members := []string{"a", "b", "c"}
	var out []map[string]any
	for _, discriminator := range []string{"A", "B", "None"} {
		for i := range 64 {
			object := map[string]any{"type": discriminator}
			for k, name := range members {
				switch i >> (2 * k) & 3 {
				case 1:
					object[name] = nil
				case 2:
					object[name] = map[string]any{}
				case 3:
					object[name] = map[string]any{"note": "x"}
				}
			}
			out = append(out, object)
		}
	}
	for i := range 8 {
		object := map[string]any{}
		for k, name := range members {
			if i&(1<<k) != 0 {
				object[name] = map[string]any{}
			}
		}
		out = append(out, object)
	}
	return out
}

// TestHandwrittenRules wants the server to give the same answers by rules that people write as by those of
// markers, for 200 objects each.
func TestHandwrittenRules(t *testing.T) {
	part(t, "hand-written unions")
	server := cluster(t)
	ctx := within(t)
	pairs := handwrittenPairs(t)
	properties := map[string]any{}
	for i, pair := range pairs {
		for side, texts := range map[string][]string{"hand": pair.byHand, "marker": pair.byMarker} {
			var rules []map[string]any
			for _, text := range texts {
				rules = append(rules, map[string]any{"rule": text})
			}
			member := map[string]any{"type": "object", "properties": map[string]any{"note": map[string]any{"type": "string"}}}
			properties[fmt.Sprint(side, i)] = map[string]any{
				"type": "object", "required": []string{"type"}, "x-kubernetes-validations": rules,
				"properties": map[string]any{"type": map[string]any{"type": "string", "enum": []string{"A", "B", "None"}}, "a": member, "b": member, "c": member},
			}
		}
	}
	schema, err := yaml.Marshal(map[string]any{"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": properties}}})
	if err != nil {
		t.Fatal(err)
	}
	crd := definition(t, "hand-written rules", "handwrittens", "v1", string(schema))
	if _, err := server.CreateCRD(ctx, crd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := afterwards()
		defer cancel()
		if err := server.DeleteCRD(ctx, crd.Name); err != nil {
			t.Error(err)
		}
	})
	const path = "/apis/example.com/v1/namespaces/default/handwrittens?dryRun=All"
	accepts := func(field string, object map[string]any) bool {
		body, err := json.Marshal(map[string]any{
			"apiVersion": "example.com/v1", "kind": "Handwritten", "metadata": map[string]any{"name": "x"}, "spec": map[string]any{field: object},
		})
		if err != nil {
			t.Fatal(err)
		}
		var poll poller
		answer, err := server.Do(ctx, http.MethodPost, path, "application/json", body)
		for err == nil && answer.Code == http.StatusNotFound { // it is not served yet
			if err = poll.next(ctx); err == nil {
				answer, err = server.Do(ctx, http.MethodPost, path, "application/json", body)
			}
		}
		if err != nil || !answer.OK() && answer.Code != http.StatusUnprocessableEntity {
			t.Fatal(err, answer)
		}
		return answer.OK()
	}
	accepted, refused := 0, 0
	for i, pair := range pairs {
		for _, object := range handwrittenObjects() {
			byHand := accepts(fmt.Sprint("hand", i), object)
			if byMarker := accepts(fmt.Sprint("marker", i), object); byHand != byMarker {
				t.Errorf("%v: %t by hand %q, %t by marker %q", object, byHand, pair.byHand, byMarker, pair.byMarker)
			}
			if byHand {
				accepted++
			} else {
				refused++
			}
		}
	}
	if accepted+refused != 2000 || accepted < 500 || refused < 500 {
		t.Errorf("%d objects are accepted, %d refused", accepted, refused)
	}
	suite.report.Count("objects that hand-written rules and those of markers accept or refuse alike", accepted+refused)
}
