package unions

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/structural"
)

func render(rules []structural.Rule) string {
	var out strings.Builder
	for _, r := range rules {
		reason := "-"
		if r.Reason != nil {
			reason = string(*r.Reason)
		}
		fmt.Fprintf(&out, "%s | %s | %s | %s%s\n", r.Rule, r.FieldPath, reason, r.Message, r.MessageExpression)
	}
	return out.String()
}

func compact(rules []structural.Rule) (Cost, error) {
	return Cost{Total: float64(strings.Count(render(rules), "||")) / 3}, nil
}

func TestRuleTexts(t *testing.T) {
	required := New("type", []string{"A", "B", "C"}, Member{Name: "a", Value: "A"}, Member{Name: "namespace", Value: "B", Optional: true})
	required.Required = true
	optional := New("my-type", []string{"", "it's"}, Member{Name: "x__y", Value: "it's"})
	for _, test := range []struct {
		name string
		u    Union
		opts LowerOptions
		want string
	}{
		{"split", required, LowerOptions{}, `
!(has(self.type) && self.type == 'A') || has(self.a) | .a | FieldValueRequired | must be specified when ~type~ is "A"
!has(self.a) || (has(self.type) && self.type == 'A') | .a | FieldValueForbidden | may only be specified when ~type~ is "A"
!has(self.__namespace__) || (has(self.type) && self.type == 'B') | ['namespace'] | FieldValueForbidden | may only be specified when ~type~ is "B"
`},
		{"split, optional discriminator", optional, LowerOptions{}, `
!(has(self.my__dash__type) && self.my__dash__type == 'it\'s') || has(self.x__underscores__y) | ['x__y'] | FieldValueRequired | must be specified when ~my-type~ is "it's"
!has(self.x__underscores__y) || (has(self.my__dash__type) && self.my__dash__type == 'it\'s') | ['x__y'] | FieldValueForbidden | may only be specified when ~my-type~ is "it's"
`},
		{"compact", required, LowerOptions{Estimate: func(rules []structural.Rule) (Cost, error) {
			return Cost{Rules: make([]float64, len(rules)), Total: float64(len(rules)) / 2}, nil
		}}, `
has(self.a) == (has(self.type) && self.type == 'A') | .a | FieldValueInvalid | has(self.a) ? 'may only be specified when ~type~ is "A"' : 'must be specified when ~type~ is "A"'
!has(self.__namespace__) || (has(self.type) && self.type == 'B') | ['namespace'] | FieldValueForbidden | may only be specified when ~type~ is "B"
`},
		{"transition", required, LowerOptions{Transition: true, Estimate: compact}, `
has(self.a) == (has(self.type) && self.type == 'A') | .a | FieldValueInvalid | has(self.a) ? 'may only be specified when ~type~ is "A"' : 'must be specified when ~type~ is "A"'
!has(self.__namespace__) || (has(self.type) && self.type == 'B') | ['namespace'] | FieldValueForbidden | may only be specified when ~type~ is "B"
(has(self.type) ? self.type : '') != (has(oldSelf.type) ? oldSelf.type : '') || (has(self.a) ? 1 : 0) + (has(self.__namespace__) ? 1 : 0) <= 1 || has(self.a) == has(oldSelf.a) && has(self.__namespace__) == has(oldSelf.__namespace__) | .type | FieldValueInvalid | must be changed when a different union member is set
`},
		{"exactly one", Union{Members: []Member{{Name: "a"}, {Name: "b"}}}, LowerOptions{}, `
(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1 |  | FieldValueInvalid | must specify exactly one of: ~a~, ~b~
`},
		{"at most one", Union{Members: []Member{{Name: "a"}, {Name: "b"}}, AtMostOne: true}, LowerOptions{}, `
(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1 |  | FieldValueInvalid | must specify at most one of: ~a~, ~b~
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.opts.Forms = []Form{FormCEL}
			lowered, err := Lower(test.u, test.opts)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := render(lowered.Rules), strings.ReplaceAll(test.want[1:], "~", "`"); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if len(lowered.Enum) != len(test.u.Values) || len(lowered.OneOf) > 0 {
				t.Errorf("got enum %s, oneOf %v", lowered.Enum, lowered.OneOf)
			}
		})
	}
}

