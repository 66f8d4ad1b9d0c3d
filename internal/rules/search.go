package rules

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Failure is a value for which a rule fails because it reads an absent field, proved by the
// server's own code with a whole object.
type Failure struct {
	// Read is what is absent.
	Read Read
	// Value is the smallest such value of the rule's schema, and Old the one before an update, nil
	// if the failure is not one of an update.
	Value, Old any
	// Detail is the server's message, such as "no such key: size".
	Detail string
	// Accepts reports whether the rule would accept with Go's zero value in place of the field.
	Accepts bool
	// Skips reports whether the rule would accept with that whatever the other fields are, as far
	// as they were tried, so that it may as well be skipped.
	Skips bool
}

// Search looks for failures of rules of one version of a definition.
type Search struct {
	// Group, Version and Kind identify the objects, and Schema is the schema of the version.
	Group, Version, Kind string
	Schema               *structural.Schema
	// Server returns the server's handling of objects.
	Server func() (*apiserver.Kind, error)

	objects  int
	searched map[string]int
}

const (
	// maxEvaluations bounds the values that are tried for a read, and maxProofs the objects. The
	// server handles at most maxObjects for a version.
	maxEvaluations = 200
	maxProofs      = 4
	maxObjects     = 100
	// maxReads bounds the reads of a rule that are tried, and maxNodes the nodes with the same rule.
	maxReads = 4
	maxNodes = 2
)

// failing is a value for which a rule fails.
type failing struct {
	value, old any
	accepts    bool
}

// Failure returns a failure of a rule of the node to which edges lead; nil if none was found, which
// does not mean that there is none. Failures in which the rule would accept with Go's zero value are
// preferred.
func (s *Search) Failure(ctx context.Context, edges []structural.Edge, node *structural.Schema,
	rule structural.Rule, a *Analysis) (*Failure, error) {
	if s.searched == nil {
		s.searched = map[string]int{}
	}
	if s.searched[rule.Rule] == maxNodes {
		return nil, nil
	}
	s.searched[rule.Rule]++
	var evaluator *apiserver.RuleEvaluator
	var best *Failure
	var tried []string
	for _, read := range a.Failing {
		if read.Reason != Absent || read.Steps == nil || slices.Contains(tried, read.Text) || len(tried) == maxReads {
			continue
		}
		tried = append(tried, read.Text)
		if evaluator == nil {
			var err error
			evaluator, err = apiserver.NewRuleEvaluator(node, rule, len(edges) == 0)
			if err != nil {
				return nil, err
			}
		}
		found, skips := fail(ctx, a, read, node, rule, evaluator)
		slices.SortStableFunc(found, func(a, b failing) int {
			switch {
			case a.accepts && !b.accepts:
				return -1
			case b.accepts && !a.accepts:
				return 1
			}
			return a.size() - b.size()
		})
		for _, f := range found[:min(len(found), maxProofs)] {
			if best != nil && !f.accepts {
				break
			}
			detail, err := s.prove(ctx, edges, f, rule)
			if err != nil {
				return nil, err
			}
			if detail != "" {
				best = &Failure{Read: read, Value: f.value, Old: f.old, Detail: detail}
				best.Accepts = f.accepts
				best.Skips = skips
				break
			}
		}
		if best != nil && best.Accepts {
			return best, nil
		}
	}
	return best, nil
}

func (f failing) size() int {
	return len(plainjson.Text(f.value)) + len(plainjson.Text(f.old))
}

// noKey is how the server's messages about absent fields begin.
const noKey = "no such key: "

// fail returns values without what a rule reads for which it fails, and whether it accepts all
// values without that if they have Go's zero value in its place.
func fail(ctx context.Context, a *Analysis, read Read, node *structural.Schema, rule structural.Rule,
	evaluator *apiserver.RuleEvaluator) (found []failing, skips bool) {
	self := a.partsOf("self", node)
	var old *part
	if apiserver.UsesOldSelf(rule.Rule) {
		old = a.partsOf("oldSelf", node)
		self.addUnread(a) // the server ignores failures of rules about what an update does not change
	}
	parts := all(self, old)
	root := self
	if read.Steps[0] == "oldSelf" {
		root = old
	}
	way := root.find(read.Steps[1:])
	if len(way) == 0 {
		return nil, false
	}
	missing := way[len(way)-1]
	fixed := assignment{missing: absent}
	for _, p := range way[:len(way)-1] {
		fixed[p] = 0
	}
	replaced := map[*part]any{missing: zero(missing.schema, 0)}
	skips = true
	left := maxEvaluations
	for chosen := range assignments(parts, fixed) {
		if left--; left < 0 || ctx.Err() != nil {
			break
		}
		evaluate := func(override map[*part]any) (out failing, outcome unions.Outcome) {
			out.value = self.build(chosen, override)
			if old != nil {
				out.old = old.build(chosen, override)
			}
			return out, evaluator.Evaluate(ctx, defaulted(node, out.value), defaulted(node, out.old))
		}
		f, outcome := evaluate(nil)
		fails := strings.HasPrefix(outcome.Failure, noKey)
		if !fails && !skips {
			continue
		}
		_, filled := evaluate(replaced)
		f.accepts = filled == unions.Outcome{}
		skips = skips && f.accepts
		if fails {
			found = append(found, f)
		}
	}
	return found, skips
}

