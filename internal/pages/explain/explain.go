package explain

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/publish"
)

// Find returns the resource with a kind, plural, singular or short name equal to name,
// ignoring case. apiVersion is a version, a group version, or empty for the version that
// kubectl prefers.
func Find(resources []*publish.Resource, name, apiVersion string) (*publish.Resource, error) {
	var named, found []*publish.Resource
	var names []string
	for _, r := range resources {
		own := append([]string{r.Kind, r.Singular, r.Plural}, r.ShortNames...)
		names = append(names, own...)
		if !slices.ContainsFunc(own, func(n string) bool { return strings.EqualFold(n, name) }) {
			continue
		}
		named = append(named, r)
		if apiVersion == "" || apiVersion == r.Version || apiVersion == r.GroupVersion() {
			found = append(found, r)
		}
	}
	switch {
	case len(named) == 0:
		return nil, fmt.Errorf("unknown kind or resource %s%s", name, words.Suggestion(name, names))
	case len(found) == 0:
		return nil, fmt.Errorf("%s is not served in %s, only in %s", name, apiVersion, groupVersionsOf(named))
	}
	first := found[0]
	for _, r := range found[1:] {
		if r.Group != first.Group || r.Kind != first.Kind {
			return nil, fmt.Errorf("%s exists in more than one group: use --api-version %s", name, groupVersionsOf(found))
		}
	}
	slices.SortStableFunc(found, func(a,
		b *publish.Resource) int {
		return version.CompareKubeAwareVersionStrings(b.Version, a.Version)
	})
	return found[0], nil
}

func groupVersionsOf(resources []*publish.Resource) string {
	var out []string
	for _, r := range resources {
		out = append(out, r.GroupVersion())
	}
	return strings.Join(out, " or ")
}

// Explanation explains a field of a resource.
type Explanation struct {
	Resource *publish.Resource
	Field    *fields.Field
	// Levels is the number of levels of fields below it.
	Levels int
}

// Explain explains a field of a resource, see [fields.Object.Explain]. It returns an error if
// the resource has no schema.
func Explain(r *publish.Resource, path string, levels int) (*Explanation, error) {
	if r.Schema == nil {
		return nil, fmt.Errorf("%s %s cannot be explained: %s", r.Kind, r.GroupVersion(), r.Unpublished())
	}
	field, err := fields.Object{Kind: r.Kind, Schema: r.Schema, Path: r.Path}.Explain(path, levels)
	if err != nil {
		return nil, err
	}
	return &Explanation{r, field, levels}, nil
}
