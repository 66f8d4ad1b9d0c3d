package peerversions

// crdChanges are the changes of the generator crd.
func crdChanges() []Change {
	return []Change{
		{
			Since: "v0.15.0", Generator: crd, Pull: 898,
			Summary: "markers `+kubebuilder:validation:items:…` restrict the items of a list",
		},
		{
			Since: "v0.16.0", Generator: crd, Pull: 877,
			Summary: "paragraphs of descriptions are separated by one blank line instead of two",
		},
		{
			Since: "v0.16.0", Generator: crd, Pull: 877,
			Summary: "descriptions end at a line `---`, and have no lines that start with `TODO`",
		},
		{
			Since: "v0.16.0", Generator: crd, Pull: 938,
			Summary: "markers `+default=…` set the default",
		},
		{
			Since: "v0.16.0", Generator: crd, Pull: 944,
			Summary: "markers `+required` make a field required, even if its json tag has omitempty",
		},
		{
			Since: "v0.16.0", Generator: crd, Pull: 998,
			Summary: "the rules of a type and its field are in one list instead of `allOf`",
		},
		{
			Since: "v0.16.1", Generator: crd, Pull: 1035,
			Summary: "a field of type `corev1.Protocol` has the default `TCP` only if it has a marker for it, and is described by the type",
		},
		{
			Since: "v0.16.4", Generator: crd, Pull: 1050,
			Summary: "markers `+kubebuilder:selectablefield` set selectableFields",
		},
		{
			Since: "v0.16.5", Generator: crd, Pull: 1078,
			Summary: "comments and markers of an alias of a basic type (`type Name = string`) apply to its fields",
		},
		{
			Since: "v0.17.0", Generator: crd, Pull: 1015,
			Summary: "a type with a method MarshalText is a string",
		},
		{
			Since: "v0.17.0", Generator: crd, Pull: 1006,
			Summary: "`maxDescLen` ends descriptions without a full sentence after a word, with `...`",
		},
		{
			Since: "v0.18.0", Generator: crd, Pull: 1175,
			Summary: "markers `+kubebuilder:title=…` of fields set the title",
		},
		{
			Since: "v0.19.0", Generator: crd, Pull: 1212,
			Summary: "markers `+kubebuilder:validation:ExactlyOneOf` and `AtMostOneOf` add a rule",
		},
		{
			Since: "v0.20.0", Generator: crd, Pull: 1247,
			Summary: "markers `+k8s:required` make a field required, even if its json tag has omitempty",
		},
		{
			Since: "v0.20.0", Generator: crd, Pull: 1247,
			Summary: "markers `+k8s:optional` make a field optional, even if its json tag lacks omitempty",
		},
		{
			Since: "v0.20.0", Generator: crd, Pull: 1282,
			Summary: "markers `+kubebuilder:title=…` of types set the title",
		},
		{
			Since: "v0.20.0", Generator: crd, Pull: 1278,
			Summary: "markers `+kubebuilder:validation:AtLeastOneOf` add a rule",
		},
		{
			Since: "v0.20.0", Generator: crd, Pull: 1296,
			Summary: "the rules of a type that is a pointer are written once",
		},
		{
			Since: "v0.21.0", Generator: crd, Pull: 1335,
			Summary: "markers `+kubebuilder:externalDocs` set externalDocs",
		},
		{
			Since: "v0.21.0", Generator: crd, Pull: 1352,
			Summary: "a type with the marker `+k8s:enum` is restricted to its constants",
		},
		{
			Since: "v0.21.0", Generator: crd, Pull: 1354,
			Summary: "markers `+k8s:immutable` add rules to the field and to its struct",
		},
		{
			Since: "v0.22.0", Generator: crd, Pull: 1357,
			Summary: "markers `+k8s:listType` and `+k8s:listMapKey` have the effect of `+listType` and `+listMapKey`",
		},
		{
			Since: "v0.22.0", Generator: crd, Pull: 1408,
			Summary: "the rules of `ExactlyOneOf`, `AtMostOneOf` and `AtLeastOneOf` are written so that their estimated cost is lower",
		},
		{
			Since: "v0.22.0", Generator: crd, Pull: 1375,
			Summary: "a field whose json tag has omitzero is optional, as with omitempty",
		},
		{
			Since: "v0.23.0", Generator: crd, Pull: 1458,
			Summary: "a string, list or object with the marker `+k8s:required` must not be empty",
		},
		{
			Since: "v0.23.0", Generator: crd, Pull: 1474,
			Summary: "markers `+k8s:maxItems`, `+k8s:minimum` and `+k8s:maximum` have the effect of kubebuilder's",
		},
	}
}

// rbacChanges are the changes of the generator rbac.
func rbacChanges() []Change {
	return []Change{{
		Since: "v0.16.0", Generator: rbac, Pull: 937,
		Summary: "rules with the same verbs are merged: their resources, groups and URLs are in one rule",
	}, {
		Since: "v0.16.0", Generator: rbac, Pull: 937,
		Summary: "rules for URLs are not written (until v0.16.2)",
	}, {
		Since: "v0.16.2", Generator: rbac, Pull: 1044,
		Summary: "rules for URLs are written again, merged and first",
	}, {
		Since: "v0.16.2", Generator: rbac, Pull: 1045,
		Summary: "rules for the group `core` are merged with those for `\"\"`",
	}, {
		Since: "v0.17.0", Generator: rbac, Pull: 1081,
		Summary: "a rule with the verb `*` has no other verbs",
	}}
}

// webhookChanges are the changes of the generator webhook.
func webhookChanges() []Change {
	return []Change{{
		Since: "v0.20.0", Generator: webhook, Pull: 1295,
		Summary: "the webhooks of a configuration are sorted by name, also those of several packages",
	}}
}
