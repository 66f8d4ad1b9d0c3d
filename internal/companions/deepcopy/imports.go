package deepcopy

import (
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/gotext"
)

// imports are the imports of a generated file. Names are given in the order in which packages
// are first mentioned, as in controller-gen.
type imports struct {
	pkg *source.Package
	// names has the name of each path, and paths the reverse.
	names, paths map[string]string
}

// newImports returns the imports of a file of a package, whose own name is taken.
func newImports(p *source.Package) *imports {
	return &imports{pkg: p, names: map[string]string{}, paths: map[string]string{p.Name: ""}}
}

// name returns the name of an imported package. New names are made from the last elements of
// the path, as few as are needed to be unique.
func (i *imports) name(importPath string) string {
	importPath = withoutVendor(importPath)
	if name, ok := i.names[importPath]; ok {
		return name
	}
	rest, element := path.Split(importPath)
	name := ""
	for {
		if rest == "" {
			name += "x" // also for a path of one element
		}
		name = gotext.Identifier(strings.TrimLeftFunc(element, unicode.IsDigit)) + name
		if rest != "" {
			rest, element = path.Split(strings.TrimSuffix(rest, "/"))
		}
		if taken, ok := i.paths[name]; !ok || taken == importPath {
			break
		}
	}
	i.names[importPath] = name
	i.paths[name] = importPath
	return name
}

// withoutVendor returns the import path of a package in a vendor directory.
func withoutVendor(importPath string) string {
	if _, rest, ok := cutLast(importPath, "/vendor/"); ok {
		return rest
	}
	return importPath
}

func cutLast(text, separator string) (old, rest string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// lines returns the import declarations, sorted by path. The name is left out if the package
// declares the same one, as far as that is known: if the package itself has the import.
func (i *imports) lines() []string {
	var paths []string
	for importPath := range i.names {
		paths = append(paths, importPath)
	}
	slices.Sort(paths)
	for n, importPath := range paths {
		line := strconv.Quote(importPath)
		if name := i.names[importPath]; i.declared(importPath) != name {
			line = name + " " + line
		}
		paths[n] = line
	}
	return paths
}

// declared returns the name in the package clause of a package that the package imports, or
// the empty string.
func (i *imports) declared(importPath string) string {
	quoted := strconv.Quote(importPath)
	for _, f := range i.pkg.Sources {
		for _, spec := range f.Syntax.Imports {
			if spec.Path.Value == quoted || strings.Trim(spec.Path.Value, "`") == importPath {
				if imported := i.pkg.Imported(importPath); imported != nil {
					return imported.Name
				}
			}
		}
	}
	return ""
}

// spelling returns the text of a type in the generated file.
func (c *copier) spelling(t types.Type) string {
	c.meets(t)
	var named *types.TypeName
	var arguments *types.TypeList
	switch t := t.(type) {
	case *types.Alias:
		named = t.Obj()
		arguments = t.TypeArgs()
	case *types.Named:
		named = t.Obj()
		arguments = t.TypeArgs()
	case *types.TypeParam:
		return t.String()
	case *types.Basic:
		return t.String()
	case *types.Pointer:
		return "*" + c.spelling(t.Elem())
	case *types.Slice:
		return "[]" + c.spelling(t.Elem())
	case *types.Map:
		key := c.spelling(t.Key())
		return "map[" + key + "]" + c.spelling(t.Elem())
	}
	switch {
	case named == nil:
		c.fail("", t)
		return ""
	case named.Pkg() == nil:
		c.fail("", t) // error or any
		return ""
	case named.Pkg() == c.types:
		return named.Name() + c.arguments(arguments)
	}
	return c.imports.name(named.Pkg().Path()) + "." + named.Name() + c.arguments(arguments)
}

// arguments returns the text of type arguments. controller-gen leaves them out, which does not compile.
func (c *copier) arguments(list *types.TypeList) string {
	if list.Len() == 0 {
		return ""
	}
	var texts []string
	for argument := range list.Types() {
		texts = append(texts, c.spelling(argument))
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
