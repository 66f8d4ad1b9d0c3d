package rules

import (
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

func schemaOf(t testing.TB, text string) *structural.Schema {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(text), &props); err != nil {
		t.Fatal(err)
	}
	s, _ := structural.FromProps(&props)
	return s
}

// valveSchema has a field of each sort.
const valveSchema = `
type: object
required: [kind, name]
properties:
  kind: {type: string, enum: [Ball, Gate]}
  name: {type: string}
  size: {type: integer}
  open: {type: boolean}
  unit: {type: string, default: mm}
  label: {type: string}
  other: {type: string}
  none: {type: object, nullable: true, properties: {x: {type: string}}}
  ball:
    type: object
    required: [bore]
    properties:
      bore: {type: integer}
      seat: {type: string}
  gate:
    type: object
    properties:
      stem: {type: string}
  ports:
    type: array
    items:
      type: object
      required: [name]
      properties:
        name: {type: string}
        flange: {type: string}
        width: {type: integer}
  pair: {type: array, minItems: 2, items: {type: string}}
  tags: {type: object, additionalProperties: {type: string}}
  must: {type: string}
  port: {x-kubernetes-int-or-string: true}
`

// TestReads lists the reads that may fail: "" if the rule never reads what is absent.
func TestReads(t *testing.T) {
	s := schemaOf(t, valveSchema)
	for rule, want := range map[string]string{
		"self.name != ''":                                                              "",
		"self.unit != 'cm'":                                                            "",
		"self.size > 1":                                                                "self.size",
		"self.size <= self.ball.bore":                                                  "self.size self.ball",
		"!has(self.size) || self.size > 1":                                             "",
		"self.size > 1 || !has(self.size)":                                             "",
		"has(self.size) && self.size > 1":                                              "",
		"self.size > 1 && has(self.size)":                                              "",
		"has(self.size) ? self.size > 1 : true":                                        "",
		"has(self.size) ? true : self.size > 1":                                        "self.size",
		"has(self.ball.seat)":                                                          "self.ball",
		"has(self.ball) && has(self.ball.seat)":                                        "",
		"has(self.ball) && self.ball.seat != ''":                                       "self.ball.seat",
		"!has(self.ball) || self.ball.bore > 1":                                        "",
		"self.ball.bore > 1 && self.ball.bore < 9":                                     "self.ball self.ball",
		"self.size > 1 || self.size > 2":                                               "self.size self.size",
		"self.size > 1 || !(self.size > 2)":                                            "self.size self.size",
		"self.kind == 'Ball' ? has(self.ball) : true":                                  "",
		"self.kind != 'Ball' || self.ball.bore > 1":                                    "self.ball",
		"has(self.label) == has(self.other)":                                           "",
		"has(self.label) == has(self.other) && (!has(self.label) || self.other != '')": "",
		"has(self.label) != has(self.other) && (has(self.label) ? true : self.other != '')":             "",
		"has(self.label) == has(self.other) && (has(self.label) ? true : self.other != '')":             "self.other",
		"has(self.label) || has(self.other)":                                                            "",
		"(has(self.label) || has(self.other)) && (has(self.label) ? true : self.other == 'a')":          "",
		"(!has(self.label) || has(self.other)) && (has(self.label) ? self.other != '' : true)":          "",
		"(has(self.label) && has(self.size) || has(self.label) && has(self.ball)) && self.label != ''":  "",
		"self.?label.orValue('') != 'a'":                                                                "",
		"self.?label.orValue('').size() > 0 ? self.label != 'x' : true":                                 "",
		"self.?label.orValue('x') == 'y' && self.label != 'z'":                                          "",
		"self.?label.orValue('x') == 'x' && self.label != 'z'":                                          "self.label",
		"self.?open.orValue(false) ? self.open : true":                                                  "",
		"self.?label.hasValue() ? self.label == 'a' : true":                                             "",
		"self.?label.value() == 'a'":                                                                    "self.label",
		"self.?ball.seat.orValue('') == ''":                                                             "",
		"self.?ports.orValue([]).all(p, p.name != '')":                                                  "",
		"self.?ports.orValue([]).all(p, p.flange != '')":                                                "p.flange",
		"!has(self.ports) || self.ports.all(p, p.name != '')":                                           "",
		"!has(self.ports) || self.ports.all(p, has(p.flange) && p.flange != '')":                        "",
		"!has(self.ports) || self.ports.filter(p, has(p.flange)).all(q, q.flange != '')":                "",
		"!has(self.ports) || self.ports.filter(p, has(p.flange)).map(q, q.width).all(n, n > 1)":         "q.width",
		"!has(self.ports) || self.ports.all(p, has(p.flange)) && self.ports.exists(q, q.flange == 'a')": "",
		"!has(self.ports) || self.ports.exists_one(p, p.width == 1)":                                    "p.width",
		"!has(self.tags) || self.tags['a'] == ''":                                                       "self.tags.a",
		"!has(self.tags) || !('a' in self.tags) || self.tags['a'] == ''":                                "",
		"!has(self.tags) || !has(self.tags.a) || self.tags.a == ''":                                     "",
		"!has(self.tags) || self.tags.all(k, self.tags[k] != '')":                                       "",
		"!has(oldSelf.label) || self.label == oldSelf.label":                                            "self.label",
		"has(self.label) == has(oldSelf.label) && (!has(self.label) || self.label == oldSelf.label)":    "",
		"self == oldSelf": "",
		"type(self.port) == string || self.port > 0":                    "self.port self.port",
		"[self.size, self.ball.bore].exists(n, n > 1)":                  "self.size self.ball",
		"[has(self.size), has(self.ball)].filter(x, x).size() == 1":     "",
		"dyn(self.label) == 'x'":                                        "self.label",
		"self.?label.optMap(l, l.size() > 1).orValue(true)":             "",
		"{'Ball': 1, 'Gate': 2}[self.kind] > 1":                         "",
		"{'Ball': 1}[self.kind] > 1":                                    "?",
		"self.?gate.?stem.optMap(l, self.gate.stem == l).orValue(true)": "",
	} {
		a := Reads(structural.Rule{Rule: rule}, s, Inside)
		if a == nil {
			t.Errorf("%s does not parse", rule)
			continue
		}
		var texts []string
		for _, r := range a.Failing {
			text := r.Text
			if r.Reason == Unknown {
				text = "?"
			}
			texts = append(texts, text)
		}
		if got := strings.Join(texts, " "); got != want {
			t.Errorf("%s: reads %q, want %q", rule, got, want)
		}
	}
}

// TestReadsOfResource wants the fields that every object has to be known as present at the root only.
func TestReadsOfResource(t *testing.T) {
	s := schemaOf(t, "{type: object, properties: {apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}, spec: {type: object}}}")
	for rule, want := range map[string][2]int{
		"self.metadata.name.size() < 40":        {0, 2},
		"self.kind != '' && oldSelf.kind != ''": {0, 2},
		"size(self.spec) > 0":                   {1, 1},
		"self.metadata.generateName != ''":      {1, 2},
		"oldSelf.metadata.name != ''":           {0, 2},
	} {
		for i, place := range []Place{Root, Inside} {
			if a := Reads(structural.Rule{Rule: rule}, s, place); len(a.Failing) != want[i] {
				t.Errorf("%s, place %d: %v, want %d reads", rule, place, a.Failing, want[i])
			}
		}
	}
}

// TestReadPosition wants positions at the name of the field.
func TestReadPosition(t *testing.T) {
	a := Reads(structural.Rule{Rule: "self.name != '' &&\n  self.size > 1"}, schemaOf(t, valveSchema), Inside)
	if got := fmt.Sprint(a.Failing[0].Line, a.Failing[0].Column); got != "2 8" {
		t.Errorf("the read is at %s", got)
	}
}
