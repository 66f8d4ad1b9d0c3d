package apiserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Kind is a version of a CRD as the server handles its custom resources. It is
// safe for concurrent use.
type Kind struct {
	group, version, kind string
	namespaced           bool
	// hasStatus: there is a status subresource, so that others do not write status.
	hasStatus bool
	scale     *apiextensions.CustomResourceSubresourceScale
	// preserves: the CRD does not prune.
	preserves bool

	// schema is the model, and structural the server's; both with pruned defaults.
	schema     *structural.Schema
	structural *structuralschema.Structural
	plan       *unions.Plan
	validator  apiservervalidation.SchemaValidator
	// statusValidator is of the status, nil where the schema has none.
	statusValidator apiservervalidation.SchemaValidator
	rules           *cel.Validator
}

// NewKind prepares a version of a CRD that the server accepts. The error says why
// it would not serve the version.
func NewKind(crd *apiextensionsv1.CustomResourceDefinition, version string) (*Kind, error) {
	in, err := internal(crd)
	if err != nil {
		return nil, err
	}
	schemas, err := apiextensions.GetSchemaForVersion(in, version)
	if err != nil {
		return nil, err
	}
	if schemas == nil || schemas.OpenAPIV3Schema == nil {
		return nil, fmt.Errorf("version %s of %s has no schema", version, crd.Name)
	}
	k := &Kind{
		group: crd.Spec.Group, version: version, kind: crd.Spec.Names.Kind,
		namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		preserves:  in.Spec.PreserveUnknownFields != nil && *in.Spec.PreserveUnknownFields,
	}
	subresources, err := apiextensions.GetSubresourcesForVersion(in, version)
	if err != nil {
		return nil, err
	}
	if subresources != nil {
		k.hasStatus, k.scale = subresources.Status != nil, subresources.Scale
	}
	if k.structural, err = structuralschema.NewStructural(schemas.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	if err := defaulting.PruneDefaults(k.structural); err != nil {
		return nil, err
	}
	if k.validator, _, err = apiservervalidation.NewSchemaValidator(schemas.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	if status, ok := schemas.OpenAPIV3Schema.Properties["status"]; ok && k.hasStatus {
		if k.statusValidator, _, err = apiservervalidation.NewSchemaValidator(&status); err != nil {
			return nil, err
		}
	}
	k.rules = cel.NewValidator(k.structural, true, celconfig.PerCallLimit)
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			model, _ := structural.FromProps(v.Schema.OpenAPIV3Schema)
			if k.schema, err = structural.PruneDefaults(model); err != nil {
				return nil, err
			}
		}
	}
	k.plan = unions.Compile(k.schema, unions.Options{})
	return k, nil
}

// Answer is what the server does with a request.
type Answer struct {
	// Object is what is stored if there are no errors.
	Object map[string]any
	// Defaulted are the fields that got a default, Pruned those that the schema does
	// not specify, Nulls those that were null and may not be, Metadata the unknown
	// fields of the metadata of the object and of embedded resources, as text.
	Defaulted     []structural.Defaulted
	Pruned, Nulls []*structural.ObjectPath
	Metadata      []string
	// Cleared are the members of unions that a changed discriminator does not select.
	Cleared []*structural.ObjectPath
	// Errors are the server's, in its words; with one of them nothing is stored.
	Errors field.ErrorList
	// Unchecked are the errors of rules that the server does not evaluate because of
	// Errors, and would come to once those are corrected. Rules that cannot be
	// evaluated before are not among them.
	Unchecked field.ErrorList
	// Warnings are what the server says beside its answer.
	Warnings []string
}

// Create is what the server does with a new object. The object is not changed.
func (k *Kind) Create(ctx context.Context, object map[string]any) (Answer, error) {
	return k.handle(ctx, object, nil, k.prepare, k.validate)
}

// StoredError says that a stored object is none that a server could have stored.
type StoredError struct{ err error }

func (e *StoredError) Error() string { return "the stored object: " + e.err.Error() }

// Unwrap returns what is wrong with the object.
func (e *StoredError) Unwrap() error { return e.err }

// Update is what it does with an object that replaces the stored one, as PUT of
// the main resource does. There is a [StoredError] if the stored one does not decode.
func (k *Kind) Update(ctx context.Context, object, stored map[string]any) (Answer, error) {
	if stored == nil {
		return Answer{}, errors.New("no stored object")
	}
	old, err := k.decode(stored, true)
	if err != nil {
		return Answer{}, &StoredError{err}
	}
	return k.handle(ctx, object, old.Object, k.prepare, k.validate)
}

// HasStatus reports whether there is a status subresource. Then the main resource
// does not write status, and [Kind.UpdateStatus] writes nothing else.
func (k *Kind) HasStatus() bool { return k.hasStatus }

