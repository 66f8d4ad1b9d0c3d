package deepcopy

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/schemagen/schemagen/internal/source/typecheck"
)

// reason is a reason to type-check a generated file. A file without one compiles: each value is assigned
// to a variable of its type, each method that is called was seen with its signature or is written by this
// run, and each name has one meaning.
type reason string

// The reasons to type-check a file, in the order in which the parts of a file are written.
const (
	methodTwice     reason = "the type has a method with the name of a generated one"
	methodElsewhere reason = "a file that build constraints leave out may have the generated method"
	genericType     reason = "a type is generic"
	aliasOfPointer  reason = "an alias stands for a pointer"
	interfaceType   reason = "pointers to interfaces have no methods"
	namedPointer    reason = "a pointer with a name has no methods"
	hiddenType      reason = "a type of another package is not exported"
	hiddenField     reason = "a field cannot be selected in the package"
	copiedByFields  reason = "a struct without methods is copied by its fields or by a method of the standard library"
	methodNotSeen   reason = "a method is called that was not seen with its signature"
	ambiguousName   reason = "a type or an import has the name of something else in the file"
	unusualImport   reason = "the name or the path of an import is unusual"
)

// suspect records a reason to type-check the file. One is enough.
func (c *copier) suspect(r reason) {
	if c.reason == "" {
		c.reason = r
	}
}

// declares looks for reasons in a selected type, for which methods are about to be written.
func (c *copier) declares(t types.Type, byHand deepCopy) {
	c.meets(t)
	named, ok := t.(*types.Named)
	if !ok {
		return
	}
	if c.checker.Excluded(named.Obj()) != (typecheck.ExcludedMethods{}) {
		c.suspect(methodElsewhere)
	}
	for method := range named.Methods() {
		if method.Name() == "DeepCopyInto" && !byHand.into || method.Name() == "DeepCopy" && !byHand.method {
			c.suspect(methodTwice)
		}
	}
}

// meets looks for reasons in a type that is copied or spelled.
func (c *copier) meets(t types.Type) {
	switch t := t.(type) {
	case *types.TypeParam:
		c.suspect(genericType)
	case *types.Pointer:
		c.meets(t.Elem())
	case *types.Interface:
		c.suspect(interfaceType)
	case *types.Alias:
		c.meetsName(t.Obj(), t.TypeArgs())
		if _, isPointer := types.Unalias(t).(*types.Pointer); isPointer {
			c.suspect(aliasOfPointer)
		}
		c.meets(types.Unalias(t))
	case *types.Named:
		c.meetsName(t.Obj(), t.TypeArgs())
		if t.TypeParams().Len() > 0 {
			c.suspect(genericType)
		}
		if types.IsInterface(t) {
			c.suspect(interfaceType)
		}
	}
}

func (c *copier) meetsName(obj *types.TypeName, arguments *types.TypeList) {
	if arguments.Len() > 0 {
		c.suspect(genericType)
	}
	if obj.Pkg() != c.types && !obj.Exported() {
		c.suspect(hiddenType)
	}
}

// dereferences looks for reasons in a pointer that is copied, which t is, or is declared with. No method
// can be called on a pointer with a name.
func (c *copier) dereferences(t types.Type, pointer *types.Pointer) {
	_, isNamed := types.Unalias(t).(*types.Named)
	if isNamed && (!isPlain(underlying(pointer.Elem())) || c.deepCopyOf(pointer.Elem()).any()) {
		c.suspect(namedPointer)
	}
}

// selects looks for reasons in a field.
func (c *copier) selects(field *types.Var) {
	if field.Name() == "_" || !field.Exported() && field.Pkg() != c.types {
		c.suspect(hiddenField)
	}
}

// call is a way to call a method that copies a value of type T.
type call int

const (
	callInto    call = iota // DeepCopyInto(*T)
	callPointer             // DeepCopy() *T
	callValue               // DeepCopy() T
)

// signature returns the signature of the method that is called.
func (how call) signature(name string) string {
	switch how {
	case callInto:
		return "DeepCopyInto(*" + name + ")"
	case callPointer:
		return "DeepCopy() *" + name
	}
	return "DeepCopy() " + name
}

// copyCall returns the way to call DeepCopy, whose result may be a pointer.
func copyCall(pointer bool) call {
	if pointer {
		return callPointer
	}
	return callValue
}

// calls looks for reasons in a call of a method of a type, or of the type that it points to. seen are its
// methods that are written by hand.
func (c *copier) calls(t types.Type, seen deepCopy, how call) {
	if !c.isSeen(t, seen, how) {
		c.suspect(methodNotSeen)
	}
}

func (c *copier) isSeen(t types.Type, seen deepCopy, how call) bool {
	if how == callInto && seen.into || how != callInto && seen.method && (how == callPointer) == seen.onPointer {
		return true
	}
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	obj := named.Obj()
	if _, isStruct := named.Underlying().(*types.Struct); isStruct && c.generated[obj] && !seen.any() {
		return how != callValue
	}
	return c.checker.Excluded(obj).Has(how.signature(obj.Name()))
}

// variables are the names of the variables in generated methods.
var variables = [...]string{"in", "out", "key", "val", "i", "x", "c", "clone", "inVal", "outVal"}

// names looks for reasons in the names of the file, after it was written.
func (c *copier) names() {
	imported := map[string]bool{}
	for path, name := range c.imports.names {
		imported[name] = true
		if !token.IsIdentifier(name) || name == "_" || name == "init" || withoutVendor(path) != path {
			c.suspect(unusualImport)
		}
		if c.types.Scope().Lookup(name) != nil {
			c.suspect(ambiguousName)
		}
	}
	for _, name := range slices.Concat(variables[:], types.Universe.Names()) {
		if imported[name] || c.types.Scope().Lookup(name) != nil {
			c.suspect(ambiguousName)
		}
	}
}
