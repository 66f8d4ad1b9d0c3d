package verify

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// costHints returns the hints of errors about costs for a schema of the field spec, by the
// ends of the paths in the messages, such as "[0].rule".
func costHints(t *testing.T, version, spec string) map[string]string {
	t.Helper()
	found, _ := verifyFor(t, version, manifestOf("{type: object, properties: {spec: "+spec+"}}"))
	out := map[string]string{}
	for _, d := range found {
		path, detail, _ := strings.Cut(d.Message, ": Forbidden: ")
		if strings.Contains(detail, "estimated ") {
			_, expression, _ := strings.Cut(path, "x-kubernetes-validations")
			out[expression] = d.Hint
		}
	}
	return out
}

// TestBoundsInAllOf applies the bounds of hints for limits that are in an allOf, which is what two
// markers for the same keyword on a field and on its type become. The server ignores them in its
// estimates.
func TestBoundsInAllOf(t *testing.T) {
	for _, c := range []struct{ keyword, schema, rule string }{
		{"maxLength", "type: string", "self.a.matches('^(a|b)+c+d+e+$') && self.a.contains('a')" + strings.Repeat(
			" && self.a.matches('^(a|b|c)+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z+(aa|bb|cc|dd)+(ee|ff|gg|hh)+$')", 3)},
		{"maxItems", "type: array, items: {type: integer}", "self.a.all(x, self.a.all(y, x >= y))"},
		{"maxProperties", "type: object, additionalProperties: {type: integer}", "self.a.all(x, self.a.all(y, self.a[x] >= self.a[y]))"},
	} {
		for _, version := range []string{"1.29", "1.33", "1.35", ""} {
			for _, limits := range [][]int{{10}, {10, 20}, {700_000}, {700_000, 5}} {
				t.Run(fmt.Sprint(c.keyword, version, limits), func(t *testing.T) {
					spec := func(more string) string {
						return fmt.Sprintf("{type: object, properties: {a: {%s%s}}, x-kubernetes-validations: [{rule: %q}]}", c.schema, more, c.rule)
					}
					var branches []string
					for _, limit := range limits {
						branches = append(branches, fmt.Sprintf("{%s: %d}", c.keyword, limit))
					}
					nested := ", allOf: [" + strings.Join(branches, ", ") + "]"
					var hint string
					for _, hint = range costHints(t, version, spec(nested)) {
						break
					}
					match := regexp.MustCompile(`spec\.a has ` + c.keyword + ` (\d+) only in allOf, which the API server ignores here: set it once, to at most (\d+)`).FindStringSubmatch(hint)
					if match == nil {
						t.Fatalf("hint %q", hint)
					}
					if want := fmt.Sprint(slices.Min(limits)); match[1] != want {
						t.Errorf("the limit is %s in %q, want %s", match[1], hint, want)
					}
					bound, err := strconv.Atoi(match[2])
					if err != nil {
						t.Fatal(err)
					}
					for more, fits := range []bool{true, false} {
						if hints := costHints(t, version, spec(fmt.Sprintf(", %s: %d", c.keyword, bound+more))); fits != (len(hints) == 0) {
							t.Errorf("with %s %d: hints %q", c.keyword, bound+more, hints)
						}
					}
				})
			}
		}
	}
}

// TestHintsNameTheirExpression checks that a hint is about the expression that is too expensive:
// about the rule or its message, and about that rule, not one whose number begins with the same
// digit.
func TestHintsNameTheirExpression(t *testing.T) {
	// The other rules cost little.
	const costly = "self.l.exists(x, self.l.exists(y, x == y))"
	const fixed = "[1,2,3,4,5,6,7,8,9].map(a, [1,2,3,4,5,6,7,8,9].map(a, [1,2,3,4,5,6,7,8,9].map(a, [1,2,3,4,5,6,7,8,9].map(a, [1,2,3,4,5,6,7,8,9].map(a, [1,2,3,4,5,6,7,8,9].map(a, [1,2,3,4,5,6,7,8,9].map(a, a))))))).size() > 0"
	rules := []string{"{rule: \"self.count > 0\"}", fmt.Sprintf("{rule: %q}", costly+" && self.count > 1")}
	for n := range 8 {
		rules = append(rules, fmt.Sprintf("{rule: \"self.count > 1%d\"}", n))
	}
	rules = append(rules,
		fmt.Sprintf("{rule: \"self.count > 2\", messageExpression: %q}", costly+" ? 'a' : 'b'"),
		fmt.Sprintf("{rule: \"self.count > 3\", messageExpression: %q}", fixed+" ? 'a' : 'b'"),
		fmt.Sprintf("{rule: %q}", fixed))
	hints := costHints(t, "", "{type: object, properties: {count: {type: integer}, l: {type: array, items: {type: string, maxLength: 30}}}, x-kubernetes-validations: ["+strings.Join(rules, ", ")+"]}")
	const list = "; spec.l has no maxItems: "
	const simplify = "; no limit in the schema changes that: simplify the expression"
	for path, want := range map[string]string{
		"[1].rule":               `^the rule may cost \d{3,} times the limit per rule` + regexp.QuoteMeta(list) + `\d+ would suffice$`,
		"[10].messageExpression": `^the message expression may cost \d{3,} times the limit per rule` + regexp.QuoteMeta(list) + `\d+ would suffice$`,
		"[11].messageExpression": `^the message expression may cost \d+ % of the limit per rule` + simplify + `$`,
		"[12].rule":              `^the rule may cost \d+ % of the limit per rule` + simplify + `$`,
	} {
		if got := hints[path]; !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: hint %q, want %s; all: %q", path, got, want, hints)
		}
	}
	if got, ok := hints[""]; ok {
		t.Errorf("the total repeats what rules exceed: %q", got)
	}
}

// TestTotalBesideCostlyRules checks that a total is reported beside a rule that exceeds its own limit only if the
// other rules exceed the total without it, and that its hint is about one of those.
func TestTotalBesideCostlyRules(t *testing.T) {
	for others, want := range map[int]string{
		0:  "",
		1:  "",
		9:  "",
		14: `^the rule may cost \d\d % of the limit per rule; spec\.f\d+ has maxItems 300: `,
	} {
		properties := []string{`costly: {type: array, items: {type: string}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x <= y))"}]}`}
		for n := range others {
			properties = append(properties, fmt.Sprintf(
				`f%d: {type: array, maxItems: 300, items: {type: string, maxLength: 200}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x <= y))"}]}`, n))
		}
		hints := costHints(t, "", "{type: object, properties: {"+strings.Join(properties, ", ")+"}}")
		if hint, ok := hints[""]; ok != (want != "") || !regexp.MustCompile(want).MatchString(hint) {
			t.Errorf("%d other rules: %q, want a total %q", others, hints, want)
		}
	}
}
