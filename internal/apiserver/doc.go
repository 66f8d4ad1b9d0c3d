// Package apiserver wraps the API server's own code: it determines how a server of a given
// Kubernetes version responds when a CustomResourceDefinition is created or updated, and
// what the CEL rules in it cost.
//
// It is the only package that links apiextensions' server packages and k8s.io/apiserver. It
// knows nothing of Go source, YAML or positions in files: it takes decoded objects and
// refers to their parts by field paths.
//
// Read target.go and validate.go first. A CRD passes through these files, in the server's order:
//
//   - target.go, differences.go: what depends on the Kubernetes version
//   - object.go: defaulting, conversion to the internal version, and what the registry does before validation
//   - survey.go: one pass over all schemas, which finds the rules and rejects what no decoder would accept
//   - ruletree.go: the nodes with rules and their ancestors
//   - validate.go: the server's validation, without the rules
//   - defaults.go, defaultrules.go, unreached.go: defaults, and the rules that apply to them
//   - words.go, compile.go: the rules, each compiled once, for types reduced to the fields that the rule uses
//   - scope.go: the CEL environments in which they are compiled
//   - resultcache.go: compiled rules that are kept between runs
//   - celerrors.go, warnings.go: the server's errors about compiled rules, and its warnings
//   - parts.go: definitions without the nodes about which the server need not be asked
//   - panic.go: CRDs on which the server's code panics
//   - finding.go: findings, and their paths in the given object
//
// The estimated cost of rules:
//
//   - compile.go, sizes.go: the estimate itself (compileText, costsOf): the compiler's, for the sizes that a
//     type allows; celerrors.go compares it with the limits
//   - rules.go: the rules of a CRD with the share of the limits that each costs
//   - cause.go, candidates.go: the lists, maps and strings that make a rule expensive
//   - oldcost.go: the different estimate of servers before 1.33; testdata/celcosts records that of
//     their own libraries
//
// What rules mean:
//
//   - constant.go, fold.go: rules whose result follows from the schema
//   - rulemeaning.go: rules in a normal form
//   - evaluate.go: the results of rules for an object
//
// Objects:
//
//   - kind.go: decode, default, prune and admit objects of a version of a CRD, in the server's order
//   - kindvalidate.go: the step of that order that validates
//   - acceptor.go: values that the server's validator accepts, found faster
//   - rulevalidator.go: the rules of a kind, compiled when the first object has a value for them
//   - kinds.go: the same for many versions that share nodes, each of which is converted once
//   - metadata.go, values.go: the metadata of an object, and values of a schema
//   - skeleton.go, storage.go: pruning by skeletons, and objects that are stored in another version
//   - policy.go, webhook.go: the admission policies of unions, and webhook configurations
//
// The server's validation compiles all rules itself, always in the CEL environment of the
// linked library. Therefore it is given copies of the schemas in which every rule is empty,
// or left out below defaults: it reports one known error per rule and compiles nothing. The
// rules are compiled here, in the environment of the target, which is extended once for each
// outline of a type rather than for each type. Only if that run finds errors is the whole CRD
// validated unchanged, because some messages quote the schema.
//
// A kind is prepared from its version alone, because the server's code converts and compares all
// versions that it gets.
package apiserver
