package peerversions

import (
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// A Change is a difference between the output of a release of controller-gen and the one
// before it, for the same source.
type Change struct {
	// Name identifies the change.
	Name string
	// Since is the first release with the new output.
	Since string
	// Generator is the name of the generator.
	Generator string
	// Summary is a sentence without a full stop.
	Summary string
	// Pull is the number of the pull request of kubernetes-sigs/controller-tools.
	Pull int
	// Before and After are excerpts of a file.
	Before, After string
	// rewrite makes the sides of a difference equal as far as the change explains it.
	rewrite func(difference)
	// rare is set if another change that explains the same is more likely.
	rare bool
}

// Names of generators.
const (
	crd                = "crd"
	rbac               = "rbac"
	webhook            = "webhook"
	object             = "object"
	applyconfiguration = "applyconfiguration"
)

// Changes returns the table, oldest first.
func Changes() []Change {
	all := slices.Concat(crdChanges(), rbacChanges(), webhookChanges(), goChanges())
	slices.SortStableFunc(all, func(a, b Change) int { return semver.Compare(a.Since, b.Since) })
	return all
}

// writes reports whether the generator of the change writes a document, given by kind and name.
func (c Change) writes(document string) bool {
	kind, _, _ := strings.Cut(document, " ")
	switch c.Generator {
	case crd:
		return kind == "CustomResourceDefinition"
	case rbac:
		return kind == "ClusterRole" || kind == "Role"
	case webhook:
		return strings.HasSuffix(kind, "WebhookConfiguration")
	default:
		return kind == c.Generator
	}
}
