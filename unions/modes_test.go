package unions_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// TestModesAreRecovered writes random modes as rules and reads them back.
func TestModesAreRecovered(t *testing.T) {
	random := rand.New(rand.NewPCG(42, 5))
	types := []structural.Schema{
		{Generic: structural.Generic{Type: "string"}},
		{Generic: structural.Generic{Type: "integer"}},
		{Generic: structural.Generic{Type: "number"}},
		{Generic: structural.Generic{Type: "boolean"}},
		{Generic: structural.Generic{Type: "array"}},
		{Generic: structural.Generic{Type: "object"}},
	}
	unionsFound := 0
	for range 10_000 {
		s := &structural.Schema{Generic: structural.Generic{Type: "object"}}
		m := unions.Modes{Discriminator: "the-mode", Boolean: random.IntN(3) == 0}
		all := []string{"", "A", `It's \n`, "tab\t"}
		discriminator := &structural.Schema{Generic: structural.Generic{Type: "string"}}
		switch {
		case m.Boolean:
			all = []string{"false", "true"}
			discriminator.Type = "boolean"
		case random.IntN(2) == 0:
			all = []string{"A", "B"}
			discriminator.ValueValidation = &structural.ValueValidation{Enum: []structural.JSON{{Raw: []byte(`"A"`)}, {Raw: []byte(`"B"`)}}}
		}
		s.Properties = append(s.Properties, structural.Property{Name: m.Discriminator, Schema: discriminator})
		for i := range 1 + random.IntN(4) {
			field := types[random.IntN(len(types))]
			field.Origin.Pointer = random.IntN(2) == 0
			f := unions.ModeField{Name: fmt.Sprintf("f.%d", i), Nonzero: unions.Nonzero(&field)}
			for len(f.Allowed) == 0 || m.Boolean && len(f.Allowed) == 2 && len(f.Required) != 1 { // no rule names the mode
				f.Allowed = nil
				f.Required = nil
				for _, mode := range all {
					if random.IntN(2) == 0 {
						f.Allowed = append(f.Allowed, mode)
						if random.IntN(2) == 0 {
							f.Required = append(f.Required, mode)
						}
					}
				}
			}
			m.Fields = append(m.Fields, f)
			s.Properties = append(s.Properties, structural.Property{Name: f.Name, Schema: &field})
		}
		rules, unreadable := m.Rules(unions.LowerOptions{})
		if unreadable != "" {
			t.Fatal(unreadable)
		}
		s.XValidations = rules
		got := unions.ModesOf(s)
		if found := unions.Of(s); len(found) > 0 {
			// A union says the same.
			if len(found) > 1 || len(got) > 0 || len(found[0].Members) != len(m.Fields) {
				t.Fatalf("got unions %+v and modes %+v, want one of them: %+v", found, got, m)
			}
			unionsFound++
			for i, f := range m.Fields {
				member := found[0].Members[i]
				if len(f.Allowed) != 1 || member.Value != f.Allowed[0] || member.Optional != (len(f.Required) == 0) {
					t.Fatalf("got %+v, want %+v", member, f)
				}
			}
			continue
		}
		if len(got) != 1 || !reflect.DeepEqual(got[0], m) {
			t.Fatalf("got %+v\nwant %+v\nof %+v", got, m, rules)
		}
	}
	if unionsFound < 50 {
		t.Errorf("%d modes are unions, so the test compares few", unionsFound)
	}
}
