package containment_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/internal/test/containmenttest"
	"github.com/schemagen/schemagen/structural"
)

var randomPairs = flag.Int("pairs", 120, "number of random kinds of TestRandom, each in two channels")

// TestRandom checks with the API server's code that whatever a channel accepts, one that is said
// to contain it accepts and stores equally, when objects are created and when they are updated.
func TestRandom(t *testing.T) {
	specs := map[string]string{}
	for seed := range *randomPairs {
		specs[fmt.Sprintf("p%d", seed)] = containmenttest.Random{Rand: rand.New(rand.NewPCG(uint64(seed), 22))}.Spec()
	}
	p := generate(t, specs)
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	contained, differing, folded, objects, updates, shown := 0, 0, 0, 0, 0, 0
	for seed := range *randomPairs {
		name := fmt.Sprintf("p%d", seed)
		r := containmenttest.Random{Rand: rand.New(rand.NewPCG(uint64(seed), 23))}
		narrow, wide := containmenttest.DefinitionOf(&p.Narrow, name), containmenttest.DefinitionOf(&p.Wide, name)
		if ok, err := p.IsAccepted(t.Context(), target, name); err != nil {
			t.Fatal(err)
		} else if !ok {
			continue
		}
		holds, rules := true, 0
		for _, c := range p.Changes {
			if c.Definition == narrow.CRD.Name {
				holds = holds && c.Category == compare.Safe
				if c.Kind == changekind.RuleAdded && c.Category == compare.Safe {
					rules++
				}
			}
		}
		if holds {
			contained++
			folded += rules
			if !reflect.DeepEqual(narrow.Build().Spec, wide.Build().Spec) {
				differing++
			}
		}
		narrowKind, wideKind := kinds(t, p, name)
		model := narrow.Schemas[0]
		spec := model.Properties[model.PropertyIndex("spec")].Schema
		var stored map[string]any
		for range 40 {
			object := containmenttest.Widget(name, r.Value(spec))
			before, refused := create(t.Context(), t, narrowKind, object)
			if refused != "" {
				continue
			}
			after, refused := create(t.Context(), t, wideKind, object)
			problem := containmenttest.Disagreement(before, after, refused, model)
			if holds {
				objects++
			}
			if stored != nil && problem == "" {
				if holds {
					updates++
				}
				problem = updated(t, narrowKind, wideKind, object, stored, model)
			}
			stored = before
			if problem == "" {
				continue
			}
			if holds {
				text, _ := json.Marshal(object)
				t.Fatalf("seed %d: %s: %s\n%s\n%+v", seed, text, problem, specs[name], p.Changes)
			}
			shown++
			break
		}
	}
	t.Logf("%d pairs are contained, of which %d differ, with %d folded rules: %d objects; %d updates; an object shows that %d other pairs are not contained", contained, differing, folded, objects, updates, shown)
	if differing < *randomPairs/5 || folded < *randomPairs/10 || objects < 4*(*randomPairs) || shown < *randomPairs/5 {
		t.Error("too few")
	}
}

// updated returns what the wide channel does otherwise with an update that the narrow one
// accepts.
func updated(t *testing.T, narrow, wide *apiserver.Kind, object, stored map[string]any, model *structural.Schema) string {
	before, err := narrow.Update(t.Context(), object, stored)
	if err != nil {
		t.Fatal(err)
	}
	if len(before.Errors) > 0 {
		return ""
	}
	after, err := wide.Update(t.Context(), object, stored)
	if err != nil {
		t.Fatal(err)
	}
	refused := ""
	if len(after.Errors) > 0 {
		refused = after.Errors.ToAggregate().Error()
	}
	return containmenttest.Disagreement(before.Object, after.Object, refused, model)
}
