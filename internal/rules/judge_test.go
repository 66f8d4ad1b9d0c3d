package rules_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/rules"
	"github.com/schemagen/schemagen/internal/test/serverrules"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

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
			got := rules.JudgeUnion(&u, s)
			judged++
			if got == nil {
				t.Errorf("%s: not judged", name)
				continue
			}
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
				got := rules.JudgeUnion(&u, s)
				if (got == nil) != (len(s.XValidations) == 0) || got != nil && (got.Same || got.Slips == nil) {
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

// TestJudgeUnion compares the judgement of random rules with their answers for every combination of the values
// that these rules can tell apart.
func TestJudgeUnion(t *testing.T) {
	same := 0
	for seed := range int64(400) {
		random := rand.New(rand.NewSource(seed))
		u := unions.New("type", []string{"A", "B", "C"}, unions.Member{Name: "a", Value: "A"}, unions.Member{Name: "b", Value: "B", Optional: seed%2 == 0})
		if seed%4 > 1 {
			u = unions.Union{Members: u.Members, AtMostOne: seed%8 > 3}
		}
		u.Required = u.Discriminator != "" && seed%3 > 0
		s := object(u)
		for i := range s.Properties[1:] {
			s.Properties[1+i].Schema = &structural.Schema{Generic: structural.Generic{Type: "string", Nullable: seed%5 == 0}}
		}
		lowered, err := unions.Lower(u, unions.LowerOptions{Forms: []unions.Form{unions.FormCEL}})
		if err != nil {
			t.Fatal(err)
		}
		var byHand []string
		for _, rule := range lowered.Rules {
			byHand = append(byHand, reworded(random, rule.Rule))
		}
		if i := random.Intn(2 * len(byHand)); i < len(byHand) {
			byHand[i] = condition(random, u.Discriminator != "", 3)
		}
		s.XValidations = nil
		for _, text := range byHand {
			s.XValidations = append(s.XValidations, structural.Rule{Rule: text})
		}
		want := agrees(t, &u, s, lowered.Rules)
		got := rules.JudgeUnion(&u, s)
		if got == nil {
			t.Errorf("seed %d: %q is not judged", seed, byHand)
			continue
		}
		if len(got.Rules) == len(byHand) && got.Same != want {
			t.Errorf("seed %d: %+v, %q: got %+v, want same: %t", seed, u, byHand, got, want)
		}
		if got.Same {
			same++
		}
	}
	if same < 100 || same > 300 {
		t.Errorf("%d of 400 are the same", same)
	}
}

// reworded returns a rule that says the same, except that it may fail without a discriminator.
func reworded(random *rand.Rand, rule string) string {
	switch random.Intn(5) {
	case 0:
		return "!(!(" + rule + "))"
	case 1:
		return "(" + rule + ") == true"
	case 2:
		return "(" + rule + ") ? true : false"
	case 3:
		return strings.ReplaceAll(rule, "has(self.type) && ", "")
	}
	return rule
}

// condition returns a condition on the members, and on the discriminator if there is one.
func condition(random *rand.Rand, hasType bool, depth int) string {
	if depth == 0 || random.Intn(5) == 0 {
		leaves := []string{"has(self.a)", "has(self.b)", "has(self.a) && size(self.a) > 0", "self.?b.orValue('') == ''"}
		if hasType {
			leaves = append(leaves, "has(self.type) && self.type == 'A'", "has(self.type) && self.type in ['B', 'C']", "self.type == 'C'")
		}
		return "(" + leaves[random.Intn(len(leaves))] + ")"
	}
	left := condition(random, hasType, depth-1)
	right := condition(random, hasType, depth-1)
	return []string{"!" + left, "(" + left + " && " + right + ")", "(" + left + " || " + right + ")", "(" + left + " == " + right + ")",
		"(" + left + " ? " + right + " : !" + right + ")"}[random.Intn(5)]
}

// agrees evaluates rules and those of a union for each value of the discriminator with each value of two members.
func agrees(t *testing.T, u *unions.Union, s *structural.Schema, own []structural.Rule) bool {
	t.Helper()
	evaluate := serverrules.Of(t, s.Props(), false, slices.Concat(own, s.XValidations)...)
	values := []any{"A", "B", "C", nil}
	switch {
	case u.Discriminator == "":
		values = []any{nil}
	case u.Required:
		values = values[:3]
	}
	absent := struct{}{}
	members := []any{absent, "", "a", "ab"}
	if s.Properties[1].Schema.Nullable {
		members = append(members, nil)
	}
	isRefused := func(outcomes []unions.Outcome) bool {
		return slices.ContainsFunc(outcomes, func(o unions.Outcome) bool { return o != unions.Outcome{} })
	}
	for _, value := range values {
		for _, a := range members {
			for _, b := range members {
				object := map[string]any{}
				for name, field := range map[string]any{"a": a, "b": b} {
					if field != absent {
						object[name] = field
					}
				}
				if value != nil {
					object["type"] = value
				}
				outcomes := evaluate(object, nil)
				byHand := outcomes[len(own):]
				failed := slices.ContainsFunc(byHand, func(o unions.Outcome) bool { return o.Failure != "" })
				if failed || isRefused(outcomes[:len(own)]) != isRefused(byHand) {
					return false
				}
			}
		}
	}
	return true
}

// TestJudgeManyMembers checks unions with more members than a table of all their combinations could have.
func TestJudgeManyMembers(t *testing.T) {
	var values, counted []string
	var members []unions.Member
	for i := range 40 {
		m := unions.Member{Name: fmt.Sprintf("m%d", i), Value: fmt.Sprintf("V%d", i)}
		members = append(members, m)
		values = append(values, m.Value)
		counted = append(counted, fmt.Sprintf("(has(self.m%d) ? 1 : 0)", i))
	}
	u := unions.New("type", values, members...)
	u.Required = true
	s := object(u)
	for _, m := range members {
		s.XValidations = append(s.XValidations, structural.Rule{Rule: fmt.Sprintf("(self.type == '%s') == has(self.%s)", m.Value, m.Name)})
	}
	if got := rules.JudgeUnion(&u, s); got == nil || !got.Same || len(got.OneMessage) != 40 {
		t.Errorf("by value: %+v", got)
	}
	s.XValidations[17].Rule = "self.type == 'V17' ? has(self.m17) : !has(self.m17) || has(self.m3)"
	if got := rules.JudgeUnion(&u, s); got == nil || got.Same || fmt.Sprint(got.Slips) != "map[m17:1 m3:[] type:V3]" {
		t.Errorf("with an exception: %+v", got)
	}
	u = unions.Union{Members: members}
	s.XValidations = []structural.Rule{{Rule: strings.Join(counted, " + ") + " == 1"}}
	if got := rules.JudgeUnion(&u, s); got == nil || !got.Same {
		t.Errorf("counted: %+v", got)
	}
	s.XValidations[0].Rule = strings.Join(counted, " + ") + " in [1, 40]"
	if got := rules.JudgeUnion(&u, s); got == nil || got.Same || len(got.Slips) != 40 {
		t.Errorf("one or all: %+v", got)
	}
	s.XValidations[0].Rule = strings.Join(counted[1:], " + ") + " == 1 || has(self.m0)"
	if got := rules.JudgeUnion(&u, s); got != nil {
		t.Errorf("2^40 combinations: %+v", got)
	}
}
