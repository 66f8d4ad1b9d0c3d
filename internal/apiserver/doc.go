// Package apiserver wraps the API server's own code: it determines how a server of a given
// Kubernetes version responds when a CustomResourceDefinition is created or updated, and
// what the CEL rules in it cost.
//
// It is the only package that links apiextensions' server packages and k8s.io/apiserver. It
// knows nothing of Go source, YAML or positions in files: it takes decoded objects and
// refers to their parts by field paths.
//
// A CRD passes through these files, in the server's order:
//
//   - object.go: defaulting, conversion to the internal version, and what the registry does
//     before validation;
//   - survey.go: one pass over all schemas, which finds the rules and rejects what no decoder
//     would accept;
//   - ruletree.go: the nodes with rules and their ancestors;
//   - validate.go: the server's validation, without the rules;
//   - defaultrules.go, unreached.go: the rules that apply to defaults;
//   - words.go, compile.go: the rules, each compiled once, for types reduced to the fields that
//     the rule uses;
//   - scope.go: the CEL environments in which they are compiled;
//   - celerrors.go, warnings.go: the server's errors about compiled rules, and its warnings;
//   - finding.go: findings, and their paths in the given object;
//   - rules.go, cause.go, candidates.go: what rules cost, and why;
//   - coster.go, sizes.go: the different estimates of older servers.
//
// kind.go handles objects of a version of a CRD, and kinds.go prepares versions whose schemas share
// nodes. panic.go handles CRDs on which the server's code panics. target.go and differences.go
// contain what depends on the Kubernetes version.
//
// The server's validation compiles all rules itself, always in the CEL environment of the
// linked library. Therefore it is given copies of the schemas in which every rule is empty,
// or left out below defaults: it reports one known error per rule and compiles nothing. The
// rules are compiled here, in the environment of the target, which is extended once for each
// outline of a type rather than for each type. Only if that run finds errors is the whole CRD
// validated unchanged, because some messages quote the schema.
package apiserver
