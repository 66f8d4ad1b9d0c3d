package deepcopy

import (
	"go/ast"
	"slices"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// metav1Path is the package of the types that a kind embeds.
const metav1Path = "k8s.io/apimachinery/pkg/apis/meta/v1"

// unmarked reports kinds among types whose markers do not say whether they are objects, in a package that has
// others which are. A struct that other types contain may be a part of their objects.
func (g *generator) unmarked(p *source.Package, parsed []*source.File, silent []*ast.TypeSpec) {
	silent = slices.DeleteFunc(silent, func(spec *ast.TypeSpec) bool { return !isKind(p, spec) })
	if len(silent) == 0 {
		return
	}
	contained := containedTypes(parsed)
	for _, spec := range silent {
		if !contained[spec.Name.Name] && !p.Lookup(spec.Name.Name).Declares("DeepCopyObject") {
			g.report(unmarkedKind, spec.Name.Pos(), "write // +"+markers.ObjectRootName+"=true above it, or =false if it is not an object",
				"kind %s gets no method DeepCopyObject, unlike other types of its package", spec.Name.Name)
		}
	}
}

// isKind reports whether a type is a struct that embeds the type and the metadata of objects.
func isKind(p *source.Package, spec *ast.TypeSpec) bool {
	t := p.Lookup(spec.Name.Name)
	if t == nil {
		return false
	}
	embeds := func(name string) bool {
		return slices.ContainsFunc(t.Embedded(), func(embedded ast.Expr) bool {
			if !source.IsName(embedded) {
				return false
			}
			resolved, missing := t.File.Resolve(embedded)
			return missing == nil && resolved.Type != nil && resolved.Type.Pkg.Path == metav1Path &&
				resolved.Type.Spec.Name.Name == name
		})
	}
	return embeds("TypeMeta") && embeds("ObjectMeta")
}

// containedTypes returns the names that the types of files contain, except for the items of lists.
func containedTypes(parsed []*source.File) map[string]bool {
	out := map[string]bool{}
	for _, f := range parsed {
		for _, spec := range typeSpecs(f.Syntax) {
			ast.Inspect(spec.Type, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Field:
					return len(n.Names) != 1 || n.Names[0].Name != "Items"
				case *ast.Ident:
					out[n.Name] = true
				}
				return true
			})
		}
	}
	return out
}
