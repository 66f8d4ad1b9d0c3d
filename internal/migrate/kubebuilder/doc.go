// Package kubebuilder is an external plugin of Kubebuilder, after which a project uses schemagen
// (plugin.go). protocol.go reads requests and writes responses, and install.go makes the plugin
// known to Kubebuilder. The package imports nothing from Kubebuilder: the shape of the messages
// is from its page "Creating external plugins" and from package pkg/plugin/external of v4.15.
package kubebuilder
