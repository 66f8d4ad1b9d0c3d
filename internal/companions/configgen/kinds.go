package configgen

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/ground/words"
)

// Kinds are the kinds that the groups and resources of markers are compared with.
type Kinds struct {
	// Defined are the definitions of the kinds of the run, without schemas.
	Defined []*apiextensionsv1.CustomResourceDefinition
	// Declared returns the kinds of a group that are declared in sight of the run: also in packages
	// and modules that it does not cover. It may be nil. Other kinds of the group may exist, for
	// example in another repository.
	Declared func(group string) []Declared
}

// Declared is a struct that may be a kind. It is found by text, not by type.
type Declared struct {
	// Dir is the directory of its package.
	Dir string
	// Kind is its name, and Resource the plural name that follows from it or from a marker.
	Kind, Resource string
}

// declaredIn returns what is declared in sight of the run for the groups.
func (k Kinds) declaredIn(groups []Value) (out []Declared) {
	if k.Declared == nil {
		return nil
	}
	for _, group := range groups {
		out = append(out, k.Declared(group.Text)...)
	}
	return out
}

// own returns whether all groups are groups of the kinds.
func (k Kinds) own(groups []Value) bool {
	return len(groups) > 0 && !slices.ContainsFunc(groups, func(v Value) bool {
		return !slices.ContainsFunc(k.Defined,
			func(d *apiextensionsv1.CustomResourceDefinition) bool { return d.Spec.Group == v.Text })
	})
}

// in returns the kinds of the groups.
func (k Kinds) in(groups []Value) (out definitions) {
	for _, d := range k.Defined {
		if slices.ContainsFunc(groups, func(v Value) bool { return v.Text == d.Spec.Group }) {
			out = append(out, d)
		}
	}
	return out
}

// definitions are some of the kinds of the run.
type definitions []*apiextensionsv1.CustomResourceDefinition

// Found are the kinds of the run with the resources of a marker.
type Found struct {
	// Kinds are the definitions.
	Kinds []*apiextensionsv1.CustomResourceDefinition
	// all are the kinds that they are among, and groups those of the marker.
	all    Kinds
	groups []Value
}

// Resources reports resources that are nearly those of a kind, and subresources that a kind lacks.
// Nothing is reported about other resources that no kind of the run has, as the kind may be declared
// where the run cannot see it, nor if a group is not one of the kinds'. It returns the kinds with the
// resources, and ok if the groups are known.
func (k Kinds) Resources(r *Reader, marker Marker, groups, resources []Value) (found Found, ok bool) {
	if !k.own(groups) {
		return Found{}, false
	}
	own := k.in(groups)
	found.all = k
	found.groups = groups
	for _, v := range resources {
		resource, sub, _ := strings.Cut(v.Text, "/")
		var matching definitions
		for _, d := range own {
			if d.Spec.Names.Plural == resource || resource == "*" {
				matching = append(matching, d)
			}
		}
		found.Kinds = append(found.Kinds, matching...)
		if len(matching) == 0 {
			k.unknown(r, marker, groups, v)
			continue
		}
		if resource == "*" {
			continue
		}
		// Another version of the kind may enable status or scale, but no other subresource.
		isOptional := sub == "status" || sub == "scale"
		if !matching.subresource(sub) && !(isOptional && k.isPartial(r, groups, matching)) {
			r.RejectValue(UnknownResource, marker, v, "a CRD has only status and scale, each if a marker enables it", "%s has no subresource %q", resource, sub)
		}
	}
	return found, true
}

// unknown reports a resource that no kind of the run has, if it is nearly one that a kind has.
func (k Kinds) unknown(r *Reader, m Marker, groups []Value, v Value) {
	resource, _, _ := strings.Cut(v.Text, "/")
	nearest := k.in(groups).meant(resource)
	if nearest == "" {
		r.Resource(m, v)
		return
	}
	if slices.ContainsFunc(k.declaredIn(groups), func(d Declared) bool { return d.Resource == resource }) {
		return
	}
	d := r.RejectValue(UnknownResource, m, v, "did you mean "+nearest+"?", "no kind of %s has the resource %q", groups[0].Text, resource)
	r.Meant(d, v, strings.Replace(v.Text, resource, nearest, 1))
}

// isPartial reports whether one of the kinds is also declared in a directory without a root package,
// which may be that of another version.
func (k Kinds) isPartial(r *Reader, groups []Value, kinds definitions) bool {
	return slices.ContainsFunc(k.declaredIn(groups), func(d Declared) bool {
		return !r.dirs[d.Dir] && slices.ContainsFunc(kinds,
			func(known *apiextensionsv1.CustomResourceDefinition) bool { return known.Spec.Names.Kind == d.Kind })
	})
}

// meant returns the resource that an unknown one was probably meant to be, or the empty string.
func (k definitions) meant(resource string) string {
	var plurals []string
	for _, d := range k {
		names := d.Spec.Names
		if strings.EqualFold(resource, names.Kind) || strings.EqualFold(resource, names.Singular) ||
			strings.EqualFold(resource, names.Plural) || slices.Contains(names.ShortNames, resource) {
			return names.Plural
		}
		plurals = append(plurals, names.Plural)
	}
	nearest, _ := words.Nearest(resource, plurals)
	return nearest
}

// subresource returns whether one of the kinds has a subresource. Every kind has finalizers,
// which the API server checks access to, and an empty name is the kind itself.
func (k definitions) subresource(name string) bool {
	if name == "" || name == "*" || name == "finalizers" {
		return true
	}
	return slices.ContainsFunc(k, func(d *apiextensionsv1.CustomResourceDefinition) bool {
		return slices.ContainsFunc(d.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
			return v.Subresources != nil && (name == "status" && v.Subresources.Status != nil || name == "scale" && v.Subresources.Scale != nil)
		})
	})
}

// Versions reports versions that none of the kinds has. Nothing is reported if one of the kinds may have
// versions that the run does not cover.
func (f Found) Versions(r *Reader, m Marker, versions []Value) {
	var known []string
	for _, d := range f.Kinds {
		for _, v := range d.Spec.Versions {
			known = append(known, v.Name)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, v := range versions {
		if v.Text != "*" && len(known) > 0 && !slices.Contains(known, v.Text) && !f.all.isPartial(r, f.groups, f.Kinds) {
			d := r.RejectValue(UnknownResource, m, v, words.DidYouMean(v.Text, known, "there are "+strings.Join(known, ", ")), "no kind of the webhook has the version %q", v.Text)
			nearest, _ := words.Nearest(v.Text, known)
			r.Meant(d, v, nearest)
		}
	}
}