// UpdateStatus is what the server does with an object whose status replaces that of
// the stored one, as PUT of the status subresource does. Without the subresource it
// fails, and so it does with a [StoredError].
func (k *Kind) UpdateStatus(ctx context.Context, object, stored map[string]any) (Answer, error) {
	if !k.hasStatus {
		return Answer{}, fmt.Errorf("%s.%s has no status subresource in version %s", k.kind, k.group, k.version)
	}
	old, err := k.decode(stored, true)
	if err != nil {
		return Answer{}, &StoredError{err}
	}
	return k.handle(ctx, object, old.Object, k.prepareStatus, k.validateStatus)
}

// handle is the way of a request: apiextensions-apiserver,
// pkg/apiserver/customresource_handler.go (unstructuredDefaulter,
// unstructuredSchemaCoercer), then pkg/registry/customresource/strategy.go or
// status_strategy.go. Unions are normalized where a policy or a webhook does it.
func (k *Kind) handle(ctx context.Context, object, old map[string]any,
	prepare func(object, old map[string]any), validate func(ctx context.Context, object, old map[string]any) field.ErrorList) (Answer, error) {
	a, err := k.decode(object, false)
	if err != nil {
		a.Errors = field.ErrorList{field.Invalid(nil, "", err.Error())}
		return a, nil
	}
	prepare(a.Object, old)
	if old != nil {
		before := runtime.DeepCopyJSON(a.Object)
		if k.plan.Normalize(old, a.Object) {
			a.Cleared = removed(before, a.Object, nil)
		}
	}
	recorder := &warnings{}
	ctx = warning.WithWarningRecorder(ctx, recorder)
	err = guard(func() error {
		a.Errors = validate(ctx, a.Object, old)
		return nil
	})
	a.Warnings = recorder.texts
	if err == nil && k.rules != nil && blocks(a.Errors) {
		err = guard(func() error {
			a.Unchecked = k.evaluateUnchecked(warning.WithWarningRecorder(ctx, &warnings{}), a.Object, old)
			return nil
		})
	}
	return a, err
}

// evaluateUnchecked are the errors of rules that come to a result though the object
// is wrong otherwise.
func (k *Kind) evaluateUnchecked(ctx context.Context, object, old map[string]any) field.ErrorList {
	var options []cel.Option
	var before any
	if old != nil {
		before = old
		options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{Structural: k.structural})))
	}
	found, _ := k.rules.Validate(ctx, nil, k.structural, object, before, celconfig.RuntimeCELCostBudget, options...)
	return slices.DeleteFunc(found, func(e *field.Error) bool {
		return e.Type == field.ErrorTypeInternal || slices.ContainsFunc(noResult[:], func(text string) bool { return strings.Contains(e.Detail, text) })
	})
}

// noResult are the server's words for rules without a result (Validator of
// apiextensions-apiserver, pkg/apiserver/schema/cel).
var noResult = [...]string{
	" evaluating rule: ", "call arguments did not match a supported operator, function or macro signature for rule: ",
	"rule compiler initialization error: ", "rule compile error: ", "no further validation rules will be run",
}

// decode is what becomes of an object before anybody looks at it. Of a stored one
// malformed metadata is dropped.
func (k *Kind) decode(given map[string]any, stored bool) (Answer, error) {
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(given)}
	a := Answer{Object: u.Object}
	a.Defaulted = structural.Default(k.schema, u.Object)
	apiVersion, hasVersion, err := unstructured.NestedString(u.Object, "apiVersion")
	if err != nil {
		return a, err
	}
	kind, hasKind, err := unstructured.NestedString(u.Object, "kind")
	if err != nil {
		return a, err
	}
	meta, hasMeta, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{DropMalformedFields: stored, ReturnUnknownFieldPaths: true})
	if err != nil {
		return a, err
	}
	a.Metadata = unknown
	if !k.preserves {
		a.Pruned = structural.Prune(k.schema, u.Object, true)
		a.Nulls = structural.PruneNonNullableNullsWithoutDefaults(k.schema, u.Object)
	}
	wrong, unknown := objectmeta.CoerceWithOptions(nil, u.Object, k.structural, false, objectmeta.CoerceOptions{DropInvalidFields: stored, ReturnUnknownFieldPaths: true})
	if wrong != nil {
		return a, wrong
	}
	a.Metadata = append(a.Metadata, unknown...)
	if hasKind {
		u.SetKind(kind)
	}
	if hasVersion {
		u.SetAPIVersion(apiVersion)
	}
	if hasMeta {
		if err := objectmeta.SetObjectMeta(u.Object, meta); err != nil {
			return a, err
		}
	}
	return a, nil
}

// prepare is what the strategy does before validation: with the status
// subresource, status is written there and nowhere else.
func (k *Kind) prepare(object, old map[string]any) {
	if !k.hasStatus {
		return
	}
	if status, ok := old["status"]; ok {
		object["status"] = runtime.DeepCopyJSONValue(status)
		return
	}
	delete(object, "status")
}

// prepareStatus is what the status strategy does before validation: all but status
// is what is stored.
func (k *Kind) prepareStatus(object, old map[string]any) {
	status, ok := object["status"]
	clear(object)
	maps.Copy(object, runtime.DeepCopyJSON(old))
	if delete(object, "status"); ok {
		object["status"] = status
	}
}

// removed are the keys of objects that are only in before, not looked for below
// what is only there.
func removed(before, after any, at *structural.ObjectPath) []*structural.ObjectPath {
	var out []*structural.ObjectPath
	switch before := before.(type) {
	case map[string]any:
		after := asObject(after)
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if value, ok := after[name]; ok {
				out = append(out, removed(before[name], value, at.Field(name))...)
			} else {
				out = append(out, at.Field(name))
			}
		}
	case []any:
		after, _ := after.([]any)
		for i := range min(len(before), len(after)) {
			out = append(out, removed(before[i], after[i], at.Element(i))...)
		}
	}
	return out
}

// warnings collects what the server's code warns of.
type warnings struct{ texts []string }

// AddWarning is called by the server's code.
func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

// validate is Validate and ValidateUpdate of the server's strategy.
func (k *Kind) validate(ctx context.Context, object, old map[string]any) field.ErrorList {
	var errs field.ErrorList
	if errs = k.validateType(object); len(errs) > 0 {
		return errs
	}
	var options []apiservervalidation.ValidationOption
	var ruleOptions []cel.Option
	if old == nil {
		errs = append(errs, apiservervalidation.ValidateCustomResource(nil, object, k.validator)...)
	} else {
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

// validateLists checks lists that are sets or maps, unless those of the stored
// object are wrong already.
func (k *Kind) validateLists(object, old map[string]any) field.ErrorList {
	if old != nil && len(listtype.ValidateListSetsAndMaps(nil, k.structural, old)) > 0 {
		return nil
	}
	return listtype.ValidateListSetsAndMaps(nil, k.structural, object)
}

// validateRules evaluates the rules of the schema, unless an error so far keeps the
// server from it.
func (k *Kind) validateRules(ctx context.Context, object, old map[string]any, errs field.ErrorList, options ...cel.Option) field.ErrorList {
	if k.rules == nil {
		return nil
	}
	if blocks(errs) {
		return field.ErrorList{field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")}
	}
	var before any
	if old != nil {
		before = old
	}
	found, _ := k.rules.Validate(ctx, nil, k.structural, object, before, celconfig.RuntimeCELCostBudget, options...)
	return found
}

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

// validateMeta checks the metadata as the server's registry does (rest.BeforeCreate
// and BeforeUpdate). What only the server writes is not asked for: an object in a
// file seldom has it.
func (k *Kind) validateMeta(object, old map[string]any) field.ErrorList {
	path := field.NewPath("metadata")
	after, _, err := objectmeta.GetObjectMeta(object, true)
	if err != nil {
		return field.ErrorList{field.Invalid(path, object["metadata"], err.Error())}
	}
	if after == nil {
		after = &metav1.ObjectMeta{}
	}
	if k.namespaced && after.Namespace == "" {
		after.Namespace = metav1.NamespaceDefault // clients fill it in
	}
	if old == nil {
		return validation.ValidateObjectMeta(after, k.namespaced, validation.NameIsDNSSubdomain, path)
	}
	before, _, err := objectmeta.GetObjectMeta(old, true)
	if err != nil {
		return nil // it is stored
	}
	if before == nil {
		before = &metav1.ObjectMeta{}
	}
	if k.namespaced && before.Namespace == "" {
		before.Namespace = metav1.NamespaceDefault
	}
	after.ResourceVersion, before.ResourceVersion = "1", "1"
	after.UID, after.CreationTimestamp, after.Generation = before.UID, before.CreationTimestamp, before.Generation
	after.DeletionTimestamp, after.DeletionGracePeriodSeconds = before.DeletionTimestamp, before.DeletionGracePeriodSeconds
	return validation.ValidateObjectMetaUpdate(after, before, path)
}

// blocks reports whether an error keeps the server from evaluating rules
// (hasBlockingErr).
func blocks(errs field.ErrorList) bool {
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}

// validateScale checks what the scale subresource reads (ValidateScaleSpec,
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
