package apiserver

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// expression is a rule with its message expression, as the compiler sees them.
type expression struct {
	rule, message string
	// optional: oldSelf is an optional value.
	optional bool
	// storedRule, storedMessage: the text stands in the old object, and may use all
	// that the target knows.
	storedRule, storedMessage bool
}

// compilation is what the compiler says of an expression. The program itself is
// not kept.
type compilation struct {
	// failure: there is no type for the node.
	failure error
	// broken and brokenMessage are compile errors.
	broken, brokenMessage *apiservercel.Error
	usesOldSelf           bool
	// cost is of one evaluation at most.
	cost uint64
	// occurrences is how often the node fits into a request, at most.
	occurrences uint64
	hasMessage  bool
	messageCost uint64
}

type cacheKey struct {
	kind fingerprint
	expression
}

// cache holds compilations, each made once.
type cache struct {
	mu      sync.Mutex
	entries map[cacheKey]*cacheEntry
	// compilations counts those that were made here.
	compilations atomic.Int64
}

type cacheEntry struct {
	done chan struct{}
	compilation
	// err: the server's code panicked.
	err error
}

func newCache() *cache { return &cache{entries: map[cacheKey]*cacheEntry{}} }

// claim returns the entries of the keys, and which of them the caller must fill.
func (c *cache) claim(keys []cacheKey) (entries []*cacheEntry, missing []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, key := range keys {
		entry, ok := c.entries[key]
		if !ok {
			entry = &cacheEntry{done: make(chan struct{})}
			c.entries[key] = entry
			missing = append(missing, i)
		}
		entries = append(entries, entry)
	}
	return entries, missing
}

// job is a node whose rules are compiled.
type job struct {
	kind        *apiservercel.DeclType
	expressions []expression
	// known is what an earlier run compiled.
	known   knownRules
	keys    []cacheKey
	results []compilation
}