// defaulted returns a value with the defaults of a schema.
func defaulted(s *structural.Schema, value any) any {
	if value == nil {
		return nil
	}
	const name = "value"
	object := map[string]any{name: runtime.DeepCopyJSONValue(value)}
	structural.Default(&structural.Schema{Properties: []structural.Property{{Name: name, Schema: s}}}, object)
	return object[name]
}

// prove returns the server's message about an absent field if it has no other objections to an
// object with the value than such messages, and "" otherwise.
func (s *Search) prove(ctx context.Context, edges []structural.Edge, f failing, rule structural.Rule) (string, error) {
	kind, err := s.Server()
	if err != nil {
		return "", nil // it would not serve the version, which is reported
	}
	errs, err := s.request(ctx, kind, s.minimal, edges, f)
	detail := onlyAbsent(errs, rule)
	if err != nil || detail != "" || len(errs) == 0 {
		return detail, err
	}
	// Rules of the parents may demand other fields of them.
	repaired := func() any { return addScalars(s.Schema, place(s.Schema, s.minimal(), edges, f.value), edges, "", errs) }
	errs, err = s.request(ctx, kind, repaired, edges, f)
	return onlyAbsent(errs, rule), err
}

// minimal returns an object with the fields that the schema requires.
func (s *Search) minimal() any { return unions.Sample(s.Schema, false) }

// addScalars adds optional numbers, strings and booleans to the parents of the node to which edges
// lead, where the server reports errors.
func addScalars(s *structural.Schema, object any, edges []structural.Edge, path string, errs field.ErrorList) any {
	if len(edges) == 0 {
		return object
	}
	switch value := object.(type) {
	case []any:
		value[0] = addScalars(s.Items, value[0], edges[1:], path+"[0]", errs)
	case map[string]any:
		isWrong := slices.ContainsFunc(errs, func(e *field.Error) bool {
			return e.Field == path && !strings.HasPrefix(e.Detail, noKey)
		})
		for _, p := range s.Properties {
			_, ok := value[p.Name]
			if isWrong && !ok && p.Schema != nil && slices.Contains([]string{"string", "integer", "number", "boolean"}, p.Schema.Type) {
				value[p.Name] = unions.Sample(p.Schema, false)
			}
		}
		for edge, child := range s.Children() {
			if edge == edges[0] && edge.Property != "" {
				value[edge.Property] = addScalars(child, value[edge.Property], edges[1:], strings.TrimPrefix(path+"."+edge.Property, "."), errs)
			}
		}
	}
	return object
}

// entryName is the key of entries of maps.
const entryName = "example"

// request returns the server's errors about an object with the value.
func (s *Search) request(ctx context.Context, kind *apiserver.Kind, base func() any,
	edges []structural.Edge, f failing) (field.ErrorList, error) {
	s.objects++
	if s.objects > maxObjects {
		return nil, nil
	}
	object := s.complete(place(s.Schema, base(), edges, f.value))
	isStatus := kind.HasStatus() && len(edges) > 0 && edges[0].Property == "status"
	var answer apiserver.Answer
	var err error
	switch {
	case f.old != nil || isStatus:
		stored := s.complete(base())
		if f.old != nil {
			stored = s.complete(place(s.Schema, stored, edges, f.old))
		}
		update := kind.Update
		if isStatus {
			update = kind.UpdateStatus
		} else if created, err := kind.Create(ctx, stored); err != nil || len(created.Errors) > 0 {
			return nil, err
		}
		answer, err = update(ctx, versioned(object), versioned(stored))
	default:
		answer, err = kind.Create(ctx, object)
	}
	return answer.Errors, err
}

// onlyAbsent returns the message of a rule about an absent field if all errors are such messages, of
// that rule or others.
func onlyAbsent(errs field.ErrorList, rule structural.Rule) string {
	detail := ""
	for _, e := range errs {
		message, evaluated, ok := strings.Cut(e.Detail, " evaluating rule: ")
		if !ok || !strings.HasPrefix(message, noKey) {
			return ""
		}
		if evaluated == strings.TrimSpace(cmp.Or(rule.Message, rule.Rule)) {
			detail = message
		}
	}
	return detail
}

// complete returns an object with what every object has.
func (s *Search) complete(value any) map[string]any {
	object, ok := value.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object["apiVersion"] = s.Group + "/" + s.Version
	object["kind"] = s.Kind
	object["metadata"] = map[string]any{"name": "example"}
	return object
}

// versioned returns an object as it is stored.
func versioned(object map[string]any) map[string]any {
	object["metadata"] = map[string]any{"name": "example", "uid": "00000000-0000-0000-0000-000000000000", "resourceVersion": "1"}
	return object
}

// place puts a value into an object of a schema, to which edges lead.
func place(s *structural.Schema, object any, edges []structural.Edge, value any) any {
	if len(edges) == 0 {
		return runtime.DeepCopyJSONValue(value)
	}
	edge := edges[0]
	if edge.Keyword == "items" {
		list, _ := object.([]any)
		if len(list) == 0 {
			list = []any{unions.Sample(s.Items, false)}
		}
		list[0] = place(s.Items, list[0], edges[1:], value)
		return list
	}
	fields, ok := object.(map[string]any)
	if !ok {
		fields = map[string]any{}
	}
	name := edge.Property
	var child *structural.Schema
	if edge.Keyword == "properties" {
		child = s.Properties[s.PropertyIndex(name)].Schema
	} else {
		name = entryName
		child = s.AdditionalProperties.Schema
	}
	if _, ok := fields[name]; !ok {
		fields[name] = unions.Sample(child, false)
	}
	fields[name] = place(child, fields[name], edges[1:], value)
	return fields
}
