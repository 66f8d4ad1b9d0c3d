// Package v1 is the API of the quickstart.
// +kubebuilder:object:generate=true
// +groupName=batch.example.com
package v1
