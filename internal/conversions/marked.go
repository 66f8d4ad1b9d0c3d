package conversions

import (
	"go/ast"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// placedMarker is a marker of conversions, of a struct or of one of its fields.
type placedMarker struct {
	*markers.Marker
	// In is the struct, and OnField is set for a marker of one of its fields.
	In      *source.Type
	OnField bool
}

// convertMarkers returns the markers of conversions in a struct of the user and those below it, each once.
func convertMarkers(root *source.Type) (out []placedMarker) {
	seen := map[*source.Type]bool{}
	var visit func(t *source.Type)
	add := func(t *source.Type, list source.Markers, onField bool) {
		for _, m := range list {
			if strings.HasPrefix(m.Name, markers.ConvertPrefix) {
				out = append(out, placedMarker{m, t, onField})
			}
		}
	}
	child := func(f *source.File, expr ast.Expr) {
		f, expr = f.ResolveExpr(expr)
		for elem := source.Elem(expr); elem != nil; elem = source.Elem(expr) {
			f, expr = f.ResolveExpr(elem)
		}
		if name, why := f.Resolve(expr); why == nil && name.Type != nil {
			visit(name.Type)
		}
	}
	visit = func(t *source.Type) {
		if seen[t] || !t.Pkg.Local() {
			return
		}
		seen[t] = true
		if _, ok := t.Spec.Type.(*ast.StructType); !ok {
			child(t.File, t.Spec.Type)
			return
		}
		add(t, t.Load().Markers, false)
		for _, f := range t.Fields() {
			add(t, f.Markers, true)
			child(t.File, f.Type)
		}
	}
	visit(root)
	return out
}
