// Package laws generates tests of conversions between the versions of a kind: histories of
// random edits through both versions, for which the laws of conversions have to hold. It
// knows Go source and markers; it does not know how a conversion works.
//
//	source       packages ─▶ []*written.Pair: a spoke, its hub, and the functions between them
//	model        or *conversions.Model: the same of generated conversions, with their units
//	fields       markers of the types below them ─▶ values that are valid           (fields.go)
//	units        model ─▶ a table of the units of each pair of structs               (units.go)
//	files        all ─▶ zz_generated.conversions_test.go in each package             (laws.go)
//	engines      packages with tests ─▶ one package in each of their modules         (engine.go)
//
// The tests of a package are only tables. What runs the histories is in a generated package
// that tests of the whole module import, and nothing else: internal/conversionlaws. Its files are
// engine_test.go and, for generated conversions, units_test.go, which are tests of this package,
// too, so that they are compiled, vetted and tested as they are.
//
// All randomness of a history is a tree of choices, in which a missing choice is the simplest
// value, so that a history is shrunk by removing parts of the tree.
package laws
