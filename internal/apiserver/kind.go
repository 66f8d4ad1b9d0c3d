package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"

	"github.com/schemagen/schemagen/structural"
)

// Kind is a version of a CRD as the server handles its custom resources. It is safe for
// concurrent use.
type Kind struct {
	group, version, kind string
	// resource is the resource name in the server's messages, for example
	// widgets.example.com.
	resource   string
	namespaced bool
	// hasStatus is set if there is a status subresource, so that only requests to it write
	// status.
	hasStatus bool
	scale     *apiextensions.CustomResourceSubresourceScale
	// preserves is set if the CRD does not prune.
	preserves bool
	// skeleton prunes objects; nil if the structural schema does, as on a server.
	skeleton *structural.Skeleton

	// schema is our model and structural the server's, both with pruned defaults.
	schema     *structural.Schema
	structural *structuralschema.Structural
	// policies change objects in updates.
	policies []*Policy
	// storage is the version in which objects are stored; nil if it is this one, or unknown.
	storage   *Kind
	validator apiservervalidation.SchemaValidator
	// accepted has the schema of validator.
	accepted *acceptor
	// statusValidator validates the status, nil if the schema has none.
	statusValidator apiservervalidation.SchemaValidator
	rules           *ruleValidator
}

// NewKind prepares a version of a CRD that the server accepts. It returns an error if the
// server would not serve the version.
func NewKind(crd *apiextensionsv1.CustomResourceDefinition, version string) (*Kind, error) {
	return newKind(crd, version, nil)
}

func newKind(crd *apiextensionsv1.CustomResourceDefinition, version string, skeleton *structural.Skeleton) (*Kind, error) {
	only, err := onlyVersion(crd, version)
	if err != nil {
		return nil, err
	}
	converted, err := internal(only)
	if err != nil {
		return nil, err
	}
	schemas, err := apiextensions.GetSchemaForVersion(converted, version)
	if err != nil {
		return nil, err
	}
	if schemas == nil || schemas.OpenAPIV3Schema == nil {
		return nil, withoutSchema(crd.Name, version)
	}
	k, err := kindOf(converted, version)
	if err != nil {
		return nil, err
	}
	k.skeleton = skeleton
	k.structural, err = structuralschema.NewStructural(schemas.OpenAPIV3Schema)
	if err != nil && skeleton != nil {
		k.structural, err = structuralPart(crd, version)
	}
	if err != nil {
		return nil, err
	}
	if err := defaulting.PruneDefaults(k.structural); err != nil {
		return nil, err
	}
	validator, openapi, err := apiservervalidation.NewSchemaValidator(schemas.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	k.validator = validator
	k.accepted = &acceptor{schema: openapi}
	if status, ok := schemas.OpenAPIV3Schema.Properties["status"]; ok && k.hasStatus {
		k.statusValidator, _, err = apiservervalidation.NewSchemaValidator(&status)
		if err != nil {
			return nil, err
		}
	}
	k.rules = newRuleValidator(ruleNodeOf(k.structural))
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			model, _ := structural.FromProps(v.Schema.OpenAPIV3Schema)
			k.schema, err = structural.PruneDefaults(model)
			if err != nil {
				return nil, err
			}
		}
	}
	return k, nil
}

// onlyVersion returns what a [Kind] needs of a CRD, without its other versions: the server's code
// converts and compares all that there are. It returns an error if the CRD does not have the version.
func onlyVersion(crd *apiextensionsv1.CustomResourceDefinition,
	version string) (*apiextensionsv1.CustomResourceDefinition, error) {
	out := &apiextensionsv1.CustomResourceDefinition{Spec: crd.Spec}
	out.Name = crd.Name
	out.Spec.Versions = nil
	for i := range crd.Spec.Versions {
		if crd.Spec.Versions[i].Name == version {
			out.Spec.Versions = append(out.Spec.Versions, crd.Spec.Versions[i])
		}
	}
	if len(out.Spec.Versions) == 0 {
		return nil, fmt.Errorf("%s has no version %s", crd.Name, version)
	}
	return out, nil
}

func withoutSchema(name, version string) error {
	return fmt.Errorf("version %s of %s has no schema", version, name)
}

