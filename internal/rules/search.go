package rules

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/celtext"
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
	// if the failure is not one of an update. Unchanged is set if the update leaves the value as it is.
	Value, Old any
	Unchanged  bool
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
	// Masked also searches for failures where the rule would refuse the object anyway.
	Masked bool
	// Unproved has the trials of the run.
	Unproved *Unproved
	// Server returns the server's handling of objects, and Stored that of objects which were stored before, if
	// it is another one. Then failures are found whether or not the rule would accept with Go's zero value.
	Server, Stored func() (*apiserver.Kind, error)

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
// does not mean that there is none. The analysis may be nil. Failures in which the rule would accept with
// Go's zero value are preferred.
func (s *Search) Failure(ctx context.Context, edges []structural.Edge, node *structural.Schema,
	rule structural.Rule, a *Analysis) (*Failure, error) {
	if s.searched == nil {
		s.searched = map[string]int{}
	}
	if a == nil || len(a.Failing) == 0 || s.searched[rule.Rule] == maxNodes {
		return nil, nil
	}
	s.searched[rule.Rule]++
	var t *trial
	var best *Failure
	var tried []string
	for _, read := range a.Failing {
		isTried := slices.Contains(tried, read.place())
		if read.Reason != Absent || read.Steps == nil || isTried || len(tried) == maxReads {
			continue
		}
		tried = append(tried, read.place())
		if t == nil {
			var err error
			t, err = s.Unproved.trial(a, node, rule, len(edges) == 0)
			if err != nil {
				return nil, err
			}
		}
		for _, f := range t.failing(ctx, read, (s.Masked || s.Stored != nil) && best == nil) {
			detail, err := s.prove(ctx, edges, f, rule, read)
			if err != nil {
				return nil, err
			}
			if detail != "" {
				best = &Failure{Read: read, Value: f.value, Old: f.old, Detail: detail, Accepts: f.accepts}
				best.Unchanged = a.isUnchanged
				best.Skips = f.accepts && t.skips(ctx, read)
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

// place identifies what is read.
func (r Read) place() string { return strings.Join(r.Steps, " ") }

// isReported reports whether a message of the server is about what is read.
func (r Read) isReported(detail string) bool {
	key, ok := strings.CutPrefix(detail, noKey)
	name := r.Steps[len(r.Steps)-1]
	escaped, _ := celtext.Name(name)
	return ok && (name == element || key == name || key == escaped)
}

// mayBe reports whether the server's message about a read can be about another one.
func (r Read) mayBe(other Read) bool {
	if r.Steps == nil || other.Steps == nil {
		return true
	}
	name := r.Steps[len(r.Steps)-1]
	another := other.Steps[len(other.Steps)-1]
	return name == another || name == element || another == element
}

// trial evaluates a rule for values that differ in what it reads.
type trial struct {
	// self and old have the parts of self and oldSelf; old is nil if the rule does not read that, and self
	// if an update leaves it as it is.
	self, old *part
	// schema is the schema of the values, without what none of them has.
	schema      *structural.Schema
	hasDefaults bool
	evaluator   *apiserver.RuleEvaluator
	// found has the results of [trial.failing], by the place of the read.
	found sync.Map
}

// trial returns the trial of a rule of a node, which may be one of an equal rule.
func (u *Unproved) trial(a *Analysis, node *structural.Schema, rule structural.Rule, isRoot bool) (*trial, error) {
	t := &trial{self: a.partsOf("self", node), schema: node}
	switch {
	case a.isUnchanged:
		t.self = a.partsOf("self", a.stored)
		t.old = t.self
	case a.usesOldSelf:
		t.old = a.partsOf("oldSelf", cmp.Or(a.stored, node))
		t.self.addUnread(a) // the server ignores failures of rules about what an update does not change
	}
	examples := t.examples()
	// Of a read that is not known, the part is not known either.
	if !slices.ContainsFunc(a.Failing, func(r Read) bool { return r.Steps == nil }) {
		t.schema = covering(node, examples)
	}
	// Versions and kinds have the same rules for equal schemas, which need not be the same nodes. The
	// values also depend on what the schema of the trial leaves out.
	rule.Message = ""
	key := plainjson.Text([]any{isRoot, rule, t.schema.Props(), examples, a.stored.Props(), a.isUnchanged})
	if known, ok := u.trials.Load(key); ok {
		return known.(*trial), nil
	}
	evaluator, err := u.evaluators.New(t.schema, rule, isRoot)
	if err != nil {
		return nil, err
	}
	t.evaluator = evaluator
	t.hasDefaults = hasDefaults(t.schema)
	u.trials.Store(key, t)
	return t, nil
}

// parts returns the parts that differ between values.
func (t *trial) parts() []*part {
	if t.old == t.self {
		return all(t.self)
	}
	return all(t.self, t.old)
}

// examples returns values that have all parts, and each choice of a part at least once.
func (t *trial) examples() []any {
	var out []any
	for _, root := range []*part{t.self, t.old} {
		if root == nil {
			continue
		}
		for i := range maxChoices {
			chosen := assignment{}
			for _, p := range all(root) {
				if len(p.choices) > 0 {
					chosen[p] = i % len(p.choices)
				}
			}
			out = append(out, root.build(chosen, nil))
		}
	}
	return out
}

// failing returns values without what a rule reads for which it fails, the smallest first: some that it
// accepts with Go's zero value in its place and then, if masked is set, some that it refuses.
func (t *trial) failing(ctx context.Context, read Read, masked bool) []failing {
	key := fmt.Sprintf("%s %t", read.place(), masked)
	if known, ok := t.found.Load(key); ok {
		return known.([]failing)
	}
	var accepted, refused []failing
	for chosen, zeros := range t.lacking(ctx, read) {
		if t.isExcluded(read.given, chosen) {
			continue
		}
		f, outcome := t.evaluate(ctx, chosen, nil)
		if !read.isReported(outcome.Failure) {
			continue
		}
		_, filled := t.evaluate(ctx, chosen, zeros)
		f.accepts = filled == unions.Outcome{}
		switch {
		case f.accepts:
			accepted = append(accepted, f)
		case masked:
			refused = append(refused, f)
		}
		if len(accepted) == maxProofs {
			break
		}
	}
	for _, found := range [][]failing{accepted, refused} {
		slices.SortStableFunc(found, func(a, b failing) int { return a.size() - b.size() })
	}
	found := slices.Concat(accepted, refused[:min(len(refused), maxProofs)])
	if ctx.Err() == nil {
		t.found.Store(key, found)
	}
	return found
}

// skips reports whether a rule accepts all values without what it reads if they have Go's zero value in
// its place.
func (t *trial) skips(ctx context.Context, read Read) bool {
	for chosen, zeros := range t.lacking(ctx, read) {
		if _, outcome := t.evaluate(ctx, chosen, zeros); outcome != (unions.Outcome{}) {
			return false
		}
	}
	return true
}

// lacking yields assignments without what a rule reads, with Go's zero value for its place.
func (t *trial) lacking(ctx context.Context, read Read) iter.Seq2[assignment, map[*part]any] {
	return func(yield func(assignment, map[*part]any) bool) {
		root := t.self
		if read.Steps[0] == "oldSelf" {
			root = t.old
		}
		way := root.find(read.Steps[1:])
		if len(way) == 0 {
			return
		}
		missing := way[len(way)-1]
		fixed := assignment{missing: absent}
		for _, p := range way[:len(way)-1] {
			fixed[p] = 0
		}
		left := maxEvaluations
		for chosen := range assignments(t.parts(), fixed) {
			if left--; left < 0 || ctx.Err() != nil || !yield(chosen, map[*part]any{missing: zero(missing.schema, 0)}) {
				return
			}
		}
	}
}

// isExcluded reports whether literals do not hold for an assignment.
func (t *trial) isExcluded(given []string, chosen assignment) bool {
	return slices.ContainsFunc(given, func(literal string) bool {
		steps := strings.Split(literal[1:], ".")
		root := t.self
		if steps[0] == "oldSelf" && t.old != nil {
			root = t.old
		}
		way := root.find(steps[1:])
		isPresent := !slices.ContainsFunc(way, func(p *part) bool { return p.optional && chosen[p] == absent })
		return way != nil && (steps[0] == "self" || steps[0] == "oldSelf") && isPresent != (literal[0] == '+')
	})
}

// evaluate returns the values of an assignment, and the outcome of the rule for them.
func (t *trial) evaluate(ctx context.Context, chosen assignment,
	override map[*part]any) (out failing, outcome unions.Outcome) {
	out.value = t.self.build(chosen, override)
	if t.old != nil {
		out.old = t.old.build(chosen, override)
	}
	if !t.hasDefaults {
		return out, t.evaluator.Evaluate(ctx, out.value, out.old)
	}
	return out, t.evaluator.Evaluate(ctx, defaulted(t.schema, out.value), defaulted(t.schema, out.old))
}

func hasDefaults(s *structural.Schema) bool {
	for _, child := range s.Children() {
		if isDefaulted(child) || hasDefaults(child) {
			return true
		}
	}
	return isDefaulted(s)
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
func (s *Search) prove(ctx context.Context, edges []structural.Edge, f failing,
	rule structural.Rule, read Read) (string, error) {
	kind, err := s.Server()
	if err != nil {
		return "", nil // it would not serve the version, which is reported
	}
	errs, err := s.request(ctx, kind, s.minimal, edges, f)
	detail := onlyAbsent(errs, rule, read)
	if err != nil || detail != "" || len(errs) == 0 {
		return detail, err
	}
	// Rules of the parents may demand other fields of them.
	repaired := func() any { return addScalars(s.Schema, place(s.Schema, s.minimal(), edges, f.value), edges, "", errs) }
	errs, err = s.request(ctx, kind, repaired, edges, f)
	return onlyAbsent(errs, rule, read), err
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
	object := s.complete(place(s.Schema, base(), edges, f.value))
	if f.old == nil && !isStatus(kind, edges) {
		s.objects++
		if s.objects > maxObjects {
			return nil, nil
		}
		answer, err := kind.Create(ctx, object)
		return answer.Errors, err
	}
	stored := s.complete(base())
	if f.old != nil {
		stored = s.complete(place(s.Schema, stored, edges, f.old))
	}
	errs, _, err := s.update(ctx, kind, edges, stored, object)
	return errs, err
}

// isStatus reports whether a part of an object is written with its status.
func isStatus(kind *apiserver.Kind, edges []structural.Edge) bool {
	return kind.HasStatus() && len(edges) > 0 && edges[0].Property == "status"
}

// update returns the server's errors about an update of a part of an object. ok is set if the server
// would have stored the object before.
func (s *Search) update(ctx context.Context, kind *apiserver.Kind, edges []structural.Edge,
	stored, object map[string]any) (errs field.ErrorList, ok bool, err error) {
	s.objects++
	if s.objects > maxObjects {
		return nil, false, nil
	}
	update := kind.Update
	creator := kind
	if s.Stored != nil {
		creator, err = s.Stored()
		if err != nil {
			return nil, false, nil // it would not serve the version, which is reported
		}
	}
	if isStatus(kind, edges) {
		update = kind.UpdateStatus
	} else if created, err := creator.Create(ctx, stored); err != nil || len(created.Errors) > 0 {
		return nil, false, err
	}
	changed := versioned(object)
	changed["metadata"].(map[string]any)["labels"] = map[string]any{"changed": "true"}
	answer, err := update(ctx, changed, versioned(stored))
	return answer.Errors, err == nil, err
}

// onlyAbsent returns the message of a rule about what it reads if all errors are such messages, of that
// read or others. The server reports in no certain order, and other rules may have the same message.
func onlyAbsent(errs field.ErrorList, rule structural.Rule, read Read) string {
	detail := ""
	for _, e := range errs {
		message, evaluated, ok := strings.Cut(e.Detail, " evaluating rule: ")
		if !ok || !strings.HasPrefix(message, noKey) {
			return ""
		}
		isOfRule := evaluated == strings.TrimSpace(cmp.Or(rule.Message, rule.Rule))
		if isOfRule && read.isReported(message) && (detail == "" || message < detail) {
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
		child = s.Property(name)
	} else {
		name = entryName
		child = s.AdditionalProperties.Schema
	}
	if _, ok := fields[name]; !ok {
		fields[name] = unions.Sample(child, false)
	}
	leaveOut(fields, unions.Counted(s), name, func(string) bool { return false })
	fields[name] = place(child, fields[name], edges[1:], value)
	return fields
}
