package apiserver

import (
	"encoding/json"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/test/serverrules"
	"github.com/schemagen/schemagen/structural"
)

// evaluatedSchema has values of all sorts that rules see in another form than JSON.
const evaluatedSchema = `
type: object
properties:
  apiVersion: {type: string}
  kind: {type: string}
  metadata: {type: object}
  size: {type: integer}
  share: {type: number}
  port: {x-kubernetes-int-or-string: true}
  at: {type: string, format: date-time}
  wait: {type: string, format: duration}
  namespace: {type: string}
  open: {type: boolean, nullable: true}
  names: {type: array, items: {type: string}, x-kubernetes-list-type: set}
  ports: {type: array, items: {type: object, properties: {name: {type: string}, number: {type: integer}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}
  labels: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}
  part: {type: object, x-kubernetes-embedded-resource: true, properties: {apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}, size: {type: integer}}}
`

// TestRuleEvaluator wants the outcomes of the server's validator.
func TestRuleEvaluator(t *testing.T) {
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.Unmarshal([]byte(evaluatedSchema), &props); err != nil {
		t.Fatal(err)
	}
	s, _ := structural.FromProps(&props)
	values := []string{
		`null`, `{}`, `{"size": 1, "share": 1, "port": "a", "names": ["a", "b"], "namespace": "x"}`,
		`{"size": 2, "share": 1.5, "port": 1, "names": ["b", "a"], "open": null, "at": "2020-01-01T00:00:00Z", "wait": "1s"}`,
		`{"ports": [{"name": "a", "number": 1}, {"name": "b"}], "labels": {"k": {"a": "x"}, "l": {}}}`,
		`{"ports": [{"name": "b"}, {"name": "a", "number": 1}], "labels": {}}`,
		`{"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "n"}, "part": {"apiVersion": "v1", "kind": "P", "metadata": {"name": "p"}}}`,
	}
	outcomes := map[string]bool{}
	for _, text := range []string{
		"self.size > 1", "has(self.size)", "self.share == 1", "self.share * 2.0 > 2.5", "self.port == 'a'", "self.port == 1",
		"self.at > timestamp('2019-01-01T00:00:00Z')", "self.wait < duration('2s')", "self.__namespace__ == 'x'", "self.open",
		"self.names == ['b', 'a']", "self.ports.all(p, has(p.number) && p.number > 0)", "self.ports[1].number == 1", "self.labels.k.a == 'x'",
		"self.labels.all(k, self.labels[k].a == 'x')", "self.part.metadata.name == 'p'", "self.part.kind == 'P'", "self.metadata.name == 'n'",
		"self == oldSelf", "self.names == oldSelf.names", "self.ports == oldSelf.ports", "oldSelf.size <= self.size",
		"oldSelf.orValue(self) == self", "oldSelf.hasValue()", "self.?size.orValue(5) > 2", "type(self.port) == string",
		"self.size / 0 > 1", "self.nothing", "1", "self.names.map(n, n + n).exists(n, n == 'aa')",
	} {
		for _, rule := range []structural.Rule{{Rule: text}, {Rule: text, OptionalOldSelf: new(true)}} {
			for _, isRoot := range []bool{false, true} {
				server := serverrules.Of(t, s.Props(), isRoot, rule)
				evaluator, err := (&RuleEvaluators{}).New(s, rule, isRoot)
				if err != nil {
					t.Fatal(err)
				}
				for _, value := range values {
					for _, old := range values {
						self := decoded(t, value)
						oldSelf := decoded(t, old)
						want := server(self, oldSelf)[0]
						got := evaluator.Evaluate(t.Context(), self, oldSelf)
						if isKeyError := strings.HasPrefix(want.Failure, "no such key"); want.Failure != "" && got.Failure != "" && !isKeyError {
							got.Failure = want.Failure // the server words other failures in several ways
						}
						if got != want {
							t.Errorf("%s, old value optional %t, root %t, of %s before it %s: %+v, want %+v",
								text, rule.OptionalOldSelf != nil, isRoot, value, old, got, want)
						}
						key, _ := json.Marshal(want)
						outcomes[string(key)] = true
					}
				}
			}
		}
	}
	if len(outcomes) < 8 {
		t.Errorf("%d outcomes occur", len(outcomes))
	}
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := utiljson.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}
