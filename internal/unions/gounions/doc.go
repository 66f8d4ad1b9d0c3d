// Package gounions finds the unions that markers declare in Go types, and adds them to the
// finished schemas of their structs as edits. Discriminators and members are read from the
// schema. A later step handles what depends on the position of a struct in a definition: rules
// above the cost limit, rules that compare with the old object, differences between versions.
// The model of unions and their rules is package unions.
//
// Why the rule of a union is missing is decided in writeUnion.Apply, and why it has another form
// in [Unions.Fit]. Read the files in this order:
//
//   - pass.go: the pass that writes unions
//   - unions.go: what markers declare, and what is added to schemas
//   - members.go: what members have to be
//   - handwritten.go: rules that enforce a union already
//   - fit.go: what depends on the position of a struct
//   - modes.go: the rules of Kubernetes' tags for modes
//   - erased.go: unions of which conditions remove only a part
package gounions
