package apiserver

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/cel-go/common/ast"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// upstreamCompile compiles an expression with the server's compiler.
func upstreamCompile(t *testing.T, kind *apiservercel.DeclType, e expression) compilation {
	t.Helper()
	schema := &structuralschema.Structural{}
	schema.XValidations = apiextensionsv1.ValidationRules{{Rule: e.rule, MessageExpression: e.message, OptionalOldSelf: &e.optional}}
	results, err := cel.Compile(schema, kind, celconfig.PerCallLimit, environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), cel.NewExpressionsEnvLoader())
	if err != nil {
		return compilation{failure: err}
	}
	stripped := func(err *apiservercel.Error) *apiservercel.Error {
		if err == nil {
			return nil
		}
		return &apiservercel.Error{Type: err.Type, Detail: selfType.ReplaceAllString(err.Detail, "selfType")}
	}
	r := results[0]
	return compilation{
		ruleError: stripped(r.Error), messageError: stripped(r.MessageExpressionError), usesOldSelf: r.UsesOldSelf, cost: r.MaxCost,
		occurrences: r.MaxCardinality, hasMessage: r.MessageExpression != nil, messageCost: r.MessageExpressionMaxCost,
	}
}

// TestCompileMatchesServer compares compilations in scopes that are reused for other types,
// concurrently, with those of the server's compiler.
func TestCompileMatchesServer(t *testing.T) {
	kinds := []*apiservercel.DeclType{nil}
	for _, text := range []string{
		"{type: string, maxLength: 9}", "{type: string, format: date-time}", "{type: integer}", "{x-kubernetes-int-or-string: true}",
		"{type: array, maxItems: 3, items: {type: string}}", "{type: array, items: {type: string, maxLength: 3}}",
		"{type: array, items: {type: object, properties: {a: {type: string}}}}", "{type: array, items: {type: object, properties: {b: {type: integer}}}}",
		"{type: object, additionalProperties: {type: object, properties: {a: {type: integer}}}}",
		"{type: object, properties: {a: {type: string}, package: {type: integer}}}", "{type: object, properties: {a: {type: integer}, l: {type: array, items: {type: object, properties: {b: {type: string}}}}}}",
		"{type: object, required: [a], properties: {a: {type: object, properties: {a: {type: string}, b: {type: boolean}}}}}",
	} {
		var props apiextensionsv1.JSONSchemaProps
		if err := yaml.UnmarshalStrict([]byte(text), &props); err != nil {
			t.Fatal(err)
		}
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
			t.Fatal(err)
		}
		structural, err := structuralschema.NewStructural(&internal)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, model.SchemaDeclType(structural, false))
	}
	rules := []string{
		"", " ", "true", "1", "self == self", "self == oldSelf", "oldSelf.hasValue()", "self.size() > 1", "self.a == 'a'", "self.a.a == ''", "self.a > 1", "has(self.a)",
		"self.package == 1", "self.__package__ == 1", "self + 1 == 2", "self.all(x, x == 'a')", "self.all(x, x.a == 'a')", "self.exists(x, x.b > 1)", "self.l.all(x, x.b.startsWith('a'))",
		"self.matches('(')", "self.matches('a+')", "timestamp('x') == self", "self == duration('x')", "self == oldSelf && self.matches('(')", "self.all(k, self[k].a > 1)", "self[0].a == ''",
		"nothing", "self.nothing", "self.a.matches(self.a)", "quantity('1').isGreaterThan(quantity('x'))", "optional.of(self).hasValue()", "[1, 'a'].size() > 0", "self.a = 1", "selfType.a == 1",
	}
	messages := []string{"", "'text'", "self", "self.a", "'a' + self.a", "1", "(", "oldSelf", "'%s'.format([self])"}
	target := target(t, newest())
	random := rand.New(rand.NewPCG(3, 1))
	var failed, succeeded atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		var expressions []expression
		var of []*apiservercel.DeclType
		for range 200 {
			of = append(of, kinds[random.IntN(len(kinds))])
			expressions = append(expressions, expression{rule: rules[random.IntN(len(rules))], message: messages[random.IntN(len(messages))], optional: random.IntN(4) == 0})
		}
		all.Go(func() {
			for i, e := range expressions {
				got, want := target.compileOne(of[i], e), upstreamCompile(t, of[i], e)
				if fmt.Sprint(got.failure) != fmt.Sprint(want.failure) {
					t.Errorf("%+v: %v, want %v", e, got.failure, want.failure)
				}
				if got.failure == nil && got.ruleError == nil && got.messageError == nil {
					succeeded.Add(1)
				} else {
					failed.Add(1)
				}
				got.failure, want.failure = nil, nil
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%+v of %v:\ngot  %+v %+v %+v\nwant %+v %+v %+v", e, of[i], got, got.ruleError, got.messageError, want, want.ruleError, want.messageError)
				}
			}
		})
	}
	all.Wait()
	if failed.Load() < 100 || succeeded.Load() < 100 {
		t.Errorf("%d expressions do not compile, %d do", failed.Load(), succeeded.Load())
	}
}

