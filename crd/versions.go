package crd

import (
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// LostField is a field that objects lose, or that has another type, in another version.
type LostField struct {
	structural.Loss
	why string
}

func (f LostField) String() string { return pathOrRoot(f.Path) + ", " + f.why }

// namedFields is the maximum number of fields that a text names for one reason.
const namedFields = 3

// VersionLosses describes what objects lose if they are written or updated in a version that is not
// the storage version, and no webhook converts: the API server replaces the apiVersion and drops
// what the other version does not specify. The text is empty if nothing is lost.
func VersionLosses(version string, schema *structural.Schema, storage string,
	stored *structural.Schema) (text string, fields []LostField) {
	written, rest := lostNames(structural.Lost(schema, stored), version, &fields)
	removed, more := lostNames(structural.Lost(stored, schema), storage, &fields)
	var parts []string
	if len(written) > 0 {
		parts = append(parts, fmt.Sprintf("the API server drops %s from objects written as %s", fieldNames(written), version))
	}
	if len(removed) > 0 {
		parts = append(parts, fmt.Sprintf("every update through %s removes %s", version, fieldNames(removed)))
	}
	retyped := map[string]bool{} // both directions may find the same field
	for i, l := range append(rest, more...) {
		if retyped[l.Path] {
			continue
		}
		retyped[l.Path] = true
		one := l.From
		other := l.To
		if i >= len(rest) {
			one, other = other, one
		}
		if len(retyped) <= namedFields {
			parts = append(parts, fmt.Sprintf("%s is %s in %s and %s in %s", pathOrRoot(l.Path), typeInWords(one), version, typeInWords(other), storage))
		}
		fields = append(fields, LostField{l, "of a different type in each version"})
	}
	if n := len(retyped) - namedFields; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more fields have different types", n))
	}
	return strings.Join(parts, "; "), fields
}

// lostNames returns the names of the fields that are dropped, which it adds to fields, and the
// fields whose type differs.
func lostNames(losses []structural.Loss, only string, fields *[]LostField) (names []string, retyped []structural.Loss) {
	for _, l := range losses {
		switch l.Kind {
		case structural.LossRetyped:
			retyped = append(retyped, l)
		case structural.LossUnknown:
			names = append(names, "unknown fields of "+pathOrRoot(l.Path))
			*fields = append(*fields, LostField{l, "keeps unknown fields only in " + only})
		default:
			names = append(names, l.Path)
			*fields = append(*fields, LostField{l, "only in " + only})
		}
	}
	return names, retyped
}

func pathOrRoot(path string) string {
	if path == "" {
		return "the object"
	}
	return path
}

// fieldNames lists the first names: ".a", ".a and .b", ".a, .b, .c and 2 more fields".
func fieldNames(names []string) string {
	last := ""
	switch n := len(names); {
	case n > namedFields+1:
		names = names[:namedFields]
		last = fmt.Sprintf("%d more fields", n-namedFields)
	case n > 1:
		names, last = names[:n-1], names[n-1]
	default:
		return names[0]
	}
	return strings.Join(names, ", ") + " and " + last
}

// typeInWords returns the type of a node, with its article.
func typeInWords(s *structural.Schema) string {
	switch {
	case s.XIntOrString:
		return "an integer or a string"
	case s.Type == "":
		return "anything"
	case strings.ContainsRune("aio", rune(s.Type[0])):
		return "an " + s.Type
	}
	return "a " + s.Type
}
