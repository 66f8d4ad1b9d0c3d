package conversions

import (
	"fmt"
	"go/ast"
	"unicode"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/source"
)

// hookSignature is the signature that a function of a hook has to have.
type hookSignature struct {
	name string
	// params and results are their numbers, without the metadata of the object.
	params, results int
	// fits reports whether the type of the i-th parameter, or result, is one that the generated
	// code compiles with. It is true for a type that cannot be resolved.
	fits func(i int, result bool, f *source.File, expr ast.Expr) bool
}

// check returns whether a function takes the metadata of the object, and what is wrong with its
// signature; empty if nothing is.
func (s hookSignature) check(file *source.File, fn *ast.FuncDecl) (metadata bool, problem string) {
	params := flat(fn.Type.Params)
	results := flat(fn.Type.Results)
	metadata = len(params) == s.params+1 && isMetadata(file, params[0])
	if metadata {
		params = params[1:]
	}
	switch {
	case len(params) != s.params:
		return metadata, fmt.Sprintf("%s has %s instead of %d", s.name, count(len(params), "parameter"), s.params)
	case len(results) == s.results+1 && isError(file, results[s.results]):
		return metadata, s.name + " has an additional error result, but conversions cannot fail"
	case len(results) != s.results:
		return metadata, fmt.Sprintf("%s has %s instead of %d", s.name, count(len(results), "result"), s.results)
	case fn.Type.TypeParams != nil:
		return metadata, ""
	}
	for i, param := range params {
		if !s.fits(i, false, file, param) {
			return metadata, fmt.Sprintf("the type of parameter %d of %s does not fit", len(flat(fn.Type.Params))-len(params)+i+1, s.name)
		}
	}
	for i, result := range results {
		if !s.fits(i, true, file, result) {
			return metadata, fmt.Sprintf("the type of result %d of %s does not fit", i+1, s.name)
		}
	}
	return metadata, ""
}

// missingHook returns why a package does not have a function of a hook. others are packages where it
// may have been written instead.
func missingHook(name string, p *source.Package, others ...*source.Package) string {
	problem := "package " + p.Name + " has no function " + name
	if receiver := p.Receiver(name); receiver != "" {
		return problem + ": it is a method of " + receiver
	}
	if _, fn := p.Function(otherCase(name)); fn != nil {
		return problem + ": it has " + otherCase(name)
	}
	for _, other := range others {
		if _, fn := other.Function(name); fn != nil && other != p {
			return problem + ": package " + other.Path + " has it"
		}
	}
	return problem
}

// otherCase returns a name with its first letter in the other case.
func otherCase(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	other := unicode.ToLower(first)
	if other == first {
		other = unicode.ToUpper(first)
	}
	return string(other) + name[size:]
}

// flat returns the type of each of the parameters or results.
func flat(list *ast.FieldList) (out []ast.Expr) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for range max(1, len(field.Names)) {
			out = append(out, field.Type)
		}
	}
	return out
}

// isMetadata reports whether a type is *metav1.ObjectMeta.
func isMetadata(f *source.File, expr ast.Expr) bool {
	f, expr = f.ResolveExpr(expr)
	star, ok := expr.(*ast.StarExpr)
	if !ok {
		return false
	}
	t, why := f.Resolve(star.X)
	return why == nil && t.Type != nil && t.Type.Pkg.Path == source.MetaV1Path && t.Type.Spec.Name.Name == "ObjectMeta"
}

func isError(f *source.File, expr ast.Expr) bool {
	f, expr = f.ResolveExpr(expr)
	t, why := f.Resolve(expr)
	return why == nil && t.Predeclared == "error"
}

// count returns a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}