// TestPlannedFunctions makes programs of expressions that are limited to functions for which
// none is made, with literals and without.
func TestPlannedFunctions(t *testing.T) {
	target := target(t, newest())
	rules, err := target.newRules()
	if err != nil {
		t.Fatal(err)
	}
	kind := apiservercel.NewObjectType("object", map[string]*apiservercel.DeclField{
		"a": apiservercel.NewDeclField("a", apiservercel.StringType, true, nil, nil),
		"i": apiservercel.NewDeclField("i", apiservercel.IntType, true, nil, nil),
		"l": apiservercel.NewDeclField("l", apiservercel.NewListType(apiservercel.StringType, 9), true, nil, nil),
	})
	scope, err := rules.scope(kind, false)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, text := range []string{
		"true ? 1 == 2 : self.i == 1", "!(1 < 2) || !(self.i <= 2) && 1.5 > self.i", "'a' >= self.a && b'a' != b''", "1 + 2 - 3 == self.i",
		"'a' + self.a == 'b'", "timestamp(0) == timestamp(0)", "[1, 2] + [3] == [1]", "self.a in ['a', 'b']", "'a' in {'a': 1} && 1 in {1: null}", "2.5 in [1.0, self.i == 1 ? 2.0 : 3.0]",
		"[[1], []].all(l, l in [[1]])", "[1, 2].exists_one(x, x in [x])", "{1: 2}.size() == 1 && 'a'.size() == size(self.l)", "self.l.all(x, x.startsWith('(') || x.endsWith('') || 'a'.contains(x))",
		"'('.startsWith('(')", "has(self.a) && has({'a': {'b': 1}}.a.b)", "self.l.filter(x, x != 'a').map(x, [x]).size() > 0", "{'a': null} == {'b': self}", "optional.none() == optional.of(1)",
	} {
		checked, issues := scope.Compile(text)
		if issues.Err() != nil {
			t.Errorf("%s: %v", text, issues)
			continue
		}
		if !isPlanned(checked) {
			continue // conversions, and functions that return special values
		}
		ast.PreOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
			if e.Kind() == ast.CallKind {
				used[e.AsCall().FunctionName()] = true
			}
		}))
		if _, err := scope.program(checked, kind); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, name := range plannedFunctions() {
		if !used[name] {
			t.Errorf("no expression uses %s", name)
		}
	}
	for _, text := range []string{"self.a.matches('a')", "self.a == string(1)", "self.l[0] == ''", "self.a.find('a') == ''", "duration('1s') == duration('1s')"} {
		if checked, issues := scope.Compile(text); issues.Err() != nil || isPlanned(checked) {
			t.Errorf("%s: no program is made; %v", text, issues)
		}
	}
}
