// Package configgen has what the generators of configuration, rbac and webhook, have in
// common: it reads the markers that describe the root packages of a run, reports those that
// cannot be parsed, and writes objects as YAML, as controller-tools does.
//
// The package does not know what the markers mean.
package configgen
