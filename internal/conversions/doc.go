// Package conversions generates the Go code that converts the versions of a kind into each
// other. It knows Go types, schemas and the markers +schemagen:convert:…; it does not know
// the command line.
//
// [Find] returns the kinds with their pairs for all that generate something from them: the
// conversions here, their tests, and reports. [Generate] writes the code.
//
//	Model   Kinds []*Kind, Pairs []*Pair (every pair of structs, in order of discovery)
//	Kind    Group, Name; Hub *Version; Spokes []*Version; Equal
//	Version Name; Type *Type (the root struct); Schema *structural.Schema; Pair *Pair (of a
//	        spoke, with the hub; nil for the hub)
//	Pair    Spoke, Hub *Type; Units []*Unit
//	Unit    Spoke, Hub []*Field: the paths from the structs of the pair, either may be nil;
//	        Rule *Rule (nil if only one side has it); Up, Down Outcome; Reason; Pos
//	Rule    Name ("equal", "renamed", "moved", "seconds", "list", …); Elem *Rule, Pair *Pair (of
//	        what is below)
//	Outcome Lossless, Kept, Dropped
//
// Read the files in this order. The model:
//
//   - model.go, types.go: the model above; types are those of package gotypes
//   - direction.go: to the hub, or back, with the names of both sides in generated code
//   - kind.go: definitions of the run become kinds, each with a hub and its spokes
//   - pair.go: the structs of both sides become pairs, field by field
//   - claims.go, at.go: fields of the hub that markers name, and markers that are written further out
//   - hubonly.go, without.go: fields without a counterpart
//   - derived.go, guard.go, store.go: units computed from the rest, their guards, and annotations of
//     earlier conversions
//   - rule.go: how a type becomes another one
//   - fate.go: what each direction of a unit can lose
//   - required.go, identical.go: structs that are always in the JSON, and versions that do not differ
//   - unitof.go, explain.go: the unit that converts a path, and the table of all units
//
// Mistakes in markers, and in the functions that they name:
//
//   - marked.go: the markers of conversions below a type
//   - conflict.go, misplaced.go: markers that contradict each other, or that nothing reads
//   - hook.go, values.go: functions with another signature, and values that an enum does not have
//   - unchecked.go, unaddressed.go: schemas that kept values are not checked against, and values of
//     maps that encode themselves by a pointer
//   - existing.go: conversions that people wrote, among all declarations of the package's directory
//   - codes.go: the codes of the diagnostics
//
// The code, one function for each pair of structs and direction:
//
//   - code.go: zz_generated.conversions.go of a package
//   - codeunit.go, codeexpr.go, codelist.go: units, values, lists and maps
//   - codeappend.go, coderules.go, codederived.go, codepresent.go: what is kept, the rules for it,
//     constants, and structs that may be absent
//   - support.go: the functions that generated code calls (support.txt), of which each file gets the ones it uses
//   - conditions.go: the conditions under which something is kept or restored, which mutable code marks
//
// Values are encoded through their address, as encoding/json encodes fields of objects. What is lost
// is encoded once, when the annotation is written.
package conversions
