package dryrun

import (
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/verify"
)

// TestTryMessages tries objects of a CRD with a rule that does not compile or has several lines, by
// creation and update. Messages are one line and do not depend on the time, by which the server
// names types.
func TestTryMessages(t *testing.T) {
	const object = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n"
	stored := func(spec map[string]any) map[string]any {
		return map[string]any{
			"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}, "spec": spec,
		}
	}
	for _, rule := range []struct{ text, want string }{
		{"self == 1", "applied to '(selfType, int)' | self == 1 | .....^"},
		{"self.list[0] == self", "'(string, selfType)' | self.list[0] == self | .............^"},
		{"[self] == [1, 2]", "applied to '(list(selfType), list(int))' | [self] == [1, 2] | .......^"},
		{"nothing", "undeclared reference to 'nothing' (in container '') | nothing | ^"},
		{`self.text == \"b\"\n  && true`, `failed rule: self.text == "b" && true`},
		{"self.", "Syntax error: no viable alternative at input '.' | self. | .....^"},
	} {
		text := strings.Replace(thingCRD(t), "          spec:\n            type: object\n",
			"          spec:\n            type: object\n            x-kubernetes-validations: [{rule: \""+rule.text+"\"}]\n", 1)
		definitions, _ := verify.Read(crd.File{Name: "crd.yaml", Data: []byte(text)})
		// An unchanged object gets warnings of rules that it breaks.
		for _, old := range []map[string]any{nil, stored(map[string]any{}), stored(map[string]any{"text": "a"})} {
			var first []string
			for range 2 {
				trial := New(definitions...)
				if old != nil {
					trial.Stored = func(Key) (map[string]any, error) { return old, nil }
				}
				var messages []string
				for _, d := range tryAll(t, trial, object+"spec: {text: a}\n") {
					messages = append(messages, d.Message, d.Cause)
				}
				if first == nil {
					first = messages
				}
				all := strings.Join(messages, "\n")
				same := slices.Equal(messages, first)
				if !same || strings.Count(all, "\n") != len(messages)-1 || !strings.Contains(all, rule.want) {
					t.Errorf("%s: got %q, then %q, want a line with %q", rule.text, first, messages, rule.want)
				}
			}
		}
	}
}
