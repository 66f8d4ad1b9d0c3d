// Package deepcopy generates the methods DeepCopyInto, DeepCopy and DeepCopyObject of API
// types: zz_generated.deepcopy.go, byte for byte as controller-gen's generator object writes
// it (sigs.k8s.io/controller-tools/pkg/deepcopy).
//
// Package typecheck type-checks the types with what they refer to. What controller-gen refuses, or
// panics on, is a diagnostic at the field. What is not certain is a [source.Unsure] error. The methods
// compile: a file without a reason for doubt does so by construction, and the others are
// type-checked.
//
// Read the files in this order:
//
//   - deepcopy.go: [Generate] and its options
//   - enabled.go, kinds.go: the types whose markers ask for methods, and kinds that lack one
//   - questions.go: what controller-gen asks about a type
//   - copier.go: the statements that copy a value
//   - fields.go: structs without methods, for which controller-gen writes calls that do not compile
//   - methods.go: the methods
//   - imports.go, file.go: names of packages, and the file
//   - reasons.go: the reasons to type-check a file
//   - codes.go: the codes of the diagnostics
package deepcopy
