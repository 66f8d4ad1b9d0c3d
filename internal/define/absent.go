package define

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/source"
)

// maxEmbedded is the maximum depth of embedded structs whose fields are read.
const maxEmbedded = 8

// absentFields returns the properties that conditions remove from a struct.
func absentFields(t *source.Type) (out []notes.Absent) {
	for _, erased := range t.ErasedFields() {
		for _, name := range erasedNames(t.File, erased.Node.(*ast.Field), maxEmbedded) {
			out = append(out, notes.Absent{Name: name, Condition: erased.Condition, Pos: erased.Pos})
		}
	}
	return out
}

// erasedNames returns the JSON names of a field: those of its struct's fields if it is inlined.
// Markers are not read, because the declaration does not exist.
func erasedNames(f *source.File, field *ast.Field, depth int) (names []string) {
	tag := source.JSONTagOf(source.TagOf(field))
	if tag.Name != "" {
		return []string{tag.Name}
	}
	if depth == 0 || !tag.Has("inline") && len(field.Names) > 0 {
		return nil
	}
	expr := source.Pointee(field.Type)
	resolved, why := f.Resolve(expr)
	var st *ast.StructType
	if why == nil && resolved.Type != nil {
		f = resolved.Type.File
		st, _ = resolved.Type.Spec.Type.(*ast.StructType)
	} else if file, erased := f.ErasedType(expr); erased != nil {
		f = file
		if spec, ok := erased.Node.(*ast.TypeSpec); ok {
			st, _ = spec.Type.(*ast.StructType)
		}
	}
	if st == nil {
		return nil
	}
	for _, inner := range st.Fields.List {
		names = append(names, erasedNames(f, inner, depth-1)...)
	}
	return names
}

// absentValues returns the values of the constants that conditions remove from a type; other
// constants may have the same ones. Values that are not string literals are left out.
func absentValues(t *source.Type) (out []notes.Absent) {
	for _, f := range t.Pkg.Sources {
		for _, erased := range f.Erased {
			spec, ok := erased.Node.(*ast.ValueSpec)
			if !ok || spec.Type == nil || source.ExprName(spec.Type) != t.Spec.Name.Name {
				continue
			}
			for _, expr := range spec.Values {
				if literal, ok := expr.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					value, err := strconv.Unquote(literal.Value)
					if err == nil {
						out = append(out, notes.Absent{Name: value, Value: true, Condition: erased.Condition, Pos: erased.Pos})
					}
				}
			}
		}
	}
	return out
}
