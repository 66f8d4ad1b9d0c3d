package peerversions

import (
	"fmt"
	"maps"
	"slices"
)

// rbacChanges are the changes of the generator rbac.
func rbacChanges() []Change {
	return []Change{{
		Name: "merged-rules", Since: "v0.16.0", Generator: rbac, Pull: 937,
		Summary: "rules with the same verbs are merged: their resources, groups and URLs are in one rule",
		Before:  "- resources:\n  - deployments\n  verbs:\n  - get\n- resources:\n  - statefulsets\n  verbs:\n  - get",
		After:   "- resources:\n  - deployments\n  - statefulsets\n  verbs:\n  - get",
		rewrite: acceptEqualGrants,
	}, {
		Name: "urls-lost", Since: "v0.16.0", Generator: rbac, Pull: 937,
		Summary: "rules for URLs are not written (until v0.16.2)",
		Before:  "- nonResourceURLs:\n  - /metrics\n  verbs:\n  - get",
		After:   "",
		rewrite: func(d difference) {
			old := listIn(d.old, "rules")
			now := listIn(d.new, "rules")
			if !slices.ContainsFunc(now, forURLs) && slices.ContainsFunc(old, forURLs) {
				d.old["rules"] = slices.DeleteFunc(slices.Clone(old), forURLs)
			}
		},
	}, {
		Name: "urls-written", Since: "v0.16.2", Generator: rbac, Pull: 1044,
		Summary: "rules for URLs are written again, merged and first",
		Before:  "",
		After:   "- nonResourceURLs:\n  - /healthz\n  - /metrics\n  verbs:\n  - get",
		rewrite: func(d difference) {
			old := listIn(d.old, "rules")
			now := listIn(d.new, "rules")
			if slices.ContainsFunc(now, forURLs) && !slices.ContainsFunc(old, forURLs) {
				urls := slices.DeleteFunc(slices.Clone(now), func(rule any) bool { return !forURLs(rule) })
				d.old["rules"] = slices.Concat(urls, old)
			}
		},
	}, {
		Name: "merged-core", Since: "v0.16.2", Generator: rbac, Pull: 1045,
		Summary: "rules for the group `core` are merged with those for `\"\"`",
		Before:  "- apiGroups:\n  - \"\"\n  resources:\n  - pods\n- apiGroups:\n  - \"\"\n  resources:\n  - services",
		After:   "- apiGroups:\n  - \"\"\n  resources:\n  - pods\n  - services",
		rewrite: acceptEqualGrants,
		rare:    true,
	}, {
		Name: "all-verbs", Since: "v0.17.0", Generator: rbac, Pull: 1081,
		Summary: "a rule with the verb `*` has no other verbs",
		Before:  "verbs:\n- '*'\n- get",
		After:   "verbs:\n- '*'",
		rewrite: func(d difference) {
			rules := slices.Clone(listIn(d.old, "rules"))
			for i, rule := range rules {
				fields, _ := rule.(map[string]any)
				if verbs, _ := fields["verbs"].([]any); slices.Contains(verbs, any("*")) {
					fields = maps.Clone(fields)
					fields["verbs"] = []any{"*"}
					rules[i] = fields
				}
			}
			if rules != nil {
				d.old["rules"] = rules
			}
		},
	}}
}

// listIn returns the list below a key.
func listIn(fields map[string]any, key string) []any {
	list, _ := fields[key].([]any)
	return list
}

// forURLs reports whether a rule is for URLs.
func forURLs(rule any) bool {
	fields, _ := rule.(map[string]any)
	return fields["nonResourceURLs"] != nil
}

// acceptEqualGrants accepts rules that permit the same as the old ones.
func acceptEqualGrants(d difference) {
	old, ok := d.old["rules"].([]any)
	now, both := d.new["rules"].([]any)
	if ok && both && maps.Equal(grants(old), grants(now)) {
		d.accept("rules")
	}
}

// grants returns what rules permit: each combination of their values.
func grants(rules []any) map[string]bool {
	out := map[string]bool{}
	for _, rule := range rules {
		fields, _ := rule.(map[string]any)
		combinations := []string{""}
		for _, key := range []string{"apiGroups", "resources", "resourceNames", "nonResourceURLs", "verbs"} {
			values, _ := fields[key].([]any)
			if len(values) == 0 {
				values = []any{nil} // a rule without names is about all, one without URLs about none
			}
			var longer []string
			for _, c := range combinations {
				for _, v := range values {
					longer = append(longer, fmt.Sprintf("%s%s=%#v ", c, key, v))
				}
			}
			combinations = longer
		}
		for _, c := range combinations {
			out[c] = true
		}
	}
	return out
}
