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

// Resource is one served version of a custom resource, with what the documents
// say about it.
type Resource struct {
	Group, Version, Kind, ListKind string
	Plural, Singular               string
	ShortNames, Categories         []string
	Namespaced                     bool
	// Status and Scale say that the resource has these subresources.
	Status, Scale bool
	// SelectableFields are the paths of fields by which a list may be filtered,
	// without the leading dot.
	SelectableFields []string
	// PreserveUnknownFields is spec.preserveUnknownFields of the definition.
	PreserveUnknownFields bool
	// Schema is nil where the version has none, or has one that is not published.
	Schema *structural.Schema
	// Refused says why a schema is not published; nil where it is.
	Refused *Refusal
	// Path is the place of the schema in the definition:
	// "spec.versions[0].schema.openAPIV3Schema".
	Path string
}

// Refusal is why a schema is not published: it is not structural (KEP
// "Structural Schemas", and generateBuilder of the server's OpenAPI builder).
type Refusal struct {
	// Path is the place of what is wrong, below [Resource.Path].
	Path string
	// Reason is the API server's message, or names the keyword.
	Reason string
}

// GroupVersion is the API version of the objects.
func (r *Resource) GroupVersion() string { return r.Group + "/" + r.Version }

// Resources returns the served versions of a definition in its order. Schemas are
// those of its versions, by index, and unheld what of each the model could not
// hold; nil where nothing is known of them. Names that the API server fills in
// may be missing.
func Resources(crd *apiextensionsv1.CustomResourceDefinition, schemas []*structural.Schema, unheld [][]structural.Unsupported) []*Resource {
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
			r.Status, r.Scale = v.Subresources.Status != nil, v.Subresources.Scale != nil
		}
		for _, f := range v.SelectableFields {
			r.SelectableFields = append(r.SelectableFields, strings.TrimPrefix(f.JSONPath, "."))
		}
		if i < len(schemas) {
			r.Schema = schemas[i]
		}
		if i < len(unheld) {
			r.Refused = refusalOf(r.Schema, r.Path, unheld[i])
		} else {
			r.Refused = refusalOf(r.Schema, r.Path, nil)
		}
		if r.Refused != nil {
			r.Schema = nil
		}
		out = append(out, r)
	}
	return out
}

func refusalOf(s *structural.Schema, place string, unheld []structural.Unsupported) *Refusal {
	if len(unheld) > 0 {
		u := unheld[0]
		return &Refusal{Path: u.Path.Child(u.Keyword).String(), Reason: u.Keyword + " cannot be part of a structural schema"}
	}
	if s == nil {
		return nil
	}
	if violations := structural.Check(s); len(violations) > 0 {
		return &Refusal{Path: violations[0].Path.String(), Reason: violations[0].At(place)}
	}
	return nil
}

// BadNames returns the names of the resource that cannot be part of a path, by their
// places in the definition, for example "spec.group" ([Resource.Path] of a
// version's name ends before "schema").
func BadNames(r *Resource) []string {
	var out []string
	for _, name := range []struct {
		place, text string
		is          func(string) []string
	}{
		{"spec.group", r.Group, validation.IsDNS1123Subdomain},
		{strings.TrimSuffix(r.Path, "schema.openAPIV3Schema") + "name", r.Version, validation.IsDNS1035Label},
		{"spec.names.kind", strings.ToLower(r.Kind), validation.IsDNS1035Label},
		{"spec.names.listKind", strings.ToLower(r.ListKind), validation.IsDNS1035Label},
		{"spec.names.plural", r.Plural, validation.IsDNS1035Label},
	} {
		if len(name.is(name.text)) > 0 {
			out = append(out, name.place)
		}
	}
	return out
}

// AddUnions puts the values of x-kubernetes-unions, which the API server's types
// do not have, into the schemas that they stand in, and returns those that it cannot
// put there.
func AddUnions(unknown []structural.UnknownKeyword) (bad []NotPublished) {
	for _, k := range unknown {
		if k.Keyword != UnionsKeyword {
			continue
		}
		notPublished := func(why string) {
			bad = append(bad, NotPublished{k, why})
		}
		list, members, err := structural.ParseUnions(k.Value)
		switch {
		case k.Schema == nil:
			notPublished("is inside of a logical junctor")
		case err != nil:
			notPublished("is in neither of its forms")
		case len(list)+len(members) == 0:
			notPublished("names no union")
		default:
			k.Schema.XUnions, k.Schema.XUnionMembers = list, members
		}
	}
	return bad
}

// NotPublished is a keyword that is not published.
type NotPublished struct {
	structural.UnknownKeyword
	// Why completes a sentence that begins with the keyword.
	Why string
}

// UnionsKeyword is the extension that says what the unions of an object are.
const UnionsKeyword = "x-kubernetes-unions"

// Conflict is a pair of resources that cannot be published together, by their
// indexes. The server's naming controller keeps such definitions from being
// served.
type Conflict struct {
	First, Second int
	// Message says what both of them have.
	Message string
	// Field is the name under spec.names that they share.
	Field string
}

// Conflicts returns the resources that claim the kind, the list kind or the
// plural of an earlier one of the same group and version.
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
			at, known := first[c.claim]
			if !known {
				first[c.claim] = i
				continue
			}
			told := slices.ContainsFunc(out, func(o Conflict) bool { return o.First == at && o.Second == i })
			if !told {
				out = append(out, Conflict{First: at, Second: i, Field: c.field, Message: fmt.Sprintf("%s of %s is defined twice", c.message, r.GroupVersion())})
			}
		}
	}
	return out
}
