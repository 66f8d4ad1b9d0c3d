package unions

import (
	"context"
	"maps"
	"slices"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/schemagen/schemagen/structural"
)

// target returns the resource of the tests.
func target() PolicyTarget {
	return PolicyTarget{Group: "cases.test", Version: "v1", Plural: "things"}
}

// policyServer is the part of the API server that runs a policy: the same compiler, patcher
// and order as its plugin (compilePolicy and dispatchInvocations of
// k8s.io/apiserver/pkg/admission/plugin/policy/mutating).
type policyServer struct {
	compiler   *plugincel.CompositedCompiler
	evaluators []plugincel.MutatingEvaluator
}

// newPolicyServer compiles a policy like a server of the given version when the policy is
// created: with the CEL libraries of the previous version. A nil policy has no mutations.
func newPolicyServer(t testing.TB, policy *admissionregistrationv1.MutatingAdmissionPolicy, minor uint) *policyServer {
	t.Helper()
	if policy == nil {
		return &policyServer{}
	}
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(version.MajorMinor(1, minor-1)))
	if err != nil {
		t.Fatal(err)
	}
	out := &policyServer{compiler: compiler}
	for _, m := range policy.Spec.Mutations {
		evaluator := compiler.CompileMutatingEvaluator(&patch.JSONPatchCondition{Expression: m.JSONPatch.Expression},
			plugincel.OptionalVariableDeclarations{HasAuthorizer: true, HasPatchTypes: true}, environment.NewExpressions)
		if errs := evaluator.CompilationErrors(); len(errs) > 0 {
			t.Fatalf("%v\n%s", errs, m.JSONPatch.Expression)
		}
		out.evaluators = append(out.evaluators, evaluator)
	}
	return out
}

// update returns the new object after the policy, and the errors of mutations, which the
// server ignores.
func (p *policyServer) update(old, new map[string]any, adjust func(map[string]any)) (map[string]any, []error) {
	attributes := updateOf(old, new)
	var errs []error
	for _, evaluator := range p.evaluators {
		patched, err := patch.NewJSONPatcher(evaluator).Patch(p.compiler.CreateContext(context.Background()), patch.Request{
			MatchedResource:     attributes.GetResource(),
			VersionedAttributes: attributes,
			ObjectInterfaces:    admission.NewObjectInterfacesFromScheme(runtime.NewScheme()),
		}, celconfig.RuntimeCELCostBudget)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		adjust(patched.(*unstructured.Unstructured).Object)
		attributes.UpdateObject(patched)
	}
	out := attributes.VersionedObject.Object().(*unstructured.Unstructured).Object
	delete(out, "apiVersion")
	delete(out, "kind")
	return out, errs
}

// updateOf returns a request to update an object, as seen by admission.
func updateOf(old, new map[string]any) *admission.VersionedAttributes {
	kind := runtimeschema.GroupVersionKind{Group: "cases.test", Version: "v1", Kind: "Thing"}
	resource := runtimeschema.GroupVersionResource{Group: "cases.test", Version: "v1", Resource: "things"}
	typed := func(object map[string]any) *unstructured.Unstructured {
		out := maps.Clone(object)
		out["apiVersion"], out["kind"] = "cases.test/v1", "Thing"
		return &unstructured.Unstructured{Object: out}
	}
	before, after := typed(old), typed(new)
	attributes := &admission.VersionedAttributes{
		Attributes: admission.NewAttributesRecord(after, before, kind, "", "thing", resource, "", admission.Update,
			&metav1.UpdateOptions{}, false, &user.DefaultInfo{}),
		VersionedKind: kind,
	}
	attributes.VersionedOldObject.Set(before)
	attributes.VersionedObject.Set(after)
	return attributes
}

// costs returns the cost of each mutation, to compare with PerCallLimit, or -1 for one that
// fails.
func (p *policyServer) costs(old, new map[string]any) []int64 {
	var out []int64
	attributes := updateOf(old, new)
	request := plugincel.CreateAdmissionRequest(attributes, metav1.GroupVersionResource(attributes.GetResource()), metav1.GroupVersionKind(attributes.VersionedKind))
	for _, evaluator := range p.evaluators {
		result, left, err := evaluator.ForInput(p.compiler.CreateContext(context.Background()), attributes, request,
			plugincel.OptionalVariableBindings{}, nil, celconfig.RuntimeCELCostBudget)
		cost := celconfig.RuntimeCELCostBudget - left
		if err != nil || result.Error != nil {
			cost = -1
		}
		out = append(out, cost)
	}
	return out
}

// crdServer is the part of the API server that uses the schema of a custom resource.
type crdServer struct {
	structural *schema.Structural
	bySchema   schemavalidation.SchemaValidator
	byRules    *schemacel.Validator
}