// kindOf returns a version of a CRD without what depends on its schema.
func kindOf(crd *apiextensions.CustomResourceDefinition, version string) (*Kind, error) {
	k := &Kind{
		group: crd.Spec.Group, version: version, kind: crd.Spec.Names.Kind, resource: crd.Spec.Names.Plural + "." + crd.Spec.Group,
		namespaced: crd.Spec.Scope == apiextensions.NamespaceScoped,
		preserves:  crd.Spec.PreserveUnknownFields != nil && *crd.Spec.PreserveUnknownFields,
	}
	subresources, err := apiextensions.GetSubresourcesForVersion(crd, version)
	if err != nil {
		return nil, err
	}
	if subresources != nil {
		k.hasStatus = subresources.Status != nil
		k.scale = subresources.Scale
	}
	return k, nil
}

// Answer is the server's response to a request.
type Answer struct {
	// Object is what is stored if there are no errors or, if Storage is not nil, what is read
	// back in the version of the request.
	Object map[string]any
	// Storage is set if the object is accepted and stored in another version ([Kind.StoredAs]).
	Storage *Storage
	// Defaulted are the fields that got a default, Pruned the fields that the schema does not
	// specify, Nulls the fields that were null but are not nullable, and Metadata the paths of
	// unknown fields in the metadata of the object and of embedded resources.
	Defaulted     []structural.Defaulted
	Pruned, Nulls []*structural.ObjectPath
	Metadata      []string
	// Differences are the fields that the server would treat differently, if the object was
	// pruned by a skeleton ([NewSkeletonKind]).
	Differences []PruningDifference
	// Ignored are fields that the server reads but does not store: the status, if the
	// request does not write it, and metadata that only the server writes.
	Ignored []*structural.ObjectPath
	// Cleared are the union members that policies have cleared ([Kind.WithPolicies]).
	Cleared []Cleared
	// Errors are the server's errors, in its words. If there are any, nothing is stored.
	Errors field.ErrorList
	// Unchecked are the errors of rules that the server does not evaluate because of
	// Errors, and will report once those are fixed. Rules that cannot be evaluated on the
	// invalid object are not included.
	Unchecked field.ErrorList
	// Warnings are the warnings of the response.
	Warnings []string
}

// Create returns the server's response to the creation of an object. The object is not
// changed.
func (k *Kind) Create(ctx context.Context, object map[string]any) (Answer, error) {
	return k.handle(ctx, object, nil, nil, "")
}

// StoredError is returned if a stored object could not have been stored by a server.
type StoredError struct{ err error }

func (e *StoredError) Error() string { return "the stored object: " + e.err.Error() }

// Unwrap returns the reason.
func (e *StoredError) Unwrap() error { return e.err }

// Update returns the server's response to an update of the stored object, as PUT of the
// main resource. It returns a [StoredError] if the stored object cannot be decoded.
func (k *Kind) Update(ctx context.Context, object, stored map[string]any) (Answer, error) {
	if stored == nil {
		return Answer{}, errors.New("no stored object")
	}
	old, err := k.decodeStored(stored)
	if err != nil {
		return Answer{}, err
	}
	return k.handle(ctx, object, stored, old, "")
}

// HasStatus reports whether there is a status subresource. If so, the main resource does
// not write status, and [Kind.UpdateStatus] writes nothing else.
func (k *Kind) HasStatus() bool { return k.hasStatus }

// UpdateStatus returns the server's response to an update of the stored object's status, as
// PUT of the status subresource. It returns an error if there is no such subresource, and a
// [StoredError] if the stored object cannot be decoded.
func (k *Kind) UpdateStatus(ctx context.Context, object, stored map[string]any) (Answer, error) {
	if !k.hasStatus {
		return Answer{}, fmt.Errorf("%s.%s has no status subresource in version %s", k.kind, k.group, k.version)
	}
	old, err := k.decodeStored(stored)
	if err != nil {
		return Answer{}, err
	}
	return k.handle(ctx, object, stored, old, "status")
}

// HasScale reports whether there is a scale subresource, which [Kind.UpdateScale] writes.
func (k *Kind) HasScale() bool { return k.scale != nil }

// UpdateScale returns the server's response to PUT of an autoscaling/v1 Scale to the scale
// subresource of the stored object (scaleUpdatedObjectInfo of apiextensions-apiserver,
// pkg/registry/customresource): the number of replicas is written to the path in the CRD,
// and the stored object is updated with it. It returns an error if there is no such
// subresource, and a [StoredError] if the stored object cannot be decoded.
func (k *Kind) UpdateScale(ctx context.Context, scale, stored map[string]any) (Answer, error) {
	if k.scale == nil {
		return Answer{}, fmt.Errorf("%s.%s has no scale subresource in version %s", k.kind, k.group, k.version)
	}
	old, err := k.decodeStored(stored)
	if err != nil {
		return Answer{}, err
	}
	object := runtime.DeepCopyJSON(old)
	if err := k.setScale(object, scale); err != nil {
		return Answer{Object: old, Errors: field.ErrorList{field.Invalid(nil, "", err.Error())}}, nil
	}
	return k.handle(ctx, object, stored, old, "")
}

