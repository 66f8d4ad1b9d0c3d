package conventions

import "testing"

// TestRules checks that there is one rule for each kind of diagnostics, in the order of the
// codes, and that it looks either at fields or at kinds.
func TestRules(t *testing.T) {
	rules, kinds := Rules(), Codes()
	if len(rules) != len(kinds) {
		t.Fatalf("%d rules, %d kinds", len(rules), len(kinds))
	}
	for i, rule := range rules {
		if rule.Kind != kinds[i] {
			t.Errorf("rule %d is %s, not %s", i, rule.Kind.Code, kinds[i].Code)
		}
		if !rule.Kind.Off {
			t.Errorf("%s is on by default", rule.Kind.Code)
		}
		if (rule.field == nil) == (rule.kind == nil) {
			t.Errorf("%s needs either field or kind", rule.Kind.Code)
		}
	}
}
