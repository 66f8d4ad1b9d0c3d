package apiserver

import (
	"context"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// RuleEvaluators makes evaluators of single rules. Its zero value is ready for use, also concurrently.
type RuleEvaluators struct {
	once  sync.Once
	rules *ruleLibrary
}

// RuleEvaluator evaluates one rule on values of its schema, as the server's validator does, but without the
// rest of the schema, and without costs.
type RuleEvaluator struct {
	program celgo.Program
	// failure is the message of a compiler that refuses the rule.
	failure               string
	schema                common.Schema
	usesOldSelf, optional bool
}

// New returns the evaluator of a rule of a schema. isRoot is set if the schema is that of whole objects. It
// returns an error if the schema is not structural.
func (r *RuleEvaluators) New(s *structural.Schema, rule structural.Rule, isRoot bool) (*RuleEvaluator, error) {
	given, err := structuralOf(s.Props())
	if err != nil {
		return nil, err
	}
	r.once.Do(func() { r.rules = newDefaultRules() })
	kind := model.SchemaDeclType(given, isRoot)
	if kind == nil {
		return &RuleEvaluator{failure: "the schema has no type"}, nil
	}
	out := &RuleEvaluator{optional: ptr.Deref(rule.OptionalOldSelf, false)}
	scope, err := r.rules.scope(kind, out.optional)
	if err != nil {
		return nil, err
	}
	defer r.rules.release(scope)
	checked, issues := scope.Compile(rule.Rule)
	switch {
	case issues != nil:
		return &RuleEvaluator{failure: issues.String()}, nil
	case checked.OutputType() != celgo.BoolType:
		return &RuleEvaluator{failure: ruleTerms().wrongOutput}, nil
	}
	out.program, err = r.rules.Program(checked) // which needs no more than the functions
	if err != nil {
		return &RuleEvaluator{failure: err.Error()}, nil
	}
	out.usesOldSelf = usesOldSelf(checked)
	if isRoot {
		given = model.WithTypeAndObjectMeta(given)
	}
	out.schema = newValueSchema(&model.Structural{Structural: given})
	return out, nil
}

// Failure returns the message of a compiler that refuses the rule; "" if it does not.
func (r *RuleEvaluator) Failure() string { return r.failure }

// Evaluate returns the outcome of the rule for a value; old is the value before an update, nil if
// there is none. The server evaluates no rule for null.
func (r *RuleEvaluator) Evaluate(ctx context.Context, value, old any) unions.Outcome {
	isUpdate := old != nil
	switch {
	case value == nil, r.usesOldSelf && !isUpdate && !r.optional:
		return unions.Outcome{}
	case r.program == nil:
		return unions.Outcome{Failure: r.failure}
	}
	variables := map[string]any{cel.ScopedVarName: common.UnstructuredToVal(value, r.schema)}
	var oldSelf ref.Val = types.OptionalNone
	if isUpdate {
		oldSelf = common.UnstructuredToVal(old, r.schema)
	}
	if isUpdate && r.optional {
		oldSelf = types.OptionalOf(oldSelf)
	}
	variables[cel.OldScopedVarName] = oldSelf
	result, _, err := r.program.ContextEval(ctx, variables)
	if err != nil {
		return unions.Outcome{Failure: err.Error()}
	}
	return unions.Outcome{Rejected: result != types.True}
}

// valueSchema is a schema of values that converts its parts once, not whenever a rule reads one.
type valueSchema struct {
	common.Schema
	items      common.Schema
	properties map[string]common.Schema
	entries    common.SchemaOrBool
}

func newValueSchema(s common.Schema) common.Schema {
	out := &valueSchema{Schema: s, properties: s.Properties(), entries: s.AdditionalProperties()}
	if items := s.Items(); items != nil {
		out.items = newValueSchema(items)
	}
	for name, property := range out.properties {
		out.properties[name] = newValueSchema(property)
	}
	if out.entries != nil && out.entries.Schema() != nil {
		out.entries = entrySchema{out.entries, newValueSchema(out.entries.Schema())}
	}
	return out
}

func (s *valueSchema) Items() common.Schema                      { return s.items }
func (s *valueSchema) Properties() map[string]common.Schema      { return s.properties }
func (s *valueSchema) AdditionalProperties() common.SchemaOrBool { return s.entries }

// entrySchema is the schema of the entries of a map.
type entrySchema struct {
	common.SchemaOrBool
	schema common.Schema
}

func (s entrySchema) Schema() common.Schema { return s.schema }

// structuralOf converts a schema to the server's model.
func structuralOf(schema *apiextensionsv1.JSONSchemaProps) (*structuralschema.Structural, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, &internal, nil); err != nil {
		return nil, err
	}
	return structuralschema.NewStructural(&internal)
}
