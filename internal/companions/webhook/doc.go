// Package webhook generates MutatingWebhookConfigurations and
// ValidatingWebhookConfigurations from +kubebuilder:webhook and
// +kubebuilder:webhookconfiguration markers. Its output equals that by controller-tools' generator
// (pkg/webhook), whose code parses the markers and makes a webhook of each.
//
// What only a patch can set is checked by the server's code, through an interface that package
// verify implements (patch.go).
package webhook
