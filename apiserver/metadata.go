package apiserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/structural"
)

// prepareMeta is what the server does with the metadata of a new object before it is
// validated (rest.WipeObjectMetaSystemFields, names.SimpleNameGenerator).
func (k *Kind) prepareMeta(a *Answer) {
	meta, ok := a.Object["metadata"].(map[string]any)
	if !ok {
		return
	}
	for _, name := range []string{"deletionGracePeriodSeconds", "deletionTimestamp", "selfLink"} {
		if _, ok := meta[name]; ok {
			a.Ignored = append(a.Ignored, (*structural.ObjectPath)(nil).Field("metadata").Field(name))
			delete(meta, name)
		}
	}
	if base, _ := meta["generateName"].(string); base != "" && (meta["name"] == nil || meta["name"] == "") {
		meta["name"] = base[:min(len(base), 58)] + "xxxxx" // at random, really
	}
}

// keepDeletion lets an object that is being deleted stay so: an update removes and changes
// nothing of that (rest.BeforeUpdate).
func keepDeletion(object, old map[string]any) {
	after, _ := object["metadata"].(map[string]any)
	before, _ := old["metadata"].(map[string]any)
	for _, name := range []string{"deletionTimestamp", "deletionGracePeriodSeconds"} {
		if value, ok := before[name]; ok && after != nil && (name == "deletionTimestamp" || after[name] == nil) {
			after[name] = value
		}
	}
}

// dropNamespace is what the server does with the namespace of an object whose kind is
// cluster-scoped (rest.EnsureObjectNamespaceMatchesRequestNamespace).
func (k *Kind) dropNamespace(a *Answer) {
	meta, _ := a.Object["metadata"].(map[string]any)
	if namespace, ok := meta["namespace"]; ok && !k.namespaced {
		if namespace != "" {
			a.Ignored = append(a.Ignored, (*structural.ObjectPath)(nil).Field("metadata").Field("namespace"))
		}
		delete(meta, "namespace")
	}
}

// resourceVersion is that of an object, 0 if it has none that the server can read.
func resourceVersion(object map[string]any) uint64 {
	version, err := strconv.ParseUint(metaText(object, "resourceVersion"), 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// conflict is the error for an object that replaces another one than the stored. One
// without a uid or resourceVersion gets that of the stored object from clients.
func (k *Kind) conflict(object, old map[string]any) *field.Error {
	reason := ""
	ours, stored := metaText(object, "uid"), metaText(old, "uid")
	switch version, current := resourceVersion(object), resourceVersion(old); {
	case ours != "" && stored != "" && ours != stored: // Preconditions.Check of k8s.io/apiserver/pkg/storage
		reason = fmt.Sprintf("Precondition failed: UID in precondition: %v, UID in object meta: %v", ours, stored)
	case version != 0 && current != 0 && version != current:
		reason = "the object has been modified; please apply your changes to the latest version and try again"
	default:
		return nil
	}
	return field.Invalid(nil, nil, fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", k.resource, metaText(object, "name"), reason))
}

// metaText is a field of an object's metadata, empty if it is no text.
func metaText(object map[string]any, name string) string {
	text, _, _ := unstructured.NestedString(object, "metadata", name)
	return text
}

// dropRepeatedOwners removes owners that occur twice, with a warning
// (dedupOwnerReferencesAndAddWarning of k8s.io/apiserver/pkg/endpoints/handlers).
func dropRepeatedOwners(object map[string]any) []string {
	u := unstructured.Unstructured{Object: object}
	var owners []metav1.OwnerReference
	var repeated []string
	for _, owner := range u.GetOwnerReferences() {
		if slices.ContainsFunc(owners, func(o metav1.OwnerReference) bool { return apiequality.Semantic.DeepEqual(o, owner) }) {
			repeated = append(repeated, string(owner.UID))
			continue
		}
		owners = append(owners, owner)
	}
	if repeated == nil {
		return nil
	}
	u.SetOwnerReferences(owners)
	return []string{".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + strings.Join(repeated, ", ")}
}

// warnOfFinalizers is what the server says of new finalizers
// (generateWarningsFromObj of apiextensions-apiserver, pkg/registry/customresource).
func warnOfFinalizers(object, old map[string]any) []string {
	before := (&unstructured.Unstructured{Object: old}).GetFinalizers()
	var out []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values((&unstructured.Unstructured{Object: object}).GetFinalizers()))) {
		if slices.Contains(before, name) || strings.Contains(name, "/") || slices.Contains([]string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, string(corev1.FinalizerKubernetes)}, name) {
			continue
		}
		prefer := "prefer a domain-qualified finalizer name"
		if strings.Contains(name, ".") {
			prefer += " including a path (/)"
		}
		out = append(out, fmt.Sprintf("metadata.finalizers: %q: %s to avoid accidental conflicts with other finalizer writers", name, prefer))
	}
	return out
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
	after.ManagedFields = nil // whatever is there, the server writes its own
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
	switch {
	case !k.namespaced:
		before.Namespace = "" // it was dropped when the object was stored
	case before.Namespace == "":
		before.Namespace = metav1.NamespaceDefault
	}
	after.ResourceVersion, before.ResourceVersion = "1", "1"
	after.UID, after.CreationTimestamp, after.Generation = before.UID, before.CreationTimestamp, before.Generation
	// What validateCommonFields of rest.BeforeUpdate says, and the strategy says again.
	errs := validation.ValidateObjectMetaUpdate(after, before, path)
	for _, e := range validation.ValidateObjectMeta(after, k.namespaced, isPathSegment, path) {
		if !slices.ContainsFunc(errs, func(said *field.Error) bool { return said.Error() == e.Error() }) {
			errs = append(errs, e)
		}
	}
	return errs
}
