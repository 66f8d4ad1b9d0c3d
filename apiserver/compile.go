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

// expression is a rule with its message expression, as passed to the compiler.
type expression struct {
	rule, message string
	// optional is set if oldSelf is an optional value.
	optional bool
	// storedRule and storedMessage are set if the expression is in the old object, and so
	// may use everything that the target supports.
	storedRule, storedMessage bool
}

// compilation is the compiler's result for an expression. The program itself is not kept.
type compilation struct {
	// failure is set if the node has no type.
	failure error
	// ruleError and messageError are compile errors.
	ruleError, messageError *apiservercel.Error
	usesOldSelf             bool
	// cost is the maximum cost of one evaluation.
	cost uint64
	// occurrences is the maximum number of times that the node fits into a request.
	occurrences uint64
	hasMessage  bool
	messageCost uint64
}

type cacheKey struct {
	kind fingerprint
	expression
}

// compilationCache holds compilations, so that each is made once.
type compilationCache struct {
	mu      sync.Mutex
	entries map[cacheKey]*cacheEntry
	// compilations counts the compilations made in this process.
	compilations atomic.Int64
}

type cacheEntry struct {
	done chan struct{}
	compilation
	// err is set if the server's code panicked.
	err error
}

func newCache() *compilationCache { return &compilationCache{entries: map[cacheKey]*cacheEntry{}} }

// claim returns the entries for the keys, and the indexes of those that the caller must
// fill.
func (c *compilationCache) claim(keys []cacheKey) (entries []*cacheEntry, missing []int) {
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

// job compiles the rules of a node.
type job struct {
	kind        *apiservercel.DeclType
	expressions []expression
	// known are the compilations of an earlier run.
	known   knownRules
	keys    []cacheKey
	results []compilation
}

// compile runs the jobs in parallel. The results are in the order of the expressions.
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

// run compiles the expressions that are not in the cache, then waits for those that other
// goroutines are compiling. A goroutine waits only after it has finished its own, so there
// is no deadlock.
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

// compileAll compiles expressions for one type, with one call of the server's compiler for
// new and one for stored rules.
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
		if e.message == "" || e.storedMessage == e.storedRule || out[i].failure != nil || out[i].ruleError != nil {
			continue
		}
		// Compile the message in the other environment, with a rule that does not matter.
		message := t.call(kind, apiextensionsv1.ValidationRules{{
			Rule: "true", MessageExpression: e.message, OptionalOldSelf: &e.optional,
		}}, e.storedMessage)[0]
		out[i].messageError, out[i].hasMessage, out[i].messageCost = message.messageError, message.hasMessage, message.messageCost
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

// environment returns the environment for new or for stored rules.
func (t *Target) environment(stored bool) (*environment.EnvSet, error) {
	if stored {
		return t.storedRules()
	}
	return t.newRules()
}

// environmentOf returns the linked library's environment for a version, with the cost
// estimates of the target for functions whose estimates have changed.
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

// compileIn calls the server's compiler. It compiles only the rules of the schema it is
// given, not those below.
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
			ruleError: stripErrorTypeNumbers(r.Error), messageError: stripErrorTypeNumbers(r.MessageExpressionError), usesOldSelf: r.UsesOldSelf,
			cost: r.MaxCost, occurrences: r.MaxCardinality,
			hasMessage: r.MessageExpression != nil, messageCost: r.MessageExpressionMaxCost,
		}
		if t.Before(localSizeMinor) && out[i].ruleError == nil {
			out[i].failure = t.reprice(&out[i], env, kind, rules[i])
		}
	}
	return out
}

// reprice replaces the costs of a rule with those of an older server.
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

// stripTypeNumbers removes the number at the end of the type names that the compiler
// generates for nodes, because it is different each time.
func stripTypeNumbers(text string) string {
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

func stripErrorTypeNumbers(err *apiservercel.Error) *apiservercel.Error {
	if err == nil {
		return nil
	}
	return &apiservercel.Error{Type: err.Type, Detail: stripTypeNumbers(err.Detail)}
}
