package rules

import (
	"context"
	"errors"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// answerer has the server's code evaluate conditions on objects. It evaluates a condition only if that reads what it
// has not read before.
type answerer struct {
	self     *part
	read     []reading
	evaluate []func(object map[string]any) unions.Outcome
	known    map[string]unions.Outcome
}

// newAnswerer returns an answerer of conditions. read is what each of them reads. It returns an error if the server refuses
// one of them.
func newAnswerer(self *part, conditions []Condition, read []reading) (*answerer, error) {
	out := &answerer{self: self, read: read, known: map[string]unions.Outcome{}}
	s := covering(self.schema, self.examples())
	var evaluators apiserver.RuleEvaluators
	for _, c := range conditions {
		evaluate, err := c.evaluator(s, &evaluators)
		if err != nil {
			return nil, err
		}
		out.evaluate = append(out.evaluate, evaluate)
	}
	return out, nil
}

// evaluator returns a function that has the server's code evaluate a condition on objects of a schema. It evaluates a
// junctor without the rest of the schema.
func (c Condition) evaluator(s *structural.Schema, evaluators *apiserver.RuleEvaluators) (func(object map[string]any) unions.Outcome, error) {
	if c.Junctor != nil {
		check, err := apiserver.NewValueCheck(c.schema().Props())
		return func(object map[string]any) unions.Outcome { return unions.Outcome{Rejected: !check(object)} }, err
	}
	evaluator, err := evaluators.New(s, c.Rule, false)
	if err == nil && evaluator.Failure() != "" {
		err = errors.New(evaluator.Failure())
	}
	return func(object map[string]any) unions.Outcome {
		return evaluator.Evaluate(context.Background(), object, nil)
	}, err
}

// of returns the outcomes of the conditions for the object of an assignment.
func (a *answerer) of(chosen assignment) []unions.Outcome {
	var object map[string]any
	var out []unions.Outcome
	for i, r := range a.read {
		key := r.key(i, chosen)
		outcome, ok := a.known[key]
		if !ok {
			if object == nil {
				object = a.self.object(chosen)
			}
			outcome = a.evaluate[i](object)
			a.known[key] = outcome
		}
		out = append(out, outcome)
	}
	return out
}

// examples returns objects that have all classes of all columns below a part.
func (p *part) examples() []any {
	columns := p.below()
	most := 1
	for _, column := range columns {
		most = max(most, len(column.choices))
	}
	var out []any
	for i := range most {
		chosen := assignment{}
		for _, column := range columns {
			chosen[column] = i % len(column.choices)
		}
		out = append(out, p.build(chosen, nil))
	}
	return out
}

// object returns the object of an assignment.
func (p *part) object(chosen assignment) map[string]any {
	object, _ := p.build(chosen, nil).(map[string]any)
	return object
}
