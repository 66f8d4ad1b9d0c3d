// Package containment finds out whether a channel contains another one: whether a server with
// the definitions of the wide channel accepts and stores equally whatever one with those of the
// narrow channel accepts and stores.
//
// [Compare] returns the changes from one channel to another, as package compare categorizes
// them, each with the condition in Go that causes it ([Place]). [Findings] reports the changes that
// contradict containment. Turned round, from wide to narrow, the changes tell what becomes of
// stored objects. The package knows Go comments and definitions, but no project file and no run.
package containment