// compile compiles the jobs on all processors. The results have the order of the
// expressions.
func (t *Target) compile(ctx context.Context, jobs []*job) error {
	errs := make([]error, len(jobs))
	var all sync.WaitGroup
	for i, j := range jobs {
		select {
		case t.slots <- struct{}{}:
		case <-ctx.Done():
			all.Wait()
			return ctx.Err()
		}
		all.Go(func() {
			defer func() { <-t.slots }()
			errs[i] = t.run(j)
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// run compiles what nobody compiled yet, then waits for what others are
// compiling. They do not wait for anybody before they are done.
func (t *Target) run(j *job) error {
	j.keys = make([]cacheKey, len(j.expressions))
	for i, e := range j.expressions {
		j.keys[i] = cacheKey{fingerprintOf(j.kind, wordsOf(e.rule, e.message)), e}
	}
	entries, missing := t.compiled.claim(j.keys)
	missing = slices.DeleteFunc(missing, func(i int) bool {
		c, ok := j.known[j.keys[i].digest()]
		if ok {
			entries[i].compilation = c
			close(entries[i].done)
		}
		return ok
	})
	if len(missing) > 0 {
		var todo []expression
		words := words{}
		for _, i := range missing {
			todo = append(todo, j.expressions[i])
			words.add(j.expressions[i].rule)
			words.add(j.expressions[i].message)
		}
		t.compiled.compilations.Add(int64(len(todo)))
		var results []compilation
		err := guard(func() error {
			results = t.compileAll(reduced(j.kind, words), todo)
			return nil
		})
		for at, i := range missing {
			if entries[i].err = err; err == nil {
				entries[i].compilation = results[at]
			}
			close(entries[i].done)
		}
	}
	j.results = make([]compilation, len(entries))
	for i, entry := range entries {
		<-entry.done
		if entry.err != nil {
			return entry.err
		}
		j.results[i] = entry.compilation
	}
	return nil
}

// compileAll compiles expressions of one type: those of new rules and of stored
// ones with one call each of the server's compiler.
func (t *Target) compileAll(kind *apiservercel.DeclType, expressions []expression) []compilation {
	out := make([]compilation, len(expressions))
	for _, stored := range []bool{false, true} {
		var rules apiextensionsv1.ValidationRules
		var at []int
		for i, e := range expressions {
			if e.storedRule != stored {
				continue
			}
			rule := apiextensionsv1.ValidationRule{Rule: e.rule, OptionalOldSelf: &e.optional}
			if e.storedMessage == stored {
				rule.MessageExpression = e.message
			}
			rules, at = append(rules, rule), append(at, i)
		}
		for i, c := range t.call(kind, rules, stored) {
			out[at[i]] = c
		}
	}
	for i, e := range expressions {
		if e.message == "" || e.storedMessage == e.storedRule || out[i].failure != nil || out[i].broken != nil {
			continue
		}
		// The message is compiled in the other environment, beside a rule that does
		// not matter.
		message := t.call(kind, apiextensionsv1.ValidationRules{{
			Rule: "true", MessageExpression: e.message, OptionalOldSelf: &e.optional,
		}}, e.storedMessage)[0]
		out[i].brokenMessage, out[i].hasMessage, out[i].messageCost = message.brokenMessage, message.hasMessage, message.messageCost
	}
	return out
}

// call compiles rules in one environment.
func (t *Target) call(kind *apiservercel.DeclType, rules apiextensionsv1.ValidationRules, stored bool) []compilation {
	if len(rules) == 0 {
		return nil
	}
	return t.compileIn(stored, kind, rules)
}

// environment is the one for new rules, or that for stored ones.
func (t *Target) environment(stored bool) (*environment.EnvSet, error) {
	if stored {
		return t.storedRules()
	}
	return t.newRules()
}

// environmentOf is the linked library's environment for a version, with the estimates
// of the target where those of a function have changed.
func (t *Target) environmentOf(v *version.Version) (*environment.EnvSet, error) {
	set := environment.MustBaseEnvSet(v)
	if !t.Before(globalMatchesMinor) {
		return set, nil
	}
	one := func(checker.CostEstimator, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
		return &checker.CallEstimate{CostEstimate: checker.FixedCostEstimate(1)}
	}
	return set.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []celgo.EnvOption{celgo.CostEstimatorOptions(checker.OverloadCostEstimate(overloads.Matches, one))},
	})
}

// compileIn is the server's compiler. It looks only at the rules of the schema
// that it is given.
func (t *Target) compileIn(stored bool, kind *apiservercel.DeclType, rules apiextensionsv1.ValidationRules) []compilation {
	schema := &structuralschema.Structural{ValidationExtensions: structuralschema.ValidationExtensions{XValidations: rules}}
	var results []cel.CompilationResult
	env, err := t.environment(stored)
	if err == nil {
		results, err = cel.Compile(schema, kind, celconfig.PerCallLimit, env, cel.NewExpressionsEnvLoader())
	}
	out := make([]compilation, len(rules))
	for i := range out {
		if err != nil {
			out[i].failure = err
			continue
		}
		r := results[i]
		out[i] = compilation{
			broken: steadyError(r.Error), brokenMessage: steadyError(r.MessageExpressionError), usesOldSelf: r.UsesOldSelf,
			cost: r.MaxCost, occurrences: r.MaxCardinality,
			hasMessage: r.MessageExpression != nil, messageCost: r.MessageExpressionMaxCost,
		}
		if t.Before(localSizeMinor) && out[i].broken == nil {
			out[i].failure = t.reprice(&out[i], env, kind, rules[i])
		}
	}
	return out
}

// reprice replaces the costs of a rule by those of an older server.
func (t *Target) reprice(c *compilation, env *environment.EnvSet, kind *apiservercel.DeclType, rule apiextensionsv1.ValidationRule) error {
	self := kind.MaybeAssignTypeName("repriced")
	oldSelf := self.CelType()
	if rule.OptionalOldSelf != nil && *rule.OptionalOldSelf {
		oldSelf = types.NewOptionalType(oldSelf)
	}
	env, err := env.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0), DeclTypes: []*apiservercel.DeclType{self},
		EnvOptions: []celgo.EnvOption{celgo.Variable(cel.ScopedVarName, self.CelType()), celgo.Variable(cel.OldScopedVarName, oldSelf)},
	})
	if err != nil {
		return err
	}
	price := func(expression string, cost *uint64) {
		if checked, issues := env.NewExpressionsEnv().Compile(expression); issues == nil {
			*cost = t.oldCost(checked.NativeRep(), kind)
		}
	}
	price(rule.Rule, &c.cost)
	if c.hasMessage {
		price(rule.MessageExpression, &c.messageCost)
	}
	return nil
}

// steady leaves out the number at the end of the name that the compiler gives to
// the type of a node: it is different each time.
func steady(text string) string {
	const name = "selfType"
	before, rest, found := strings.Cut(text, name)
	if !found {
		return text
	}
	var b strings.Builder
	for ; found; before, rest, found = strings.Cut(rest, name) {
		b.WriteString(before + name)
		rest = strings.TrimLeft(rest, "0123456789")
	}
	b.WriteString(before)
	return b.String()
}

func steadyError(err *apiservercel.Error) *apiservercel.Error {
	if err == nil {
		return nil
	}
	return &apiservercel.Error{Type: err.Type, Detail: steady(err.Detail)}
}
