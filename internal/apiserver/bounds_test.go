package apiserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomBounded returns a random schema of the given depth, with limits or without, and an
// expression that is expensive for its values.
func randomBounded(r *rand.Rand, depth int, self string) (schema, expression string) {
	limit := func(keyword string) string {
		if r.IntN(2) == 0 {
			return ""
		}
		return fmt.Sprintf(", %s: %d", keyword, []int{1, 20, 300, 20_000, 400_000}[r.IntN(5)])
	}
	variable := fmt.Sprintf("v%d", depth)
	other := fmt.Sprintf("w%d", depth)
	kind := r.IntN(8)
	if depth > 2 && kind < 3 {
		kind += 3
	}
	switch kind {
	case 0:
		items, below := randomBounded(r, depth+1, variable)
		return "{type: array" + limit("maxItems") + ", items: " + items + "}", self + ".all(" + variable + ", " + below + ")"
	case 1:
		values, below := randomBounded(r, depth+1, self+"["+variable+"]")
		return "{type: object" + limit("maxProperties") + ", additionalProperties: " + values + "}", self + ".all(" + variable + ", " + below + ")"
	case 2:
		field, below := randomBounded(r, depth+1, self+".f")
		return "{type: object, properties: {f: " + field + ", g: {type: string}}}", "has(" + self + ".f) && " + below
	case 3:
		return "{x-kubernetes-int-or-string: true" + limit("maxLength") + "}", "type(" + self + ") == string && quantity(" + self + ").isGreaterThan(quantity('1'))"
	case 4:
		return "{type: string, enum: [aaaa, bbbbbbbbbbbb]}", self + ".matches('^(a|b)+c+d+e+$')"
	case 5:
		return "{type: string, format: byte" + limit("maxLength") + "}", self + " == b'aaa' || " + self + " != b'bbb'"
	case 6:
		return "{type: array" + limit("maxItems") + ", items: {type: integer}}",
			self + ".all(" + variable + ", " + self + ".all(" + other + ", " + variable + " >= " + other + "))"
	}
	return "{type: string" + limit("maxLength") + "}", self + ".matches('^(a|b)+c+d+e+$') && " + self + ".contains('aa')"
}

// TestBoundsOfRandomRules applies the bounds that causes propose, for random rules and message
// expressions and for each version of Kubernetes. With a bound the rule must fit, with a larger
// one it must not, and a bound must differ from the limit that is there.
func TestBoundsOfRandomRules(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	counts := map[string]int{}
	for n := range 400 {
		schema, expression := randomBounded(r, 0, "self")
		rule := fmt.Sprintf("{rule: %q}", expression)
		if n%4 == 0 {
			rule = fmt.Sprintf("{rule: \"true\", messageExpression: %q}", "("+expression+") ? 'a' : 'b'")
		}
		spec := strings.TrimSuffix(schema, "}") + ", x-kubernetes-validations: [" + rule + "]}"
		if r.IntN(3) == 0 {
			spec = "{type: array" + []string{"", ", maxItems: 50000"}[r.IntN(2)] + ", items: " + spec + "}"
		}
		minor := 28 + n%10
		version := fmt.Sprintf("1.%d", minor)
		crd := widget(t, spec)
		rules := rulesOf(t, version, crd)
		if len(rules) != 1 || rules[0].Error != "" || rules[0].MessageError != "" {
			if minor >= 29 {
				t.Fatalf("%s: %s: %+v", version, spec, rules)
			}
			continue
		}
		if max(rules[0].Cost, rules[0].MessageCost) <= RuleCostLimit {
			counts["cheap"]++
			continue
		}
		fits := func(limits map[int]int64) bool {
			edited := crd.DeepCopy()
			for i, limit := range limits {
				setLimit(t, edited, rules[0].Causes[i], limit)
			}
			out, err := target(t, version).Rules(context.Background(), edited)
			if err != nil || len(out) != 1 {
				t.Fatal(err, out)
			}
			return max(out[0].Cost, out[0].MessageCost) <= RuleCostLimit
		}
		joint := map[int]int64{}
		larger := map[int]int64{}
		for i, cause := range rules[0].Causes {
			counts["causes"]++
			if cause.Limit != nil && (cause.Bound >= *cause.Limit) {
				t.Errorf("%s: %s: %s has %s %d, and %d would suffice", version, spec, cause.Path, cause.Keyword, *cause.Limit, cause.Bound)
			}
			if cause.Bound > 0 {
				counts["bounds"]++
				if !fits(map[int]int64{i: cause.Bound}) {
					t.Errorf("%s: %s: %s %s: %d does not suffice", version, spec, cause.Path, cause.Keyword, cause.Bound)
				}
				if cause.Bound < maxBound && fits(map[int]int64{i: cause.Bound + 1}) {
					t.Errorf("%s: %s: %s %s: %d is not the largest", version, spec, cause.Path, cause.Keyword, cause.Bound)
				}
			}
			if cause.JointBound > 0 {
				joint[i] = cause.JointBound
				larger[i] = cause.JointBound + 1
			}
		}
		if len(joint) > 0 {
			counts["joint"]++
			if !fits(joint) {
				t.Errorf("%s: %s: %v together do not suffice", version, spec, joint)
			}
		}
		if len(rules[0].Causes) == 0 {
			counts["unexplained"]++
			t.Errorf("%s: %s: costs %d and %d, without a cause", version, spec, rules[0].Cost, rules[0].MessageCost)
		}
	}
	t.Log(counts)
	if counts["bounds"] < 100 || counts["joint"] < 100 {
		t.Errorf("too few: %v", counts)
	}
}