// TestRulesAgreeWithValidate evaluates the rules with the server's code for all values and
// all sets of members.
func TestRulesAgreeWithValidate(t *testing.T) {
	for name, u := range smallUnions() {
		t.Run(name, func(t *testing.T) {
			if _, unreadable := namesIn(&u); unreadable != "" {
				return // TestUnreadableNames
			}
			for _, style := range []Style{StyleSplit, StyleCompact} {
				opts := LowerOptions{Forms: []Form{FormCEL}}
				if style == StyleCompact {
					if u.Discriminator == "" {
						continue
					}
					opts.Estimate = func(rules []structural.Rule) (Cost, error) {
						return Cost{Total: float64(strings.Count(render(rules), "FieldValueRequired"))}, nil
					}
					if !slices.ContainsFunc(u.Members, func(m Member) bool { return !m.Optional }) {
						continue // no rules to combine
					}
					if splits := slices.DeleteFunc(slices.Clone(u.Members), func(m Member) bool { return m.Optional }); len(splits) == 1 {
						opts.Estimate = func(rules []structural.Rule) (Cost, error) {
							return Cost{Total: 2 * float64(strings.Count(render(rules), "FieldValueRequired"))}, nil
						}
					}
				}
				s := schemaFor(t, u, opts)
				if errs := definitionErrors(t, s); len(errs) > 0 {
					t.Fatal(errs)
				}
				validate := server(t, s)
				for _, object := range objectsOf(u) {
					got := Validate(s, nil, object)
					want := validate(nil, defaulted(u, object))
					if (len(got) > 0) != (len(want) > 0) {
						t.Errorf("%s: %s: we say %v, the server %v", style, encoded(t, object), got, want)
						continue
					}
					if bySchema := slices.ContainsFunc(got, func(e *field.Error) bool { return e.Field == u.Discriminator }); bySchema {
						continue
					}
					if style == StyleSplit {
						if g, w := kinds(got), kinds(want); !slices.Equal(g, w) {
							t.Errorf("%s: %s: got %v, want %v as from the server", style, encoded(t, object), g, w)
						}
					}
					if g, w := paths(got), paths(want); !slices.Equal(g, w) {
						t.Errorf("%s: %s: got %v, want %v as from the server", style, encoded(t, object), g, w)
					}
					for i := range want { // messages are the same, too
						if len(got) == len(want) && got[i].Detail != want[i].Detail {
							t.Errorf("%s: %s: we say %q, the server %q", style, encoded(t, object), got[i].Detail, want[i].Detail)
						}
					}
				}
			}
		})
	}
}

// TestOneOfAgreesWithValidate compares the oneOf form in the same way. Because its errors are
// unspecific, only their presence is compared.
func TestOneOfAgreesWithValidate(t *testing.T) {
	for name, u := range smallUnions() {
		t.Run(name, func(t *testing.T) {
			// The runtime reads the union from the extension, which the server drops.
			opts := LowerOptions{Forms: []Form{FormOneOf, FormExtension}}
			s := schemaFor(t, u, opts)
			if errs := definitionErrors(t, s); len(errs) > 0 {
				t.Fatal(errs)
			}
			model := s
			if u.Discriminator == "" {
				model = schemaFor(t, u, LowerOptions{Forms: []Form{FormCEL}})
			}
			validate := server(t, s)
			for _, object := range objectsOf(u) {
				got, want := Validate(model, nil, object), validate(nil, defaulted(u, object))
				if (len(got) > 0) != (len(want) > 0) {
					t.Errorf("%s: we say %v, the server %v", encoded(t, object), got, want)
				}
			}
		})
	}
}

