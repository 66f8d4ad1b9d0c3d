package apiserver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
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

// claim returns the entries for the keys, and the indexes of entries that the caller must fill.
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

// run compiles the expressions that are not in the cache, then waits for expressions that other
// goroutines are compiling. A goroutine waits only after it has finished its own, so there is no
// deadlock.
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
			kind := reduced(j.kind, words)
			for _, e := range todo {
				results = append(results, t.compileOne(kind, e))
			}
			return nil
		})
		for index, i := range missing {
			entries[i].err = err
			if err == nil {
				entries[i].compilation = results[index]
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

// libraryOf returns the linked library's environment for a version, with the cost estimates
// of the target for functions whose estimates have changed.
func (t *Target) libraryOf(v *version.Version) (*ruleLibrary, error) {
	env := environment.MustBaseEnvSet(v).NewExpressionsEnv()
	if t.Before(globalMatchesMinor) {
		one := func(checker.CostEstimator, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
			return &checker.CallEstimate{CostEstimate: checker.FixedCostEstimate(1)}
		}
		var err error
		env, err = env.Extend(celgo.CostEstimatorOptions(checker.OverloadCostEstimate(overloads.Matches, one)))
		if err != nil {
			return nil, err
		}
	}
	rules := newRuleLibrary(env)
	rules.keywords = v.Minor() >= keywordMinor
	return rules, nil
}

// compileOne compiles an expression for a type, as Compile of apiextensions-apiserver's
// pkg/apiserver/schema/cel does with a list of rules.
func (t *Target) compileOne(kind *apiservercel.DeclType, e expression) (out compilation) {
	if kind == nil {
		out.failure = errors.New("failed to convert to declType for CEL validation rules")
		return out
	}
	if strings.TrimSpace(e.rule) == "" {
		return out
	}
	rule, err := t.compileText(kind, celText{e.rule, ruleTerms(), e.storedRule, e.optional})
	out.usesOldSelf = rule.usesOldSelf
	out.ruleError = rule.err
	out.failure = err
	if err != nil || rule.err != nil {
		return out
	}
	out.cost = rule.cost
	out.occurrences = uint64(celconfig.MaxRequestSizeBytes / (kind.MinSerializedSize + 1))
	if e.message == "" {
		return out
	}
	message, err := t.compileText(kind, celText{e.message, messageTerms(), e.storedMessage, e.optional})
	out.failure = err
	out.messageError = message.err
	out.hasMessage = err == nil && message.err == nil
	out.messageCost = message.cost
	return out
}

// terms are the requirements and the server's words for a kind of expressions.
type terms struct {
	compilation, instantiation, costEstimation string
	output                                     *celgo.Type
	wrongOutput                                string
}

func ruleTerms() terms {
	return terms{
		"compilation failed: ", "program instantiation failed: ", "cost estimation failed: ",
		celgo.BoolType, "cel expression must evaluate to a bool",
	}
}

func messageTerms() terms {
	return terms{
		"messageExpression compilation failed: ", "messageExpression instantiation failed: ", "cost estimation failed for messageExpression: ",
		celgo.StringType, "messageExpression must evaluate to a string",
	}
}

// celText is the text of a rule or of a message.
type celText struct {
	text string
	terms
	// stored is set if the text is part of a stored CRD, and optional if oldSelf is an optional value.
	stored, optional bool
}

// compiledText is the result for the text of a rule or of a message.
type compiledText struct {
	err         *apiservercel.Error
	usesOldSelf bool
	cost        uint64
}

// compileText compiles a rule or a message, and estimates its cost. It returns an error if the type
// is not possible.
func (t *Target) compileText(kind *apiservercel.DeclType, source celText) (out compiledText, err error) {
	library := t.newRules
	if source.stored {
		library = t.storedRules
	}
	rules, err := library()
	if err != nil {
		return out, err
	}
	scope, err := rules.scope(kind, source.optional)
	if err != nil {
		return out, err
	}
	defer rules.release(scope)
	failed := func(kind apiservercel.ErrorType, detail string) (compiledText, error) {
		out.err = &apiservercel.Error{Type: kind, Detail: stripTypeNumbers(detail)}
		return out, nil
	}
	var checked *celgo.Ast
	parsed, issues := scope.Parse(source.text)
	if issues.Err() == nil {
		t.parsed.keep(source.text, parsed.NativeRep().Expr())
		checked, issues = scope.Check(parsed)
	}
	switch {
	case issues != nil:
		return failed(apiservercel.ErrorTypeInvalid, source.compilation+issues.String())
	case checked.OutputType() != source.output:
		return failed(apiservercel.ErrorTypeInvalid, source.wrongOutput)
	}
	out.usesOldSelf = usesOldSelf(checked)
	// The program is not needed, but invalid literals are only found when it is made.
	if !isPlanned(checked) {
		if _, err := scope.program(checked, kind); err != nil {
			return failed(apiservercel.ErrorTypeInvalid, source.instantiation+err.Error())
		}
	}
	cost, err := scope.EstimateCost(checked, costsOf(kind))
	if err != nil {
		return failed(apiservercel.ErrorTypeInternal, source.costEstimation+err.Error())
	}
	out.cost = cost.Max
	if t.Before(localSizeMinor) {
		out.cost = t.oldCost(checked.NativeRep(), kind)
	}
	return out, nil
}

// isPlanned reports whether a program can certainly be made of a checked expression: the
// interpreter evaluates conversions of literals, and compiles regular expressions, as it makes
// one. It does neither for the functions that most rules are limited to.
func isPlanned(checked *celgo.Ast) bool {
	certain := true
	ast.PreOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		certain = certain && (e.Kind() != ast.CallKind || slices.Contains(plannedFunctions(), e.AsCall().FunctionName()))
	}))
	return certain
}

func plannedFunctions() []string {
	return []string{
		operators.Conditional, operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.NotStrictlyFalse,
		operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals,
		operators.Add, operators.Subtract, operators.In, overloads.Size, overloads.StartsWith, overloads.EndsWith, overloads.Contains,
	}
}

// stripTypeNumbers removes the number at the end of the type names that the compiler
// generates for nodes, because it is different each time.
func stripTypeNumbers(text string) string {
	const name = "selfType"
	head, rest, found := strings.Cut(text, name)
	if !found {
		return text
	}
	var b strings.Builder
	for ; found; head, rest, found = strings.Cut(rest, name) {
		b.WriteString(head + name)
		rest = strings.TrimLeft(rest, "0123456789")
	}
	b.WriteString(head)
	return b.String()
}
