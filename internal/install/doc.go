// Package install makes what installs CRDs from the files of a run: a kustomization, and
// templates of a Helm chart. It knows texts, and neither directories nor schemas.
package install
