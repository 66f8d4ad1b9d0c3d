package structural

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"testing"

	apimachineryjson "k8s.io/apimachinery/pkg/util/json"
)

// fromJSON decodes like the server: integers are int64.
func fromJSON(t testing.TB, text string) any {
	t.Helper()
	var out any
	if err := apimachineryjson.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDropValueValidationsAgreesWithServer compares DropValueValidations with the server's
// StripValueValidations.
func TestDropValueValidationsAgreesWithServer(t *testing.T) {
	for seed := range *schemas / 10 {
		r := rand.New(rand.NewSource(int64(seed)))
		var s *Schema
		if seed%2 == 0 {
			p := randomProps(r, 3, false, true)
			s, _ = FromProps(&p)
		} else {
			s = randomStructural(r, 3, "object")
		}
		before := mustJSON(t, s.Props())
		dropped := DropValueValidations(s)
		want := upstream(t, s).StripValueValidations().ToKubeOpenAPI()
		if got := upstream(t, dropped).ToKubeOpenAPI(); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n%s\ngot  %s\nwant %s", seed, before, mustJSON(t, got), mustJSON(t, want))
		}
		if mustJSON(t, s.Props()) != before {
			t.Fatalf("seed %d: the argument has changed", seed)
		}
		if again := DropValueValidations(dropped); again != dropped {
			t.Fatalf("seed %d: nothing is left to drop, but the schema is copied", seed)
		}
	}
}

// TestDroppedIsWeaker checks the KEP's second consequence: every object that a structural
// schema accepts is also accepted without value validations. The objects must show that the
// result is indeed weaker, and not empty.
func TestDroppedIsWeaker(t *testing.T) {
	accepted, weaker, rejected := 0, 0, 0
	for seed := range 700 {
		r := rand.New(rand.NewSource(int64(seed)))
		s := randomStructural(r, 3, "object")
		full, dropped := validator(t, s.Props()), validator(t, DropValueValidations(s).Props())
		for range 25 {
			object := randomValue(r, s)
			errs := full(object)
			switch weak := dropped(object); {
			case len(errs) == 0 && len(weak) > 0:
				t.Fatalf("seed %d: %s is accepted, but not without value validations: %v\n%s", seed, mustJSON(t, object), weak, mustJSON(t, s.Props()))
			case len(errs) == 0:
				accepted++
			case len(weak) == 0:
				weaker++
			default:
				rejected++
			}
		}
	}
	t.Logf("accepted by both %d, only without value validations %d, by neither %d", accepted, weaker, rejected)
	if accepted < 1500 || weaker < 1500 || rejected < 1500 {
		t.Error("one side is hardly tested")
	}
}

// TestDroppedKeepsOnlyStructure shows why the schema must be structural: the schema that the
// KEP wants to avoid has the only type of bar in a junctor, so nothing of bar is left.
func TestDroppedKeepsOnlyStructure(t *testing.T) {
	s := &Schema{
		Generic: Generic{Type: "object"},
		Properties: []Property{
			{"foo", &Schema{Generic: Generic{Type: "string"}}},
			{"bar", &Schema{ValueValidation: &ValueValidation{Minimum: new(float64)}}},
		},
		ValueValidation: &ValueValidation{AnyOf: []NestedValueValidation{{Properties: []NestedProperty{
			{"bar", &NestedValueValidation{ForbiddenGenerics: Generic{Type: "integer"}}},
		}}}},
	}
	got, err := json.Marshal(DropValueValidations(s).Props())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"bar":{},"foo":{"type":"string"}}}`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if DropValueValidations(nil) != nil {
		t.Error("nothing became something")
	}
	shared := &Schema{Generic: Generic{Type: "string"}, ValueValidation: &ValueValidation{Pattern: "a"}}
	twice := DropValueValidations(&Schema{Properties: []Property{{"a", shared}, {"b", shared}}})
	if twice.Property("a") != twice.Property("b") || !reflect.DeepEqual(*twice.Property("a"), Schema{Generic: Generic{Type: "string"}}) {
		t.Error("a shared node is not shared any more")
	}
}
