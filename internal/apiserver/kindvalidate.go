package apiserver

import (
	"context"
	"fmt"
	"math"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// validate is Validate and ValidateUpdate of the server's strategy.
func (k *Kind) validate(ctx context.Context, object, old map[string]any) field.ErrorList {
	var errs field.ErrorList
	errs = k.validateType(object)
	if len(errs) > 0 {
		return errs
	}
	var options []apiservervalidation.ValidationOption
	var ruleOptions []cel.Option
	switch {
	case old == nil && !k.accepted.accepts(object):
		errs = append(errs, apiservervalidation.ValidateCustomResource(nil, object, k.validator)...)
	case old != nil:
		correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: k.structural})
		options = append(options, apiservervalidation.WithRatcheting(correlated))
		ruleOptions = append(ruleOptions, cel.WithRatcheting(correlated))
		errs = append(errs, apiservervalidation.ValidateCustomResourceUpdate(nil, object, old, k.validator, options...)...)
	}
	errs = append(errs, k.validateMeta(object, old)...)
	errs = append(errs, k.validateScale(object)...)
	errs = append(errs, objectmeta.Validate(ctx, nil, object, k.structural, false)...)
	errs = append(errs, k.validateLists(object, old)...)
	return append(errs, k.validateRules(ctx, object, old, errs, ruleOptions...)...)
}

// validateStatus is ValidateUpdate of the server's status strategy.
func (k *Kind) validateStatus(ctx context.Context, object, old map[string]any) field.ErrorList {
	errs := k.validateType(object)
	if len(errs) > 0 {
		return errs
	}
	correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: k.structural})
	errs = append(errs, k.validateMeta(object, old)...)
	if status, ok := object["status"]; ok && k.statusValidator != nil {
		ratcheting := apiservervalidation.WithRatcheting(correlated.Key("status"))
		errs = append(errs, apiservervalidation.ValidateCustomResourceUpdate(field.NewPath("status"), status, old["status"], k.statusValidator, ratcheting)...)
	}
	if k.scale != nil {
		errs = append(errs, k.validateReplicas(object, k.scale.StatusReplicasPath)...)
		errs = append(errs, k.validateSelector(object)...)
	}
	errs = append(errs, k.validateLists(object, old)...)
	return append(errs, k.validateRules(ctx, object, old, errs, cel.WithRatcheting(correlated))...)
}

// validateLists validates lists that are sets or maps, unless those of the stored object
// are already invalid.
func (k *Kind) validateLists(object, old map[string]any) field.ErrorList {
	if old != nil && len(listtype.ValidateListSetsAndMaps(nil, k.structural, old)) > 0 {
		return nil
	}
	return listtype.ValidateListSetsAndMaps(nil, k.structural, object)
}

// validateRules evaluates the rules of the schema, unless earlier errors prevent the server
// from doing so.
func (k *Kind) validateRules(ctx context.Context, object, old map[string]any, errs field.ErrorList,
	options ...cel.Option) field.ErrorList {
	if k.rules == nil {
		return nil
	}
	if blocks(errs) {
		if k.rules.isEmpty() {
			return nil
		}
		return field.ErrorList{field.Invalid(nil, nil, notChecked)}
	}
	var previous any
	if old != nil {
		previous = old
	}
	found, _ := k.rules.forObject(object).Validate(ctx, nil, k.structural, object, previous, celconfig.RuntimeCELCostBudget, options...)
	for _, e := range found {
		e.Detail = stripTypeNumbers(e.Detail)
	}
	return found
}

// notChecked is the server's message if it does not evaluate rules.
const notChecked = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

// isNotChecked reports whether the error is notChecked. The types of rule errors cannot be
// used to tell: some are also types that prevent evaluation.
func isNotChecked(e *field.Error) bool { return e.Field == "<nil>" && e.Detail == notChecked }

func (k *Kind) validateType(object map[string]any) field.ErrorList {
	var errs field.ErrorList
	u := unstructured.Unstructured{Object: object}
	if got := u.GetKind(); got != k.kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), got, fmt.Sprintf("must be %v", k.kind)))
	}
	if got, want := u.GetAPIVersion(), k.group+"/"+k.version; got != want {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), got, fmt.Sprintf("must be %v", want)))
	}
	return errs
}

// blocks reports whether an error prevents the server from evaluating rules
// (hasBlockingErr).
func blocks(errs field.ErrorList) bool {
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany,
			field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}

// validateScale validates the fields that the scale subresource reads (ValidateScaleSpec,
// ValidateScaleStatus).
func (k *Kind) validateScale(object map[string]any) field.ErrorList {
	if k.scale == nil {
		return nil
	}
	errs := k.validateReplicas(object, k.scale.SpecReplicasPath)
	errs = append(errs, k.validateReplicas(object, k.scale.StatusReplicasPath)...)
	return append(errs, k.validateSelector(object)...)
}

func (k *Kind) validateReplicas(object map[string]any, path string) field.ErrorList {
	replicas, _, err := unstructured.NestedInt64(object, strings.Split(strings.TrimPrefix(path, "."), ".")...)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(field.NewPath(path), replicas, err.Error())}
	case replicas < 0:
		return field.ErrorList{field.Invalid(field.NewPath(path), replicas, "should be a non-negative integer")}
	case replicas > math.MaxInt32:
		return field.ErrorList{field.Invalid(field.NewPath(path), replicas, fmt.Sprintf("should be less than or equal to %v", math.MaxInt32))}
	}
	return nil
}

func (k *Kind) validateSelector(object map[string]any) field.ErrorList {
	if k.scale.LabelSelectorPath == nil {
		return nil
	}
	path := *k.scale.LabelSelectorPath
	selector, _, err := unstructured.NestedString(object, strings.Split(strings.TrimPrefix(path, "."), ".")...)
	if err != nil {
		return field.ErrorList{field.Invalid(field.NewPath(path), selector, err.Error())}
	}
	return nil
}
