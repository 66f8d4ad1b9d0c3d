package apiserver

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/test/serverrules"
)

// TestRulesHold compares our evaluation of rules for the defaults of random schemas with the
// server's. Where all rules hold, the server must not report any.
func TestRulesHold(t *testing.T) {
	target := target(t, newest())
	held, unsure, failing := 0, 0, 0
	for seed := range *crds * 3 {
		props := defaulted{rand.New(rand.NewPCG(uint64(seed), 9))}.schema(4)
		r, rejection, err := target.newRequest(withProps(t, props), nil)
		if err != nil || rejection != nil {
			t.Fatal(rejection, err)
		}
		for _, s := range r.schemas {
			if !s.underDefault {
				continue
			}
			errors := func(change func(*structuralschema.Structural)) int {
				structural, err := structuralschema.NewStructural(s.root.schema)
				if err != nil {
					t.Fatal(err)
				}
				if hasNestedRules(structural) {
					return -1 // the server does not ask
				}
				change(structural)
				errs, err := defaulting.ValidateDefaults(t.Context(), s.root.path, structural, true, false)
				if err != nil {
					t.Fatal(err)
				}
				return len(errs)
			}
			if errors(serverrules.Remove) != 0 {
				continue // reported without rules
			}
			ofRules := errors(func(*structuralschema.Structural) {})
			switch holds := target.rulesHold(t.Context(), s); {
			case holds && ofRules != 0:
				text, _ := json.Marshal(props)
				t.Fatalf("seed %d: all rules hold, but the server reports %d:\n%s", seed, ofRules, text)
			case holds:
				held++
			case ofRules == 0:
				unsure++
			default:
				failing++
			}
		}
	}
	t.Logf("the rules hold for %d schemas; the server has to be asked about %d, and reports errors for %d of them", held, unsure+failing, failing)
	if held < *crds/10 || failing < *crds/10 || unsure > held/2 {
		t.Errorf("the rules hold for %d schemas; the server has to be asked about %d, and reports errors for %d of them", held, unsure+failing, failing)
	}
}

// TestRulesHoldOnce checks that a rule is evaluated once for a value, and again for other values
// and where the schema gives the value or the rule another meaning.
func TestRulesHoldOnce(t *testing.T) {
	target := target(t, newest())
	number := func(maximum, value int) string {
		return fmt.Sprintf("{type: integer, default: %d, x-kubernetes-validations: [{rule: self <= %d}]}", value, maximum)
	}
	list := func(kind, more string) string {
		return fmt.Sprintf(`{type: object, default: {l: [b, a]}, x-kubernetes-validations: [{rule: "self.l == ['a', 'b']"}],
			properties: {l: {type: array, x-kubernetes-list-type: %s, items: {type: string}}%s}}`, kind, more)
	}
	for _, c := range []struct {
		schema string
		holds  bool
		known  int
	}{
		{number(5, 5), true, 1}, {number(5, 5), true, 1}, {number(5, 6), false, 1}, {number(6, 6), true, 2},
		{number(6, 5), true, 3}, {number(5, 5), true, 3},
		{list("set", ""), true, 4}, {list("set", ", other: {type: string}"), true, 4},
		{list("set", ", other: {type: string, description: text}"), true, 4}, {list("atomic", ""), false, 4},
		{list("set", ", other: {type: string, default: x}"), true, 4},
	} {
		var spec props
		if err := yaml.UnmarshalStrict([]byte(c.schema), &spec); err != nil {
			t.Fatal(err)
		}
		r, rejection, err := target.newRequest(withProps(t, spec), nil)
		if err != nil || rejection != nil {
			t.Fatal(rejection, err)
		}
		known := 0
		holds := target.rulesHold(t.Context(), r.schemas[0])
		target.heldRules.Range(func(any, any) bool { known++; return true })
		if holds != c.holds || known != c.known {
			t.Errorf("%+v: got %t, %d known", c, holds, known)
		}
	}
}
