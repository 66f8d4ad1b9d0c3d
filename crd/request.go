package crd

import "context"

// Request writes an object of one version of a kind. The server sets the metadata of objects:
// callers leave it out, and apiVersion and kind with it.
type Request struct {
	// Object is what a client sends, and Stored the object that it replaces; nil if it is
	// created.
	Object, Stored map[string]any
	// Status is set for a request to the status subresource, if there is one.
	Status bool
}

// Answer is what an API server does with a [Request].
type Answer struct {
	// Object is what is stored, after defaults and without nulls that are dropped. If there are
	// refusals, it is what would be.
	Object map[string]any
	// Refusals are the server's errors. They include those of rules that a server evaluates
	// only once the others are corrected.
	Refusals []Refusal
}

// Refusal is an error of the server.
type Refusal struct {
	// Path is the server's path of what is wrong, such as spec.ports[0].name.
	Path string
	// Text is the whole error.
	Text string
}

// Handle answers requests as the API server does for one version of a kind. It must not change
// the objects.
type Handle func(context.Context, Request) (Answer, error)

// Handler returns the [Handle] of a version of a definition.
type Handler func(definition *Definition, version string) (Handle, error)