func newCRDServer(t testing.TB, s *structural.Schema) *crdServer {
	t.Helper()
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(s.Props(), &internal, nil); err != nil {
		t.Fatal(err)
	}
	sts, err := schema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	if errs := schema.ValidateStructural(nil, sts); len(errs) > 0 {
		t.Fatal(errs)
	}
	bySchema, _, err := schemavalidation.NewSchemaValidator(&internal)
	if err != nil {
		t.Fatal(err)
	}
	return &crdServer{sts, bySchema, schemacel.NewValidator(sts, false, celconfig.PerCallLimit)}
}

// decode processes an object like the server does when it reads one.
func (c *crdServer) decode(object map[string]any) {
	pruning.Prune(object, c.structural, false)
	c.adjust(object)
}

func (c *crdServer) adjust(object map[string]any) {
	defaulting.PruneNonNullableNullsWithoutDefaults(object, c.structural)
	defaulting.Default(object, c.structural)
}

// validate is customResourceStrategy.Validate, or ValidateUpdate with an old object. bySchema
// reports whether errors other than those of rules were found.
func (c *crdServer) validate(old, new map[string]any) (errs field.ErrorList, bySchema bool) {
	var before any
	var ruleOptions []schemacel.Option
	if old == nil {
		errs = schemavalidation.ValidateCustomResource(nil, new, c.bySchema)
	} else {
		before = old
		correlated := common.NewCorrelatedObject(new, old, &model.Structural{Structural: c.structural})
		errs = schemavalidation.ValidateCustomResourceUpdate(nil, new, old, c.bySchema, schemavalidation.WithRatcheting(correlated))
		ruleOptions = append(ruleOptions, schemacel.WithRatcheting(correlated))
	}
	if old == nil || len(listtype.ValidateListSetsAndMaps(nil, c.structural, old)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, c.structural, new)...)
	}
	bySchema = len(errs) > 0
	if blocks(errs) {
		return errs, bySchema
	}
	broken, _ := c.byRules.Validate(context.Background(), nil, c.structural, new, before, celconfig.RuntimeCELCostBudget, ruleOptions...)
	return append(errs, broken...), bySchema
}

// blocks reports whether an error prevents the server from evaluating rules (hasBlockingErr
// in k8s.io/apiextensions-apiserver/pkg/registry/customresource).
func blocks(errs field.ErrorList) bool {
	return slices.ContainsFunc(errs, func(err *field.Error) bool {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
		return false
	})
}

// outcome is the result of a request.
type outcome struct {
	accepted bool
	// object is the new object as stored.
	object map[string]any
	// errors are "Type path", sorted.
	errors []string
	// invalid is set if there are errors other than those of rules; rules may not have been
	// evaluated.
	invalid bool
	// failed are the errors of mutations, which a server ignores.
	failed []error
	// untyped is the reason why the request cannot be represented in Go; the other fields are
	// then unset.
	untyped string
}

// implementation is a way to process a request. old is nil on create; neither object is
// modified.
type implementation func(old, new map[string]any) outcome

// emitted returns the behavior of a server with the generated rules and policy. The schema
// has the unions in the cel form.
func emitted(t testing.TB, s *structural.Schema, opts Options) implementation {
	t.Helper()
	policy, _, err := Policies(s, target(), opts)
	if err != nil {
		t.Fatal(err)
	}
	admit, crd := newPolicyServer(t, policy, 36), newCRDServer(t, s)
	return func(old, new map[string]any) outcome {
		new = clone(new)
		crd.decode(new)
		var failed []error
		if old != nil {
			old = clone(old)
			crd.decode(old)
			var changed map[string]any
			changed, failed = admit.update(old, new, crd.adjust)
			if again, _ := admit.update(old, changed, crd.adjust); encoded(t, again) != encoded(t, changed) {
				t.Errorf("not idempotent: %s", encoded(t, again))
			}
			new = changed
		}
		errs, bySchema := crd.validate(old, new)
		return outcome{accepted: len(errs) == 0, object: new, errors: kinds(errs), invalid: bySchema, failed: failed}
	}
}

// onUnstructured returns the behavior of the runtime on unstructured objects.
func onUnstructured(t testing.TB, s *structural.Schema, opts Options) implementation {
	t.Helper()
	plan := Compile(s, opts)
	return func(old, new map[string]any) outcome {
		before, given := encoded(t, old), encoded(t, new)
		new = clone(new)
		if changed := plan.Normalize(old, new); changed != (encoded(t, new) != given) {
			t.Errorf("got changed = %t: %s → %s", changed, given, encoded(t, new))
		}
		if plan.Normalize(old, new) {
			t.Errorf("not idempotent: %s → %s", before, encoded(t, new))
		}
		errs := plan.Validate(old, new, nil)
		if encoded(t, old) != before {
			t.Errorf("the old object was modified: %s", encoded(t, old))
		}
		return outcome{accepted: len(errs) == 0, object: new, errors: kinds(errs)}
	}
}
