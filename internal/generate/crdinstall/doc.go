// Package crdinstall generates the files that install the CRDs of a run: a kustomization, and
// the templates of a Helm chart. It knows text, but neither directories nor schemas.
package crdinstall