// setScale writes a Scale into an object.
func (k *Kind) setScale(object, scale map[string]any) error {
	text, err := json.Marshal(scale)
	if err != nil {
		return err
	}
	var given autoscalingv1.Scale
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	if given.ResourceVersion != "" {
		if err := unstructured.SetNestedField(object, given.ResourceVersion, "metadata", "resourceVersion"); err != nil {
			return err
		}
	}
	if given.UID != "" {
		if err := unstructured.SetNestedField(object, string(given.UID), "metadata", "uid"); err != nil {
			return err
		}
	}
	path := strings.Split(strings.TrimPrefix(k.scale.SpecReplicasPath, "."), ".")
	return unstructured.SetNestedField(object, int64(given.Spec.Replicas), path...)
}

// handle handles a request for an object that is stored, which old is in this version, or for a
// new one, as apiextensions-apiserver does:
// pkg/apiserver/customresource_handler.go (unstructuredDefaulter,
// unstructuredSchemaCoercer), then pkg/registry/customresource/strategy.go or
// status_strategy.go.
func (k *Kind) handle(ctx context.Context, object, stored, old map[string]any, subresource string) (Answer, error) {
	a, err := k.decode(object, objectmeta.ObjectMetaOptions{})
	if err != nil {
		a.Errors = field.ErrorList{field.Invalid(nil, "", err.Error())}
		return a, nil
	}
	a.Warnings = dropRepeatedOwners(a.Object)
	if old != nil {
		k.admit(ctx, &a, old, subresource)
	}
	validate := k.validate
	if subresource == "status" {
		k.prepareStatus(a.Object, old)
		validate = k.validateStatus
	} else {
		k.prepare(&a, object, old)
	}
	if k.hasStatus {
		a.Defaulted = slices.DeleteFunc(a.Defaulted, func(d structural.Defaulted) bool {
			return (d.Path.Steps()[0].Field == "status") != (subresource == "status")
		})
	}
	k.dropNamespace(&a)
	if old == nil {
		k.prepareMeta(&a)
	} else {
		if conflict := k.conflict(object, old); conflict != nil {
			a.Errors = field.ErrorList{conflict}
			return a, nil
		}
		keepDeletion(a.Object, old)
	}
	err = k.judge(ctx, &a, old, validate)
	if err != nil || len(a.Errors) > 0 {
		return a, err
	}
	if k.storage == nil {
		structural.Default(k.schema, a.Object) // reading adds the defaults of a status that is not written
	} else if wrong := k.store(&a, stored); wrong != nil {
		a.Errors = field.ErrorList{field.Invalid(nil, "", wrong.Error())}
	}
	return a, nil
}

// judge validates a prepared object.
func (k *Kind) judge(ctx context.Context, a *Answer, old map[string]any,
	validate func(ctx context.Context, object, old map[string]any) field.ErrorList) error {
	recorder := &warnings{}
	err := guard(func() error {
		a.Errors = validate(warning.WithWarningRecorder(ctx, recorder), a.Object, old)
		return nil
	})
	a.Warnings = append(a.Warnings, recorder.texts...)
	switch {
	case err != nil:
		return err
	case slices.ContainsFunc(a.Errors, isNotChecked):
		return guard(func() error {
			a.Unchecked = k.evaluateUnchecked(warning.WithWarningRecorder(ctx, &warnings{}), a.Object, old)
			return nil
		})
	case len(a.Errors) > 0:
	case old == nil && resourceVersion(a.Object) != 0:
		a.Errors = field.ErrorList{field.Invalid(nil, nil, "resourceVersion should not be set on objects to be created")}
	default:
		a.Warnings = append(a.Warnings, warnOfFinalizers(a.Object, old)...)
	}
	return nil
}

// evaluateUnchecked returns the errors of rules that can be evaluated although the object
// is otherwise invalid.
func (k *Kind) evaluateUnchecked(ctx context.Context, object, old map[string]any) field.ErrorList {
	var options []cel.Option
	var previous any
	if old != nil {
		previous = old
		options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(object, old,
			&model.Structural{Structural: k.structural})))
	}
	found, _ := k.rules.forObject(object).Validate(ctx, nil, k.structural, object, previous, celconfig.RuntimeCELCostBudget, options...)
	return slices.DeleteFunc(found, func(e *field.Error) bool {
		return e.Type == field.ErrorTypeInternal ||
			slices.ContainsFunc(noResult[:], func(text string) bool { return strings.Contains(e.Detail, text) })
	})
}

