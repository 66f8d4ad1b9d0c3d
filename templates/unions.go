package templates

import "go/token"

// UnionsFile is what one generated file of union functions says. Texts that are
// types, constants or functions are Go as it stands in that file.
type UnionsFile struct {
	// BuildTag is a build constraint; empty writes none.
	BuildTag string
	// Header stands in front of the package clause, as it is.
	Header string
	// Package is the name in the package clause.
	Package string
	// Imports are what the texts may refer to. Those that nothing refers to are
	// left out.
	Imports []Import
	// Taken are the names that the file must not give to anything of its own: what
	// the package declares, and its imports.
	Taken []string

	// CarryOverOnly clears only members that are set in the old object, too.
	CarryOverOnly bool
	// NoRatcheting reports a violation even if the old object has the same.
	NoRatcheting bool

	// Aliases are names for struct types that have none.
	Aliases []Alias
	// Structs are the struct types with functions, in the order of the file.
	Structs []*Struct
	// Lists are the keyed lists with functions, in the order of the file.
	Lists []*List
}

// Import is one import; Name is empty where the path ends in it.
type Import struct{ Name, Path string }

// Alias is a name for a type without one.
type Alias struct {
	Name, Type string
	// Of says where the type stands, as "Spec.Template".
	Of string
}

// Functions are the names of what is generated for a struct type.
type Functions struct {
	Normalize, Validate string
	// Clears reports whether Normalize can change anything: there is a
	// discriminator in the type, or below it at a place with a counterpart.
	Clears bool
	// MayChange is empty where no keyed list asks.
	MayChange string
}

// Struct is a struct type that holds or leads to a union.
type Struct struct {
	Functions
	// Type is the type.
	Type string
	// Foreign: the type has its functions in another package; only MayChange is
	// written here.
	Foreign bool
	// Unknown: MayChange cannot look into the type.
	Unknown bool
	// Defined is the struct type that this one is defined as, or nil.
	Defined *DefinedAs
	Unions  []Union
	Fields  []Field
	// Accessors are methods of the type.
	Accessors []Accessor
}

// DefinedAs is the type behind a type Bar Foo.
type DefinedAs struct {
	*Functions
	Type string
}

// Union is one union of a struct.
type Union struct {
	// Discriminator is nil where there is none.
	Discriminator *Discriminator
	Members       []Member
	// AtMostOne and Message are of unions without a discriminator.
	AtMostOne bool
	Message   string
}

// Discriminator is the field that selects the member.
type Discriminator struct {
	// Go and JSON are the names of the field; Type is its type without a pointer.
	Go, JSON, Type string
	// Pointer: the field is a pointer.
	Pointer bool
	// Default is the constant that absence reads as, or empty.
	Default string
	// Required: absence is refused. It is not used with a default.
	Required bool
	// Values are the constants, in the order of the enum.
	Values []string
	// Empty is the one of Values that is the empty text, or empty.
	Empty string
}

// Member is one member of a union.
type Member struct {
	// Go and JSON are the names of the field.
	Go, JSON string
	// Zero is the zero value of the field's type.
	Zero string
	// Value is the constant that selects the member.
	Value string
	// Optional members may be selected while they are unset.
	Optional bool
	// Required and Forbidden are the messages.
	Required, Forbidden string
}

// Field is a field that leads to a union.
type Field struct {
	// Go and JSON are the names of the field.
	Go, JSON string
	// Inline fields are part of the object that their struct is.
	Inline bool
	Value  *Value
}

// ValueKind is what a value is made of.
type ValueKind string

// The kinds of values. A pointer never points to a pointer: the type has no
// sensible JSON.
const (
	KindStruct  ValueKind = "struct"
	KindPointer ValueKind = "pointer"
	KindList    ValueKind = "list"
	KindMap     ValueKind = "map"
)

// Value is the type of a field, or of what is below it.
type Value struct {
	Kind ValueKind
	// Type is the type itself.
	Type string
	// Struct are the functions of a struct.
	Struct *Functions
	// Elem is what a pointer points to, or the elements of a list or map.
	Elem *Value
	// Array: the list is an array.
	Array bool
	// List are the functions of a keyed list; other lists have none.
	List *List
	// KeyType is the type of a map's keys; KeyText is set where a key is no
	// string but has MarshalText.
	KeyType string
	KeyText bool
}

