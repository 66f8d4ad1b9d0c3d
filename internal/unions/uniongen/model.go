package uniongen

import (
	"go/token"

	"github.com/schemagen/schemagen/internal/source/gotext"
)

// This file has the data of the template for the functions of a package. The template reads the
// exported fields and methods.

// goFile is a generated file with union functions. Strings that are types, constants or
// functions are Go expressions as written in that file.
type goFile struct {
	// BuildTag is the build constraint; if empty, none is written.
	BuildTag string
	// Header is written unchanged before the package clause.
	Header string
	// Package is the package name.
	Package string
	// Imports are the imports that the strings may refer to. Unused ones are left out.
	Imports []gotext.Import
	// Taken are the names that generated identifiers must not use: the declarations of the
	// package and its imports.
	Taken []string

	// CarryOverOnly is set if only members that are also set in the old object are cleared.
	CarryOverOnly bool
	// NoRatcheting is set if a violation is reported even if the old object has the same one.
	NoRatcheting bool

	// Aliases are names for unnamed struct types.
	Aliases []goAlias
	// Structs are the struct types with functions, in the order of the file.
	Structs []*goStruct
	// Lists are the keyed lists with functions, in the order of the file.
	Lists []*goList
}

// goAlias is a name for an unnamed type.
type goAlias struct {
	Name, Type string
	// Of is the path of the field with the type, for example "Spec.Template".
	Of string
}

// goFunctions are the names of the functions generated for a struct type.
type goFunctions struct {
	Normalize, Validate string
	// Clears reports whether Normalize can change anything: there is a discriminator in the
	// type, or below it in a value with a counterpart.
	Clears bool
	// MayChange is empty if no keyed list needs the function.
	MayChange string
}

// goStruct is a struct type that contains a union, directly or in one of its fields.
type goStruct struct {
	goFunctions
	// Type is the Go type.
	Type string
	// Foreign is set if the type's functions are in another package; only MayChange is
	// generated here.
	Foreign bool
	// Unknown is set if MayChange cannot inspect the type.
	Unknown bool
	// Defined is the underlying struct type if this type is defined from it (type Bar Foo),
	// or nil.
	Defined *goDefinedAs
	Unions  []goUnion
	Modes   []goModes
	Fields  []goField
	// Accessors are methods of the type.
	Accessors []goAccessor
}

// goDefinedAs is the type Foo in a declaration type Bar Foo.
type goDefinedAs struct {
	*goFunctions
	Type string
}

// goUnion is a union in a struct.
type goUnion struct {
	// Discriminator is nil for a union without a discriminator.
	Discriminator *goDiscriminator
	Members       []goMember
	// AtMostOne and Message are set only for unions without a discriminator.
	AtMostOne bool
	Message   string
}

// goDiscriminator is the field that selects a member.
type goDiscriminator struct {
	// Go and JSON are the names of the field. Type is its type, without a pointer.
	Go, JSON, Type string
	// Pointer is set if the field is a pointer.
	Pointer bool
	// Default is the constant used if the field is absent, or empty.
	Default string
	// Required is set if the field must be present. It is ignored if there is a default.
	Required bool
	// Values are the constants of the enum, in its order.
	Values []string
	// Empty is the element of Values whose value is the empty string, or empty if there is
	// none.
	Empty string
}

// goMember is a member of a union.
type goMember struct {
	// Go and JSON are the names of the field.
	Go, JSON string
	// Zero is the zero value of the field's type. Counted is set if the field is set by having
	// elements.
	Zero    string
	Counted bool
	// Value is the constant that selects the member.
	Value string
	// Optional is set if the member may be unset while it is selected.
	Optional bool
	// Required and Forbidden are the error messages.
	Required, Forbidden string
}

// goModes are the fields of a struct that the modes of a discriminator allow.
type goModes struct {
	Discriminator *goDiscriminator
	Fields        []goModeField
}

// goModeField is a field that some modes allow.
type goModeField struct {
	Discriminator *goDiscriminator
	Member        goMember
	// Requiring are the constants of the modes that require the field, and Allowing those of the
	// other ones that allow it.
	Requiring, Allowing []string
	// MayBeForbidden is set if there are other modes.
	MayBeForbidden bool
}

// goField is a field that leads to a union.
type goField struct {
	// Go and JSON are the names of the field.
	Go, JSON string
	// Inline is set if the field's value is part of the JSON object of the enclosing struct.
	Inline bool
	Value  *goValue
}

// goKind is the kind of a [Value].
type goKind string

// Kinds of values. A pointer never points to a pointer, which has no sensible JSON encoding.
const (
	kindStruct  goKind = "struct"
	kindPointer goKind = "pointer"
	kindList    goKind = "list"
	kindMap     goKind = "map"
)

// goValue describes the type of a field, or a type nested in it.
type goValue struct {
	Kind goKind
	// Type is the Go type.
	Type string
	// Struct has the functions of a struct.
	Struct *goFunctions
	// Elem is the type that a pointer points to, or the element type of a list or map.
	Elem *goValue
	// Array is set if the list is an array.
	Array bool
	// List has the functions of a keyed list; it is nil for other lists.
	List *goList
	// KeyType is the type of a map's keys. KeyText is set if it is not a string type but has
	// MarshalText.
	KeyType string
	KeyText bool
}

