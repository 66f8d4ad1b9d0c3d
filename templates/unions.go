package templates

import "go/token"

// UnionsFile is a generated file with union functions. Strings that are types, constants or
// functions are Go expressions as written in that file.
type UnionsFile struct {
	// BuildTag is the build constraint; if empty, none is written.
	BuildTag string
	// Header is written unchanged before the package clause.
	Header string
	// Package is the package name.
	Package string
	// Imports are the imports that the strings may refer to. Unused ones are left out.
	Imports []Import
	// Taken are the names that generated identifiers must not use: the declarations of the
	// package and its imports.
	Taken []string

	// CarryOverOnly is set if only members that are also set in the old object are cleared.
	CarryOverOnly bool
	// NoRatcheting is set if a violation is reported even if the old object has the same one.
	NoRatcheting bool

	// Aliases are names for unnamed struct types.
	Aliases []Alias
	// Structs are the struct types with functions, in the order of the file.
	Structs []*Struct
	// Lists are the keyed lists with functions, in the order of the file.
	Lists []*List
}

// Import is an import. Name is empty if it is the last element of Path.
type Import struct{ Name, Path string }

// Alias is a name for an unnamed type.
type Alias struct {
	Name, Type string
	// Of is the path of the field with the type, for example "Spec.Template".
	Of string
}

// Functions are the names of the functions generated for a struct type.
type Functions struct {
	Normalize, Validate string
	// Clears reports whether Normalize can change anything: there is a discriminator in the
	// type, or below it in a value with a counterpart.
	Clears bool
	// MayChange is empty if no keyed list needs the function.
	MayChange string
}

// Struct is a struct type that contains a union, directly or in one of its fields.
type Struct struct {
	Functions
	// Type is the Go type.
	Type string
	// Foreign is set if the type's functions are in another package; only MayChange is
	// generated here.
	Foreign bool
	// Unknown is set if MayChange cannot inspect the type.
	Unknown bool
	// Defined is the underlying struct type if this type is defined from it (type Bar Foo),
	// or nil.
	Defined *DefinedAs
	Unions  []Union
	Fields  []Field
	// Accessors are methods of the type.
	Accessors []Accessor
}

// DefinedAs is the type Foo in a declaration type Bar Foo.
type DefinedAs struct {
	*Functions
	Type string
}

// Union is a union in a struct.
type Union struct {
	// Discriminator is nil for a union without a discriminator.
	Discriminator *Discriminator
	Members       []Member
	// AtMostOne and Message are set only for unions without a discriminator.
	AtMostOne bool
	Message   string
}

