package byhand_test

import (
	"fmt"
	"testing"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/unions/byhand"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// TestText checks that objects in messages have no escapes for HTML.
func TestText(t *testing.T) {
	if got := byhand.Text(map[string]any{"<": "&>"}); got != `{"<":"&>"}` {
		t.Errorf("got %s", got)
	}
}

// TestRulesHaveNoDefect checks the generated rules for the defects that are reported in
// handwritten ones: an invalid object that is accepted (no rule, one side only, some members
// only), a rule that cannot be evaluated, a message shared by two mistakes, and a missing
// field path.
func TestRulesHaveNoDefect(t *testing.T) {
	judged := 0
	for _, u := range shapes() {
		for _, style := range []unions.Style{unions.StyleSplit, unions.StyleCompact} {
			name := fmt.Sprintf("%s %v %t %t %s", u.Discriminator, u.Values, u.Required, u.AtMostOne, style)
			options := unions.LowerOptions{Forms: []unions.Form{unions.FormCEL}}
			if style == unions.StyleCompact {
				called := false
				options.Estimate = func([]structural.Rule) (unions.Cost, error) {
					rejected := !called
					called = true
					if rejected {
						return unions.Cost{Total: 2}, nil
					}
					return unions.Cost{}, nil
				}
			}
			lowered, err := unions.Lower(u, options)
			if err != nil {
				t.Fatal(err)
			}
			if lowered.Style != style {
				continue // an undiscriminated union has only one style
			}
			s := object(u)
			s.XValidations = lowered.Rules
			s.Properties[0].Schema.ValueValidation = &structural.ValueValidation{Enum: lowered.Enum}
			// An object that was stored before the discriminator existed lacks it.
			u := u
			u.Required, u.Default = false, nil
			got := judge(t, u, s)
			judged++
			if len(got.Rules) != len(lowered.Rules) {
				t.Errorf("%s: judged %d of %d rules", name, len(got.Rules), len(lowered.Rules))
			}
			if !got.Same || got.Slips != nil || got.Fails != nil || len(got.OneMessage) > 0 || len(got.NoFieldPath) > 0 {
				t.Errorf("%s: %+v", name, got)
			}

			// The check detects defects: without any one of the rules, an invalid object is
			// accepted.
			for i := range lowered.Rules {
				s.XValidations = append(append([]structural.Rule{}, lowered.Rules[:i]...), lowered.Rules[i+1:]...)
				if got := judge(t, u, s); got.Same || got.Slips == nil && len(s.XValidations) > 0 {
					t.Errorf("%s: without %q nothing slips through: %+v", name, lowered.Rules[i].Rule, got)
				}
			}
		}
	}
	if judged < 20 {
		t.Errorf("got %d judged unions, want more", judged)
	}
}

// shapes returns unions with one to eight members, with every kind of discriminator.
func shapes() []unions.Union {
	var out []unions.Union
	for _, n := range []int{1, 2, 3, 8} {
		var members []unions.Member
		var values []string
		for i := range n {
			m := unions.Member{Name: fmt.Sprintf("m%d", i), Value: fmt.Sprintf("V'%d", i), Optional: i == 2}
			members = append(members, m)
			values = append(values, m.Value)
		}
		required := unions.New("in", append(values, "None"), members...)
		required.Required = true
		out = append(out, required)
		optional := unions.New("type", append(values, ""), members...)
		out = append(out, optional)
		defaulted := unions.New("type", append(values, "None"), members...)
		defaulted.Default = &values[0]
		out = append(out, defaulted)
		if n > 1 {
			out = append(out, unions.Union{Members: members}, unions.Union{Members: members, AtMostOne: true})
		}
	}
	return out
}

// object returns the schema of an object with the fields of a union. Its first property is
// the discriminator, or another field.
func object(u unions.Union) *structural.Schema {
	s := &structural.Schema{Generic: structural.Generic{Type: "object"}}
	first := u.Discriminator
	if first == "" {
		first = "other"
	}
	s.Properties = append(s.Properties, structural.Property{Name: first, Schema: &structural.Schema{Generic: structural.Generic{Type: "string"}}})
	for i, m := range u.Members {
		kind := []string{"object", "string", "integer", "array", "boolean", "number"}[i%6]
		member := &structural.Schema{Generic: structural.Generic{Type: kind}}
		if kind == "array" {
			member.Items = &structural.Schema{Generic: structural.Generic{Type: "string"}}
		}
		s.Properties = append(s.Properties, structural.Property{Name: m.Name, Schema: member})
	}
	return s
}

func judge(t *testing.T, u unions.Union, s *structural.Schema) byhand.Verdict {
	t.Helper()
	rules := byhand.Rules(&u, s)
	var texts []string
	for _, i := range rules {
		texts = append(texts, s.XValidations[i].Rule)
	}
	if len(texts) == 0 {
		return byhand.Verdict{}
	}
	evaluate, err := apiserver.NewEvaluator(s.Props(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return byhand.Judge(&u, s, rules, evaluate)
}
