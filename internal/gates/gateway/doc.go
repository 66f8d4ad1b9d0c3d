// Package gateway applies the tags with which Gateway API writes conditions into descriptions:
// <gateway:experimental> and others, each of which is text of a comment in Go. It works on
// finished schemas, after all markers, because a field without a comment has the description of
// its type, with the tags in it.
//
// [Tags] applies the tags of one prefix to the schemas of a run; tag.go reads them, and text.go
// removes them from descriptions. The tags depend on the gate [Gate] alone. A description inherits
// those tags of a type that validate ([Tags.Inherited]) before it describes a finished schema.
package gateway
