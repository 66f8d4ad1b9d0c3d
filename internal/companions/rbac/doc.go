// Package rbac generates ClusterRoles and Roles from +kubebuilder:rbac markers. Its output equals
// that by controller-tools' generator (pkg/rbac), whose definition parses the markers, except where
// that loses a rule at random; see merge.go.
package rbac
