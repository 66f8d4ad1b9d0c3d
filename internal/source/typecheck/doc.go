// Package typecheck type-checks those declarations of a program that given types depend on.
//
// A [Checker] collects needed types by name, follows their references through the packages
// of a [source.Program], and passes a pruned copy of each package to go/types: only needed
// type declarations, without function bodies. Files are parsed if they seem to declare a
// needed type. Usage:
//
//	c := typecheck.New(program)
//	c.Need(pkg, "Widget")
//	if err := c.Check(); err != nil { // a *source.Unsure
//		return err
//	}
//	obj := c.Lookup(pkg, "Widget")  // *types.TypeName; obj.Type() is complete
//	decl := c.Declaration(obj)      // its syntax: comments and tags of fields
//
// The copy has only what the copying of values depends on. A struct
// that is not needed itself and has a field that cannot be copied by assignment is sealed:
// its fields are replaced with one pointer, unless its user has to copy it field by field.
// Functions lose their parameters, channels their elements, arrays their lengths, structs their
// tags, and interfaces their methods other than DeepCopy and DeepCopyInto. Methods of types are
// kept if they have these names. Each type that is referred to is there in either case, so names
// can be compared and printed.
//
// [Checker.CheckGenerated] checks files that were generated for the packages.
//
// Whatever cannot be resolved with certainty is an error of type [*source.Unsure], whose
// reason is for users: missing packages and types, cgo, errors of go/types.
package typecheck
