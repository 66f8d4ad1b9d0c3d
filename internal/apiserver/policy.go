package apiserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/schemagen/schemagen/structural"
)

// Policy is a MutatingAdmissionPolicy in the form that schemagen unions writes. It is
// safe for concurrent use.
type Policy struct {
	Name     string
	rules    []admissionregistrationv1.NamedRuleWithOperations
	compiler *plugincel.CompositedCompiler
	patchers []patch.Patcher
}

// NewPolicy compiles a policy as the server does (compilePolicy of k8s.io/apiserver,
// pkg/admission/plugin/policy/mutating). It returns an error if the server would reject the
// policy, or if it has a part that [Kind.WithPolicies] does not evaluate.
func NewPolicy(policy *admissionregistrationv1.MutatingAdmissionPolicy) (*Policy, error) {
	if part := unsupportedPart(&policy.Spec); part != "" {
		return nil, fmt.Errorf("the policy %s has %s, which schemagen unions does not write", policy.Name, part)
	}
	out := &Policy{Name: policy.Name, rules: policy.Spec.MatchConstraints.ResourceRules}
	err := guard(func() (err error) {
		out.compiler, err = plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
		return err
	})
	if err != nil {
		return nil, err
	}
	options := plugincel.OptionalVariableDeclarations{HasAuthorizer: true, HasPatchTypes: true}
	for _, m := range policy.Spec.Mutations {
		condition := &patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}
		evaluator := out.compiler.CompileMutatingEvaluator(condition, options, environment.StoredExpressions)
		if errs := evaluator.CompilationErrors(); len(errs) > 0 {
			return nil, fmt.Errorf("the API server rejects the policy %s: %w", policy.Name, errors.Join(errs...))
		}
		out.patchers = append(out.patchers, patch.NewJSONPatcher(evaluator))
	}
	return out, nil
}

// unsupportedPart returns a part of a policy that is not evaluated here, or "".
func unsupportedPart(spec *admissionregistrationv1.MutatingAdmissionPolicySpec) string {
	match := spec.MatchConstraints
	switch {
	case spec.FailurePolicy == nil || *spec.FailurePolicy != admissionregistrationv1.Ignore:
		return "failurePolicy: Fail"
	case spec.ParamKind != nil:
		return "paramKind"
	case len(spec.Variables) > 0:
		return "variables"
	case len(spec.MatchConditions) > 0:
		return "matchConditions"
	case match == nil:
		return "no matchConstraints"
	case match.NamespaceSelector != nil || match.ObjectSelector != nil || len(match.ExcludeResourceRules) > 0:
		return "matchConstraints other than resourceRules"
	}
	for _, m := range spec.Mutations {
		if m.JSONPatch == nil {
			return "a mutation other than a JSONPatch"
		}
	}
	return ""
}

// matches reports whether the policy applies to updates of a resource, which is "plural" or
// "plural/status".
func (p *Policy) matches(resource runtimeschema.GroupVersionResource) bool {
	has := func(list []string, value string) bool {
		return slices.Contains(list, value) || slices.Contains(list, "*")
	}
	return slices.ContainsFunc(p.rules, func(r admissionregistrationv1.NamedRuleWithOperations) bool {
		updates := slices.ContainsFunc(r.Operations, func(o admissionregistrationv1.OperationType) bool {
			return o == admissionregistrationv1.Update || o == admissionregistrationv1.OperationAll
		})
		return updates && len(r.ResourceNames) == 0 && has(r.APIGroups, resource.Group) &&
			has(r.APIVersions, resource.Version) && has(r.Resources, resource.Resource)
	})
}

// Cleared is a field that a policy has removed from an object.
type Cleared struct {
	Path   *structural.ObjectPath
	Policy *Policy
}

// WithPolicies returns the version as a server handles it that also has the policies, each with
// its binding. Those for other resources have no effect.
func (k *Kind) WithPolicies(policies ...*Policy) *Kind {
	out := *k
	out.policies = policies
	return &out
}

// admit changes an object in an update as the policies do. As the server does, it ignores a
// mutation that fails.
func (k *Kind) admit(ctx context.Context, a *Answer, old map[string]any, subresource string) {
	resource := runtimeschema.GroupVersionResource{Group: k.group, Version: k.version, Resource: strings.TrimSuffix(k.resource, "."+k.group)}
	matched := resource
	if subresource != "" {
		matched.Resource += "/" + subresource
	}
	kind := resource.GroupVersion().WithKind(k.kind)
	for _, policy := range k.policies {
		if !policy.matches(matched) {
			continue
		}
		oldMetadata := a.Object
		attributes := updateAttributes(a.Object, old, kind, resource, subresource)
		for _, patcher := range policy.patchers {
			patched, err := patcher.Patch(policy.compiler.CreateContext(ctx), patch.Request{
				MatchedResource:     resource,
				VersionedAttributes: attributes,
				ObjectInterfaces:    admission.NewObjectInterfacesFromScheme(runtime.NewScheme()),
			}, celconfig.RuntimeCELCostBudget)
			changed, ok := patched.(*unstructured.Unstructured)
			if err != nil || !ok {
				continue
			}
			structural.Default(k.schema, changed.Object)
			attributes.UpdateObject(changed)
			a.Object = changed.Object
		}
		for _, path := range removed(oldMetadata, a.Object, nil) {
			a.Cleared = append(a.Cleared, Cleared{path, policy})
		}
	}
}

// updateAttributes returns a request to update an object, as admission sees it.
func updateAttributes(
	object, old map[string]any, kind runtimeschema.GroupVersionKind, resource runtimeschema.GroupVersionResource, subresource string,
) *admission.VersionedAttributes {
	newUnstructured := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(object)}
	oldUnstructured := &unstructured.Unstructured{Object: old}
	out := &admission.VersionedAttributes{
		Attributes: admission.NewAttributesRecord(newUnstructured, oldUnstructured, kind,
			newUnstructured.GetNamespace(), newUnstructured.GetName(), resource, subresource, admission.Update,
			&metav1.UpdateOptions{}, false, &user.DefaultInfo{}),
		VersionedKind: kind,
	}
	out.VersionedOldObject.Set(oldUnstructured)
	out.VersionedObject.Set(newUnstructured)
	return out
}
