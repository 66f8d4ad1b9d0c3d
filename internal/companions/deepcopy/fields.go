package deepcopy

import (
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file copies structs without methods that copy them, for which controller-gen writes calls that
// do not compile.

// isBare reports whether a type is a struct that has no method DeepCopyInto when everything is
// generated.
func (c *copier) isBare(t types.Type) bool {
	if _, isStruct := underlying(t).(*types.Struct); !isStruct || isPlain(t) || c.deepCopyOf(t).any() {
		return false
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return true
	}
	if _, index, _ := types.LookupFieldOrMethod(named, true, c.types, "DeepCopyInto"); len(index) == 1 {
		return false // it may have a result
	}
	obj := named.Origin().Obj()
	return !c.generated[obj] && c.checker.Excluded(obj).DeepCopyInto == "" && !c.generatedElsewhere(obj)
}

// generatedElsewhere reports whether the markers of a type in another package ask for methods, which
// another run generates: projects may generate package by package, after all generated files are removed.
func (c *copier) generatedElsewhere(obj *types.TypeName) bool {
	p := c.checker.Package(obj)
	if p == nil || p.Standard {
		return false
	}
	selected, known := c.elsewhere[p]
	if !known {
		selected = selectedElsewhere(c.program, p)
		c.elsewhere[p] = selected
	}
	if selected[obj.Name()] {
		c.assumed[obj] = true
	}
	return selected[obj.Name()]
}

// selectedElsewhere returns the names of the types that a run for a package generates methods for. Its
// mistakes are not those of this run.
func selectedElsewhere(program *source.Program, p *source.Package) map[string]bool {
	names := map[string]bool{}
	if !p.AnyFile(source.MentionsObject) {
		return names
	}
	p.Index()
	for _, f := range p.Sources {
		f.Parse()
	}
	s, err := (&generator{program: program}).enabled(p)
	if err != nil || s == nil {
		return names
	}
	for _, t := range s.types {
		names[t.spec.Name.Name] = true
	}
	return names
}

// assumedMethods adds the declarations of the methods of assumed types to those by package.
func assumedMethods(methods map[string]string, assumed map[*types.TypeName]bool) map[string]string {
	for obj := range assumed { // the checker sorts the lines
		name := obj.Name()
		methods[obj.Pkg().Path()] += "\nfunc (in *" + name + ") DeepCopyInto(out *" + name + ")\nfunc (in *" + name + ") DeepCopy() *" + name
	}
	return methods
}

// bare writes the statements that copy a struct without methods. input and out are the texts of both
// values.
func (c *copier) bare(t types.Type, input, out string) {
	if method, ok := hiddenCopy(t); ok {
		if method == "" {
			c.line(out, " = ", input)
		} else {
			c.suspect(copiedByFields)
			c.line(out, " = *new(", c.spelling(t), ").", method, "(", address(input), ")")
		}
		return
	}
	c.suspect(copiedByFields)
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if c.within[t] {
			c.refuse("%s contains itself, and has no methods that copy it", typeName(t, c.types))
			return
		}
		if !c.reaches(named) {
			return
		}
		c.within[t] = true
		defer delete(c.within, t)
	}
	c.open("{")
	c.line("in, out := ", address(input), ", ", address(out))
	c.structValue(underlying(t).(*types.Struct))
	c.close("}")
}

// reaches reports whether the fields of a named struct without methods can be copied one by one. If
// not, that is reported with the marker that gives it methods, or with a field.
func (c *copier) reaches(named *types.Named) bool {
	obj := named.Obj()
	if p := c.checker.Package(obj); p != nil && p.Local() && obj.Exported() {
		if !c.failed[c.at] {
			c.failed[c.at] = true
			pos := c.program.Fset.Position(obj.Pos())
			c.report(notCopied, c.at, "write // +"+markers.ObjectName+"=true above type "+obj.Name()+" ("+filepath.Base(pos.Filename)+":"+strconv.Itoa(pos.Line)+"), or write its DeepCopyInto by hand",
				"struct %s has no method DeepCopyInto, and no marker that asks for one", typeName(named, c.types))
		}
		return false
	}
	for field := range named.Underlying().(*types.Struct).Fields() {
		if !field.Exported() && field.Pkg() != c.types && !isPlain(field.Type()) {
			c.fail("", named)
			return false
		}
	}
	return true
}

// hiddenCopy reports how values of a struct of the standard library are copied whose fields are not
// exported: with a method of a new value or, if that is empty, by assignment, because what they refer to
// does not change.
func hiddenCopy(t types.Type) (method string, ok bool) {
	named, isNamed := types.Unalias(t).(*types.Named)
	if !isNamed || named.Obj().Pkg() == nil {
		return "", false
	}
	switch named.Obj().Pkg().Path() + "." + named.Obj().Name() {
	case "time.Time", "net/netip.Addr", "net/netip.AddrPort", "net/netip.Prefix":
		return "", true
	case "math/big.Int", "math/big.Rat":
		return "Set", true
	case "math/big.Float":
		return "Copy", true
	}
	return "", false
}

// hiddenMethods returns the declarations of the methods of hiddenCopy by package.
func hiddenMethods() map[string]string {
	return map[string]string{"math/big": "func (*Int) Set(*Int) *Int\nfunc (*Rat) Set(*Rat) *Rat\nfunc (*Float) Copy(*Float) *Float"}
}

// address returns the text of a pointer to a value.
func address(value string) string {
	if pointer, ok := strings.CutPrefix(value, "*"); ok {
		return pointer
	}
	return "&" + value
}
