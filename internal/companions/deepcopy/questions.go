package deepcopy

import (
	"go/token"
	"go/types"
	"slices"
)

// deepCopy describes the methods of a type that copy its values and are written by hand. As
// in controller-gen, methods of embedded types do not count, and those of aliases, of other
// signatures and of other types do not, either.
type deepCopy struct {
	// method and into are set if there are DeepCopy and DeepCopyInto.
	method, into bool
	// onPointer is set if DeepCopy returns a pointer.
	onPointer bool
}

func (d deepCopy) any() bool { return d.method || d.into }

// deepCopyOf returns the methods of a type that copy its values.
func (c *copier) deepCopyOf(t types.Type) (d deepCopy) {
	if receiver, signature := c.method(t, "DeepCopy", 0, 1); receiver != nil {
		d.method, d.onPointer = sameType(receiver, signature.Results().At(0).Type())
	}
	if receiver, signature := c.method(t, "DeepCopyInto", 1, 0); receiver != nil {
		if pointer, ok := receiver.(*types.Pointer); ok {
			receiver = pointer.Elem()
		}
		target, ok := signature.Params().At(0).Type().(*types.Pointer)
		d.into = ok && receiver == target.Elem()
	}
	return d
}

// sameType reports whether a receiver and a result have the same type, and whether that is a
// pointer. Pointer types are not canonical, but what they point to is.
func sameType(receiver, result types.Type) (same, pointer bool) {
	source, ok := receiver.(*types.Pointer)
	if !ok {
		return receiver == result, false
	}
	target, ok := result.(*types.Pointer)
	return ok && source.Elem() == target.Elem(), ok && source.Elem() == target.Elem()
}

// method returns the type of the receiver and the signature of a direct method with the given
// numbers of parameters and results, or nil.
func (c *copier) method(t types.Type, name string, params, results int) (receiver types.Type, signature *types.Signature) {
	found, index, _ := types.LookupFieldOrMethod(t, true, c.types, name)
	if found == nil || len(index) != 1 {
		return nil, nil
	}
	signature, ok := found.Type().(*types.Signature)
	if ok && (signature.Params().Len() != params || signature.Results().Len() != results) {
		return nil, nil
	}
	if !ok || signature.Recv() == nil {
		c.notMethod(found)
		return nil, nil
	}
	c.checkOrigin(t, found)
	return signature.Recv().Type(), signature
}

// checkOrigin is unsure about methods that an interface has from a package that may be
// mentioned in interfaces only: controller-gen does not read such packages.
func (c *copier) checkOrigin(t types.Type, method types.Object) {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return
	}
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() == method.Pkg() {
		return
	}
	if !slices.ContainsFunc(slices.Collect(iface.ExplicitMethods()), func(m *types.Func) bool { return m == method }) {
		c.doubt("interface type %s has the method %s from package %s", t, method.Name(), method.Pkg().Path())
	}
}

// underlying returns the type at the end of a chain of declarations and aliases.
func underlying(t types.Type) types.Type {
	for t.Underlying() != t {
		t = t.Underlying()
	}
	return t
}

// isPlain reports whether values of a type are copied by assignment. As in controller-gen, an
// alias is not plain, whatever it stands for.
func isPlain(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() != types.Invalid && t.Kind() != types.UnsafePointer
	case *types.Named:
		return isPlain(t.Underlying())
	case *types.Struct:
		for field := range t.Fields() {
			if !isPlain(field.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// isReference reports whether values of a type refer to others and can be nil.
func isReference(t types.Type) bool {
	switch t.(type) {
	case *types.Slice, *types.Map, *types.Pointer:
		return true
	}
	return false
}

// hasPointerReceiver reports whether the methods of a type have a pointer receiver.
func hasPointerReceiver(t types.Type) bool {
	if named, ok := t.(*types.Named); ok {
		t = named.Underlying()
	}
	return !isReference(t)
}

// copyIsPointer reports whether the result of DeepCopy is a pointer.
func copyIsPointer(t types.Type, d deepCopy) bool {
	if d.method {
		return d.onPointer
	}
	for {
		switch typed := t.(type) {
		case *types.Pointer:
			t = typed.Elem()
		case *types.Named:
			t = typed.Underlying()
		case *types.Map, *types.Slice:
			return false
		default:
			return true
		}
	}
}

// needsMethods reports whether methods are generated for a selected type: not for types that
// are copied by assignment, unless they have a method written by hand, or are structs.
func (c *copier) needsMethods(t types.Type) bool {
	named, ok := t.(*types.Named)
	if !ok {
		return false
	}
	body := named.Underlying()
	if pointer, ok := body.(*types.Pointer); ok {
		// Methods cannot be declared on a named pointer type, and its element's do not count.
		return c.deepCopyOf(pointer).any()
	}
	_, basic := body.(*types.Basic)
	return c.deepCopyOf(t).any() || !basic
}

// fieldPos returns the position of a field if it is declared in the package, and otherwise
// that of the type.
func (c *copier) fieldPos(field *types.Var) token.Pos {
	if field.Pkg() == c.types {
		return field.Pos()
	}
	return c.at
}
