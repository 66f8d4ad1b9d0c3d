package deepcopy

import (
	"go/token"
	"go/types"
)

// copier writes the methods of the types of one package.
type copier struct {
	*generator
	*writer
	imports *imports
	types   *types.Package
	// within are the types whose statements are being written.
	within map[types.Type]bool
	// failed are the positions of reported diagnostics.
	failed map[token.Pos]bool
	// unsure is the first reason to be unsure.
	unsure error
	// reason is a reason to type-check the file, or empty.
	reason reason
}

// value writes the statements that copy *in to *out. name returns the text of the type, and
// is called only if the text is needed, because that adds imports.
func (c *copier) value(name func() string, t types.Type) {
	body := underlying(t)
	pointer, isPointer := body.(*types.Pointer)
	c.meets(t)
	if isPointer {
		c.dereferences(t, pointer)
		c.pointer(pointer)
		return
	}
	if methods := c.deepCopyOf(t); methods.any() {
		c.calls(t, methods, callValue)
		c.line("*out = in.DeepCopy()")
		return
	}
	switch body := body.(type) {
	case *types.Basic:
		if !isPlain(body) {
			c.fail("", t)
			return
		}
		c.line("*out = *in")
	case *types.Map:
		c.mapValue(name, body)
	case *types.Slice:
		c.slice(name, body)
	case *types.Struct:
		c.structValue(body)
	default:
		c.fail("", t)
	}
}

// typed is value for a type that is not the one with the methods. controller-gen overflows its
// stack on types that contain themselves without a struct in between.
func (c *copier) typed(t types.Type) {
	if name := typeName(t, c.types); name != "" {
		if c.within[t] {
			c.refuse("%s contains itself without a struct in between", name)
			return
		}
		c.within[t] = true
		defer delete(c.within, t)
	}
	c.value(func() string { return c.spelling(t) }, t)
}

func (c *copier) mapValue(name func() string, m *types.Map) {
	if !isPlain(m.Key()) {
		c.fail("the key of a map", m.Key())
		return
	}
	c.line("*out = make(", name(), ", len(*in))")
	c.open("for key, val := range *in {")
	c.mapElement(m.Elem())
	c.close("}")
}

func (c *copier) mapElement(elem types.Type) {
	methods := c.deepCopyOf(elem)
	_, isPointer := elem.(*types.Pointer)
	body := underlying(elem)
	_, isStruct := body.(*types.Struct)
	c.meets(elem)
	switch {
	case methods.any():
		result := copyIsPointer(elem, methods)
		c.calls(elem, methods, copyCall(result))
		switch {
		case result == isPointer:
			c.line("(*out)[key] = val.DeepCopy()")
		case isPointer:
			c.open("{")
			c.line("x := val.DeepCopy()")
			c.line("(*out)[key] = &x")
			c.close("}")
		default:
			c.line("(*out)[key] = *val.DeepCopy()")
		}
	case isPlain(elem):
		c.line("(*out)[key] = val")
	case isReference(body):
		c.line("var outVal ", c.spelling(body))
		c.open("if val == nil {")
		c.line("(*out)[key] = nil")
		c.next("} else {")
		c.line("inVal := (*in)[key]")
		c.line("in, out := &inVal, &outVal")
		c.typed(elem)
		c.close("}")
		c.line("(*out)[key] = outVal")
	case c.isBare(elem):
		c.line("var outVal ", c.spelling(elem))
		c.bare(elem, "val", "outVal")
		c.line("(*out)[key] = outVal")
	case isStruct:
		c.calls(elem, methods, callPointer)
		c.line("(*out)[key] = *val.DeepCopy()")
	default:
		c.fail("the element of a map", elem)
	}
}

