// Package gounions finds the unions that markers declare in Go types, and adds them to the
// finished schemas of their structs as edits (unions.go, members.go). Discriminators and
// members are read from the schema. A later step handles what depends on the position of a
// struct in a definition (fit.go): rules above the cost limit, rules that compare with the
// old object, differences between versions. The model of unions and their rules is package
// unions.
//
// Why the rule of a union is missing is decided in writeUnion.Apply (unions.go), and why it has
// another form in [Unions.Fit]. erased.go reports unions of which conditions remove only a part.
// modes.go adds the rules of Kubernetes' tags for modes.
package gounions