// goList is a list whose elements are identified by keys.
type goList struct {
	// Normalize, Validate, Counterparts and Key are the names of functions. MayChange is empty if no
	// other keyed list needs the function.
	Normalize, Validate, MayChange, Counterparts, Key string
	// Elem has the functions of the elements. Type is their type, without a pointer.
	Elem *goFunctions
	Type string
	// Pointers is set if the elements are pointers.
	Pointers bool
	// KeyType is the type of the key. If there are several keys, it is declared in this file.
	KeyType string
	Keys    []goKey
	// By is a list of the keys for documentation, for example "name and port".
	By string
}

// goKey is one key of a list.
type goKey struct {
	// Go is the selector of the field, Field its name in the key type.
	Go, Field string
	// Type is the type of the field without a pointer.
	Type string
	// Guards are the selectors of the embedded pointers that lead to the field.
	Guards []string
	// Pointer is set if the field is a pointer.
	Pointer bool
	// Zero is the zero value, which is omitted from JSON, or empty if it is not omitted.
	Zero string
	// Default is the value used if the field is absent, or empty.
	Default string
}

// goAccessor is a method that sets a discriminator, alone or together with a member.
type goAccessor struct {
	Name string
	// Select is set if the method sets only the discriminator.
	Select bool
	// Selector is the name of the method that sets the discriminator.
	Selector string
	Union    *goUnion
	Member   *goMember
	// Type is the type of the method's parameter.
	Type string
	// Owner is the struct type of the receiver.
	Owner string
}

// emptyText is the constant for the empty string.
const emptyText = `""`

// RejectsEmpty reports whether the empty string is rejected as absent: without a pointer, Go
// cannot distinguish them.
func (d *goDiscriminator) RejectsEmpty() bool { return !d.Pointer && d.mustBePresent() }

// RejectsNil reports whether a nil pointer is rejected.
func (d *goDiscriminator) RejectsNil() bool { return d.Pointer && d.mustBePresent() }

// OnlyNil reports whether a nil pointer is accepted, but a pointer to the empty string is
// not.
func (d *goDiscriminator) OnlyNil() bool {
	return d.Pointer && d.Default == "" && !d.Required && d.Empty == ""
}

func (d *goDiscriminator) mustBePresent() bool { return d.Required && d.Default == "" }

// Valid returns the constants that are accepted, including the empty string if absence is
// accepted.
func (d *goDiscriminator) Valid() []string {
	var out []string
	for _, v := range d.Values {
		if v != d.Empty || !d.RejectsEmpty() {
			out = append(out, v)
		}
	}
	if d.Default == "" && !d.Required && d.Empty == "" {
		out = append(out, emptyText)
	}
	return out
}

// Plain reports whether the field can be used as the effective value.
func (d *goDiscriminator) Plain() bool { return !d.Pointer && d.Default == "" }

// Clears reports whether normalization can change the value.
func (v *goValue) Clears() bool {
	switch v.Kind {
	case kindStruct:
		return v.Struct.Clears
	case kindList:
		return v.List != nil && v.List.Elem.Clears
	}
	return v.Elem.Clears()
}

// HasCounterparts reports whether a struct in the value has a counterpart in the old object.
func (v *goValue) HasCounterparts() bool {
	switch v.Kind {
	case kindStruct:
		return true
	case kindList:
		return v.List != nil
	}
	return v.Elem.HasCounterparts()
}

// IsStruct reports whether the value is a struct.
func (v *goValue) IsStruct() bool { return v.Kind == kindStruct }

// OldType returns the type of a variable for the counterpart of the value, which may be nil.
func (v *goValue) OldType() string {
	switch {
	case v.Kind == kindStruct:
		return "*" + v.Type
	case v.Kind == kindPointer && v.Elem.Kind == kindStruct:
		return v.Type
	case v.Kind == kindPointer:
		return v.Elem.OldType()
	case v.Array:
		return "[]" + v.Elem.Type
	}
	return v.Type
}

// OldOf converts an expression of the value's type to an expression of type [goValue.OldType].
// The value must not be nil.
func (v *goValue) OldOf(expr string) string {
	switch {
	case v.Kind == kindStruct:
		return "&" + expr
	case v.Kind == kindPointer && v.Elem.Kind != kindStruct:
		return v.Elem.OldOf("(*" + expr + ")")
	case v.Array:
		return expr + "[:]"
	}
	return expr
}

// Guarded reports whether a pointer must be dereferenced to find the counterpart of the
// value.
func (v *goValue) Guarded() bool { return v.Kind == kindPointer && v.Elem.Kind != kindStruct }

// MayBeAbsent reports whether an element of the list may lack a key.
func (l *goList) MayBeAbsent() bool {
	if l.Pointers {
		return true
	}
	for _, k := range l.Keys {
		if k.Default == "" && (k.Pointer || k.Zero != "" || len(k.Guards) > 0) {
			return true
		}
	}
	return false
}

// Plain reports whether the key is always present and can be used unchanged.
func (k goKey) Plain() bool { return !k.Pointer && k.Zero == "" && len(k.Guards) == 0 }

// AllPlain reports whether all keys are plain; see [goKey.Plain].
func (l *goList) AllPlain() bool {
	for _, k := range l.Keys {
		if !k.Plain() {
			return false
		}
	}
	return true
}

// IsSimple reports whether one call determines whether the field may change.
func (f goField) IsSimple() bool {
	v := f.Value
	switch {
	case v.Kind == kindPointer:
		return v.Elem.IsStruct() && !f.Inline
	case v.Kind == kindList:
		return v.List != nil
	}
	return v.IsStruct()
}

// Exported reports whether other packages can call the struct's functions.
func (s *goStruct) Exported() bool { return token.IsExported(s.Normalize) }
