// Package conversions generates the Go code that converts the versions of a kind into each
// other. It knows Go types, schemas and the markers +schemagen:convert:…; it does not know
// the command line.
//
//	kinds     definitions of the run ─▶ []*Kind: a hub and its spokes   (kind.go)
//	types     type expressions ─▶ *Type, structs with their *Field      (gotypes/, whose names types.go has)
//	pairing   a struct of each side ─▶ *Pair with its []*Unit           (pair.go, claims.go, hubonly.go, without.go)
//	derived   markers ─▶ units computed from the rest, or from metadata (derived.go, guard.go)
//	stores    annotations of earlier conversions                        (store.go)
//	at        markers that are written further out                      (at.go)
//	misuse    markers that contradict each other, or that nothing reads (marked.go, conflict.go, …)
//	rules     two types ─▶ *Rule: how one becomes the other             (rule.go)
//	fates     what each direction of a unit can lose                    (fate.go)
//	explain   pairs ─▶ a table of units                                 (explain.go)
//	of        path in an object ─▶ the unit that converts it            (unitof.go)
//	code      pairs ─▶ zz_generated.conversions.go                      (code*.go, support.go)
//
// Find returns the kinds with their pairs for all that generate something from them: the
// conversions here, their tests, and reports.
//
//	Find(ctx, generator.Options, Options) (*Model, diag.List, error)
//
//	Model   Kinds []*Kind, Pairs []*Pair (every pair of structs, in order of discovery)
//	Kind    Group, Name; Hub *Version; Spokes []*Version; Equal
//	Version Name; Type *Type (the root struct); Schema *structural.Schema; Pair *Pair (of a
//	        spoke, with the hub; nil for the hub)
//	Pair    Spoke, Hub *Type; Units []*Unit
//	Unit    Spoke, Hub []*Field: the paths from the structs of the pair, either may be nil;
//	        Rule *Rule (nil if only one side has it); Up, Down Fate; Reason; Pos
//	Rule    Name ("equal", "renamed", "moved", "seconds", "list", …); Elem *Rule, Pair *Pair (of
//	        what is below)
//	Fate    Lossless, Kept, Dropped
package conversions
