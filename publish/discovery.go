package publish

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
)

// discovery returns the discovery documents of a server by path, in the form before
// aggregated discovery, which every version of kubectl reads (DiscoveryController of the
// server).
func discovery(resources []*Resource) map[string]any {
	major, minor, _ := strings.Cut(kubeVersion, ".")
	groups := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	out := map[string]any{
		"/api":     &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{}, ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{}},
		"/apis":    groups,
		"/version": &version.Info{Major: major, Minor: minor, GitVersion: "v" + kubeVersion + ".0-schemagen"},
	}
	for _, gv := range groupVersions(resources) {
		first := gv.resources[0]
		named := metav1.GroupVersionForDiscovery{GroupVersion: gv.name, Version: first.Version}
		index := slices.IndexFunc(groups.Groups, func(g metav1.APIGroup) bool { return g.Name == first.Group })
		if index < 0 {
			index = len(groups.Groups)
			groups.Groups = append(groups.Groups, metav1.APIGroup{Name: first.Group})
		}
		groups.Groups[index].Versions = append(groups.Groups[index].Versions, named)
		out["/apis/"+gv.name] = resourceList(gv)
	}
	slices.SortFunc(groups.Groups, func(a, b metav1.APIGroup) int { return cmp.Compare(a.Name, b.Name) })
	for i := range groups.Groups {
		g := &groups.Groups[i]
		slices.SortFunc(g.Versions, func(a, b metav1.GroupVersionForDiscovery) int {
			return version.CompareKubeAwareVersionStrings(b.Version, a.Version)
		})
		g.PreferredVersion = g.Versions[0]
		alone := *g
		alone.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		out["/apis/"+g.Name] = &alone
	}
	return out
}

// resourceList returns the resources of a group version with their subresources.
func resourceList(gv groupVersion) *metav1.APIResourceList {
	out := &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.name}
	some := metav1.Verbs{"get", "patch", "update"}
	for _, r := range gv.resources {
		out.APIResources = append(out.APIResources, metav1.APIResource{
			Name: r.Plural, SingularName: r.Singular, Namespaced: r.Namespaced, Kind: r.Kind, ShortNames: r.ShortNames, Categories: r.Categories,
			Verbs: metav1.Verbs{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"},
		})
		if r.Status {
			out.APIResources = append(out.APIResources, metav1.APIResource{Name: r.Plural + "/status", Namespaced: r.Namespaced, Kind: r.Kind, Verbs: some})
		}
		if r.Scale {
			out.APIResources = append(out.APIResources, metav1.APIResource{Name: r.Plural + "/scale", Namespaced: r.Namespaced, Group: "autoscaling", Version: "v1", Kind: "Scale", Verbs: some})
		}
	}
	slices.SortFunc(out.APIResources, func(a, b metav1.APIResource) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
