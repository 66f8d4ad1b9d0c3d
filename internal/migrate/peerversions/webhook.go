package peerversions

import (
	"cmp"
	"slices"
)

// webhookChanges are the changes of the generator webhook.
func webhookChanges() []Change {
	return []Change{{
		Name: "sorted-webhooks", Since: "v0.20.0", Generator: webhook, Pull: 1295,
		Summary: "the webhooks of a configuration are sorted by name, also those of several packages",
		Before:  "webhooks:\n- name: b.example.com\n- name: a.example.com",
		After:   "webhooks:\n- name: a.example.com\n- name: b.example.com",
		rewrite: func(d difference) {
			if hooks, ok := d.old["webhooks"].([]any); ok {
				hooks = slices.Clone(hooks)
				slices.SortStableFunc(hooks, func(a, b any) int { return cmp.Compare(nameIn(a), nameIn(b)) })
				d.old["webhooks"] = hooks
			}
		},
	}}
}

// nameIn returns the name of an object.
func nameIn(value any) string {
	fields, _ := value.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}