// Discriminator is the field that selects a member.
type Discriminator struct {
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

// Member is a member of a union.
type Member struct {
	// Go and JSON are the names of the field.
	Go, JSON string
	// Zero is the zero value of the field's type.
	Zero string
	// Value is the constant that selects the member.
	Value string
	// Optional is set if the member may be unset while it is selected.
	Optional bool
	// Required and Forbidden are the error messages.
	Required, Forbidden string
}

// Field is a field that leads to a union.
type Field struct {
	// Go and JSON are the names of the field.
	Go, JSON string
	// Inline is set if the field's value is part of the JSON object of the enclosing struct.
	Inline bool
	Value  *Value
}

// ValueKind is the kind of a [Value].
type ValueKind string

// Kinds of values. A pointer never points to a pointer, which has no sensible JSON encoding.
const (
	KindStruct  ValueKind = "struct"
	KindPointer ValueKind = "pointer"
	KindList    ValueKind = "list"
	KindMap     ValueKind = "map"
)

// Value describes the type of a field, or a type nested in it.
type Value struct {
	Kind ValueKind
	// Type is the Go type.
	Type string
	// Struct has the functions of a struct.
	Struct *Functions
	// Elem is the type that a pointer points to, or the element type of a list or map.
	Elem *Value
	// Array is set if the list is an array.
	Array bool
	// List has the functions of a keyed list; it is nil for other lists.
	List *List
	// KeyType is the type of a map's keys. KeyText is set if it is not a string type but has
	// MarshalText.
	KeyType string
	KeyText bool
}

// List is a list whose elements are identified by keys.
type List struct {
	// Normalize, Validate, Index and Key are the names of functions. MayChange is empty if no
	// other keyed list needs the function.
	Normalize, Validate, MayChange, Index, Key string
	// Elem has the functions of the elements. Type is their type, without a pointer.
	Elem *Functions
	Type string
	// Pointers is set if the elements are pointers.
	Pointers bool
	// KeyType is the type of the key. If there are several keys, it is declared in this file.
	KeyType string
	Keys    []Key
	// By is a list of the keys for documentation, for example "name and port".
	By string
}

// Key is one key of a list.
type Key struct {
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

// Accessor is a method that sets a discriminator, alone or together with a member.
type Accessor struct {
	Name string
	// Select is set if the method sets only the discriminator.
	Select bool
	// Selector is the name of the method that sets the discriminator.
	Selector string
	Union    *Union
	Member   *Member
	// Type is the type of the method's parameter.
	Type string
	// Owner is the struct type of the receiver.
	Owner string
}

// emptyText is the constant for the empty string.
const emptyText = `""`

// RejectsEmpty reports whether the empty string is rejected as absent: without a pointer, Go
// cannot distinguish them.
func (d *Discriminator) RejectsEmpty() bool { return !d.Pointer && d.mustBePresent() }

// RejectsNil reports whether a nil pointer is rejected.
func (d *Discriminator) RejectsNil() bool { return d.Pointer && d.mustBePresent() }

// OnlyNil reports whether a nil pointer is accepted, but a pointer to the empty string is
// not.
func (d *Discriminator) OnlyNil() bool {
	return d.Pointer && d.Default == "" && !d.Required && d.Empty == ""
}

func (d *Discriminator) mustBePresent() bool { return d.Required && d.Default == "" }

// Valid returns the constants that are accepted, including the empty string if absence is
// accepted.
func (d *Discriminator) Valid() []string {
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
func (d *Discriminator) Plain() bool { return !d.Pointer && d.Default == "" }

// Clears reports whether normalization can change the value.
func (v *Value) Clears() bool {
	switch v.Kind {
	case KindStruct:
		return v.Struct.Clears
	case KindList:
		return v.List != nil && v.List.Elem.Clears
	}
	return v.Elem.Clears()
}

// HasCounterparts reports whether a struct in the value has a counterpart in the old object.
func (v *Value) HasCounterparts() bool {
	switch v.Kind {
	case KindStruct:
		return true
	case KindList:
		return v.List != nil
	}
	return v.Elem.HasCounterparts()
}

// IsStruct reports whether the value is a struct.
func (v *Value) IsStruct() bool { return v.Kind == KindStruct }

// OldType returns the type of a variable for the counterpart of the value, which may be nil.
func (v *Value) OldType() string {
	switch {
	case v.Kind == KindStruct:
		return "*" + v.Type
	case v.Kind == KindPointer && v.Elem.Kind == KindStruct:
		return v.Type
	case v.Kind == KindPointer:
		return v.Elem.OldType()
	case v.Array:
		return "[]" + v.Elem.Type
	}
	return v.Type
}

// OldOf converts an expression of the value's type to an expression of type [Value.OldType].
// The value must not be nil.
func (v *Value) OldOf(expr string) string {
	switch {
	case v.Kind == KindStruct:
		return "&" + expr
	case v.Kind == KindPointer && v.Elem.Kind != KindStruct:
		return v.Elem.OldOf("(*" + expr + ")")
	case v.Array:
		return expr + "[:]"
	}
	return expr
}

// Guarded reports whether a pointer must be dereferenced to find the counterpart of the
// value.
func (v *Value) Guarded() bool { return v.Kind == KindPointer && v.Elem.Kind != KindStruct }

// MayBeAbsent reports whether an element of the list may lack a key.
func (l *List) MayBeAbsent() bool {
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
func (k Key) Plain() bool { return !k.Pointer && k.Zero == "" && len(k.Guards) == 0 }

// AllPlain reports whether all keys are plain; see [Key.Plain].
func (l *List) AllPlain() bool {
	for _, k := range l.Keys {
		if !k.Plain() {
			return false
		}
	}
	return true
}

// IsSimple reports whether one call determines whether the field may change.
func (f Field) IsSimple() bool {
	v := f.Value
	switch {
	case v.Kind == KindPointer:
		return v.Elem.IsStruct() && !f.Inline
	case v.Kind == KindList:
		return v.List != nil
	}
	return v.IsStruct()
}

// Exported reports whether other packages can call the struct's functions.
func (s *Struct) Exported() bool { return token.IsExported(s.Normalize) }
