package symbols

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
)

// resource is a resource of the API server.
type resource struct{ group, plural string }

// builtin returns the resources of the API server that operators work with, by group.
func builtin() []resource {
	var out []resource
	for _, line := range []string{
		`"" configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods replicationcontrollers resourcequotas secrets serviceaccounts services`,
		"admissionregistration.k8s.io mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations",
		"apiextensions.k8s.io customresourcedefinitions",
		"apiregistration.k8s.io apiservices",
		"apps controllerrevisions daemonsets deployments replicasets statefulsets",
		"authentication.k8s.io tokenreviews",
		"authorization.k8s.io localsubjectaccessreviews selfsubjectaccessreviews subjectaccessreviews",
		"autoscaling horizontalpodautoscalers",
		"batch cronjobs jobs",
		"certificates.k8s.io certificatesigningrequests",
		"coordination.k8s.io leases",
		"discovery.k8s.io endpointslices",
		"events.k8s.io events",
		"networking.k8s.io ingressclasses ingresses networkpolicies",
		"node.k8s.io runtimeclasses",
		"policy poddisruptionbudgets",
		"rbac.authorization.k8s.io clusterrolebindings clusterroles rolebindings roles",
		"scheduling.k8s.io priorityclasses",
		"storage.k8s.io csidrivers csinodes storageclasses volumeattachments",
	} {
		words := strings.Fields(line)
		for _, plural := range words[1:] {
			out = append(out, resource{words[0], plural})
		}
	}
	return out
}

// ruleValues returns the values of an argument of a rule or a webhook: groups and resources of the
// kinds of the programs come first.
func (p *Place) ruleValues(a argument, given []argument) (out []Completion) {
	add := func(detail string, values ...string) {
		for _, v := range values {
			if !slices.ContainsFunc(out, func(c Completion) bool { return c.Label == v }) {
				out = append(out, Completion{Label: v, Detail: detail})
			}
		}
	}
	if a.name == "verbs" {
		if a.marker == markers.WebhookName {
			add("", "create", "update", "delete", "connect")
		} else {
			add("", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*")
		}
		return out
	}
	groups := map[string]bool{}
	for _, other := range given {
		if other.name == "groups" {
			for group := range strings.SplitSeq(strings.Trim(other.value, "{}"), ";") {
				groups[strings.Trim(group, `"`)] = true
			}
		}
	}
	if groups["core"] || groups[""] {
		groups[`""`] = true
	}
	fits := func(group string) bool { return len(groups) == 0 || groups[group] || groups["*"] }
	for _, program := range p.programs {
		for _, k := range program.kinds {
			spec := k.Object.Spec
			switch {
			case a.name == "groups":
				add("", spec.Group)
			case a.name == "versions":
				for _, v := range spec.Versions {
					add(spec.Names.Kind, v.Name)
				}
			case a.name == "resources" && fits(spec.Group):
				add(spec.Names.Kind, spec.Names.Plural)
				if a.marker == markers.RBACName {
					for _, v := range spec.Versions {
						if v.Subresources != nil && v.Subresources.Status != nil {
							add(spec.Names.Kind, spec.Names.Plural+"/status")
						}
						if v.Subresources != nil && v.Subresources.Scale != nil {
							add(spec.Names.Kind, spec.Names.Plural+"/scale")
						}
					}
					add(spec.Names.Kind, spec.Names.Plural+"/finalizers")
				}
			}
		}
	}
	for _, r := range builtin() {
		switch {
		case a.name == "groups":
			add("", r.group)
		case a.name == "resources" && fits(r.group):
			add(strings.Trim(r.group, `"`), r.plural)
		}
	}
	return out
}
