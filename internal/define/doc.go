// Package define is the core of the generator: it builds the definitions of the kinds in Go
// packages. It reads files but does not write any, and does not link code of the API server, which a
// test enforces. Package generator exports the part of it that users of the module need.
//
// It knows no capability: what unions, conditions on gates, conventions and others add to a run are
// passes ([Pass], listed in package passes). A pass is a value; its state in a run has the methods of
// the moments at which it acts.
//
// Compatibility with the output of controller-gen is confined to two places: which constraints are merged first in
// merge.go, and the YAML style in package crdyaml. Markers of this project change finished schemas
// (package edits), so they do not depend on the merge.
//
// Read the files in this order. A run:
//
//   - options.go: the options of a run, and how packages are found
//   - make.go: a whole run of the CRD generator, [Make]
//   - flow.go: its steps: open, find kinds, define each, check all, emit
//   - passes.go: the moments at which capabilities act on a run
//   - loaded.go: the packages and files of a run, listed once for all generators
//   - runstate.go: what a run knows while it works
//   - server.go: the interface to the API server's code, which the caller passes in
//
// From Go types to schemas, in the order of the flow:
//
//   - draft.go: a schema node that may still refer to Go types
//   - schema.go: a type or a type expression becomes a draft
//   - structs.go: a struct becomes a draft, with a property for each field
//   - known.go, generics.go, enum.go: types known by name, generic types, constants of an enum
//   - apply.go: the markers of a declaration change its draft
//   - flatten.go: references between drafts are resolved, and drafts become structural schemas, whose
//     properties get the natural order of their names (crdyaml.NaturalLess), whatever that of the fields
//   - merge.go: fields and embedded structs are merged in the order that gives controller-gen's bytes
//   - recursion.go: recursive types are unrolled to their bound, or rejected
//
// From schemas to definitions:
//
//   - kinds.go: the kinds of the packages, and the definition of each with its versions
//   - conversion.go: the conversion that markers set in a definition
//   - channels.go: the definitions of several sets of gates, from files that are read once
//   - definitions.go: definitions with their positions, for commands that do not write them
//   - swagger.go: drafts as OpenAPI v2 documents, for apply configurations
//
// Markers and options of packages:
//
//   - packagefacts.go, packageoptions.go: the markers of declarations and packages, and the options of a package
//   - overrides.go, overridefile.go: types that a package replaces, by markers or in a file
//
// Mistakes in the source:
//
//   - fieldchecks.go, fieldedits.go: mistakes in tags and markers of fields, and their fixes
//   - inlined.go, oneof.go: fields of inlined structs, and markers that name fields
//   - absent.go: properties that conditions on gates remove from a struct
//   - lint.go, lostcomments.go: markers without effect, and comments that are no descriptions because
//     of an empty line
//   - causes.go: one mistake gives one finding; a second run finds the consequences of a misspelled marker
package define
