// Package written finds the conversions that packages have, whether schemagen or people wrote
// them: methods ConvertTo and ConvertFrom of a type, or functions such as ConvertWidgetToHub.
// It knows Go source; it does not know how a conversion works.
//
//	Find(p *source.Package) []*Pair           of a package, from its syntax   (find.go)
//	Kinds(ctx, options)     []Kind            of a run, with their versions   (kinds.go)
package written
