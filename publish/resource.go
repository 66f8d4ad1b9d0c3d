package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/schemagen/schemagen/structural"
)

// Resource is a served version of a custom resource, as documents describe it.
type Resource struct {
	Group, Version, Kind, ListKind string
	Plural, Singular               string
	ShortNames, Categories         []string
	Namespaced                     bool
	// Status and Scale report whether the resource has these subresources.
	Status, Scale bool
	// SelectableFields are the paths of fields by which a list can be filtered, without the
	// leading dot.
	SelectableFields []string
	// PreserveUnknownFields is spec.preserveUnknownFields of the definition.
	PreserveUnknownFields bool
	// Schema is nil if the version has no schema, or one that is not published.
	Schema *structural.Schema
	// Rejected is the reason why a schema is not published, or nil if it is.
	Rejected *Rejection
	// Path is the path of the schema in the definition, for example
	// "spec.versions[0].schema.openAPIV3Schema".
	Path string
}

// Rejection is the reason why a schema is not published: it is not structural (KEP
// "Structural Schemas", and generateBuilder of the server's OpenAPI builder).
type Rejection struct {
	// Path is the path of the violation, below [Resource.Path].
	Path string
	// Reason is the API server's message, or names the keyword.
	Reason string
}

// GroupVersion returns the API version of the objects.
func (r *Resource) GroupVersion() string { return r.Group + "/" + r.Version }

// Unpublished returns the reason why the resource has no Schema.
func (r *Resource) Unpublished() string {
	if r.Rejected != nil {
		return r.Rejected.Reason
	}
	return "its definition has no schema"
}

// Resources returns the served versions of a definition, in its order. schemas are the
// schemas of its versions, by index; unsupported lists, also by index, what the model
// cannot represent, and may be nil. Names that the API server defaults may be missing.
func Resources(crd *apiextensionsv1.CustomResourceDefinition, schemas []*structural.Schema,
	unsupported [][]structural.Unsupported) []*Resource {
	if crd == nil {
		return nil
	}
	names := crd.Spec.Names
	var out []*Resource
	for i, v := range crd.Spec.Versions {
		if !v.Served {
			continue
		}
		r := &Resource{
			Group: crd.Spec.Group, Version: v.Name, Kind: names.Kind,
			ListKind:              cmp.Or(names.ListKind, names.Kind+"List"),
			Plural:                names.Plural,
			Singular:              cmp.Or(names.Singular, strings.ToLower(names.Kind)),
			ShortNames:            names.ShortNames,
			Categories:            names.Categories,
			Namespaced:            crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
			PreserveUnknownFields: crd.Spec.PreserveUnknownFields,
			Path:                  fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i),
		}
		if v.Subresources != nil {
			r.Status = v.Subresources.Status != nil
			r.Scale = v.Subresources.Scale != nil
		}
		for _, f := range v.SelectableFields {
			r.SelectableFields = append(r.SelectableFields, strings.TrimPrefix(f.JSONPath, "."))
		}
		if i < len(schemas) {
			r.Schema = schemas[i]
		}
		if i < len(unsupported) {
			r.Rejected = rejectionOf(r.Schema, r.Path, unsupported[i])
		} else {
			r.Rejected = rejectionOf(r.Schema, r.Path, nil)
		}
		if r.Rejected != nil {
			r.Schema = nil
		}
		out = append(out, r)
	}
	return out
}

func rejectionOf(s *structural.Schema, path string, unsupported []structural.Unsupported) *Rejection {
	if len(unsupported) > 0 {
		u := unsupported[0]
		return &Rejection{Path: u.Path.Child(u.Keyword).String(), Reason: u.String() + " cannot be part of a structural schema"}
	}
	if s == nil {
		return nil
	}
	if violations := structural.Check(s); len(violations) > 0 {
		return &Rejection{Path: violations[0].Path.String(), Reason: violations[0].At(path)}
	}
	return nil
}

// BadNames returns the paths in the definition, for example "spec.group", of names that
// cannot be part of a URL path.
func BadNames(r *Resource) []string {
	var out []string
	for _, name := range []struct {
		path, text string
		is         func(string) []string
	}{
		{"spec.group", r.Group, validation.IsDNS1123Subdomain},
		{strings.TrimSuffix(r.Path, "schema.openAPIV3Schema") + "name", r.Version, validation.IsDNS1035Label},
		{"spec.names.kind", strings.ToLower(r.Kind), validation.IsDNS1035Label},
		{"spec.names.listKind", strings.ToLower(r.ListKind), validation.IsDNS1035Label},
		{"spec.names.plural", r.Plural, validation.IsDNS1035Label},
	} {
		if len(name.is(name.text)) > 0 {
			out = append(out, name.path)
		}
	}
	return out
}

// AddUnions sets the values of x-kubernetes-unions, which the API server's types do not
// have, in the schemas that contain them. It returns the values that cannot be set.
func AddUnions(unknown []structural.UnknownKeyword) (bad []NotPublished) {
	for _, k := range unknown {
		if k.Keyword != UnionsKeyword {
			continue
		}
		notPublished := func(reason string) {
			bad = append(bad, NotPublished{k, reason})
		}
		list, members, err := structural.ParseUnions(k.Value)
		switch {
		case k.Schema == nil:
			notPublished("is inside a logical junctor")
		case err != nil:
			notPublished("has neither of its forms")
		case len(list)+len(members) == 0:
			notPublished("is empty")
		default:
			k.Schema.XUnions = list
			k.Schema.XUnionMembers = members
		}
	}
	return bad
}

// NotPublished is a keyword that is not published.
type NotPublished struct {
	structural.UnknownKeyword
	// Reason completes a sentence that starts with the keyword.
	Reason string
}

// UnionsKeyword is the extension that describes the unions of an object.
const UnionsKeyword = "x-kubernetes-unions"

// Conflict is a pair of resources, by index, that cannot be published together. The
// server's naming controller prevents such definitions from being served.
type Conflict struct {
	First, Second int
	// Message names what they share.
	Message string
	// Field is the field of spec.names that they share.
	Field string
}

// Conflicts returns the resources that claim the kind, list kind or plural of an earlier
// resource of the same group version.
func Conflicts(resources []*Resource) []Conflict {
	type claim struct {
		group, version, name string
		plural               bool
	}
	first := map[claim]int{}
	var out []Conflict
	for i, r := range resources {
		for _, c := range []struct {
			claim
			field, message string
		}{
			{claim{r.Group, r.Version, r.Kind, false}, "kind", "kind " + r.Kind},
			{claim{r.Group, r.Version, r.ListKind, false}, "listKind", "kind " + r.ListKind},
			{claim{r.Group, r.Version, r.Plural, true}, "plural", "resource " + r.Plural},
		} {
			index, known := first[c.claim]
			if !known {
				first[c.claim] = i
				continue
			}
			reported := slices.ContainsFunc(out, func(o Conflict) bool { return o.First == index && o.Second == i })
			if !reported {
				out = append(out, Conflict{First: index, Second: i, Field: c.field, Message: fmt.Sprintf("duplicate %s in %s", c.message, r.GroupVersion())})
			}
		}
	}
	return out
}
