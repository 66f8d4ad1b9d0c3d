package rules

import (
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// jobSchema has what the rules of jobs in queues read.
const jobSchema = `
type: object
properties:
  spec:
    type: object
    properties:
      queue: {type: string}
      count: {type: integer}
      class: {type: object, required: [name], properties: {name: {type: string}, group: {type: string}, kind: {type: string}}}
      sets: {type: array, items: {type: object, required: [name], properties: {name: {type: string}, size: {type: integer}}}}
  status:
    type: object
    properties:
      conditions: {type: array, items: {type: object, required: [type, status], properties: {type: {type: string}, status: {type: string}}}}
      admission: {type: object, properties: {sets: {type: array, items: {type: object, required: [name], properties: {name: {type: string}, count: {type: integer}}}}}}
`

// jobRules are as long as the longest rules of public APIs.
var jobRules = map[string]string{
	"short": "!has(self.spec) || !has(self.spec.count) || self.spec.count > 0",
	"update": "(has(oldSelf.status) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Reserved' && c.status == 'True')) && " +
		"(has(self.status) && has(self.status.conditions) && self.status.conditions.exists(c, c.type == 'Reserved' && c.status == 'True')) && " +
		"has(oldSelf.spec.queue) && has(self.spec.queue) ? oldSelf.spec.queue == self.spec.queue : true",
	"deep": "(has(oldSelf.status) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Reserved' && c.status == 'True') && " +
		"has(oldSelf.spec.class) && has(self.spec.class) && self.spec.class.group == 'g' && self.spec.class.kind == 'k') ? " +
		"oldSelf.spec.class.name == self.spec.class.name && self.spec.sets.all(s, !has(s.size) || self.status.admission.sets.exists(a, a.name == s.name && has(a.count) && a.count <= s.size)) : " +
		"(!has(self.spec.class) || self.spec.class.name.size() > 0) && (!has(self.spec.count) || self.spec.count > 0) && (!has(self.spec.queue) || self.spec.queue != '')",
	"alternatives": "has(self.spec) && (has(self.spec.queue) || has(self.spec.count) || has(self.spec.class) || has(self.spec.sets) || has(self.status)) && " +
		"(self.spec.queue == 'a' || self.spec.queue == 'b' || self.spec.count == 1 || self.spec.count == 2 || self.spec.class.name == 'c' || self.spec.sets.exists(s, s.size == 3 || s.size == 4))",
}

// BenchmarkReads measures the analysis of long rules.
func BenchmarkReads(b *testing.B) {
	s := schemaOf(b, jobSchema)
	for name, rule := range jobRules {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Reads(structural.Rule{Rule: rule}, s, Inside)
			}
		})
	}
}
