package peerversions

import (
	"slices"

	"golang.org/x/mod/semver"
)

// A Change is a difference between the output of a release of controller-gen and the one
// before it, for the same source.
type Change struct {
	// Since is the first release with the new output.
	Since string
	// Generator is the name of the generator.
	Generator string
	// Summary is a sentence without a full stop.
	Summary string
	// Pull is the number of the pull request of kubernetes-sigs/controller-tools.
	Pull int
}

// Names of generators.
const (
	crd     = "crd"
	rbac    = "rbac"
	webhook = "webhook"
)

// Oldest is the first release in the table. Changes before it are not known.
const Oldest = "v0.14.0"

// Changes returns the table, oldest first.
func Changes() []Change {
	all := slices.Concat(crdChanges(), rbacChanges(), webhookChanges())
	slices.SortStableFunc(all, func(a, b Change) int { return semver.Compare(a.Since, b.Since) })
	return all
}

// Since returns the changes after a release, or none if the table does not cover the release.
func Since(release string) []Change {
	if !semver.IsValid(release) || semver.Compare(release, Oldest) < 0 {
		return nil
	}
	return slices.DeleteFunc(Changes(), func(c Change) bool { return semver.Compare(c.Since, release) <= 0 })
}
