package conversions

import "github.com/schemagen/schemagen/internal/conversions/gotypes"

// Package gotypes declares the types of Go source.
type (
	Type  = gotypes.Type
	Field = gotypes.Field
	Shape = gotypes.Shape
)

// The shapes of types.
const (
	Opaque  = gotypes.Opaque
	String  = gotypes.String
	Bool    = gotypes.Bool
	Int     = gotypes.Int
	Uint    = gotypes.Uint
	Float   = gotypes.Float
	Bytes   = gotypes.Bytes
	Struct  = gotypes.Struct
	List    = gotypes.List
	Map     = gotypes.Map
	Pointer = gotypes.Pointer
)

// Known opaque types.
const (
	durationID     = gotypes.DurationID
	timeID         = gotypes.TimeID
	microTimeID    = gotypes.MicroTimeID
	quantityID     = gotypes.QuantityID
	intOrStringID  = gotypes.IntOrStringID
	rawExtensionID = gotypes.RawExtensionID
	jsonID         = gotypes.JsonID
)
