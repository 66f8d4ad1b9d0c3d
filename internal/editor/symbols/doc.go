// Package symbols answers an editor's questions about API types. It knows two things: the
// definitions of the last runs with the positions of their parts (a [Program]), and the text of
// files, which need not be valid Go (an [Outline]).
//
//	recorder := &symbols.Recorder{}                     // keeps what a run hands to the API server's code
//	program := recorder.Program(dir, read, before, failed)
//	place, ok := symbols.At(programs, read, file, offset)
//	place.Complete()                                    // likewise Hover, Definition, References
//
// The two are joined by names: a node of a schema belongs to the declaration that its position
// is in, in the text that the run had, and this one to the declaration of the same name in
// the text that the editor has. So answers survive edits that no run has finished on; what
// the text does not declare any more is not offered.
//
// Which arguments of markers have names of fields in them is a table (arguments.go). Completion
// and the links between markers and fields are two views of it. The package knows neither
// sessions nor the protocol, and everything in it is a function of its arguments.
//
// Read the files in this order:
//
//   - symbols.go: programs, and the recorder that makes them
//   - outline.go: the declarations of a Go file, from its tokens
//   - place.go: an offset in a file, with what is known there
//   - arguments.go, conversions.go: the table of arguments with names of fields
//   - complete.go, unions.go, rbac.go: values of arguments
//   - hover.go, links.go: schemas of declarations; definitions and references
//   - kinds.go: the kinds of a file, costs of their rules, and texts of their CRDs
package symbols
