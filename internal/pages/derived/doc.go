// Package derived shows what the proposals derive from the schema of a definition: the
// skeleton of the KEP "Pruning for Custom Resources", and the unfolded, weakened and published
// schemas of the KEP "Structural Schemas". It writes them as YAML in which comments give the
// source of each part.
//
//	derived.go   selects the schema and derives
//	annotate.go  compares a derived schema with its source
//	skeleton.go  the same for skeletons, which are merged from several sources
//	document.go  writes nodes as YAML
//
// It derives nothing itself: that is the task of packages structural and publish.
package derived