func TestUnreadableNames(t *testing.T) {
	u := New("type", []string{"A"}, Member{Name: "$ref", Value: "A"})
	lowered, err := Lower(u, LowerOptions{Forms: []Form{FormCEL}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Rejection{{Style: StyleSplit, Name: "$ref"}, {Style: StyleCompact, Name: "$ref"}}
	if lowered.Style != StyleOneOf || len(lowered.OneOf) != 2 || len(lowered.Rules) > 0 || !reflect.DeepEqual(lowered.Rejected, want) {
		t.Errorf("got %+v", lowered)
	}
}

func TestFallback(t *testing.T) {
	u := New("type", []string{"A", "B"}, Member{Name: "a", Value: "A"}, Member{Name: "b", Value: "B"})
	byCount := func(limit int) Estimate {
		return func(rules []structural.Rule) (Cost, error) {
			shares := make([]float64, len(rules))
			shares[0] = float64(len(rules)) / float64(limit)
			return Cost{Rules: shares, Total: 0.5}, nil
		}
	}
	for _, test := range []struct {
		limit, rules, rejected int
		style                  Style
	}{{4, 4, 0, StyleSplit}, {3, 2, 1, StyleCompact}, {2, 2, 1, StyleCompact}, {1, 0, 2, StyleOneOf}} {
		got, err := Lower(u, LowerOptions{Forms: []Form{FormCEL}, Estimate: byCount(test.limit)})
		if err != nil {
			t.Fatal(err)
		}
		if got.Style != test.style || len(got.Rules) != test.rules || len(got.Rejected) != test.rejected || (len(got.OneOf) > 0) != (test.style == StyleOneOf) {
			t.Errorf("limit %d: %+v", test.limit, got)
		}
	}
	broken := errors.New("broken")
	if _, err := Lower(u, LowerOptions{Forms: []Form{FormCEL}, Estimate: func([]structural.Rule) (Cost, error) { return Cost{}, broken }}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// TestBudget checks how many members the server allows in a list without limits, and in three
// nested lists of at most 100 elements. The server's own validation of definitions decides.
func TestBudget(t *testing.T) {
	hundred := int64(100)
	for _, test := range []struct {
		shape            string
		style            Style
		unbounded, three int
	}{
		{"required", StyleSplit, 34, 8}, {"required", StyleCompact, 68, 16}, {"defaulted", StyleSplit, 7, 8}, {"defaulted", StyleCompact, 15, 16},
		{"optional", StyleSplit, 7, 8}, {"optional", StyleCompact, 15, 16},
	} {
		accepted := func(members, lists int, bound *int64) bool {
			u := Union{Discriminator: "type"}
			for i := range members {
				name := fmt.Sprintf("m%02d", i)
				u.Values = append(u.Values, Value{Name: name, Member: name})
				u.Members = append(u.Members, Member{Name: name, Value: name})
			}
			switch test.shape {
			case "required":
				u.Required = true
			case "defaulted":
				u.Default = &u.Values[0].Name
			}
			opts := LowerOptions{Forms: []Form{FormCEL}}
			if test.style == StyleCompact {
				opts.Estimate = func(rules []structural.Rule) (Cost, error) {
					return Cost{Total: float64(len(rules)) / float64(len(u.Members))}, nil
				}
			}
			s := schemaFor(t, u, opts)
			for range lists {
				list := &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: s, ValueValidation: &structural.ValueValidation{MaxItems: bound}}
				s = objectSchema(structural.Property{Name: "list", Schema: list})
			}
			return len(definitionErrors(t, s)) == 0
		}
		if n := test.unbounded; !accepted(n, 1, nil) || accepted(n+1, 1, nil) {
			t.Errorf("%s, %s: in a list without limits, %d members are not the maximum", test.shape, test.style, n)
		}
		if n := test.three; !accepted(n, 3, &hundred) || accepted(n+1, 3, &hundred) {
			t.Errorf("%s, %s: in three lists, %d members are not the maximum", test.shape, test.style, n)
		}
	}
}

func TestExtensions(t *testing.T) {
	u := New("type", []string{"A", "B", "C"}, Member{Name: "a", Value: "A"}, Member{Name: "b", Value: "B", Optional: true})
	lowered, err := Lower(u, LowerOptions{Forms: []Form{FormExtension, FormExtensionObject}})
	if err != nil {
		t.Fatal(err)
	}
	members := structural.UnionsJSON(structural.Extensions{XUnionMembers: lowered.Members})
	if want := `{"fieldMembers":{"A":{"name":"a","optional":false},"B":{"name":"b","optional":true},"C":null}}`; string(members.Raw) != want {
		t.Errorf("got %s", members.Raw)
	}
	object := structural.UnionsJSON(structural.Extensions{XUnions: lowered.Unions})
	if want := `[{"discriminator":"type","fields":{"a":"A","b":"B"}}]`; string(object.Raw) != want {
		t.Errorf("got %s", object.Raw)
	}
	if want := []string{"extension-object: member b is optional", `extension-object: value "C" has no member`}; !slices.Equal(lowered.Lost, want) {
		t.Errorf("got lost %q", lowered.Lost)
	}
	if len(lowered.Enum)+len(lowered.Rules)+len(lowered.OneOf) > 0 {
		t.Errorf("got %+v, want only extensions", lowered)
	}
}

func TestParseForms(t *testing.T) {
	for text, want := range map[string]string{
		"cel": "cel", "cel;extension": "cel, extension", "none": "none", "oneOf;extension-object": "oneOf, extension-object",
	} {
		if got, err := ParseForms(text); err != nil || joinForms(got) != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"cel;oneOf": "exclude each other", "none;cel": "every other", "cel;cel": "duplicate", "oneof": "is not a form", "": "is not a form",
	} {
		if _, err := ParseForms(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v", text, err)
		}
	}
}

// unguarded returns rules as written by earlier versions for a discriminator that is required
// or has a default: they read it without checking its presence.
func unguarded(rules []structural.Rule) []structural.Rule {
	out := slices.Clone(rules)
	for i := range out {
		out[i].Rule = regexp.MustCompile(`has\(self\.(\w+)\) && self\.`).ReplaceAllString(out[i].Rule, "self.")
	}
	return out
}

// TestOfReadsBack checks that the model is recovered from every form.
func TestOfReadsBack(t *testing.T) {
	strip := func(u Union) Union {
		u.GoName, u.Pos = "", 0
		for i := range u.Members {
			u.Members[i].Pos, u.Members[i].GoName = 0, ""
		}
		return u
	}
	for name, u := range smallUnions() {
		if _, unreadable := namesIn(&u); unreadable == "" {
			for _, estimate := range []Estimate{nil, compact} {
				s := schemaFor(t, u, LowerOptions{Forms: []Form{FormCEL}, Transition: true, Estimate: estimate})
				if len(s.XValidations) == 0 {
					continue
				}
				for _, rules := range [][]structural.Rule{s.XValidations, unguarded(s.XValidations)} {
					s.XValidations = rules
					if got := Of(s); len(got) != 1 || !reflect.DeepEqual(strip(got[0]), u) {
						t.Errorf("%s: rules say\n%+v, want\n%+v", name, got, u)
					}
					isOld := func(rule structural.Rule) bool { return strings.HasPrefix(rule.Rule, "(self.") } // the transition rule of earlier versions
					if left := WithoutRules(s); slices.ContainsFunc(left, func(rule structural.Rule) bool { return !isOld(rule) }) {
						t.Errorf("%s: got remaining rules of the union %+v", name, left)
					}
				}
			}
		}
		if u.Discriminator == "" {
			continue
		}
		s := schemaFor(t, u, LowerOptions{Forms: []Form{FormOneOf, FormExtension, FormExtensionObject}})
		if got := Of(s); len(got) != 1 || !reflect.DeepEqual(strip(got[0]), u) {
			t.Errorf("%s: got from the extension\n%+v, want\n%+v", name, got, u)
		}
	}
}

func TestOfLeavesOtherRulesAlone(t *testing.T) {
	u := New("type", []string{"A"}, Member{Name: "a", Value: "A"})
	for _, rule := range []string{
		"!(self.type == 'A') || has(self.a)", // only the required side
		"!has(self.a) || (self.type == 'Z')", // no value
		"!has(self.nothing) || (self.type == 'A')", "!has(self.a) || (has(self.a) && self.type == 'A')",
		"self.type == 'A'", "(has(self.nothing) ? 1 : 0) == 1", "",
	} {
		s := schemaFor(t, u, LowerOptions{Forms: []Form{FormCEL}})
		s.XValidations = []structural.Rule{{Rule: rule}}
		if got := Of(s); len(got) > 0 {
			t.Errorf("%s: %+v", rule, got)
		}
	}
}