// List is a list whose elements have keys.
type List struct {
	// Normalize, Validate, Index and Key are names of functions. MayChange is
	// empty where no other keyed list asks.
	Normalize, Validate, MayChange, Index, Key string
	// Elem are the functions of the elements; Type is their type, without the
	// pointer.
	Elem *Functions
	Type string
	// Pointers: the elements are pointers.
	Pointers bool
	// KeyType is the type of the key; it is declared here if there are several.
	KeyType string
	Keys    []Key
	// By names the keys for the documentation: "name and port".
	By string
}

// Key is one key of a list.
type Key struct {
	// Go is the selector of the field; Field is a name for it.
	Go, Field string
	// Type is the type of the field without a pointer.
	Type string
	// Guards are the selectors of embedded pointers on the way.
	Guards []string
	// Pointer: the field is a pointer.
	Pointer bool
	// Zero is the value that is left out of the JSON, or empty.
	Zero string
	// Default is what absence reads as, or empty.
	Default string
}

// Accessor is a method that sets a discriminator, or a member with it.
type Accessor struct {
	Name string
	// Select: the method sets the discriminator.
	Select bool
	// Selector is the name of the method that sets the discriminator.
	Selector string
	Union    *Union
	Member   *Member
	// Type is the type of the parameter.
	Type string
	// Owner is the struct type.
	Owner string
}

// Value of an empty text, as a constant.
const emptyText = `""`

// RefusesEmpty reports whether the empty text is refused as absent: Go cannot
// tell them apart without a pointer.
func (d *Discriminator) RefusesEmpty() bool { return !d.Pointer && d.mustBePresent() }

// RefusesNil reports whether a nil pointer is refused.
func (d *Discriminator) RefusesNil() bool { return d.Pointer && d.mustBePresent() }

// OnlyNil reports whether a nil pointer is accepted, and one to the empty text
// is not.
func (d *Discriminator) OnlyNil() bool {
	return d.Pointer && d.Default == "" && !d.Required && d.Empty == ""
}

func (d *Discriminator) mustBePresent() bool { return d.Required && d.Default == "" }

// Valid are the constants that are accepted, with the empty text where absence
// is.
func (d *Discriminator) Valid() []string {
	var out []string
	for _, v := range d.Values {
		if v != d.Empty || !d.RefusesEmpty() {
			out = append(out, v)
		}
	}
	if d.Default == "" && !d.Required && d.Empty == "" {
		out = append(out, emptyText)
	}
	return out
}

// Plain reports whether the field itself is the value.
func (d *Discriminator) Plain() bool { return !d.Pointer && d.Default == "" }

// Clears reports whether there is anything to normalize in the value.
func (v *Value) Clears() bool {
	switch v.Kind {
	case KindStruct:
		return v.Struct.Clears
	case KindList:
		return v.List != nil && v.List.Elem.Clears
	}
	return v.Elem.Clears()
}

// HasCounterparts reports whether a struct in the value has one in the old
// object.
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

// OldType is the type of a variable for the counterpart of the value, which may
// be missing.
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

// OldOf is the expression of the counterpart as [Value.OldType], from the one of
// the value itself, which is not missing.
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

// Guarded reports whether the value must be looked through a pointer to find its
// counterpart.
func (v *Value) Guarded() bool { return v.Kind == KindPointer && v.Elem.Kind != KindStruct }

// MayBeAbsent reports whether an element may have no key.
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

// Plain reports whether the key is always present as it is.
func (k Key) Plain() bool { return !k.Pointer && k.Zero == "" && len(k.Guards) == 0 }

// Straight reports whether all keys are.
func (l *List) Straight() bool {
	for _, k := range l.Keys {
		if !k.Plain() {
			return false
		}
	}
	return true
}

// IsSimple reports whether one call tells of the field whether it may change.
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

// Exported reports whether other packages can call the functions.
func (s *Struct) Exported() bool { return token.IsExported(s.Normalize) }
