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

// prepareMeta prepares the metadata of a new object for validation
// (rest.WipeObjectMetaSystemFields, names.SimpleNameGenerator).
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
		meta["name"] = base[:min(len(base), 58)] + "xxxxx" // the server appends random characters
	}
}

// keepDeletion keeps the deletion of an object: an update neither removes nor changes it
// (rest.BeforeUpdate).
func keepDeletion(object, old map[string]any) {
	current, _ := object["metadata"].(map[string]any)
	oldMetadata, _ := old["metadata"].(map[string]any)
	for _, name := range []string{"deletionTimestamp", "deletionGracePeriodSeconds"} {
		if value, ok := oldMetadata[name]; ok && current != nil && (name == "deletionTimestamp" || current[name] == nil) {
			current[name] = value
		}
	}
}

// dropNamespace drops the namespace of an object of a cluster-scoped kind
// (rest.EnsureObjectNamespaceMatchesRequestNamespace).
func (k *Kind) dropNamespace(a *Answer) {
	meta, _ := a.Object["metadata"].(map[string]any)
	if namespace, ok := meta["namespace"]; ok && !k.namespaced {
		if namespace != "" {
			a.Ignored = append(a.Ignored, (*structural.ObjectPath)(nil).Field("metadata").Field("namespace"))
		}
		delete(meta, "namespace")
	}
}

// resourceVersion returns the resource version of an object, or 0 if it has none that the
// server can parse.
func resourceVersion(object map[string]any) uint64 {
	version, err := strconv.ParseUint(metaText(object, "resourceVersion"), 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// conflict returns the error for an object that does not replace the stored one. A missing
// uid or resourceVersion is filled in by clients.
func (k *Kind) conflict(object, old map[string]any) *field.Error {
	reason := ""
	ours := metaText(object, "uid")
	stored := metaText(old, "uid")
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

// metaText returns a field of an object's metadata, or "" if it is not a string.
func metaText(object map[string]any, name string) string {
	text, _, _ := unstructured.NestedString(object, "metadata", name)
	return text
}

// dropRepeatedOwners removes duplicate owners, with a warning
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

// warnOfFinalizers returns the server's warnings about new finalizers
// (generateWarningsFromObj of apiextensions-apiserver, pkg/registry/customresource).
func warnOfFinalizers(object, old map[string]any) []string {
	previous := (&unstructured.Unstructured{Object: old}).GetFinalizers()
	var out []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values((&unstructured.Unstructured{Object: object}).GetFinalizers()))) {
		if slices.Contains(previous, name) || strings.Contains(name, "/") || slices.Contains([]string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, string(corev1.FinalizerKubernetes)}, name) {
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

// validateMeta validates the metadata as the server's registry does (rest.BeforeCreate and
// BeforeUpdate). Fields that only the server writes are not required: objects in files
// seldom have them.
func (k *Kind) validateMeta(object, old map[string]any) field.ErrorList {
	path := field.NewPath("metadata")
	newObjectMeta, _, err := objectmeta.GetObjectMeta(object, true)
	if err != nil {
		return field.ErrorList{field.Invalid(path, object["metadata"], err.Error())}
	}
	if newObjectMeta == nil {
		newObjectMeta = &metav1.ObjectMeta{}
	}
	if k.namespaced && newObjectMeta.Namespace == "" {
		newObjectMeta.Namespace = metav1.NamespaceDefault // clients fill it in
	}
	newObjectMeta.ManagedFields = nil // the server writes its own
	if old == nil {
		return validation.ValidateObjectMeta(newObjectMeta, k.namespaced, validation.NameIsDNSSubdomain, path)
	}
	oldObjectMeta, _, err := objectmeta.GetObjectMeta(old, true)
	if err != nil {
		return nil // it is stored already
	}
	if oldObjectMeta == nil {
		oldObjectMeta = &metav1.ObjectMeta{}
	}
	switch {
	case !k.namespaced:
		oldObjectMeta.Namespace = "" // it was dropped when the object was stored
	case oldObjectMeta.Namespace == "":
		oldObjectMeta.Namespace = metav1.NamespaceDefault
	}
	newObjectMeta.ResourceVersion = "1"
	oldObjectMeta.ResourceVersion = "1"
	newObjectMeta.UID = oldObjectMeta.UID
	newObjectMeta.CreationTimestamp = oldObjectMeta.CreationTimestamp
	newObjectMeta.Generation = oldObjectMeta.Generation
	// Both rest.BeforeUpdate (validateCommonFields) and the strategy report these: each is kept once.
	errs := validation.ValidateObjectMetaUpdate(newObjectMeta, oldObjectMeta, path)
	for _, e := range validation.ValidateObjectMeta(newObjectMeta, k.namespaced, isPathSegment, path) {
		if !slices.ContainsFunc(errs, func(said *field.Error) bool { return said.Error() == e.Error() }) {
			errs = append(errs, e)
		}
	}
	return errs
}