// noResult are the server's messages about rules without a result (Validator of
// apiextensions-apiserver, pkg/apiserver/schema/cel).
var noResult = [...]string{
	" evaluating rule: ", "call arguments did not match a supported operator, function or macro signature for rule: ",
	"rule compiler initialization error: ", "rule compile error: ", "no further validation rules will be run",
}

// decode decodes an object: defaulting, pruning and metadata. Malformed metadata is an error, unless
// the options drop it.
func (k *Kind) decode(given map[string]any, options objectmeta.ObjectMetaOptions) (Answer, error) {
	a := Answer{Object: runtime.DeepCopyJSON(given)}
	a.Defaulted = structural.Default(k.schema, a.Object)
	err := k.coerce(&a, options)
	return a, err
}

// coerce prunes an object and its metadata (unstructuredSchemaCoercer).
func (k *Kind) coerce(a *Answer, options objectmeta.ObjectMetaOptions) error {
	u := &unstructured.Unstructured{Object: a.Object}
	apiVersion, hasVersion, err := unstructured.NestedString(u.Object, "apiVersion")
	if err != nil {
		return err
	}
	kind, hasKind, err := unstructured.NestedString(u.Object, "kind")
	if err != nil {
		return err
	}
	options.ReturnUnknownFieldPaths = true
	meta, hasMeta, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object, options)
	if err != nil {
		return err
	}
	a.Metadata = unknown
	if !k.preserves {
		k.prune(a)
		a.Nulls = structural.PruneNonNullableNullsWithoutDefaults(k.schema, u.Object)
	}
	wrong, unknown := objectmeta.CoerceWithOptions(nil, u.Object, k.structural, false,
		objectmeta.CoerceOptions{DropInvalidFields: options.DropMalformedFields, ReturnUnknownFieldPaths: true})
	if wrong != nil {
		return wrong
	}
	a.Metadata = append(a.Metadata, unknown...)
	if hasKind {
		u.SetKind(kind)
	}
	if hasVersion {
		u.SetAPIVersion(apiVersion)
	}
	if hasMeta {
		return objectmeta.SetObjectMeta(u.Object, meta)
	}
	return nil
}

// decodeStored decodes a stored object. It returns a [StoredError] if that fails.
func (k *Kind) decodeStored(stored map[string]any) (map[string]any, error) {
	if k.storage != nil {
		read, err := k.read(stored)
		if err != nil {
			return nil, &StoredError{err}
		}
		return read.object, nil
	}
	a, err := k.decode(stored, objectmeta.ObjectMetaOptions{DropMalformedFields: true})
	if err != nil {
		return nil, &StoredError{err}
	}
	return a.Object, nil
}

// prepare does what the strategy does before validation: if there is a status subresource,
// status is written only through it.
func (k *Kind) prepare(a *Answer, given, old map[string]any) {
	if !k.hasStatus {
		return
	}
	status, stored := old["status"]
	if previous, ok := given["status"]; ok && !apiequality.Semantic.DeepEqual(previous, status) {
		a.Ignored = append(a.Ignored, (*structural.ObjectPath)(nil).Field("status"))
	}
	if delete(a.Object, "status"); stored {
		a.Object["status"] = runtime.DeepCopyJSONValue(status)
	}
}

// prepareStatus does what the status strategy does before validation: everything except
// status is taken from the stored object.
func (k *Kind) prepareStatus(object, old map[string]any) {
	status, ok := object["status"]
	clear(object)
	maps.Copy(object, runtime.DeepCopyJSON(old))
	if delete(object, "status"); ok {
		object["status"] = status
	}
}

// removed returns the paths of keys that exist only in old. It does not descend into
// removed values.
func removed(old, current any, path *structural.ObjectPath) []*structural.ObjectPath {
	var out []*structural.ObjectPath
	switch before := old.(type) {
	case map[string]any:
		updated := asObject(current)
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if value, ok := updated[name]; ok {
				out = append(out, removed(before[name], value, path.Field(name))...)
			} else {
				out = append(out, path.Field(name))
			}
		}
	case []any:
		updated, _ := current.([]any)
		for i := range min(len(before), len(updated)) {
			out = append(out, removed(before[i], updated[i], path.Element(i))...)
		}
	}
	return out
}

// warnings collects the warnings of the server's code.
type warnings struct{ texts []string }

// AddWarning implements warning.Recorder.
func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }
