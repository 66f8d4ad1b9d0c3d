package gates

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, canonical string }{
		{"A", "A"},
		{" A && !B ", "A && !B"},
		{"A||B&&C", "A || B && C"},
		{"(A||B)&&C", "(A || B) && C"},
		{"((A))", "A"},
		{"!(A&&B)", "!(A && B)"},
		{"!!A", "!!A"},
		{"A && (B && C)", "A && B && C"},
		{`"my gate)" || A`, `"my gate)" || A`},
		{`"Plain"`, "Plain"},
		{"a.b-c_d9", "a.b-c_d9"},
		{"false", "false"},
	} {
		got, err := Parse(c.text)
		if err != nil || got.String() != c.canonical {
			t.Errorf("Parse(%q) = %v, %v, want %s", c.text, got, err, c.canonical)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		msg    string
	}{
		{"", 0, "a gate is missing"},
		{"  ", 2, "a gate is missing"},
		{"A &&", 4, "a gate is missing at the end"},
		{"A B", 2, `expected && or ||, found "B"`},
		{"(A", 0, "unclosed parenthesis"},
		{"(A B)", 3, `expected &&, || or a closing parenthesis, found "B"`},
		{"A)", 1, "a parenthesis that was not opened"},
		{"A & B", 2, `expected && or ||, found "&"`},
		{"&& A", 0, "expected a gate, found &&"},
		{"9A", 0, `expected a gate, found "9"`},
		{`"A`, 0, "unclosed quote"},
		{`""`, 0, "a gate needs a name"},
		{strings.Repeat("!", 200) + "A", 100, "the condition is nested too deeply"},
		{"A" + strings.Repeat(" || A", 300), 1024, "a condition has at most 1024 bytes"},
		{"A||B||C||D||E||F||G||H||I||J||K||L||M", 0, "a condition has at most 12 gates"},
	} {
		_, err := Parse(c.text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || *syntax != (SyntaxError{c.offset, c.msg}) {
			t.Errorf("Parse(%.20q) = %+v, want %q at %d", c.text, err, c.msg, c.offset)
		}
	}
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		text string
		sets string // those of "", A, B, AB in which it holds
	}{
		{"A", "A,AB"},
		{"!A", ",B"},
		{"A && !B", "A"},
		{"A || B", "A,B,AB"},
		{"!(A || B)", ""},
		{"A && B || !A && !B", ",AB"},
	} {
		condition, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range []string{"", "A", "B", "AB"} {
			want := slices.Contains(strings.Split(c.sets, ","), set)
			if got := condition.Holds(Set(strings.Split(set, ""))); got != want {
				t.Errorf("%s in {%s}: got %v", c.text, set, got)
			}
		}
	}
	if (Condition{}).Holds(nil) != true {
		t.Error("the zero value does not hold")
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct {
		set  Set
		a, b bool
	}{
		{nil, false, false},
		{Set{"*"}, true, true},
		{Set{"*", "!A"}, false, true},
		{Set{"!A", "*"}, true, true},
		{Set{"A", "!A", "B"}, false, true},
		{Set{"*", "!*", "A"}, true, false},
	} {
		if a, b := c.set.On("A"), c.set.On("B"); a != c.a || b != c.b {
			t.Errorf("%v: A is %v, B is %v", c.set, a, b)
		}
	}
}

func TestConstant(t *testing.T) {
	for text, want := range map[string]string{
		"A": "", "A || !A": "true", "A && !A": "false", "false": "false", "A && false": "false", "A || B && !B": "",
		"(A || B) && !A && !B": "false",
	} {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		value, ok := c.Constant()
		if got := map[bool]string{true: map[bool]string{true: "true", false: "false"}[value]}[ok]; got != want {
			t.Errorf("%s is constant %q, want %q", text, got, want)
		}
	}
}

func TestSmallest(t *testing.T) {
	for text, want := range map[string]string{
		"A": "[A] true", "!A": "[] true", "B && (A || C) && !D": "[A B] true", "A && !A": "[] false", "A || B && C": "[A] true",
		"B || A": "[A] true", "false || B": "[B] true", "(A || B) && (C || !B)": "[A] true",
	} {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		names, ok := c.Smallest()
		if got := fmt.Sprint(names, ok); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestAnd(t *testing.T) {
	a, _ := Parse("A || B")
	b, _ := Parse("C && D")
	if got := And(a, b).String(); got != "(A || B) && C && D" {
		t.Errorf("got %s", got)
	}
}

func TestWith(t *testing.T) {
	for _, c := range []struct{ text, on, off string }{
		{"X", "true", "false"},
		{"!X", "false", "true"},
		{"A", "A", "A"},
		{"A && X", "A", "false"},
		{"A || X", "true", "A"},
		{"(A || X) && B", "B", "A && B"},
		{"!(A && !X) || B", "true", "!A || B"},
		{"!(A && (B || X))", "!A", "!(A && B)"},
		{"X && !X", "false", "false"},
		{"(A || X) && (!A || X)", "true", "A && !A"},
		{"A && false", "A && false", "A && false"},
	} {
		condition, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		for on, want := range map[bool]string{true: c.on, false: c.off} {
			with := condition.With("X", on)
			got := with.String()
			if value, ok := with.trivial(); ok {
				got = strconv.FormatBool(value)
			}
			if got != want {
				t.Errorf("%s with X %v is %s, want %s", c.text, on, got, want)
			}
		}
	}
}

// FuzzParse checks that no text makes the parser panic, that errors have an offset in the text,
// and that the canonical text of a condition parses to the same condition.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"A", "A && !B || (C)", `"a b" || !!x.y-z`, "((A", "A ||", "!", "false", "\"\"", "A\xff", "(A)) B"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, end, err := Scan(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text) {
				t.Fatalf("%q: offset of %v", text, err)
			}
			return
		}
		if end < len(text) && text[end] != ')' {
			t.Fatalf("%q ends at %d", text, end)
		}
		printed := c.String()
		again, err := Parse(printed)
		if len(printed) > maxLength {
			return // blanks around operators are free, but count
		}
		if err != nil || !reflect.DeepEqual(again, c) || again.String() != printed {
			t.Fatalf("%q is %s, which is %v, %v", text, printed, again, err)
		}
	})
}

func TestSets(t *testing.T) {
	sets := Sets{
		"none": {}, "a": {"A"}, "same": {"B", "A", "!B"}, "all": {"*"}, "but": {"*", "!A"}, "with": {"@but", "A"},
		"less": {"@all", "!B"}, "joined": {"@a", "@less"}, "over": {"A", "@none"},
		"first": {"@second"}, "second": {"X", "@third"}, "third": {"@first"}, "self": {"@self"}, "into": {"@first"},
		"single": {"!", "A"}, "others": {"*", "@single"},
	}
	for name, want := range map[string]string{
		"none": "", "a": "A", "same": "A", "all": "*", "but": "* !A", "with": "*", "less": "* !B", "joined": "* !B", "over": "A",
		"single": "A !", "others": "* !",
	} {
		if got := strings.Join(sets.Resolve(name), " "); got != want {
			t.Errorf("Resolve(%s) = %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"first": "first second third first", "third": "third first second third", "self": "self self", "into": "", "a": "", "joined": "",
	} {
		if got := strings.Join(sets.Circle(name), " "); got != want {
			t.Errorf("Circle(%s) = %s, want %s", name, got, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		narrow, wide Set
		want         bool
	}{
		{nil, nil, true},
		{nil, Set{"A"}, true},
		{Set{"A"}, nil, false},
		{Set{"A"}, Set{"A", "B"}, true},
		{Set{"A", "B"}, Set{"A"}, false},
		{Set{"A"}, Set{"*"}, true},
		{Set{"A"}, Set{"*", "!A"}, false},
		{Set{"A"}, Set{"*", "!B"}, true},
		{Set{"*", "!B"}, Set{"*"}, true},
		{Set{"*"}, Set{"*", "!B"}, false},
		{Set{"*"}, Set{"A", "B"}, false},
		{Set{"*", "!A", "!B"}, Set{"*", "!A"}, true},
	} {
		if got := c.narrow.Within(c.wide); got != c.want {
			t.Errorf("%q within %q: %v", c.narrow, c.wide, got)
		}
	}
}

func TestImplies(t *testing.T) {
	for _, test := range []struct {
		condition, other string
		want             bool
	}{
		{"A", "A", true},
		{"A && B", "A", true},
		{"A", "A && B", false},
		{"A", "B || A", true},
		{"!A", "A", false},
		{"A && !B", "!(A && B)", true},
	} {
		c, err := Parse(test.condition)
		if err != nil {
			t.Fatal(err)
		}
		other, err := Parse(test.other)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Implies(other); got != test.want {
			t.Errorf("%s implies %s: got %t, want %t", c, other, got, test.want)
		}
	}
	if got := And(Name("A"), Condition{}).String(); got != "A" {
		t.Errorf("got %q, want A", got)
	}
	if got := Not(And(Name("A"), Name("B"))).String(); got != "!(A && B)" {
		t.Errorf("got %q, want !(A && B)", got)
	}
}
