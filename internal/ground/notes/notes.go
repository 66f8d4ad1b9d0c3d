// Package notes has the facts about the source of a node of a schema that the schema cannot hold.
package notes

import "go/token"

// Notes are the facts about one node.
type Notes struct {
	// ReadOnly restricts updates of the field; nil if the field may change. The
	// rules that enforce it belong to objects above, because a rule of the field
	// itself is not evaluated when the field is added or removed.
	ReadOnly *ReadOnly
	// Unique identifies the elements of a list that rules keep unique, because the
	// list has neither the type set nor map; nil for other nodes.
	Unique *Uniqueness
	// Mistake is the most serious error that was reported in the source of the
	// node, because of which the node is incomplete.
	Mistake Mistake
	// Pointer is set if the field is a pointer in Go, so that even a zero value sets it.
	Pointer bool
	// Absent are the properties, and the values of an enum, that conditions on gates
	// remove from the node.
	Absent []Absent
	// Constants is the Go type whose constants the enum lists, or nil.
	Constants Constants
}

// Constants are the Go constants of a type.
type Constants interface {
	// ConstantDocs returns the comments of the constants, by value. It reads them when it is called.
	ConstantDocs() map[string]string
}

// Uniqueness tells which elements of a list are the same one: those with equal keys or,
// without keys, equal elements.
type Uniqueness struct{ Keys []string }

// Absent is a property or, if Value is set, a value that a node does not have, because
// the condition at Pos does not hold.
type Absent struct {
	Name      string
	Value     bool
	Condition string
	Pos       token.Pos
}

// Lacks returns the property of that name if a condition removes it, or nil.
func (n Notes) Lacks(name string) *Absent {
	for i := range n.Absent {
		if n.Absent[i].Name == name && !n.Absent[i].Value {
			return &n.Absent[i]
		}
	}
	return nil
}

// ReadOnly is when a field may change, as a marker at Pos says.
type ReadOnly struct {
	Mode ReadOnlyMode
	Pos  token.Pos
}

// ReadOnlyMode is a way in which a field is read-only.
type ReadOnlyMode string

// The modes, by the value of the marker.
const (
	// ReadOnlyAlways means that the field never changes after its object is
	// created, absence included.
	ReadOnlyAlways ReadOnlyMode = ""
	// ReadOnlyOnce means that the field may be set once.
	ReadOnlyOnce ReadOnlyMode = "once"
	// ReadOnlyStatus means that only the status subresource changes the field.
	ReadOnlyStatus ReadOnlyMode = "status"
)

// Mistake tells which part of a node is missing because of an error in its source.
type Mistake uint8

const (
	// NoMistake means that the node matches its source.
	NoMistake Mistake = iota
	// InKeywords means that a keyword is missing.
	InKeywords
	// InShape means that the type is unknown or fields are missing.
	InShape
)