func (c *copier) slice(name func() string, s *types.Slice) {
	elem := s.Elem()
	body := underlying(elem)
	_, isStruct := body.(*types.Struct)
	_, isPointer := elem.(*types.Pointer)
	methods := c.deepCopyOf(elem)
	c.meets(elem)
	c.line("*out = make(", name(), ", len(*in))")
	switch {
	case methods.any() && !isPointer: // controller-gen passes a pointer to the pointer
		c.calls(elem, methods, callInto)
		c.open("for i := range *in {")
		c.line("(*in)[i].DeepCopyInto(&(*out)[i])")
		c.close("}")
	case isPlain(body):
		c.line("copy(*out, *in)")
	case isReference(body):
		c.open("for i := range *in {")
		c.open("if (*in)[i] != nil {")
		c.line("in, out := &(*in)[i], &(*out)[i]")
		c.typed(elem)
		c.close("}")
		c.close("}")
	case c.isBare(elem):
		c.open("for i := range *in {")
		c.bare(elem, "(*in)[i]", "(*out)[i]")
		c.close("}")
	case isStruct:
		c.calls(elem, methods, callInto)
		c.open("for i := range *in {")
		c.line("(*in)[i].DeepCopyInto(&(*out)[i])")
		c.close("}")
	default:
		c.fail("the element of a slice", elem)
	}
}

func (c *copier) structValue(s *types.Struct) {
	c.line("*out = *in")
	outer := c.at
	for field := range s.Fields() {
		c.at = c.fieldPos(field)
		if !c.field(field) {
			break
		}
		c.at = outer
	}
	c.at = outer
}

// field writes the statements that copy a field. It returns false if the field cannot be
// copied.
func (c *copier) field(field *types.Var) bool {
	name := field.Name()
	t := field.Type()
	methods := c.deepCopyOf(t)
	_, isPointer := t.(*types.Pointer)
	body := underlying(t)
	c.meets(t)
	c.selects(field)
	switch {
	case methods.any() && !isPointer:
		if copyIsPointer(t, methods) {
			c.calls(t, methods, callInto)
			c.line("in.", name, ".DeepCopyInto(&out.", name, ")")
		} else {
			c.calls(t, methods, callValue)
			c.line("out.", name, " = in.", name, ".DeepCopy()")
		}
		return true
	case methods.any() || isReference(body):
		c.open("if in.", name, " != nil {")
		c.line("in, out := &in.", name, ", &out.", name)
		c.typed(t)
		c.close("}")
		return true
	}
	switch body := body.(type) {
	case *types.Basic:
		if isPlain(body) {
			return true // copied with the struct
		}
	case *types.Struct:
		switch {
		case isPlain(t):
			c.line("out.", name, " = in.", name)
		case c.isBare(t):
			c.bare(t, "in."+name, "out."+name)
		default:
			c.calls(t, methods, callInto)
			c.line("in.", name, ".DeepCopyInto(&out.", name, ")")
		}
		return true
	}
	c.fail("", t)
	return false
}

func (c *copier) pointer(p *types.Pointer) {
	elem := p.Elem()
	body := underlying(elem)
	methods := c.deepCopyOf(elem)
	_, isStruct := body.(*types.Struct)
	_, isPointer := elem.(*types.Pointer)
	c.meets(elem)
	switch {
	case methods.any() && !isPointer: // controller-gen calls a method of the pointer to a pointer
		result := copyIsPointer(elem, methods)
		c.calls(elem, methods, copyCall(result))
		if result {
			c.line("*out = (*in).DeepCopy()")
		} else {
			c.line("x := (*in).DeepCopy()")
			c.line("*out = &x")
		}
	case isPlain(body):
		c.line("*out = new(", c.spelling(elem), ")")
		c.line("**out = **in")
	case isReference(body):
		c.line("*out = new(", c.spelling(elem), ")")
		c.open("if **in != nil {")
		c.line("in, out := *in, *out")
		c.typed(elem)
		c.close("}")
	case c.isBare(elem):
		c.line("*out = new(", c.spelling(elem), ")")
		c.bare(elem, "**in", "**out")
	case isStruct:
		c.calls(elem, methods, callInto)
		c.line("*out = new(", c.spelling(elem), ")")
		c.line("(*in).DeepCopyInto(*out)")
	default:
		c.fail("the target of a pointer", elem)
	}
}
