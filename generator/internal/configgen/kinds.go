package configgen

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
)

// Kinds are the definitions of the kinds of the run, without schemas.
type Kinds []*apiextensionsv1.CustomResourceDefinition

// own returns whether all groups are groups of the kinds.
func (k Kinds) own(groups []Value) bool {
	return len(groups) > 0 && !slices.ContainsFunc(groups, func(v Value) bool {
		return !slices.ContainsFunc(k, func(d *apiextensionsv1.CustomResourceDefinition) bool { return d.Spec.Group == v.Text })
	})
}

// in returns the kinds of the groups.
func (k Kinds) in(groups []Value) (out Kinds) {
	for _, d := range k {
		if slices.ContainsFunc(groups, func(v Value) bool { return v.Text == d.Spec.Group }) {
			out = append(out, d)
		}
	}
	return out
}

// Resources reports resources that no kind of the groups has. Nothing is reported if a group
// is not one of the kinds', as its resources are not known. It returns the kinds with the
// resources, and ok if the groups are known.
func (k Kinds) Resources(r *Reader, m Marker, groups, resources []Value) (found Kinds, ok bool) {
	if !k.own(groups) {
		return nil, false
	}
	k = k.in(groups)
	for _, v := range resources {
		resource, sub, _ := strings.Cut(v.Text, "/")
		var of Kinds
		for _, d := range k {
			if d.Spec.Names.Plural == resource || resource == "*" {
				of = append(of, d)
			}
		}
		found = append(found, of...)
		switch {
		case len(of) == 0:
			near, hint := k.meant(resource)
			d := r.RejectValue(UnknownResource, m, v, hint, "no kind of %s has the resource %q", groups[0].Text, resource)
			if near != "" {
				r.Meant(d, v, strings.Replace(v.Text, resource, near, 1))
			}
		case resource != "*" && !of.subresource(sub):
			r.RejectValue(UnknownResource, m, v, "a CRD has only status and scale, each if a marker enables it", "%s has no subresource %q", of[0].Spec.Names.Plural, sub)
		}
	}
	return found, true
}

// meant returns the resource that an unknown one was probably meant to be, or the empty
// string, and the hint for it.
func (k Kinds) meant(resource string) (near, hint string) {
	var plurals []string
	for _, d := range k {
		names := d.Spec.Names
		if strings.EqualFold(resource, names.Kind) || strings.EqualFold(resource, names.Singular) || strings.EqualFold(resource, names.Plural) || slices.Contains(names.ShortNames, resource) {
			return names.Plural, "did you mean " + names.Plural + "?"
		}
		plurals = append(plurals, names.Plural)
	}
	near, _ = diag.Nearest(resource, plurals)
	return near, diag.DidYouMean(resource, plurals, "there are "+strings.Join(plurals, ", "))
}

// subresource returns whether one of the kinds has a subresource. Every kind has finalizers,
// which the API server checks access to, and an empty name is the kind itself.
func (k Kinds) subresource(name string) bool {
	if name == "" || name == "*" || name == "finalizers" {
		return true
	}
	return slices.ContainsFunc(k, func(d *apiextensionsv1.CustomResourceDefinition) bool {
		return slices.ContainsFunc(d.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
			return v.Subresources != nil && (name == "status" && v.Subresources.Status != nil || name == "scale" && v.Subresources.Scale != nil)
		})
	})
}

// Versions reports versions that none of the kinds has.
func (k Kinds) Versions(r *Reader, m Marker, versions []Value) {
	var known []string
	for _, d := range k {
		for _, v := range d.Spec.Versions {
			known = append(known, v.Name)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, v := range versions {
		if v.Text != "*" && len(known) > 0 && !slices.Contains(known, v.Text) {
			d := r.RejectValue(UnknownResource, m, v, diag.DidYouMean(v.Text, known, "there are "+strings.Join(known, ", ")), "no kind of the webhook has the version %q", v.Text)
			near, _ := diag.Nearest(v.Text, known)
			r.Meant(d, v, near)
		}
	}
}
