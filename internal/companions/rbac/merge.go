package rbac

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-tools/pkg/rbac"
)

// rule is a rule of a role. Its lists are sorted, without duplicates.
type rule struct{ groups, resources, names, urls, verbs []string }

// rulesOf returns the rules for a marker: one for each resource, so that resources of
// different markers can be merged.
func rulesOf(m rbac.Rule) []*rule {
	groups := slices.Clone(m.Groups)
	for i, group := range groups {
		if group == "core" {
			groups[i] = ""
		}
	}
	resources := m.Resources
	if len(resources) == 0 {
		return []*rule{{groups: set(groups), names: set(m.ResourceNames), urls: set(m.URLs), verbs: set(m.Verbs)}}
	}
	var out []*rule
	for _, resource := range resources {
		out = append(out, &rule{set(groups), []string{resource}, set(m.ResourceNames), set(m.URLs), set(m.Verbs)})
	}
	return out
}

// set returns the strings sorted, without duplicates. It is a new slice, or nil.
func set(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

// merge merges rules that differ in one list only, by controller-tools' steps
// (rbac.GenerateRoles): verbs first, then resources, groups and URLs. It returns them in the
// order of their resources, with all verbs replaced by an asterisk if that is one of them.
//
// A step can make two rules equal except for their verbs: after the third of
//
//	groups=a,resources=x,verbs=get
//	groups=b,resources=x,verbs=get
//	groups=a;b,resources=x,verbs=list
//
// controller-tools keeps only one of them, in random order. Here, the verbs are merged after
// each step.
func merge(rules []*rule) []*rule {
	rules = mergeList(rules, verbs)
	for _, list := range []func(*rule) *[]string{resources, groups, urls} {
		rules = mergeList(mergeList(rules, list), verbs)
	}
	slices.SortStableFunc(rules, func(a, b *rule) int { return strings.Compare(a.order(), b.order()) })
	for _, r := range rules {
		if slices.Contains(r.verbs, "*") {
			r.verbs = []string{"*"}
		}
	}
	return rules
}

func groups(r *rule) *[]string    { return &r.groups }
func resources(r *rule) *[]string { return &r.resources }
func names(r *rule) *[]string     { return &r.names }
func urls(r *rule) *[]string      { return &r.urls }
func verbs(r *rule) *[]string     { return &r.verbs }

// mergeList merges rules that are equal except for one list into the first of them.
func mergeList(rules []*rule, list func(*rule) *[]string) (out []*rule) {
	first := map[string]*rule{}
	for _, r := range rules {
		key := r.keyWithout(list)
		into, ok := first[key]
		if !ok {
			first[key] = r
			out = append(out, r)
			continue
		}
		*list(into) = set(append(*list(into), *list(r)...))
	}
	return out
}

// keyWithout returns a text that two rules have in common if they are equal except for one
// list. As in controller-tools, no group is equal to the core group, whose name is empty.
func (r *rule) keyWithout(list func(*rule) *[]string) string {
	var key strings.Builder
	for _, other := range []func(*rule) *[]string{groups, resources, names, urls, verbs} {
		if other(r) != list(r) {
			fmt.Fprintf(&key, "%q", strings.Join(*other(r), "&"))
		}
		key.WriteByte(';')
	}
	return key.String()
}

// order returns the text by which rules are sorted.
func (r *rule) order() string {
	return strings.Join([]string{
		strings.Join(r.groups, "&"), strings.Join(r.resources, "&"), strings.Join(r.names, "&"), strings.Join(r.urls, "&"),
	}, " + ")
}

// policy returns the rule as the API server knows it.
func (r *rule) policy() rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: r.groups, Verbs: r.verbs, Resources: r.resources, ResourceNames: r.names, NonResourceURLs: r.urls,
	}
}
