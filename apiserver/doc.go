// Package apiserver is the API server's own code behind a small interface: what
// a server of a stated Kubernetes version answers to a CustomResourceDefinition
// that is created or updated, and what the CEL rules in it cost.
//
// It is the only package that links apiextensions' server packages and
// k8s.io/apiserver. It knows nothing of Go source, of YAML, and of places in
// files: it takes decoded objects and speaks of them with field paths.
//
// The way of a CRD, as the server goes it:
//
//   - object.go: defaulting, conversion to the internal version, and what the
//     registry does before it validates;
//   - survey.go: one look at all schemas, which finds the rules and refuses
//     what no decoder would have let through;
//   - ruletree.go: the nodes with rules, and what is around them;
//   - validate.go: the server's validation, with the rules left out;
//   - words.go, compile.go: the rules, each compiled once, for types that have only
//     what the rule speaks of;
//   - celerrors.go, warnings.go: what the server says of compiled rules, and what it
//     warns of;
//   - finding.go: the answers, and the paths in the given object;
//   - rules.go, cause.go, candidates.go: what rules cost, and why;
//   - coster.go, sizes.go: what older servers estimate otherwise.
//
// panic.go is for CRDs that the server's code panics on.
// target.go and differences.go say what depends on the Kubernetes version.
//
// The server's validation compiles all rules itself, in the CEL environment of
// the linked library, and cannot be told another one. So it is given copies of
// the schemas in which the text of each rule is empty, which it answers with
// one known error for each rule and without compiling anything; the rules are
// compiled here, in the environment of the target. Only if that run finds
// something is the whole CRD validated as it stands, because the words of some
// errors quote the schema.
package apiserver
