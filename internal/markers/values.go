package markers

import (
	"slices"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// Reference is what the names in the value of an argument refer to.
type Reference int

// The references. Paths are like .spec.replicas, and several are separated by semicolons.
const (
	NoReference Reference = iota
	// Path is a path from the node that has the marker.
	Path
	// FieldName is a field of the node, FieldNames are several, and ItemField is one of its items.
	FieldName
	FieldNames
	ItemField
	// Sibling is a field of the struct that has the marker's field.
	Sibling
	// Discriminator is the Go name of one.
	Discriminator
	// Rule is a CEL expression on the node, and ItemRule on its items.
	Rule
	ItemRule
	// HubPaths are paths in the hub of conversions, StructPaths in the struct that has the marker
	// or its field, and ValuePaths in the values of the node.
	HubPaths
	StructPaths
	ValuePaths
)

// ArgumentReference returns what names in an argument of a marker refer to. The argument without a
// name is "".
func ArgumentReference(marker, name string) Reference {
	if a := argumentOf(marker, name); a != nil {
		return a.refers
	}
	return NoReference
}

// HasNamedArguments reports whether the first argument of a marker has a name that refers to
// something, or another generator defines the marker with named arguments.
func HasNamedArguments(marker string) bool {
	r := rowNamed(marker)
	return r != nil && (r.separator == ":" || slices.ContainsFunc(r.arguments, func(a argument) bool { return a.name != "" }))
}

// KnownValues returns the values that an argument of the marker may have, or the usual ones if
// there are others; nil if they are not known. The argument without a name is "".
func (d *Definition) KnownValues(name string) []string {
	if a := argumentOf(d.Name, name); a != nil && a.values != nil {
		return a.values
	}
	if d.Own() || d.Empty() {
		return nil
	}
	if a, ok := d.Fields[name]; ok && a.Type == markers.BoolType {
		return []string{"true", "false"}
	}
	return nil
}

// argumentOf returns the facts about an argument of a marker, or nil.
func argumentOf(marker, name string) *argument {
	r := rowNamed(marker)
	if r == nil {
		return nil
	}
	i := slices.IndexFunc(r.arguments, func(a argument) bool { return a.name == name })
	if i < 0 {
		return nil
	}
	return &r.arguments[i]
}

// OnlyKinds reports whether the marker describes only types that are kinds.
func (d *Definition) OnlyKinds() bool {
	_, theirs := d.Output.MethodByName("ApplyToCRD")
	return d.Target == Type && (theirs || d.row.onlyKinds)
}
